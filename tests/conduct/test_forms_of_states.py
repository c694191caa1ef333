"""Where no exact check decides: states that differ in memory alone are noticed, and their twins are accepted."""

from __future__ import annotations

import numpy as np
import pytest

from pan_audits.conduct.complete_state import compared_forms
from pan_audits.events.observing.forms import form_of
from pan_audits.subject.intake.discovery import find_mechanism
from tests.mechanisms import alike
from tests.turns import every

HERE = "tests.mechanisms.alike_forms"
NUMBERS_ALONE = ("CountOfZero", "OwnEquality", "HiddenEntry")
"""Their states differ in numbers, which the audit reads."""


@pytest.mark.parametrize("name", [name for name in alike.LEAKS if name not in NUMBERS_ALONE])
def test_states_that_are_equal_by_value_have_other_forms(name):
    leak = alike.LEAKS[name]()
    assert form_of(leak.first()) == form_of(leak.first())
    assert form_of(leak.first()) != form_of(leak.marked())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"x": 1.5, "y": 3}, {"x": -2.5, "y": 0}),
        (np.arange(4.0), np.ones(4)),
        (np.array([True, False]), np.array([False, False])),
        ([1, 2.0, "a"], [7, 0.0, "bcd"]),
        (1 + 2j, 0j),
    ],
)
def test_states_of_other_numbers_have_one_form(one, other):
    assert form_of(one) == form_of(other)


def found(name):
    mechanism = find_mechanism(f"{HERE}:{name}", parameters={})
    return compared_forms(mechanism.estimator, mechanism.population, mechanism.promise, error=1e-7, seed=1)


@pytest.mark.parametrize("name", every(9, ["Marks", "MarksAtRandom", "OrderByAUser", "Shares", "Metadata"]))
def test_a_form_that_tells_a_user_is_a_defect(name):
    (finding,) = found(name)
    assert str(finding.severity) == "defect"
    assert "differ in memory" in finding.sentence


@pytest.mark.parametrize("name", every(9, ["MarksForAll", "MarksByACoin", "OrderByACoin"]))
def test_forms_that_tell_what_the_promise_permits_are_no_finding(name):
    assert found(name) == []
