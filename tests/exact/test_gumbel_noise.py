"""The exact check of selections by Gumbel noise: the losses of the exponential mechanism."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

import panproof
from panproof import Verdict
from tests.exact.test_compared_noise import loss_of
from tests.turns import every


def largest(scores, rng):
    return int(np.argmax(np.asarray(scores) + rng.gumbel(scale=2.0, size=len(scores))))


def largest_in_a_loop(scores, rng):
    best, place = scores[0] + rng.gumbel(scale=2.0), 0
    for other, score in enumerate(scores[1:], 1):
        noisy = score + rng.gumbel(scale=2.0)
        if noisy > best:
            best, place = noisy, other
    return place


def least_after_subtraction(scores, rng):
    noisy = [rng.gumbel(scale=2.0) - score for score in scores]
    return noisy.index(min(noisy))


def order(scores, rng):
    noisy = np.asarray(scores) + rng.gumbel(scale=2.0, size=len(scores))
    return [int(place) for place in np.argsort(-noisy)]


def softmax(scores):
    weights = np.exp(np.asarray(scores) / 2)
    return weights / weights.sum()


PAIRS = [([0, 0, 0, 0], [1, 0, 0, 0]), ([0, 0.5, 1], [1, 0, 1]), ([3, 1], [2, 2])]


@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize("mechanism", [largest, largest_in_a_loop])
def test_the_loss_is_that_of_the_exponential_mechanism(mechanism, left, right):
    expected = np.abs(np.log(softmax(left) / softmax(right))).max()
    assert loss_of(mechanism, left, right).nats == pytest.approx(expected, rel=1e-12)


def test_the_least_of_three_is_not_softmax():
    """The smallest Gumbel variable has another law than the largest: all orders that end with it."""
    left, right = [0, 0, 0], [-1, 0, 0]

    def ends_with(scores):
        orders = list(permutations(range(3)))
        chances = []
        for one in orders:
            weights = np.exp(-np.asarray(scores, dtype=float)[list(one)] / 2)
            chances.append(weights[0] / weights.sum() * weights[1] / weights[1:].sum())
        return np.array([sum(p for p, one in zip(chances, orders, strict=True) if one[-1] == k) for k in range(3)])

    expected = np.abs(np.log(ends_with(left) / ends_with(right))).max()
    assert loss_of(least_after_subtraction, left, right).nats == pytest.approx(expected, rel=1e-12)


@pytest.mark.more
def test_the_whole_order_loses_more():
    assert loss_of(order, *PAIRS[0]).nats > loss_of(largest, *PAIRS[0]).nats


@pytest.mark.slow
def test_the_front_door_says_the_loss_as_a_closed_form():
    found = panproof.check(largest, *PAIRS[0], epsilon=1)
    assert found.verdict is Verdict.NOT_REFUTED
    assert found.loss == pytest.approx(math.log(4 * math.exp(0.5) / (math.exp(0.5) + 3)))
    assert "log((4 e^(1/2))/(e^(1/2) + 3))" in found.report.reason
    assert panproof.check(largest, *PAIRS[0], epsilon=0.34).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("mechanism", "words"),
    every(
        2,
        [
            (lambda data, rng: data + rng.gumbel(), "used otherwise than to choose the largest"),
            (lambda data, rng: data + rng.gumbel() > 0, "compared with a constant"),
            (lambda data, rng: data + rng.gumbel() > rng.laplace(), "compared with other noise"),
            (lambda data, rng: round(data + rng.gumbel()), "used otherwise than to choose the largest"),
            (lambda data, rng: max(data + rng.gumbel(), rng.gumbel()), "used otherwise than to choose the largest"),
            (lambda data, rng: max(data + rng.gumbel(), rng.gumbel(scale=2)), "different scales"),
        ],
    ),
)
def test_other_uses_are_told(mechanism, words):
    found = panproof.check(mechanism, 0, 1, epsilon=1)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert words in found.report.reason
