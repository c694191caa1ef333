"""The basic mechanisms and distributions: formulas against simulation and exact enumeration."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.foundations import distributions
from pan_proofs.foundations.claims.composition import adaptive, responses
from pan_proofs.foundations.claims.exponential_mechanism import opposite_scores
from pan_proofs.foundations.claims.group_privacy import geometric
from pan_proofs.foundations.claims.laplace_distribution import centre, moment, place
from pan_proofs.foundations.claims.parallel_composition import by_position, by_value, factors, joint
from pan_proofs.foundations.claims.randomized_response import responses as reports
from pan_proofs.foundations.claims.randomized_response import unordered
from pan_proofs.foundations.claims.total_variance import (
    PARTITION,
    chances,
    first_sums,
    paper_form,
    second_sums,
    sides,
    variance,
)
from pan_proofs.foundations.distributions import (
    Affine,
    LaplaceDistribution,
    Mixture,
    TwoSidedGeometric,
    bernoulli,
    central_moment,
    mean,
    power_series_tail,
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
from pan_proofs.ledger.notation import scale, x
from tests.laws.density.test_errors import RUNS, agrees, rational

few = settings(max_examples=30, deadline=None)
shares = st.integers(1, 20)
shares_below_one = st.fractions(Fraction(1, 10), Fraction(7, 10), max_denominator=20)
ratios = st.fractions(Fraction(11, 10), Fraction(5), max_denominator=12)


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


@few
@given(st.lists(st.integers(0, 1), min_size=1, max_size=6), st.data())
def test_one_user_changes_the_reports_by_a_factor_of_three(bits, data):
    user = data.draw(st.integers(0, len(bits) - 1))
    other = [*bits[:user], 1 - bits[user], *bits[user + 1 :]]
    assert largest_ratio(reports(tuple(bits)), reports(tuple(other))) == 3
    assert largest_ratio(unordered(tuple(bits)), unordered(tuple(other))) <= 3


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
@given(ratios, ratios)
def test_two_randomized_responses_attain_the_sum_of_their_budgets(one, two):
    assert largest_ratio(responses(0, one, two), responses(1, one, two)) == one * two
    assert largest_ratio(adaptive(0, one, two), adaptive(1, one, two)) <= one * two


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


@few
@given(shares_below_one, shares_below_one)
def test_geometric_noise_has_the_moments_of_its_truncated_sums(up, down):
    distribution = TwoSidedGeometric(rational(up), rational(down))
    weights = {k: float(up) ** k if k >= 0 else float(down) ** -k for k in range(-300, 301)}
    for power in range(4):
        truncated = sum(weight * k**power for k, weight in weights.items()) / sum(weights.values())
        assert float(distribution.moment(power)) == pytest.approx(truncated, rel=1e-9, abs=1e-9)


@few
@given(shares_below_one, st.integers(1, 6), st.integers(0, 3))
def test_the_tail_of_a_power_series_is_the_sum_of_its_terms(ratio, start, power):
    truncated = sum(k**power * float(ratio) ** k for k in range(start, 300))
    assert float(power_series_tail(power, rational(ratio), sp.Integer(start))) == pytest.approx(truncated, rel=1e-9)


def test_laplace_distributions_have_the_moments_of_draws():
    sample = np.random.default_rng(6).laplace(0.3, 0.7, RUNS)
    distribution = LaplaceDistribution(sp.Rational(3, 10), sp.Rational(7, 10))
    assert distribution.moment(0) == 1
    for power in (1, 2, 3):
        agrees(sample**power, distribution.moment(power))
    agrees((sample - 0.3) ** 4, central_moment(distribution, 4))


def test_mixtures_and_affine_changes_have_the_moments_of_their_outcomes():
    third = sp.Rational(1, 3)
    mixed = Mixture(third, bernoulli(sp.Rational(1, 4)), bernoulli(sp.Rational(4, 5)))
    parameter = third / 4 + 2 * third * sp.Rational(4, 5)
    assert distributions.variance(mixed) == parameter * (1 - parameter)
    assert distributions.variance(Affine(mixed, sp.Integer(-3), sp.Integer(2))) == 9 * distributions.variance(mixed)
    assert mean(Affine(mixed, sp.Integer(-3), sp.Integer(2))) == 2 - 3 * parameter
