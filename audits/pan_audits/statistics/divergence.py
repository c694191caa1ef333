"""Lower bounds on rho, from a score and from an event.

A lower bound on rho from a score: the Kullback-Leibler divergence by its dual form, bounded by a bet.

rho-zCDP says that the Rényi divergence of every order ``alpha > 1`` is at most ``rho alpha`` (Bun and Steinke 2016).
The divergence is continuous in the order, so that the limit at 1 gives ``KL(P|Q) <= rho``. For every bounded function f
of an observation

    E_P[f] - E_Q[exp(f)] + 1  <=  E_P[f] - log E_Q[exp(f)]  <=  KL(P|Q)  <=  rho.

The second inequality is the formula of Donsker and Varadhan (1975), and the first is ``log x <= x - 1``. The left side
is the mean of ``Z = f(X) - exp(f(Y)) + 1`` for independent X from P and Y from Q. It equals ``KL(P|Q)`` if f is the
log-likelihood ratio. If f lies in ``[low, high]``, then Z lies in ``[low + 1 - exp(high), high + 1 - exp(low)]``.

For a mean of at most m, and a fraction l that is fixed before the runs, with ``1 + l (Z - m) >= 0``, the product of the
factors ``1 + l (Z_i - m)`` over independent runs is nonnegative and has expectation at most 1. It is at least
``1/error`` with probability at most ``error`` (Markov). The product falls with m. So the largest m that is refuted is a
lower bound on rho, for every number of runs (Waudby-Smith and Ramdas 2024 use the same factors with varying fractions).
No distribution of the noise is assumed.

A lower bound on rho from the counts of one event, by the Rényi divergences of two Bernoulli distributions.

An event has the probabilities p and q on the two sides. By data processing, the Rényi divergence of every order between
the Bernoulli distributions of p and q is at most that between the sides. So rho-zCDP implies, for every ``alpha >= 1``,

    rho  >=  D_alpha(Bern(p)|Bern(q)) / alpha,      and the same for q and p.

For ``p > q`` both divergences grow with p and fall with q. Clopper-Pearson bounds, a lower one of p and an upper one of
q, each with half of the error, therefore give a lower bound on rho. Each order gives a valid bound, so that the largest
of a grid is one. A rare event that is much rarer on the other side needs a large order; the Kullback-Leibler
divergence, which is the order 1, hardly notices it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from pan_audits.statistics.counts import proportion_lower, proportion_upper

Floats = NDArray[np.float64]

MOST_HIGH = 30.0
"""Greatest absolute value of a witness function."""

_PRECISION, _ROUGH = 1e-6, 1e-4
"""Of a bound, and of an expected bound."""
_ROUNDING = 1e-6
"""Subtracted from a log-wealth. The sum of ten million logarithms is computed to much less."""
_FRACTIONS = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)
"""Tried, as multiples of the fraction that is best where all factors are near 1."""


@dataclass(frozen=True)
class DivergenceBet:
    """A bet on a function f with known limits, fixed before the runs.

    Attributes
    ----------
    low, high
        The limits of f, with ``-MOST_HIGH <= low <= high <= MOST_HIGH``.
    fraction
        The fraction of the wealth, at least 0, such that no factor is negative for any mean within the limits of Z.
    """

    low: float
    high: float
    fraction: float

    def __post_init__(self) -> None:
        if not -MOST_HIGH <= self.low <= self.high <= MOST_HIGH:
            raise ValueError(f"the limits of a function lie within {MOST_HIGH}, got {self.low!r} and {self.high!r}")
        if not 0 <= self.fraction <= largest_fraction(self.low, self.high):
            raise ValueError(f"a bet of {self.fraction!r} could lose more than everything")

    def lower_bound(self, left: Floats, right: Floats, *, error: float) -> float:
        """A lower bound on rho, at least 0, that is wrong with probability at most ``error``."""
        if left.size != right.size:
            raise ValueError(f"both sides need equally many runs, got {left.size} and {right.size}")
        for values in (left, right):
            if not ((values >= self.low) & (values <= self.high)).all():
                raise ValueError(f"the function takes a value outside {self.low!r} to {self.high!r}")
        return max(0.0, _refuted(gains(left, right), self.fraction, -log(error), self.least, self.most))

    @property
    def least(self) -> float:
        """The least value of Z."""
        return self.low + 1 - exp(self.high)

    @property
    def most(self) -> float:
        """The greatest value of Z."""
        return self.high + 1 - exp(self.low)


def gains(left: Floats, right: Floats) -> Floats:
    """The values of Z, for the values of f in equally many runs on the two sides."""
    return np.asarray(left - np.exp(right) + 1)


def largest_fraction(low: float, high: float) -> float:
    """The largest fraction for which no factor is negative, whatever the mean; infinite if Z is constant."""
    width = (high - low) + (exp(high) - exp(low))
    return 1 / width if width > 0 else inf


def best_bet(
    left: Floats, right: Floats, low: float, high: float, *, runs: int, error: float, quickly: bool = False
) -> tuple[float, float]:
    """The fraction with the largest bound that ``runs`` fresh runs on each side can be expected to show."""
    values = gains(left, right)
    most = largest_fraction(low, high)
    spread = float(values.std())
    if not spread > 0 or most == inf:
        return 0.0, -inf
    needed = -log(error) * values.size / runs
    usual = sqrt(2 * -log(error) / runs) / spread
    least, greatest = low + 1 - exp(high), high + 1 - exp(low)
    tried = sorted({min(most, usual * multiple) for multiple in ((1.0,) if quickly else _FRACTIONS)})
    found = [(_refuted(values, fraction, needed, least, greatest, _ROUGH), fraction) for fraction in tried]
    bound, fraction = max(found)
    return fraction, bound


def _refuted(
    values: Floats, fraction: float, needed: float, least: float, most: float, precision: float = _PRECISION
) -> float:
    """A mean, within the precision of the largest, at which the log-wealth is at least what is needed; or ``least``."""

    def reached(mean: float) -> bool:
        with np.errstate(divide="ignore"):
            wealth = float(np.log(np.maximum(1 + fraction * (values - mean), 0.0)).sum())
        return wealth >= needed + _ROUNDING

    # log(1 + x) <= x: at the mean of the values, or above it, the log-wealth is never positive.
    low, high = least, min(most, float(values.mean()))
    if fraction == 0 or not reached(low):
        return low
    while high - low > precision * max(0.1, abs(low)):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return low


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
