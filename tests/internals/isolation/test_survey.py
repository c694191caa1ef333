"""What a judged process sees of its own code: memory outside the state, lines, branches and constants."""

from __future__ import annotations

import multiprocessing
import random
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, replace

import numba
import numpy as np
import pytest

from pan_audits import Verdict
from pan_audits.conduct.memory import survey
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.reports.text import check_lines
from pan_audits.subject.intake.discovery import find_mechanism
from pan_audits.subject.isolation.conduct import Conduct, OneWay, Unran
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.description import constants_of
from pan_audits.subject.isolation.messages import read, written
from pan_audits.subject.isolation.orders import depends_on_earlier_runs
from pan_audits.subject.isolation.own_code import OwnCode
from pan_audits.subject.isolation.surveying import FollowedLines, Survey
from pan_estimators import NumpyRandomness
from tests.mechanisms import outside_memory, triggers
from tests.mechanisms.outside_memory import LEAKS, TWINS
from tests.turns import every

SMALL = CheckSettings(users=2, length=1, appearances=2)
more = pytest.mark.more


@pytest.fixture(scope="module")
def elsewhere():
    """A new process: in this one, earlier tests and pytest itself write to files that are open."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        yield processes


def changed_after(name):
    """The places that change with further users, after a first one."""
    estimator = getattr(outside_memory, name)()
    randomness = NumpyRandomness(1)

    def run(user):
        estimator.release(estimator.update(False, [user], randomness), randomness)

    run(1)
    changed = set()
    for user in (2, 3):
        watched = Survey(estimator, OwnCode.of(estimator))
        with watched.on():
            run(user)
        changed |= set(watched.told().changed)
    return changed


@pytest.mark.parametrize("name", [name for name in (*LEAKS, *TWINS) if name != "File"])
def test_each_place_that_tells_a_user_changes_with_the_user_and_a_cache_does_not(name, elsewhere):
    assert bool(elsewhere.submit(changed_after, name).result()) is (name in LEAKS)


def unreadable_places(name):
    estimator = getattr(outside_memory, name)()
    return Survey(estimator, OwnCode.of(estimator)).told().unreadable


def test_an_object_that_nobody_can_read_is_named(elsewhere):
    named = elsewhere.submit(unreadable_places, "UnreadableObject").result()
    assert "tests.mechanisms.outside_memory._COMPRESSED (zlib.Compress)" in named


FIRST = ("ModuleGlobal", "TableOfTheParameter", "File", "CacheOfAFunction", "LockOfAnObject", "CachedTable")


@pytest.mark.parametrize(
    "name",
    [
        *every(4, FIRST),
        *(pytest.param(name, marks=pytest.mark.slow) for name in (*LEAKS, *TWINS) if name not in FIRST),
    ],
)
def test_the_exact_check_concludes_nothing_about_memory_that_depends_on_users(name):
    result = run_check(SmallInstances(f"tests.mechanisms.outside_memory:{name}"), SMALL)
    if name in TWINS:
        assert result.verdict is Verdict.NOT_REFUTED, result.reason
        assert result.conduct.kept == ()
    else:
        assert result.verdict is Verdict.INCONCLUSIVE, result.reason
        assert "keeps data outside of the state" in result.reason


class Process:
    """An estimator as the check of orders sees it: the outputs of runs on some streams in a new process."""

    def __init__(self, output):
        self.output, self.asked = output, []

    def outputs_afresh(self, courses, runs, seed, limits=None):
        self.asked.append(runs)
        return [bytes(self.output(courses, course) for _ in range(runs)) for course in courses]


def test_outputs_that_depend_on_earlier_runs_are_told_from_outputs_that_are_equal_by_chance():
    assert depends_on_earlier_runs(Process(lambda courses, course: courses[0] == "one"), ["one", "other"])
    suspected = 0
    for seed in range(40):
        chance = random.Random(seed)
        process = Process(lambda courses, course, chance=chance: chance.random() < 0.02)
        assert not depends_on_earlier_runs(process, ["one", "other"]), seed
        suspected += max(process.asked) > 8
    assert suspected


# Lines and branches


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
    for function in (both_ways, in_one_line, calls_compiled):
        found = told(function)
        assert (found.unran, found.one_way) == ((), ()), function
        assert found.lines > 0
        assert found.calls == 3


@pytest.mark.parametrize("function", [waits, excluded])
def test_a_line_that_waits_is_named_once(function):
    found = told(function)
    assert found.unran == (Unran(__file__, function.__name__, (function.__code__.co_firstlineno + 2,), True),)
    assert found.one_way == ()


def test_a_branch_without_a_line_of_its_own_and_a_function_that_no_run_called_are_named():
    first = both_ways.__code__.co_firstlineno
    assert told(both_ways, (5, 6)).one_way == (OneWay(__file__, "both_ways", first + 1, first + 2),)
    assert [each.entered for each in told(waits, ()).unran] == [False]


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
    result = run_check(SmallInstances(f"{__name__}:Waits"), SMALL)
    assert result.verdict is Verdict.NOT_REFUTED
    lines = dict(check_lines(result))
    assert "(Waits.update)" in lines["never ran"]
    assert "always goes on to" in lines["one way"]
    assert result.to_dict()["conduct"]["never_ran"]


# Constants of the code


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        pytest.param("AnId", Verdict.REFUTED, marks=pytest.mark.slow),
        pytest.param("AText", Verdict.REFUTED, marks=pytest.mark.slow),
        pytest.param("ANumberOfUpdates", Verdict.REFUTED, marks=more),
        pytest.param("HarmlessConstants", Verdict.NOT_REFUTED, marks=more),
        ("RefusesAnId", Verdict.NOT_REFUTED),
    ],
)
def test_an_exact_check_meets_the_constants_of_the_code(name, verdict):
    result = run_check(SmallInstances(f"tests.mechanisms.triggers:{name}"), SMALL)
    assert result.verdict is verdict, result.reason


def test_a_survey_begins_in_a_process_that_has_run_nothing():
    estimator = find_mechanism("tests.mechanisms.hidden_state:CachesAConstant", parameters={}).estimator
    course = [(np.array([1]), None, SegmentEnd.RELEASE)]
    assert len(list(estimator.runs_apart(course, 1, (1,), states_seen=False))) == 1
    never_ran = {each.function for each in estimator.surveyed([course], 1, 1).unran}
    assert "CachesAConstant.scale" not in never_ran


def surveyed(name):
    mechanism = find_mechanism(f"tests.mechanisms.triggers:{name}", parameters={})
    return survey(mechanism, seed=1)


def test_a_survey_meets_a_batch_size_and_names_a_line_that_no_constant_reaches():
    assert "Triggered.update" not in {each.function for each in surveyed("ABatchSize").conduct.unran}
    assert "APrefixOfADigest.waits_for" in surveyed("APrefixOfADigest").conduct.describe_lines()


@more
def test_an_id_that_the_code_refuses_is_not_used():
    ids = surveyed("RefusesAnId").mined.ids
    assert 4095 in ids
    assert 4096 not in ids


def test_constants_are_found_where_they_stand():
    found = {name: constants_of(OwnCode.of(getattr(triggers, name)())) for name in ("AnId", "AText", "ABatchSize")}
    numbers, texts = 0, 1
    assert 4242 in found["AnId"][numbers]
    assert "mallory" in found["AText"][texts]
    assert 4242 not in found["ABatchSize"][numbers]


# What is told is read with distrust

TOLD = Conduct(
    changed={"a place": "12"},
    acts=(("fixed seeds", "a seed\x1b[31m"),),
    unran=(
        Unran("/a/counter.py", "update", (3, 4, 5, 9), True),
        Unran("/a/counter.py", "merge", (12,), False),
    ),
    lines=20,
    calls=7,
    one_way=(OneWay("/a/counter.py", "update", 7, 8), OneWay("/a/counter.py", "update", 12, 0)),
    unreadable=("a place",),
)


def test_what_is_told_is_read_and_made_harmless():
    conduct = read(Conduct, written(TOLD))
    assert conduct.of_kind("fixed seeds") == ("a seed?[31m",)
    assert conduct.describe_lines() == (
        "5 of 20 lines of the judged code, in the 7 calls that were followed: counter.py 3-5, 9 (update); "
        "counter.py 12 (merge, which no run called). The verdict says nothing about them"
    )
    assert conduct.describe_branches() == (
        "counter.py 7 always goes on to 8 (update); counter.py 12 always goes on to the end (update). "
        "The verdict says nothing about the other way"
    )
    for each in fields(Conduct):
        for wrong in (object(), 7.5, [["a", 1]]):
            broken = replace(TOLD, **{each.name: wrong})
            with pytest.raises(DataError):
                read(Conduct, written(broken))
    with pytest.raises(DataError):
        read(Conduct, written(TOLD)[:-1])


def test_a_line_that_ran_anywhere_did_run():
    one = read(Conduct, written(TOLD))
    joined = one.and_also(Conduct(unran=(Unran("/a/counter.py", "update", (4, 5, 6), True),), lines=20, calls=3))
    assert joined.unran == (Unran("/a/counter.py", "update", (4, 5), True),)
    assert joined.calls == 10
    assert one.and_also(Conduct()).describe_lines() == ""


@pytest.mark.parametrize(
    ("there", "stays"),
    [
        (Conduct(one_way=(OneWay("/a/counter.py", "update", 7, 8),)), True),
        (Conduct(one_way=(OneWay("/a/counter.py", "update", 7, 9),)), False),
        (Conduct(), False),
        (Conduct(unran=(Unran("/a/counter.py", "update", (7,), True),)), True),
    ],
)
def test_a_branch_that_went_both_ways_in_two_surveys_is_not_named(there, stays):
    joined = read(Conduct, written(TOLD)).and_also(there)
    assert (OneWay("/a/counter.py", "update", 7, 8) in joined.one_way) is stays
