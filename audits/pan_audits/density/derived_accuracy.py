"""Statements about the error that follow from the definition of the mechanism, by the symbolic derivation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pan_audits.accuracy.result import DERIVED
from pan_estimators.common.accuracy_statement import AccuracyStatement, Quantity, Relation
from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.density.target import Target


def derived_statements(estimator: Any) -> tuple[AccuracyStatement, ...] | None:
    """The exact variance of :class:`SampledCells` for its actual sampling, from the symbolic derivation."""
    if not isinstance(estimator, SampledCells):
        return None
    common = {"claim": DERIVED, "quantity": Quantity.VARIANCE, "relation": Relation.EQUALS}
    fixed = AccuracyStatement(**common, target=Target.SAMPLED_DENSITY, value=_GivenSample(estimator))  # type: ignore[arg-type]
    if estimator.sample_size == estimator.universe.size:
        return (fixed,)
    return fixed, AccuracyStatement(**common, target=Target.DENSITY, value=_OverSamples(estimator))  # type: ignore[arg-type]


@dataclass(frozen=True)
class _GivenSample:
    estimator: SampledCells

    def __call__(self, density: float, sampled: float) -> float:
        moments, parameters = _derivation(self.estimator.cells)
        noise = self.estimator.noise_scale
        return float(moments.variance_given_sample(density, sampled, noise, *parameters))


@dataclass(frozen=True)
class _OverSamples:
    estimator: SampledCells

    def __call__(self, density: float, sampled: float) -> float:
        moments, parameters = _derivation(self.estimator.cells)
        universe, noise = self.estimator.universe.size, self.estimator.noise_scale
        return float(moments.variance_over_samples(density, universe, sampled, noise, *parameters))


def _derivation(cells: BernoulliCells | LaplaceCells) -> tuple[Any, tuple[float, ...]]:
    from pan_proofs.density.lemmas.losses.sampled_cells import bernoulli_moments, laplace_moments

    if isinstance(cells, LaplaceCells):
        return laplace_moments(), (cells.mu_init, cells.mu_upd, cells.scale)
    return bernoulli_moments(), (cells.p_init, cells.p_upd)
