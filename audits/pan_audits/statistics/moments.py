"""Betting against a statement about a mean, without a normal approximation.

Three nulls are refuted, each by a wealth whose factors are nonnegative and have expectation at most
1 under the null, for every bet chosen from the past (Waudby-Smith and Ramdas 2024):

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
    """The result of a bet against a statement about a mean.

    Attributes
    ----------
    log_wealth
        The largest log-wealth that was reached.
    """

    log_wealth: float

    def refutes(self, error: float) -> bool:
        """Whether the statement is refuted at level ``error``, by Ville's inequality."""
        return self.log_wealth >= -log(error)


def second_moment_above(ratios: Floats) -> MeanBet:
    """Bet that the mean of nonnegative ``ratios`` is above 1."""
    return _play(ratios - 1, largest=0.9, quadratic=False)


def second_moment_below(ratios: Floats, *, cap: float, tail: float) -> MeanBet:
    """Bet that the mean of nonnegative ``ratios`` is below 1."""
    return _play(1 - tail - np.minimum(ratios, cap), largest=0.9 / (cap - 1 + tail), quadratic=False)


def mean_above_zero(values: Floats, *, learned: int = 0) -> MeanBet:
    """Bet that the mean of ``values`` is above 0, given that their second moment is at most 1."""
    return _play(values, largest=inf, quadratic=True, learned=learned)


def second_moment_bound(squares: Floats, *, flatness: float, error: float) -> float:
    """An upper bound on the mean of ``squares`` that fails with probability at most ``error``.

    The squares ``X^2`` may be unbounded; only ``E[X^4] <= flatness E[X^2]^2`` is assumed. With
    ``Z = X^2/E[X^2]`` and K the flatness, ``E[Z] = 1`` and ``E[Z^2] <= K``. For ``l > 0`` the parabola
    ``1 + b z + c z^2`` that meets ``exp(-l z)`` at 0 and touches it at K lies above it for all
    ``z >= 0``: the difference has no further zero, as its third derivative is positive, and c > 0. Hence
    ``E exp(-l Z) <= 1 + b + c K``, which is the expectation for the variable that is K with
    probability 1/K and else 0. Chernoff's bound for that variable gives, for ``s <= 1``,

        P(mean of n values Z <= s) <= exp(-n KL(s/K, 1/K)),

    with the divergence KL of two Bernoulli variables. The bound is the mean of the squares over the s
    at which the right side is ``error``; infinite if there is none, for too few values.
    """
    from scipy.optimize import brentq

    share, needed = 1 / flatness, -log(error)

    def excess(part: float) -> float:
        hit = part * log(part / share) if part > 0 else 0.0
        return squares.size * (hit + (1 - part) * log((1 - part) / (1 - share))) - needed

    if excess(0.0) <= 0:
        return inf
    # At the left end of the interval found, the probability is no larger than asked for.
    least = float(brentq(excess, 0.0, share, xtol=1e-14)) * flatness - 1e-9
    return float(squares.mean()) / least if least > 0 else inf


def measured_flatness(values: Floats) -> float:
    """The mean fourth power over the square of the mean square; 1 at least."""
    # Scaled, so that no power overflows.
    squares = (values / np.abs(values).max()) ** 2
    return float((squares**2).mean() / squares.mean() ** 2)


def lesson(values: int) -> int:
    """Number of values before the first bet, and from one choice of a bet to the next."""
    return min(_BLOCK, max(8, values // 8))


def _play(gains: Floats, *, largest: float, quadratic: bool, learned: int = 0) -> MeanBet:
    """Bet block by block, with the fraction that is best on the past.

    A gain that is not a finite number has no finite expectation: it refutes every null at once.
    """
    if not np.isfinite(gains).all():
        return MeanBet(inf)
    wealth, best = 0.0, 0.0
    step = lesson(gains.size)
    for start in range(max(step, learned), gains.size, step):
        past, block = gains[:start], gains[start : start + step]
        # Mean over second moment is the Kelly fraction to second order, shrunk by its standard error.
        # Both are in units of the largest gain, whose square may overflow.
        unit = float(np.abs(past).max()) or 1.0
        scaled = past / unit
        mean, square = float(scaled.mean()), float((scaled**2).mean()) + 1e-300
        shrunk = mean - 0.5 * (square / start) ** 0.5
        fraction = min(max(shrunk * unit if quadratic else shrunk / square / unit, 0.0), largest)
        if fraction == 0.0:
            continue
        if quadratic:
            x = fraction * block
            factors = (1 + x + x**2 / 2) / (1 + fraction**2 / 2)
        else:
            factors = 1 + fraction * block
        path = wealth + np.cumsum(np.log(factors))
        wealth, best = float(path[-1]), max(best, float(path.max()))
    return MeanBet(best)
