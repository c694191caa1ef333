"""Lines that never ran, and branches of one way, are those that the code has."""

from __future__ import annotations

import numba
import pytest

from pan_audits import Verdict
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.reports.check import check_lines
from pan_audits.subject.isolation.own_code import OwnCode
from pan_audits.subject.isolation.surveying import FollowedLines


def both_ways(number):
    if number > 2:
        number += 1
    return number


def waits(number):
    if number > 100:
        return "leak"
    return number


def excluded(number):
    if number > 100:  # pragma: no cover
        return "leak"
    return number


def in_one_line(number):
    return [each for each in range(number) if each > 1] and (lambda: number)()


class OnOneLine:
    # fmt: off
    def double(self, number): return 2 * number
    # fmt: on


def calls_one_line(number):
    return OnOneLine().double(number)


@numba.njit
def compiled(number):
    if number > 100:
        return 1
    return number


def calls_compiled(number):
    return compiled(number)


def told(function, numbers=(1, 2, 3)):
    lines = FollowedLines(OwnCode.of(function))
    for number in numbers:
        with lines.on():
            function(number)
    return lines.told()


def test_a_function_that_ran_wholly_has_nothing_to_tell():
    for function in (both_ways, in_one_line, calls_one_line, calls_compiled):
        found = told(function)
        assert (found["unran"], found["one way"]) == ([], []), function
        assert found["lines"] > 0
        assert found["calls"] == 3


@pytest.mark.parametrize("function", [waits, excluded])
def test_a_line_that_waits_is_named_once(function):
    first = function.__code__.co_firstlineno
    found = told(function)
    assert found["unran"] == [[__file__, function.__name__, [first + 2], True]]
    assert found["one way"] == []


def test_a_branch_without_a_line_of_its_own_is_named():
    first = both_ways.__code__.co_firstlineno
    assert told(both_ways, (5, 6))["one way"] == [[__file__, "both_ways", first + 1, first + 2]]


def test_a_function_that_no_run_called_is_named():
    assert [entered for *_, entered in told(waits, ())["unran"]] == [False]


class Waits:
    """It keeps a user whom no stream has."""

    promise = "epsilon=1,adjacency=user-level,observed=state+output"

    def create(self, randomness):
        return 0

    def update(self, state, ids, randomness):
        if sum(ids) ** 2 % 1000 == 444:
            state = 1
        if sum(ids) >= -1:
            state += 0
        return state

    def release(self, state, randomness):
        return state


def test_the_exact_check_names_lines_and_branches():
    result = run_check(SmallInstances(f"{__name__}:Waits"), CheckSettings(users=2, length=1, appearances=2))
    assert result.verdict is Verdict.NOT_REFUTED
    lines = dict(check_lines(result))
    assert "(Waits.update)" in lines["never ran"]
    assert "always goes on to" in lines["one way"]
