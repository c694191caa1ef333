"""The intervals of distinct counters cover as they say, and the fast computation of it is that of the counter."""

import math

import numpy as np
import pytest

from tests.benchmarks.distinct_coverage import (
    COVER_CASES,
    USERS,
    counter_of,
    covered,
    released_counts,
    some_keys,
    touched_numbers,
)

SMALL = next(case for case in COVER_CASES if case.memory == 2**7 and case.loss == 2)


def outputs_of(case, users, keys):
    counter, generator = counter_of(case), np.random.default_rng(1)
    touched = [touched_numbers(counter.geometry, (users,), generator)[0] for _ in range(keys)]
    return released_counts(counter, np.array(touched), generator)


def test_the_fast_computation_is_that_of_the_counter():
    counter, users = counter_of(SMALL), 10_000
    counts = outputs_of(SMALL, users, 25)
    inside, reliable = covered(SMALL, users, counts)
    found = [counter.estimate(one) for one in counts]
    assert inside.tolist() == [one.low <= users <= one.high for one in found]
    assert reliable.tolist() == [one.reliable and SMALL.least / 3 <= one.count <= 3 * SMALL.most for one in found]


def test_touched_cells_have_their_exact_distribution():
    """The mean and the variance of the number of touched cells of each level."""
    geometry, generator, users, keys = counter_of(SMALL).geometry, np.random.default_rng(2), 3_000, 600
    found = np.array([touched_numbers(geometry, (users,), generator)[0] for _ in range(keys)])
    widths, rates = geometry.widths, geometry.rates
    alone, pairs = (1 - rates) ** users, (1 - 2 * rates) ** users
    variance = widths * alone + widths * (widths - 1) * pairs - (widths * alone) ** 2
    assert (np.abs(found.mean(axis=0) - widths * (1 - alone)) < 6 * np.sqrt(variance / keys) + 1e-9).all()
    # A sample variance of 600 is within 40% with probability above 0.9999.
    assert (np.abs(found.var(axis=0) - variance) < 0.4 * variance + 0.02).all()


def test_intervals_of_a_small_counter_cover():
    counts = outputs_of(SMALL, 10_000, 1_500)
    inside, reliable = covered(SMALL, 10_000, counts)
    # Four standard errors around 95%.
    assert abs(inside.mean() - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 1_500)
    assert reliable.mean() > 0.99


@pytest.mark.slow
@pytest.mark.parametrize("case", COVER_CASES, ids=lambda case: case.text)
def test_intervals_cover_between_94_and_96_percent_where_outputs_are_reliable(case):
    keys = 4_000
    error = math.sqrt(0.95 * 0.05 / keys)
    for users, (inside, reliable) in zip(USERS, some_keys(case, 9, keys), strict=True):
        if case.least <= users <= case.most and reliable.mean() > 0.9:
            assert 0.94 - 3 * error < inside.mean() < 0.96 + 3 * error
            assert inside[reliable].mean() > 0.94 - 3 * error
