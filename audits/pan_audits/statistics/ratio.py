"""Exact tests and bounds for the loss of one event, from counts on fresh runs.

The event was chosen beforehand. It happened in ``x`` of ``n`` runs on the left and in ``y`` of
``k`` runs on the right, with unknown probabilities p and q. For a single pair (p, q) two independent
exact p-values measure how surprising the counts are,

    A = P(Bin(n, p) >= x),      B = P(Bin(k, q) <= y).

Each is at least as large, stochastically, as a uniform variable, so that their product T satisfies
``P(T <= t) <= t (1 - log t)`` (Fisher 1932, Section 21.1, for two p-values). Rejecting (p, q) when
``T (1 - log T) <= alpha`` is therefore a test of level alpha, of the two counts as *one* statistic:
sharper than two intervals that must each hold, and still exact for every n. The bound of :mod:`.joint` is sharper yet.

A promise ``p <= exp(epsilon) q + delta`` is refuted when every pair (p, q) that keeps it is. A grows
with p and B falls with q, so that only pairs on the boundary ``p = exp(epsilon) q + delta`` matter.
"""

from __future__ import annotations

from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

_GRID = 512


def loss_p_value(x: int, n: int, y: int, k: int, *, epsilon: float, delta: float = 0.0) -> float:
    """An exact p-value for the promise ``P(E) <= exp(epsilon) Q(E) + delta``.

    The largest value over the boundary is bounded from above on a grid that is refined where it
    matters: between two neighbours, A is at most its value at the right end and B at the left end.
    """
    if x <= 0:
        return 1.0
    top = (1 - delta) * exp(-epsilon)
    ends = _grid(x, n, y, k, epsilon, delta, top)
    for _ in range(12):
        upper = _left_tail(x, n, exp(epsilon) * ends[1:] + delta)
        bounds = _combined(upper * _right_tail(y, k, ends[:-1]))
        points = _combined(_left_tail(x, n, exp(epsilon) * ends + delta) * _right_tail(y, k, ends))
        worst, reached = float(bounds.max()), float(points.max())
        if worst <= 1.002 * reached + 1e-300:
            break
        loose = bounds > 1.002 * reached
        extra = np.linspace(ends[:-1][loose], ends[1:][loose], 9)[1:-1].ravel()
        ends = np.union1d(ends, extra)
        if ends.size > 200_000:
            break
    # Above the largest q the left probability is capped at 1 and A is 1: only B is left.
    beyond = float(_combined(_right_tail(y, k, np.array([top])))[0])
    return min(1.0, max(worst, beyond))


def proportion_lower(x: int, n: int, *, error: float) -> float:
    """Clopper-Pearson lower bound of a probability: a quantile of a beta distribution."""
    from scipy.special import betaincinv

    return float(betaincinv(x, n - x + 1, error)) if x else 0.0


def proportion_upper(x: int, n: int, *, error: float) -> float:
    """Clopper-Pearson upper bound of a probability: a quantile of a beta distribution."""
    from scipy.special import betainccinv

    return float(betainccinv(x + 1, n - x, error)) if x < n else 1.0


def _grid(x: int, n: int, y: int, k: int, epsilon: float, delta: float, top: float) -> NDArray[np.float64]:
    """Points from 0 to ``top``, dense around the most plausible point of the boundary."""
    odds = exp(epsilon)
    weight_left, weight_right = n / odds, k
    guess = (weight_left * max(x / n - delta, 0) + weight_right * y / k) / (weight_left + weight_right)
    guess = min(max(guess, 0.5 / (n + k)), top)
    spread = (guess / min(n, k)) ** 0.5 + 1 / min(n, k)
    around = guess + spread * np.linspace(-8, 8, _GRID)
    wide = np.geomspace(1e-12 * top, top, 64) if top > 0 else np.zeros(1)
    points = np.concatenate([[0.0, top], wide, around])
    return np.unique(np.clip(points, 0.0, top))


def _left_tail(x: int, n: int, p: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import betainc

    return np.asarray(betainc(x, n - x + 1, np.clip(p, 0, 1)), dtype=np.float64)


def _right_tail(y: int, k: int, q: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import betaincc

    if y >= k:
        return np.ones_like(q)
    return np.asarray(betaincc(y + 1, k - y, np.clip(q, 0, 1)), dtype=np.float64)


def _combined(product: NDArray[np.float64]) -> NDArray[np.float64]:
    safe = np.maximum(product, 1e-320)
    return np.where(product > 0, product * (1 - np.log(safe)), 0.0)


def observed_loss(x: int, n: int, y: int, k: int, *, delta: float = 0.0) -> float:
    """``log((x/n - delta)/(y/k))``: the loss as it looks, with no guarantee."""
    excess = x / n - delta
    if excess <= 0:
        return -inf
    return inf if y == 0 else log(excess / (y / k))
