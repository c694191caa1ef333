"""The levels, cells and noise of a distinct counter with a small error over a range of numbers of users.

For each number of levels, the search is over the levels and over the budgets of a seen one and a seen zero, for a small
greatest relative variance. It can end beside the minimum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.calibration import Calibration, calibrate_basic, calibrate_pair, checked_epsilon
from pan_estimators.density.cell_loss import noise_limits
from pan_estimators.density.distinct_geometry import Geometry, Level
from pan_estimators.density.distinct_level_search import OUTSIDE, LevelSearch, least_point, numbers_of_levels
from pan_estimators.density.distinct_likelihood import LevelLaw, law_of
from pan_promises.errors import InputError, require_count, shown
from pan_promises.extras import require_extra

Numbers = NDArray[np.float64]

LEAST_BITS, MOST_BITS = 2**10, 2**30
_MOST_USERS = 2**61
_REACH = 3.0
"""The error is small as well at a number of users that is this many standard errors above the range."""
_LARGEST_EPSILON = 10.0
"""A larger budget is not used up: the probabilities would be too close to 0 and 1, and the error is hardly smaller."""


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


def plan_counter(size: int, epsilon: float, bits: int, least: float, most: float) -> CounterPlan:
    """The counter of a given size with a small greatest error on a range, by a numerical search."""
    require_count("the number of cells", bits, least=LEAST_BITS, most=MOST_BITS)
    epsilon = min(checked_epsilon(epsilon), _LARGEST_EPSILON)
    for end in (least, most):
        if isinstance(end, bool) or not isinstance(end, (int, float)):
            raise InputError(f"the range of users is given by two numbers, got {shown(end)}")
    if not 1 <= least < most <= _MOST_USERS:
        raise InputError(f"the range of users goes from a smaller to a larger number, got {least:g} to {most:g}")
    if size <= bits:
        return _cell_for_each(int(size), epsilon, float(min(most, size)))
    return _planned(int(size), epsilon, int(bits), float(least), float(most))


@lru_cache(maxsize=64)
def _planned(size: int, epsilon: float, bits: int, least: float, most: float) -> CounterPlan:
    require_extra("the plan of a counter", "suite")
    searches = (LevelSearch(size, bits, least, most, levels) for levels in numbers_of_levels(least, most))
    found = [plan for one in searches if (plan := _Search(epsilon, one).plan()) is not None]
    if not found:
        raise InputError(
            f"a universe of {size:,} indices is too small to divide it among {bits:,} cells in levels: give {size:,} "
            "cells, or fewer than now"
        )
    return min(found, key=lambda plan: plan.worst_error)


def _cell_for_each(size: int, epsilon: float, most: float) -> CounterPlan:
    """A cell for each index of a small universe: nobody shares a cell, and nobody is left out."""
    geometry, calibration = Geometry(size, (Level(size, 1),)), calibrate_basic(epsilon, size)
    return CounterPlan(geometry, calibration, math.sqrt(calibration.squared_error(size)) * size / most)


@dataclass(frozen=True)
class _Search:
    """The search with a fixed number of levels: for the budgets of a one and of a zero, and for the levels."""

    epsilon: float
    levels: LevelSearch

    @property
    def start(self) -> list[float]:
        return [0.95, 0.92, *self.levels.start]

    def objective(self, point: Numbers) -> float:
        """The logarithm of the greatest relative variance on the range; a large number outside the domain."""
        one, zero = point[0], point[1]
        if not (0.05 < one < 0.9999 and 0.05 < zero < 0.9999):
            return OUTSIDE
        total = 2 * self.epsilon
        p_init = math.expm1(total * zero) / math.expm1(total * (one + zero))
        p_upd = math.exp(total * one) * p_init
        up, down = noise_limits(p_init, p_upd, math.exp(total))
        if not (0 < up < 1 and 0 < down < 1):
            return OUTSIDE
        if excess := self.levels.excess(point[2:]):
            return excess
        law = LevelLaw(self.levels.rough(point[2:]), p_init, p_upd, up, down)  # type: ignore[arg-type]
        variances = law.relative_variance(self.levels.users)
        # If the last level is nearly full just above the range, estimates in the range can be many times too large.
        beyond = self.levels.most * math.exp(_REACH * min(math.sqrt(variances[-1]), 0.5))
        return math.log(max(*variances, *law.relative_variance(np.array([beyond]))))

    def plan(self) -> CounterPlan | None:
        """The plan with whole numbers; ``None`` if the universe has too few indices for them."""
        point = least_point(self.objective, self.start)
        if (geometry := self.levels.geometry(point[2:])) is None:
            return None
        calibration = calibrate_pair(self.epsilon, float(point[0]), float(point[1]))
        worst = law_of(geometry, calibration).worst_error(self.levels.least, self.levels.most)
        return CounterPlan(geometry, calibration, worst)
