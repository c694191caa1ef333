"""An audit of a shipped estimator, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pan_audits.audit.settings import Settings
from pan_audits.gate.gate import GateReport, run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.statistics import DEFAULT_ERROR
from pan_audits.subject.intake.discovery import Mechanism, find_mechanism
from pan_estimators.common.registry import create_estimator
from pan_promises.families import family_parts
from pan_promises.promise import Observed, Promise


@dataclass(frozen=True)
class AuditCase:
    """One audit of a shipped estimator.

    Attributes
    ----------
    estimator
        Its name.
    observed
        The observed parts: the state, the output, or both.
    verdict
        The expected verdict, which is the measured one and not the published one.
    loss
        For a refutation, the least loss that the audit must measure, in nats.
    parameters
        Its configuration.
    promise
        Instead of the estimator's own.
    variation
        The difference from the usual promise, if there is one.
    runs
        Runs of the search.
    """

    estimator: str
    observed: Observed
    verdict: Verdict
    loss: float = 0.0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise | None = None
    variation: str = ""
    runs: int = 24_000

    def mechanism(self) -> Mechanism:
        """The estimator, with the promise of this case."""
        promise = self.promise
        estimator = create_estimator(self.estimator, **self.parameters)
        if promise is None and self.observed is not getattr(estimator.promise, "observed", Observed.STATE_AND_OUTPUT):
            promise = estimator.promise_of_state if self.observed is Observed.STATE else estimator.promise_of_output
        return find_mechanism(self.estimator, parameters=self.parameters, promise=promise)

    def run(self, *, error: float = DEFAULT_ERROR, seed: int = 1, workers: int = 2) -> GateReport:
        """The audit, with this case's share of ``error``. The share does not depend on the other audits of a run."""
        settings = Settings(
            error=error / len(all_cases()),
            runs=self.runs,
            seed=seed,
            workers=workers,
            accuracy_runs=0,
            hygiene=False,
            exact=False,
        )
        return run_gate(self.mechanism(), settings)


def all_cases() -> tuple[AuditCase, ...]:
    """The cases of all families, each with an equal share of the error budget, also if few are selected."""
    return tuple(case for cases in family_parts("pan_audits", "cases") for case in cases)


def find_case(estimator: str, observed: Observed, variation: str = "") -> AuditCase:
    """The one case with these names."""
    (case,) = (
        case
        for case in all_cases()
        if (case.estimator, case.observed, case.variation) == (estimator, observed, variation)
    )
    return case
