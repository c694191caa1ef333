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

import numpy as np
from numpy.typing import NDArray

from pan_estimators.cells import BernoulliCells, LaplaceCells
from pan_estimators.errors import InputError, require_probability
from pan_estimators.sampled_cells import SampledCells
from pan_estimators.universe import HashedUniverse

_SHARE_OF_COLLISIONS = 0.1
_NODES = 257
"""The distribution is computed at so many numbers of present users, 0.1 standard deviations apart, and
interpolated monotonically between them."""


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


def confidence_interval(estimator: SampledCells, released: float, *, level: float = 0.95) -> CountInterval:
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
        For an estimator whose sample depends on the stream: its output has no known distribution.
    """
    require_probability("the confidence level", level)
    if not isinstance(estimator, SampledCells):
        raise InputError(f"the output of {estimator.name} has no known distribution, hence no interval")
    universe = estimator.universe
    hashed = isinstance(universe, HashedUniverse)
    missed = (1 - level) * (1 - _SHARE_OF_COLLISIONS if hashed else 1)
    low, high = _occupied_interval(estimator, released, missed / 2)
    count_low, count_high = float(low), float(high)
    if hashed:
        count_low, count_high = _users_from_cells(low, high, universe.size, (1 - level) * _SHARE_OF_COLLISIONS)
    return CountInterval(level, low / universe.size, high / universe.size, count_low, count_high)


def distinct_count(estimator: SampledCells, density: float) -> float:
    """The distinct count that goes with a density; for a hashed universe, corrected for collisions."""
    size = estimator.universe.size
    if isinstance(estimator.universe, HashedUniverse):
        return _users_at(min(max(density, 0.0), 1 - 1 / size) * size, size)
    return density * size


def _occupied_interval(estimator: SampledCells, released: float, tail: float) -> tuple[int, int]:
    """Ends D of the number of users present, each excluded by an exact one-sided test of size ``tail``."""
    from scipy.stats import hypergeom

    size, m = estimator.universe.size, estimator.sample_size
    at_most = _output_cdf(estimator, released)

    def below(present: int) -> float:
        """P(output <= released) when ``present`` users of the universe have appeared."""
        spread = math.sqrt(m * present / size * (1 - present / size)) + 1
        centre = m * present / size
        low = max(0, m - (size - present), math.floor(centre - 12 * spread))
        high = min(m, present, math.ceil(centre + 12 * spread))
        sampled = np.arange(low, high + 1)
        weights = hypergeom.pmf(sampled, size, present, m)
        return float(np.clip(weights @ at_most(sampled) / weights.sum(), 0, 1))

    # The output grows stochastically with the number present: both tests are monotone in it.
    return _first(lambda present: 1 - below(present) > tail, size), size - _first(
        lambda absent: below(size - absent) > tail, size
    )


def _first(holds: Callable[[int], bool], most: int) -> int:
    """The least n in 0..most for which a monotone condition holds; ``most`` if it never does."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _output_cdf(estimator: SampledCells, released: float) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """P(output <= released) as a function of the number k of sampled users that have appeared."""
    cells, m = estimator.cells, estimator.sample_size
    exact = _laplace_cdf if isinstance(cells, LaplaceCells) else _bernoulli_cdf
    reach, centre = 12 * _spread(estimator), released * m
    window = np.clip(np.linspace(centre - reach, centre + reach, _NODES), 0, m).round().astype(np.int64)
    nodes = np.union1d([0, m], window)
    values = exact(estimator, released, nodes)
    if nodes.size == m + 1:
        return lambda sampled: values[sampled]
    from scipy.interpolate import PchipInterpolator

    smooth = PchipInterpolator(nodes, values)
    return lambda sampled: np.asarray(smooth(sampled), dtype=np.float64)


def _spread(estimator: SampledCells) -> float:
    """Standard deviation of the output given the sample, in sampled users."""
    cells, m = estimator.cells, estimator.sample_size
    variance_of_cell = 2 * cells.scale**2 if isinstance(cells, LaplaceCells) else 0.25
    gap = cells.updated_mean - cells.initial_mean
    return math.sqrt(m * variance_of_cell) / gap + math.sqrt(2) * estimator.noise_scale * m


def _bernoulli_cdf(estimator: SampledCells, released: float, present: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(output <= released | k present): the sum of two binomials and a Laplace variable."""
    from scipy.signal import fftconvolve
    from scipy.stats import binom

    cells, m = estimator.cells, estimator.sample_size
    assert isinstance(cells, BernoulliCells)
    estimates = (np.arange(m + 1) / m - cells.p_init) / (cells.p_upd - cells.p_init)
    deviation = (released - estimates) / estimator.noise_scale
    tail = 0.5 * np.exp(-np.abs(deviation))
    noise = np.where(deviation < 0, tail, 1 - tail)
    result = np.empty(present.size)
    for place, k in enumerate(present.tolist()):
        parts = [binom.pmf(np.arange(n + 1), n, p) for n, p in ((k, cells.p_upd), (m - k, cells.p_init))]
        weights = np.clip(fftconvolve(*parts), 0, None)
        result[place] = weights @ noise / weights.sum()
    return result


def _laplace_cdf(estimator: SampledCells, released: float, present: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(output <= released | k present): ``m + 1`` Laplace variables of the same scale, around k/m.

    A sum of n Laplace variables is the difference of two Gamma(n) variables, of which one is
    integrated out by Gauss-Legendre quadrature.
    """
    from scipy.stats import gamma

    m = estimator.sample_size
    n = m + 1
    reach = 12 * math.sqrt(n) + 40
    nodes, weights = np.polynomial.legendre.leggauss(512)
    low, high = max(0.0, n - reach), n + reach
    y = low + (nodes + 1) * (high - low) / 2
    density = weights * gamma.pdf(y, n)
    deviation = (released - present / m) / estimator.noise_scale
    return np.asarray(gamma.cdf(deviation[:, None] + y, n) @ density / density.sum(), dtype=np.float64)


def _users_at(cells: float, size: int) -> float:
    """The number of users whose expected number of occupied cells is ``cells``."""
    return math.log1p(-cells / size) / math.log1p(-1 / size) if cells > 0 and size > 1 else max(cells, 0.0)


def _users_from_cells(low: int, high: int, size: int, missed: float) -> tuple[float, float]:
    """Users that are compatible with ``low`` to ``high`` occupied cells.

    The number of occupied cells changes by at most one with each user's cell, so that by McDiarmid's
    inequality it deviates from its mean by ``sqrt(n log(2/missed)/2)`` with probability ``missed``.
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

    return (
        crossing(lambda users: mean(users) + factor * math.sqrt(users) - low),
        crossing(lambda users: mean(users) - factor * math.sqrt(users) - high),
    )
