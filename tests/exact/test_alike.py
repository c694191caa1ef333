"""States that are equal by value and differ in a dump of the memory are different observations."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pan_audits import Verdict
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.isolation.data import DataError, to_data
from tests.turns import every
from tests.variants.alike import LEAKS

HERE = "tests.variants.alike"
SMALL = CheckSettings(users=2, length=1, appearances=2)
QUICK = list(LEAKS)[::3]
"""Twins in an ordinary run; the others are in the longer run."""


@pytest.mark.parametrize("name", every(3, LEAKS))
def test_a_difference_in_memory_alone_is_refuted(name):
    result = run_check(SmallInstances(f"{HERE}:{name}"), SMALL)
    assert result.verdict is Verdict.REFUTED, result.reason
    assert result.loss.describe().startswith("infinite")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.more) for name in LEAKS]
)
def test_the_same_form_for_all_streams_tells_nothing(name):
    result = run_check(SmallInstances(f"{HERE}:TwinOf{name}"), SMALL)
    assert result.verdict is Verdict.NOT_REFUTED, result.reason
    assert result.loss.nats == 0


def test_a_state_that_is_written_like_another_one_is_described_so():
    result = run_check(SmallInstances(f"{HERE}:PayloadOfNan"), SMALL)
    assert "(another state is written alike, and differs in memory)" in result.witness.describe()


def test_a_fraction_in_other_terms_is_no_equal_state():
    """An intruder sees the two numbers of which it consists."""
    number = Fraction(1, 2)
    to_data(number)
    object.__setattr__(number, "_numerator", 2)
    object.__setattr__(number, "_denominator", 4)
    with pytest.raises(DataError, match="lowest terms"):
        to_data(number)
