"""The gate on the shipped synthesizers, and on broken twins of them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pan_audits.audit.settings import Settings
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import find_mechanism
from tests.tables.broken_adaptive import NoiseOfOneCount
from tests.tables.broken_trees import NoiseOfShares
from tests.tables.checking import a_member
from tests.tables.test_exact_check import TWO

REFUTED = Verdict.REFUTED
FEW = Settings(runs=4_000, confirmation_runs=1_000, seed=5, workers=1, exact=False, accuracy_runs=0, hygiene=False)
FEWER = replace(FEW, runs=3_500, confirmation_runs=800)


def judged(mechanism, settings, **parameters):
    with a_member(mechanism) as name:
        return run_gate(find_mechanism(name, parameters={"schema": TWO, **parameters}), settings)


@pytest.mark.more
@pytest.mark.parametrize(("mechanism", "verdict"), [("calibrated-tree", Verdict.NOT_REFUTED), (NoiseOfShares, REFUTED)])
def test_the_gate_refutes_a_broken_tree_alone(mechanism, verdict):
    report = judged(mechanism, FEW, epsilon=1.0, rows=32)
    assert report.verdict is verdict, report.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "verdict"), [("adaptive-marginals", Verdict.NOT_REFUTED), (NoiseOfOneCount, REFUTED)]
)
def test_the_gate_refutes_broken_adaptive_marginals_alone(mechanism, verdict):
    report = judged(mechanism, FEWER, rho=2.0, rows=2)
    assert report.verdict is verdict, report.reason
    assert report.privacy.pairs > 10


@pytest.mark.more
def test_a_message_about_too_few_runs_names_a_number_that_is_enough():
    report = judged("calibrated-tree", replace(FEW, runs=2_000), rho=2.0, rows=32)
    assert report.verdict is Verdict.INCONCLUSIVE
    (needed,) = re.findall(r"allow more with --runs (\d+)$", report.reason)
    assert judged("calibrated-tree", replace(FEW, runs=int(needed)), rho=2.0, rows=32).verdict is Verdict.NOT_REFUTED
