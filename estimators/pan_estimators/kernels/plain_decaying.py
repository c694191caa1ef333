"""The loop of :mod:`pan_estimators.kernels.decaying` in Python. Each number is rounded as there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def decay(draws: Numbers, factors: Numbers, weights: Numbers, sums: Numbers, outputs: Numbers) -> None:
    """Multiply each sum by its factor, add the draw to it, and write the weighted total, for one draw after another."""
    rates, shares, kept = factors.tolist(), weights.tolist(), sums.tolist()
    places = range(len(rates))
    found = []
    for draw in draws.tolist():
        total = 0.0
        for place in places:
            value = rates[place] * kept[place] + draw
            kept[place] = value
            total = total + shares[place] * value
        found.append(total)
    sums[:] = kept
    outputs[:] = found
