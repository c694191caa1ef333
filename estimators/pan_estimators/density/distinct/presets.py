"""Parameters of distinct counters that were searched beforehand, and the memory for an error.

A small installation needs no search. The file holds the levels and the probabilities of each preset. Nothing of it is
trusted: a counter computes the loss of the probabilities in fractions, and its geometry checks the levels.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from pan_estimators.density.cell_loss import MOST_RELEASES
from pan_estimators.density.distinct.counter import DistinctCounter, distinct_counter
from pan_estimators.density.distinct.planning import LEAST_BITS, MOST_BITS, CounterPlan, plan_counter, plan_releases_of
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError, require_count, require_probability

UNIVERSE = 2**62
"""Number of indices to which the ids are hashed."""
PRESET_KIB = (1, 4, 8, 16, 64)
PRESET_TOTALS = (0.2, 0.5, 1.0, 2.0)
"""The promised losses."""
PRESET_RANGES = ((1e2, 1e5), (1e3, 1e9), (1e4, 1e9), (1e5, 1e8), (1e6, 1e7))
"""Numbers of users: the least and the most."""

_CELLS_A_USER, _MOST_CELLS_A_USER = 4, 1024
"""Fewer or more cells for each of the least number of users are not searched: the error then grows."""

_CLOSE = 1.05

_Key = tuple[float, int, float, float]


@cache
def presets() -> Mapping[_Key, Mapping[str, Any]]:
    """The levels and probabilities by promised loss, cells, and both ends of the range."""
    text = (files("pan_estimators.density") / "data" / "distinct-presets.json").read_text()
    try:
        rows = json.loads(text)["presets"]
        return {(row["promise_epsilon"], row["bits"], row["least"], row["most"]): row for row in rows}
    except (ValueError, KeyError, TypeError) as problem:
        raise InputError(f"the file of presets is damaged: {problem}") from None


def plan_within(total: float, bits: int, least: float, most: float, size: int = UNIVERSE) -> CounterPlan:
    """The plan with a small greatest error on a range that has at most a number of cells.

    A counter for few users is better with fewer cells: each cell adds its random bit to a count.
    """
    # The search refuses a least that is no number.
    while isinstance(least, (int, float)) and bits > max(_MOST_CELLS_A_USER * least, 2 * LEAST_BITS):
        bits //= 2
    plans = [plan_counter(size, total, bits, least, most)]
    while (bits := bits // 2) >= max(LEAST_BITS, _CELLS_A_USER * least):
        plans.append(plan_counter(size, total, bits, least, most))
    close = min(plan.worst_error for plan in plans) * _CLOSE
    # Of plans that are about as good for the worst number of users, the one with most cells is better for many users.
    return next(plan for plan in plans if plan.worst_error <= close)


def planned_counter(
    *,
    total: float,
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
        one = planned_counter(total=total, bits=bits, least=least, most=most, universe=universe)
        several = plan_releases_of(one.geometry, total, least, most, releases)
        return replace(one, calibration=several.calibration, outputs=releases)
    found = None
    if universe.size == UNIVERSE and all(isinstance(one, (int, float)) for one in (total, bits, least, most)):
        found = presets().get((float(total), int(bits), float(least), float(most)))
    if found is None:
        plan = plan_within(total, bits, least, most, universe.size)
        return DistinctCounter(
            universe=universe, promise_epsilon=total, geometry=plan.geometry, calibration=plan.calibration
        )
    levels, p_init, p_upd = found["levels"], found["p_init"], found["p_upd"]
    return distinct_counter(universe=universe, promise_epsilon=total, levels=levels, p_init=p_init, p_upd=p_upd)


_START = 2**14
_CLOSE_MEMORY = 1.06
"""The search ends when the memory is within this factor of one that is too small."""
_SEARCHES = 24
_USELESS = 0.97
"""Twice the cells must make the error smaller than this part of it, or more memory is no help."""


@dataclass(frozen=True)
class MemoryPlan:
    """The memory of a counter with a given error.

    Attributes
    ----------
    memory
        The size of the bits in bytes.
    worst_error
        The greatest relative standard error on the range.
    levels
        The number of levels.
    """

    memory: int
    worst_error: float
    levels: int


def memory_for_error(
    total: float, error: float, least: float, most: float, tell: Callable[[str], None] | None = None
) -> MemoryPlan:
    """The memory, up to 6%, with which the planned error stays below a limit on a range."""
    require_probability("the error", error)
    found: dict[int, CounterPlan] = {}

    def error_of(bits: int) -> float:
        if tell is not None:
            tell(f"{bits // 8:,} bytes")
        if bits not in found:
            found[bits] = plan_counter(UNIVERSE, total, bits, least, most)
        return found[bits].worst_error

    small, large = LEAST_BITS // 2, 0
    bits = _START
    for _ in range(_SEARCHES):
        reached = error_of(bits)
        if reached <= error:
            large = bits
        else:
            small = bits
        if large and (large <= small * _CLOSE_MEMORY or large <= LEAST_BITS):
            break
        # The variance is about inversely proportional to the number of cells, where there are enough users for them.
        wanted = bits * (reached / error) ** 2 * 1.01
        if not large:
            if bits == MOST_BITS or _no_help(error_of, bits, reached):
                _refuse(found, error, least, most)
            bits = min(MOST_BITS, _bytes(max(1.1 * bits, min(wanted, 16 * bits))))
            continue
        if wanted <= LEAST_BITS and LEAST_BITS not in found:
            bits = LEAST_BITS
            continue
        low, high = math.log(max(small, LEAST_BITS)), math.log(large)
        step = 0.02 * (high - low)
        bits = max(LEAST_BITS, _bytes(math.exp(min(max(math.log(wanted), low + step), high - step))))
        if bits >= large:
            break
    return MemoryPlan(large // 8, found[large].worst_error, len(found[large].geometry.levels))


def _no_help(error_of: Callable[[int], float], bits: int, reached: float) -> bool:
    """Whether twice and eight times the cells leave the error as it is."""
    return all(error_of(min(MOST_BITS, bits * factor)) > _USELESS * reached for factor in (2, 8))


def _bytes(bits: float) -> int:
    """A number of bits that fills whole bytes."""
    return 8 * math.ceil(bits / 8)


def _refuse(found: dict[int, CounterPlan], error: float, least: float, most: float) -> None:
    bits, best = min(found.items(), key=lambda one: one[1].worst_error)
    raise InputError(
        f"no memory gives an error of {error:.3g} from {least:,.0f} to {most:,.0f} users; the least one found is "
        f"{best.worst_error:.3g} at {bits // 8:,} bytes: give a larger epsilon, or a range that begins later"
    )
