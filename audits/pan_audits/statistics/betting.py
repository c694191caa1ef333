"""Betting against a promise: an anytime-valid test of ``P(E) <= exp(epsilon) Q(E) + delta``.

A gambler starts with wealth 1. Before each pair of runs, one on each of two adjacent streams, an
event E and a fraction ``l`` are chosen from the past. With X and Y saying whether E happened on the
left and on the right, the wealth is multiplied by

    1 + l (X - exp(epsilon) Y - delta),      0 <= l <= 1/(exp(epsilon) + delta).

The factor is never negative. If the promise holds, its conditional expectation is
``1 + l (P(E) - exp(epsilon) Q(E) - delta) <= 1`` for every choice of event and fraction. The
wealth is a nonnegative supermartingale, and by Ville's inequality (Ville 1939; Shafer and Vovk 2019;
Waudby-Smith and Ramdas 2024) it ever reaches ``1/alpha`` with probability at most ``alpha``. The
event may therefore be learned from all earlier runs, and the result may be read after every run.

Several pairs of streams, in both directions, are bet on with shares ``w_i`` of one initial wealth.
The sum of the shares' wealths is again a supermartingale, under any rule that decides from the past
which pair is run next. A pair whose own wealth reaches ``1/(alpha w_i)`` is refuted, and the
probability that any true one is refuted stays below ``alpha``.
"""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CAREFUL = 0.98
"""Part of the best fraction that is bet, since an event that was never seen on the other side may happen there."""


def betting_factors(
    left: NDArray[np.bool_], right: NDArray[np.bool_], *, fraction: float, epsilon: float, delta: float = 0.0
) -> Floats:
    """The factor of the wealth for each pair of runs.

    Parameters
    ----------
    left, right
        Whether the event happened in each run on the left and on the right stream.
    fraction
        The bet ``l``, in ``[0, 1/(exp(epsilon) + delta)]``.
    epsilon, delta
        The promise, in nats and as a probability.
    """
    if not 0 <= fraction <= 1 / (exp(epsilon) + delta):
        raise ValueError(f"a bet of {fraction} could lose more than everything")
    return 1 + fraction * (left - exp(epsilon) * right - delta)


def growth(p: Floats, q: Floats, fraction: Floats, *, epsilon: float, delta: float = 0.0) -> Floats:
    """Expected growth of the log-wealth per pair of runs, when E has probabilities ``p`` and ``q``."""
    total = np.zeros(np.broadcast(p, q, fraction).shape)
    for weight, gain in _outcomes(p, q, epsilon, delta):
        with np.errstate(divide="ignore", invalid="ignore"):
            part = weight * np.log1p(fraction * gain)
        total += np.where(weight > 0, part, 0.0)
    return total


def best_fraction(p: Floats, q: Floats, *, epsilon: float, delta: float = 0.0) -> Floats:
    """The fraction with the largest expected growth (Kelly 1956).

    The growth is concave in the fraction. It has a positive derivative at 0, and the fraction is
    positive, exactly if ``p > exp(epsilon) q + delta``. For ``delta = 0`` the derivative times its
    three denominators is a quadratic ``A l^2 + B l + C`` whose least positive root is the result;
    otherwise the root is bisected.
    """
    p, q = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64))
    odds = exp(epsilon)
    top = 1 / (odds + delta)
    if delta:
        return _bisected_fraction(p, q, epsilon, delta, top)
    a, b, c = (weight for weight, _ in _outcomes(p, q, epsilon, delta))
    k = 1 - odds
    square = -k * odds * (a + b + c)
    linear = a * (k - odds) + b * k * k - c * odds * (1 + k)
    constant = a + b * k - c * odds
    root = np.sqrt(np.maximum(linear**2 - 4 * square * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        fraction = 2 * constant / (root - linear)
    return np.where(constant > 0, np.clip(np.nan_to_num(fraction, nan=top), 0.0, top), 0.0)


def _bisected_fraction(p: Floats, q: Floats, epsilon: float, delta: float, top: float) -> Floats:
    low, high = np.zeros(p.shape), np.full(p.shape, top)
    outcomes = _outcomes(p, q, epsilon, delta)
    for _ in range(24):
        middle = (low + high) / 2
        slope = sum((weight * gain / (1 + middle * gain) for weight, gain in outcomes), np.zeros(p.shape))
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    return low


def _outcomes(p: Floats, q: Floats, epsilon: float, delta: float) -> list[tuple[Floats, float]]:
    odds = exp(epsilon)
    outcomes = [
        (p * (1 - q), 1 - delta),
        (p * q, 1 - odds - delta),
        ((1 - p) * q, -odds - delta),
    ]
    if delta:
        outcomes.append(((1 - p) * (1 - q), -delta))
    return outcomes
