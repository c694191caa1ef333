"""The gate on algorithms over sites, and on samples of the calibrated tree."""

from __future__ import annotations

import json

import pytest

from pan_audits.audit.settings import Settings
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators.tables.schema import binary
from pan_promises.promise import Promise

TWO = json.dumps(binary(2).to_dict())
SAMPLE = "epsilon=1,adjacency=replace-row,public=n+schema,observed=sample,intrusions=0"
QUICK = Settings(runs=12_000, confirmation_runs=2_000, seed=5, workers=1, exact=False, accuracy_runs=0, hygiene=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "promise", "verdict"),
    [
        ("printed-majority-vote", None, Verdict.REFUTED),
        ("noisy-majority-vote", None, Verdict.NOT_REFUTED),
        ("calibrated-tree", SAMPLE, Verdict.NOT_REFUTED),
    ],
)
def test_printed_weights_are_refuted_and_the_others_are_not(name, promise, verdict):
    stated = None if promise is None else Promise.parse(promise)
    mechanism = find_mechanism(name, parameters={"epsilon": 1.0, "schema": TWO, "rows": 4}, promise=stated)
    assert run_gate(mechanism, QUICK).verdict is verdict
