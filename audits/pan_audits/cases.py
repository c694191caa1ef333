"""The audits of the shipped estimators, as data: what is promised, and what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pan_audits.discovery import Variant, find_variant
from pan_audits.gate import GateReport, run_gate
from pan_audits.settings import Settings
from pan_audits.statistics import DEFAULT_ERROR
from pan_audits.verdict import Verdict
from pan_estimators import Adjacency, Observed, Promise, create_estimator

_JOINT, _STATE, _OUTPUT = Observed.STATE_AND_OUTPUT, Observed.STATE, Observed.OUTPUT


@dataclass(frozen=True)
class AuditCase:
    """One audit of a shipped estimator.

    Attributes
    ----------
    estimator
        Its name.
    observed
        What the intruder sees.
    verdict
        What the audit must find: the truth as measured, not as published.
    loss
        For a refutation, a loss that the audit must at least measure, in nats.
    parameters
        Its configuration.
    promise
        Instead of the estimator's own.
    variation
        What is unusual about the promise, if anything.
    runs
        Runs of the search.
    """

    estimator: str
    observed: Observed
    verdict: Verdict
    loss: float = 0.0
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"epsilon": 0.1, "universe": 16, "sample_size": 16})
    promise: Promise | None = None
    variation: str = ""
    runs: int = 24_000

    def variant(self) -> Variant:
        """The estimator, with the promise of this case."""
        promise = self.promise
        if promise is None and self.observed is not _JOINT:
            estimator = create_estimator(self.estimator, **self.parameters)
            promise = estimator.promise_of_state if self.observed is _STATE else estimator.promise_of_output
        return find_variant(self.estimator, parameters=self.parameters, promise=promise)

    def run(self, *, error: float = DEFAULT_ERROR, seed: int = 1, workers: int = 2) -> GateReport:
        """The audit, with this case's share of ``error`` whatever else is run."""
        settings = Settings(
            error=error / len(CASES),
            runs=self.runs,
            seed=seed,
            workers=workers,
            accuracy_runs=0,
            hygiene=False,
            exact=False,
        )
        return run_gate(self.variant(), settings)


def _promised(
    epsilon: float, observed: Observed, *, adjacency: Adjacency = Adjacency.USER_LEVEL, intrusions: int = 1
) -> Promise:
    return Promise(epsilon=epsilon, adjacency=adjacency, observed=observed, intrusions=intrusions)


_SMALL_SAMPLE = {"epsilon": 0.1, "universe": 16, "sample_size": 8}

CASES: tuple[AuditCase, ...] = (
    AuditCase("dwork", _JOINT, Verdict.REFUTED, 2.5),
    AuditCase("dwork", _STATE, Verdict.NOT_REFUTED),
    AuditCase("dwork", _OUTPUT, Verdict.NOT_REFUTED),
    AuditCase("lecture", _JOINT, Verdict.REFUTED, 2.5),
    AuditCase("lecture", _STATE, Verdict.NOT_REFUTED),
    AuditCase("lecture", _OUTPUT, Verdict.NOT_REFUTED),
    AuditCase("bernoulli-family", _JOINT, Verdict.REFUTED, 0.7),
    AuditCase(
        "bernoulli-family",
        _STATE,
        Verdict.REFUTED,
        3.0,
        parameters={"epsilon": 0.5, "universe": 16, "sample_size": 16},
    ),
    AuditCase("bernoulli-family", _OUTPUT, Verdict.NOT_REFUTED),
    AuditCase("optimal-bernoulli", _JOINT, Verdict.REFUTED, 1.1),
    AuditCase("optimal-bernoulli", _STATE, Verdict.NOT_REFUTED),
    AuditCase("optimal-bernoulli", _OUTPUT, Verdict.NOT_REFUTED),
    AuditCase("laplace", _JOINT, Verdict.REFUTED, 1.5),
    AuditCase("laplace", _STATE, Verdict.NOT_REFUTED),
    AuditCase("laplace", _OUTPUT, Verdict.NOT_REFUTED),
    AuditCase("quantized-laplace", _JOINT, Verdict.REFUTED, 1.1),
    AuditCase("quantized-laplace", _STATE, Verdict.NOT_REFUTED),
    AuditCase("quantized-laplace", _OUTPUT, Verdict.NOT_REFUTED),
    AuditCase("pan-private-distinct-sampling", _JOINT, Verdict.REFUTED, 0.8, parameters=_SMALL_SAMPLE),
    AuditCase("pan-private-distinct-sampling", _STATE, Verdict.REFUTED, 0.8, parameters=_SMALL_SAMPLE),
    AuditCase("dwork-insert-delete", _JOINT, Verdict.REFUTED, 2.5),
    AuditCase("optimal-bernoulli-insert-delete", _JOINT, Verdict.REFUTED, 1.1),
    AuditCase("optimal-bernoulli-insert-delete", _STATE, Verdict.NOT_REFUTED),
    AuditCase(
        "graph-density", _JOINT, Verdict.REFUTED, 1.0, parameters={"epsilon": 0.1, "vertices": 6, "sample_size": 15}
    ),
    AuditCase("announced-intrusions", _JOINT, Verdict.REFUTED, 2.5, runs=12_000),
    AuditCase(
        "optimal-bernoulli",
        _STATE,
        Verdict.REFUTED,
        3.0,
        promise=_promised(0.2, _STATE, intrusions=2),
        variation="two unannounced intrusions",
    ),
    AuditCase(
        "optimal-bernoulli",
        _JOINT,
        Verdict.REFUTED,
        1.1,
        promise=_promised(0.2, _JOINT, adjacency=Adjacency.EVENT_LEVEL),
        variation="event-level",
    ),
    AuditCase("calibrated-bernoulli", _JOINT, Verdict.NOT_REFUTED),
    AuditCase("calibrated-bernoulli", _JOINT, Verdict.NOT_REFUTED, parameters=_SMALL_SAMPLE, variation="keyed sample"),
    AuditCase("calibrated-insert-delete", _JOINT, Verdict.NOT_REFUTED),
    AuditCase("calibrated-announced-intrusions", _JOINT, Verdict.NOT_REFUTED, runs=40_000),
    AuditCase("calibrated-continual-output", _JOINT, Verdict.NOT_REFUTED, runs=60_000),
    AuditCase(
        "exact-counter", _JOINT, Verdict.REFUTED, 5.0, parameters={"universe": 16}, promise=_promised(0.2, _JOINT)
    ),
)
"""All of them: each gets an equal share of the error budget, whichever are selected."""


def find_case(estimator: str, observed: Observed, variation: str = "") -> AuditCase:
    """The one case with these names."""
    (case,) = (
        case for case in CASES if (case.estimator, case.observed, case.variation) == (estimator, observed, variation)
    )
    return case
