"""The levels, cells and noise of a distinct counter with a small error over a range of numbers of users.

The rates of the levels are in geometric progression, and all levels but the first and the last have the same number
of cells. For each number of levels, the search is over the two ends of the progression, the two end levels, and the
budgets of a seen one and a seen zero, for a small greatest relative variance. It can end beside the minimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.calibration import Calibration, calibrate_basic, calibrate_pair, checked_epsilon
from pan_estimators.density.cell_loss import noise_limits
from pan_estimators.density.distinct_geometry import MOST_LEVELS, Geometry, Level
from pan_estimators.density.distinct_likelihood import LevelLaw
from pan_promises.errors import InputError, require_count, shown
from pan_promises.extras import require_extra

Numbers = NDArray[np.float64]

LEAST_BITS, MOST_BITS = 2**10, 2**30
_MOST_USERS = 2**61
_POINTS = 8
"""Numbers of users in each decade at which the error is computed."""
_OUTSIDE = 1e6
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
    """The counter of a given size with a small greatest error on a range, by a numerical search.

    Parameters
    ----------
    size
        The number of indices of the universe.
    epsilon
        Half of the promised loss, in nats, from 0.001 to 20.
    bits
        The number of cells, from 1,024 to 2^30.
    least, most
        The range of the number of distinct users, from 1 to 2^61.

    Raises
    ------
    InputError
        If a number is out of range, the range is empty, or the universe has fewer indices than cells.
    ImportError
        Without scipy.
    """
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
    decades = math.log10(most / least)
    numbers = range(min(MOST_LEVELS, 1 + round(1.2 * decades)), min(MOST_LEVELS, 2 + round(2.0 * decades)) + 1)
    searched = (_searched(_Search(size, epsilon, bits, least, most, levels)) for levels in numbers)
    found = [plan for plan in searched if plan is not None]
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
    """The search with a fixed number of levels."""

    size: int
    epsilon: float
    bits: int
    least: float
    most: float
    levels: int

    @property
    def start(self) -> list[float]:
        """Budgets of a one and of a zero, logarithms of the first and the last rate, and sizes of the end levels."""
        middle = math.log(self.most / self.least) / 2
        point = [0.95, 0.92, *((0.3, 0.3) if self.levels > 1 else (middle, middle)), 1.3, 1.1]
        while self._share(point) > 0.95:
            # Smaller rates at the upper end, and at both ends if there are many cells for few users.
            point[3] += 0.1
            point[2] -= 0.1 * (self.levels == 1 or float(self.rates(point)[0]) * self.bits > 0.5)
        return point

    def _share(self, point: Any) -> float:
        return float(self.rates(point) @ self.widths(point))

    def rates(self, point: Any) -> Numbers:
        """The rates of the levels, the least one first."""
        low, high = -math.log(self.most) + point[2], -math.log(self.least) - point[3]
        return np.asarray(np.exp(np.linspace(low, high, self.levels)))

    def widths(self, point: Any) -> Numbers:
        """The numbers of cells of the levels, not yet whole."""
        weights = np.ones(self.levels)
        weights[-1], weights[0] = point[5], point[4]
        return np.asarray(weights * (self.bits / weights.sum()))

    def objective(self, point: Numbers) -> float:
        """The logarithm of the greatest relative variance on the range; a large number outside the domain."""
        one, zero = point[0], point[1]
        if not (0.05 < one < 0.9999 and 0.05 < zero < 0.9999 and 0.1 < point[4] < 10 and 0.1 < point[5] < 10):
            return _OUTSIDE
        total = 2 * self.epsilon
        p_init = math.expm1(total * zero) / math.expm1(total * (one + zero))
        p_upd = math.exp(total * one) * p_init
        up, down = noise_limits(p_init, p_upd, math.exp(total))
        if not (0 < up < 1 and 0 < down < 1):
            return _OUTSIDE
        rates, widths, share = self.rates(point), self.widths(point), self._share(point)
        if share > 1 or rates.max() > 0.5:
            return _OUTSIDE * max(share, 2 * float(rates.max()))
        law = LevelLaw(_Rough(widths, rates), p_init, p_upd, up, down)  # type: ignore[arg-type]
        return float(np.log(law.relative_variance(self._users()).max()))

    def _users(self) -> Numbers:
        return np.geomspace(self.least, self.most, 2 + round(_POINTS * math.log10(self.most / self.least)))

    def plan(self, point: Numbers) -> CounterPlan | None:
        """The plan with whole numbers; ``None`` if the universe has too few indices for them."""
        spans = np.maximum(1, np.floor(self.rates(point) * self.size)).astype(np.int64)
        cells = np.floor(self.widths(point)).astype(np.int64)
        cells[0] += self.bits - cells.sum()
        # Rounding can cover a few more indices than there are.
        cells[-1] -= max(0, math.ceil((int(cells @ spans) - self.size) / int(spans[-1])))
        if cells.min() < 1:
            return None
        levels = [Level(int(width), int(span)) for width, span in zip(cells, spans, strict=True)]
        geometry = Geometry(self.size, tuple(reversed(levels)))
        calibration = calibrate_pair(self.epsilon, float(point[0]), float(point[1]))
        (pair,) = calibration.pairs
        law = LevelLaw(geometry, pair.p_init, pair.p_upd, calibration.up, calibration.down)
        error = math.sqrt(float(law.relative_variance(self._users()).max()))
        return CounterPlan(geometry, calibration, error)


@dataclass(frozen=True)
class _Rough:
    """Levels with any real numbers of cells and rates."""

    widths: Numbers
    rates: Numbers


def _searched(search: _Search) -> CounterPlan | None:
    from scipy.optimize import minimize

    objective: Callable[[Any], float] = search.objective
    point, value = np.array(search.start), math.inf
    for _ in range(4):
        found = minimize(objective, point, method="Nelder-Mead", options={"maxiter": 400, "xatol": 1e-3, "fatol": 1e-5})
        if found.fun > value - 1e-3:
            break
        point, value = found.x, found.fun
    return search.plan(point)
