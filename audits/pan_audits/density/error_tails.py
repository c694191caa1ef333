"""A bound on the tail of a squared error, if the estimator draws its cells and noise as its source states.

Stated cells and noise have known moment generating functions, and by Chernoff's bound, for any l,

    P(abs(error) >= x) <= 2 M(l) exp(-l x).

For bits ``M(l) = exp(l^2/(8 m g^2)) / (1 - l^2 b^2)`` with the gap g of the two probabilities
(Hoeffding's lemma) and the scale b of the noise. For Laplace cells the scaled sum of the cells has m
terms of scale ``s/(m g)``, and ``M(l) = (1 - l^2 s^2/(m g)^2)^-m / (1 - l^2 b^2)``.

Around the density of the whole stream, the sampling adds an error. Given the sample, ``E exp(l error)``
is the exponential of a sum over its users, and such an expectation is at most what it is for a sample
*with* replacement (Hoeffding 1963, Theorem 4: it is convex in the sum). With replacement the m terms are
independent. Bits of random users are bits again, in ``[0, 1]/(m g)`` around a mean of d, and Hoeffding's
lemma gives the same factor as for a given sample. The noise of a Laplace cell does not depend on its
user, so that ``d(S_M) - d`` adds a factor of its own: the mean of m indicators, ``exp(l^2/(8 m))``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.judging.capabilities import ErrorTail
from pan_estimators.density.cells import LaplaceCells
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import Target


def error_tail(estimator: Any) -> ErrorTail | None:
    """:func:`stated_tail` of an estimator whose cells and noise are stated; ``None`` for any other."""
    return partial(stated_tail, estimator) if isinstance(estimator, SampledCells) else None


def stated_tail(estimator: SampledCells, mean_square: float, cap: float, target: Target) -> float:
    """A bound on ``E[(Z - cap)+]`` for ``Z = error^2 / mean_square``, by an upper Riemann sum."""
    points = cap * 1.02 ** np.arange(600)
    exceed = _exceedance(estimator, np.sqrt(points * mean_square), target)
    return float((exceed[:-1] * np.diff(points)).sum()) + float(exceed[-1] * points[-1])


def _exceedance(estimator: SampledCells, deviations: NDArray[np.float64], target: Target) -> NDArray[np.float64]:
    cells, m, noise = estimator.cells, estimator.sample_size, estimator.noise_scale
    gap = cells.updated_mean - cells.initial_mean
    top = 1 / noise
    if isinstance(cells, LaplaceCells):
        top = min(top, m * gap / cells.scale)
    rates = top * np.linspace(0.002, 0.998, 400)
    log_mgf = -np.log1p(-((rates * noise) ** 2))
    if isinstance(cells, LaplaceCells):
        log_mgf = log_mgf - m * np.log1p(-((rates * cells.scale / (m * gap)) ** 2))
        if target is Target.DENSITY and m < estimator.universe.size:
            log_mgf = log_mgf + rates**2 / (8 * m)
    else:
        log_mgf = log_mgf + rates**2 / (8 * m * gap**2)
    exponents = np.log(2) + log_mgf[:, None] - rates[:, None] * deviations[None, :]
    return np.asarray(np.exp(np.minimum(exponents.min(axis=0), 0.0)))
