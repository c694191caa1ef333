"""Sums of noise with weights that decay: one pass for all rates."""

from __future__ import annotations

from typing import Any

from numba import types

from pan_estimators.kernels.compiled import compiled


def _decay(draws: Any, factors: Any, weights: Any, sums: Any, outputs: Any) -> None:
    """Multiply each sum by its factor, add the draw to it, and write the weighted total, for one draw after another."""
    for place in range(draws.size):
        total = 0.0
        for rate in range(factors.size):
            value = factors[rate] * sums[rate] + draws[place]
            sums[rate] = value
            total = total + weights[rate] * value
        outputs[place] = total


_NUMBERS = types.Array(types.float64, 1, "C", readonly=True)

decay = compiled(types.void(_NUMBERS, _NUMBERS, _NUMBERS, types.float64[::1], types.float64[::1]), _decay)
