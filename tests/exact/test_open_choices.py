"""Bounds on the rho of choices that an output shows, with Gaussian noise beside, against divergences in doubles."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.notions.gaussian_losses import GaussianOutput, bounds_of

ORDERS = (1.0001, *np.geomspace(1.001, 1000, 2000))
WEIGHTS = st.lists(st.integers(1, 40), min_size=2, max_size=4)
ONE = ((Fraction(1),),)


def law(weights, means, covariance=ONE):
    total = sum(weights)
    return {
        GaussianOutput((place,), (Fraction(mean),), covariance): fmpq(weight, total)
        for place, (weight, mean) in enumerate(zip(weights, means, strict=True))
    }


def largest(weights, other, losses):
    """The largest divergence over its order, of the orders that are tried."""
    p, q = (np.array(one) / sum(one) for one in (weights, other))
    found = []
    for order in ORDERS:
        terms = order * np.log(p) + (1 - order) * np.log(q) + order * (order - 1) * np.array(losses)
        top = terms.max()
        found.append((top + math.log(np.exp(terms - top).sum())) / (order - 1) / order)
    return max(found)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_the_largest_divergence_lies_between_the_bounds(data):
    weights = data.draw(WEIGHTS)
    other = data.draw(st.lists(st.integers(1, 40), min_size=len(weights), max_size=len(weights)))
    moves = data.draw(st.lists(st.integers(-3, 3), min_size=len(weights), max_size=len(weights)))
    bounds = bounds_of(law(weights, [0] * len(weights)), law(other, moves))
    losses = [move**2 / 2 for move in moves]
    seen = max(largest(weights, other, losses), largest(other, weights, losses))
    least, most = (float(Fraction(int(one.p), int(one.q))) for one in (bounds.least, bounds.most))
    assert least <= most
    assert seen <= most + 1e-9
    # The order 1000 is not infinity: the largest loss is reached in the limit.
    assert least - 0.02 <= seen or least == max(losses)


def test_equal_choices_leave_the_loss_of_the_noise():
    bounds = bounds_of(law([1, 3], [0, 0]), law([1, 3], [1, 2]))
    assert (bounds.least, bounds.most) == (fmpq(2), fmpq(2))


def test_choices_alone_cost_at_most_an_eighth_of_the_squared_range():
    quick = bounds_of(law([1, 2], [0, 0]), law([2, 1], [0, 0]), sharp=False)
    width = 2 * math.log(2)
    assert float(quick.most.p) / float(quick.most.q) == pytest.approx(width**2 / 8)
    # At order 1 it is log(2)/3, and nowhere larger.
    for bounds in (quick, bounds_of(law([1, 2], [0, 0]), law([2, 1], [0, 0]))):
        assert float(bounds.least.p) / float(bounds.least.q) == pytest.approx(math.log(2) / 3)
    assert float(bounds.most.p) / float(bounds.most.q) == pytest.approx(math.log(2) / 3)


def test_a_hidden_choice_and_two_covariances_are_not_followed():
    hidden = {GaussianOutput((), (Fraction(mean),), ONE): fmpq(1, 2) for mean in (0, 1)}
    assert bounds_of(hidden, hidden) is None
    wider = ((Fraction(2),),)
    assert bounds_of(law([1, 1], [0, 0]), law([1, 1], [0, 0], wider)) is None
    assert bounds_of(law([1, 1], [0, 0]), law([1, 1], [0, 0], ((Fraction(0),),))).most is None
