"""Parameters of distinct counters that were searched beforehand: a small installation needs no search.

The file holds the levels and the probabilities of each preset. Nothing of it is trusted: a counter computes the loss of
the probabilities in fractions, and its geometry checks the levels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from pan_estimators.density.cell_loss import MOST_RELEASES
from pan_estimators.density.distinct_counter import DistinctCounter, distinct_counter
from pan_estimators.density.distinct_planning import LEAST_BITS, CounterPlan, plan_counter
from pan_estimators.density.distinct_releases import plan_releases_of
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError, require_count

UNIVERSE = 2**62
"""Number of indices to which the ids are hashed."""
PRESET_KIB = (1, 4, 8, 16, 64)
PRESET_EPSILONS = (0.1, 0.25, 0.5, 1.0)
"""Halves of the promised losses."""
PRESET_RANGES = ((1e2, 1e5), (1e3, 1e9), (1e4, 1e9), (1e5, 1e8), (1e6, 1e7))
"""Numbers of users: the least and the most."""

_CELLS_A_USER, _MOST_CELLS_A_USER = 4, 1024
"""Fewer or more cells for each of the least number of users are not searched: the error then grows."""

_CLOSE = 1.05

_Key = tuple[float, int, float, float]


@cache
def presets() -> Mapping[_Key, Mapping[str, Any]]:
    """The levels and probabilities by half of the loss, cells, and both ends of the range."""
    text = (files("pan_estimators.density") / "data" / "distinct-presets.json").read_text()
    try:
        rows = json.loads(text)["presets"]
        return {(row["epsilon"], row["bits"], row["least"], row["most"]): row for row in rows}
    except (ValueError, KeyError, TypeError) as problem:
        raise InputError(f"the file of presets is damaged: {problem}") from None


def worst_error(estimator: DistinctCounter, least: float, most: float) -> float:
    """The greatest relative standard error of a release on a range of numbers of users."""
    return estimator.law.worst_error(least, most)


def plan_within(epsilon: float, bits: int, least: float, most: float, size: int = UNIVERSE) -> CounterPlan:
    """The plan with a small greatest error on a range that has at most a number of cells.

    A counter for few users is better with fewer cells: each cell adds its random bit to a count.
    """
    # The search refuses a least that is no number.
    while isinstance(least, (int, float)) and bits > max(_MOST_CELLS_A_USER * least, 2 * LEAST_BITS):
        bits //= 2
    plans = [plan_counter(size, epsilon, bits, least, most)]
    while (bits := bits // 2) >= max(LEAST_BITS, _CELLS_A_USER * least):
        plans.append(plan_counter(size, epsilon, bits, least, most))
    close = min(plan.worst_error for plan in plans) * _CLOSE
    # Of plans that are about as good for the worst number of users, the one with most cells is better for many users.
    return next(plan for plan in plans if plan.worst_error <= close)


def planned_counter(
    *,
    epsilon: float,
    bits: int,
    least: float,
    most: float,
    universe: HashedUniverse | None = None,
    releases: int = 1,
) -> DistinctCounter:
    """The preset counter with these parameters, or one from a search."""
    universe = HashedUniverse(UNIVERSE) if universe is None else universe
    require_count("the number of releases", releases, most=MOST_RELEASES)
    if releases > 1:
        one = planned_counter(epsilon=epsilon, bits=bits, least=least, most=most, universe=universe)
        several = plan_releases_of(one.geometry, epsilon, least, most, releases)
        return replace(one, calibration=several.calibration, outputs=releases)
    found = None
    if universe.size == UNIVERSE and all(isinstance(one, (int, float)) for one in (epsilon, bits, least, most)):
        found = presets().get((float(epsilon), int(bits), float(least), float(most)))
    if found is None:
        plan = plan_within(epsilon, bits, least, most, universe.size)
        return DistinctCounter(universe=universe, epsilon=epsilon, geometry=plan.geometry, calibration=plan.calibration)
    levels, p_init, p_upd = found["levels"], found["p_init"], found["p_upd"]
    return distinct_counter(universe=universe, epsilon=epsilon, levels=levels, p_init=p_init, p_upd=p_upd)
