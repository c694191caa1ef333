"""Bias, variance, squared error and probability of error, against what is stated and what is derived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pan_audits.accuracy.judge import judge
from pan_audits.accuracy.mechanism import AccuracyMechanism, stream_of_density
from pan_audits.accuracy.result import AccuracyResult
from pan_audits.auditing.sampler import Sampler, requests_for
from pan_audits.inputs.streams.side import Id
from pan_audits.judging.capabilities import derived_accuracy
from pan_audits.statistics import ErrorBudget

_PURPOSE = 10
_DENSITIES = (0.5, 1.0)


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
        All ids of the universe, or a part of them.
    sampler
        Its workers, limits and journal are used.
    budget
        Split over statements, densities and directions.
    entropy, runs
        Seed, and number of runs for each density.
    densities
        Fractions of the population that appear.
    """
    statements = tuple(getattr(estimator, "statements", ())) + derived_accuracy(estimator)
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
            results.append(judge(estimator, statement, table, share))
    sampler.runs += own.runs
    return results
