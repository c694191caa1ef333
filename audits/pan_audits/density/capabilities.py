"""What is known about the shipped density estimators: losses, variances, distributions of outputs, tails, and inputs.

The tail of a squared error is bounded if the estimator draws its cells and noise as its source states. Stated cells and
noise have known moment generating functions, and by Chernoff's bound, for any l,

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

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.accuracy.result import DERIVED, InputLabel, MeasuredInput
from pan_audits.judging.capabilities import ClosedLoss, ErrorTail, Floats, IntervalOf, Likelihood, Stretches
from pan_audits.problems.inputs.streams.family import Id, materialise
from pan_audits.problems.stream import each_appears_once, users_of
from pan_estimators.common.accuracy_statement import AccuracyStatement, Estimand, Quantity, Relation
from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_estimators.density.distinct.counter import DistinctCounter
from pan_estimators.density.interval import confidence_interval
from pan_estimators.density.likelihood import log_likelihood, log_likelihood_of_many
from pan_estimators.density.sampled_cells import CalibratedCells, SampledCells
from pan_estimators.density.target import Target


def closed_loss(estimator: Any) -> ClosedLoss | None:
    """The joint loss of :class:`CalibratedCells` and of :class:`DistinctCounter`.

    It is ``None`` for any other class, and for one derived from them.
    """
    if type(estimator) not in (CalibratedCells, DistinctCounter):
        return None
    from pan_proofs.density.lemmas.cell_enumeration import Cell, largest_joint_ratio

    calibration, promise = estimator.calibration, estimator.promise
    cell = Cell(
        pairs=tuple((Fraction(pair.p_init), Fraction(pair.p_upd)) for pair in calibration.pairs),
        flips=(Fraction(calibration.flip),) * promise.announced,
        low=Fraction(calibration.down),
        high=1 / Fraction(calibration.up),
    )
    deletions = bool(getattr(estimator, "deletions", False))
    ratio = largest_joint_ratio(cell, announced=promise.announced, outputs=promise.outputs, deletions=deletions)
    return ClosedLoss(ratio, promise.claim or "", compared=type(estimator) is CalibratedCells)


def derived_statements(estimator: Any) -> tuple[AccuracyStatement, ...] | None:
    """The exact variance of :class:`SampledCells` for its actual sampling, from the symbolic derivation."""
    if not isinstance(estimator, SampledCells):
        return None
    common = {"claim": DERIVED, "quantity": Quantity.VARIANCE, "relation": Relation.EQUALS}
    fixed = AccuracyStatement(**common, target=Target.SAMPLED_DENSITY, value=partial(_given_sample, estimator))  # type: ignore[arg-type]
    if estimator.sample_size == estimator.universe.size:
        return (fixed,)
    return fixed, AccuracyStatement(**common, target=Target.DENSITY, value=partial(_over_samples, estimator))  # type: ignore[arg-type]


def _given_sample(estimator: SampledCells, density: float, sampled: float) -> float:
    (given_sample, _), parameters = _derivation(estimator.cells)
    return float(given_sample(density, sampled, estimator.noise_scale, *parameters))


def _over_samples(estimator: SampledCells, density: float, sampled: float) -> float:
    (_, over_samples), parameters = _derivation(estimator.cells)
    return float(over_samples(density, estimator.universe.size, sampled, estimator.noise_scale, *parameters))


def _derivation(cells: BernoulliCells | LaplaceCells) -> tuple[Any, tuple[float, ...]]:
    from pan_proofs.density.lemmas.estimate_errors import error_functions

    if isinstance(cells, LaplaceCells):
        return error_functions("laplace"), (cells.mu_init, cells.mu_upd, cells.scale)
    return error_functions("bits"), (cells.p_init, cells.p_upd)


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


_SHARES = (0.5, 1.0)


def measured_inputs(estimator: Any, estimands: Sequence[Estimand]) -> list[MeasuredInput] | None:
    """Streams in which half and all of the population appear; ``None`` without an estimand of the family."""
    if not any(isinstance(estimand, Target) for estimand in estimands):
        return None
    population = users_of(estimator)
    return [stream_of_density(estimator, population, share) for share in _SHARES]


def stream_of_density(estimator: Any, population: Sequence[Id], share: float) -> MeasuredInput:
    """A stream in which a share of the population appears. It is labelled with its density."""
    stream = each_appears_once(population, round(share * len(population)))
    universe, (ids, _) = estimator.universe, materialise(stream.others[0])
    present = np.unique(universe.encode(ids)).size if len(ids) else 0
    return MeasuredInput(InputLabel("density", present / universe.size), stream)
