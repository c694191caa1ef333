"""The claims about the distinct counter: proved, and their formulas are what other computations find."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators.density.cell_loss import worst_ratio
from pan_estimators.density.distinct.counter import distinct_counter
from pan_estimators.density.distinct.presets import planned_counter
from pan_proofs.density.claims.distinct_counter.floor import LIMITS, RANGE_LIMITS, bit_information
from pan_proofs.density.claims.distinct_counter.union import factor


def test_counts_of_exactly_n_users_vary_less_than_those_of_a_poisson_number():
    """The variances of simulated counts against the two formulas."""
    source, cells, users, gap = np.random.default_rng(3), 40, 60, 0.6
    chances = []
    for number in (np.full(20_000, users), source.poisson(users, 20_000)):
        counts = []
        for one in number:
            touched = np.zeros(cells, dtype=bool)
            touched[source.integers(0, cells, one)] = True
            counts.append((source.random(cells) < np.where(touched, 0.8, 0.2)).sum())
        chances.append(np.var(counts))
    alone, pair = (1 - 1 / cells) ** users, (1 - 2 / cells) ** users
    chance = 0.8 - gap * alone
    fixed = cells * chance * (1 - chance) + cells * (cells - 1) * gap**2 * (pair - alone**2)
    mean = 0.8 - gap * math.exp(-users / cells)
    assert chances[0] == pytest.approx(fixed, rel=0.05)
    assert chances[1] == pytest.approx(cells * mean * (1 - mean), rel=0.05)
    assert fixed < 0.9 * cells * chance * (1 - chance)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.floats(0.01, 1), min_size=2, max_size=6),
    st.lists(st.floats(-1, 1), min_size=6, max_size=6),
    st.floats(0.05, 3),
    st.floats(0.2, 3),
)
def test_no_distribution_of_a_cell_tells_more_than_the_bit(weights, exponents, load, total):
    """The information of a random cell, by differences of logarithms of probabilities at two numbers of users."""
    absent = np.array(weights) / sum(weights)
    # The middle half of the total: dividing by the sum keeps the ratios within the total.
    present = absent * np.exp(np.array(exponents[: absent.size]) * total / 2)
    present /= present.sum()
    assert np.abs(np.log(present / absent)).max() <= total + 1e-9

    def distribution(touches):
        return math.exp(-touches) * absent + (1 - math.exp(-touches)) * present

    step = 1e-4
    slope = (np.log(distribution(load * math.exp(step))) - np.log(distribution(load * math.exp(-step)))) / (2 * step)
    information = float((distribution(load) * slope**2).sum())
    chance = math.exp(-load)
    bound = load**2 * chance**2 * float(bit_information(math.exp(total), chance))
    assert information <= bound * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("limit", LIMITS, ids=lambda one: f"T={one.total}")
def test_the_floor_is_the_minimum_of_the_error_over_all_loads(limit):
    loads = np.linspace(1e-3, 12, 200_001)
    chances, ratio = np.exp(-loads), math.exp(float(limit.total))
    information = loads * chances**2 * bit_information(ratio, chances)
    assert 0 <= 1 / math.sqrt(information.max()) - float(limit.error) < 0.0015


@pytest.mark.parametrize("limit", RANGE_LIMITS, ids=lambda one: f"T={one.total}, {one.decades} decades")
def test_the_floor_of_a_range_is_that_of_its_weights_and_below_every_planned_counter(limit):
    """The weighted information of a cell on a fine grid of rates, and the errors of a shipped counter."""
    numbers = np.array([step * 10.0**power for power in range(5) for step in (1, 1.8, 3.2, 5.6)] + [1e5])
    loads = np.multiply.outer(np.geomspace(1e-7, 30, 20_001), numbers[: len(limit.weights)])
    chances = np.exp(-loads)
    information = loads**2 * chances**2 * bit_information(math.exp(limit.total), chances)
    most = (information @ np.array(limit.weights)).max() / 10_000
    assert 0.98 < most * float(limit.error) ** 2 < 1
    least = {1: 1e6, 3: 1e5, 5: 1e4}[limit.decades]
    distribution = planned_counter(
        total=float(limit.total), bits=2**16, least=least, most=least * 10**limit.decades
    ).distribution
    users = np.geomspace(least, least * 10**limit.decades, 101)
    # Of a Poisson number of users, whose variance is larger by 1/n.
    worst = math.sqrt((distribution.relative_variance(users) + 1 / users).max())
    assert float(limit.error) / 256 < worst < 1.25 * float(limit.error) / 256


@pytest.mark.parametrize(
    ("epsilon", "least"),
    [pytest.param(0.25, 4.753, marks=pytest.mark.more), (0.5, 2.507), pytest.param(1.0, 1.495, marks=pytest.mark.more)],
)
def test_no_planned_counter_is_below_the_floor(epsilon, least):
    """At each number of users; with many cells the error comes near to it."""
    counter = distinct_counter(universe=2**62, promise_epsilon=2 * epsilon, bits=2**12, least=1e2, most=1e5)
    for users in (10, 100, 1e3, 1e4, 1e5):
        assert counter.expected_error(users) ** 2 >= (least**2 - 1) / users
    wide = distinct_counter(universe=2**40, promise_epsilon=2 * epsilon, bits=2**16, least=1e2, most=1e3)
    assert wide.expected_error(3e2) < 1.5 * least / math.sqrt(3e2)


@pytest.mark.parametrize("odds", [1.2, 1.5, 3.0])
@pytest.mark.parametrize("releases", [1, 2, 3, 5])
def test_the_loss_of_releases_is_that_of_the_search_over_all_patterns(odds, releases):
    rate = 1.7
    pair = (1 / (1 + odds), odds / (1 + odds))
    found = worst_ratio([pair], up=1 / rate, down=1 / rate, releases=releases)
    assert found == pytest.approx(odds * (1 + odds * rate**releases) / (1 + odds), rel=1e-12)


def loss_of_a_union(odds, rate, looks):
    """The largest ratio over all patterns of one user in two counters, seen bits, and ends of the noise."""
    low, high = 1 / (1 + odds), odds / (1 + odds)

    def final(seen, drawn, before):
        chance = high if before else low
        weight = 1.0 if seen is None else chance if seen else 1 - chance
        return weight, high if drawn else chance if seen is None else float(seen)

    largest = 0.0
    for seen in product((0, 1), repeat=looks):
        seen = (*seen, None)[:2]
        for corner in product((1 / rate, rate), repeat=4):
            values = []
            for before_one, after_one, before_two, after_two in product((0, 1), repeat=4):
                first, one = final(seen[0], after_one, before_one)
                second, two = final(seen[1], after_two, before_two)
                distribution = ((1 - one) * (1 - two), (1 - one) * two, one * (1 - two), one * two)
                values.append(first * second * sum(p * rho for p, rho in zip(distribution, corner, strict=True)))
            largest = max(largest, max(values) / min(values))
    return largest


@pytest.mark.parametrize("odds", [1.1, 1.5, 4.0])
@pytest.mark.parametrize("rate", [1.05, 1.7, 6.0])
def test_the_loss_of_a_union_is_that_of_all_patterns(odds, rate):
    low = 1 / (1 + odds)
    assert loss_of_a_union(odds, rate, 1) == pytest.approx(odds * (low + (1 - low) * rate**2))
    both = odds**2 * (low**2 + (1 - low**2) * rate**2)
    assert loss_of_a_union(odds, rate, 2) == pytest.approx(both)


@settings(max_examples=60, deadline=None)
@given(st.floats(1.05, 5), st.floats(0.01, 6), st.floats(0, 1), st.floats(0, 1))
def test_a_pair_of_cells_tells_of_the_union_at_most_what_is_stated(odds, load, first, rest):
    """The information of the table of a pair of bits on the users of the union, from its definition."""
    second = 1 - first + rest * first
    low, high = 1 / (1 + odds), odds / (1 + odds)

    def table(union):
        neither, one, other = math.exp(-union), math.exp(-first * load), math.exp(-second * load)
        gap = high - low
        ones = (high - gap * one, high - gap * other)
        both = ones[0] * ones[1] + gap**2 * (neither - one * other)
        return np.array([1 - sum(ones) + both, ones[1] - both, ones[0] - both, both])

    step = 1e-4
    slope = (table(load * math.exp(step)) - table(load * math.exp(-step))) / (2 * step)
    information = float((slope**2 / table(load)).sum())
    chance = math.exp(-load)
    bit = load**2 * chance**2 * float(bit_information(odds**2, chance))
    assert information <= float(factor(odds)) * bit * (1 + 1e-5) + 1e-12
