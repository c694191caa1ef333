"""Counters of turnstile streams in a process of their own: checked, audited, and looked at."""

from __future__ import annotations

import pytest

from pan_audits.audit.settings import Settings
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import find_mechanism
from pan_promises.adjacency import Adjacency
from pan_promises.looks import EVERY, Observed
from pan_promises.problem import Kind
from pan_promises.promise import Promise

COUNTER = "tests.continual.counters:TreeCounter"
QUICK = Settings(runs=20_000, seed=5, workers=1, accuracy_runs=0, exact=False, hygiene=False)


def promised(**bound):
    values = {"observed": Observed.OUTPUT, "intrusions": 0} | bound
    return Promise(adjacency=Adjacency.ITEM_LEVEL, outputs=EVERY, **values)


def checked(name=COUNTER, length=3, promise=None, **parameters):
    given = {"elements": 1, "steps": length, **parameters}
    made = find_mechanism(name, parameters=given, promise=promise)
    return run_check(SmallInstances.of(made), CheckSettings(users=1, length=length))


def test_the_problem_of_a_configured_counter_comes_from_its_own_process():
    problem = find_mechanism(COUNTER, parameters={"elements": 3, "steps": 5, "model": "strict"}).problem
    assert (problem.kind, problem.elements, problem.steps, problem.model) == (Kind.TURNSTILE, 3, 5, "strict")


def test_noise_in_another_process_is_followed():
    found = checked(length=2, squared_sensitivity=2.0)
    assert (found.verdict, found.loss.nats) == (Verdict.NOT_REFUTED, 0.5)


@pytest.mark.more
def test_too_little_noise_in_another_process_is_refuted():
    found = checked(squared_sensitivity=2.0)
    assert (found.verdict, found.loss.nats) == (Verdict.REFUTED, 0.75)


@pytest.mark.more
def test_counts_in_clear_are_seen_in_the_state_of_another_process():
    found = checked(length=1, promise=promised(rho=1.0, observed=Observed.STATE, intrusions=1))
    assert found.verdict is Verdict.REFUTED
    assert found.loss.unbounded
    assert "+0 (state)" in found.minimal.describe()


def test_a_mechanism_without_a_state_is_told_which_methods_are_missing():
    promise = promised(rho=1.0, observed=Observed.STATE, intrusions=1)
    made = find_mechanism("tests.continual.wrong_counters:OutputsAlone", parameters={}, promise=promise)
    found = run_check(SmallInstances.of(made), CheckSettings(users=1, length=1))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "create(randomness)" in found.reason


@pytest.mark.parametrize(("squared", "loss"), [pytest.param(1.0, 2.0, marks=pytest.mark.more), (16.0, 0.5)])
def test_laplace_noise_for_each_output_is_checked_by_its_epsilon(squared, loss):
    """Two outputs differ, each with the scale ``sqrt(squared)``: the item-level loss is their sum."""
    found = checked(
        "tests.continual.wrong_counters:LaplaceCounter",
        length=2,
        promise=promised(epsilon=1.0),
        squared_sensitivity=squared,
    )
    assert found.loss.nats == pytest.approx(loss)
    assert found.verdict is (Verdict.REFUTED if loss > 1 else Verdict.NOT_REFUTED)


@pytest.mark.slow
def test_an_audit_at_real_size_refutes_noise_that_is_too_small():
    promise = promised(epsilon=1.0, delta=1e-5)
    broken = run_gate(
        find_mechanism(COUNTER, parameters={"steps": 8, "squared_sensitivity": 0.05}, promise=promise), QUICK
    )
    kept = run_gate(
        find_mechanism(COUNTER, parameters={"steps": 8, "squared_sensitivity": 400.0}, promise=promise), QUICK
    )
    assert (broken.verdict, kept.verdict) == (Verdict.REFUTED, Verdict.NOT_REFUTED)
    assert broken.privacy.loss > 1


def test_an_audit_of_the_state_alone_is_not_made():
    found = run_gate(
        find_mechanism(COUNTER, parameters={}, promise=promised(epsilon=1.0, observed="state", intrusions=1)), QUICK
    )
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "the exact check looks at it" in found.reason


@pytest.mark.slow
def test_an_audit_finds_counts_in_clear_in_the_state_beside_the_outputs():
    promise = promised(epsilon=1.0, observed=Observed.STATE_AND_OUTPUT, intrusions=1)
    found = run_gate(find_mechanism(COUNTER, parameters={}, promise=promise), QUICK)
    assert found.verdict is Verdict.REFUTED
