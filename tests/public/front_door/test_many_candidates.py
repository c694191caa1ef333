"""The largest of many noisy scores, and the first two of some: the loss is known, and no time was enough before."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace

import panproof
from panproof import Verdict
from tests.public.front_door.mechanisms import first_two, gumbel_maximum, noisy_maximum


def chances_of_largest(scores, scale):
    """The probability that each score is the largest with Laplace noise, by an integral."""

    def density(t, place):
        others = np.delete(np.array(scores), place)
        return laplace.pdf(t, scores[place], scale) * laplace.cdf(t, others, scale).prod()

    points = sorted({-80.0, *map(float, scores), 80.0})
    return [
        sum(quad(density, low, high, args=(place,))[0] for low, high in pairwise(points))
        for place in range(len(scores))
    ]


def test_the_largest_of_twelve_with_laplace_noise():
    one, other = [0] * 12, [1] + [0] * 11
    found = panproof.check(noisy_maximum, one, other, epsilon=1)
    pairs = zip(chances_of_largest(one, 2), chances_of_largest(other, 2), strict=True)
    assert found.loss == pytest.approx(max(abs(math.log(p / q)) for p, q in pairs), abs=1e-6)
    assert found.verdict is Verdict.NOT_REFUTED
    assert panproof.check(noisy_maximum, one, other, epsilon=0.49).verdict is Verdict.REFUTED


def test_the_largest_of_twenty_with_gumbel_noise_is_softmax():
    one = [number % 4 for number in range(20)]
    other = [score + number % 2 for number, score in enumerate(one)]

    def chances(scores):
        return [math.exp(score / 2) / sum(math.exp(each / 2) for each in scores) for score in scores]

    expected = max(abs(math.log(p / q)) for p, q in zip(chances(one), chances(other), strict=True))
    assert panproof.check(gumbel_maximum, one, other, epsilon=1).loss == pytest.approx(expected)


def test_the_first_two_are_followed_without_a_cycle():
    found = panproof.check(first_two, [0, 0, 0, 0], [1, 0, 0, 0], epsilon=1)
    assert found.verdict is Verdict.NOT_REFUTED
    assert 0 < found.loss < 0.5
