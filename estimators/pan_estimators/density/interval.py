"""Confidence intervals for the density, from the released number alone.

Three sources of error separate the released number from the density: the choice of the sample,
the values of the cells, and the noise of the output. For a hashed universe, collisions are a fourth.
The interval inverts the exact distribution of the output under all of them. It uses the released
number and the public configuration, never the state, so that it tells an adversary nothing new.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.calibration import noise_variance
from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_estimators.density.sampled_cells import CalibratedCells, SampledCells
from pan_estimators.numerics import MonotoneCurve, binomial, distribution_of_sum, laplace_sum_cdf
from pan_estimators.universes.collisions import require_finite, users_from_cells
from pan_estimators.universes.universe import HashedUniverse
from pan_promises.errors import InputError, require_probability

_SHARE_OF_COLLISIONS = 0.1
_NODES = 257
"""The number of numbers of present users at which the distribution is computed. They are 0.1 standard deviations
apart. It is interpolated monotonically between them."""
_FAR = 1e200
"""Releases are limited to this size, so that no product with them overflows."""
_ROUNDING = 1e-6
"""A noisy count computed from a release is rounded to an integer within this distance."""

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
        The ends for the density, in [0, 1].
    count_low, count_high
        The ends for the distinct count, in users. The upper end may be infinite for a hashed universe.
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
        The estimator that released.
    released
        The released density, a finite number.
    level
        Confidence, in (0, 1).

    Raises
    ------
    InputError
        For an estimator with a sample that depends on the stream, because its output has no known distribution;
        for a released density that is not finite; for a level out of range.
    """
    require_finite(released)
    require_probability("the confidence level", level)
    if not isinstance(estimator, KnownOutput):
        raise InputError(f"the output of {estimator.name} has no known distribution, hence no interval")
    universe = estimator.universe
    hashed = isinstance(universe, HashedUniverse)
    missed = (1 - level) * (1 - _SHARE_OF_COLLISIONS if hashed else 1)
    low, high = _occupied_interval(estimator, released, missed / 2)
    count_low, count_high = float(low), float(high)
    if hashed:
        count_low, count_high = users_from_cells(low, high, universe.size, (1 - level) * _SHARE_OF_COLLISIONS)
    return CountInterval(level, low / universe.size, high / universe.size, count_low, count_high)


def _occupied_interval(estimator: KnownOutput, released: float, tail: float) -> tuple[int, int]:
    """The ends of the number of present users, each excluded by an exact one-sided test of size ``tail``.

    The lower end L is the least number that one test accepts, the upper end H the largest that the
    other accepts: the truth lies below L with probability at most ``tail``, and so above H. If an output lies
    between two numbers and hardly comes from either, every number is rejected by one of the tests, and
    ``L > H``. The two ends are then exchanged, and the interval still covers: if the truth lies
    below ``min(L, H)`` it lies below L, and if it lies above ``max(L, H)`` it lies above H.
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
    """The numbers k of present users in a sample of m, and their hypergeometric probabilities.

    They come from the ratios ``p(k+1)/p(k) = (D-k)(m-k)/((k+1)(U-D-m+k+1))``: factorials of a universe
    of ``2^62`` would cancel to nothing, and the cost does not depend on its size. Probabilities more than twelve
    standard deviations away are below the precision of a double.
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
    return MonotoneCurve.through(nodes, values)


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
    cells, m = estimator.cells, estimator.sample_size
    assert isinstance(cells, BernoulliCells)
    noise = _noise_cdf(estimator, released, strictly)
    result = np.empty(present.size)
    for place, k in enumerate(present.tolist()):
        (start, inside), (begin, outside) = binomial(k, cells.p_upd), binomial(m - k, cells.p_init)
        weights = distribution_of_sum(inside, outside)
        first = start + begin
        result[place] = weights @ noise[first : first + weights.size] / weights.sum()
    return result


def _laplace_cdf(estimator: SampledCells, released: float, present: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(output <= released | k present): ``m + 1`` Laplace variables of the same scale, around k/m."""
    m = estimator.sample_size
    return laplace_sum_cdf((released - present / m) / estimator.noise_scale, m + 1)
