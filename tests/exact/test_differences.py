"""Sums of noise that are one variable of a known law: their losses, against the laws of the differences."""

from __future__ import annotations

import math

import pytest

import panproof
from pan_audits.judging.verdict import Verdict
from tests.turns import every


def exponentials(data, rng):
    return data + rng.exponential(2) - rng.exponential(2)


def geometrics(data, rng):
    return data + rng.geometric(0.5) - rng.geometric(0.5)


def two_ratios(data, rng):
    return data - rng.geometric(0.75) + rng.geometric(0.5)


def several(data, rng):
    return [x + a - b for x, a, b in zip(data, rng.exponential(1, 3), rng.exponential(1, 3), strict=True)]


def two_differences(data, rng):
    return data + rng.exponential(2) - rng.exponential(2) + rng.exponential(1) - rng.exponential(1)


@pytest.mark.parametrize(
    ("mechanism", "inputs", "loss"),
    every(
        2,
        [
            (exponentials, (0, 1), 0.5),
            (geometrics, (0, 1), math.log(2)),
            # The ratio is 1/2 above the location and 1/4 below it.
            (two_ratios, (0, 1), math.log(4)),
            (several, ([0, 0, 0], [1, 0, 1]), 2.0),
            # The largest scale decides for a sum of two Laplace variables.
            (two_differences, (0, 1), 0.5),
        ],
    ),
)
def test_the_loss_is_that_of_the_two_sided_law(mechanism, inputs, loss):
    assert panproof.check(mechanism, *inputs, epsilon=9).loss == pytest.approx(loss, rel=1e-12)


def two_scales(data, rng):
    return data + rng.exponential(2) - rng.exponential(1)


def sum_of_two(data, rng):
    return data + rng.exponential(2) + rng.exponential(2)


def shared(data, rng):
    noise = rng.exponential(2)
    return data + noise - rng.exponential(2), noise + rng.exponential(2)


@pytest.mark.parametrize("mechanism", [two_scales, sum_of_two, shared])
def test_other_sums_are_inconclusive(mechanism):
    assert panproof.check(mechanism, 0, 1, epsilon=9).verdict is Verdict.INCONCLUSIVE
