"""Weighted totals of sums that decay, in whole numbers: one pass for all rates."""

from __future__ import annotations

from typing import Any

from numba import types

from pan_estimators.kernels.compiled import compiled
from pan_estimators.kernels.plain_factoring import GRID_BITS, OUTPUT_BITS, PART_BITS

_HALF = 1 << (OUTPUT_BITS - GRID_BITS - 1)


def _weigh(
    changes: Any,
    factors: Any,
    shifts: Any,
    weights: Any,
    weight_shifts: Any,
    wholes: Any,
    parts: Any,
    outputs: Any,
) -> None:
    """Take from each sum its share ``factor / 2**shift``, add the change, and write the weighted total.

    No product leaves 63 bits for sums below ``2**33``, factors up to ``2**15``, shifts up to 62, and weights up to
    ``2**27``.
    """
    for time in range(changes.size):
        total = 0
        for place in range(factors.size):
            shift = shifts[place]
            product, rest = wholes[place] * factors[place], parts[place] * factors[place]
            taken = product >> shift
            left = product - (taken << shift)
            fraction = left << (PART_BITS - shift) if shift <= PART_BITS else left >> (shift - PART_BITS)
            part = parts[place] - fraction - (rest >> shift)
            carry = part >> PART_BITS
            part -= carry << PART_BITS
            whole = wholes[place] + changes[time] - taken + carry
            wholes[place] = whole
            parts[place] = part
            exponent = weight_shifts[place]
            if exponent >= OUTPUT_BITS:
                total += (whole * weights[place]) >> (exponent - OUTPUT_BITS)
            else:
                total += (whole * weights[place]) << (OUTPUT_BITS - exponent)
            total += ((part >> 20) * weights[place]) >> (exponent + 26 - OUTPUT_BITS)
        outputs[time] = (total + _HALF) >> (OUTPUT_BITS - GRID_BITS)


_WHOLE = types.Array(types.int64, 1, "C", readonly=True)

weigh_decaying_sums = compiled(
    types.void(_WHOLE, _WHOLE, _WHOLE, _WHOLE, _WHOLE, types.int64[::1], types.int64[::1], types.int64[::1]), _weigh
)
