"""Runs of an estimator on inputs whose true values are known, and the test of each statement about its error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pan_audits.accuracy.judge import judge
from pan_audits.accuracy.result import AccuracyResult, MeasuredInput, measured_inputs
from pan_audits.audit.sampler import Sampler
from pan_audits.events import Table
from pan_audits.judging.capabilities import derived_accuracy
from pan_audits.problems import judged
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.course import Course, Observation, course_of, is_shipped, run_course
from pan_audits.subject.running.many_runs import stack_size
from pan_audits.subject.running.runner import RunsApart
from pan_estimators.common.accuracy_statement import Estimand, ManyMeasure, Measure
from pan_estimators.common.many_runs import ManyRuns
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.problem import STREAM, Problem


@dataclass(frozen=True)
class AccuracyRunner:
    """Outputs, and the true values that they estimate."""

    estimator: Any
    estimands: tuple[Estimand, ...]
    problem: Problem = STREAM

    def observe(self, family: Any, place: int, runs: int, seed: Sequence[int]) -> Table:
        """One row for each run: the numbers that the estimands name."""
        course = course_of(family, place)
        given = judged(self.problem).estimated(course)
        prepare = dict.fromkeys(estimand.measure for estimand in self.estimands)
        measures = [make(self.estimator, given) for make in prepare]
        at_once = isinstance(self.estimator, ManyRuns) and is_shipped(self.estimator)
        many = [measure for measure in measures if isinstance(measure, ManyMeasure)]
        if at_once and len(many) == len(measures):
            return self._many(course, many, runs, NumpyRandomness(np.random.SeedSequence(list(seed))))
        return Table.from_rows(
            [_joined(measures, observation) for observation in self._observations(course, runs, seed)]
        )

    def _observations(self, course: Course, runs: int, seed: Sequence[int]) -> Iterator[Observation]:
        told = hasattr(self.estimator, "sampled_users")
        if isinstance(self.estimator, RunsApart):
            for stack in self.estimator.runs_apart(course, runs, seed, states_seen=False, users_told=told):
                yield from stack
            return
        randomness = NumpyRandomness(np.random.SeedSequence(list(seed)))
        for _ in range(runs):
            yield run_course(self.estimator, course, randomness, states_seen=False, users_told=told)

    def _many(self, course: Course, measures: Sequence[ManyMeasure], runs: int, randomness: Any) -> Table:
        """The table of runs made at once, which a shipped estimator may offer."""
        assert all(step is SegmentEnd.RELEASE for *_, step in course)
        tables = []
        for start in range(0, runs, size := stack_size(self.estimator)):
            states = self.estimator.create_many(min(size, runs - start), randomness)
            outputs, seen = [], []
            for ids, deletions, _ in course:
                if len(ids):
                    chosen = {} if deletions is None else {"deletions": deletions}
                    states = self.estimator.update_many(states, ids, randomness, **chosen)
                seen.append([measure.seen_in(states) for measure in measures])
                outputs.append(self.estimator.release_many(states, randomness))
            columns = {
                name: column
                for place, measure in enumerate(measures)
                for name, column in measure.of_many(outputs, [each[place] for each in seen]).items()
            }
            tables.append(Table(tuple(columns), np.column_stack(list(columns.values()))))
        return Table.concatenate(tables)


def _joined(measures: Sequence[Measure], observation: Observation) -> dict[str, float]:
    return {
        name: number
        for measure in measures
        for name, number in measure.of_run(observation.outputs, observation.users).items()
    }


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
    own = replace(sampler, runner=AccuracyRunner(estimator, estimands, problem), runs=0)
    results: list[AccuracyResult] = []
    cases = len(statements) * len(inputs)
    for one in inputs:
        (table,) = own.draw_sides([(one.group, one.place)], runs, entropy=entropy, purpose=_PURPOSE, chunk=0)
        for number, statement in enumerate(statements):
            share = budget.share(f"statement {number} at {one.label}", cases)
            results.append(judge(estimator, statement, one.label, table, share))
    sampler.runs += own.runs
    return results
