"""The tail of the chi-squared law, in closed form."""

from __future__ import annotations

import math


def chi_squared_tail(value: float, degrees: int) -> float:
    """The probability that a chi-squared variable exceeds a value."""
    half = value / 2
    if degrees % 2:
        tail, term, order = math.erfc(math.sqrt(half)), math.sqrt(half) * 2 / math.sqrt(math.pi), 1.5
    else:
        tail, term, order = 0.0, 1.0, 1.0
    # Q(a+1, x) = Q(a, x) + x^a e^-x / Gamma(a+1), from Q(1/2, x) = erfc(sqrt x) or Q(0, x) = 0.
    total = 0.0
    for _ in range(degrees // 2):
        total += term
        term *= half / order
        order += 1
    return min(1.0, tail + total * math.exp(-half))
