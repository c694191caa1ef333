"""The stated errors of small distinct counters, and the coverage of their intervals, against their exact law."""

import numpy as np
import pytest

from pan_estimators import DistinctUserCounter, NumpyRandomness
from tests.benchmarks.distinct_coverage import CoverCase, ManyOutputs, counter_of, covered, released_counts
from tests.benchmarks.distinct_coverage import touched_numbers as touched

KEYS = 1_000
SMALL = [CoverCase(2 * epsilon, memory, 1e4, 1e9) for epsilon in (0.5, 1) for memory in (128, 256, 512)]
FEW = CoverCase(1, 128, 1e2, 1e5)
PRESETS = [CoverCase(0.5, 2**10, 1e4, 1e9), CoverCase(0.2, 2**12, 1e5, 1e8)]
CASES = [*SMALL, FEW, *PRESETS]
PARTS = (0, 0.4, 0.8, 0.94, 1)
"""Places in the range: many at its top."""


def numbers_of(case):
    return [round(case.least * (case.most / case.least) ** part) for part in PARTS]


def counts_of(case):
    """The outputs of many keys for each number of users: ``(keys, users, levels)``."""
    counter, generator = counter_of(case), np.random.default_rng(7)
    cells = np.array([touched(counter.geometry, numbers_of(case), generator) for _ in range(KEYS)])
    return released_counts(counter, cells, generator)


def assert_stated(estimates, users, stated):
    """The root mean squared error of estimates is the stated one, up to its own standard error."""
    squares = (estimates / users - 1) ** 2
    error = np.sqrt(squares.mean())
    deviation = squares.std() / np.sqrt(squares.size) / (2 * error)
    assert 0.8 * stated - 4 * deviation < error
    # The few largest errors tell their own standard error badly: it is that of normal errors, if that is less.
    assert error < 1.1 * stated + 4 * min(deviation, 1.5 * stated / np.sqrt(2 * squares.size))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_the_error_and_the_coverage_are_those_that_are_stated(case):
    """The largest estimates of a counter whose last level fills just above its range were 500 times too large."""
    counter, counts = counter_of(case), counts_of(case)
    worst = counter.law.worst_error(case.least, case.most)
    for place, users in enumerate(numbers_of(case)):
        estimates = ManyOutputs(counter.law, counts[:, place]).fitted()[0]
        assert counter.estimate(counts[0, place]).count == pytest.approx(estimates[0], rel=1e-4)
        assert_stated(estimates, users, counter.expected_error(users))
        assert counter.expected_error(users) < 1.02 * worst
        inside, reliable = covered(case, users, counts[:, place])
        assert inside.mean() > 0.92
        assert reliable.mean() > 0.95
        assert inside[reliable].mean() > 0.92


@pytest.mark.more
@pytest.mark.parametrize("memory", [128, 256])
def test_the_error_of_real_counters_is_the_stated_one(memory):
    users = np.arange(100_000)
    estimates = []
    for seed in range(300):
        key = seed.to_bytes(16, "big")
        one = DistinctUserCounter(0.5, memory=memory, least=1e2, most=1e5, key=key, randomness=NumpyRandomness(seed))
        stated = one.expected_error(users.size)
        one.add_many(users)
        estimates.append(one.release().count)
    assert_stated(np.array(estimates), users.size, stated)
