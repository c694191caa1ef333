"""Second and fourth moments of the error of estimators with a fixed sample, from the distributions of their parts.

Let K of the m sampled users appear: K is hypergeometric. Given K the output is d(S_M) = K/m plus a sum of
independent variables with mean 0, the centred cells over ``m gap`` and the noise; its cumulants are the sums of
theirs, and its fourth central moment is ``kappa_4 + 3 kappa_2^2``. With ``a = K/m - d`` the error about d(S) has

    E[error^2 | K] = a^2 + kappa_2,
    E[error^4 | K] = a^4 + 6 a^2 kappa_2 + 4 a kappa_3 + kappa_4 + 3 kappa_2^2,

and both are averaged over K. About d(S_M), a is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.density.simulation import FixedStream, TruncatedGaussianCells
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.pan_private_distinct_sampling import PanPrivateDistinctSampling
from pan_estimators.density.printed import optimal_bernoulli
from pan_estimators.density.sampled_cells import CalibratedCells, SampledCells
from pan_estimators.density.target import Target

_FAR = 40.0
"""Values of K are left out beyond this number of standard deviations from its mean."""

_ROUNDING = 1e-6

_NEGLIGIBLE = 1e-30


@dataclass(frozen=True)
class Cumulants:
    """The variance and the third and fourth cumulants of one random variable."""

    second: float
    third: float
    fourth: float


@dataclass(frozen=True)
class ErrorMoments:
    """The moments of the error of an estimator on a stream.

    Attributes
    ----------
    second
        The mean squared error.
    flatness
        A bound on ``E[error^4]/E[error^2]^2``: the computed value plus a margin for rounding.
    """

    second: float
    flatness: float


def error_moments(estimator: Any, stream: FixedStream, target: Target) -> ErrorMoments | None:
    """The moments of the error, or ``None`` for an estimator whose sample is not fixed beforehand.

    If distinct sampling is never full (except with probability 1e-30), its sample contains everyone.
    """
    if isinstance(estimator, PanPrivateDistinctSampling) and _never_full(estimator, stream):
        whole = optimal_bernoulli(universe=estimator.universe, epsilon=estimator.epsilon, sample_size=stream.universe)
        return error_moments(whole, stream, target)
    parts = _parts(estimator)
    if parts is None:
        return None
    absent, present, gap, noise = parts
    m = estimator.sample_size
    k, weights = _sampled_present(stream.universe, stream.distinct, m)
    unit = m * gap
    second = (k * present.second + (m - k) * absent.second + noise.second) / unit**2
    third = (k * present.third + (m - k) * absent.third + noise.third) / unit**3
    fourth = (k * present.fourth + (m - k) * absent.fourth + noise.fourth) / unit**4
    a = k / m - stream.density if target is Target.DENSITY else np.zeros(k.size)
    square = float(weights @ (a**2 + second))
    power = float(weights @ (a**4 + 6 * a**2 * second + 4 * a * third + fourth + 3 * second**2))
    return ErrorMoments(square, power / square**2 * (1 + _ROUNDING))


def _never_full(estimator: PanPrivateDistinctSampling, stream: FixedStream) -> bool:
    chance = chance_of_filling(stream.universe, stream.length, estimator.sample_size, estimator.epsilon)
    return chance < _NEGLIGIBLE


def _parts(estimator: Any) -> tuple[Cumulants, Cumulants, float, Cumulants] | None:
    """A cell before and after an appearance, the gap of their means, and the noise in units of the sum of cells."""
    if isinstance(estimator, CalibratedCells):
        absent, present = (_bernoulli(p) for p in (estimator.cells.p_init, estimator.cells.p_upd))
        up, down = _geometric(estimator.up), _geometric(estimator.down)
        noise = Cumulants(up.second + down.second, up.third - down.third, up.fourth + down.fourth)
        return absent, present, estimator.cells.p_upd - estimator.cells.p_init, noise
    if isinstance(estimator, SampledCells):
        cells: Any = estimator.cells
        gap = cells.updated_mean - cells.initial_mean
        absent, present = _of_cells(cells)
        return absent, present, gap, _laplace(estimator.noise_scale * estimator.sample_size * gap)
    return None


def _of_cells(cells: Any) -> tuple[Cumulants, Cumulants]:
    if isinstance(cells, BernoulliCells):
        return _bernoulli(cells.p_init), _bernoulli(cells.p_upd)
    if isinstance(cells, TruncatedGaussianCells):
        absent = _tilted(cells.epsilon)
        return absent, Cumulants(absent.second, -absent.third, absent.fourth)
    return _laplace(cells.scale), _laplace(cells.scale)


def _bernoulli(p: float) -> Cumulants:
    variance = p * (1 - p)
    return Cumulants(variance, variance * (1 - 2 * p), variance * (1 - 6 * variance))


def _laplace(scale: float) -> Cumulants:
    return Cumulants(2 * scale**2, 0.0, 12 * scale**4)


def _geometric(ratio: float) -> Cumulants:
    """The cumulants of the distribution ``(1 - r) r^k`` on k = 0, 1, ..."""
    rest = 1 - ratio
    return Cumulants(ratio / rest**2, ratio * (1 + ratio) / rest**3, ratio * (1 + 4 * ratio + ratio**2) / rest**4)


@lru_cache(maxsize=64)
def _tilted(epsilon: float) -> Cumulants:
    """The cumulants of the distribution on [0, 1] with a density proportional to ``exp(-epsilon x^2)``."""
    from scipy.integrate import quad

    def moment(power: int, centre: float) -> float:
        return float(quad(lambda x: (x - centre) ** power * np.exp(-epsilon * x * x), 0, 1, epsabs=0, epsrel=1e-12)[0])

    total = moment(0, 0.0)
    mean = moment(1, 0.0) / total
    second, third, fourth = (moment(power, mean) / total for power in (2, 3, 4))
    return Cumulants(second, third, fourth - 3 * second**2)


def _sampled_present(users: int, present: int, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values of K with their probabilities."""
    from scipy.special import gammaln

    density = present / users
    mean = size * density
    spread = np.sqrt(mean * (1 - density) * (users - size) / (users - 1))
    low = max(0, size - (users - present), int(mean - _FAR * spread) - 1)
    high = min(size, present, int(mean + _FAR * spread) + 1)
    k = np.arange(low, high + 1)
    # The rest of the logarithm is the same for all k.
    parts = (k, present - k, size - k, users - present - size + k)
    logarithm = -sum(gammaln(part + 1.0) for part in parts)
    weights = np.exp(logarithm - logarithm.max())
    return k.astype(np.float64), weights / weights.sum()


def chance_of_filling(users: int, length: int, size: int, epsilon: float) -> float:
    """A bound on the probability that the sample of distinct sampling is ever full.

    Before the sample is full for the first time every user is a member independently, with probability at most
    ``q = (1 + tanh(epsilon/2))/2``. By Chernoff's bound, m of them are members at one time with probability at
    most ``exp(-U KL(m/U, q))``, and there are ``U + T`` times. While it is not full, the algorithm is OptBern with
    everyone sampled, bit for bit, and so is its output.
    """
    q, part = (1 + tanh(epsilon / 2)) / 2, size / users
    if part <= q:
        return 1.0
    rest = (1 - part) * log((1 - part) / (1 - q)) if part < 1 else 0.0
    return min(1.0, (users + length) * exp(-users * (part * log(part / q) + rest)))
