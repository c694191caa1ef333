"""The parts of a report beyond the gate's own results: distributions, parts of the loss, versions."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.audit.sampler import Sampler, streams_of
from pan_audits.audit.settings import Settings
from pan_audits.audit.witness import Counts, Witness
from pan_audits.events import Condition, Event, Table
from pan_audits.exact.instances import SmallInstances, check_in_worker
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.witness import ExactWitness
from pan_audits.gate.gate import GateReport
from pan_audits.gate.overview import part_promise
from pan_audits.notions import Loss
from pan_audits.reports.html.distribution import DistributionTask, ExactDistribution
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.running.runner import EstimatorRunner, with_likelihood_ratio
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, MechanismError
from pan_promises.errors import InputError
from pan_promises.promise import Observed

_PACKAGES = ("panproof", "numpy", "scipy", "sympy", "python-flint", "numba", "matplotlib")
SCOPE_OF_PARTS = CheckSettings(users=2, length=3, appearances=3, runs=1_200)
"""The scope of the exact checks of the state alone and of the output alone: smaller than that for both."""


@dataclass(frozen=True)
class PartLoss:
    """The loss of a part of the observation, on small instances.

    Attributes
    ----------
    observed
        The part.
    loss
        The largest loss that was found.
    promised
        The loss of this part by the estimator's own proof, in nats; ``None`` if the proof does not state it.
    """

    observed: Observed
    loss: Loss
    promised: float | None


@dataclass(frozen=True)
class Evidence:
    """Additional results for a report.

    Attributes
    ----------
    settings
        Effort of the gate.
    parts
        Losses of the state alone and of the output alone, where the exact check was made.
    runs
        For an audit's witness.
    distribution
        For an exact check's witness.
    missing
        The reason why there are no distributions, although there is a witness.
    versions
        Of this package, and of the packages that determine the numbers.
    """

    settings: Settings
    parts: tuple[PartLoss, ...] = ()
    runs: FreshRuns | None = None
    distribution: ExactDistribution | None = None
    missing: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


def witness_shown(report: GateReport) -> Witness | ExactWitness | None:
    """The witness of a report; for a promise that was not refuted, the pair with the largest loss."""
    return report.violation or (None if report.exact is None else report.exact.witness)


def gather(
    report: GateReport, mechanism: Mechanism, settings: Settings, *, progress: Callable[[str], Any] | None = None
) -> Evidence:
    """Compute the additional parts of the report; the estimator's code runs under the limits of the gate."""
    tell = progress or (lambda _: None)
    found = Evidence(settings=settings, versions=_versions())
    witness = witness_shown(report)
    try:
        if report.exact is not None and report.exact.loss is not None and not report.promise.delta:
            tell("state and output alone")
            found = replace(found, parts=_parts(mechanism, settings))
        if isinstance(witness, Witness):
            tell("fresh runs on both streams")
            runs = fresh_runs(witness, mechanism.estimator, workers=settings.workers, limits=settings.limits)
            found = replace(found, runs=runs)
        elif witness is not None:
            tell("exact distributions")
            (outcome,) = run_in_workers([DistributionTask(SmallInstances.of(mechanism), witness)], 1, settings.limits)
            if isinstance(outcome.result, Failure):
                raise MechanismError(outcome.result.sentence)
            distribution = outcome.result
            found = (
                replace(found, missing=distribution)
                if isinstance(distribution, str)
                else replace(found, distribution=distribution)
            )
    except (MechanismError, InputError) as problem:
        found = replace(found, missing=str(problem))
    return found


def _parts(mechanism: Mechanism, settings: Settings) -> tuple[PartLoss, ...]:
    promise = mechanism.promise
    if promise.observed is not Observed.STATE_AND_OUTPUT:
        return ()
    parts = []
    for observed in (Observed.STATE, Observed.OUTPUT):
        own = part_promise(mechanism, observed, promise.epsilon)
        instances = replace(SmallInstances.of(mechanism), promise=own)
        try:
            result = check_in_worker(instances, SCOPE_OF_PARTS, settings.limits)
        except MechanismError:
            continue
        stated = getattr(mechanism.estimator, f"promise_of_{observed}", None)
        if result.loss is not None and result.coverage:
            parts.append(PartLoss(observed, result.loss, None if stated is None else float(stated.epsilon)))
    return tuple(parts)


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


MOST_RUNS = 4096
"""Runs on each stream, at most: enough for a drawing; the verdict rests on the counts of the gate."""

_PURPOSE = 6
"""It separates the seeds of these runs from those of the gate."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FreshRuns:
    """One feature of the event, on runs that the gate has not used.

    Attributes
    ----------
    counts
        Number of runs with the event, among runs that did not choose it.
    condition
        The part of the event that is drawn.
    others
        The other parts in words; empty if there are none. Only runs in which they hold are drawn, so
        that the part of the drawing within the condition is the event.
    left, right
        The feature's values in these runs.
    """

    counts: Counts
    condition: Condition
    others: str
    left: Floats
    right: Floats


def fresh_runs(witness: Witness, estimator: Any, *, workers: int, limits: Limits) -> FreshRuns:
    """Draw runs under the limits of the gate, from the entropy that it recorded."""
    runs = min(MOST_RUNS, witness.counts.runs)
    sampler = Sampler(EstimatorRunner(estimator, witness.promise), workers, limits)
    pair = witness.pair
    drawn = sampler.draw_sides(streams_of([pair]), runs, entropy=witness.seed, purpose=_PURPOSE, chunk=0)
    left, right = (with_likelihood_ratio(table, pair.left, pair.right) for table in drawn)
    event = witness.event
    counts = Counts(int(event(left).sum()), int(event(right).sum()), runs)
    if not event.conditions:
        return FreshRuns(counts, Condition("anything", "nan", 0.0), "", np.zeros(0), np.zeros(0))
    place = _most_telling(event, left, right)
    others = Event((*event.conditions[:place], *event.conditions[place + 1 :]), event.derived, event.grids)
    ours, theirs = (_column(event, table, place)[others(table)] for table in (left, right))
    words = others.describe() if others.conditions else ""
    return FreshRuns(counts, event.conditions[place], words, ours, theirs)


def _most_telling(event: Event, left: Table, right: Table) -> int:
    """The condition on the feature with the most values. The report describes the others in words."""
    values = [
        np.unique(np.concatenate([_column(event, left, place), _column(event, right, place)])).size
        for place in range(len(event.conditions))
    ]
    return int(np.argmax(values))


def _column(event: Event, table: Table, place: int) -> Floats:
    return event.extended(table).column(event.conditions[place].feature)
