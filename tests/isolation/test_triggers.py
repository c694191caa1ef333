"""Leaks that wait for an id, a length or a number of updates are refuted, or their lines are named."""

from __future__ import annotations

import pytest

from pan_audits import Verdict
from pan_audits.conduct.memory import survey
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.reports.check import check_lines
from pan_audits.subject.intake.discovery import find_mechanism
from pan_audits.subject.isolation.description import constants_of
from pan_audits.subject.isolation.own_code import OwnCode
from tests.mechanisms import triggers

HERE = "tests.mechanisms.triggers"
SMALL = CheckSettings(users=2, length=1, appearances=2)
REFUTED = (
    "AnId",
    "AnIdOfTheUniverse",
    "AnIdInATable",
    "AText",
    pytest.param("ANumberOfUpdates", marks=pytest.mark.more),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUTED)
def test_an_exact_check_meets_the_constants_of_the_code(name):
    result = run_check(SmallInstances(f"{HERE}:{name}"), SMALL)
    assert result.verdict is Verdict.REFUTED, result.reason
    assert result.loss.describe().startswith("infinite")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("ABatchSize", "(Triggered.update)"),
        ("ABatchSizeAndMore", "(Triggered.update)"),
        ("APrefixOfADigest", "(APrefixOfADigest.waits_for)"),
        ("InALineOfItsOwn", "(Triggered.update)"),
    ],
)
def test_a_leak_that_no_stream_meets_is_named_by_its_line(name, line):
    result = run_check(SmallInstances(f"{HERE}:{name}"), SMALL)
    assert result.verdict is Verdict.NOT_REFUTED
    (told,) = (text for label, text in check_lines(result) if label == "never ran")
    assert line in told
    assert result.to_dict()["conduct"]["never_ran"]


@pytest.mark.parametrize("name", triggers.TWINS)
def test_constants_and_refusals_refute_nothing(name):
    result = run_check(SmallInstances(f"{HERE}:{name}"), SMALL)
    assert result.verdict is Verdict.NOT_REFUTED, result.reason


def surveyed(name):
    mechanism = find_mechanism(f"{HERE}:{name}", parameters={})
    return survey(mechanism.estimator, mechanism.population, mechanism.promise, seed=1)


@pytest.mark.more
def test_a_survey_meets_a_batch_size_and_an_id():
    for name in ("ABatchSize", "ABatchSizeAndMore", "AnId"):
        missing = surveyed(name).conduct.unran
        assert "Triggered.update" not in {each.function for each in missing}, name


def test_a_survey_names_a_line_that_no_constant_reaches():
    assert "APrefixOfADigest.waits_for" in surveyed("APrefixOfADigest").conduct.describe_lines()


@pytest.mark.more
def test_an_id_that_the_code_refuses_is_not_used():
    assert 4095 in surveyed("RefusesAnId").mined.ids
    assert 4096 not in surveyed("RefusesAnId").mined.ids


def test_constants_are_found_where_they_stand():
    found = {name: constants_of(OwnCode.of(getattr(triggers, name)())) for name in (*triggers.LEAKS, *triggers.TWINS)}
    assert 4242 in found["AnId"]["numbers"]
    assert {771, 902} <= set(found["AnIdInATable"]["numbers"])
    assert "mallory" in found["AText"]["texts"]
    assert 4242 not in found["ABatchSize"]["numbers"]
