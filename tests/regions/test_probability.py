"""Probabilities of comparisons of noise against closed forms, numeric integrals, sums, and one another."""

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from flint import fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import expon, laplace

from pan_audits.choices.regions import distributions
from pan_audits.choices.regions.exponential import UNIT, Exponential
from pan_audits.choices.regions.orders import Constraint, RegionError, marginal, probability

HALF = distributions.laplace(fmpq(1, 2))
QUARTER = distributions.laplace(fmpq(1, 4))
THIRDS = distributions.two_sided_geometric((fmpq(1, 3), fmpq(0)), (fmpq(1, 2), fmpq(0)))
ONE_SIDED = distributions.two_sided_geometric((fmpq(1, 2), fmpq(0)), (fmpq(0), fmpq(0)))
DISCRETE_LAPLACE = distributions.two_sided_geometric((fmpq(1), fmpq(-1, 2)), (fmpq(1), fmpq(-1, 2)))


def where(terms, constant=0, strict=True):
    """``constant + sum of weight * variable > 0``."""
    number = Fraction(constant)
    weights = tuple((place, fmpq(weight)) for place, weight in terms)
    return Constraint(weights, fmpq(number.numerator, number.denominator), strict)


def near(number):
    return float(number.ball())


def test_the_difference_of_two_laplace_variables_has_its_closed_form():
    # P(X - Y > c) = (1/2 + rate c / 4) exp(-rate c)
    found = probability((HALF, HALF), (where([(0, 1), (1, -1)], -1),))
    assert found == Exponential.power(fmpq(-1, 2), fmpq(5, 8))
    assert probability((HALF, HALF), (where([(0, 1), (1, 1)], -1),)) == found  # they are symmetric
    assert probability((distributions.exponential(fmpq(1)),) * 2, (where([(0, 1), (1, -2)]),)).rational == fmpq(1, 3)


def test_a_star_agrees_with_a_numeric_integral():
    """A threshold with noise and four queries, as in the sparse vector technique."""
    places = [0, 1, Fraction(-1, 2), 2]
    constraints = tuple(where([(0, 1), (i, -1)], place) for i, place in enumerate(places, 1))
    found = probability((HALF,) + (QUARTER,) * 4, constraints)

    def height(z):
        below = math.prod(laplace.cdf(z + float(place), scale=4) for place in places)
        return laplace.pdf(z, scale=2) * below

    assert near(found) == pytest.approx(quad(height, -80, 80, points=[0, -1, 0.5, -2], limit=400)[0], abs=1e-9)


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

    def mass(k, up, down):
        return up**k if k >= 0 else down**-k

    total = weight = 0.0
    for x, y, z in product(range(-40, 41), range(-40, 41), range(41)):
        part = mass(x, 1 / 3, 1 / 2) * mass(y, math.exp(-1 / 2), math.exp(-1 / 2)) * 0.5**z
        weight += part
        sides = (x - y + 1, y + z - 0.5, 7 - 2 * x, z - y + 9)
        total += part * all(side > 0 or (side == 0 and not strict) for side in sides)
    found = probability((THIRDS, DISCRETE_LAPLACE, ONE_SIDED), constraints)
    assert near(found) == pytest.approx(total / weight, abs=1e-8)


def test_a_marginal_is_the_distribution_of_a_variable_where_the_comparisons_hold():
    distribution = marginal(
        (QUARTER, HALF, distributions.exponential(fmpq(1))), (where([(0, 1), (1, -1)]), where([(0, 1), (2, -1)])), 0
    )
    for place in (-3, 0, 1, 5):
        expected = laplace.pdf(place, scale=4) * laplace.cdf(place, scale=2) * expon.cdf(place)
        assert near(distribution.at(fmpq(place))) == pytest.approx(expected, abs=1e-15)


distributions_of_one_kind = st.sampled_from(
    [(HALF, QUARTER, distributions.exponential(fmpq(1))), (THIRDS, DISCRETE_LAPLACE, ONE_SIDED)]
)
sides = st.tuples(
    st.sampled_from([((0, 1), (1, -1)), ((1, 1), (2, -1)), ((0, -1), (2, 1)), ((0, 1), (1, 1)), ((0, 2),), ((1, -1),)]),
    st.integers(-4, 4).map(lambda number: Fraction(number, 2)),
    st.booleans(),
)


@settings(max_examples=60)
@given(distributions_of_one_kind, st.lists(sides, min_size=1, max_size=4), sides)
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
    reached, grown = {used[0]}, True
    while grown:
        grown = False
        for one in constraints:
            if reached & set(one.variables) and not set(one.variables) <= reached:
                reached |= set(one.variables)
                grown = True
    return reached == set(used)


@pytest.mark.parametrize("distribution", [HALF, DISCRETE_LAPLACE])
def test_all_comparisons_of_all_pairs_leave_the_orders(distribution):
    """They form cycles; those that follow from others are left out."""
    total = Exponential.of(fmpq(0))
    for order in permutations(range(4)):
        pairs = [(one, other) for i, one in enumerate(order) for other in order[i + 1 :]]
        constraints = tuple(where(sorted([(one, 1), (other, -1)]), 0, one < other) for one, other in pairs)
        found = probability((distribution,) * 4, constraints)
        if distribution is HALF:
            assert found.rational == fmpq(1, 24)
        total = total + found
    assert total == UNIT


def test_contradictions_have_the_probability_0_and_cycles_are_refused():
    around = [where([(0, 1), (1, -1)]), where([(1, 1), (2, -1)])]
    assert probability((HALF,) * 3, (*around, where([(0, -1), (2, 1)]))).is_zero
    assert probability((THIRDS,) * 2, (where([(0, 1), (1, -1)], -1), where([(0, -1), (1, 1)]))).is_zero
    with pytest.raises(RegionError, match="cycle"):
        probability((HALF,) * 3, (*around, where([(0, -1), (2, 1)], 1)))
    with pytest.raises(RegionError, match="more than two"):
        probability((HALF,) * 3, (where([(0, 1), (1, -1), (2, 1)]),))
    with pytest.raises(RegionError, match="integer noise and noise on the real"):
        probability((HALF, THIRDS), (where([(0, 1), (1, -1)]),))
    with pytest.raises(RegionError, match="step sizes"):
        probability((THIRDS, THIRDS), (where([(0, 2), (1, -1)]),))


def test_many_draws_fall_into_the_regions_as_often_as_computed():
    """With the seed fixed, a frequency is off by 5 standard deviations with probability 6e-7."""
    generator = np.random.default_rng(1)
    x = generator.laplace(0, 2, (4, 100_000))
    inside = (x[0] > x[1]) & (x[0] > x[2] - 1) & (x[3] < x[1]) & (x[2] < 3)
    constraints = (
        where([(0, 1), (1, -1)]),
        where([(0, 1), (2, -1)], 1),
        where([(1, 1), (3, -1)]),
        where([(2, -1)], 3),
    )
    found = near(probability((HALF,) * 4, constraints))
    assert abs(np.mean(inside) - found) < 5 * math.sqrt(found * (1 - found) / 100_000)
