"""How much of a squared error can lie far out, if the estimator draws what its source says it draws.

Stated cells and noise have known moment generating functions, and by Chernoff's bound, for any l,

    P(abs(error) >= x) <= 2 M(l) exp(-l x).

For bits ``M(l) = exp(l^2/(8 m g^2)) / (1 - l^2 b^2)`` with the gap g of the two probabilities
(Hoeffding's lemma) and the scale b of the noise. For Laplace cells the scaled sum of the cells has m
terms of scale ``s/(m g)``, and ``M(l) = (1 - l^2 s^2/(m g)^2)^-m / (1 - l^2 b^2)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pan_estimators import LaplaceCells, SampledCells

CAP = 30.0
"""Squared errors are cut at so many times their stated mean."""


def stated_tail(estimator: SampledCells, mean_square: float) -> float:
    """A bound on ``E[(Z - CAP)+]`` for ``Z = error^2 / mean_square``, by an upper Riemann sum."""
    points = CAP * 1.02 ** np.arange(600)
    exceed = _exceedance(estimator, np.sqrt(points * mean_square))
    return float((exceed[:-1] * np.diff(points)).sum()) + float(exceed[-1] * points[-1])


def _exceedance(estimator: SampledCells, deviations: NDArray[np.float64]) -> NDArray[np.float64]:
    cells, m, noise = estimator.cells, estimator.sample_size, estimator.noise_scale
    gap = cells.updated_mean - cells.initial_mean
    top = 1 / noise
    if isinstance(cells, LaplaceCells):
        top = min(top, m * gap / cells.scale)
    rates = top * np.linspace(0.002, 0.998, 400)
    log_mgf = -np.log1p(-((rates * noise) ** 2))
    if isinstance(cells, LaplaceCells):
        log_mgf = log_mgf - m * np.log1p(-((rates * cells.scale / (m * gap)) ** 2))
    else:
        log_mgf = log_mgf + rates**2 / (8 * m * gap**2)
    exponents = np.log(2) + log_mgf[:, None] - rates[:, None] * deviations[None, :]
    return np.asarray(np.exp(np.minimum(exponents.min(axis=0), 0.0)))
