"""Bias, variance, squared error and probability of error, against what is stated and what is derived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pan_audits.accuracy.inputs import MeasuredInput, measured_inputs
from pan_audits.accuracy.judge import judge
from pan_audits.accuracy.mechanism import AccuracyMechanism
from pan_audits.accuracy.result import AccuracyResult
from pan_audits.auditing.sampler import Sampler, requests_for
from pan_audits.judging.capabilities import derived_accuracy
from pan_audits.statistics import ErrorBudget
from pan_promises.problem import STREAM, Problem

_PURPOSE = 10


def audit_accuracy(
    estimator: Any,
    sampler: Sampler,
    budget: ErrorBudget,
    *,
    entropy: int,
    runs: int,
    problem: Problem = STREAM,
    inputs: Sequence[MeasuredInput] | None = None,
) -> list[AccuracyResult]:
    """Test every statement about the error, on several inputs.

    Statements are refuted by exact or anytime-valid tests; no normal approximation decides. That a
    stated *equality* is too large can be shown only with a bound on the tail of the error, which is
    taken from the stated distribution of cells and noise.
    """
    statements = tuple(getattr(estimator, "statements", ())) + derived_accuracy(estimator)
    if not statements:
        return []
    estimands = tuple(dict.fromkeys(statement.target for statement in statements))
    if inputs is None:
        inputs = measured_inputs(estimator, problem, estimands)
    own = replace(sampler, mechanism=AccuracyMechanism(estimator, estimands, problem), runs=0)
    results: list[AccuracyResult] = []
    cases = len(statements) * len(inputs)
    for one in inputs:
        requests = requests_for(one.group, one.place, runs, entropy=entropy, purpose=_PURPOSE, chunk=0)
        (table,) = own.draw_joined([requests])
        for number, statement in enumerate(statements):
            share = budget.share(f"statement {number} at {one.label}", cases)
            results.append(judge(estimator, statement, one.label, table, share))
    sampler.runs += own.runs
    return results
