"""Shipped counters with one error each: the exact check refutes them, and none of them has a certificate."""

from __future__ import annotations

import pytest

from pan_audits.continual.closed_rho import closed_rho
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import find_mechanism
from pan_promises.families import register, withdraw
from tests.continual.broken_members import FAMILY, MEMBERS
from tests.turns import every

BOUND = {"flippancy": 1}
EVERY_STEP = {"period": 1}


@pytest.fixture(autouse=True)
def known():
    register("pan_estimators", FAMILY)
    yield
    withdraw("pan_estimators", FAMILY.name)


def checked(name, length, **parameters):
    mechanism = find_mechanism(name, parameters={"steps": length, "rho": 0.5, **parameters})
    return run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=length))


@pytest.mark.parametrize(
    ("name", "parameters", "length"),
    every(
        2,
        [
            ("small-node-noise", BOUND, 3),
            ("fewer-levels", BOUND, 5),
            ("twice-drawn", BOUND, 3),
            pytest.param("never-cut", BOUND, 6, marks=pytest.mark.more),
            pytest.param("one-flip-more", BOUND, 5, marks=pytest.mark.more),
            ("event-noise", {}, 4),
            ("forgotten-computation", EVERY_STEP, 3),
        ],
    ),
)
def test_a_counter_with_one_error_is_refuted_with_both_streams(name, parameters, length):
    found = checked(name, length, **parameters)
    assert found.verdict is Verdict.REFUTED, found.reason
    assert found.minimal.loss.nats > 0.5
    assert "The input is " in found.minimal.describe()
    assert closed_rho(MEMBERS[name](steps=length, rho=0.5, **parameters)) is None


@pytest.mark.parametrize(
    ("name", "parameters", "length"),
    [
        ("turnstile-given-flippancy", BOUND, 4),
        pytest.param("calibrated-turnstile", BOUND, 5, marks=pytest.mark.more),
        ("presence", {}, 4),
        ("turnstile-recompute", EVERY_STEP, 3),
    ],
)
def test_the_counters_without_the_error_are_not_refuted(name, parameters, length):
    assert checked(name, length, **parameters).verdict is Verdict.NOT_REFUTED
