"""Two-sided bounds for the mean of nonnegative values with a known bound on their flatness.

A mean squared error is the mean of values that are not bounded, so that no interval can hold for every
distribution. Of these values Z, with mean mu > 0, only ``E[Z^2] <= K mu^2`` is assumed; for ``Z = X^2`` the
flatness K bounds the kurtosis of X. The values may have been averaged in groups of b, independent ones in each:
such an average B has the mean mu and a variance of at most ``v mu^2``, ``v = (K - 1)/b``.

Catoni's influence function (Catoni 2012) is

    psi(x) = log(1 + x + x^2/2) for x >= 0,    psi(x) = -psi(-x) for x < 0.

It increases with x, and lies between ``-log(1 - x + x^2/2)`` and ``log(1 + x + x^2/2)``: for x >= 0 the lower
of these is at most the upper, as ``(1 + x + x^2/2)(1 - x + x^2/2) = 1 + x^4/4 >= 1``, and x < 0 mirrors this.
With ``Y(c) = B/c - 1``, which at ``c = mu`` has mean 0 and a second moment of at most v, both

    E exp(psi(l Y(mu)))   and   E exp(-psi(l Y(mu)))

are therefore at most ``1 + l^2 v/2``, for every ``l > 0`` that does not depend on the values. By Markov's
inequality for the product over n independent averages, the sum of ``psi(l Y(mu))`` exceeds

    n log(1 + l^2 v/2) + log(1/error)

with probability at most ``error``, and is less than minus that with probability at most ``error``. Since the sum
decreases with c, the values c at which it is within these limits are an interval. Its ends are the bounds, and
``l = sqrt(2 log(1/error)/(n v))`` makes it about as narrow as a normal approximation would.
"""

from __future__ import annotations

from math import inf, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_WIDEST = 300.0
"""The bounds are searched within this number of powers of e of the mean."""


def mean_square_bounds(averages: Floats, *, group: int, flatness: float, error: float) -> tuple[float, float]:
    """A lower and an upper bound of the mean, each of which fails with probability at most ``error``."""
    if averages.size == 0 or not np.isfinite(averages).all() or averages.min() < 0:
        raise ValueError("the averages must be finite nonnegative numbers, and there must be some")
    if not (group >= 1 and flatness > 1 and 0 < error < 1):
        raise ValueError(f"group {group}, flatness {flatness} and error {error} must be >= 1, > 1 and in (0, 1)")
    mean = float(averages.mean())
    if mean == 0.0:
        return 0.0, inf
    spread, needed, count = (flatness - 1) / group, -log(error), averages.size
    rate = sqrt(2 * needed / (count * spread))
    limit = count * log1p(rate * rate * spread / 2) + needed
    return mean * _crossing(averages / mean, rate, limit), mean * _crossing(averages / mean, rate, -limit)


def groups(values: Floats, group: int) -> Floats:
    """Averages of consecutive groups. An incomplete group at the end is dropped."""
    whole = values.size // group
    return np.asarray(values[: whole * group].reshape(whole, group).mean(axis=1))


def _crossing(values: Floats, rate: float, level: float) -> float:
    """The c at which the sum of influences of ``values/c - 1`` falls to ``level``: 0 or infinity if it is beyond."""
    from scipy.optimize import brentq

    def excess(logarithm: float) -> float:
        return _influence(rate * (values * np.exp(-logarithm) - 1)) - level

    low, high = -0.5, 0.5
    while excess(low) < 0:
        low *= 2
        if low < -_WIDEST:
            return 0.0
    while excess(high) > 0:
        high *= 2
        if high > _WIDEST:
            return inf
    # Rounded outwards, by more than the tolerance of the root.
    root = float(brentq(excess, low, high, xtol=1e-10, rtol=1e-12))
    return float(np.exp(root - 1e-9 if level > 0 else root + 1e-9))


def _influence(values: Floats) -> float:
    size = np.abs(values)
    return float((np.sign(values) * np.log1p(size * (1 + size / 2))).sum())
