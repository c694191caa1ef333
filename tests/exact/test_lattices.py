"""Clipped integer noise: a plain number on some runs counts together with the noise that looks the same."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.exact.test_compared_noise import loss_of

REACH = range(-150, 151)


def summed_loss(outputs, first, second, scale):
    """The largest ratio of the probabilities of two runs, from sums over the noise."""
    laws = []
    for data in (first, second):
        law = Counter()
        for noise in REACH:
            weight = math.tanh(1 / (2 * scale)) * math.exp(-abs(noise) / scale)
            for value, part in outputs(data + noise):
                law[value] += part * weight
        laws.append(law)
    return max(abs(math.log(laws[0][value] / laws[1][value])) for value in laws[0] if laws[1][value] > 0)


@pytest.mark.more
@given(
    least=st.sampled_from([-2, -1, 0, 0.5, 1, 2]),
    step=st.integers(1, 3),
    scale=st.sampled_from([1.0, 2.0]),
    other=st.sampled_from([None, 0, 0.5, 1]),
    first=st.integers(-2, 3),
    second=st.integers(-2, 3),
)
def test_clipped_integer_noise_has_the_loss_of_the_sums(least, step, scale, other, first, second):
    assume(first != second)

    def mechanism(data, rng):
        if other is not None and rng.random() < 0.25:
            return other
        return max(least, step * (data + rng.discrete_laplace(scale, 1)[0]))

    def outputs(count):
        clipped = max(least, step * count)
        return [(clipped, 1.0)] if other is None else [(clipped, 0.75), (other, 0.25)]

    found = loss_of(mechanism, first, second)
    assert found.nats == pytest.approx(summed_loss(outputs, first, second, scale), abs=1e-6)


@pytest.mark.parametrize("other", [True, Fraction(1), 1j])
def test_a_number_of_another_kind_leaves_an_upper_bound(other):
    def mechanism(data, rng):
        return other if rng.random() < 0.25 else data + rng.discrete_laplace(2.0, 1)[0]

    assert loss_of(mechanism, 0, 1).upper


def test_a_negative_zero_is_told_apart_from_integer_noise():
    def mechanism(data, rng):
        return -0.0 if rng.random() < 0.25 + data / 4 else rng.discrete_laplace(2.0, 1)[0]

    found = loss_of(mechanism, 0, 1)
    assert not found.upper
    assert found.nats == pytest.approx(math.log(2))


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, np.float16, np.longdouble])
def test_numbers_of_numpy_count_together_with_the_noise(kind):
    found = loss_of(lambda data, rng: max(data + rng.discrete_laplace(2.0, 1)[0], kind(0)), 0, 1)
    assert found.nats == pytest.approx(0.5)
    assert found.upper == (kind is np.longdouble)


def test_a_lattice_on_which_doubles_round_leaves_an_upper_bound():
    """``0.1 * 3`` is another double than 0.3."""

    def mechanism(data, rng):
        return 0.3 if rng.random() < 0.25 + data / 4 else 0.1 * rng.discrete_laplace(2.0, 1)[0]

    assert loss_of(mechanism, 0, 1).upper
