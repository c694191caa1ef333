"""Outputs that look alike to an intruder are one outcome, and outputs that do not are several."""

import math
from collections import namedtuple
from decimal import Decimal

import pytest

import panproof
from panproof import Verdict
from tests.turns import every


def noise_times_nothing(data, rng):
    """Always 0.1: the noise is multiplied by 0."""
    return 0.1 + 0 * rng.laplace() if data else 0.1


def in_a_list(data, rng):
    return [noise_times_nothing(data, rng), "text"]


def truth_or_number(data, rng):
    """Randomised response with a fair coin, whose random answer is a truth value and the true one a number."""
    return data if rng.random() < 0.5 else rng.random() < 0.5


def numpy_text(data, rng):
    """A fair coin for both inputs."""
    return rng.choice(["yes", "no"]) if data else ("yes" if rng.random() < 0.5 else "no")


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    every(2, [(noise_times_nothing, 0.0), (in_a_list, 0.0), (truth_or_number, math.log(3)), (numpy_text, 0.0)]),
)
def test_outputs_that_look_alike_are_one_outcome(mechanism, loss):
    result = panproof.check(mechanism, 0, 1, epsilon=2)
    assert result.loss == pytest.approx(loss)
    assert result.verdict is Verdict.NOT_REFUTED


Near, Far = namedtuple("Near", "place"), namedtuple("Far", "place")


def named_by_the_data(data, rng):
    return (Far if data else Near)(1)


def named_by_a_coin(data, rng):
    return (Far if rng.random() < 0.5 else Near)(1)


def digits_by_the_data(data, rng):
    return Decimal("1.00" if data else "1.0")


def digits_by_a_coin(data, rng):
    return Decimal("1.00" if rng.random() < 0.5 else "1.0")


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    [
        (named_by_the_data, math.inf),
        (named_by_a_coin, 0.0),
        (digits_by_the_data, math.inf),
        (digits_by_a_coin, 0.0),
    ],
)
def test_the_name_of_a_record_and_the_digits_of_a_decimal_are_seen(mechanism, loss):
    assert panproof.check(mechanism, 0, 1, epsilon=2).loss == loss


def test_the_sign_of_a_zero_is_seen():
    result = panproof.check(lambda data, rng: [-0.0 if data else 0.0], 0, 1, epsilon=2)
    assert result.verdict is Verdict.REFUTED


def geometric(data, rng):
    """The same law for both inputs: a geometric number is 1 with probability 1/2, or else one more than another one."""
    if data:
        return 1 if rng.random() < 0.5 else 1 + rng.geometric(0.5)
    return rng.geometric(0.5)


def in_a_tuple(data, rng):
    return (geometric(data, rng), "text")


def in_a_dictionary(data, rng):
    return {"count": [geometric(data, rng)]}


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    every(2, [(geometric, 0.01), (in_a_tuple, 0), (in_a_tuple, 0.01), (in_a_dictionary, 0), (in_a_dictionary, 0.01)]),
)
def test_integer_noise_may_equal_a_number_in_its_place_also_in_a_container(mechanism, delta):
    promise = f"epsilon=1,delta={delta},adjacency=given,observed=output,intrusions=0"
    result = panproof.check(mechanism, 0, 1, promise=promise)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "may give the same output" in result.report.reason


def test_a_number_among_integer_noise_counts_together_with_it():
    result = panproof.check(geometric, 0, 1, epsilon=1)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss == 0


def test_a_text_beside_integer_noise_is_told_apart_as_before():
    result = panproof.check(lambda data, rng: (rng.geometric(0.5), ["a", "b"][data]), 0, 1, epsilon=1)
    assert result.verdict is Verdict.REFUTED
    assert result.loss == math.inf
