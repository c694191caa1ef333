"""The grid of Laplace noise: why outputs are multiples of a power of two.

A floating-point sum of a value and a noise has low bits that depend on the value: with a value of 0,
noise near 0 has finer bits than with a value of 1 (Mironov 2012). Here the value is rounded to a
power-of-two grid that depends on the scale alone, and the noise is a multiple of it, so that the sum
is exact. Rounding widens the distance of two values by at most one step.
"""

from __future__ import annotations

import math

GRID_BITS = 32
"""The step is between 2**-33 and 2**-32 of the scale: a loss of at most 2**-32 nats for the rounding."""


def grid_exponent(scale: float) -> int:
    """The exponent k of the step 2**k for Laplace noise of this scale."""
    return math.floor(math.log2(scale)) - GRID_BITS
