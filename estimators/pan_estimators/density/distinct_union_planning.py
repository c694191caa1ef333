"""The levels and probabilities of two distinct counters whose union has a small error on a range of numbers of users.

The pair of probabilities is symmetric. The search is over the levels and over the part of the promise that the states
lose alone, for the greatest relative error of the union of two counters of one size of which half the users are the
same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.distinct_geometry import Geometry
from pan_estimators.density.distinct_level_search import (
    OUTSIDE,
    LevelSearch,
    RoughLevels,
    least_point,
    numbers_of_levels,
)
from pan_estimators.density.distinct_planning import plan_counter
from pan_estimators.density.distinct_union_law import TableLaw
from pan_promises.extras import require_extra

_SHARES = np.linspace(0.5, 0.99, 50)
_MOST_WORSE = 1
"""The search ends when more than this many numbers of levels in turn are no better."""
_LESS = 0.7
"""The numbers of levels start below those of a counter alone: a table has the noise of four counts in each level."""


@dataclass(frozen=True)
class UnionPlan:
    """The parameters of two counters for a union.

    Attributes
    ----------
    geometry
        The levels.
    p_init
        The probability of a one of an untouched cell, a multiple of ``2**-40``; that of a touched cell is the rest.
    worst_error
        The greatest relative standard error of the union on the range, for two counters with 2/3 of its users each.
    """

    geometry: Geometry
    p_init: float
    worst_error: float


def plan_union(size: int, epsilon: float, bits: int, least: float, most: float, looks: int) -> UnionPlan:
    """The parameters of two counters with a small greatest error of their union on a range, by a numerical search."""
    alone = plan_counter(size, epsilon, bits, least, most).geometry
    return _planned(alone, float(epsilon), int(bits), float(least), float(min(most, size)), int(looks))


@lru_cache(maxsize=64)
def _planned(alone: Geometry, epsilon: float, bits: int, least: float, most: float, looks: int) -> UnionPlan:
    require_extra("the plan of a union", "suite")
    size, total = alone.size, 2 * epsilon
    users = LevelSearch(size, bits, least, most, 1).users
    best = _with_share(alone, users, total, looks)
    if size <= bits:
        return best
    numbers, worse = numbers_of_levels(least, most), 0
    for levels in range(max(1, math.floor(_LESS * numbers[0])), numbers[-1] + 1):
        search = LevelSearch(size, bits, least, most, levels)
        point = least_point(_objective(search, total, looks), [0.9, *search.start])
        if (geometry := search.geometry(point[1:])) is None:
            continue
        plan = _with_share(geometry, users, total, looks)
        best, worse = (plan, 0) if plan.worst_error < best.worst_error else (best, worse + 1)
        if worse > _MOST_WORSE and best.geometry != alone:
            break
    return best


def _with_share(geometry: Geometry, users: NDArray[np.float64], total: float, looks: int) -> UnionPlan:
    """The plan with given levels and the best share of the promise for the states."""
    errors = [_variance(geometry, users, total, share, looks) for share in _SHARES]
    place = int(np.argmin(errors))
    p_init = max(round(2**40 / (1 + math.exp(total * _SHARES[place] / looks))), 1) / 2**40
    return UnionPlan(geometry, p_init, math.sqrt(errors[place]))


def _objective(search: LevelSearch, total: float, looks: int) -> Any:
    def objective(point: NDArray[np.float64]) -> float:
        if not 0.05 < point[0] < 0.999:
            return OUTSIDE
        if excess := search.excess(point[1:]):
            return excess
        return math.log(_variance(search.rough(point[1:]), search.users, total, float(point[0]), looks))

    return objective


def _variance(
    levels: Geometry | RoughLevels, users: NDArray[np.float64], total: float, share: float, looks: int
) -> float:
    """The greatest relative variance of the union, for states that lose a share of the total alone."""
    odds = math.exp(total * share / looks)
    low, high = 1 / (1 + odds), odds / (1 + odds)
    # The two losses of distinct.union, solved for the square of the factor of the noise.
    kept, moved = (low, high) if looks == 1 else (low**2, 1 - low**2)
    square = (math.exp(total) / odds**looks - kept) / moved
    law = TableLaw(levels, low, high, 1 / math.sqrt(square))  # type: ignore[arg-type]
    each = users * 2 / 3
    return float(law.relative_variances(np.stack([each, each, users], axis=-1))[:, 2].max())
