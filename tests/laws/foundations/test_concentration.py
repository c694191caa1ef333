import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.density.claims.any_estimator.stream_densities import zipf_moments
from pan_proofs.density.claims.published.accuracy import moments_given_density
from pan_proofs.density.claims.published.lecture import third_bounds
from pan_proofs.density.lemmas.accuracy_terms import (
    PAIRS,
    accuracy_terms,
    exceeds,
    near_minimum,
    sample_size,
    tightest_beta,
    total_bound,
)
from pan_proofs.foundations.exact_tails import (
    exp_below,
    hypergeometric,
    poisson_binomial,
    sampled_bits,
    tails_below_bound,
)
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m

ARGUMENTS = (delta_1, delta_2, m, epsilon, alpha)
BOUNDS = {pair: sp.lambdify(ARGUMENTS, total_bound(accuracy_terms(pair)), "math") for pair in PAIRS}
SIZES = {pair: sp.lambdify((*ARGUMENTS, beta, delta_3, delta_4), accuracy_terms(pair).sizes, "math") for pair in PAIRS}
THIRDS = sp.lambdify((m, epsilon, alpha), third_bounds(), "math")

shares = st.floats(0.05, 0.95)
budgets = st.sampled_from([0.1, 0.3, 0.5])


def probabilities(pair, eps):
    if pair == "dwork":
        return 0.5, 0.5 + eps / 4
    return (1 - math.tanh(eps / 2)) / 2, (1 + math.tanh(eps / 2)) / 2


def failure(pair, users, ones, size, eps, accuracy):
    """P(abs(estimate - density) >= alpha), from the distribution of the bits' sum and the noise's distribution
    function.
    """
    before, after = (Fraction(one) for one in probabilities(pair, eps))
    distribution = sampled_bits(users, ones, size, before, after)
    scale = 1 / (eps * size)

    def above(distance):
        return math.exp(-distance / scale) / 2 if distance >= 0 else 1 - math.exp(distance / scale) / 2

    total = 0.0
    for value, weight in distribution.items():
        centre = (value / size - float(before)) / float(after - before) - ones / users
        total += float(weight) * (above(accuracy - centre) + above(accuracy + centre))
    return total


@given(st.lists(st.fractions(0, 1, max_denominator=20), min_size=1, max_size=9))
@settings(max_examples=30)
def test_sums_of_independent_bits_obey_the_bound(chances):
    distribution = poisson_binomial(chances)
    assert sum(distribution.values()) == 1
    assert tails_below_bound(distribution, sum(chances, Fraction(0)), len(chances))[1]


@given(st.integers(1, 25), st.data())
@settings(max_examples=30)
def test_samples_without_replacement_obey_the_bound(users, data):
    ones, draws = data.draw(st.integers(0, users)), data.draw(st.integers(1, users))
    assert tails_below_bound(hypergeometric(users, ones, draws), Fraction(draws * ones, users), draws)[1]


@given(st.fractions(0, 40, max_denominator=50))
@settings(max_examples=30)
def test_rational_exponentials_are_close_below(exponent_value):
    below, true = float(exp_below(exponent_value)), math.exp(-exponent_value)
    assert true * (1 - 1e-6) <= below <= true * (1 + 1e-12)


@pytest.mark.parametrize("pair", PAIRS)
@given(st.integers(1, 12), budgets, st.sampled_from([0.2, 0.5, 1.0]), shares, shares, st.data())
@settings(max_examples=30)
def test_the_bound_holds_for_the_exact_failure_probability(pair, users, eps, accuracy, first, second, data):
    ones, size = data.draw(st.integers(0, users)), data.draw(st.integers(1, users))
    exact = failure(pair, users, ones, size, eps, accuracy)
    assert exact <= BOUNDS[pair](first, second, size, eps, accuracy) + 1e-12


@pytest.mark.parametrize("pair", PAIRS)
@given(shares, shares, budgets, st.floats(0.05, 1), st.floats(0.01, 0.99), st.floats(0.05, 0.45))
@settings(max_examples=30)
def test_the_bound_is_beta_at_the_largest_size(pair, first, second, eps, accuracy, goal, share):
    sizes = SIZES[pair](first, second, 1, eps, accuracy, goal, share, share)
    assert BOUNDS[pair](first, second, max(sizes), eps, accuracy) <= goal * (1 + 1e-9)


@given(st.floats(0.01, 0.5), st.floats(0.05, 1), st.floats(0.001, 0.999))
@settings(max_examples=30)
def test_the_explicit_sizes_suffice(eps, accuracy, goal):
    slope = math.tanh(eps / 2)
    small = 12 * math.log(6 / goal) / (eps * accuracy) ** 2
    assert BOUNDS["dwork"](8 / 9, 1 / 20, small, eps, accuracy) <= goal
    small = 1.1 * math.log(6 / goal) / (slope * accuracy) ** 2
    assert BOUNDS["optimal"](4 / 5, 3 / 20, small, eps, accuracy) <= goal


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("size", "eps"), [(5000, 0.5), (5000, 0.1), (300, 0.5), (40_000, 0.2)])
def test_the_minimum_is_that_of_a_grid(pair, size, eps):
    found = tightest_beta(size, Fraction(eps).limit_denominator(100), Fraction(1, 10), pair)
    first, second = np.meshgrid(np.linspace(0, 1, 1201), np.linspace(0, 1, 1201))
    rate = eps**2 / 8 if pair == "dwork" else 2 * math.tanh(eps / 2) ** 2
    grid = (
        2 * np.exp(-2 * size * 0.01 * (1 - first) ** 2)
        + 2 * np.exp(-rate * size * 0.01 * first**2 * (1 - second) ** 2)
        + np.exp(-eps * 0.1 * size * first * second)
    )
    assert float(found.low) <= grid.min() <= float(found.high) * 1.02
    place = np.unravel_index(grid.argmin(), grid.shape)
    assert abs(first[place] - float(found.shares[0])) < 0.01


@pytest.mark.parametrize("pair", PAIRS)
def test_the_optimal_size_is_the_first_that_suffices(pair):
    eps, accuracy, goal = Fraction(1, 2), Fraction(1), Fraction(1, 2)
    found = sample_size(eps, accuracy, goal, pair)
    for size in (found.size - 20, found.size - 1, found.size, found.size + 5):
        assert (near_minimum(size, eps, accuracy, pair)[0] <= goal) is (size >= found.size)
        assert exceeds(size, eps, accuracy, goal, pair) is (size < found.size)


def test_the_lecture_estimate_fails_less_often_than_stated():
    worst = 0.0
    for users in range(1, 8):
        for ones in range(users + 1):
            for size in range(1, users + 1):
                for eps, accuracy in ((0.5, 1.0), (1.0, 1.0), (2.0, 1.0), (2.0, 0.5)):
                    allowed = math.exp(-size * eps**2 * accuracy**2 / 200)
                    worst = max(worst, failure("dwork", users, ones, size, eps, accuracy) / allowed)
    assert worst < 1


@given(st.floats(0.05, 2), st.floats(0.05, 1), st.floats(0.001, 0.97))
@settings(max_examples=30)
def test_the_lecture_size_keeps_one_of_the_two_bounds_below_beta(eps, accuracy, goal):
    size = math.ceil(200 * math.log(1 / goal) / (eps * accuracy) ** 2)
    exponential = sum(float(term) for term in THIRDS(size, eps, accuracy))
    variance = (4 + 2 / size) / (size * (eps * accuracy) ** 2)
    assert min(exponential, variance) <= goal


def test_bits_given_the_density_depend_as_in_simulated_samples():
    generator = np.random.default_rng(5)
    runs, before, after = 300_000, 0.1, 0.9
    samples = np.sort(generator.random((runs, 4)).argsort(axis=1)[:, :2], axis=1)
    appeared = (samples == 1) | (samples == 2)
    bits = generator.random((runs, 2)) < np.where(appeared, after, before)
    kept = bits[appeared.sum(axis=1) == 1]
    both, first, second = (float(one) for one in moments_given_density(Fraction(1, 10), Fraction(9, 10)))
    for found, expected in ((kept.all(axis=1), both), (kept[:, 0], first), (kept[:, 1], second)):
        assert abs(found.mean() - expected) < 6 * math.sqrt(expected / len(kept))
    assert both < first * second / 2


def test_small_zipf_streams_have_the_expected_density():
    generator = np.random.default_rng(3)
    users, length, runs = 40, 60, 20_000
    weights = 1 / np.arange(1, users + 1)
    draws = generator.choice(users, size=(runs, length), p=weights / weights.sum())
    density = np.mean([len(set(row)) / users for row in draws.tolist()])
    mean, spread = zipf_moments(users, length)
    assert abs(density - float(mean.mid())) < 6 * math.sqrt(float(spread.mid()) / users**2 / runs)
