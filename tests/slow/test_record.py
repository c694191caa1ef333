"""The record of the slow tests says how they went: also when they fail, and when the run is ended from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.slow.results import Outcome, Results, durations

TOY = """
import os, time, pytest

def test_that_passes(record_property):
    record_property("refuted", "3 of 2500 | 0.1%")
    time.sleep(0.2)

def test_that_fails():
    assert False

def test_that_is_skipped():
    pytest.skip("not here")

@pytest.fixture
def broken():
    yield
    raise RuntimeError

def test_that_cannot_be_left(broken):
    pass

@pytest.mark.parametrize("number", range(4))
def test_number(number):
    pass

@pytest.mark.skipif("HANG" not in os.environ, reason="asked for only")
def test_that_hangs():
    time.sleep(60)
"""


def pytest_on(folder, *arguments, **variables):
    (folder / "test_toy.py").write_text(textwrap.dedent(TOY))
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path]), **variables}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.slow.plugin", "-p", "no:cacheprovider", "test_toy.py"]
    return subprocess.Popen(
        [*command, *map(str, arguments)], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.more
@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one process", "two processes"])
def test_a_run_with_failures_is_recorded_with_times_and_figures(tmp_path, processes):
    page = tmp_path / "RESULTS.md"
    run = pytest_on(tmp_path, "--record", page, *processes)
    run.communicate(timeout=100)
    assert run.returncode == 1
    results = Results.read(page)
    assert results.ended
    assert not results.green
    assert results.selected == len(results.outcomes) == 9
    found = {each.test.partition("::")[2]: each for each in results.outcomes}
    assert found["test_that_passes"].outcome == "passed"
    assert found["test_that_passes"].seconds >= 0.2
    assert found["test_that_passes"].figures == {"refuted": "3 of 2500 | 0.1%"}
    assert found["test_that_fails"].outcome == found["test_that_cannot_be_left"].outcome == "failed"
    assert found["test_that_is_skipped"].outcome == found["test_that_hangs"].outcome == "skipped"
    text = page.read_text()
    assert "**Not green**: 5 passed, 2 failed, 2 skipped, 0 under way, of 9." in text
    assert "3 of 2500 \\| 0.1%" in text
    assert results.commit in text
    assert len(results.commit) == 40 or results.commit == "unknown"


@pytest.mark.more
@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one process", "two processes"])
def test_a_run_that_adds_leaves_out_what_has_passed_and_forgets_what_is_gone(tmp_path, processes):
    page = tmp_path / "RESULTS.md"
    earlier = {
        f"test_number[{number}]": Outcome(f"test_toy.py::test_number[{number}]", "passed", 4.0) for number in (0, 1)
    }
    earlier["test_that_is_gone"] = Outcome("test_toy.py::test_that_is_gone", "passed", 4.0)
    earlier["test_that_passes"] = Outcome("test_toy.py::test_that_passes", "failed", 4.0)
    Results("an earlier commit", True, "d", "3", 4, True, list(earlier.values())).write(page)
    run = pytest_on(tmp_path, "--record", page, "--adding", *processes)
    run.communicate(timeout=100)
    results = Results.read(page)
    found = {each.test.partition("::")[2]: each for each in results.outcomes}
    assert results.selected == len(found) == 9
    assert found["test_number[0]"] == replace(earlier["test_number[0]"], commit="an earlier commit")
    assert found["test_number[2]"].commit == found["test_that_passes"].commit == results.commit
    assert found["test_that_passes"].outcome == "passed"
    assert "| test_toy.py::test_number[1] | passed | 4.0 | an earlie |" in page.read_text()


def test_a_run_that_is_ended_from_outside_names_what_was_under_way(tmp_path):
    page = tmp_path / "RESULTS.md"
    run = pytest_on(tmp_path, "--record", page, HANG="1")
    deadline = time.monotonic() + 60
    while not (page.exists() and "test_that_hangs | under way" in page.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert "**The run has not come to its end**" in page.read_text()
    assert not Results.read(page).green


def test_a_test_under_way_has_no_duration():
    results = Results("c", True, "d", "3", 2, False, [Outcome("a", "under way"), Outcome("b", "passed", 3.0)])
    assert durations(results) == {"b": 3.0}
    assert durations(None) == {}


def test_a_green_run_says_so():
    results = Results("c", True, "d", "3", 1, True, [Outcome("b", "passed", 3.0)])
    assert results.green
    assert "Every test passed: 1 passed, 0 failed, 0 skipped, 0 under way, of 1." in results.markdown()


def rotating(folder, page, day):
    run = pytest_on(folder, "-v", "--rotating", day, "--rotating-seconds", 8, "--timed", page, "--collect-only", "-q")
    out = run.communicate(timeout=100)[0]
    return run.returncode, {line for line in out.splitlines() if line.startswith("test_toy.py::")}


@pytest.mark.more
def test_a_rotating_part_runs_some_of_the_tests_and_the_days_run_all_that_were_timed(tmp_path):
    page = tmp_path / "RESULTS.md"
    timed = [Outcome(f"test_toy.py::test_number[{number}]", "passed", 4.0) for number in range(4)]
    Results("c", True, "d", "3", 5, True, [*timed, Outcome("test_toy.py::test_that_fails", "failed", 9.0)]).write(page)
    (_, first), (_, second), (_, third) = (rotating(tmp_path, page, day) for day in (0, 1, 2))
    assert len(first) == len(second) == 2
    assert first | second == {each.test for each in timed}
    assert third == first


def test_where_nothing_was_timed_nothing_is_run_and_that_is_no_failure(tmp_path):
    assert rotating(tmp_path, tmp_path / "RESULTS.md", 0) == (0, set())
