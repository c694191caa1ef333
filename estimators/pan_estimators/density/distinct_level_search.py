"""The search for levels of a distinct counter whose greatest error on a range of numbers of users is small.

The rates of the levels are in geometric progression, and all levels but the first and the last have the same number
of cells. A point of the search is the two ends of the progression and the sizes of the two end levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.distinct_geometry import MOST_LEVELS, Geometry, Level

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
