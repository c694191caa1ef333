"""The exact check of functions with noise of several kinds, and of noise that is too small to be followed."""

from __future__ import annotations

import math

import numpy as np
import pytest

import panproof
from panproof import Verdict


def given_pair(mechanism, *inputs, epsilon=1):
    return panproof.check(mechanism, *(inputs or (0, 1)), epsilon=epsilon)


@pytest.mark.more
def test_one_sided_noise_beside_a_sum_of_noises_has_an_infinite_loss():
    result = given_pair(lambda data, rng: [data + rng.geometric(0.5), rng.laplace() + rng.laplace()])
    assert result.loss == math.inf
    # With noise on both sides the two losses add up.
    both = given_pair(
        lambda data, rng: [data + rng.two_sided_geometric(0.5, 0.25, 1)[0], data + rng.laplace() + rng.laplace()]
    )
    assert both.loss == pytest.approx(math.log(4) + 1)


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda data, rng: 1 + data * 2e-14 + rng.laplace(scale=1e-15),
        lambda data, rng: rng.laplace(1 + data * 2e-14, 1e-15),
        lambda data, rng: 1 + data * 2e-14 + 1e-15 * rng.laplace(),
        lambda data, rng: rng.laplace(np.array([1 + data * 2e-14]), 1e-15)[0],
    ],
)
def test_noise_too_small_for_its_location_is_not_followed(mechanism):
    result = given_pair(mechanism)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "is too small for the number that it is added to" in result.report.reason


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    [
        (lambda data, rng: data * 2e-14 + rng.laplace(scale=1e-14), 2),
        (lambda data, rng: 0.1 + 0.2 + data * 1e-6 + rng.laplace(scale=1e-6), 1),
        (lambda data, rng: 1e6 / 3 + data + rng.laplace(scale=2.0), 0.5),
        (lambda data, rng: 1e9 + data * 0.1 + rng.laplace(scale=1.0), 0.1),
    ],
)
def test_small_noise_is_followed_where_its_location_is_read_exactly_enough(mechanism, loss):
    assert given_pair(mechanism, epsilon=3).loss == pytest.approx(loss)
