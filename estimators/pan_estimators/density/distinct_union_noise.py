"""Noise for the four counts of a table: two-sided geometric, given that the four numbers have the sum zero.

The four counts of a level have a known sum, the number of its cells. Noise with another sum would be wasted. The law is
``P(x) ∝ ratio^(|x_1| + |x_2| + |x_3| + |x_4|)`` on the vectors of whole numbers with the sum zero. Its likelihood
ratios are those of four independent numbers, and its variance is about 0.7 of theirs in every direction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness

_COUNTS = 4


def zero_sum_noise(randomness: Randomness, ratio: float, size: int) -> NDArray[np.int64]:
    """Independent vectors of four numbers with the sum zero, shape ``(size, 4)``.

    Three two-sided geometric numbers give the fourth, ``x``. They are kept with a probability that is proportional to
    ``ratio^|x|``: if one more such number is at least ``|x|``.
    """
    found = np.empty((0, _COUNTS), dtype=np.int64)
    while len(found) < size:
        tries = 8 * (size - len(found)) + 8
        drawn = randomness.two_sided_geometric(ratio, ratio, _COUNTS * tries).reshape(tries, _COUNTS)
        free, limit = drawn[:, 1:], drawn[:, 0]
        last = -free.sum(axis=1)
        kept = limit >= np.abs(last)
        found = np.concatenate([found, np.column_stack([last, free])[kept]])
    return found[:size]


def zero_sum_variance(ratio: float) -> float:
    """The variance of one of the four numbers; the covariance of two of them is minus a third of it."""
    square = ratio**2
    rest = (1 - ratio) * (1 + ratio)
    return 6 * square * (square**2 + 5 * square + 1) / (rest**2 * (square**2 + 8 * square + 1))
