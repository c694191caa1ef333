"""The noise that a part of a budget pays, in exact arithmetic: no cost exceeds its part by rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

_LAPLACE, _GAUSSIAN = 1 / 2, 2 / 3


def cost_of_counts(deviation: float) -> Fraction:
    """The exact rho of one table of counts with Gaussian noise, for one replaced row.

    A replaced row changes a table by at most ``sqrt(2)`` in the L2 norm.
    """
    return 1 / Fraction(deviation) ** 2


def deviation_for(rho: Fraction) -> float:
    """The standard deviation of the noise of one table of counts that costs at most a rho."""
    found = math.sqrt(float(1 / rho))
    # The square root and the conversion round: one step upwards or two, until the exact cost is within the budget.
    while cost_of_counts(found) > rho:
        found = math.nextafter(found, math.inf)
    return found


def rounded_down(number: Fraction) -> float:
    """The largest double that is at most a number."""
    found = float(number)
    return found if Fraction(found) <= number else math.nextafter(found, 0.0)


def scale_for(epsilon: Fraction) -> float:
    """The scale of the Laplace noise of one table of counts that costs at most an epsilon.

    A replaced row changes a table by at most 2 in the L1 norm.
    """
    found = float(2 / epsilon)
    return found if 2 / Fraction(found) <= epsilon else math.nextafter(found, math.inf)


def epsilon_for(rho: Fraction) -> float:
    """The epsilon of a choice by the exponential mechanism that costs at most a rho: ``epsilon^2/8``."""
    found = math.sqrt(float(8 * rho))
    while Fraction(found) ** 2 / 8 > rho:
        found = math.nextafter(found, 0.0)
    return found


def parts_of_tables(cells: Sequence[int], *, gaussian: bool) -> list[Fraction]:
    """The parts of a budget for tables of counts. They make the expected L1 norm of all noise small; their sum is 1.

    The norm of a table with ``c`` cells is in proportion to ``c / sqrt(part)`` for Gaussian noise, and to ``c / part``
    for Laplace noise. So the best parts are in proportion to ``c^(2/3)`` and to ``c^(1/2)``.
    """
    weights = [Fraction(float(one) ** (_GAUSSIAN if gaussian else _LAPLACE)) for one in cells]
    whole = sum(weights, Fraction(0))
    return [weight / whole for weight in weights]


def noise_norm(scale: float, cells: int, *, gaussian: bool = True) -> float:
    """The expected L1 norm of the noise of a table."""
    return (math.sqrt(2 / math.pi) if gaussian else 1.0) * scale * cells
