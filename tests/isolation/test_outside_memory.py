"""Data outside the state, written and never read, are seen; caches that are equal for all streams are accepted."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

from pan_audits import Verdict
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.subject.isolation.own_code import OwnCode
from pan_audits.subject.isolation.surveying import Survey
from pan_estimators import NumpyRandomness
from tests.mechanisms import outside_memory
from tests.mechanisms.outside_memory import LEAKS, TWINS
from tests.turns import every

SMALL = CheckSettings(users=2, length=1, appearances=2)
CHECKED = ("CacheOfAFunction", "ModuleGlobal", "OpenFile", "TableOfTheParameter", "LockOfAnObject")
"""Checked from end to end in an ordinary run; the others are in the long one."""

COMPILED = ("CompiledAtTheFirstUse", "CompiledForArrays")
"""A compiler reads the clock, so that the exact check decides nothing about code that is compiled during a call."""


@pytest.fixture(scope="module")
def elsewhere():
    """A new process: in this one, earlier tests and pytest itself write to files that are open."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        yield processes


def changed_after(name, users):
    """The places that change with further users, after a first one."""
    estimator = getattr(outside_memory, name)()
    randomness = NumpyRandomness(1)

    def run(user):
        estimator.release(estimator.update(False, [user], randomness), randomness)

    run(1)
    for user in users:
        watched = Survey(estimator, OwnCode.of(estimator))
        with watched.on():
            run(user)
        changed = set(watched.told()["changed"])
        if changed:
            return changed
    return set()


@pytest.mark.parametrize("name", every(5, [name for name in LEAKS if name != "File"]))
def test_each_place_that_tells_a_user_changes_with_the_user(name, elsewhere):
    assert elsewhere.submit(changed_after, name, [2, 3]).result()


@pytest.mark.parametrize("name", every(6, TWINS))
def test_a_cache_does_not_change_with_the_user(name, elsewhere):
    assert elsewhere.submit(changed_after, name, [2, 3]).result() == set()


def unreadable_places(name):
    estimator = getattr(outside_memory, name)()
    return Survey(estimator, OwnCode.of(estimator)).told()["unreadable"]


def test_an_object_that_nobody_can_read_is_named(elsewhere):
    # Other mechanisms of the same module have run in this process.
    named = elsewhere.submit(unreadable_places, "UnreadableObject").result()
    assert "tests.mechanisms.outside_memory._COMPRESSED (zlib.Compress)" in named


def checked(name):
    return run_check(SmallInstances(f"tests.mechanisms.outside_memory:{name}"), SMALL)


def assert_right(name):
    result = checked(name)
    if name in TWINS:
        assert result.verdict is Verdict.NOT_REFUTED, result.reason
        assert result.conduct.kept == ()
    else:
        assert result.verdict is Verdict.INCONCLUSIVE, result.reason
        assert "keeps data outside of the state" in result.reason


@pytest.mark.parametrize("name", every(6, CHECKED))
def test_the_exact_check_concludes_nothing_about_memory_that_depends_on_users(name):
    assert_right(name)


@pytest.mark.parametrize("name", [name for name in (*LEAKS, *TWINS) if name not in (*CHECKED, *COMPILED)])
@pytest.mark.slow
def test_the_exact_check_tells_each_leak_from_each_cache(name):
    assert_right(name)
