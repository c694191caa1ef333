"""Conditions and values inside lines that are the same in all runs are named; those of correct code vary."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from pan_audits import Verdict
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.hygiene.conduct import survey
from pan_audits.intake.discovery import find_variant
from pan_audits.isolation.conditions import Conditions
from pan_audits.isolation.following import Following
from pan_audits.isolation.own_code import OwnCode, is_own_file
from pan_audits.reports.check import check_lines
from pan_estimators import NumpyRandomness
from tests.turns import every
from tests.variants import forms_of_ids, parts_of_lines, parts_that_vary

HERE = "tests.variants.parts_of_lines"
USERS = (1, 2, 3, 4)
LEAKS = (*parts_of_lines.LEAKS, *forms_of_ids.LEAKS)
SMALL = CheckSettings(users=2, length=1, appearances=2)


def made(name):
    modules = (parts_of_lines, forms_of_ids, parts_that_vary)
    return next(getattr(module, name) for module in modules if hasattr(module, name))()


def run(estimator):
    randomness = NumpyRandomness(1)
    for _ in range(16):
        for ids in (*([user] for user in USERS), list(USERS[:3])):
            state = estimator.update(estimator.create(randomness), np.array(ids), randomness)
            estimator.release(state, randomness)


def followed(estimator):
    """The parts that never vary in runs of four users, and looks around."""
    own, following = OwnCode.of(estimator), Following(is_own_file)
    following.add(own)
    with following.on():
        run(estimator)
    own.add_what_ran(following.entered)
    conditions = Conditions(own)
    with conditions.on():
        run(estimator)
    return conditions.constant(following.ran, following.entered, following.entered), conditions.looks


def named(estimator):
    return followed(estimator)[0]


@pytest.mark.parametrize("name", every(2, LEAKS))
def test_a_part_of_a_line_that_waits_for_a_user_is_named(name):
    found = named(made(name))
    assert 1 <= len(found) <= 3, found


@pytest.mark.parametrize("name", parts_that_vary.TWINS)
def test_parts_of_correct_code_vary(name):
    assert named(made(name)) == []


@pytest.mark.parametrize("name", forms_of_ids.LOOKS)
def test_numbers_that_differ_between_processes_are_looks_around(name):
    (look,) = followed(made(name))[1]
    assert "differs between processes" in look


def test_the_hash_of_a_number_is_no_look_around():
    assert followed(forms_of_ids.HashOfANumber())[1] == []


def test_the_words_are_the_part_and_its_value():
    (found,) = named(parts_of_lines.Summand())
    assert found.words == "square(user) == 5 was always False"
    assert found.function == "Summand.probability"
    (found,) = named(parts_of_lines.ErrorThatIsCaught())
    assert "the end of the block of try" in found.words
    assert any("its source is not at hand" in found.words for found in named(parts_of_lines.MadeFromAText()))


def test_the_code_is_the_same_afterwards():
    estimator = parts_of_lines.Summand()
    before = parts_of_lines.Summand.probability.__code__
    named(estimator)
    assert parts_of_lines.Summand.probability.__code__ is before


def test_a_recorded_run_has_the_results_of_the_code_itself():
    for name in (*LEAKS, *parts_that_vary.TWINS):
        estimator = made(name)
        states = []
        for recorded in (contextlib.nullcontext(), Conditions(OwnCode.of(estimator)).on()):
            randomness = NumpyRandomness(3)
            with recorded:
                found = [estimator.update(estimator.create(randomness), [user], randomness) for user in range(9)]
            states.append(found)
        assert states[0] == states[1], name


@pytest.mark.more
def test_the_exact_check_names_them():
    result = run_check(SmallInstances(f"{HERE}:Summand"), SMALL)
    assert result.verdict is Verdict.NOT_REFUTED
    (told,) = (text for label, text in check_lines(result) if label == "never varied")
    assert "square(user) == 5 was always False" in told
    assert result.to_dict()["conduct"]["never_varied"][0]["function"] == "Summand.probability"


@pytest.mark.more
def test_a_survey_names_them():
    variant = find_variant(f"{HERE}:Summand", parameters={})
    conduct = survey(variant.estimator, variant.population, variant.promise, seed=1).conduct
    assert "square(user) == 5 was always False" in conduct.describe_parts()
