"""The tightest of the bounds on the probability of error, rigorously enclosed, and the sample sizes that follow.

The bound is the sum of three exponentials in the two shares ``delta_1`` and ``delta_2``. Its minimum over the
closed square is enclosed by branch and bound: a box is dropped if balls show that the bound exceeds the target
on it, or that its gradient has a sign there that points into the square.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms, total_bound
from pan_proofs.engines.obligation import load_engine
from pan_proofs.ledger.notation import alpha, delta_1, delta_2, epsilon, m

_BITS = 128
_BOXES = 200_000


@dataclass(frozen=True)
class Minimum:
    """The minimum of the bound over the square of shares.

    Attributes
    ----------
    low, high
        The minimum lies between them.
    shares
        Shares at which the bound is at most ``high``.
    hull
        Least and greatest ``delta_1`` and ``delta_2`` of a box that holds every point of minimum.
    boxes
        Number of examined boxes.
    """

    low: Fraction
    high: Fraction
    shares: tuple[Fraction, Fraction]
    hull: tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
    boxes: int


@dataclass(frozen=True)
class SampleSize:
    """The least sample size for which the tightest bound is at most ``beta``.

    Attributes
    ----------
    size
        The size.
    shares
        Shares with which it suffices.
    certified
        Whether balls show that it suffices, and that one user less does not.
    """

    size: int
    shares: tuple[Fraction, Fraction]
    certified: bool


def tightest_beta(
    size: int, eps: Fraction, accuracy: Fraction, pair: str = "dwork", *, width: Fraction = Fraction(1, 10**9)
) -> Minimum:
    """Enclose the tightest bound on the probability of error.

    Parameters
    ----------
    size, eps, accuracy
        Sample size, epsilon and alpha.
    pair
        ``"dwork"`` or ``"optimal"``: which cells are kept.
    width
        Greatest width of the enclosure.

    Raises
    ------
    ArithmeticError
        If the width was not reached within the limit on boxes.
    """
    objective = _Objective(size, eps, accuracy, pair)
    shares = objective.search()
    high = _upper(objective.value(*shares))
    pending = [_Box(objective, Fraction(0), Fraction(1), Fraction(0), Fraction(1))]
    for number in range(1, _BOXES):
        low = pending[0].low if pending else high
        if high - low <= width:
            hull = (
                (min(box.left for box in pending), max(box.right for box in pending)),
                (min(box.bottom for box in pending), max(box.top for box in pending)),
            )
            return Minimum(low, high, shares, hull, number)
        for half in heapq.heappop(pending).halves():
            if half.low <= high and not half.declines():
                heapq.heappush(pending, half)
    raise ArithmeticError(f"the width {width} was not reached with {_BOXES} boxes")


def exceeds(size: int, eps: Fraction, accuracy: Fraction, target: Fraction, pair: str = "dwork") -> bool:
    """Whether balls show that the bound is above ``target`` on the whole square; ``False`` means not shown."""
    objective = _Objective(size, eps, accuracy, pair)
    if not objective.value(*objective.search()) > objective.ball(target):
        return False
    pending = [_Box(objective, Fraction(0), Fraction(1), Fraction(0), Fraction(1))]
    for _ in range(_BOXES):
        if not pending:
            return True
        pending += [half for half in pending.pop().halves() if half.low <= target and not half.declines()]
    return False


def suffices(size: int, eps: Fraction, accuracy: Fraction, target: Fraction, pair: str = "dwork") -> bool:
    """Whether balls show that the bound is at most ``target`` somewhere; ``False`` means not shown."""
    objective = _Objective(size, eps, accuracy, pair)
    return _upper(objective.value(*objective.search())) <= target


@cache
def sample_size(eps: Fraction, accuracy: Fraction, target: Fraction, pair: str = "dwork") -> SampleSize:
    """The least sample size, found in floating point and certified by balls."""
    low, high = 1, 2
    while not _Objective(high, eps, accuracy, pair).reaches(target):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _Objective(middle, eps, accuracy, pair).reaches(target) else (middle, high)
    enough = suffices(high, eps, accuracy, target, pair)
    return SampleSize(
        high,
        _Objective(high, eps, accuracy, pair).search(),
        enough and exceeds(high - 1, eps, accuracy, target, pair),
    )


class _Objective:
    """The bound at given size, epsilon and alpha, with its gradient, on balls and in floating point."""

    def __init__(self, size: int, eps: Fraction, accuracy: Fraction, pair: str) -> None:
        self._arb = load_engine("flint").arb
        flint = load_engine("flint")
        flint.ctx.prec = max(flint.ctx.prec, _BITS)
        value, slopes, third = _functions(pair)
        numbers = (self.ball(Fraction(size)), self.ball(eps), self.ball(accuracy))
        self._numbers = numbers
        self._value, self._slopes, self._terms = value, slopes, third
        self._floats = tuple(float(one.mid()) for one in numbers)
        self._plain = _plain(pair)

    def ball(self, number: Fraction) -> Any:
        """A ball that contains a fraction."""
        return self._arb(number.numerator) / number.denominator

    def value(self, first: Fraction, second: Fraction) -> Any:
        return self._value(self.ball(first), self.ball(second), *self._numbers)

    def slopes(self, first: Any, second: Any) -> tuple[Any, Any]:
        gradient: tuple[Any, Any] = self._slopes(first, second, *self._numbers)
        return gradient

    def interval(self, low: Fraction, high: Fraction) -> Any:
        return self.ball((low + high) / 2) + self._arb(0, 1) * self.ball((high - low) / 2)

    def corners(self, left: Fraction, right: Fraction, bottom: Fraction, top: Fraction) -> Any:
        """A lower bound on a box: each term is monotone in each share, so it is least at a corner."""
        ends = [self.ball(one) for one in (left, right, bottom, top)]
        sampling = self._terms[0](ends[0], ends[2], *self._numbers)
        cells = self._terms[1](ends[1], ends[2], *self._numbers)
        noise = self._terms[2](ends[1], ends[3], *self._numbers)
        return sampling + cells + noise

    def search(self) -> tuple[Fraction, Fraction]:
        """A point near the minimum, by nested golden-section search on the logarithm's scale."""

        def best(first: float) -> tuple[float, float]:
            return _golden(lambda second: self._plain(first, second, *self._floats))

        first, _ = _golden(lambda share: best(share)[1])
        second, _ = best(first)
        return Fraction(first).limit_denominator(10**9), Fraction(second).limit_denominator(10**9)

    def reaches(self, target: Fraction) -> bool:
        first, second = self.search()
        return bool(self._plain(float(first), float(second), *self._floats) <= float(target))


class _Box:
    """A box of shares with a lower bound of the objective on it."""

    def __init__(self, objective: _Objective, left: Fraction, right: Fraction, bottom: Fraction, top: Fraction) -> None:
        self.left, self.right, self.bottom, self.top = left, right, bottom, top
        self._objective = objective
        across, along = objective.interval(left, right), objective.interval(bottom, top)
        self._slopes = objective.slopes(across, along)
        by_corners = _lower(objective.corners(left, right, bottom, top))
        # The mean value form, which is the better one near the minimum.
        middle = objective.value((left + right) / 2, (bottom + top) / 2)
        reach = [objective.interval(-side / 2, side / 2) for side in (right - left, top - bottom)]
        form = middle + self._slopes[0] * reach[0] + self._slopes[1] * reach[1]
        self.low = max(by_corners, _lower(form)) if form.is_finite() else by_corners

    def __lt__(self, other: _Box) -> bool:
        return self.low < other.low

    def declines(self) -> bool:
        """Whether from each point of the box a step within the square lowers the objective."""
        across, along = self._slopes
        return bool(
            (across > 0 and self.left > 0)
            or (across < 0 and self.right < 1)
            or (along > 0 and self.bottom > 0)
            or (along < 0 and self.top < 1)
        )

    def halves(self) -> tuple[_Box, _Box]:
        """The two halves, cut across the side along which the objective varies most."""
        across, along = (
            float(abs(slope).upper()) * float(side)
            for slope, side in zip(self._slopes, (self.right - self.left, self.top - self.bottom), strict=True)
        )
        if across >= along:
            middle = (self.left + self.right) / 2
            return (
                _Box(self._objective, self.left, middle, self.bottom, self.top),
                _Box(self._objective, middle, self.right, self.bottom, self.top),
            )
        middle = (self.bottom + self.top) / 2
        return (
            _Box(self._objective, self.left, self.right, self.bottom, middle),
            _Box(self._objective, self.left, self.right, middle, self.top),
        )


@cache
def _functions(pair: str) -> tuple[Callable[..., Any], Callable[..., Any], tuple[Callable[..., Any], ...]]:
    """The bound, its gradient and its three terms, from their derivation, as functions of balls."""
    arguments = (delta_1, delta_2, m, epsilon, alpha)
    ball = [{"exp": lambda one: one.exp(), "tanh": lambda one: one.tanh()}]
    terms = accuracy_terms(pair)
    whole = total_bound(terms)
    return (
        sp.lambdify(arguments, whole, modules=ball),
        sp.lambdify(arguments, tuple(sp.diff(whole, share) for share in (delta_1, delta_2)), modules=ball),
        tuple(sp.lambdify(arguments, term, modules=ball) for term in (terms.sampling, terms.cells, terms.noise)),
    )


@cache
def _plain(pair: str) -> Callable[..., float]:
    function: Callable[..., float] = sp.lambdify(
        (delta_1, delta_2, m, epsilon, alpha), total_bound(accuracy_terms(pair)), modules="math"
    )
    return function


def _golden(function: Callable[[float], float], low: float = 0.0, high: float = 1.0) -> tuple[float, float]:
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > 1e-10:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return (left, at_left) if at_left <= at_right else (right, at_right)


def _fraction(exact: Any) -> Fraction:
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _lower(ball: Any) -> Fraction:
    return _fraction(ball.lower())


def _upper(ball: Any) -> Fraction:
    return _fraction(ball.upper())
