"""The memory of a distinct counter with a given error, by a search over the number of its cells."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pan_estimators.density.distinct_planning import LEAST_BITS, MOST_BITS, CounterPlan, plan_counter
from pan_estimators.density.distinct_presets import UNIVERSE
from pan_promises.errors import InputError, require_probability

_START = 2**14
_CLOSE = 1.06
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
    epsilon: float, error: float, least: float, most: float, tell: Callable[[str], None] | None = None
) -> MemoryPlan:
    """The memory, up to 6%, with which the planned error stays below a limit on a range."""
    require_probability("the error", error)
    found: dict[int, CounterPlan] = {}

    def error_of(bits: int) -> float:
        if tell is not None:
            tell(f"{bits // 8:,} bytes")
        if bits not in found:
            found[bits] = plan_counter(UNIVERSE, epsilon, bits, least, most)
        return found[bits].worst_error

    small, large = LEAST_BITS // 2, 0
    bits = _START
    for _ in range(_SEARCHES):
        reached = error_of(bits)
        if reached <= error:
            large = bits
        else:
            small = bits
        if large and (large <= small * _CLOSE or large <= LEAST_BITS):
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
