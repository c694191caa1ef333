"""The rho of laws on finitely many values, against divergences of many orders in doubles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof
from pan_audits import Verdict
from pan_audits.notions.divergences import largest_divergence

ORDERS = np.logspace(-3, 5, 50_001)


def expected(p, q, losses):
    """The largest divergence over its order, with the limits of order 1 and of large orders."""
    logs, p = np.log(p / q), np.asarray(p)
    exponents = np.log(p)[:, None] + np.outer(logs, ORDERS) + np.outer(losses, ORDERS * (1 + ORDERS))
    top = exponents.max(axis=0)
    divergences = (top + np.log(np.exp(exponents - top).sum(axis=0))) / ORDERS
    return max(float((p * (logs + losses)).sum()), float((divergences / (1 + ORDERS)).max()), max(losses))


def found(p, q, losses):
    choices = [
        (arb(int(a)) / int(sum(p)), ((arb(int(a)) / int(sum(p))) / (arb(int(b)) / int(sum(q)))).log(), arb(loss))
        for a, b, loss in zip(p, q, losses, strict=True)
    ]
    return largest_divergence(choices)


WEIGHTS = st.lists(st.tuples(st.integers(1, 90), st.integers(1, 90)), min_size=2, max_size=5)


@settings(max_examples=25, deadline=None)
@given(WEIGHTS)
def test_both_bounds_hold_and_are_nearly_equal(weights):
    p, q = (np.array(side) for side in zip(*weights, strict=True))
    low, high = found(p, q, [0] * len(p))
    value = expected(p / p.sum(), q / q.sum(), [0] * len(p))
    assert low <= value * (1 + 1e-6) + 1e-12
    assert high >= value * (1 - 1e-6) - 1e-12
    assert high - low <= 1e-4 * high + 1e-15


@settings(max_examples=10, deadline=None)
@given(WEIGHTS, st.data())
def test_both_bounds_hold_with_noise_beside(weights, data):
    p, q = (np.array(side) for side in zip(*weights, strict=True))
    losses = [data.draw(st.sampled_from([0.0, 0.25, 1.0, 2.0])) for _ in p]
    low, high = found(p, q, losses)
    value = expected(p / p.sum(), q / q.sum(), losses)
    assert low <= value * (1 + 1e-6) + 1e-12
    assert high >= value * (1 - 1e-6) - 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_randomised_response_has_its_divergence_of_order_one(epsilon):
    whole = round(10**6 * math.exp(epsilon) / (1 + math.exp(epsilon)))
    p = whole / 10**6
    low, high = found((whole, 10**6 - whole), (10**6 - whole, whole), (0, 0))
    assert low == pytest.approx((2 * p - 1) * math.log(p / (1 - p)), rel=1e-9)
    assert high == pytest.approx(low, rel=1e-9)


def gumbel(scores, rng):
    noisy = [score + rng.gumbel(scale=2.0) for score in scores]
    return noisy.index(max(noisy))


def permute_and_flip(scores, rng):
    noisy = [score + rng.exponential(scale=2.0) for score in scores]
    return noisy.index(max(noisy))


def coin(bit, rng):
    return bit if rng.random() < 0.75 else 1 - bit


def law_of_the_largest(mechanism, gap):
    """The probabilities of the two choices of scores that differ by a gap, for noise of scale 2."""
    first = 1 / (1 + math.exp(-gap / 2)) if mechanism is gumbel else 1 - math.exp(-gap / 2) / 2
    return np.array([first, 1 - first])


@pytest.mark.parametrize("mechanism", [gumbel, permute_and_flip])
def test_the_rho_of_a_noisy_maximum_decides(mechanism):
    p, q = law_of_the_largest(mechanism, 0), law_of_the_largest(mechanism, 2)
    rho = max(expected(p, q, [0, 0]), expected(q, p, [0, 0]))
    assert rho == pytest.approx({"gumbel": 0.1213, "permute_and_flip": 0.2605}[mechanism.__name__], abs=1e-4)
    kept = panproof.check(mechanism, [0, 0], [1, -1], rho=rho * 1.0001)
    assert kept.verdict is Verdict.NOT_REFUTED
    assert kept.loss == pytest.approx(rho, rel=1e-6)
    refuted = panproof.check(mechanism, [0, 0], [1, -1], rho=rho * 0.9999)
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.loss == pytest.approx(rho, rel=1e-6)


def test_the_rho_of_a_coin_is_its_divergence_of_order_one():
    rho = math.log(3) / 2
    assert panproof.check(coin, 0, 1, rho=0.5).verdict is Verdict.REFUTED
    result = panproof.check(coin, 0, 1, rho=0.5494)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss == pytest.approx(rho, rel=1e-6)


def test_no_reason_speaks_of_noise_that_is_not_there():
    text = str(panproof.check(gumbel, [0, 0], [1, -1], rho=0.125))
    assert "step sizes" not in text
    assert "rho at most 0.1213" in text
