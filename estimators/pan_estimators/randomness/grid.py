"""The grid of noise: outputs are multiples of a power of two.

A floating-point sum of a value and a noise has low bits that depend on the value: with a value of 0,
noise near 0 has finer bits than with a value of 1 (Mironov 2012). Here the value is rounded to a
power-of-two grid that depends on the scale alone, and the noise is a multiple of its step, so that the sum
is exact. Rounding increases the distance of two values by at most one step.
"""

from __future__ import annotations

import math

GRID_BITS = 32
"""The step is between 2**-33 and 2**-32 of the scale. The rounding costs at most 2**-32 nats."""


def grid_exponent(scale: float) -> int:
    """The exponent k of the step 2**k for noise of this scale."""
    if not scale > 0:
        raise ValueError(f"the scale of noise must be positive, got {scale!r}")
    return math.floor(math.log2(scale)) - GRID_BITS
