"""Sketch-Flip-Merge, an own implementation from the paper (Hehir, Ting and Cormode, ICML 2023), to compare with.

The sketch is a table of bits with ``buckets`` rows and ``places`` columns. An id sets one bit: its row is uniform, and
its column j has probability ``2**-j``; the last column takes the rest. At the end, every bit passes randomised
response: it is kept with probability ``e^epsilon / (1 + e^epsilon)``. Until then the state is plain. The estimate
maximises the product of the likelihoods of the single bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from pan_estimators import HashedUniverse

_WORD = 62


@dataclass(frozen=True)
class SketchFlipMerge:
    """The configuration.

    Parameters
    ----------
    buckets
        The number of rows.
    places
        The number of columns.
    epsilon
        The loss of the flipped sketch, in nats.
    universe
        The hash.
    """

    buckets: int
    places: int
    epsilon: float
    universe: HashedUniverse

    @property
    def keep(self) -> float:
        """The probability that a bit is kept."""
        return 1 / (1 + math.exp(-self.epsilon))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The probability that an id sets a given bit of each column, shape ``(places,)``."""
        columns = np.minimum(np.arange(1, self.places + 1), self.places - 1)
        return np.asarray(2.0**-columns / self.buckets)

    def create(self) -> NDArray[np.bool_]:
        return np.zeros((self.places, self.buckets), dtype=np.bool_)

    def update(self, bits: NDArray[np.bool_], ids: Any) -> None:
        """Set the bits of ids, of which the hash gives row and column."""
        words = self.universe.encode(ids).astype(np.uint64)
        rows = words % np.uint64(self.buckets)
        rest = words // np.uint64(self.buckets)
        width = _WORD - math.ceil(math.log2(self.buckets)) - 1
        # The number of binary digits of a uniform number below 2**width falls short by 0, 1, 2, ... geometrically.
        digits = np.frexp((rest & np.uint64((1 << width) - 1)).astype(np.float64))[1]
        columns = np.minimum(width - digits, self.places - 1)
        bits[columns, rows.astype(np.int64)] = True

    def flip(self, bits: NDArray[np.bool_], generator: np.random.Generator) -> NDArray[np.bool_]:
        """The released sketch."""
        return np.asarray(bits ^ (generator.random(bits.shape) >= self.keep))

    def estimate(self, ones: NDArray[np.int64]) -> float:
        """The number of ids, from the number of ones of each column of the released sketch."""
        zeros = self.buckets - ones
        logarithms = np.log1p(-self.shares)

        def minus_likelihood(log_users: float) -> float:
            untouched = np.exp(math.exp(log_users) * logarithms)
            chance = self.keep - (2 * self.keep - 1) * untouched
            return -float(ones @ np.log(chance) + zeros @ np.log1p(-chance))

        grid = np.linspace(0, math.log(1e11), 200)
        best = int(np.argmin([minus_likelihood(at) for at in grid]))
        around = grid[max(0, best - 1)], grid[min(grid.size - 1, best + 1)]
        return math.exp(minimize_scalar(minus_likelihood, bounds=around, method="bounded").x)
