"""Orders of Gumbel noise: closed forms, all orders in full, and simulated orders."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.choices.regions.exponential import NOTHING, UNIT, Exponential
from pan_audits.choices.regions.orders import Constraint, RegionError, probability_of_order

SCORES = st.lists(st.integers(-4, 4).map(lambda halves: fmpq(halves, 2)), min_size=2, max_size=5)


def above(high, low, scores):
    """That ``scores[high]`` plus its noise is above ``scores[low]`` plus its noise."""
    return Constraint(tuple(sorted([(high, fmpq(1)), (low, fmpq(-1))])), scores[high] - scores[low], True)


def chance(scores, pairs, rate=1):
    rates = (fmpq(rate),) * len(scores)
    return probability_of_order(rates, tuple(above(high, low, scores) for high, low in pairs))


def chance_of_full_order(order, scores):
    """The product of Plackett and Luce, as a double."""
    weights = [math.exp(float(scores[place])) for place in order]
    return math.prod(one / sum(weights[place:]) for place, one in enumerate(weights))


@given(SCORES)
def test_the_largest_is_distributed_as_in_the_exponential_mechanism(scores):
    for winner in range(len(scores)):
        found = chance(scores, [(winner, other) for other in range(len(scores)) if other != winner])
        total = sum((Exponential.power(one) for one in scores), NOTHING)
        assert found == Exponential.power(scores[winner]) / total


@given(SCORES, st.data())
def test_any_partial_order_has_the_sum_of_its_full_orders(scores, data):
    ranks = data.draw(st.permutations(range(len(scores))))
    pairs = list(combinations(ranks, 2))
    kept = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    # The comparisons of one region connect its variables.
    connected = [*kept, *pairwise(ranks)]
    for chosen in (connected, [(ranks[0], other) for other in ranks[1:]] + kept):
        expected = sum(
            chance_of_full_order(order, scores)
            for order in permutations(range(len(scores)))
            if all(order.index(high) < order.index(low) for high, low in chosen)
        )
        assert float(chance(scores, chosen).ball().mid()) == pytest.approx(expected, rel=1e-12)


def test_a_zigzag_has_the_probability_that_it_has_in_simulated_noise():
    scores, pairs = [fmpq(0), fmpq(1), fmpq(1, 2), fmpq(-1)], [(0, 1), (2, 1), (2, 3)]
    drawn = np.random.default_rng(1).gumbel(size=(400_000, 4)) + [float(one) for one in scores]
    share = np.mean([all(row) for row in zip(*(drawn[:, high] > drawn[:, low] for high, low in pairs), strict=True)])
    assert float(chance(scores, pairs).ball().mid()) == pytest.approx(share, abs=0.004)


def test_the_scale_divides_the_scores():
    assert chance([fmpq(1), fmpq(0)], [(0, 1)], rate=2) == chance([fmpq(2), fmpq(0)], [(0, 1)])


def test_a_circle_is_impossible_and_what_follows_changes_nothing():
    scores = [fmpq(0), fmpq(1), fmpq(2)]
    assert chance(scores, [(0, 1), (1, 2), (2, 0)]) == NOTHING
    assert chance(scores, [(0, 1), (1, 0)]) == NOTHING
    assert chance(scores, [(0, 1), (1, 2), (0, 2)]) == chance(scores, [(0, 1), (1, 2)])
    assert chance(scores[:2], [(0, 1)]) + chance(scores[:2], [(1, 0)]) == UNIT


ONE, TWO = fmpq(1), fmpq(2)


@pytest.mark.parametrize(
    ("rates", "constraints", "words"),
    [
        ((ONE,), [Constraint(((0, ONE),), ONE, True)], "compared with a constant"),
        ((ONE, ONE), [Constraint(((0, ONE), (1, ONE)), ONE, True)], "a sum of Gumbel variables"),
        ((ONE, TWO), [Constraint(((0, ONE), (1, -ONE)), ONE, True)], "different scales"),
        ((ONE, TWO), [Constraint(((0, ONE), (1, -TWO)), ONE, True)], "multiples of Gumbel noise"),
        ((ONE,) * 3, [Constraint(((0, ONE), (1, ONE), (2, ONE)), ONE, True)], "more than two"),
        (
            (ONE, ONE),
            [Constraint(((0, ONE), (1, -ONE)), ONE, True), Constraint(((0, -ONE), (1, ONE)), ONE, True)],
            "no common order",
        ),
        (
            (ONE,) * 15,
            [Constraint(((0, ONE), (other, -ONE)), fmpq(0), True) for other in range(1, 15)]
            + [Constraint(((other, ONE), (14, -ONE)), fmpq(0), True) for other in range(1, 14)],
            "more than 4,096 partial orders",
        ),
    ],
)
def test_what_has_no_closed_form_is_refused(rates, constraints, words):
    with pytest.raises(RegionError, match=words):
        probability_of_order(rates, tuple(constraints))
