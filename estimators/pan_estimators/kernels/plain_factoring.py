"""The loop of :mod:`pan_estimators.kernels.factoring` in Python, with the same results."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

PART_BITS = 46
"""The fractional part of a sum counts steps of ``2**-46``."""
OUTPUT_BITS = 30
"""The weighted total counts steps of ``2**-30`` before it is rounded."""
GRID_BITS = 21
"""The total is rounded to a multiple of ``2**-21``."""


def weigh_decaying_sums(
    changes: Whole,
    factors: Whole,
    shifts: Whole,
    weights: Whole,
    weight_shifts: Whole,
    wholes: Whole,
    parts: Whole,
    outputs: Whole,
) -> None:
    """Take from each sum its share ``factor / 2**shift``, add the change, and write the weighted total.

    A sum is its whole part plus its fractional part. Shares and products are rounded down.
    """
    places = range(len(factors))
    multipliers, distances = factors.tolist(), shifts.tolist()
    numerators, exponents = weights.tolist(), weight_shifts.tolist()
    sums = [(whole << PART_BITS) + part for whole, part in zip(wholes.tolist(), parts.tolist(), strict=True)]
    mask = (1 << PART_BITS) - 1
    half = 1 << (OUTPUT_BITS - GRID_BITS - 1)
    found = []
    for change in changes.tolist():
        total = 0
        for place in places:
            value, shift = sums[place], distances[place]
            product, rest = (value >> PART_BITS) * multipliers[place], (value & mask) * multipliers[place]
            value += (change << PART_BITS) - ((product << PART_BITS) >> shift) - (rest >> shift)
            sums[place] = value
            exponent, weight = exponents[place], numerators[place]
            total += ((value >> PART_BITS) * weight << OUTPUT_BITS) >> exponent
            total += ((value & mask) >> 20) * weight >> (exponent + 26 - OUTPUT_BITS)
        found.append((total + half) >> (OUTPUT_BITS - GRID_BITS))
    wholes[:] = [value >> PART_BITS for value in sums]
    parts[:] = [value & mask for value in sums]
    outputs[:] = found
