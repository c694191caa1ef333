"""The parameters of a distinct counter with a small error over a range of numbers of users.

For each number of levels, the search is over the levels and over the budgets of a seen one and a seen zero, for a small
greatest relative variance. It can end beside the minimum. The rates of the levels are in geometric progression, and all
levels but the first and the last have the same number of cells. A point of the search is the two ends of the
progression and the sizes of the two end levels.

For several releases the bits have a symmetric pair, ``p1 = 1 - p0``, and lose ``s`` alone. The noise of each release
falls by the factor ``exp(-eta/R)``, where eta is the rate for one release. The joint loss of one state and R releases
is then the promised one (distinct.releases). The search is over ``s``, for the levels of a counter with one release.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.registry import promises
from pan_estimators.density.calibration import (
    Calibration,
    calibrate_basic,
    calibrate_noise,
    calibrate_pair,
    checked_total,
    raised,
    safe_ratio,
)
from pan_estimators.density.cell_loss import MOST_RELEASES, log_of, noise_limits, worst_ratio
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.distinct.geometry import MOST_LEVELS, Geometry, Level
from pan_estimators.density.distinct.likelihood import LevelDistribution, distribution_of
from pan_promises.errors import InputError, require_count, shown
from pan_promises.extras import require_extra

Numbers = NDArray[np.float64]

OUTSIDE = 1e6
"""The least value of an objective at a point that is not allowed."""

_POINTS = 8
"""Numbers of users in each decade at which the error is computed."""


@dataclass(frozen=True)
class RoughLevels:
    """Levels with any real numbers of cells and rates, in the place of a geometry.

    Attributes
    ----------
    widths
        The numbers of cells.
    rates
        The probabilities that a user touches a given cell.
    """

    widths: Numbers
    rates: Numbers


@dataclass(frozen=True)
class LevelSearch:
    """Levels in geometric progression, for a fixed number of them."""

    size: int
    bits: int
    least: float
    most: float
    levels: int

    @property
    def start(self) -> list[float]:
        """Logarithms of the first and the last rate, each from an end of the range, and sizes of the end levels."""
        middle = math.log(self.most / self.least) / 2
        point = [*((0.3, 0.3) if self.levels > 1 else (middle, middle)), 1.3, 1.1]
        while (levels := self.rough(point)).widths @ levels.rates > 0.95:
            # Smaller rates at the upper end, and at both ends if there are many cells for few users.
            point[1] += 0.1
            point[0] -= 0.1 * (self.levels == 1 or float(levels.rates[0]) * self.bits > 0.5)
        return point

    @property
    def users(self) -> Numbers:
        """Numbers of users of the range."""
        return np.geomspace(self.least, self.most, 2 + round(_POINTS * math.log10(self.most / self.least)))

    def rough(self, point: Any) -> RoughLevels:
        """The levels at a point, the one with the least rate first."""
        low, high = -math.log(self.most) + point[0], -math.log(self.least) - point[1]
        weights = np.ones(self.levels)
        weights[-1], weights[0] = point[3], point[2]
        return RoughLevels(weights * (self.bits / weights.sum()), np.exp(np.linspace(low, high, self.levels)))

    def excess(self, point: Any) -> float:
        """Zero if a point is allowed; otherwise a large number, larger for a point that is farther away."""
        if not (0.1 < point[2] < 10 and 0.1 < point[3] < 10):
            return OUTSIDE
        levels = self.rough(point)
        share, rate = float(levels.widths @ levels.rates), float(levels.rates.max())
        return OUTSIDE * max(share, 2 * rate) if share > 1 or rate > 0.5 else 0.0

    def geometry(self, point: Any) -> Geometry | None:
        """The levels with whole numbers; ``None`` if the universe has too few indices for them."""
        levels = self.rough(point)
        spans = np.maximum(1, np.floor(levels.rates * self.size)).astype(np.int64)
        cells = np.floor(levels.widths).astype(np.int64)
        cells[0] += self.bits - cells.sum()
        # Rounding can cover a few more indices than there are.
        cells[-1] -= max(0, math.ceil((int(cells @ spans) - self.size) / int(spans[-1])))
        if cells.min() < 1:
            return None
        found = [Level(int(width), int(span)) for width, span in zip(cells, spans, strict=True)]
        return Geometry(self.size, tuple(reversed(found)))


def numbers_of_levels(least: float, most: float) -> range:
    """The numbers of levels that are searched for a range of numbers of users."""
    decades = math.log10(most / least)
    return range(min(MOST_LEVELS, 1 + round(1.2 * decades)), min(MOST_LEVELS, 2 + round(2.0 * decades)) + 1)


def least_point(objective: Callable[[Any], float], start: Sequence[float]) -> Numbers:
    """A point at which an objective is small, by the method of Nelder and Mead from a start."""
    from scipy.optimize import minimize

    point, value = np.array(start), math.inf
    for _ in range(4):
        found = minimize(objective, point, method="Nelder-Mead", options={"maxiter": 400, "xatol": 1e-3, "fatol": 1e-5})
        if found.fun > value - 1e-3:
            break
        point, value = found.x, float(found.fun)
    return np.asarray(point)


LEAST_BITS, MOST_BITS = 2**10, 2**30
_MOST_USERS = 2**61
_REACH = 3.0
"""The error is small as well at a number of users that is this many standard errors above the range."""
_LARGEST_TOTAL = 20.0
"""A larger promise is not used up: the probabilities would be too close to 0 and 1, and the error is hardly smaller."""


@dataclass(frozen=True)
class CounterPlan:
    """The parameters of a counter.

    Attributes
    ----------
    geometry
        The levels.
    calibration
        The pair of probabilities and the noise.
    worst_error
        The greatest relative standard error on the range.
    """

    geometry: Geometry
    calibration: Calibration
    worst_error: float


def plan_counter(size: int, total: float, bits: int, least: float, most: float) -> CounterPlan:
    """The counter of a given size with a small greatest error on a range, by a numerical search."""
    require_count("the number of cells", bits, least=LEAST_BITS, most=MOST_BITS)
    total = min(checked_total(total), _LARGEST_TOTAL)
    for end in (least, most):
        if isinstance(end, bool) or not isinstance(end, (int, float)):
            raise InputError(f"the range of users is given by two numbers, got {shown(end)}")
    if not 1 <= least < most <= _MOST_USERS:
        raise InputError(f"the range of users goes from a smaller to a larger number, got {least:g} to {most:g}")
    if size <= bits:
        return _cell_for_each(int(size), total, float(min(most, size)))
    return _planned(int(size), total, int(bits), float(least), float(most))


@lru_cache(maxsize=64)
def _planned(size: int, total: float, bits: int, least: float, most: float) -> CounterPlan:
    require_extra("the plan of a counter", "suite")
    searches = (LevelSearch(size, bits, least, most, levels) for levels in numbers_of_levels(least, most))
    found = [plan for one in searches if (plan := _Search(total, one).plan()) is not None]
    if not found:
        raise InputError(
            f"a universe of {size:,} indices is too small to divide it among {bits:,} cells in levels: give {size:,} "
            "cells, or fewer than now"
        )
    return min(found, key=lambda plan: plan.worst_error)


def _cell_for_each(size: int, total: float, most: float) -> CounterPlan:
    """A cell for each index of a small universe: nobody shares a cell, and nobody is left out."""
    geometry = Geometry(size, (Level(size, 1),))
    calibration = calibrate_basic(promise_epsilon=total, sample_size=size)
    return CounterPlan(geometry, calibration, math.sqrt(calibration.squared_error(size)) * size / most)


@dataclass(frozen=True)
class _Search:
    """The search with a fixed number of levels: for the budgets of a one and of a zero, and for the levels."""

    total: float
    levels: LevelSearch

    @property
    def start(self) -> list[float]:
        return [0.95, 0.92, *self.levels.start]

    def objective(self, point: Numbers) -> float:
        """The logarithm of the greatest relative variance on the range; a large number outside the domain."""
        one, zero = point[0], point[1]
        if not (0.05 < one < 0.9999 and 0.05 < zero < 0.9999):
            return OUTSIDE
        total = self.total
        p_init = math.expm1(total * zero) / math.expm1(total * (one + zero))
        p_upd = math.exp(total * one) * p_init
        up, down = noise_limits(p_init, p_upd, math.exp(total))
        if not (0 < up < 1 and 0 < down < 1):
            return OUTSIDE
        if excess := self.levels.excess(point[2:]):
            return excess
        distribution = LevelDistribution(self.levels.rough(point[2:]), p_init, p_upd, up, down)  # type: ignore[arg-type]
        variances = distribution.relative_variance(self.levels.users)
        # If the last level is nearly full just above the range, estimates in the range can be many times too large.
        beyond = self.levels.most * math.exp(_REACH * min(math.sqrt(variances[-1]), 0.5))
        return math.log(max(*variances, *distribution.relative_variance(np.array([beyond]))))

    def plan(self) -> CounterPlan | None:
        """The plan with whole numbers; ``None`` if the universe has too few indices for them."""
        point = least_point(self.objective, self.start)
        if (geometry := self.levels.geometry(point[2:])) is None:
            return None
        calibration = calibrate_pair(self.total, float(point[0]), float(point[1]))
        worst = distribution_of(geometry, calibration).worst_error(self.levels.least, self.levels.most)
        return CounterPlan(geometry, calibration, worst)


@lru_cache(maxsize=64)
def calibrate_releases(total: float, p_init: float, releases: int) -> Calibration:
    """The least noise for one intrusion and several releases of cells with the pair ``p_init, 1 - p_init``."""
    total = checked_total(total)
    require_count("the number of releases", releases, most=MOST_RELEASES)
    if not 0 < p_init < 0.5:
        raise InputError(f"for several releases p_init is below 1/2 and p_upd is 1 - p_init, got p_init = {p_init!r}")
    noise = _noise(total, p_init, releases)
    cells = BernoulliCells(p_init, 1 - p_init)
    pair = (Fraction(cells.p_init), Fraction(cells.p_upd))
    ratio = worst_ratio([pair], up=Fraction(noise), down=Fraction(noise), releases=releases)
    if ratio > safe_ratio(total):
        raise InputError(f"no noise with a loss of {total!r} was found for this pair; choose another one")
    return Calibration((cells,), 0.0, noise, noise, log_of(ratio))


def calibrate_pair_for(total: float, cells: BernoulliCells, releases: int) -> Calibration:
    """The least noise of given cells for one intrusion and a number of releases."""
    require_count("the number of releases", releases, most=MOST_RELEASES)
    if releases == 1:
        return calibrate_noise(total, cells)
    if cells.p_upd != 1 - cells.p_init:
        raise InputError(f"for several releases p_upd is 1 - p_init, got {cells.p_init!r} and {cells.p_upd!r}")
    return calibrate_releases(total, cells.p_init, releases)


def require_calibrated(calibration: Calibration, total: float, releases: int) -> None:
    """Refuse a number of releases for which a calibration was not made."""
    require_count("the number of releases", releases, most=MOST_RELEASES)
    if releases == 1:
        return
    (cells,) = calibration.pairs
    if cells.p_upd != 1 - cells.p_init or calibration.up != calibration.down:
        raise InputError("for several releases the pair and the noise are symmetric, and this calibration is not")
    loss = calibration.loss_of(deletions=False, releases=releases)
    if loss > total:
        raise InputError(f"with {releases} releases this calibration loses {loss:.6g}, and the promise is {total:.6g}")


def _noise(total: float, p_init: float, releases: int) -> float:
    alone = math.log1p(-p_init) - math.log(p_init)
    if alone >= total:
        raise InputError(
            f"the state alone loses {alone:.6g}, and the promise is {total:.6g}: choose closer probabilities"
        )
    # The rate for one release, without cancellation where the state loses nearly everything.
    rate = math.log1p(math.expm1(total - alone) * (1 + math.exp(-alone)))
    return raised(math.exp(-rate / releases))


@dataclass(frozen=True)
class ReleasesCost:
    """The price of several releases.

    Attributes
    ----------
    releases
        The number of releases R.
    worst_error
        The greatest relative standard error of each release on the range.
    factor
        The same over that of a counter with one release.
    """

    releases: int
    worst_error: float
    factor: float


def plan_releases(size: int, total: float, bits: int, least: float, most: float, releases: int) -> CounterPlan:
    """The counter with several releases and a small greatest error on a range, with the levels of one release."""
    require_count("the number of releases", releases, most=MOST_RELEASES)
    plan = plan_counter(size, total, bits, least, most)
    if releases == 1:
        return plan
    return plan_releases_of(plan.geometry, total, least, min(most, size), releases)


def plan_releases_of(geometry: Geometry, total: float, least: float, most: float, releases: int) -> CounterPlan:
    """The symmetric pair and the noise of a counter with given levels and several releases. It needs no scipy."""
    require_count("the number of releases", releases, most=MOST_RELEASES)
    total = min(checked_total(total), _LARGEST_TOTAL)
    return _planned_releases(geometry, total, float(least), float(most), int(releases))


@lru_cache(maxsize=64)
def _planned_releases(geometry: Geometry, total: float, least: float, most: float, releases: int) -> CounterPlan:
    users = np.geomspace(least, most, 64)

    def chance(share: float) -> float:
        return max(round(2**40 / (1 + math.exp(total * share))), 1) / 2**40

    def error(share: float) -> float:
        p_init = chance(share)
        noise = _noise(total, p_init, releases)
        distribution = LevelDistribution(geometry, p_init, 1 - p_init, noise, noise)
        return math.sqrt(float(distribution.relative_variance(users).max()))

    low, high, best = 0.05, 0.999, 0.9
    for _ in range(4):
        best = min((best, *np.linspace(low, high, 13).tolist()), key=error)
        reach = (high - low) / 12
        low, high = max(0.05, best - reach), min(0.999, best + reach)
    # Fractions are slow: only the loss of the final pair is computed in them.
    calibration = calibrate_releases(total, chance(best), releases)
    return CounterPlan(geometry, calibration, distribution_of(geometry, calibration).worst_error(least, most))


@promises
def costs_of_releases(
    *,
    size: int,
    promise_epsilon: float,
    bits: int,
    least: float,
    most: float,
    numbers: tuple[int, ...] = (1, 2, 4, 8),
) -> list[ReleasesCost]:
    """The price of several numbers of releases, before anything is counted.

    Parameters
    ----------
    size
        Number of indices of the universe.
    promise_epsilon
        The promised loss of all releases and the state, in nats, from 0.002 to 40.
    bits
        Number of cells.
    least, most
        The range of the number of users.
    numbers
        The numbers of releases.
    """

    def error(releases: int) -> float:
        return plan_releases(size, promise_epsilon, bits, least, most, releases).worst_error

    return [ReleasesCost(number, error(number), error(number) / error(1)) for number in numbers]
