"""``calibrated-turnstile`` and ``presence``: present elements with the noise of a factorisation near the square root.

The sensitivity is that of a mixture of decays for two vectors of bits with a bound on their changes
(continual.calibrated). The difference of the two vectors has values -1, 0 and 1. It is constant on runs of steps. At
most w runs have a value other than 0. The squared norm of its changes under the right factor is bounded by a sum over
these runs: each run of d steps adds ``middle(d)``, and the first and the last one add ``end(d)``. Both functions rise
and are concave. So the bound is largest for two ends of the same length and equal runs between them. A single run has a
bound of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp, inf, log, sqrt
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import Factors, factors
from pan_estimators.continual.existence import Elements, Part, follow_steps
from pan_estimators.continual.mechanism import ContinualCounter, IndependentRuns, half_width, require_bound
from pan_estimators.continual.right_factor import Release, released, rounding, safe_deviation
from pan_estimators.randomness.interface import Randomness
from pan_promises.adjacency import Adjacency

Numbers = NDArray[np.float64]

_MARGIN = 1e-9
"""The relative error that the sums may have by rounding."""
_SHORTEST = 1e-4
"""The shortest end that is tried, as a share of a run of mean length."""
_WIDTH = 1e-5
"""The search for the length of an end stops at this relative width."""
_SECTION = 0.6180339887498949


@lru_cache(maxsize=256)
def squared_sensitivity(factors: Factors, changes: int, steps: int) -> float:
    """A bound on the squared distance of ``R x`` for two vectors of bits with at most w changes each, rounded up."""
    runs = min(changes, steps)
    if runs == 1:
        return squared_run(factors, steps)
    plain = (4 * changes - 2) * factors.squared_column(steps)
    return min(plain, _Runs.of(factors).largest(runs, steps) * (1 + _MARGIN))


def squared_run(factors: Factors, steps: int) -> float:
    """The same for a difference that has one run: it changes by 1 and, unless the stream ends before, back to 0."""
    return min(2 * factors.squared_column(steps), _Runs.of(factors).single(steps) * (1 + _MARGIN))


@dataclass(frozen=True, eq=False)
class _Runs:
    """The bounds for a run of the difference.

    Attributes
    ----------
    logarithms
        Of the rates ``f_m`` below 1.
    weights
        For each of them ``a_m`` times the sum of ``a_n / (1 - f_m f_n)`` over all rates.
    linear
        The square of the weight of the rate 1.
    """

    logarithms: Numbers
    weights: Numbers
    linear: float

    @classmethod
    def of(cls, factors: Factors) -> _Runs:
        gaps, shares = np.array(factors.right_distances), np.array(factors.right_shares)
        moving = gaps > 0
        inner = gaps[moving, None] + (1 - gaps[moving, None]) * gaps
        with np.errstate(divide="ignore"):
            logarithms = np.log1p(-gaps[moving])
        weights = shares[moving] * np.sum(shares / inner, axis=1)
        return cls(logarithms, weights, float(shares[~moving].sum() ** 2))

    def middle(self, length: float) -> float:
        """The bound for a run between two others."""
        left = np.exp(length * self.logarithms)
        return float(np.sum(self.weights * 4 * (1 - left) / (1 + left))) + self.linear * length

    def end(self, length: float) -> float:
        """The bound for the first run, and for the last one."""
        left = np.exp(length * self.logarithms)
        return float(np.sum(self.weights * (1 - left) * (3 - left))) + self.linear * length

    def single(self, length: float) -> float:
        """The bound for a run that is the first and the last one."""
        left = np.exp(length * self.logarithms)
        return float(np.sum(self.weights * 2 * (1 - left))) + self.linear * length

    def largest(self, runs: int, steps: int) -> float:
        """A bound for this number of runs, at least 2, which have at most this number of steps together."""
        if runs == 2:
            return 2 * self.end(steps / 2)
        between = runs - 2

        def total(length: float) -> float:
            return 2 * self.end(length) + between * self.middle((steps - 2 * length) / between)

        low, middle, high = _around_largest(total, _SHORTEST * steps / runs, steps / 2)
        # A concave function lies below the lines through two of its points, beyond them.
        top = total(middle)
        rising = (top - total(low)) * (high - middle) / (middle - low)
        falling = (top - total(high)) * (middle - low) / (high - middle)
        return top + max(0.0, rising, falling)


def _around_largest(function: Callable[[float], float], low: float, high: float) -> tuple[float, float, float]:
    """Three positive numbers, of which the outer ones enclose the place of the largest value of a concave function."""
    lower, upper = log(low), log(high)
    while upper - lower > _WIDTH:
        wide = upper - lower
        left, right = upper - _SECTION * wide, lower + _SECTION * wide
        if function(exp(left)) < function(exp(right)):
            lower = left
        else:
            upper = right
    return exp(lower), exp((lower + upper) / 2), exp(upper)


@dataclass(eq=False, slots=True)
class SquareRootState:
    """The state of a counter. It holds the counts in clear.

    Attributes
    ----------
    elements
        The counts and the flips of the elements.
    release
        The sums behind the released values.
    """

    elements: Elements
    release: Release


class SquareRootCounter(ContinualCounter, IndependentRuns, Protocol):
    """Follows existence vectors, and releases their changes with noise.

    The noise covers the rounding of the released values (:func:`~pan_estimators.continual.right_factor.rounding`).
    """

    _last_entry_decides: ClassVar[bool] = False
    """Whether an element exists if its last entry is an insertion."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.draw_noise

    def _squared_sensitivity(self) -> float:
        """The squared l2 sensitivity of the values of the right factor."""
        ...

    @property
    def _followed(self) -> float:
        """The number of changes of an element that are followed."""
        return inf

    @cached_property
    def draw_noise(self) -> float:
        """The standard deviation of the noise of a released value."""
        sensitivity = sqrt(self._squared_sensitivity())
        return safe_deviation(sensitivity, float(self.rho), self.steps, rounding(factors(self.steps)))

    @property
    def noise(self) -> float:
        """The largest standard deviation of an output."""
        return self.draw_noise * sqrt(factors(self.steps).squared_row(self.steps))

    def _half_widths_at(self, state: SquareRootState, times: NDArray[np.int64], level: float) -> NDArray[np.float64]:
        """The distances that outputs keep from the followed counts, all of them together. The noise grows with time."""
        rows = factors(self.steps).squared_rows(times)
        deviations = np.minimum(self.draw_noise * np.sqrt(rows), self.noise)
        return np.asarray(half_width(1.0, self.steps, level) * deviations)

    def create(self, randomness: Randomness) -> SquareRootState:
        return SquareRootState(Elements(), Release.begin(factors(self.steps)))

    def _outputs(
        self, state: SquareRootState, part: Part, randomness: Randomness, runs: tuple[int, ...] = ()
    ) -> NDArray[Any]:
        model, decides = self.problem.model, self._last_entry_decides
        changes = follow_steps(state.elements, part, model=model, last_entry_decides=decides)
        kept = changes.reached <= self._followed
        moved = np.bincount(changes.steps[kept], changes.signs[kept], part.steps).astype(np.int64)
        return released(state.release, moved, factors(self.steps), self.draw_noise, randomness, runs)


@dataclass(frozen=True)
class CalibratedTurnstile(SquareRootCounter):
    """The number of present elements, for a known bound on the flippancy, with the noise of decaying sums.

    Promise (continual.calibrated): rho-item-level-zCDP of all outputs, for all streams.

    - The existence vector of an element is followed for its first w changes, and keeps its value from then on. Two
      neighbours differ in one element. The difference g of its two vectors starts at 0 and lies in {-1, 0, 1}. The
      absolute values of its changes v sum to at most 2 w.
    - The outputs are ``L (R x + z)`` (see :mod:`pan_estimators.continual.decaying_noise`). The inner product a(i, j)
      of the columns i < j of R is at least 0, decreases in j, and is at most the squared norm S of the first column.
    - The sum of ``v_i v_j a(i, j)`` over j > i is at most ``abs(v_i) (1 - abs(g_i)) a(i, i + 1)``, by summation by
      parts over g. So a change of 2 costs at most 4 S, a change from 0 costs S, and a change to 0 costs 3 S, or S if it
      is the last one. The first change starts from 0. In all the squared sensitivity is at most ``(4 w - 2) S``.
    - Another bound is smaller, except for few steps. g is constant on runs of steps, and at most w of these runs have a
      value other than 0. A share of the squared norm belongs to each rate f of R. In a run of d steps, with ``p =
      f**d``, this share grows by at most ``4 (1 - p) / (1 + p)`` of its weight, and in the first and the last run by at
      most ``(1 - p) (3 - p)``. A single run adds at most ``2 (1 - p)``.

    The released values are computed in whole numbers. The noise covers their rounding
    (:mod:`pan_estimators.continual.right_factor`).
    """

    steps: int
    rho: float
    flippancy: int
    model: str = "general"
    _claim: ClassVar[str] = "continual.calibrated"

    def __post_init__(self) -> None:
        require_bound(self.flippancy)
        super().__post_init__()

    @property
    def _followed(self) -> float:
        return self.flippancy

    def _squared_sensitivity(self) -> float:
        return squared_sensitivity(factors(self.steps), self.flippancy, self.steps)

    @property
    def compared_with(self) -> str:
        """The numbers from which the outputs differ by the noise, in words."""
        return f"the counts, if no element appears and disappears more than {self.flippancy} times in all"


@dataclass(frozen=True)
class Presence(SquareRootCounter):
    """The number of elements whose last entry is an insertion, at event level.

    Promise (continual.presence): rho-event-level-zCDP of all outputs, for all streams. Without one entry, existence
    differs between this entry and the next one of the element alone: it changes by 1 and back. The two changes cost at
    most what they would cost in a stream without an end, and at most two columns of the right factor
    (:func:`squared_run`). No bound on the flippancy is needed.

    The released values are computed in whole numbers. The noise covers their rounding
    (:mod:`pan_estimators.continual.right_factor`).
    """

    steps: int
    rho: float
    _claim: ClassVar[str] = "continual.presence"
    _adjacency: ClassVar[Adjacency] = Adjacency.EVENT_LEVEL
    _last_entry_decides: ClassVar[bool] = True

    def _squared_sensitivity(self) -> float:
        return squared_run(factors(self.steps), self.steps)
