"""Code that uses data of earlier inputs is not judged as if each input came first."""

from __future__ import annotations

import pytest

import panproof
from pan_audits import Verdict
from tests.turns import every
from tests.variants import first_input

USED = "depend on the inputs of earlier runs"
QUICK = (first_input.in_a_closure, first_input.the_number_of_inputs_so_far)
"""The others are in the longer run."""


def assert_undecided(result, *words):
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any(word in result.reason for word in words), result.reason


@pytest.mark.parametrize(
    "mechanism",
    [
        pytest.param(each, marks=() if each in QUICK else pytest.mark.more, id=each.__name__)
        for each in first_input.LEAKS
    ],
)
def test_the_check_concludes_nothing_about_code_that_uses_an_earlier_input(mechanism):
    assert_undecided(panproof.check(mechanism, 0, 1, epsilon=1 / 2).report, USED)


@pytest.mark.more
def test_the_order_of_a_pair_does_not_matter():
    assert_undecided(panproof.check(first_input.the_largest_so_far, 5, 0, epsilon=1 / 2).report, USED)


@pytest.mark.parametrize("mechanism", every(4, first_input.TWINS), ids=lambda each: each.__name__)
def test_a_cache_that_changes_no_output_is_accepted(mechanism):
    assert panproof.check(mechanism, 0, 1, epsilon=1 / 2).verdict is Verdict.NOT_REFUTED
    assert panproof.check(mechanism, 0, 1, epsilon=1 / 4).verdict is Verdict.REFUTED


@pytest.mark.more
def test_an_estimator_that_uses_its_first_count_is_not_judged():
    assert_undecided(panproof.check(first_input.FirstCount).report, USED, "outside of its state")


@pytest.mark.parametrize(
    "estimator", every(3, [first_input.LastOfTheClass, first_input.SeenByTheObject, first_input.ByTheObjectOfTheState])
)
def test_an_output_that_uses_data_of_its_own_run_outside_the_state_is_not_judged(estimator):
    assert_undecided(panproof.check(estimator, users=2, length=2).report, USED, "outside of")


def test_a_constant_that_the_class_keeps_is_accepted():
    result = panproof.check(first_input.KeepsWhatIsNotUsed, users=2, length=2)
    assert (result.verdict, result.loss) == (Verdict.NOT_REFUTED, 1.0)


@pytest.mark.more
def test_the_gate_makes_no_runs_that_depend_on_one_another():
    result = panproof.gate(first_input.in_a_dictionary, 0, 100, epsilon=1 / 2, runs=3000, seed=1, jobs=1)
    assert_undecided(result.report, USED)


@pytest.mark.more
def test_a_release_without_an_output_is_not_judged():
    assert_undecided(panproof.check(first_input.NothingReturned).report, "return its output")
    gated = panproof.gate(first_input.NothingReturned, runs=200, seed=1, jobs=1, exact=False)
    assert_undecided(gated.report, "return its output")


def test_the_methods_of_a_dataclass_are_no_lines_of_the_judged_code():
    result = panproof.check(first_input.StateInADataclass).report
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.conduct.unran == ()
