"""The basic mechanisms of differential privacy: formulas against simulation and exact enumeration."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pan_proofs.foundations.claims.composition import adaptive, marginal, padded, responses
from pan_proofs.foundations.claims.group_privacy import geometric
from pan_proofs.foundations.claims.laplace_distribution import centre, moment, place
from pan_proofs.foundations.claims.randomized_response import formula, listing, unordered
from pan_proofs.foundations.claims.randomized_response import responses as reports
from pan_proofs.foundations.claims.total_variance import (
    PARTITION,
    chances,
    first_sums,
    paper_form,
    second_sums,
    sides,
    variance,
)
from pan_proofs.foundations.finite_mechanisms import (
    bounded_pairs,
    changes,
    datasets,
    distance,
    distribution_of_coins,
    largest_ratio,
    links,
    privacy_factor,
    unbounded_pairs,
)
from pan_proofs.foundations.partitioned_data import by_position, by_value, factors, joint
from pan_proofs.foundations.score_weights import opposite_scores
from pan_proofs.ledger.claim import ProofVerdict, Role
from pan_proofs.ledger.notation import scale, x

few = settings(max_examples=30, deadline=None)
shares = st.integers(1, 20)
ratios = st.fractions(Fraction(11, 10), Fraction(5), max_denominator=12)

FALSE_READINGS = {
    "density.laplace_distribution": 0,
    "density.randomized_response": 1,
    "density.laplace_mechanism": 1,
    "thesis.post_processing": 1,
    "thesis.sequential_composition": 1,
    "thesis.parallel_composition": 3,
    "thesis.group_privacy": 1,
    "thesis.unbounded_to_bounded": 0,
    "thesis.exponential_mechanism": 1,
    "thesis.total_variance": 1,
}


def distribution(weights):
    total = sum(weights)
    return {place: Fraction(weight, total) for place, weight in enumerate(weights)}


def clamped(count, factor, top=3):
    """Two-sided geometric noise on a count, clamped to 0 .. top: a finite distribution with the same loss."""
    r = 1 / factor
    inner = {at: (1 - r) / (1 + r) * r ** abs(at - count) for at in range(1, top)}
    return {0: r**count / (1 + r), **inner, top: r ** (top - count) / (1 + r)}


def cells(data, one, two):
    return distribution_of_coins(lambda *noisy: noisy, clamped(data.count(1), one), clamped(data.count(2), two))


@pytest.mark.parametrize("identifier", FALSE_READINGS)
def test_each_statement_is_proved_and_its_false_readings_are_told(identifier, entries):
    claim = entries[identifier].claim
    assert claim.verdict is ProofVerdict.PROVED, [str(one) for one in claim.obligations]
    readings = [part for part in claim.parts if part.role is Role.READING]
    assert sum(not part.holds for part in readings) == FALSE_READINGS[identifier]
    assert all(part.discharged for part in readings)


def test_the_moments_of_laplace_noise_are_those_of_numpys():
    mu, b, runs = 0.7, 1.3, 400_000
    draws = np.random.default_rng(1).laplace(mu, b, runs)
    at = {centre: sp.Rational(7, 10), scale: sp.Rational(13, 10)}
    for function in (place, place**2, (place - centre) ** 2):
        values = sp.lambdify(place, function.subs(at))(draws)
        expected = float(moment(function).subs(at))
        assert abs(values.mean() - expected) < 6 * values.std() / math.sqrt(runs)
    for order in range(1, 6):
        values = (draws - mu) ** order
        expected = 0 if order % 2 else math.factorial(order) * b**order
        assert abs(values.mean() - expected) < 6 * values.std() / math.sqrt(runs)


@given(st.integers(0, 1), st.integers(0, 1))
def test_the_listing_and_the_formula_of_randomized_response_have_one_distribution(bit, report):
    assert listing(bit)[report] == formula(bit)[report] == (Fraction(3, 4) if bit == report else Fraction(1, 4))


def test_randomized_response_reports_the_bit_three_times_in_four():
    generator, runs = np.random.default_rng(2), 200_000
    first, second = generator.integers(0, 2, (2, runs))
    for bit in (0, 1):
        reported = np.where(first == 1, second, bit)
        assert abs((reported == bit).mean() - 0.75) < 6 * math.sqrt(3 / 16 / runs)


@few
@given(st.lists(st.integers(0, 1), min_size=1, max_size=6), st.data())
def test_one_user_changes_the_reports_by_a_factor_of_three(bits, data):
    user = data.draw(st.integers(0, len(bits) - 1))
    other = [*bits[:user], 1 - bits[user], *bits[user + 1 :]]
    assert largest_ratio(reports(tuple(bits)), reports(tuple(other))) == 3
    assert largest_ratio(unordered(tuple(bits)), unordered(tuple(other))) <= 3


@few
@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=1, max_size=6), ratios)
def test_the_densities_of_the_laplace_mechanism_keep_the_budget(coordinates, epsilon):
    change = sum(abs(value - other) for _, value, other in coordinates)
    assume(change)
    exponent = sum(abs(y - other) - abs(y - value) for y, value, other in coordinates)
    assert exponent / (Fraction(change) / epsilon) <= epsilon
    assert sum(abs(value - other) for _, value, other in coordinates) / (Fraction(change) / epsilon) == epsilon


def test_beyond_the_value_the_laplace_mechanism_has_its_whole_loss():
    epsilon, runs = 0.8, 400_000
    generator = np.random.default_rng(3)
    value, other = np.array([1.0, 0.0]), np.array([0.0, 0.5])
    noise = generator.laplace(0, np.abs(value - other).sum() / epsilon, (runs, 2))

    def share(at):
        outputs = at + noise
        return ((outputs[:, 0] > value[0]) & (outputs[:, 1] < value[1])).mean()

    one, two = share(value), share(other)
    error = math.sqrt((1 - one) / (one * runs) + (1 - two) / (two * runs))
    assert abs(math.log(one / two) - epsilon) < 6 * error


@few
@given(
    st.lists(st.tuples(shares, shares), min_size=2, max_size=5),
    st.lists(st.tuples(shares, shares), min_size=5, max_size=5),
)
def test_a_random_map_of_an_output_never_adds_loss(weights, rows):
    one, other = (distribution([pair[side] for pair in weights]) for side in (0, 1))

    def mapped(before):
        after = {0: Fraction(0), 1: Fraction(0)}
        for seen, chance in before.items():
            for output, share in distribution(rows[seen]).items():
                after[output] += chance * share
        return after

    assert largest_ratio(mapped(one), mapped(other)) <= largest_ratio(one, other)


@few
@given(
    st.lists(st.tuples(shares, shares), min_size=2, max_size=4),
    st.lists(st.tuples(shares, shares), min_size=2, max_size=4),
)
def test_factors_of_independent_mechanisms_multiply(first, second):
    distributions = [[distribution([pair[side] for pair in weights]) for weights in (first, second)] for side in (0, 1)]
    both = [distribution_of_coins(lambda *pair: pair, *pair) for pair in distributions]
    bound = largest_ratio(distributions[0][0], distributions[1][0]) * largest_ratio(
        distributions[0][1], distributions[1][1]
    )
    assert largest_ratio(*both) <= bound


@few
@given(ratios, ratios)
def test_two_randomized_responses_attain_the_sum_of_their_budgets(one, two):
    assert largest_ratio(responses(0, one, two), responses(1, one, two)) == one * two
    assert largest_ratio(adaptive(0, one, two), adaptive(1, one, two)) <= one * two


def test_a_padded_bit_is_hidden_in_each_output_and_seen_in_both():
    assert largest_ratio(padded(0), padded(1)) == math.inf
    assert all(largest_ratio(marginal(padded(0), place), marginal(padded(1), place)) == 1 for place in (0, 1))


@settings(max_examples=10, deadline=None)
@given(ratios, ratios)
def test_the_parts_of_a_partition_cost_the_larger_budget_and_a_change_costs_both(one, two):
    assert privacy_factor(lambda data: cells(data, one, two), unbounded_pairs((1, 2), 3)) == max(one, two)
    assert privacy_factor(lambda data: cells(data, one, two), bounded_pairs((1, 2), 3)) == one * two


@few
@given(st.lists(st.integers(1, 2), max_size=4), st.tuples(st.integers(-3, 5), st.integers(-3, 5)), ratios, ratios)
def test_joint_probabilities_of_the_parts_are_products_of_geometric_ones(data, output, one, two):
    assert by_value(tuple(data)) == ((1,) * data.count(1), (2,) * data.count(2))
    assert [*by_position(tuple(data))[0], *by_position(tuple(data))[1]] == data[::2] + data[1::2]
    at = {factors[0]: sp.sympify(one), factors[1]: sp.sympify(two)}
    found = joint(output, tuple(data), by_value, len).subs(at)
    expected = math.prod(
        (factor - 1) / (factor + 1) * factor ** -abs(place - data.count(value))
        for factor, place, value in ((one, output[0], 1), (two, output[1], 2))
    )
    assert found == sp.sympify(expected)


@few
@given(ratios, st.integers(1, 5), st.integers(0, 5))
def test_counts_that_differ_by_k_have_k_times_the_loss(factor, k, count):
    top = count + k
    assert largest_ratio(clamped(count, factor, top), clamped(count + k, factor, top)) == factor**k
    ratio = geometric(sp.Integer(count), sp.Integer(count)) / geometric(sp.Integer(count), sp.Integer(count + k))
    assert ratio.subs(x, sp.sympify(factor)) == sp.sympify(factor**k)


def test_a_histogram_has_twice_the_loss_when_a_record_changes():
    factor = Fraction(7, 4)
    assert privacy_factor(lambda data: cells(data, factor, factor), unbounded_pairs((1, 2), 3)) == factor
    assert privacy_factor(lambda data: cells(data, factor, factor), bounded_pairs((1, 2), 3)) == factor**2


@few
@given(st.lists(st.integers(1, 4), max_size=6), st.lists(st.integers(1, 4), max_size=6))
def test_chains_are_as_long_as_the_distance(one, other):
    one, other = tuple(sorted(one)), tuple(sorted(other))
    chain = links(one, other)
    assert (chain[0], chain[-1], len(chain)) == (one, other, distance(one, other) + 1)
    if len(one) == len(other):
        assert 2 * (len(changes(one, other)) - 1) == distance(one, other)


def test_pairs_of_datasets_are_all_adjacent_ones():
    every = list(datasets((1, 2, 3), 3))
    found = {frozenset(pair) for pair in unbounded_pairs((1, 2, 3), 3)}
    assert found == {frozenset(pair) for pair in permutations(every, 2) if distance(*pair) == 1}
    found = {frozenset(pair) for pair in bounded_pairs((1, 2, 3), 3)}
    equal_sizes = {frozenset(pair) for pair in permutations(every, 2) if len(pair[0]) == len(pair[1])}
    assert found == {pair for pair in equal_sizes if distance(*pair) == 2}


def chosen(scores, factor):
    weights = [factor**score for score in scores]
    return {place: weight / sum(weights) for place, weight in enumerate(weights)}


@few
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-2, 2)), min_size=1, max_size=6), ratios)
def test_the_exponential_mechanism_keeps_the_budget_and_does_not_use_it_up(scores, root):
    one = chosen([2 * score for score, _ in scores], root)
    other = chosen([2 * score + change for score, change in scores], root)
    assert largest_ratio(one, other) < (root**2) ** 2


@few
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 1)), min_size=1, max_size=6), ratios)
def test_monotone_scores_need_no_factor_of_two(scores, factor):
    one = chosen([score for score, _ in scores], factor)
    other = chosen([score + change for score, change in scores], factor)
    assert largest_ratio(one, other) <= factor


@few
@given(ratios, st.integers(2, 12))
def test_opposite_scores_have_the_ratio_of_the_formula(root, outputs):
    one, other = chosen([1] + [0] * (outputs - 1), root), chosen([0] + [1] * (outputs - 1), root)
    s = sp.Symbol("s", positive=True)
    assert opposite_scores(s, sp.Integer(outputs)).subs(s, sp.sympify(root)) == sp.sympify(one[0] / other[0])


@few
@given(
    st.lists(st.tuples(st.integers(-9, 9), shares), min_size=2, max_size=7, unique_by=lambda pair: pair[0]), st.data()
)
def test_both_forms_of_the_total_variance_are_the_variance(values, data):
    total = sum(share for _, share in values)
    weights = {value: Fraction(share, total) for value, share in values}
    size = data.draw(st.integers(1, len(values) - 1))
    first = {value for value, _ in values[:size]}
    second = set(weights) - first
    assert len(set(sides(weights, first, second))) == 1
    exact = {
        symbol: sp.sympify(sum(weights[value] * value**order for value in event))
        for order, symbols in enumerate((chances, first_sums, second_sums))
        for symbol, event in zip(symbols, (first, second), strict=True)
    }
    assert paper_form().subs(exact) == variance().subs(exact) == paper_form().subs(PARTITION).subs(exact)
    assert variance().subs(exact) == sp.sympify(sides(weights, first, second)[0])


def test_only_outcomes_at_zero_may_be_missed_by_the_events():
    weights = {value: Fraction(1, 4) for value in range(-1, 3)}
    assert len(set(sides(weights, {-1}, {1, 2}))) == 1
    assert len(set(sides(weights, {-1, 0}, {2}))) == 2
