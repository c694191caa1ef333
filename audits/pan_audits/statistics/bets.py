"""Bets: anytime-valid tests of a promise, and the power of an audit that makes them.

Betting against a promise: an anytime-valid test of ``P(E) <= exp(epsilon) Q(E) + delta``.

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

A bet whose wealth is a function of four counts: for audits of any length, in constant memory.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, expm1, inf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError

Floats = NDArray[np.float64]

DEFAULT_ERROR = 1e-6
"""Greatest probability, over a whole run, that a true promise or statement is refuted."""


@dataclass(frozen=True)
class ErrorBudget:
    """A probability of error, and its purpose.

    Shares are fixed from the list of cases before anything is sampled: by the union bound the
    probability that any true statement is refuted is at most the total. A selection of cases, early stopping
    and parallel runs do not change this.
    """

    error: float = DEFAULT_ERROR
    purpose: str = "run"

    def __post_init__(self) -> None:
        if not isinstance(self.error, (int, float)) or not 0 < self.error <= 0.5:
            raise InputError(f"the error budget must lie in (0, 1/2], got {self.error!r}")

    def split(self, weights: Mapping[str, float]) -> dict[str, ErrorBudget]:
        """Shares in proportion to ``weights``, one for each named case."""
        total = sum(weights.values())
        return {
            name: ErrorBudget(self.error * weight / total, f"{self.purpose}/{name}") for name, weight in weights.items()
        }

    def share(self, case: str, cases: int) -> ErrorBudget:
        """One of ``cases`` equal shares."""
        return ErrorBudget(self.error / cases, f"{self.purpose}/{case}")


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


def detectable_loss(
    runs: int,
    *,
    log_threshold: float,
    epsilon: float,
    delta: float = 0.0,
    mass: float = 0.5,
    power: float = 0.95,
    least_fraction: float = 0.0,
) -> float:
    """The smallest loss that a bet on the right event would have refuted with the given power.

    The event has probability ``mass`` on the one stream and ``(mass - delta) exp(-loss)`` on the
    other. The log-wealth of the best constant bet after ``runs`` pairs of runs is a sum of
    independent terms; its lower quantile is taken from their mean and variance, which is accurate
    for a *statement about power* and decides no verdict.
    """
    from scipy.special import ndtri

    quantile = float(ndtri(power))

    def caught(loss: float) -> bool:
        likely, unlikely = np.array(mass), np.array((mass - delta) * exp(-loss))
        best = best_stake(likely, unlikely, epsilon=epsilon, delta=delta)
        if CAREFUL * best.fraction < least_fraction:
            return False
        careful = best._replace(fraction=CAREFUL * best.fraction)
        left, right = np.array([[False, False, True, True], [False, True, False, True]])
        gained = np.log(betting_factors(left, right, careful, epsilon=epsilon, delta=delta))
        weights = np.where(left, likely, 1 - likely) * np.where(right, unlikely, 1 - unlikely)
        mean = float(weights @ gained)
        deviation = sqrt(float(weights @ (gained - mean) ** 2))
        return runs * mean - quantile * sqrt(runs) * deviation >= log_threshold

    if mass <= delta or runs == 0 or not caught(epsilon + 40):
        return float("inf")
    low, high = epsilon, epsilon + 40
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if caught(middle) else (middle, high)
    return high


_SCALES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def detectable_rho(runs: int, *, error: float, rho: float) -> float:
    """The smallest rho of two normal distributions that a known score shows to be above ``rho``, with 95% power.

    The two distributions have equal variances, so that their log-likelihood ratio is normal with the mean rho and the
    variance ``2 rho``. The score is a part of it. The lower bound is taken from its mean and variance, which is
    accurate for a
    *statement about power* and decides no verdict.
    """
    from scipy.special import ndtri

    deviations = sqrt(2 * -log(error)) + float(ndtri(0.95))

    def shown(true: float) -> float:
        return max(
            true * (2 * scale - scale**2)
            - deviations * sqrt((scale**2 * 2 * true + expm1(min(scale**2 * 2 * true, 700.0))) / runs)
            for scale in _SCALES
        )

    low, high = rho, 64 * rho + 64
    # The bound first grows with rho, and falls where the runs are too few for it.
    tried = np.geomspace(low, high, 256)
    found = next((place for place, true in enumerate(tried) if shown(float(true)) > rho), None)
    if found is None:
        return float("inf")
    low, high = float(tried[max(found - 1, 0)]), float(tried[found])
    while high - low > 1e-4 * rho:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) > rho else (middle, high)
    return high
