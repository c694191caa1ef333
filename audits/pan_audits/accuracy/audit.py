"""Bias, variance, squared error and probability of error, against what is stated and what is derived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Any

import numpy as np

from pan_audits.accuracy.mechanism import (
    DENSITY,
    OUTPUT,
    SAMPLED_DENSITY,
    SAMPLED_USERS,
    AccuracyMechanism,
    stream_of_density,
)
from pan_audits.accuracy.tails import CAP, stated_tail
from pan_audits.events import Table
from pan_audits.pairs.side import Id
from pan_audits.running.sampler import Sampler, requests_for
from pan_audits.statistics import ErrorBudget, mean_above_zero, second_moment_above, second_moment_below
from pan_audits.verdict import Verdict
from pan_estimators import (
    AccuracyStatement,
    BernoulliCells,
    LaplaceCells,
    Quantity,
    Relation,
    SampledCells,
    Target,
)

_PURPOSE = 10
_DENSITIES = (0.5, 1.0)
_ROOM = 2.0
DERIVED = "derived"
"""Claim id of what follows from the definition of the mechanism, whatever a source says."""


@dataclass(frozen=True)
class AccuracyResult:
    """What the runs say about one statement, at one density.

    Attributes
    ----------
    statement
        What was stated.
    density
        Density of the stream.
    stated, measured
        The stated and the measured value.
    verdict
        ``REFUTED`` or ``NOT_REFUTED``.
    runs
        Number of runs.
    detectable
        The smallest deviation from the stated value that would have been caught with 95% power,
        in the unit of the value; ``None`` for a probability of error.
    """

    statement: AccuracyStatement
    density: float
    stated: float
    measured: float
    verdict: Verdict
    runs: int
    detectable: float | None

    def describe(self) -> str:
        """The result in one line."""
        statement = self.statement
        what = f"{statement.quantity} at density {self.density:g}"
        if statement.alpha is not None:
            what += f" (alpha {statement.alpha:g})"
        told = f"{what} {statement.relation} {self.stated:.4g} [{statement.claim}]: measured {self.measured:.4g}"
        if self.verdict is Verdict.REFUTED:
            return f"{told}: REFUTED"
        caught = "" if self.detectable is None else f", a deviation of {self.detectable:.2g} would have been caught"
        return f"{told}: not refuted{caught}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "claim": self.statement.claim,
            "quantity": str(self.statement.quantity),
            "relation": str(self.statement.relation),
            "target": str(self.statement.target),
            "alpha": self.statement.alpha,
            "density": self.density,
            "stated": self.stated,
            "measured": self.measured,
            "verdict": str(self.verdict),
            "runs": self.runs,
            "detectable": self.detectable,
        }


def audit_accuracy(
    estimator: Any,
    population: Sequence[Id],
    sampler: Sampler,
    budget: ErrorBudget,
    *,
    entropy: int,
    runs: int,
    densities: Sequence[float] = _DENSITIES,
) -> list[AccuracyResult]:
    """Test every statement about the error, at several densities of the stream.

    Statements are refuted by exact or anytime-valid tests; no normal approximation decides. That a
    stated *equality* is too large can be shown only with a bound on the tail of the error, which is
    taken from the stated distribution of cells and noise.

    Parameters
    ----------
    estimator
        With ``universe`` and ``statements``; without statements there is nothing to test.
    population
        All ids of the universe, or as many as there are at hand.
    sampler
        Its workers, limits and journal are used.
    budget
        Split over statements, densities and directions.
    entropy, runs
        Seed, and number of runs for each density.
    densities
        Fractions of the population that appear.
    """
    statements = tuple(getattr(estimator, "statements", ())) + derived_statements(estimator)
    if not statements:
        return []
    own = replace(sampler, mechanism=AccuracyMechanism(estimator), runs=0)
    results: list[AccuracyResult] = []
    cases = len(statements) * len(densities)
    for density in densities:
        family = stream_of_density(population, round(density * len(population)))
        requests = requests_for(family, 0, runs, entropy=entropy, purpose=_PURPOSE, chunk=0)
        (table,) = own.draw_joined([requests])
        for number, statement in enumerate(statements):
            share = budget.share(f"statement {number} at {density:g}", cases)
            results.append(_test(estimator, statement, statements, table, share))
    sampler.runs += own.runs
    return results


def derived_statements(estimator: Any) -> tuple[AccuracyStatement, ...]:
    """The exact variance for the estimator's actual sampling, from the symbolic derivation."""
    if not isinstance(estimator, SampledCells):
        return ()
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
    from pan_proofs import bernoulli_moments, laplace_moments

    if isinstance(cells, LaplaceCells):
        return laplace_moments(), (cells.mu_init, cells.mu_upd, cells.scale)
    return bernoulli_moments(), (cells.p_init, cells.p_upd)


def _test(
    estimator: Any,
    statement: AccuracyStatement,
    statements: Sequence[AccuracyStatement],
    table: Table,
    budget: ErrorBudget,
) -> AccuracyResult:
    usable = table.values[~np.isnan(table.column(SAMPLED_DENSITY)) & (table.column(SAMPLED_USERS) > 0)]
    table = Table(table.names, usable)
    target = table.column(SAMPLED_DENSITY if statement.target is Target.SAMPLED_DENSITY else DENSITY)
    error = table.column(OUTPUT) - target
    values = _values(statement, target, table.column(SAMPLED_USERS))
    density = float(table.column(DENSITY)[0])
    if statement.quantity is Quantity.ERROR_PROBABILITY:
        return _test_probability(statement, density, error, float(values[0]), budget)
    if statement.quantity is Quantity.BIAS:
        return _test_bias(statement, statements, density, error, target, table.column(SAMPLED_USERS), budget)
    return _test_square(estimator, statement, density, error, values, budget)


def _values(statement: AccuracyStatement, density: Any, sampled: Any) -> Any:
    known: dict[tuple[float, float], float] = {}
    pairs = list(zip(density.tolist(), sampled.tolist(), strict=True))
    for pair in pairs:
        if pair not in known:
            known[pair] = statement.value(*pair)
    return np.array([known[pair] for pair in pairs])


def _test_probability(
    statement: AccuracyStatement, density: float, error: Any, stated: float, budget: ErrorBudget
) -> AccuracyResult:
    from scipy.stats import binom

    assert statement.alpha is not None
    wrong, runs = int((np.abs(error) >= statement.alpha).sum()), error.size
    refuted = stated < 1 and float(binom.sf(wrong - 1, runs, stated)) <= budget.error
    return AccuracyResult(statement, density, stated, wrong / runs, _verdict(refuted), runs, None)


def _test_bias(
    statement: AccuracyStatement,
    statements: Sequence[AccuracyStatement],
    density: float,
    error: Any,
    target: Any,
    sampled: Any,
    budget: ErrorBudget,
) -> AccuracyResult:
    """Refute "no bias" where the mean squared error is at most twice what is stated or derived."""
    scale = max(
        (
            float(_values(other, target[:64], sampled[:64]).max())
            for other in statements
            if other.target is statement.target and other.quantity in (Quantity.VARIANCE, Quantity.MEAN_SQUARED_ERROR)
        ),
        default=float("inf"),
    )
    runs = error.size
    if scale == float("inf"):
        return AccuracyResult(statement, density, 0.0, float(error.mean()), Verdict.INCONCLUSIVE, runs, None)
    standardised = error / sqrt(_ROOM * scale)
    refuted = any(mean_above_zero(sign * standardised).refutes(budget.error / 2) for sign in (1, -1))
    detectable = sqrt(_ROOM * scale) * _detectable(1.0 / _ROOM, runs, budget.error / 2)
    return AccuracyResult(statement, density, 0.0, float(error.mean()), _verdict(refuted), runs, detectable)


def _test_square(
    estimator: Any, statement: AccuracyStatement, density: float, error: Any, values: Any, budget: ErrorBudget
) -> AccuracyResult:
    ratios = error**2 / values
    two_sided = statement.relation is Relation.EQUALS and isinstance(estimator, SampledCells)
    share = budget.error / (2 if two_sided else 1)
    refuted = second_moment_above(ratios).refutes(share)
    if two_sided:
        tail = stated_tail(estimator, float(values.min()))
        refuted = refuted or second_moment_below(ratios, cap=CAP, tail=tail).refutes(share)
    stated = float(values.mean())
    detectable = stated * _detectable(float(ratios.var()), error.size, share)
    return AccuracyResult(
        statement, density, stated, float(ratios.mean()) * stated, _verdict(refuted), error.size, detectable
    )


def _detectable(variance: float, runs: int, error: float) -> float:
    """Deviation of a mean at which ``runs`` bets reach ``1/error`` with 95% power, to second order."""
    quantile = 1.645
    return sqrt(variance / runs) * (quantile + sqrt(quantile**2 + 2 * log(1 / error)))


def _verdict(refuted: bool) -> Verdict:
    return Verdict.REFUTED if refuted else Verdict.NOT_REFUTED
