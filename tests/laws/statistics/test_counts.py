"""The bound of the loss from both counts."""

from __future__ import annotations

import bisect
import math
from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pan_audits.statistics import counts as joint
from pan_audits.statistics import loss_lower_bound, proportion_lower, proportion_upper
from pan_audits.statistics.counts import Counts


@settings(max_examples=60)
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


def loss_exceeds(x, n, y, k, *, epsilon, error, delta=0.0):
    """Whether the bound of the loss is at least epsilon, by one test in place of a search."""
    return x > 0 and x / n > delta and joint._test(x, n, y, k, error, delta)(epsilon)


def excess(n, k, epsilon, delta, error):
    """The largest probability, over the pairs with this loss, that the bound is above it."""
    given = {"epsilon": epsilon, "error": error, "delta": delta}
    wrong = np.array([[loss_exceeds(x, n, y, k, **given) for y in range(k + 1)] for x in range(n + 1)])
    found = []
    for q in np.linspace(0, (1 - delta) * math.exp(-epsilon), 60):
        p = math.exp(epsilon) * q + delta
        weights = np.outer(stats.binom.pmf(range(n + 1), n, p), stats.binom.pmf(range(k + 1), k, q))
        found.append(weights[wrong].sum())
    return max(found)


@pytest.mark.parametrize(
    ("n", "k", "epsilon", "delta", "error"),
    [
        (10, 10, 0.0, 0.0, 0.05),
        (12, 5, 0.5, 0.0, 0.2),
        (12, 5, 1.2, 0.0, 0.05),
        pytest.param(12, 5, 0.3, 0.1, 0.2, marks=pytest.mark.more),
        # With a delta even an event in every run may have too small a likelihood ratio, whatever the epsilon.
        *((runs, runs, 1.0, delta, error) for runs, error in ((5, 1e-4), (4, 0.05), (9, 1e-6)) for delta in (0.3, 0.6)),
    ],
)
def test_the_bound_exceeds_the_loss_no_more_often_than_its_error(n, k, epsilon, delta, error):
    assert excess(n, k, epsilon, delta, error) <= error


@pytest.mark.more
@pytest.mark.parametrize(("runs", "epsilon", "error"), [(300, 1.0, 0.05), (1000, 0.2, 1e-3)])
def test_the_error_is_used_up_but_not_exceeded_at_many_runs(runs, epsilon, error):
    """The exact rate for randomised response: each count on the right has its least count on the left.

    Counts on the right that have a probability of at most 2e-5 together are left out.
    """
    p = stats.logistic.cdf(epsilon)
    rate = 0.0
    for y in range(int(stats.binom.ppf(1e-5, runs, 1 - p)), int(stats.binom.isf(1e-5, runs, 1 - p)) + 1):
        least = bisect.bisect_left(
            range(runs + 1), True, key=lambda x, y=y: loss_exceeds(x, runs, y, runs, epsilon=epsilon, error=error)
        )
        rate += stats.binom.pmf(y, runs, 1 - p) * stats.binom.sf(least - 1, runs, p)
    assert 0.85 * error < rate <= error - 2e-5


def test_a_bound_whose_region_is_too_small_would_exceed_its_error(monkeypatch):
    """Of the region, only the outcomes with the same count on the right."""
    region = joint._region

    def smaller(x, n, y, *rest):
        whole = region(x, n, y, *rest)
        least = np.where(whole.right.counts == y, whole.least, n + 1)
        return joint._Region(whole.left, whole.right, least, whole.beyond)

    monkeypatch.setattr(joint, "_region", smaller)
    assert excess(12, 12, 0.5, 0.0, 0.05) > 0.05


def test_cells_bound_the_probability_between_their_ends():
    """On a fine grid the probability of a region stays below the bound of each cell."""
    odds = math.exp(0.7)
    region = joint._region(40, 60, 12, 60, 0.0, 1.645, (0.1, 0.95), (0.05, 0.5))
    ends = np.linspace(0.05, 0.45, 9)
    values = region.probability(odds * ends, ends)
    bounds = joint._curved(region, np.maximum(values[:-1], values[1:]), ends[:-1], ends[1:], odds, 0.0)
    for start, stop, bound in zip(ends[:-1], ends[1:], bounds, strict=True):
        inner = np.linspace(start, stop, 200)
        assert region.probability(odds * inner, inner).max() <= bound


def test_the_test_agrees_with_the_bound():
    for x, y in ((30, 5), (12, 0), (40, 20)):
        bound = loss_lower_bound(x, 50, y, 50, error=0.05)
        assert bound > 0
        assert loss_exceeds(x, 50, y, 50, epsilon=bound - 1e-3, error=0.05)
        assert not loss_exceeds(x, 50, y, 50, epsilon=bound + 1e-3, error=0.05)


@pytest.mark.parametrize(("x", "y", "n"), [(50, 5, 100), (48, 0, 1000), (73_106, 26_894, 100_000)])
@pytest.mark.parametrize("error", [0.05, 1e-6])
def test_the_bound_is_sharper_than_two_separate_ones(x, y, n, error):
    """With many runs it is within a percent of the normal approximation."""
    bound = loss_lower_bound(x, n, y, n, error=error)
    assert bound > max(0, math.log(proportion_lower(x, n, error=error / 2) / proportion_upper(y, n, error=error / 2)))
    assert bound < math.log(x / max(y, 0.5))
    if n == 100_000:
        normal = math.log(x / y) - stats.norm.isf(error) * math.sqrt(1 / x - 1 / n + 1 / y - 1 / n)
        assert 0.99 * normal < bound < 1.001 * normal


def test_counts_that_show_nothing_have_the_bound_zero_and_a_delta_lowers_it():
    for x, y, delta in ((0, 0, 0.0), (100, 100, 0.0), (20, 60, 0.0), (5, 0, 0.2)):
        assert loss_lower_bound(x, 100, y, 100, error=0.05, delta=delta) == 0
    bounds = [loss_lower_bound(300, 1000, 20, 1000, error=0.01, delta=delta) for delta in (0.1, 0.0)]
    assert 0 < bounds[0] < bounds[1]


@pytest.mark.parametrize("error", [1e-13, 1e-30])
def test_an_error_below_the_precision_of_the_sums_has_two_separate_bounds(error):
    bound = loss_lower_bound(500, 1000, 100, 1000, error=error)
    lower, upper = stats.beta.ppf(error / 2, 500, 501), stats.beta.isf(error / 2, 101, 900)
    assert bound == pytest.approx(math.log(lower / upper), rel=1e-9)
    assert loss_lower_bound(5, 1000, 0, 1000, error=error) == 0


def test_clopper_pearson_bounds_cover():
    for x, n in ((0, 10), (3, 10), (10, 10)):
        low, high = proportion_lower(x, n, error=0.01), proportion_upper(x, n, error=0.01)
        assert 0 <= low <= x / n <= high <= 1
        assert (low, high) == pytest.approx(stats.binomtest(x, n).proportion_ci(0.98, "exact"))
