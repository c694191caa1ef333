"""Exact bounds from counts: of a probability, and of the loss of one event.

Two separate Clopper-Pearson bounds must each hold. The bound of the loss takes the two counts as one statistic.

The event happened in ``x`` of ``n`` runs on the left and in ``y`` of ``k`` runs on the right, with unknown
probabilities p and q. Its loss is ``log((p - delta)/q)``.

1. **An order of all outcomes.** ``T(x, y)`` is the largest epsilon whose log-likelihood ratio ``G`` is at least
   ``z^2 / 2``, with the normal quantile ``z`` of the level. ``G`` is the least of ``n KL(x/n, p) + k KL(y/k, q)`` over
   ``p = exp(epsilon) q + delta``, and 0 if ``x/n <= exp(epsilon) y/k + delta``. The order is fixed before the runs. It
   need not be a good bound: it decides only how sharp the result is. At the least pair, p is below x/n and q above
   y/k. So G, and with it T, grows with x and falls with y.
2. **The region R** of the outcomes with a T of at least that of the observed one. It is monotone: with an outcome it
   contains every one of larger x or smaller y. The regions of different outcomes are nested. So, for each (p, q),
   ``P(R)`` is stochastically at least as large as a uniform variable: it is an exact p-value (Buehler 1957).
3. **The nuisance.** A loss of at most epsilon says ``p <= exp(epsilon) q + delta``. The p-value is the largest ``P(R)``
   over all such (p, q) in a box of two Clopper-Pearson intervals, plus the probability that the box is wrong (Berger
   and Boos 1994). R is monotone: P(R) grows with p and falls with q. Only pairs with equality matter.
4. **The largest value over a cell.** The boundary is cut into cells. In a cell from q1 to q2, P(R) is at most its value
   at the p of q2 and at q1. It is also at most the larger end plus ``h^2/8`` times a bound of its second derivative,
   for ``h = q2 - q1``. With L the likelihood, this derivative is ``E[1_R L''/L]``. ``L''/L`` has mean 0. Its parts are
   uncorrelated. With ``a = odds^2/(p (1 - p))`` and ``b = 1/(q (1 - q))``, its variance is ``2 n (n - 1) a^2 + 2 k (k -
   1) b^2 + 4 n k a b``. This is at most ``2 I^2``, with the Fisher information ``I = n a + k b`` of q. By Cauchy and
   Schwarz, the derivative is at most ``I sqrt(2 P (1 - P))``. I is convex in q: its largest value is at an end.

The null hypotheses of growing epsilon are nested and the regions do not depend on epsilon. So the p-value grows with
epsilon, and the bound exceeds the loss with probability at most the level. Nothing here is asymptotic.

Probabilities of many neighbouring counts of one binomial distribution, for many chances at once.

The saddle-point form of the probability (Loader 2000): with ``d(x) = log x! - log(sqrt(2 pi x) (x/e)^x)``,
``P(x) = sqrt(n/(2 pi x (n - x))) exp(d(n) - d(x) - d(n - x) - x log(x/(n p)) - (n - x) log((n - x)/(n (1 - p))))``.
It needs no difference of large numbers. Only the last two terms depend on the chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, exp, floor, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray


def proportion_lower(x: int, n: int, *, error: float) -> float:
    """Clopper-Pearson lower bound of a probability: a quantile of a beta distribution."""
    from scipy.special import betaincinv

    return float(betaincinv(x, n - x + 1, error)) if x else 0.0


def proportion_upper(x: int, n: int, *, error: float) -> float:
    """Clopper-Pearson upper bound of a probability: a quantile of a beta distribution."""
    from scipy.special import betainccinv

    return float(betainccinv(x + 1, n - x, error)) if x < n else 1.0


Floats = NDArray[np.float64]

_SMALLEST = 1e-300
_SERIES_FROM = 32.0


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts from ``first`` to ``last`` among ``runs``.

    Attributes
    ----------
    runs
        Number of runs.
    first, last
        The ends, from 0 to ``runs``.
    counts
        All of the counts.
    constant
        The logarithms of the factors that do not depend on the chance.
    """

    runs: int
    first: int
    last: int
    counts: Floats
    constant: Floats

    @classmethod
    def between(cls, runs: int, first: int, last: int) -> Counts:
        """The counts between two ends, both included."""
        counts = np.arange(first, last + 1, dtype=np.float64)
        others = runs - counts
        inside = (counts > 0) & (others > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            root = 0.5 * np.log(runs / (2 * np.pi * counts * others))
        rest = _beyond_stirling(np.array([float(runs)])) - _beyond_stirling(counts) - _beyond_stirling(others)
        return cls(runs, first, last, counts, np.where(inside, root + rest, 0.0))

    def masses(self, chances: Floats) -> Floats:
        """The probability of each count (a column), for each chance (a row)."""
        from scipy.special import xlogy

        chance = np.maximum(chances, _SMALLEST)[:, None]
        other = np.maximum(1 - chances, _SMALLEST)[:, None]
        rest = self.runs - self.counts
        happened = xlogy(self.counts, self.counts / (self.runs * chance))
        return np.asarray(np.exp(self.constant - happened - xlogy(rest, rest / (self.runs * other))))

    def below(self, chances: Floats) -> Floats:
        """The probability of a count before the first."""
        from scipy.special import betaincc

        if self.first == 0:
            return np.zeros(chances.shape)
        return np.asarray(betaincc(self.first, self.runs - self.first + 1, chances))

    def above(self, chances: Floats) -> Floats:
        """The probability of a count after the last."""
        from scipy.special import betainc

        if self.last == self.runs:
            return np.zeros(chances.shape)
        return np.asarray(betainc(self.last + 1, self.runs - self.last, chances))


def _beyond_stirling(counts: Floats) -> Floats:
    """``log x!`` without Stirling's ``log(sqrt(2 pi x) (x/e)^x)``; 0 for 0."""
    from scipy.special import gammaln

    small = np.clip(counts, 1.0, _SERIES_FROM)
    exact = gammaln(small + 1) - 0.5 * np.log(2 * np.pi * small) - small * np.log(small) + small
    large = np.maximum(counts, _SERIES_FROM)
    inverse = 1 / large**2
    series = (1 / 12 - (1 / 360 - (1 / 1260 - inverse / 1680) * inverse) * inverse) / large
    return np.where(counts <= 0, 0.0, np.where(counts < _SERIES_FROM, exact, series))


_BOX = 1 / 50
"""The part of the level that is spent on the box."""
_ROUNDING = 1 + 1e-8
"""The incomplete beta function is computed to about 1e-13, and the probability of a count to 1e-16 times the runs."""
_MOST_RUNS = 10**7
"""With more runs, two separate bounds are nearly as good."""
_FIRST_CELLS, _SPLIT, _ROUNDS = 32, 4, 8
_MOST_CELLS = 2048
_LEAST_ERROR = 1e-11
"""Sums of the probabilities of outcomes are correct to about 1e-13. Below this error, two separate bounds are used."""
_LARGEST_LOSS = 64.0
_LEAST_QUANTILE = 0.1
_MOST_NUMBERS = 2**20
"""Of a table."""
_PRECISION = 1e-4


@dataclass(frozen=True, eq=False)
class _Region:
    """The outcomes with at least ``least[i]`` events on the left and ``right.counts[i]`` on the right.

    Attributes
    ----------
    left, right
        The counts in reach.
    least
        For each count on the right. Every outcome with fewer events on the right than these counts belongs to it.
    beyond
        At most this is the probability of more events on the right.
    """

    left: Counts
    right: Counts
    least: Floats
    beyond: float

    @property
    def runs(self) -> tuple[int, int]:
        """Runs on the left and on the right."""
        return self.left.runs, self.right.runs

    def probability(self, p: Floats, q: Floats) -> Floats:
        """At most this is the probability of the region, for each pair of ``p`` and ``q``."""
        total = np.full(p.shape, self.beyond)
        places = np.clip(self.least - self.left.first, 0, self.left.counts.size).astype(np.int64)
        always = self.least <= self.left.first
        step = max(1, _MOST_NUMBERS // max(self.left.counts.size, self.right.counts.size))
        for start in range(0, p.size, step):
            part = slice(start, start + step)
            above = self.left.above(p[part])[:, None]
            # The probability of at least each count, and of a count after the last.
            tails = above + np.cumsum(self.left.masses(p[part])[:, ::-1], axis=1)[:, ::-1]
            tails = np.where(always, 1.0, np.concatenate([tails, above], axis=1)[:, places])
            total[part] += self.right.below(q[part]) + (self.right.masses(q[part]) * tails).sum(axis=1)
        return np.minimum(total * _ROUNDING, 1.0)


def loss_lower_bound(x: int, n: int, y: int, k: int, *, error: float, delta: float = 0.0) -> float:
    """A lower bound of the loss ``log((p - delta)/q)`` that exceeds it with probability at most ``error``."""
    if x <= 0 or x / n <= delta:
        return 0.0
    if error < _LEAST_ERROR or max(n, k) > _MOST_RUNS:
        return _separately(x, n, y, k, error, delta)
    refuted = _test(x, n, y, k, error, delta)
    z = _quantile(error)
    guess = min(max(_threshold(x, n, y, k, delta, z), 0.0), _LARGEST_LOSS)
    step = max(_PRECISION, 0.02 * abs(guess))
    low, high = max(0.0, guess - step), max(guess, 0.0) + step
    while not refuted(low):
        if low == 0:
            return 0.0
        high, low, step = low, max(0.0, low - 2 * step), 2 * step
    while refuted(high):
        if high > _LARGEST_LOSS:
            return high
        low, high, step = high, high + 2 * step, 2 * step
    while high - low > _PRECISION * max(1.0, low):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def _separately(x: int, n: int, y: int, k: int, error: float, delta: float) -> float:
    """The bound by two Clopper-Pearson bounds, each with half of the error."""
    likelier = proportion_lower(x, n, error=error / 2) - delta
    return max(0.0, log(likelier / proportion_upper(y, k, error=error / 2))) if likelier > 0 else 0.0


def _quantile(error: float) -> float:
    """The z of the order. At 0 all outcomes would be alike."""
    from scipy.special import ndtri

    return max(float(-ndtri(error)), _LEAST_QUANTILE)


def _test(x: int, n: int, y: int, k: int, error: float, delta: float) -> Callable[[float], bool]:
    """Whether a loss of at most epsilon is refuted at the level ``error``, as a function of epsilon."""
    # Four ends of intervals share the error of the box.
    tail = error * _BOX / 4
    box_p, box_q = (
        (proportion_lower(count, runs, error=tail), proportion_upper(count, runs, error=tail))
        for count, runs in ((x, n), (y, k))
    )
    region = _region(x, n, y, k, delta, _quantile(error), box_p, box_q)
    level = error * (1 - _BOX)

    def refuted(epsilon: float) -> bool:
        return _worst(region, epsilon, delta, box_p, box_q, level) <= level

    return refuted


def _ratio(x: Floats, n: int, y: Floats, k: int, delta: float, epsilon: float) -> Floats:
    """G for arrays of counts."""
    from scipy.special import xlogy

    odds = exp(epsilon)
    q = _least_pair(x, n, y, k, delta, odds)
    p = np.clip(odds * q + delta, 1e-300, 1.0)
    left = xlogy(x, x / (n * p)) + xlogy(n - x, np.where(x < n, (n - x) / (n * np.maximum(1 - p, 1e-300)), 1.0))
    right = xlogy(y, np.where(y > 0, y / (k * np.maximum(q, 1e-300)), 1.0))
    right = right + xlogy(k - y, np.where(y < k, (k - y) / (k * np.maximum(1 - q, 1e-300)), 1.0))
    return np.asarray(np.where(x / n > odds * y / k + delta, left + right, 0.0))


def _least_pair(x: Floats, n: int, y: Floats, k: int, delta: float, odds: float) -> Floats:
    """The q of the likeliest pair of the boundary."""
    if not delta:
        linear = odds * (n + y) + x + k
        root = np.sqrt(np.maximum(linear**2 - 4 * odds * (n + k) * (x + y), 0.0))
        return np.asarray(2 * (x + y) / (linear + root))
    # The log-likelihood is concave in q.
    low = np.zeros(np.broadcast(x, y).shape)
    high = np.full(low.shape, min(1.0, (1 - delta) / odds))
    for _ in range(40):
        q = (low + high) / 2
        p = odds * q + delta
        slope = odds * (x / p - (n - x) / (1 - p)) + y / q - (k - y) / (1 - q)
        low, high = np.where(slope > 0, q, low), np.where(slope > 0, high, q)
    return np.asarray((low + high) / 2)


def _threshold(x: int, n: int, y: int, k: int, delta: float, z: float) -> float:
    """T of the observed outcome, or slightly less."""
    counts = np.array([float(x)]), np.array([float(y)])
    low, high = -_LARGEST_LOSS, _LARGEST_LOSS
    while high - low > 1e-9:
        middle = (low + high) / 2
        enough = float(_ratio(counts[0], n, counts[1], k, delta, middle)[0]) >= z * z / 2
        low, high = (middle, high) if enough else (low, middle)
    return low


def _region(
    x: int, n: int, y: int, k: int, delta: float, z: float, box_p: tuple[float, float], box_q: tuple[float, float]
) -> _Region:
    """The region of the observed outcome; the counts on the right that hardly occur count as within it."""
    reached = _threshold(x, n, y, k, delta, z)
    left, right = (Counts.between(runs, *_in_reach(runs, box, z)) for runs, box in ((n, box_p), (k, box_q)))
    if reached <= -_LARGEST_LOSS:
        # With a delta, no epsilon may have so large a ratio. Such an outcome shows nothing: no other is below it.
        least = np.zeros(right.counts.shape)
    else:
        least = np.where(right.counts <= y, x, n + 1.0)
        least = np.minimum(_fewest(right.counts, n, k, delta, z, reached), least)
    return _Region(left, right, least, float(right.above(np.array([box_q[1]]))[0]))


def _in_reach(runs: int, box: tuple[float, float], z: float) -> tuple[int, int]:
    """The ends of the counts that are not much rarer than the level for some chance of the box."""
    reach = 4.0 + 1.3 * max(z, 1.0)
    first, last = (reach * sqrt(runs * chance * (1 - chance) + 1) for chance in box)
    margin = 4 + reach**2
    return max(0, floor(runs * box[0] - first - margin)), min(runs, ceil(runs * box[1] + last + margin))


def _fewest(y: Floats, n: int, k: int, delta: float, z: float, reached: float) -> Floats:
    """For each y, the smallest x with T of at least ``reached``; n + 1 if there is none. T grows with x."""
    low, high = np.full(y.shape, -1.0), np.full(y.shape, n + 1.0)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = _ratio(np.clip(middle, 0, n), n, y, k, delta, reached) >= z * z / 2 * (1 - 1e-9)
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    return high


def _worst(
    region: _Region,
    epsilon: float,
    delta: float,
    box_p: tuple[float, float],
    box_q: tuple[float, float],
    level: float,
) -> float:
    """At least the largest probability of the region over the pairs of the box whose loss is at most ``epsilon``.

    It stops early, with a number above ``level``, as soon as one pair exceeds the level.
    """
    odds = exp(epsilon)
    low, high = max(box_q[0], (box_p[0] - delta) / odds), min(box_q[1], (box_p[1] - delta) / odds)
    if (box_p[1] - delta) / odds < box_q[0]:
        # Every pair of the box keeps the promise.
        return float(region.probability(np.array([box_p[1]]), np.array([box_q[0]]))[0])
    if low > high:
        return 0.0
    ends = np.linspace(low, high, _FIRST_CELLS + 1)
    starts, stops = ends[:-1], ends[1:]
    worst = 0.0
    for _ in range(_ROUNDS):
        ends = np.unique(np.concatenate([starts, stops]))
        values = region.probability(np.minimum(odds * ends + delta, 1.0), ends)
        if values.max() > level:
            return float(values.max())
        at = np.maximum(values[np.searchsorted(ends, starts)], values[np.searchsorted(ends, stops)])
        bound = _curved(region, at, starts, stops, odds, delta)
        if (hard := bound > level).any():
            p, q = np.minimum(odds * stops[hard] + delta, 1.0), starts[hard]
            bound[hard] = np.minimum(bound[hard], region.probability(p, q))
        hard = bound > level
        worst = max(worst, float(bound[~hard].max(initial=0.0)))
        if not hard.any():
            return worst
        if hard.sum() > _MOST_CELLS:
            break
        inner = np.linspace(starts[hard], stops[hard], _SPLIT + 1)
        starts, stops = inner[:-1].ravel(), inner[1:].ravel()
    return 1.0


def _curved(region: _Region, ends: Floats, starts: Floats, stops: Floats, odds: float, delta: float) -> Floats:
    """The bound of a cell by the second derivative; 1 where it is of no use.

    With M for the bound: ``M <= ends + c sqrt(M)``, as ``P (1 - P) <= M`` in the cell.
    """
    n, k = region.runs
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        information = np.zeros(starts.shape)
        for q in (starts, stops):
            p = odds * q + delta
            at = n * odds**2 / (p * (1 - p)) + k / (q * (1 - q))
            information = np.maximum(information, np.where((p < 1) & (q > 0) & (q < 1), at, inf))
        factor = sqrt(2) * information * (stops - starts) ** 2 / 8
        bound = ((factor + np.sqrt(factor**2 + 4 * ends)) / 2) ** 2
    return np.minimum(np.where(np.isfinite(bound), bound, 1.0) * _ROUNDING, 1.0)
