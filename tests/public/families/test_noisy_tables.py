"""A family that no neutral file knows: listed, made, checked, audited, or told INCONCLUSIVE with the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pan_audits.audit.settings import Settings
from pan_audits.cli.commands import COMMANDS
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators import ESTIMATORS, create_estimator
from pan_promises.families import families, register, withdraw
from tests.public.families import noisy_tables

SMALL = CheckSettings(users=2, length=1, seconds=20)
QUICK = Settings(runs=20_000, seed=5, workers=1, exact=False, accuracy_runs=0, hygiene=False)


@pytest.fixture
def family():
    register("pan_estimators", noisy_tables.ESTIMATORS)
    register("pan_audits", noisy_tables.AUDITS)
    yield
    withdraw("pan_estimators", "noisy_tables")
    withdraw("pan_audits", "noisy_tables")


def checked(name):
    return run_check(SmallInstances.of(find_mechanism(name, parameters={"epsilon": 1.0})), SMALL)


def test_a_family_that_is_not_registered_is_not_there():
    assert "noisy-count" not in ESTIMATORS
    assert [one.name for one in families("pan_estimators")] == ["continual", "density", "tables"]


def test_its_members_are_listed_and_made(family):
    assert "noisy-count" in ESTIMATORS
    assert create_estimator("noisy-count", epsilon=0.5).promise.epsilon == 0.5
    assert "smokers" in COMMANDS
    assert len(ESTIMATORS) == len(list(ESTIMATORS))


def test_its_promise_is_checked_exactly_on_every_small_table(family):
    kept, broken = checked("noisy-count"), checked("weak-count")
    assert (kept.verdict, broken.verdict) == (Verdict.NOT_REFUTED, Verdict.REFUTED)
    assert kept.loss.nats == pytest.approx(1.0)
    assert broken.loss.nats == pytest.approx(4.0)
    assert "The input is [[" in broken.minimal.describe()
    assert [row.users for row in kept.coverage] == [1, 2]


def test_its_promise_is_audited(family):
    few = replace(QUICK, runs=8_000)
    kept, broken = (run_gate(find_mechanism(name, parameters={}), few) for name in ("noisy-count", "weak-count"))
    assert (kept.verdict, broken.verdict) == (Verdict.NOT_REFUTED, Verdict.REFUTED)
    assert "pairs of inputs" in kept.privacy.describe()
    assert 1.0 < broken.privacy.loss <= 4.0


def test_a_promise_of_a_rho_is_checked_exactly(family):
    kept, broken = (
        run_check(SmallInstances.of(find_mechanism("concentrated-count", parameters={"scale": scale})), SMALL)
        for scale in (1.0, 0.5)
    )
    assert (kept.verdict, broken.verdict) == (Verdict.NOT_REFUTED, Verdict.REFUTED)
    assert (kept.loss.nats, broken.loss.nats) == (0.5, 2.0)
    assert "The input is [[" in broken.minimal.describe()


@pytest.mark.more
def test_a_promise_of_a_rho_is_audited(family):
    kept, broken = (
        run_gate(find_mechanism(name, parameters={}), QUICK) for name in ("concentrated-count", "halved-count")
    )
    assert (kept.verdict, broken.verdict) == (Verdict.NOT_REFUTED, Verdict.REFUTED)
    assert 0.3 < kept.privacy.bound <= 0.5 < kept.privacy.detectable_bound
    assert "rho is at least" in kept.reason
    assert 1.2 < broken.privacy.bound <= 2.0
    assert broken.privacy.witness.evidence.bound == broken.privacy.bound
    assert "promised 0.5, by the Kullback-Leibler divergence" in broken.reason


def test_its_class_is_judged_in_a_process_of_its_own():
    found = find_mechanism("tests.public.families.noisy_tables:NoisyCount", parameters={"factor": 4.0, "epsilon": 1.0})
    assert not found.shipped
    assert run_check(SmallInstances.of(found), SMALL).verdict is Verdict.REFUTED
