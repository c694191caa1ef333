"""The audits of the density estimators, as data: the promise and the expected verdict."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pan_audits.gate.case import AuditCase
from pan_audits.judging.verdict import Verdict
from pan_promises.promise import Adjacency, Observed, Promise

_JOINT, _STATE, _OUTPUT = Observed.STATE_AND_OUTPUT, Observed.STATE, Observed.OUTPUT


def _promised(
    epsilon: float, observed: Observed, *, adjacency: Adjacency = Adjacency.USER_LEVEL, intrusions: int = 1
) -> Promise:
    return Promise(epsilon=epsilon, adjacency=adjacency, observed=observed, intrusions=intrusions)


_sampled = partial(AuditCase, parameters={"epsilon": 0.1, "universe": 16, "sample_size": 16})
"""A case of an estimator with a sample: here all users."""


def _broken_jointly(name: str, loss: float) -> Iterator[AuditCase]:
    """State and output together tell what neither of them tells alone."""
    yield _sampled(name, _JOINT, Verdict.REFUTED, loss)
    yield from (_sampled(name, observed, Verdict.NOT_REFUTED) for observed in (_STATE, _OUTPUT))


_SHARED_CELLS = {"promise_epsilon": 0.2, "universe": 16, "levels": "3:4,2:2", "p_init": 0.47, "p_upd": 0.53}
_SMALL_SAMPLE = {"epsilon": 0.1, "universe": 16, "sample_size": 8}
_CALIBRATED = {"promise_epsilon": 0.2, "universe": 16, "sample_size": 16}

CASES: tuple[AuditCase, ...] = (
    *_broken_jointly("dwork", 2.5),
    *_broken_jointly("lecture", 2.5),
    _sampled("bernoulli-family", _JOINT, Verdict.REFUTED, 0.7),
    AuditCase(
        "bernoulli-family",
        _STATE,
        Verdict.REFUTED,
        3.0,
        parameters={"epsilon": 0.5, "universe": 16, "sample_size": 16},
    ),
    _sampled("bernoulli-family", _OUTPUT, Verdict.NOT_REFUTED),
    *_broken_jointly("optimal-bernoulli", 1.1),
    *_broken_jointly("laplace", 1.5),
    *_broken_jointly("quantized-laplace", 1.1),
    AuditCase("pan-private-distinct-sampling", _JOINT, Verdict.REFUTED, 0.8, parameters=_SMALL_SAMPLE),
    AuditCase("pan-private-distinct-sampling", _STATE, Verdict.REFUTED, 0.8, parameters=_SMALL_SAMPLE),
    _sampled("dwork-insert-delete", _JOINT, Verdict.REFUTED, 2.5),
    _sampled("optimal-bernoulli-insert-delete", _JOINT, Verdict.REFUTED, 1.1),
    _sampled("optimal-bernoulli-insert-delete", _STATE, Verdict.NOT_REFUTED),
    AuditCase(
        "graph-density", _JOINT, Verdict.REFUTED, 1.0, parameters={"epsilon": 0.1, "vertices": 6, "sample_size": 15}
    ),
    _sampled("announced-intrusions", _JOINT, Verdict.REFUTED, 2.5, runs=12_000),
    _sampled(
        "optimal-bernoulli",
        _STATE,
        Verdict.REFUTED,
        3.0,
        promise=_promised(0.2, _STATE, intrusions=2),
        variation="two unannounced intrusions",
    ),
    _sampled(
        "optimal-bernoulli",
        _JOINT,
        Verdict.REFUTED,
        1.1,
        promise=_promised(0.2, _JOINT, adjacency=Adjacency.EVENT_LEVEL),
        variation="event-level",
    ),
    AuditCase("calibrated-bernoulli", _JOINT, Verdict.NOT_REFUTED, parameters=_CALIBRATED),
    AuditCase(
        "calibrated-bernoulli",
        _JOINT,
        Verdict.NOT_REFUTED,
        parameters=_CALIBRATED | {"sample_size": 8},
        variation="keyed sample",
    ),
    AuditCase("calibrated-insert-delete", _JOINT, Verdict.NOT_REFUTED, parameters=_CALIBRATED),
    AuditCase(
        "calibrated-announced-intrusions",
        _JOINT,
        Verdict.NOT_REFUTED,
        parameters=_CALIBRATED | {"promise_epsilon": 3 * 0.1},
        runs=40_000,
    ),
    AuditCase("calibrated-continual-output", _JOINT, Verdict.NOT_REFUTED, parameters=_CALIBRATED, runs=60_000),
    AuditCase("distinct-counter", _JOINT, Verdict.NOT_REFUTED, parameters=_SHARED_CELLS),
    AuditCase(
        "exact-counter", _JOINT, Verdict.REFUTED, 5.0, parameters={"universe": 16}, promise=_promised(0.2, _JOINT)
    ),
)
"""All cases. Each gets an equal share of the error budget. A selection of cases does not change the shares."""
