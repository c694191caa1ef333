"""Roots of continuous functions of one variable."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable


def root(function: Callable[[float], float], low: float, high: float, *, tolerance: float) -> float:
    """The place at which a continuous function changes its sign (Chandrupatla 1997)."""
    last, opposite = low, high
    at_last, at_opposite = function(low), function(high)
    if at_last * at_opposite > 0:
        raise ValueError(f"the function has the same sign at {low} and at {high}")
    part = 0.5
    while True:
        best, least = (last, at_last) if abs(at_last) < abs(at_opposite) else (opposite, at_opposite)
        width = abs(opposite - last)
        allowed = tolerance + 4 * sys.float_info.epsilon * abs(best)
        if least == 0 or width <= 2 * allowed:
            return best
        margin = allowed / width
        part = min(max(part, margin), 1 - margin)
        new = last + part * (opposite - last)
        at_new = function(new)
        if math.copysign(1, at_new) == math.copysign(1, at_last):
            before, at_before = last, at_last
        else:
            before, at_before = opposite, at_opposite
            opposite, at_opposite = last, at_last
        last, at_last = new, at_new
        part = _interpolated(last, opposite, before, at_last, at_opposite, at_before)


def _interpolated(a: float, b: float, c: float, at_a: float, at_b: float, at_c: float) -> float:
    """The part of the way from a to b at which the inverse quadratic through three points is 0, or 1/2.

    The inverse quadratic is used if it is monotone between the ends.
    """
    if at_a == at_c or at_b == at_c or b == c:
        return 0.5
    place, value = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
    if not (value * value < place and (1 - value) ** 2 < 1 - place):
        return 0.5
    first = at_a / (at_b - at_a) * (at_c / (at_b - at_c))
    return first + (c - a) / (b - a) * (at_a / (at_c - at_a)) * (at_b / (at_c - at_b))
