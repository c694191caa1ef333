"""The rho of distributions of outputs: Gaussian noise of one covariance, beside choices that the output shows.

Two Gaussian distributions of one covariance whose means differ by d have the loss rho ``d' Sigma^-1 d / 2``. The Rényi
divergence of order alpha is alpha times this number (Bun and Steinke 2016, Lemma 2.4). If d lies outside the range of
Sigma, a combination without noise tells the distributions apart, and the loss is infinite. So the loss is computed once
for each difference of means.

Where the output shows choices as well, let P and Q be their probabilities on two inputs, and rho_k the loss of the
noise after the choice k. The divergence is ``log(sum P_k^alpha Q_k^(1 - alpha) exp(alpha (alpha - 1) rho_k)) / (alpha -
1)``. There are quick bounds, and sharp ones are made of them (:mod:`pan_audits.notions.divergences`):

- It is at most ``alpha (r^2/8 + max rho_k)``, where r is the range of ``log(P_k/Q_k)``. By Hoeffding's lemma the second
  derivative of ``log(sum Q_k (P_k/Q_k)^alpha)`` is at most ``r^2/4``, and this function is 0 at 0 and at 1.
- Divided by alpha it tends to ``max rho_k`` for large alpha, and at order 1 it is the mean of ``log(P_k/Q_k) + rho_k``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from flint import arb, fmpq, fmpq_mat, fmpz_mat
from numpy.typing import NDArray

from pan_audits.choices.noise import as_text
from pan_audits.choices.numbers import Number, as_ball, as_float
from pan_audits.notions.divergences import largest_divergence

Places: TypeAlias = NDArray[np.int64]

Covariance: TypeAlias = tuple[tuple[Fraction, ...], ...]
"""The rows of a covariance matrix."""

CLEAR = 1e-10
"""Least part of a combination of outputs that the rounding of weights of noise does not explain."""

_SAFE = 2**62
"""A bound on the sums that integers of 64 bits hold."""
_DIGITS = 10**12

_MOST_SHARPENED = 32
"""Pairs of distributions whose bounds are made sharp although the promise is decided without."""

_DIFFERENT_COVARIANCES = (
    "the noise of the output has one covariance on an input and another one on an adjacent input, and the check "
    "follows no rho of two covariances"
)
_ROUNDED_WEIGHTS = (
    "a combination of outputs without noise differs by as little as the rounding of its weights, and the check follows "
    "real numbers"
)
_SEVERAL_PATHS = (
    "the distribution of the output is a mixture over other random choices, and the check follows no rho of a mixture"
)
_BOUNDS_APART = (
    "the output shows random choices, and the promised rho lies between the two bounds that the check has on the loss"
)


@dataclass(frozen=True)
class GaussianOutput:
    """The distribution of the output of one path.

    Attributes
    ----------
    key
        The discrete part.
    mean
        The means of the noisy numbers, in their order.
    covariance
        Their covariance.
    lattices
        For noise on the integers: the possible values of each noisy number. The loss of two distributions of such noise
        on one lattice is that of Gaussian noise (Canonne, Kamath and Steinke 2020, Proposition 5); it is attained for
        integer orders, where the sum over the integers is that of a shifted copy.
    """

    key: Hashable
    mean: tuple[Fraction, ...]
    covariance: Covariance
    lattices: tuple[Hashable, ...] = ()


OutputDistribution: TypeAlias = Mapping[GaussianOutput, Number]
"""The probability of each path of an output; one path if no random choice is discrete."""


@dataclass(frozen=True)
class Candidate:
    """A loss, the place of its pair among all pairs of distributions, and the observation in words.

    The loss may be less than the number if ``upper`` is set, and more if ``attained`` is not. With a ``problem`` it is
    not known.
    """

    number: fmpq | None
    place: int
    words: str = ""
    attained: bool = True
    upper: bool = False
    problem: str = ""


def candidates(
    distributions: Sequence[OutputDistribution], pairs: Places, broken: Callable[[fmpq], bool], *, exact: bool
) -> Iterable[Candidate]:
    """The loss for each difference of means, and for each two sorts of distributions.

    Distributions of one path are of one sort if they have the discrete part and the covariance in common.
    """
    sorts: dict[Any, int] = {}
    sharpened = 0
    sort_of = np.array(
        [sorts.setdefault(_sort(distribution, number), len(sorts)) for number, distribution in enumerate(distributions)]
    )
    if not len(pairs):
        return
    left, right = sort_of[pairs[:, 0]], sort_of[pairs[:, 1]]
    _, first, inverse = np.unique(left * len(sorts) + right, return_index=True, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(inverse[order])) + 1)
    for place, chosen in zip(first.tolist(), members, strict=True):
        one, other = (distributions[number] for number in pairs[place].tolist())
        if left[place] != right[place] and (words := _why_infinite(one, other)):
            yield Candidate(None, place, words)
        elif len(one) > 1 or len(other) > 1:
            for number in chosen.tolist():
                first_distribution, second_distribution = (distributions[end] for end in pairs[number].tolist())
                found, sharp = _of_choices(first_distribution, second_distribution, number, broken, sharpened)
                sharpened += sharp
                yield found
        else:
            same = bool(left[place] == right[place])
            if not same:
                yield Candidate(None, place, problem=_DIFFERENT_COVARIANCES)
            yield from _differences(distributions, pairs, chosen, same=same, exact=exact)


def _of_choices(
    one: OutputDistribution, other: OutputDistribution, place: int, broken: Callable[[fmpq], bool], sharpened: int
) -> tuple[Candidate, bool]:
    """The bound that decides a promise, for choices that the output shows, and whether it is sharp."""
    bounds, sharp = bounds_of(one, other, sharp=False), False
    if bounds is not None and bounds.least is not None and bounds.most is not None:
        open_still = not broken(bounds.least) and broken(bounds.most)
        if sharp := open_still or sharpened < _MOST_SHARPENED:
            bounds = bounds_of(one, other)
    if bounds is None:
        found = Candidate(None, place, problem=_SEVERAL_PATHS)
    elif bounds.least is None or bounds.most is None:
        found = Candidate(None, place, "the output, of which a combination without noise differs")
    elif broken(bounds.least):
        found = Candidate(bounds.least, place, _words_of(bounds), attained=False)
    elif broken(bounds.most):
        found = Candidate(None, place, problem=_BOUNDS_APART)
    else:
        found = Candidate(bounds.most, place, _words_of(bounds), upper=True)
    return found, sharp


def _words_of(bounds: Bounds) -> str:
    if not bounds.noise or bounds.most is None:
        return "the choices that the output shows"
    rest = as_float(bounds.most - bounds.noise)
    return (
        f"the choices, which cost at most {rest:.3g}, and the noisy numbers beside them, which cost "
        f"{as_float(bounds.noise):.6g}"
    )


def _sort(distribution: OutputDistribution, number: int) -> Any:
    if len(distribution) > 1:
        return number
    (output,) = distribution
    return output.key, output.covariance, output.lattices


def _why_infinite(one: OutputDistribution, other: OutputDistribution) -> str:
    """The reason why the loss of two distributions of different sorts is infinite; empty if this is not known."""
    if {output.key for output in one} != {output.key for output in other}:
        return "the part of the output without noise, which is possible on one input alone"
    if len(one) == len(other) == 1:
        first, second = _single(one), _single(other)
        if first.lattices != second.lattices:
            return "the output, whose noise is on the integers, at a value that is impossible on the other input"
        if ranges_differ(first.covariance, second.covariance):
            return "the output, of which a combination carries Gaussian noise on one input alone"
    return ""


def _single(distribution: OutputDistribution) -> GaussianOutput:
    (output,) = distribution
    return output


def _differences(
    distributions: Sequence[OutputDistribution], pairs: Places, chosen: Places, *, same: bool, exact: bool
) -> Iterable[Candidate]:
    """The loss for each difference of means of some pairs.

    Of pairs with two covariances of one range, only the infinite losses are known.
    """
    used, places = np.unique(pairs[chosen], return_inverse=True)
    means = [_single(distributions[number]).mean for number in used.tolist()]
    unit = math.lcm(*(one.denominator for mean in means for one in mean))
    whole = np.array([[int(one * unit) for one in mean] for mean in means], dtype=object).reshape(len(used), -1)
    if max((abs(one) for one in whole.flat), default=0) < 2**62:
        whole = whole.astype(np.int64)
    ends = places.reshape(-1, 2)
    rows = whole[ends[:, 0]] - whole[ends[:, 1]]
    first = _first_of_each(rows)
    loss = GaussianLoss.of(_single(distributions[used[0]]).covariance)
    for place, rho in zip(first.tolist(), loss.of_differences(rows[first].astype(object), unit), strict=True):
        if rho is None and not exact and not loss.clearly_apart(rows[place]):
            yield Candidate(None, int(chosen[place]), problem=_ROUNDED_WEIGHTS)
        elif same or rho is None:
            gap = ", ".join(as_text(Fraction(int(one), unit)) for one in rows[place])
            under = (
                "noise that leaves a combination without noise" if rho is None else "Gaussian noise of one covariance"
            )
            yield Candidate(rho, int(chosen[place]), f"the output, whose mean differs by ({gap}) under {under}")


def _first_of_each(rows: NDArray[Any]) -> Places:
    """The place of the first of equal rows."""
    if rows.dtype == object:
        known: dict[tuple[int, ...], int] = {}
        for place, row in enumerate(rows.tolist()):
            known.setdefault(tuple(row), place)
        return np.array(list(known.values()), dtype=np.int64)
    if not rows.shape[1]:
        return np.zeros(min(1, len(rows)), dtype=np.int64)
    return np.sort(np.unique(rows, axis=0, return_index=True)[1])


@dataclass(frozen=True)
class Bounds:
    """A rho lies between two fractions; ``least`` is ``None`` where it is infinite.

    Attributes
    ----------
    least, most
        The fractions.
    noise
        The largest rho of the noise after one choice, a part of ``most``.
    """

    least: fmpq | None
    most: fmpq | None
    noise: fmpq | None = None


def bounds_of(one: OutputDistribution, other: OutputDistribution, *, sharp: bool = True) -> Bounds | None:
    """Bounds on the rho of two distributions; ``None`` if a choice is hidden, or its noise has two covariances."""
    left, right = _by_choice(one), _by_choice(other)
    if left is None or right is None or left.keys() != right.keys():
        return None
    losses, logs = [], []
    for key, (output, chance) in left.items():
        beside, other_chance = right[key]
        if output.lattices != beside.lattices:
            return Bounds(None, None)
        if output.covariance != beside.covariance:
            return Bounds(None, None) if ranges_differ(output.covariance, beside.covariance) else None
        loss = _loss(output, beside)
        if loss is None:
            return Bounds(None, None)
        losses.append(loss)
        logs.append((as_ball(chance) / as_ball(other_chance)).log())
    most = max(losses)
    width = max(log.upper() for log in logs) - min(log.lower() for log in logs)
    chances = [[as_ball(chance) for _, chance in side.values()] for side in (left, right)]
    means = [
        sum((p * (sign * log + arb(loss)) for p, log, loss in zip(side, logs, losses, strict=True)), arb(0))
        for side, sign in zip(chances, (1, -1), strict=True)
    ]
    least = max([most, *(_rounded(mean.lower(), up=False) for mean in means)])
    upper = most + _rounded((width * width / 8).upper(), up=True)
    if not sharp or least == upper:
        return Bounds(least, upper, most)
    found = [
        largest_divergence([(p, sign * log, arb(loss)) for p, log, loss in zip(side, logs, losses, strict=True)])
        for side, sign in zip(chances, (1, -1), strict=True)
    ]
    # Noise on the integers has the loss of Gaussian noise at integer orders alone.
    if not any(output.lattices for output in one):
        least = max([least, *(_rounded(arb(low), up=False) for low, _ in found)])
    return Bounds(least, min(upper, _rounded(arb(max(high for _, high in found)), up=True)), most)


def _by_choice(distribution: OutputDistribution) -> dict[Any, tuple[GaussianOutput, Number]] | None:
    found: dict[Any, tuple[GaussianOutput, Number]] = {}
    for output, chance in distribution.items():
        if output.key in found:
            return None
        found[output.key] = output, chance
    return found


@lru_cache(maxsize=64)
def _of_covariance(covariance: Covariance) -> GaussianLoss:
    return GaussianLoss.of(covariance)


def _loss(one: GaussianOutput, other: GaussianOutput) -> fmpq | None:
    difference = [left - right for left, right in zip(one.mean, other.mean, strict=True)]
    unit = math.lcm(*(part.denominator for part in difference))
    row = np.array([[int(part * unit) for part in difference]], dtype=object).reshape(1, -1)
    (loss,) = _of_covariance(one.covariance).of_differences(row, unit)
    return loss


def _rounded(ball: arb, *, up: bool) -> fmpq:
    """A fraction of twelve decimals that is at least, or at most, a number."""
    whole = ball * _DIGITS
    end = (whole.ceil().upper() if up else whole.floor().lower()).unique_fmpz()
    if end is None:
        raise ArithmeticError("a ball of a loss is too wide")
    return fmpq(end, _DIGITS)


@dataclass(frozen=True, eq=False)
class GaussianLoss:
    """The loss as a function of the difference of the means.

    Attributes
    ----------
    inverse
        An integer matrix: the inverse on a largest set of independent coordinates, times the denominator.
    denominator
        A positive integer.
    without_noise
        Integer rows. Each is a combination of coordinates that carries no noise.
    """

    inverse: NDArray[np.object_]
    denominator: int
    without_noise: NDArray[np.object_]

    @classmethod
    def of(cls, covariance: Covariance) -> GaussianLoss:
        """The loss for a covariance."""
        size = len(covariance)
        matrix = _matrix(covariance)
        reduced, rank = matrix.rref()
        pivots = [next(column for column in range(size) if reduced[row, column] != 0) for row in range(rank)]
        # The rows of the kernel, from the reduced rows: each free coordinate by the pivots.
        free = [column for column in range(size) if column not in pivots]
        kernel = [[Fraction(int(column == one)) for column in range(size)] for one in free]
        for combination, one in zip(kernel, free, strict=True):
            for place, pivot in enumerate(pivots):
                combination[pivot] = -_fraction(reduced[place, one])
        # A principal part of a positive semidefinite matrix on independent rows is positive definite.
        inverse = [[Fraction(0)] * size for _ in range(size)]
        if pivots:
            part = _matrix([[covariance[i][j] for j in pivots] for i in pivots]).inv()
            for i, row in enumerate(pivots):
                for j, column in enumerate(pivots):
                    inverse[row][column] = _fraction(part[i, j])
        whole, denominator = _integers(inverse, size)
        return cls(whole, denominator, np.array([_integers([row], size)[0][0] for row in kernel], dtype=object))

    def of_differences(self, differences: NDArray[np.object_], unit: int = 1) -> list[fmpq | None]:
        """The loss for each of several differences, ``None`` where it is infinite."""
        if not differences.shape[1]:
            return [fmpq(0)] * len(differences)
        rows = _narrow(differences, self.inverse)
        inverse = self.inverse.astype(rows.dtype)
        squares = ((rows @ inverse) * rows).sum(axis=1)
        apart = np.zeros(len(rows), dtype=bool)
        if len(self.without_noise):
            apart = (differences @ self.without_noise.T != 0).any(axis=1)
        below = 2 * self.denominator * unit**2
        return [
            None if one else fmpq(int(square), below)
            for one, square in zip(apart.tolist(), squares.tolist(), strict=True)
        ]

    def clearly_apart(self, difference: NDArray[np.object_]) -> bool:
        """Whether a combination without noise differs by more than the rounding of weights can explain."""
        row = difference.astype(float)
        for combination in self.without_noise:
            # Integers of any length, scaled to doubles.
            largest = max(abs(int(one)) for one in combination)
            weights = np.array([int(one) / largest for one in combination])
            if abs(weights @ row) > CLEAR * np.linalg.norm(weights) * np.linalg.norm(row):
                return True
        return False


def ranges_differ(one: Covariance, other: Covariance) -> bool:
    """Whether some combination of coordinates carries noise under one covariance alone."""
    if len(one) != len(other):
        return True
    if not one:
        return False
    both = _matrix([[*left, *right] for left, right in zip(one, other, strict=True)])
    ranks = {_matrix(one).rref()[1], _matrix(other).rref()[1], both.rref()[1]}
    return len(ranks) > 1


def _narrow(differences: NDArray[np.object_], inverse: NDArray[np.object_]) -> NDArray[np.object_]:
    """The differences as integers of 64 bits if no sum can overflow."""
    largest = max((abs(int(one)) for one in differences.flat), default=0)
    weight = max((abs(int(one)) for one in inverse.flat), default=0)
    bound = differences.shape[1] ** 2 * max(largest, 1) ** 2 * max(weight, 1)
    return differences.astype(np.int64) if bound < _SAFE else differences


def _matrix(rows: Sequence[Sequence[Fraction]]) -> fmpq_mat:
    flat = [fmpq(one.numerator, one.denominator) for row in rows for one in row]
    return fmpq_mat(len(rows), len(rows[0]), flat) if rows else fmpq_mat(fmpz_mat(0, 0, []))


def _fraction(number: fmpq) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _integers(rows: Sequence[Sequence[Fraction]], columns: int) -> tuple[NDArray[np.object_], int]:
    """Fractions over one denominator."""
    denominator = math.lcm(*(one.denominator for row in rows for one in row))
    made = np.array([[int(one * denominator) for one in row] for row in rows], dtype=object)
    return made.reshape(len(rows), columns), denominator
