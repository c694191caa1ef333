"""A confidence interval for the density, from the released number alone.

Three sources of error stand between the released number and the density: which users were sampled,
how their cells fell, and the noise of the output; for a hashed universe, collisions are a fourth.
The interval inverts the exact distribution of the output under all of them. It uses the released
number and the public configuration, never the state, so that it tells an adversary nothing new.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pan_estimators.calibrated_cells import CalibratedCells
from pan_estimators.calibration import noise_variance
from pan_estimators.cells import BernoulliCells, LaplaceCells
from pan_estimators.errors import InputError, require_probability
from pan_estimators.sampled_cells import SampledCells
from pan_estimators.universe import HashedUniverse

_SHARE_OF_COLLISIONS = 0.1
_NODES = 257
"""The distribution is computed at so many numbers of present users, 0.1 standard deviations apart, and
interpolated monotonically between them."""
_FAR = 1e200
"""Releases are cut to this size, so that no product with them overflows."""
_ROUNDING = 1e-6
"""A noisy count that was read off a release is taken for the next integer within this distance."""

KnownOutput = SampledCells | CalibratedCells
"""Estimators whose output has a known distribution."""


@dataclass(frozen=True)
class CountInterval:
    """An interval for the density of the stream and for its distinct count.

    Attributes
    ----------
    level
        Its confidence: the interval covers the truth with at least this probability.
    density_low, density_high
        Ends for the density, in [0, 1].
    count_low, count_high
        Ends for the distinct count, in users.
    """

    level: float
    density_low: float
    density_high: float
    count_low: float
    count_high: float


def confidence_interval(estimator: KnownOutput, released: float, *, level: float = 0.95) -> CountInterval:
    """The exact interval for the density, given one release with no announced intrusion before it.

    Parameters
    ----------
    estimator
        The configuration that released.
    released
        The released density.
    level
        Confidence, in (0, 1).

    Raises
    ------
    InputError
        For an estimator whose sample depends on the stream: its output has no known distribution;
        and for a released density that is not a finite number.
    """
    _require_finite(released)
    require_probability("the confidence level", level)
    if not isinstance(estimator, KnownOutput):
        raise InputError(f"the output of {estimator.name} has no known distribution, hence no interval")
    universe = estimator.universe
    hashed = isinstance(universe, HashedUniverse)
    missed = (1 - level) * (1 - _SHARE_OF_COLLISIONS if hashed else 1)
    low, high = _occupied_interval(estimator, released, missed / 2)
    count_low, count_high = float(low), float(high)
    if hashed:
        count_low, count_high = _users_from_cells(low, high, universe.size, (1 - level) * _SHARE_OF_COLLISIONS)
    return CountInterval(level, low / universe.size, high / universe.size, count_low, count_high)


def distinct_count(estimator: KnownOutput, density: float) -> float:
    """The distinct count that goes with a density; for a hashed universe, corrected for collisions."""
    _require_finite(density)
    size = estimator.universe.size
    if isinstance(estimator.universe, HashedUniverse):
        return _users_at(min(max(density, 0.0), 1 - 1 / size) * size, size)
    return density * size


def _require_finite(released: float) -> None:
    if not math.isfinite(released):
        raise InputError(f"the released density must be a finite number, as every release is, got {released!r}")


def _occupied_interval(estimator: KnownOutput, released: float, tail: float) -> tuple[int, int]:
    """Ends of the number of users present, each excluded by an exact one-sided test of size ``tail``.

    The lower end L is the least number that the one test accepts, the upper end H the largest that the
    other does: the truth lies below L with probability at most ``tail``, and above H. An output between
    two numbers that it can hardly come from is rejected by one test or the other for all of them, and
    then ``L > H``. Between the two in order of size, the interval still covers: that the truth lies
    below ``min(L, H)`` implies that it lies below L, and above ``max(L, H)`` that it lies above H.
    """
    size, m = estimator.universe.size, estimator.sample_size
    at_most = less = _output_cdf(estimator, released)
    if isinstance(estimator, CalibratedCells):  # other outputs have a density
        less = _output_cdf(estimator, released, strictly=True)

    def probability(event: Callable[[NDArray[np.int64]], NDArray[np.float64]], present: int) -> float:
        """P(event) when ``present`` users of the universe have appeared."""
        sampled, weights = _sampled_present(size, present, m)
        return float(np.clip(weights @ event(sampled), 0, 1))

    # The output grows stochastically with the number present: both tests are monotone in it.
    low = _first(lambda present: 1 - probability(less, present) > tail, size)
    high = size - _first(lambda absent: probability(at_most, size - absent) > tail, size)
    return min(low, high), max(low, high)


def _sampled_present(size: int, present: int, m: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Numbers k of present users in a sample of m, and their hypergeometric probabilities.

    They come from the ratios ``p(k+1)/p(k) = (D-k)(m-k)/((k+1)(U-D-m+k+1))``: factorials of a universe
    of ``2^62`` would cancel to nothing, and the cost does not depend on its size. More than twelve
    standard deviations away there is nothing that a double could tell.
    """
    centre = m * (present / size)
    spread = math.sqrt(centre * (1 - present / size)) + 1
    low = max(0, m - (size - present), math.floor(centre - 12 * spread))
    high = min(m, present, math.ceil(centre + 12 * spread))
    sampled = np.arange(low, high + 1)
    k = sampled[:-1]
    ratios = (present - k) * ((m - k) / (k + 1.0)) / (size - present - m + k + 1)
    logarithms = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    weights = np.exp(logarithms - logarithms.max())
    return sampled, weights / weights.sum()


def _first(holds: Callable[[int], bool], most: int) -> int:
    """The least n in 0..most for which a monotone condition holds; ``most`` if it never does."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _output_cdf(
    estimator: KnownOutput, released: float, *, strictly: bool = False
) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """P(output <= released), or P(output < released), as a function of the number k of sampled users present."""
    m = estimator.sample_size
    released = min(max(released, -_FAR), _FAR)
    reach, centre = 12 * _spread(estimator), released * m
    window = np.clip(np.linspace(centre - reach, centre + reach, _NODES), 0, m).round().astype(np.int64)
    nodes = np.union1d([0, m], window)
    if isinstance(estimator, SampledCells) and isinstance(estimator.cells, LaplaceCells):
        values = _laplace_cdf(estimator, released, nodes)
    else:
        values = _bernoulli_cdf(estimator, released, nodes, strictly=strictly)
    if nodes.size == m + 1:
        return lambda sampled: values[sampled]
    from scipy.interpolate import PchipInterpolator

    smooth = PchipInterpolator(nodes, values)
    return lambda sampled: np.asarray(smooth(sampled), dtype=np.float64)


def _spread(estimator: KnownOutput) -> float:
    """Standard deviation of the output given the sample, in sampled users."""
    cells, m = estimator.cells, estimator.sample_size
    if isinstance(cells, LaplaceCells):
        variance_of_cell = 2 * cells.scale**2
    else:
        variance_of_cell = max(p * (1 - p) for p in (cells.p_init, cells.p_upd))
    gap = cells.updated_mean - cells.initial_mean
    if isinstance(estimator, CalibratedCells):
        noise = math.sqrt(noise_variance(estimator.up, estimator.down)) / gap
    else:
        noise = math.sqrt(2) * estimator.noise_scale * m
    return math.sqrt(m * variance_of_cell) / gap + noise


def _noise_cdf(estimator: KnownOutput, released: float, strictly: bool) -> NDArray[np.float64]:
    """P(output <= released), or P(output < released), given each count of ones from 0 to m."""
    cells, m = estimator.cells, estimator.sample_size
    gap = cells.updated_mean - cells.initial_mean
    if isinstance(estimator, SampledCells):
        deviation = (released - (np.arange(m + 1) / m - cells.initial_mean) / gap) / estimator.noise_scale
        tail = 0.5 * np.exp(-np.abs(deviation))
        return np.where(deviation < 0, tail, 1 - tail)
    up, down = estimator.up, estimator.down
    count = released * m * gap + estimator.centre()
    last = math.ceil(count - _ROUNDING) - 1 if strictly else math.floor(count + _ROUNDING)
    noise = float(last) - np.arange(m + 1)
    beyond = up ** np.maximum(noise + 1, 0) * (1 - down) / (1 - up * down)
    below = down ** np.maximum(-noise, 0) * (1 - up) / (1 - up * down)
    return np.asarray(np.where(noise < 0, below, 1 - beyond), dtype=np.float64)


def _bernoulli_cdf(
    estimator: KnownOutput, released: float, present: NDArray[np.int64], *, strictly: bool = False
) -> NDArray[np.float64]:
    """P(output <= released | k present), or with <: the sum of two binomials and the noise."""
    from scipy.signal import fftconvolve

    cells, m = estimator.cells, estimator.sample_size
    assert isinstance(cells, BernoulliCells)
    noise = _noise_cdf(estimator, released, strictly)
    result = np.empty(present.size)
    for place, k in enumerate(present.tolist()):
        (start, inside), (begin, outside) = _binomial(k, cells.p_upd), _binomial(m - k, cells.p_init)
        weights = np.clip(fftconvolve(inside, outside), 0, None)
        first = start + begin
        result[place] = weights @ noise[first : first + weights.size] / weights.sum()
    return result


def _binomial(n: int, p: float) -> tuple[int, NDArray[np.float64]]:
    """The least number within twelve standard deviations of the mean, and the probabilities from there on."""
    from scipy.stats import binom

    spread = math.sqrt(n * p * (1 - p)) + 1
    low, high = max(0, math.floor(n * p - 12 * spread)), min(n, math.ceil(n * p + 12 * spread))
    return low, np.asarray(binom.pmf(np.arange(low, high + 1), n, p), dtype=np.float64)


def _laplace_cdf(estimator: SampledCells, released: float, present: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(output <= released | k present): ``m + 1`` Laplace variables of the same scale, around k/m.

    A sum of n Laplace variables is the difference of two Gamma(n) variables, of which one is
    integrated out by Gauss-Legendre quadrature.
    """
    from scipy.stats import gamma

    m = estimator.sample_size
    n = m + 1
    reach = 12 * math.sqrt(n) + 40
    nodes, weights = _quadrature()
    low, high = max(0.0, n - reach), n + reach
    y = low + (nodes + 1) * (high - low) / 2
    density = weights * gamma.pdf(y, n)
    deviation = (released - present / m) / estimator.noise_scale
    return np.asarray(gamma.cdf(deviation[:, None] + y, n) @ density / density.sum(), dtype=np.float64)


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.polynomial.legendre.leggauss(512)


def _users_at(cells: float, size: int) -> float:
    """The number of users whose expected number of occupied cells is ``cells``."""
    return math.log1p(-cells / size) / math.log1p(-1 / size) if cells > 0 and size > 1 else max(cells, 0.0)


def _users_from_cells(low: int, high: int, size: int, missed: float) -> tuple[float, float]:
    """Users that are compatible with ``low`` to ``high`` occupied cells.

    The number of occupied cells changes by at most one with each user's cell, so that by McDiarmid's
    inequality it deviates from its mean by more than ``sqrt(n log(2/missed)/2)`` to either side with
    probability ``missed/2`` at most.

    The lower end is where the mean plus that deviation reaches ``low``: both grow with n. The mean
    *minus* the deviation grows and falls again, as the mean cannot exceed the number of cells. That it
    reaches ``high`` for one whole number n is enough to exclude all larger ones: a further user never
    frees a cell, so that at most ``high`` cells are occupied with a probability that falls with n. If
    there is no such n the upper end is infinite: that many cells may be occupied by any number of users.
    """
    factor = math.sqrt(math.log(2 / missed) / 2)

    def mean(users: float) -> float:
        return size * -math.expm1(users * math.log1p(-1 / size)) if size > 1 else min(users, 1.0)

    def crossing(excess: Callable[[float], float]) -> float:
        from scipy.optimize import brentq

        if excess(0.0) >= 0:
            return 0.0
        most = 1.0
        while excess(most) < 0:
            most *= 2
            if most > 64 * size:
                return math.inf
        return float(brentq(excess, 0.0, most))

    def too_few(users: float) -> float:
        return mean(users) - factor * math.sqrt(users) - high

    upper = crossing(too_few)
    # Users are whole: the next whole number must be excluded as well, up to the rounding of the two terms.
    if math.isfinite(upper) and too_few(math.ceil(upper)) < -1e-12 * high:
        upper = math.inf
    return crossing(lambda users: mean(users) + factor * math.sqrt(users) - low), upper
