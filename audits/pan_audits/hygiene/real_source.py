"""Runs with the randomness of a deployment and with a seeded one: they must have equal distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table
from pan_audits.hygiene.finding import Finding, Severity
from pan_audits.hygiene.looked_at import one_look, table_of
from pan_audits.hygiene.runs_in_time import runs_in_time
from pan_audits.inputs.streams.family import Id
from pan_audits.running.course import Course, Observation, run_course
from pan_audits.running.mechanism import RunsApart
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, VariantError
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_promises.errors import InputError
from pan_promises.extras import is_there

_FEWEST, _RUNS = 100, 400
_SECONDS = 20.0
"""The time of the processor for the runs with one source, which a slow estimator exceeds with the fewest runs only."""

KIND = "kind of randomness"
"""Name of the check."""


@dataclass(frozen=True)
class _BothSources:
    """A task: tables of observations with a seeded randomness and with the secure one."""

    estimator: Any
    first: tuple[Id, ...]
    rest: tuple[Id, ...]
    seed: int

    def __call__(self) -> list[Table] | InputError:
        try:
            runs = self._runs(one_look(self.first, self.rest))
            return [table_of(self.estimator, some, self.first[0]) for some in runs]
        except InputError as problem:
            return problem

    def _runs(self, course: Course) -> Sequence[list[Observation]]:
        if isinstance(self.estimator, RunsApart):
            runs = runs_in_time(self.estimator, course, _RUNS, fewest=_FEWEST, seconds=_SECONDS)
            seeded = self.estimator.runs_apart(course, runs, (self.seed,), states_seen=True)
            secure = self.estimator.secure_runs_apart(course, runs, states_seen=True)
            return [[each for stack in stacks for each in stack] for stacks in (seeded, secure)]
        source = NumpyRandomness(self.seed)
        return [
            [run_course(self.estimator, course, source) for _ in range(_RUNS)],
            [run_course(self.estimator, course, SecureRandomness()) for _ in range(_RUNS)],
        ]


def findings_of_real_source(
    estimator: Any, first: Sequence[Id], rest: Sequence[Id], error: float, limits: Limits, seed: int
) -> list[Finding]:
    """Compare the two distributions, feature by feature."""
    (outcome,) = run_in_workers([_BothSources(estimator, tuple(first), tuple(rest), seed)], 1, limits)
    if isinstance(outcome.result, Failure):
        raise VariantError(outcome.result.sentence)
    if isinstance(outcome.result, InputError) and not is_there("opendp"):
        return [Finding(KIND, Severity.NOTE, f"the randomness of a deployment was not tested: {outcome.result}")]
    if isinstance(outcome.result, InputError):
        raise VariantError(str(outcome.result))
    seeded, secure = outcome.result
    told = differing_feature(seeded, secure, error)
    if not told:
        return []
    return [
        Finding(
            KIND,
            Severity.DEFECT,
            f"with the secure randomness of a deployment, {told!r} has another distribution than with a seeded one: "
            f"an audit with the seeded one says nothing about the deployment",
        )
    ]


def differing_feature(seeded: Table, secure: Table, error: float) -> str:
    """A feature whose distributions differ in two samples; an empty text if there is none.

    Two samples of one law differ in their distribution functions by more than ``2 sqrt(log(4/e)/(2n))`` with
    probability at most e (Dvoretzky, Kiefer and Wolfowitz, with Massart's constant, for each), whatever the law.
    """
    names = list(dict.fromkeys((*seeded.names, *secure.names)))
    runs = min(seeded.runs, secure.runs)
    allowed = 2 * sqrt(log(4 * max(1, len(names)) / error) / (2 * runs))
    distances = {name: _distance(_column(seeded, name), _column(secure, name)) for name in names}
    largest = max(distances, key=distances.__getitem__, default="")
    return largest if largest and distances[largest] > allowed else ""


def _distance(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """The largest difference of two empirical distribution functions."""
    values = np.concatenate([ours, theirs])
    below = [np.searchsorted(np.sort(sample), values, side="right") / sample.size for sample in (ours, theirs)]
    return float(np.abs(below[0] - below[1]).max())


def _column(table: Table, name: str) -> NDArray[np.float64]:
    """A feature. A run without it gets a value below all numbers."""
    if name not in table.names:
        return np.full(table.runs, -np.inf)
    column = table.column(name)
    return np.where(np.isnan(column), -np.inf, column)
