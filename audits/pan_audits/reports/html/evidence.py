"""The parts of a report beyond the gate's own results: distributions, parts of the loss, versions."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pan_audits.auditing.witness import Witness
from pan_audits.exact.instances import SmallInstances, check_in_worker
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.witness import ExactWitness
from pan_audits.gating.gate import GateReport
from pan_audits.gating.overview import part_promise
from pan_audits.intake.discovery import Variant
from pan_audits.judging.settings import Settings
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import Loss
from pan_audits.reports.html.fresh import FreshRuns, fresh_runs
from pan_audits.reports.html.law import ExactLaw, LawTask
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, VariantError
from pan_promises.errors import InputError
from pan_promises.promise import Observed

_PACKAGES = ("panproof", "numpy", "scipy", "sympy", "python-flint", "numba", "matplotlib")
PARTS = CheckSettings(users=2, length=3, appearances=3, runs=1_200)
"""The scope of the exact checks of the state alone and of the output alone: smaller than that for both."""


@dataclass(frozen=True)
class Part:
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
    law
        For an exact check's witness.
    missing
        The reason why there are no distributions, although there is a witness.
    versions
        Of this package, and of the packages that determine the numbers.
    """

    settings: Settings
    parts: tuple[Part, ...] = ()
    runs: FreshRuns | None = None
    law: ExactLaw | None = None
    missing: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


def witness_shown(report: GateReport) -> Witness | ExactWitness | None:
    """The witness of a report; for a promise that was not refuted, the pair with the largest loss."""
    if report.exact is not None and report.exact.verdict is Verdict.REFUTED:
        return report.exact.minimal or report.exact.witness
    if report.privacy is not None and report.privacy.witness is not None:
        return report.privacy.witness
    return None if report.exact is None else report.exact.witness


def gather(
    report: GateReport, variant: Variant, settings: Settings, *, progress: Callable[[str], Any] | None = None
) -> Evidence:
    """Compute the additional parts of the report; the estimator's code runs under the limits of the gate."""
    tell = progress or (lambda _: None)
    found = Evidence(settings=settings, versions=_versions())
    witness = witness_shown(report)
    try:
        if report.exact is not None and report.exact.loss is not None and not report.promise.delta:
            tell("state and output alone")
            found = replace(found, parts=_parts(variant, settings))
        if isinstance(witness, Witness):
            tell("fresh runs on both streams")
            runs = fresh_runs(witness, variant.estimator, workers=settings.workers, limits=settings.limits)
            found = replace(found, runs=runs)
        elif witness is not None:
            tell("exact distributions")
            (outcome,) = run_in_workers([LawTask(SmallInstances.of(variant), witness)], 1, settings.limits)
            if isinstance(outcome.result, Failure):
                raise VariantError(outcome.result.sentence)
            law = outcome.result
            found = replace(found, missing=law) if isinstance(law, str) else replace(found, law=law)
    except (VariantError, InputError) as problem:
        found = replace(found, missing=str(problem))
    return found


def _parts(variant: Variant, settings: Settings) -> tuple[Part, ...]:
    promise = variant.promise
    if promise.observed is not Observed.STATE_AND_OUTPUT:
        return ()
    parts = []
    for observed in (Observed.STATE, Observed.OUTPUT):
        own = part_promise(variant, observed, promise.epsilon)
        instances = replace(SmallInstances.of(variant), promise=own)
        try:
            result = check_in_worker(instances, PARTS, settings.limits)
        except VariantError:
            continue
        stated = getattr(variant.estimator, f"promise_of_{observed}", None)
        if result.loss is not None and result.coverage:
            parts.append(Part(observed, result.loss, None if stated is None else float(stated.epsilon)))
    return tuple(parts)


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
