import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.density.claims.any_estimator.stream_densities import zipf_moments
from pan_proofs.density.lemmas.accuracy.accuracy_terms import PAIRS, accuracy_terms, total_bound
from pan_proofs.density.lemmas.accuracy.cells_given_density import moments_given_density
from pan_proofs.density.lemmas.accuracy.lecture_size import third_bounds
from pan_proofs.density.lemmas.accuracy.tightest_bound import exceeds, sample_size, suffices, tightest_beta
from pan_proofs.foundations.displayed_steps import cut
from pan_proofs.foundations.exact_tails import (
    exp_below,
    hypergeometric,
    middle_binomial,
    poisson_binomial,
    sampled_bits,
    tails_below_bound,
    two_sided_tail,
)
from pan_proofs.foundations.hoeffding_bound import exponent, laplace_tail, two_sided
from pan_proofs.ledger import ProofVerdict
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m
from tests.foundations.false_concentration import FALSE

VERDICTS = {
    "lemma.hoeffding": ProofVerdict.PROVED,
    "lemma.hoeffding_without_replacement": ProofVerdict.PROVED,
    "density.dwork_accuracy": ProofVerdict.PROVED_AMENDED,
    "density.optbern_accuracy": ProofVerdict.PROVED_AMENDED,
    "density.tightest_beta": ProofVerdict.PROVED,
    "density.optimal_sample_size": ProofVerdict.PROVED_AMENDED,
    "density.stream_densities": ProofVerdict.PROVED_AMENDED,
    "lecture.accuracy": ProofVerdict.PROVED_AMENDED,
}
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


@pytest.mark.parametrize("identifier", VERDICTS)
def test_the_verdicts_follow(identifier, entries):
    claim = entries[identifier].claim
    undone = [str(one) for one in claim.obligations if str(one.status) != "discharged"]
    assert not undone
    assert claim.verdict is VERDICTS[identifier]
    assert all(line.count("&") == 1 for part in claim.parts for step in part.steps for line in step.lines)


def test_false_statements_fail_where_they_are_false():
    claim = FALSE["a third in the cells' bound"][1]()
    failed = {
        step.name for step in claim.parts[0].steps if any(str(o.status) != "discharged" for o in step.obligations)
    }
    assert failed == {"bound_2"}


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


def test_the_bound_for_bits_is_not_below_a_smaller_exponent():
    # With -4 m s^2 in the exponent the tails of fair bits are not below: the check can fail.
    distribution = poisson_binomial([Fraction(1, 2)] * 8)
    assert not all(
        two_sided_tail(distribution, Fraction(4), Fraction(k)) <= 2 * exp_below(Fraction(4 * k * k, 8))
        for k in (1, 2, 3)
    )


@given(st.fractions(0, 40, max_denominator=50))
@settings(max_examples=30)
def test_rational_exponentials_are_close_below(exponent_value):
    below, true = float(exp_below(exponent_value)), math.exp(-exponent_value)
    assert true * (1 - 1e-6) <= below <= true * (1 + 1e-12)


def test_the_least_exponent_is_least_on_a_grid():
    start, best, least = exponent()
    at = dict(zip(sorted(least.free_symbols, key=str), (20, 0.15), strict=True))
    grid = [
        float(start.subs(at).subs(dict.fromkeys(start.free_symbols - set(at), value)))
        for value in np.linspace(0, 2, 401)
    ]
    assert min(grid) == pytest.approx(float(least.subs(at)), rel=1e-3)
    assert float(best.subs(at)) == pytest.approx(0.6)


def test_the_noise_exceeds_as_often_as_integrated():
    generator = np.random.default_rng(1)
    scale, distance, runs = 0.7, 1.1, 400_000
    hits = np.mean(np.abs(generator.laplace(0, scale, runs)) >= distance)
    expected = float(laplace_tail(sp.Rational(7, 10), sp.Rational(11, 10)))
    assert abs(hits - expected) < 6 * math.sqrt(expected / runs)


@pytest.mark.parametrize("pair", PAIRS)
@given(st.integers(1, 12), budgets, st.sampled_from([0.2, 0.5, 1.0]), shares, shares, st.data())
@settings(max_examples=30)
def test_the_bound_holds_for_the_exact_failure_probability(pair, users, eps, accuracy, first, second, data):
    ones, size = data.draw(st.integers(0, users)), data.draw(st.integers(1, users))
    exact = failure(pair, users, ones, size, eps, accuracy)
    assert exact <= BOUNDS[pair](first, second, size, eps, accuracy) + 1e-12


@pytest.mark.parametrize("pair", PAIRS)
def test_the_exact_failure_probability_is_that_of_simulated_streams(pair):
    generator = np.random.default_rng(2)
    users, ones, size, eps, accuracy, runs = 12, 5, 7, 0.5, 0.8, 200_000
    before, after = probabilities(pair, eps)
    appeared = generator.hypergeometric(ones, users - ones, size, runs)
    bits = generator.binomial(appeared, after) + generator.binomial(size - appeared, before)
    estimates = (bits / size - before) / (after - before) + generator.laplace(0, 1 / (eps * size), runs)
    hits = np.mean(np.abs(estimates - ones / users) >= accuracy)
    exact = failure(pair, users, ones, size, eps, accuracy)
    assert 0.1 < exact < 0.9
    assert abs(hits - exact) < 6 * math.sqrt(exact * (1 - exact) / runs)


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


@given(st.floats(0.01, 2), st.floats(0.05, 1), st.floats(0.001, 0.999))
@settings(max_examples=30)
def test_the_explicit_sizes_at_halves_suffice_up_to_two(eps, accuracy, goal):
    assert BOUNDS["dwork"](0.5, 0.5, 128 * math.log(6 / goal) / (eps * accuracy) ** 2, eps, accuracy) <= goal
    size = 8 * math.log(6 / goal) / (math.tanh(eps / 2) * accuracy) ** 2
    assert BOUNDS["optimal"](0.5, 0.5, size, eps, accuracy) <= goal


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
    assert found.hull[0][0] <= found.shares[0] <= found.hull[0][1]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_optimal_size_is_the_first_that_suffices(pair):
    eps, accuracy, goal = Fraction(1, 2), Fraction(1), Fraction(1, 2)
    found = sample_size(eps, accuracy, goal, pair)
    assert found.certified
    for size in range(max(1, found.size - 20), found.size + 5):
        assert suffices(size, eps, accuracy, goal, pair) is (size >= found.size)
        assert exceeds(size, eps, accuracy, goal, pair) is (size < found.size)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_optimal_size_approaches_its_limit(pair):
    scaled = [
        float(eps**2) * sample_size(eps, Fraction(1, 10), Fraction(1, 20), pair).size / 100
        for eps in (Fraction(1, 10), Fraction(1, 100), Fraction(1, 1000))
    ]
    limit = (8 if pair == "dwork" else 2) * math.log(40)
    assert scaled[0] > scaled[1] > scaled[2] > limit
    assert scaled[2] < 1.1 * limit


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


def test_the_displayed_bounds_of_the_lecture_fail_as_computed():
    # A sample of one of two users; three fair bits at epsilon 2.
    assert two_sided_tail(hypergeometric(2, 1, 1), Fraction(1, 2), Fraction(1, 3)) == 1 > math.exp(-2 / 9)
    assert two_sided_tail(poisson_binomial([Fraction(1, 2)] * 3), Fraction(3, 2), Fraction(1, 2)) == 1
    assert 1 + math.exp(-2) / 2 > math.exp(-1 / 6) + math.exp(-2)


def test_the_constant_of_a_third_fails_as_computed():
    tail = middle_binomial(64, 7)
    assert tail == two_sided_tail(poisson_binomial([Fraction(1, 2)] * 64), Fraction(32), Fraction(648, 100))
    squared = 64 * 0.25 * 0.81**2
    assert 2 * math.exp(-squared / 3) < tail < 2 * math.exp(-squared / 8)


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


def test_bits_given_the_density_depend_as_stated():
    assert moments_given_density(Fraction(1, 2), Fraction(5, 8)) == (Fraction(80, 256), *[Fraction(9, 16)] * 2)
    same = moments_given_density(Fraction(1, 2), Fraction(1, 2))
    assert same[0] == same[1] * same[2]


def test_decimals_before_dots_are_cut_off():
    assert cut(sp.Rational(38299, 10_000), 2) == "3.82"
    assert cut(sp.exp(1), 3) == "2.718"


def test_the_sizes_named_in_the_counterexamples_are_exceeded_just():
    assert 496 < math.log(12) / 0.005 < 497
    assert 153381 < 128 * 400 * math.log(20) < 153382
    assert 13862 < 8 * math.log(2) / 0.0004 < 13863


def test_two_sided_bounds_are_twice_one_exponential():
    assert sp.simplify(two_sided(m, alpha) - 2 * sp.exp(-2 * m * alpha**2)) == 0


def test_small_zipf_streams_have_the_expected_density():
    generator = np.random.default_rng(3)
    users, length, runs = 40, 60, 20_000
    weights = 1 / np.arange(1, users + 1)
    draws = generator.choice(users, size=(runs, length), p=weights / weights.sum())
    density = np.mean([len(set(row)) / users for row in draws.tolist()])
    mean, spread = zipf_moments(users, length)
    assert abs(density - float(mean.mid())) < 6 * math.sqrt(float(spread.mid()) / users**2 / runs)


def test_one_zipf_stream_is_near_its_expected_density():
    generator = np.random.default_rng(4)
    users = 10**5
    weights = 1 / np.arange(1, users + 1)
    drawn = np.searchsorted(np.cumsum(weights / weights.sum()), generator.random(users))
    assert abs(len(np.unique(drawn)) / users - 0.24449) < 0.0094
    assert abs(len(np.unique(generator.integers(0, users, users))) / users - 0.63212) < 0.0094
