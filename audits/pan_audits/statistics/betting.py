"""Betting against a promise: an anytime-valid test of ``P(E) <= exp(epsilon) Q(E) + delta``.

A gambler starts with wealth 1. Before each pair of runs, one on each of two adjacent streams, an
event E, a fraction l and a probability c are chosen from the past. With X and Y saying whether E happened
on the left and on the right, the wealth is multiplied by

    (1 + l (X - exp(epsilon) c - delta)) (1 - l exp(epsilon) (Y - c)).

The fraction l >= 0 is so small that no factor is negative. X and Y are independent, with the conditional means p and q.
So the two factors have the means 1 + a and 1 + b, where a + b = l (p - exp(epsilon) q - delta). If the promise holds,
this sum is at most 0, and (1 + a)(1 + b) <= (1 + (a + b)/2)^2 <= 1 for every choice of E, l and c.
For the best l and c, this is the ratio of the likelihoods of (p, q) and of the closest point on the border of the
promise, which grows faster than every other bet (Turner, Ly and Gruenwald 2024).

The wealth is a nonnegative supermartingale, and by Ville's inequality (Ville 1939; Shafer and Vovk 2019;
Waudby-Smith and Ramdas 2024) it ever reaches ``1/alpha`` with probability at most ``alpha``. The
event may therefore be learned from all earlier runs, and the result may be read after every run.

Several pairs of streams, in both directions, are bet on with shares ``w_i`` of one initial wealth.
The sum of the shares' wealths is again a supermartingale, under any rule that decides from the past
which pair is run next. A pair whose own wealth reaches ``1/(alpha w_i)`` is refuted, and the
probability that any true one is refuted stays below ``alpha``.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CAREFUL = 0.98
"""Part of the best fraction that is bet, since an event that was never seen on the other side may happen there."""


class Stake(NamedTuple):
    """A bet on an event.

    Attributes
    ----------
    fraction
        The fraction ``l``: 0 for no bet.
    centre
        The probability ``c``.
    """

    fraction: Floats
    centre: Floats


def betting_factors(
    left: NDArray[np.bool_], right: NDArray[np.bool_], stake: Stake, *, epsilon: float, delta: float = 0.0
) -> Floats:
    """The factor of the wealth for each pair of runs."""
    if not 0 <= stake.fraction <= largest_stake(stake.centre, epsilon=epsilon, delta=delta):
        raise ValueError(f"a bet of {stake.fraction} could lose more than everything")
    ours, theirs = _factors(stake, epsilon, delta)
    return np.asarray(np.where(left, ours[1], ours[0]) * np.where(right, theirs[1], theirs[0]))


def growth(p: Floats, q: Floats, stake: Stake, *, epsilon: float, delta: float = 0.0) -> Floats:
    """Expected growth of the log-wealth per pair of runs, when E has probabilities ``p`` and ``q``."""
    mean = np.zeros(np.broadcast(p, q, *stake).shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for likely, (without, happened) in zip((p, q), _factors(stake, epsilon, delta), strict=True):
            mean += np.where(likely < 1, (1 - likely) * np.log(without), 0.0)
            mean += np.where(likely > 0, likely * np.log(happened), 0.0)
    return mean


def best_stake(p: Floats, q: Floats, *, epsilon: float, delta: float = 0.0) -> Stake:
    """The bet with the largest expected growth.

    The centre is that of the closest point (exp(epsilon) c + delta, c) on the border of the promise, by the
    Kullback-Leibler divergence of (p, q). The growth is this divergence. For ``delta = 0`` the centre is the smaller
    root of a quadratic; otherwise it is bisected.
    """
    p, q = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64))
    odds = exp(epsilon)
    if delta:
        centre = _bisected_centre(p, q, odds, delta)
    else:
        linear = p + odds * (1 + q) + 1
        root = np.sqrt(np.maximum(linear**2 - 8 * odds * (p + q), 0.0))
        centre = 2 * (p + q) / (linear + root)
    with np.errstate(divide="ignore", invalid="ignore"):
        fraction = (centre - q) / (odds * centre * (1 - centre))
    worth = p > odds * q + delta
    largest = largest_stake(np.where(worth, centre, 0.5), epsilon=epsilon, delta=delta)
    return Stake(np.where(worth, np.clip(fraction, 0.0, largest), 0.0), np.where(worth, centre, 0.5))


def largest_stake(centre: Floats, *, epsilon: float, delta: float = 0.0) -> Floats:
    """The largest fraction with which no factor is negative."""
    return np.asarray(1 / np.maximum(exp(epsilon) * centre + delta, exp(epsilon) * (1 - centre)))


def _bisected_centre(p: Floats, q: Floats, odds: float, delta: float) -> Floats:
    low, high = np.minimum(q, 1.0), np.maximum((p - delta) / odds, q)
    for _ in range(30):
        middle = (low + high) / 2
        ours = odds * middle + delta
        above = odds * (p - ours) * middle * (1 - middle) + (q - middle) * ours * (1 - ours) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)


def _factors(stake: Stake, epsilon: float, delta: float) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """The factors of both streams, where the event does not happen and where it does."""
    fraction, centre = stake
    odds = exp(epsilon)
    ours, theirs = odds * centre + delta, odds * fraction
    return (
        (np.maximum(1 - fraction * ours, 0.0), 1 + fraction * (1 - ours)),
        (1 + theirs * centre, np.maximum(1 - theirs * (1 - centre), 0.0)),
    )
