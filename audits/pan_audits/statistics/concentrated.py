"""A lower bound on rho from the counts of one event, by the Rényi divergences of two Bernoulli laws.

An event has the probabilities p and q on the two sides. By data processing, the Rényi divergence of every order between
the Bernoulli laws of p and q is at most that between the sides. So rho-zCDP implies, for every ``alpha >= 1``,

    rho  >=  D_alpha(Bern(p)|Bern(q)) / alpha,      and the same for q and p.

For ``p > q`` both divergences grow with p and fall with q. Clopper-Pearson bounds, a lower one of p and an upper one of
q, each with half of the error, therefore give a lower bound on rho. Each order gives a valid bound, so that the largest
of a grid is one. A rare event that is much rarer on the other side needs a large order; the Kullback-Leibler
divergence, which is the order 1, hardly notices it.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from pan_audits.statistics.ratio import proportion_lower, proportion_upper

Floats = NDArray[np.float64]

ORDERS: tuple[float, ...] = (1.0, *(float(order) for order in 1 + np.geomspace(0.02, 1000, 120)))
"""The orders of the divergences."""


def bernoulli_divergence(p: Floats, q: Floats, order: float) -> Floats:
    """The Rényi divergence ``D_order(Bern(p)|Bern(q))`` in nats, for arrays of chances; order 1 is Kullback-Leibler."""
    from scipy.special import rel_entr

    p, q = (np.clip(np.asarray(chance, dtype=np.float64), 0.0, 1.0) for chance in (p, q))
    if order == 1:
        return np.asarray(rel_entr(p, q) + rel_entr(1 - p, 1 - q))
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.where(p > 0, order * np.log(p) + (1 - order) * np.log(q), -inf)
        other = np.where(p < 1, order * np.log1p(-p) + (1 - order) * np.log1p(-q), -inf)
    return np.asarray(np.maximum(np.logaddexp(one, other) / (order - 1), 0.0))


def rho_of_event(p: float, q: float) -> tuple[float, float]:
    """The least rho, on the grid of orders, that allows an event the probabilities ``p`` and ``q``."""
    both = np.array([p, q]), np.array([q, p])
    found = [(float(bernoulli_divergence(*both, order).max()) / order, order) for order in ORDERS]
    return max(found)


def event_rho_bound(x: int, n: int, y: int, k: int, *, error: float) -> tuple[float, float]:
    """A lower bound on rho that is wrong with probability at most ``error``, and the order that gives it."""
    p, q = proportion_lower(x, n, error=error / 2), proportion_upper(y, k, error=error / 2)
    return rho_of_event(p, q) if p > q else (0.0, 1.0)
