"""A bet whose wealth is a function of four counts: for audits of any length, in constant memory.

A fixed event E is counted in pairs of runs, one on each of two adjacent streams. Let X and Y be 1 if
it happened on the left and on the right, else 0. A gambler who always bets the fraction l has, against
the promise ``p <= exp(epsilon) q + delta``, the wealth

    W(l) = product of 1 + l (X - exp(epsilon) Y - delta),

a nonnegative supermartingale if the promise holds and ``l <= 1/(exp(epsilon) + delta)``. It depends on
the numbers of pairs with each of the four outcomes alone. So does the mixture of W(l) over fractions l
with weights fixed beforehand, which is again a supermartingale, from at most 1: by Ville's inequality it
ever reaches ``1/alpha`` with probability at most ``alpha``, for any number of looks, and without a
choice of the fraction during the runs (Robbins 1970; Waudby-Smith and Ramdas 2024).

As epsilon grows, every factor falls, and fractions above ``1/(exp(epsilon) + delta)`` drop out. So the
mixture falls with epsilon, and what it ever refutes is an interval from 0. Its upper end, at any time, is
a lower bound on the loss: it is above the true loss at *some* time with probability at most ``alpha``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

_SMALLEST, _RATIO = 1e-5, 1.25
_LARGEST_LOSS = 64.0

GRID: tuple[float, ...] = tuple(
    float(fraction) for fraction in _RATIO ** -np.arange(0, 1 + round(log(1 / _SMALLEST) / log(_RATIO)))
)
"""A grid of fractions. It is fine enough that one of them grows within 1.3% as fast as the best."""


@dataclass(frozen=True)
class MixtureBet:
    """Bets on one event: half of the wealth with one fraction, half spread over all of :data:`GRID`."""

    learned: float = 0.0

    def log_wealth(self, counts: Sequence[int], *, epsilon: float, delta: float = 0.0) -> float:
        """The logarithm of the wealth, in nats."""
        fractions, weights = self._prior()
        odds = exp(epsilon)
        kept = fractions * (odds + delta) <= 1
        if not kept.any():
            return -inf
        fractions, weights = fractions[kept], weights[kept]
        total = np.log(weights)
        for count, gain in zip(counts, (1 - delta, 1 - odds - delta, -odds - delta, -delta), strict=True):
            if count:
                with np.errstate(divide="ignore"):
                    total = total + count * np.log1p(np.maximum(fractions * gain, -1.0))
        top = float(total.max())
        return top + float(np.log(np.exp(total - top).sum())) if top > -inf else -inf

    def loss_bound(self, counts: Sequence[int], *, error: float, delta: float = 0.0) -> float:
        """A lower bound on the loss, at least 0, that is wrong at any time with probability at most ``error``."""
        needed = -log(error)
        if self.log_wealth(counts, epsilon=0.0, delta=delta) < needed:
            return 0.0
        low, high = 0.0, _LARGEST_LOSS
        while high - low > 1e-9 * max(1.0, low):
            middle = (low + high) / 2
            reached = self.log_wealth(counts, epsilon=middle, delta=delta) >= needed
            low, high = (middle, high) if reached else (low, middle)
        return low

    def _prior(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        grid, share = np.array(GRID), 0.5 if self.learned > 0 else 1.0
        weights = np.full(grid.size, share / grid.size)
        if self.learned <= 0:
            return grid, weights
        return np.append(grid, self.learned), np.append(weights, 0.5)


COST = log(2 * len(GRID))
"""Greatest difference in nats between the best fraction of the grid and the mixture."""
