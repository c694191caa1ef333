"""The probabilities of neighbouring counts, against exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.statistics.counts import Counts


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_probabilities_are_those_of_fractions(data):
    runs = data.draw(st.integers(1, 400))
    first = data.draw(st.integers(0, runs))
    last = data.draw(st.integers(first, runs))
    chance = data.draw(st.sampled_from([0.0, 1.0]) | st.floats(1e-6, 1 - 1e-6))
    counts = Counts.between(runs, first, last)
    found = counts.masses(np.array([chance, 0.5]))[0]
    exact = [comb(runs, x) * Fraction(chance) ** x * (1 - Fraction(chance)) ** (runs - x) for x in range(runs + 1)]
    assert found == pytest.approx([float(one) for one in exact[first : last + 1]], rel=1e-12, abs=1e-250)
    assert counts.below(np.array([chance]))[0] == pytest.approx(float(sum(exact[:first])), rel=1e-9, abs=1e-250)
    assert counts.above(np.array([chance]))[0] == pytest.approx(float(sum(exact[last + 1 :])), rel=1e-9, abs=1e-250)


@pytest.mark.parametrize(("runs", "count", "power"), [(10**6, 250_000, 2), (10**7, 5_000_000, 1)])
def test_the_error_grows_no_faster_than_the_runs(runs, count, power):
    chance = 2.0**-power
    found = Counts.between(runs, count, count).masses(np.array([chance]))[0, 0]
    with mpmath.workdps(40):
        exact = mpmath.binomial(runs, count) * mpmath.mpf(chance) ** count * mpmath.mpf(1 - chance) ** (runs - count)
        assert abs(found / exact - 1) < 2e-16 * runs
