"""Betting against a statement about a mean, without a normal approximation.

Three nulls are refuted, each by a wealth whose factors are nonnegative and have expectation at most
1 under the null, whatever bet was chosen from the past (Waudby-Smith and Ramdas 2024):

*   ``E[Z] <= 1`` for ``Z >= 0``, with no other assumption: factors ``1 + l (Z - 1)``, ``0 <= l < 1``.
*   ``E[Z] >= 1`` where ``E[(Z - c)+] <= t`` is known: ``min(Z, c)`` has mean at least ``1 - t``, and
    the factors ``1 + l (1 - t - min(Z, c))`` with ``l < 1/(c - 1 + t)`` are positive.
*   ``E[Y] <= 0`` where ``E[Y^2] <= 1``: ``1 + x + x^2/2`` is positive for every x, so that
    ``(1 + l Y + l^2 Y^2/2)/(1 + l^2/2)`` is a nonnegative factor with expectation at most 1. This is
    the influence function of Catoni (2012) in the sequential form of Wang and Ramdas (2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BLOCK = 64


@dataclass(frozen=True)
class MeanBet:
    """How a bet against a statement about a mean went.

    Attributes
    ----------
    log_wealth
        The largest log-wealth that was reached.
    runs
        Number of runs when it was reached.
    """

    log_wealth: float
    runs: int

    def refutes(self, error: float) -> bool:
        """Whether the statement is refuted at level ``error``, by Ville's inequality."""
        return self.log_wealth >= -log(error)


def second_moment_above(ratios: Floats) -> MeanBet:
    """Bet that the mean of nonnegative ``ratios`` is above 1."""
    return _play(ratios - 1, largest=0.9, quadratic=False)


def second_moment_below(ratios: Floats, *, cap: float, tail: float) -> MeanBet:
    """Bet that the mean of nonnegative ``ratios`` is below 1.

    Parameters
    ----------
    ratios
        The values Z.
    cap
        Values above it are cut to it; above 1.
    tail
        A bound on ``E[(Z - cap)+]`` that holds if the statement does.
    """
    return _play(1 - tail - np.minimum(ratios, cap), largest=0.9 / (cap - 1 + tail), quadratic=False)


def mean_above_zero(values: Floats) -> MeanBet:
    """Bet that the mean of ``values`` is above 0, given that their second moment is at most 1."""
    return _play(values, largest=inf, quadratic=True)


def _play(gains: Floats, *, largest: float, quadratic: bool) -> MeanBet:
    """Play block by block, with the fraction that would have been best on the past."""
    wealth, best, best_at = 0.0, 0.0, 0
    for start in range(_BLOCK, gains.size, _BLOCK):
        past, block = gains[:start], gains[start : start + _BLOCK]
        # Mean over second moment is the Kelly fraction to second order, shrunk by its standard error.
        mean, square = float(past.mean()), float((past**2).mean()) + 1e-300
        shrunk = mean - 0.5 * (square / start) ** 0.5
        fraction = min(max(shrunk / (1.0 if quadratic else square), 0.0), largest)
        if fraction == 0.0:
            continue
        if quadratic:
            x = fraction * block
            factors = (1 + x + x**2 / 2) / (1 + fraction**2 / 2)
        else:
            factors = 1 + fraction * block
        path = wealth + np.cumsum(np.log(factors))
        wealth = float(path[-1])
        place = int(np.argmax(path))
        if path[place] > best:
            best, best_at = float(path[place]), start + place + 1
    return MeanBet(best, best_at)
