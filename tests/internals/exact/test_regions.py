"""Sums of exponentials, and the probabilities of comparisons and orders of noise: closed forms, integrals and sums."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace

from pan_audits.choices.regions import distributions
from pan_audits.choices.regions.exponential import NOTHING, UNIT, Exponential
from pan_audits.choices.regions.function import nowhere_negative
from pan_audits.choices.regions.orders import Constraint, RegionError, probability, probability_of_order

fractions = st.builds(fmpq, st.integers(-6, 6), st.integers(1, 4))
sums = st.dictionaries(fractions, fractions, max_size=3).map(
    lambda parts: sum((Exponential.power(place, one) for place, one in parts.items()), NOTHING)
)


def near(number):
    return float(number.ball())


@given(sums, sums, sums)
def test_arithmetic_agrees_with_floating_point(one, other, third):
    assert near(one + other * third) == pytest.approx(near(one) + near(other) * near(third), rel=1e-9, abs=1e-9)
    assert (one - one).is_zero
    assert one.sign() == (one.ball() > 0) - (one.ball() < 0)
    assert hash(one) == hash(one * 3 / 3)
    if not third.is_zero:
        assert (one / third + other / third) * third == one + other
        assert near(one / third) == pytest.approx(near(one) / near(third), rel=1e-6, abs=1e-9)


def test_small_differences_keep_their_digits_and_forms_are_short():
    small = Exponential.power(fmpq(1, 10**40)) - UNIT
    assert small.sign() == 1
    assert near(small) == pytest.approx(1e-40, rel=1e-12)
    t = Exponential.power(fmpq(1, 2))
    assert ((t * t - UNIT) / (t - UNIT)).text() == "e^(1/2) + 1"
    assert (UNIT / (UNIT - t - t)).text() == "(-1)/(2 e^(1/2) - 1)"
    assert ((t / t).rational, (t * t).exponent) == (1, 1)
    with pytest.raises(ZeroDivisionError):
        UNIT / NOTHING


coefficients = st.integers(-3, 3).filter(bool).map(lambda one: Exponential.of(fmpq(one)))
keys = st.tuples(st.just(fmpq(1)), fractions, st.integers(0, 1))


@settings(max_examples=60)
@given(
    st.dictionaries(keys, coefficients, min_size=1, max_size=4), st.sampled_from([-2, None]), st.sampled_from([3, None])
)
def test_a_proof_is_found_for_no_sum_that_is_negative_somewhere(terms, low, high):
    ends = [None if end is None else fmpq(end) for end in (low, high)]
    if not nowhere_negative(terms, *ends):
        return
    places = np.linspace(-8 if low is None else low, 8 if high is None else high, 400)
    parts = [near(one) * places**power * np.exp(float(arb(rate)) * places) for (_, rate, power), one in terms.items()]
    assert np.min(sum(parts)) >= -1e-9 * np.max(np.abs(parts))


@pytest.mark.parametrize(
    ("terms", "proved"),
    [
        ([(1, 0, 1), (0, 0, -2), (-1, 0, 1)], True),  # 2 cosh t - 2
        ([(1, 0, 1), (0, 0, -2.25), (-1, 0, 1)], False),
        ([(1, 0, 1), (0, 0, -1), (0, 1, -1)], True),  # e^t - 1 - t
        ([(1, 0, 1), (0, 0, -1), (0, 1, -1.5)], False),
    ],
)
def test_inequalities_that_hold_with_equality_somewhere_are_proved(terms, proved):
    made = {(fmpq(1), fmpq(rate), power): Exponential.of(fmpq(int(4 * one), 4)) for rate, power, one in terms}
    assert nowhere_negative(made, None, None) is proved


HALF, QUARTER = (distributions.laplace(fmpq(1, scale)) for scale in (2, 4))
ONE_SIDED_REAL = distributions.exponential(fmpq(1))
THIRDS = distributions.two_sided_geometric((fmpq(1, 3), fmpq(0)), (fmpq(1, 2), fmpq(0)))
ONE_SIDED = distributions.two_sided_geometric((fmpq(1, 2), fmpq(0)), (fmpq(0), fmpq(0)))
DISCRETE_LAPLACE = distributions.two_sided_geometric((fmpq(1), fmpq(-1, 2)), (fmpq(1), fmpq(-1, 2)))


def where(terms, constant=0, strict=True):
    """``constant + sum of weight * variable > 0``."""
    number = Fraction(constant)
    weights = tuple((place, fmpq(weight)) for place, weight in terms)
    return Constraint(weights, fmpq(number.numerator, number.denominator), strict)


def test_the_difference_of_two_variables_has_its_closed_form():
    # P(X - Y > c) = (1/2 + rate c / 4) exp(-rate c)
    found = probability((HALF, HALF), (where([(0, 1), (1, -1)], -1),))
    assert found == Exponential.power(fmpq(-1, 2), fmpq(5, 8))
    assert probability((HALF, HALF), (where([(0, 1), (1, 1)], -1),)) == found  # they are symmetric
    assert probability((ONE_SIDED_REAL,) * 2, (where([(0, 1), (1, -2)]),)).rational == fmpq(1, 3)


def test_bounds_of_several_slopes_agree_with_a_numeric_integral():
    constraints = (where([(0, 1), (1, -1)], -1), where([(0, 1), (1, 1)], 1), where([(0, 2), (1, -1)], 3))
    found = probability((HALF, QUARTER), constraints)

    def height(x):
        low, high = -1 - x, min(x - 1, 2 * x + 3)
        between = laplace.cdf(high, scale=4) - laplace.cdf(low, scale=4) if low < high else 0.0
        return laplace.pdf(x, scale=2) * between

    assert near(found) == pytest.approx(quad(height, -50, 90, points=[-4, -2, 0], limit=400)[0], abs=1e-9)


@pytest.mark.parametrize("strict", [True, False])
def test_sums_over_the_integers_agree_with_a_finite_sum(strict):
    constraints = (
        where([(0, 1), (1, -1)], 1, strict),
        where([(1, 1), (2, 1)], Fraction(-1, 2), strict),
        where([(0, -2)], 7, strict),
        where([(2, 1), (1, -1)], 9, strict),
    )
    x, y, z = np.meshgrid(*[np.arange(-40, 41)] * 2, np.arange(41), indexing="ij")
    weight = np.where(x >= 0, (1 / 3.0) ** abs(x), 0.5 ** abs(x)) * np.exp(-abs(y) / 2) * 0.5**z
    sides = np.stack([x - y + 1, y + z - 0.5, 7 - 2 * x, z - y + 9])
    holds = (sides > 0 if strict else sides >= 0).all(axis=0)
    found = probability((THIRDS, DISCRETE_LAPLACE, ONE_SIDED), constraints)
    assert near(found) == pytest.approx(weight[holds].sum() / weight.sum(), abs=1e-8)


sides = st.tuples(
    st.sampled_from([((0, 1), (1, -1)), ((1, 1), (2, -1)), ((0, -1), (2, 1)), ((0, 1), (1, 1)), ((0, 2),), ((1, -1),)]),
    st.integers(-4, 4).map(lambda number: Fraction(number, 2)),
    st.booleans(),
)


@settings(max_examples=60)
@given(
    st.sampled_from([(HALF, QUARTER, ONE_SIDED_REAL), (THIRDS, DISCRETE_LAPLACE, ONE_SIDED)]),
    st.lists(sides, min_size=1, max_size=4),
    sides,
)
def test_a_comparison_and_its_opposite_have_the_probability_of_the_rest(three, given_sides, last):
    """Exactly, as fractions of sums of exponentials."""
    before = [where(*side) for side in given_sides]
    more = where(*last)
    used = sorted({number for one in (*before, more) for number in one.variables})
    assume(_connected(before, used) and _connected([*before, more], used))
    order = {number: place for place, number in enumerate(used)}

    def measure(constraints):
        renamed = tuple(
            Constraint(tuple((order[number], weight) for number, weight in one.terms), one.constant, one.strict)
            for one in constraints
        )
        return probability(tuple(three[number] for number in used), renamed)

    try:
        whole, above, below = measure(before), measure([*before, more]), measure([*before, more.negated])
    except RegionError:
        assume(False)
    assert above + below == whole
    assert above.sign() >= 0 <= below.sign()


def _connected(constraints, used):
    reached = {used[0]}
    for _, one in product(used, constraints):
        if reached & set(one.variables):
            reached |= set(one.variables)
    return reached == set(used)


@pytest.mark.parametrize("distribution", [HALF, DISCRETE_LAPLACE])
def test_all_comparisons_of_all_pairs_leave_the_orders(distribution):
    """They form cycles; those that follow from others are left out."""
    total = NOTHING
    for order in permutations(range(4)):
        constraints = tuple(
            where(sorted([(one, 1), (other, -1)]), 0, one < other) for one, other in combinations(order, 2)
        )
        found = probability((distribution,) * 4, constraints)
        assert distribution is not HALF or found.rational == fmpq(1, 24)
        total = total + found
    assert total == UNIT


AROUND = (where([(0, 1), (1, -1)]), where([(1, 1), (2, -1)]))


def test_contradictions_have_the_probability_0():
    assert probability((HALF,) * 3, (*AROUND, where([(0, -1), (2, 1)]))).is_zero
    assert probability((THIRDS,) * 2, (where([(0, 1), (1, -1)], -1), where([(0, -1), (1, 1)]))).is_zero


def test_many_draws_fall_into_the_regions_as_often_as_computed():
    """With the seed fixed, a frequency is off by 5 standard deviations with probability 6e-7."""
    x = np.random.default_rng(1).laplace(0, 2, (4, 100_000))
    inside = (x[0] > x[1]) & (x[0] > x[2] - 1) & (x[3] < x[1]) & (x[2] < 3)
    constraints = (AROUND[0], where([(0, 1), (2, -1)], 1), where([(1, 1), (3, -1)]), where([(2, -1)], 3))
    found = near(probability((HALF,) * 4, constraints))
    assert abs(np.mean(inside) - found) < 5 * math.sqrt(found * (1 - found) / 100_000)


SCORES = st.lists(st.integers(-4, 4).map(lambda halves: fmpq(halves, 2)), min_size=2, max_size=5)


def chance(scores, pairs, rate=1):
    """The probability that the first of each pair has the larger sum of score and Gumbel noise."""
    compared = [
        Constraint(tuple(sorted([(high, fmpq(1)), (low, fmpq(-1))])), scores[high] - scores[low], True)
        for high, low in pairs
    ]
    return probability_of_order((fmpq(rate),) * len(scores), tuple(compared))


@given(SCORES, st.data())
def test_orders_of_gumbel_noise_have_the_sum_of_their_full_orders(scores, data):
    """The product of Plackett and Luce; the largest is distributed as in the exponential mechanism."""
    for winner in range(len(scores)):
        found = chance(scores, [(winner, other) for other in range(len(scores)) if other != winner])
        total = sum((Exponential.power(one) for one in scores), NOTHING)
        assert found == Exponential.power(scores[winner]) / total
    ranks = data.draw(st.permutations(range(len(scores))))
    kept = data.draw(st.lists(st.sampled_from(list(combinations(ranks, 2))), min_size=1, unique=True))

    def of_full_order(order):
        weights = [math.exp(float(scores[place])) for place in order]
        return math.prod(one / sum(weights[place:]) for place, one in enumerate(weights))

    # The comparisons of one region connect its variables.
    for chosen in ([*kept, *pairwise(ranks)], [(ranks[0], other) for other in ranks[1:]] + kept):
        expected = sum(
            of_full_order(order)
            for order in permutations(range(len(scores)))
            if all(order.index(high) < order.index(low) for high, low in chosen)
        )
        assert near(chance(scores, chosen)) == pytest.approx(expected, rel=1e-12)


def test_a_circle_is_impossible_and_the_scale_divides_the_scores():
    scores = [fmpq(0), fmpq(1), fmpq(2)]
    assert chance(scores, [(0, 1), (1, 2), (2, 0)]) == chance(scores, [(0, 1), (1, 0)]) == NOTHING
    assert chance(scores[:2], [(0, 1)]) + chance(scores[:2], [(1, 0)]) == UNIT
    assert chance([fmpq(1), fmpq(0)], [(0, 1)], rate=2) == chance([fmpq(2), fmpq(0)], [(0, 1)])


ONE, TWO = fmpq(1), fmpq(2)


@pytest.mark.parametrize(
    ("variables", "constraints", "words"),
    [
        ((HALF,) * 3, [*AROUND, where([(0, -1), (2, 1)], 1)], "cycle"),
        ((HALF,) * 3, [where([(0, 1), (1, -1), (2, 1)])], "more than two"),
        ((HALF, THIRDS), [where([(0, 1), (1, -1)])], "integer noise and noise on the real"),
        ((THIRDS, THIRDS), [where([(0, 2), (1, -1)])], "step sizes"),
        # The rates of Gumbel variables.
        ((ONE,), [where([(0, 1)], 1)], "compared with a constant"),
        ((ONE, ONE), [where([(0, 1), (1, 1)], 1)], "a sum of Gumbel variables"),
        ((ONE, TWO), [where([(0, 1), (1, -1)], 1)], "different scales"),
        ((ONE, TWO), [where([(0, 1), (1, -2)], 1)], "multiples of Gumbel noise"),
        ((ONE, ONE), [where([(0, 1), (1, -1)], 1), where([(0, -1), (1, 1)], 1)], "no common order"),
        (
            (ONE,) * 15,
            [where([(0, 1), (other, -1)]) for other in range(1, 15)]
            + [where([(other, 1), (14, -1)]) for other in range(1, 14)],
            "more than 4,096 partial orders",
        ),
    ],
)
def test_what_has_no_closed_form_is_refused(variables, constraints, words):
    with pytest.raises(RegionError, match=words):
        (probability_of_order if isinstance(variables[0], fmpq) else probability)(variables, tuple(constraints))
