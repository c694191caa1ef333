"""Every slow test that fits has its day, and no day takes too long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.slow.longest import from_log, longest
from tests.slow.rotation import never, parts, todays

SECONDS = 240.0
TESTS = st.lists(st.text("abc[]:", min_size=1, max_size=6), unique=True, max_size=40)
TIMES = st.floats(0, 400)


@st.composite
def timed(draw):
    tests = draw(TESTS)
    return tests, {test: draw(TIMES) for test in tests if draw(st.booleans())}


@given(timed())
def test_each_test_that_fits_is_in_one_part_and_no_part_takes_too_long(case):
    tests, durations = case
    found = parts(tests, durations, SECONDS)
    together = [test for part in found for test in part]
    assert sorted(together + never(tests, durations, SECONDS)) == sorted(tests)
    assert all(sum(durations[test] for test in part) <= SECONDS + 1e-9 for part in found)


@given(timed(), st.integers(0, 30_000))
def test_as_many_days_as_there_are_parts_run_everything_that_fits(case, day):
    tests, durations = case
    days = max(1, len(parts(tests, durations, SECONDS)))
    run = [test for later in range(days) for test in todays(tests, durations, SECONDS, day + later)]
    assert sorted(run + never(tests, durations, SECONDS)) == sorted(tests)


@given(timed(), st.integers(0, 30_000), st.randoms())
def test_the_order_in_which_tests_are_found_changes_nothing(case, day, chance):
    tests, durations = case
    other = chance.sample(tests, len(tests))
    assert todays(other, durations, SECONDS, day) == todays(tests, durations, SECONDS, day)


def test_parts_are_few():
    durations = {f"test {number}": 10.0 + 3 * number for number in range(30)}
    least = sum(durations.values()) / SECONDS
    assert len(parts(list(durations), durations, SECONDS)) <= 1.25 * least + 1


def test_without_tests_no_day_has_any():
    assert todays([], {}, SECONDS, 5) == []
    assert todays(["never timed", "too long"], {"too long": SECONDS + 1}, SECONDS, 5) == []


def test_the_longest_tests_of_a_run_are_read_from_its_output():
    log = "12.50s call     tests/a.py::test_b[c d]\n7.00s call     tests/a.py::test_e\n"
    assert from_log(log + "20.00s setup    tests/a.py::test_f\n1 passed in 40.00s\n") == {
        "tests/a.py::test_b[c d]": 12.5
    }


@pytest.mark.more
def test_the_longest_tests_exist_and_are_slow():
    """A name that no test has any more would leave its successor in the run from which it was taken."""
    root = Path(__file__).parents[2]
    words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "slow", "--ignore=tests/benchmarks"]
    ran = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    assert set(longest()) <= set(ran.stdout.splitlines())
