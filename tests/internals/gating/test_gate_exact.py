"""The exact check inside the gate, and the certificate."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.gate.certificate import certify, in_ledger
from pan_audits.reports.junit import junit
from pan_audits.reports.text import gate_lines
from pan_audits.subject.isolation.importing import imported
from pan_audits.workers.limits import Limits
from pan_estimators import Adjacency, Promise, create_estimator
from pan_estimators.common.registry import with_budget
from tests.turns import every

QUICK = Settings(runs=6000, seed=1, accuracy_runs=100, confirmation_runs=1000, limits=Limits(seconds=60), workers=0)
CALIBRATED = (
    "calibrated-bernoulli",
    "calibrated-insert-delete",
    "calibrated-announced-intrusions",
    "calibrated-continual-output",
)
BROKEN = "tests.mechanisms.broken_calibration"


def test_an_exact_refutation_needs_no_runs():
    report = run_gate(find_mechanism("optimal-bernoulli", parameters={"epsilon": 0.1}), QUICK)
    assert report.verdict is Verdict.REFUTED
    assert report.privacy is None
    assert report.exact.loss.nats == pytest.approx(1.5726078, abs=1e-6)
    lines = dict(gate_lines(report))
    assert "promised 0.2" in lines["exact loss"]
    assert "[state seen]" in lines["witness"]
    suite = ElementTree.fromstring(junit([report]))[0]
    assert int(suite.get("failures")) == 1
    json.dumps(report.to_dict(), allow_nan=False)


@pytest.mark.more
def test_a_promise_that_holds_is_checked_and_then_audited():
    mechanism = find_mechanism("tests.mechanisms.ten_lines:NoisySet", parameters={})
    report = run_gate(mechanism, QUICK)
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.exact.verdict is report.privacy.verdict is Verdict.NOT_REFUTED
    assert report.certificate is None


@pytest.mark.more
def test_what_cannot_be_followed_is_audited_all_the_same():
    report = run_gate(find_mechanism("tests.mechanisms.ten_lines:SquaredSet", parameters={}), QUICK)
    assert report.verdict is Verdict.NOT_REFUTED
    assert "takes a function of it" in dict(gate_lines(report))["exact check"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("calibrated-bernoulli", marks=pytest.mark.more),
        pytest.param("calibrated-insert-delete", marks=pytest.mark.more),
        # So many orders of what is seen, and pairs of streams, take a minute to search.
        pytest.param("calibrated-announced-intrusions", marks=pytest.mark.slow),
        pytest.param("calibrated-continual-output", marks=pytest.mark.slow),
    ],
)
def test_calibrated_estimators_are_certified(name, monkeypatch):
    # Beside other work, the exact check must not run out of time: that would be no certificate.
    small = CheckSettings(users=2, length=3, appearances=3, seconds=600.0)
    monkeypatch.setattr("pan_audits.gate.gate._SMALL", small)
    mechanism = find_mechanism(name, parameters=with_budget(name, 0.3, {"universe": 5, "sample_size": 3}))
    runs = 50_000 if name.endswith("output") else 8_000
    report = run_gate(mechanism, replace(QUICK, runs=runs, accuracy_runs=0, limits=Limits(seconds=600)))
    assert report.verdict is Verdict.CERTIFIED, report.reason
    assert report.verdict.exit_code == 0
    assert report.exact.loss.nats == pytest.approx(report.promise.epsilon, rel=1e-9)
    assert report.certificate.loss == pytest.approx(report.promise.epsilon, rel=1e-9)
    assert "proved for every size" in report.reason


@pytest.mark.slow
def test_nothing_is_certified_without_all_three():
    mechanism = find_mechanism("calibrated-bernoulli", parameters={"promise_epsilon": 0.6, "universe": 4})
    assert run_gate(mechanism, replace(QUICK, exact=False)).verdict is Verdict.NOT_REFUTED
    tighter = replace(mechanism, promise=replace(mechanism.promise, epsilon=0.599))
    assert run_gate(tighter, QUICK).verdict is Verdict.REFUTED
    other = replace(mechanism, promise=replace(mechanism.promise, adjacency=Adjacency.EVENT_LEVEL))
    report = run_gate(other, QUICK)
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.certificate is None


@pytest.mark.parametrize(
    ("factory", "verdict"),
    every(3, [("too_little_noise", Verdict.REFUTED), ("sticky", Verdict.REFUTED), ("deaf", Verdict.NOT_REFUTED)]),
)
def test_a_broken_calibrated_estimator_is_not_certified(factory, verdict):
    mechanism = find_mechanism(f"{BROKEN}:{factory}", parameters={"epsilon": 0.3, "universe": 4, "sample_size": 3})
    small = SmallInstances(f"{BROKEN}:{factory}", {"epsilon": 0.3})
    check = run_check(small, CheckSettings(users=2, length=3, appearances=3))
    assert check.verdict is verdict
    # Code of one's own is never certified, even if it is derived from what was proved.
    assert certify(mechanism, check) is None
    # Nor are parameters that the proof does not find within the promise.
    if factory == "too_little_noise":
        own = imported(f"{BROKEN}:{factory}", os.getcwd(), {"epsilon": 0.3, "universe": 4, "sample_size": 3})[0]
        assert not certify(replace(mechanism, estimator=own, shipped=True), check).agrees


@pytest.mark.parametrize(
    ("name", "size"),
    every(4, [(name, size) for name in CALIBRATED for size in (40, 5000)]),
)
def test_code_check_and_proof_agree_at_every_size(name, size):
    """The cells and noise of a large sample, on a few users: the same number by two independent ways."""
    parameters = with_budget(name, 0.4, {"universe": 10**6, "sample_size": size})
    estimator, mechanism = create_estimator(name, **parameters), find_mechanism(name, parameters=parameters)
    check = run_check(SmallInstances.of(mechanism), CheckSettings(users=2, length=3, sample_size=2, appearances=3))
    certificate = certify(mechanism, check)
    assert certificate.agrees
    assert check.loss.nats == pytest.approx(float(estimator.promise.epsilon), rel=1e-9)


def test_a_promise_of_something_else_has_no_certificate():
    mechanism = find_mechanism("calibrated-bernoulli", parameters={"promise_epsilon": 0.6})
    check = run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=2))
    twice = replace(mechanism, promise=Promise(epsilon=5, adjacency=Adjacency.USER_LEVEL, outputs=2))
    assert certify(mechanism, check).agrees
    assert certify(twice, check) is None
    assert certify(find_mechanism("dwork", parameters={"epsilon": 0.3}), check) is None


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("calibrated.joint_privacy", "PROVED"),
        ("density.optbern_privacy", "REFUTED, "),
        ("density.dwork_error", "PROVED_AMENDED, "),
        ("calibrated.nothing", "unknown claim"),
    ],
)
def test_a_claim_is_looked_up_in_the_ledger(claim, words):
    verdict, _ = in_ledger(claim)
    assert verdict.startswith(words)
    assert (verdict == "PROVED") == (claim == "calibrated.joint_privacy")


def test_a_certificate_names_the_theorems_of_coq_and_whether_the_code_was_compared(monkeypatch):
    monkeypatch.setattr("pan_audits.gate.certificate.in_ledger", lambda claim: ("PROVED", ("one_cell", "tight")))
    mechanism = find_mechanism("calibrated-bernoulli", parameters={"promise_epsilon": 0.6})
    certificate = certify(mechanism, run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=2)))
    assert certificate.agrees
    assert "(by Coq, from the mechanism: one_cell, tight; on all small streams this code" in certificate.describe()
    assert "by Coq, from the mechanism: one_cell, tight)" in replace(certificate, compared=False).describe()
    assert "Coq" not in replace(certificate, theorems=()).describe()


@pytest.mark.more
def test_a_claim_that_is_not_proved_here_certifies_nothing(monkeypatch):
    mechanism = find_mechanism(
        "calibrated-bernoulli", parameters={"promise_epsilon": 0.6, "universe": 4, "sample_size": 4}
    )
    proved = run_gate(mechanism, replace(QUICK, accuracy_runs=0, hygiene=False))
    assert proved.verdict is Verdict.CERTIFIED, proved.reason
    monkeypatch.setattr("pan_audits.gate.certificate.in_ledger", lambda claim: ("UNDECIDED, z3 is not installed", ()))
    report = run_gate(mechanism, replace(QUICK, accuracy_runs=0, hygiene=False))
    assert report.verdict is Verdict.NOT_REFUTED
    assert "calibrated.joint_privacy is not proved here: UNDECIDED, z3 is not installed" in report.reason
    assert not report.certificate.agrees
    assert report.certificate.to_dict()["ledger"].startswith("UNDECIDED")
