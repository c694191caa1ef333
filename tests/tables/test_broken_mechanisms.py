"""Broken mechanisms on tables are refuted with their exact loss, and correct ones are not."""

from __future__ import annotations

import math

import pytest

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import find_mechanism
from pan_promises.families import Family, register, withdraw
from tests.mechanisms.tables.broken_choices import CHOICES
from tests.mechanisms.tables.broken_noise import NOISE
from tests.mechanisms.tables.broken_reading import READING
from tests.mechanisms.tables.correct import CORRECT

BROKEN = NOISE | READING | CHOICES
ROUNDED = ("randomised-rows", "geometric-count", "ratio-of-half-epsilon")
"""Mechanisms whose code rounds a probability or a ratio."""
MEMBERS = CORRECT | {name: made for name, (made, _) in BROKEN.items()}


@pytest.fixture(autouse=True)
def family():
    # As members of a family they are checked in this process, which takes less time.
    register("pan_estimators", Family("broken_tables", {"members": f"{__name__}:MEMBERS"}))
    yield
    withdraw("pan_estimators", "broken_tables")


def checked(name, rows=2):
    mechanism = find_mechanism(name, parameters={"epsilon": 1.0})
    return run_check(SmallInstances.of(mechanism), CheckSettings(users=rows, length=1, seconds=100))


@pytest.mark.parametrize(("name", "loss"), [(name, loss) for name, (_, loss) in BROKEN.items()], ids=list(BROKEN))
def test_a_broken_mechanism_is_refuted_with_its_loss_and_two_tables(name, loss):
    result = checked(name)
    assert result.verdict is Verdict.REFUTED
    assert result.exact is (name not in ROUNDED)
    assert "The input is [" in result.minimal.describe()
    if loss is not None:
        assert result.loss.unbounded is math.isinf(loss)
    if loss is not None and not math.isinf(loss):
        assert result.loss.nats == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.more] * (name == "clipped-histogram")) for name in CORRECT],
)
def test_a_correct_mechanism_is_not_refuted(name):
    result = checked(name)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.exact is (name not in ROUNDED)
    assert result.loss.nats <= 1 + 1e-9


def test_there_are_enough_of_them_and_each_says_why_it_is_refuted():
    assert len(BROKEN) >= 20
    assert len(CORRECT) >= 8
    # The docstring that a dataclass makes begins with the name of the class.
    assert not [made for made in MEMBERS.values() if made.__doc__.startswith(made.__name__)]
