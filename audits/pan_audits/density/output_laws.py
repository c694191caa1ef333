"""The known distributions of cells and of their output: the density of observations, and confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pan_audits.judging.capabilities import Floats, IntervalOf, Likelihood, Stretches
from pan_estimators.density.calibrated_cells import CalibratedCells
from pan_estimators.density.interval import confidence_interval
from pan_estimators.density.likelihood import log_likelihood, log_likelihood_of_many
from pan_estimators.density.sampled_cells import SampledCells


@dataclass(frozen=True)
class _CellLikelihood:
    estimator: SampledCells | CalibratedCells

    def of_runs(self, states: Sequence[Any], outputs: Floats | None, streams: Sequence[Stretches]) -> Floats | None:
        return log_likelihood(self.estimator, states, outputs, streams)

    def of_many(self, states: Any, outputs: Floats | None, streams: Sequence[Stretches]) -> Floats | None:
        return log_likelihood_of_many(self.estimator, states, outputs, streams)


def likelihood(estimator: Any) -> Likelihood | None:
    """The density of the observations of cells."""
    return _CellLikelihood(estimator) if isinstance(estimator, (SampledCells, CalibratedCells)) else None


def interval(estimator: Any) -> IntervalOf | None:
    """Confidence intervals for the density, from an output of cells."""
    if isinstance(estimator, (SampledCells, CalibratedCells)):
        return partial(confidence_interval, estimator)
    return None
