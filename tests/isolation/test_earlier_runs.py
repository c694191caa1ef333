"""Outputs that depend on earlier runs, told from outputs of code that draws from the system."""

from __future__ import annotations

import random

import pytest

from pan_audits.subject.isolation.orders import depends_on_earlier_runs

COURSES = ["one", "other"]


class _Process:
    """An estimator as the check sees it: the outputs of runs on some streams in a new process."""

    def __init__(self, output):
        self.output = output
        self.asked = []

    def outputs_afresh(self, courses, runs, seed, limits=None):
        self.asked.append(runs)
        return [bytes(self.output(courses, course) for _ in range(runs)) for course in courses]


def rare(chance):
    """Runs with an output that is seldom another one, from the system."""
    return lambda courses, course: chance.random() < 0.02


def keeps_the_first(courses, course):
    return courses[0] == "one"


@pytest.mark.parametrize("seed", range(40))
def test_outputs_that_are_equal_by_chance_are_no_repetition(seed):
    estimator = _Process(rare(random.Random(seed)))
    assert not depends_on_earlier_runs(estimator, COURSES)


def test_some_of_these_pass_the_first_comparison():
    suspected = [_Process(rare(random.Random(seed))) for seed in range(40)]
    for each in suspected:
        depends_on_earlier_runs(each, COURSES)
    assert any(max(each.asked) > 8 for each in suspected)


def test_a_first_input_that_is_kept_is_found():
    assert depends_on_earlier_runs(_Process(keeps_the_first), COURSES)
