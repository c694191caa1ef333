"""Noise that is followed: sums, comparisons, roundings and the largest of several."""

from __future__ import annotations

import datetime
import math
import random
import secrets
import time
from collections import deque
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from numpy.random import PCG64, Generator, RandomState, default_rng

import panproof
from pan_audits.choices import noise as room
from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.gaussian import GaussianRandomness
from pan_audits.choices.noise import kept
from panproof import Verdict
from tests.exact.test_compared_noise import loss_of
from tests.turns import every


def drawn(count=3, moment=0):
    return GaussianRandomness((), moment).gaussian(0.0, 2.0, size=count)


class Anything(float):
    """A number that says that it equals every other one."""

    __hash__ = float.__hash__

    def __eq__(self, other):
        return True


def test_equal_operations_on_equal_draws_give_one_object():
    first, second = drawn(), drawn()
    assert first[0] is second[0]
    assert first[0] * 0.5 + first[1] is second[0] * 0.5 + second[1]
    assert (first[0] * 0.5).identity == (first[0] * Fraction(1, 2)).identity


def test_other_draws_distributions_and_operands_give_other_numbers():
    one = drawn()[0]
    wider = GaussianRandomness((), 0).gaussian(0.0, 3.0, size=1)[0]
    later = drawn(moment=1)[0]
    numbers = [one, wider, later, one + 1, one + 2, one * 2, one - 1, one + drawn()[1], one - drawn()[1]]
    assert len({number.identity for number in numbers}) == len(numbers)


def test_a_number_that_equals_all_others_is_computed_by_its_value():
    one = drawn()[0]
    known = one + 0.25
    assert (one + Anything(0.75)).constant == Fraction(3, 4)
    assert known.constant == Fraction(1, 4)
    assert (one + np.float32(0.5)).constant == Fraction(1, 2)


def test_what_cannot_be_followed_is_refused_every_time():
    one = drawn()[0]
    for _ in range(2):
        with pytest.raises(UnfollowableError):
            (one + 2.0**60) - 2.0**60


def test_results_are_kept_for_a_limited_number_of_operations(monkeypatch):
    monkeypatch.setattr(room, "_MOST", 4)
    monkeypatch.setattr(room, "_RESULTS", {})
    made = [kept(("test", place), (), object) for place in range(20)]
    assert len(room._RESULTS) <= 4
    assert kept(("test", 19), (), object) is made[19]
    assert kept(("test", 0), (), object) is not made[0]


def exponential_of_noise(data, rng):
    try:
        return np.exp(data + rng.laplace())
    except Exception:
        return 0.0


def power_of_noise(data, rng):
    try:
        return 2.0 ** (data + rng.laplace())
    except Exception:
        return math.inf


def kind_of_noise(data, rng):
    noisy = data + rng.laplace()
    return noisy if isinstance(noisy, (int, float)) else None


def type_of_noise(data, rng):
    return data if type(rng.laplace()) is float else 0


def class_of_noise(data, rng):
    noisy = data + rng.laplace()
    return noisy if "float" in str(noisy.__class__) else None


def pattern_of_noise(data, rng):
    match data + rng.laplace():
        case float():
            return data
        case _:
            return 0


def type_of_a_uniform_number(data, rng):
    return data if type(rng.random()).__name__ == "float" else 0


def method_of_noise(data, rng):
    noisy = data + rng.laplace()
    return noisy if hasattr(noisy, "is_integer") else None


def kind_of_a_uniform_number(data, rng):
    return data if isinstance(rng.random(), float) else 0


def method_of_a_uniform_number(data, rng):
    return data if hasattr(rng.random(), "hex") else 0


def function_of_a_uniform_number(data, rng):
    try:
        return data if np.sqrt(rng.random()) >= 0 else 0
    except Exception:
        return 0


def noise_and_no_number(data, rng):
    try:
        return rng.laplace() + complex(0, data)
    except Exception:
        return 0


def large_numbers_that_cancel(data, rng):
    return (rng.laplace() + 1e20) - 1e20 + data


def constant_next_to_the_end(data, rng):
    return bool(rng.random() > 1 - 2.0 ** -(53 - data))


def two_constants_that_are_read_alike(data, rng):
    number = rng.random()
    return (bool(number < (0.1 + 0.2 if data else 0.3)), bool(number < 0.3))


@pytest.mark.parametrize(
    "mechanism",
    every(
        3,
        [
            exponential_of_noise,
            power_of_noise,
            kind_of_noise,
            type_of_noise,
            class_of_noise,
            pattern_of_noise,
            type_of_a_uniform_number,
            method_of_noise,
            kind_of_a_uniform_number,
            method_of_a_uniform_number,
            function_of_a_uniform_number,
            noise_and_no_number,
            large_numbers_that_cancel,
            constant_next_to_the_end,
            two_constants_that_are_read_alike,
        ],
    ),
)
def test_what_depends_on_doubles_is_not_followed(mechanism):
    assert panproof.check(mechanism, 0, 1, epsilon=0.5).verdict is Verdict.INCONCLUSIVE


def sums_of_numpy(data, rng):
    return np.add(np.float64(data), rng.laplace())


def differences_of_numpy(data, rng):
    return np.subtract(data, -np.negative(rng.laplace())) * np.float64(1)


def arrays_of_numpy(data, rng):
    return (np.array([data, 2 * data]) + rng.laplace())[0]


def comparisons_of_numpy(data, rng):
    return data if np.less(0.25, rng.random()) else 1 - data


def other_types(data, rng):
    """``type`` does all else that it does."""
    made = type("Made", (), {"number": data})
    if type(data) is int and isinstance(made, type) and issubclass(type(made), type):
        return made.number + rng.laplace()
    return None


def noise_at_large_numbers(data, rng):
    return 1e20 + (data + rng.laplace())


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    every(
        2,
        [
            (sums_of_numpy, 1),
            (differences_of_numpy, 1),
            (arrays_of_numpy, 1),
            (comparisons_of_numpy, math.log(3)),
            (noise_at_large_numbers, 1),
            (other_types, 1),
            (lambda data, rng: data if rng.random() < 1 - 2.0**-53 else 1 - data, math.log(2**53 - 1)),
        ],
    ),
)
def test_sums_and_comparisons_are_followed_in_any_form(mechanism, loss):
    assert panproof.check(mechanism, 0, 1, epsilon=40).loss == pytest.approx(loss)


@pytest.mark.parametrize(
    "draw",
    every(
        3,
        [
            lambda: default_rng().random(),
            lambda: Generator(PCG64()).random(),
            lambda: RandomState().random_sample(),
            lambda: random.Random().random(),
            lambda: random.SystemRandom().random(),
            lambda: secrets.choice(range(100)) / 100,
            lambda: time.time_ns() % 100 / 100,
            lambda: time.perf_counter() % 1,
        ],
    ),
)
def test_another_source_is_found_even_if_it_matters_rarely(draw):
    result = panproof.check(lambda data, rng: data if draw() < 0.01 else 0, 0, 1, epsilon=1)
    assert result.verdict is Verdict.INCONCLUSIVE


class Window(deque):
    def __init__(self, *entries):
        super().__init__(*entries)
        self.total = 0


class RefusedError(Exception):
    def __init__(self, *parts):
        super().__init__(*parts)
        self.code = 1


def kept_by_an_audit(mechanism):
    audited = panproof.audit(mechanism, 0, 1, epsilon=1, runs=1000, seed=1, jobs=1)
    return audited.verdict is Verdict.NOT_REFUTED


@pytest.mark.more
@pytest.mark.parametrize(
    "output",
    every(
        3,
        [
            lambda data: datetime.date(2020, 1, 1 + data),
            lambda data: datetime.timedelta(data),
            lambda data: [datetime.date(2020, 1, 1 + data)],
            lambda data: Window([data]),
            lambda data: RefusedError(f"user {data} not found"),
            lambda data: (len, abs)[data],
        ],
    ),
)
def test_contents_of_compiled_code_are_not_taken_for_equal(output):
    def mechanism(data, rng):
        return output(data)

    assert panproof.check(mechanism, 0, 1, epsilon=1).verdict is not Verdict.NOT_REFUTED
    assert not kept_by_an_audit(mechanism)


@pytest.mark.more
@pytest.mark.parametrize(
    ("left", "right"),
    [
        (np.timedelta64(1, "ns"), np.timedelta64(1, "ps")),
        (np.timedelta64(1, "Y"), np.timedelta64(1, "M")),
        (np.datetime64(1, "ns"), np.datetime64(1, "ps")),
        (np.array([1], dtype="m8[ns]"), np.array([1], dtype="m8[ps]")),
        (np.array([(1,)], dtype=[("a", "<i4")]), np.array([(1,)], dtype=[("b", "<i4")])),
        (np.array([(1065353216,)], dtype=[("a", "<i4")]), np.array([(1.0,)], dtype=[("a", "<f4")])),
    ],
)
def test_units_and_types_of_records_are_part_of_an_output(left, right):
    def mechanism(data, rng):
        return right if data else left

    assert panproof.check(mechanism, 0, 1, epsilon=1).verdict is Verdict.REFUTED
    assert not kept_by_an_audit(mechanism)


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
    """The smallest Gumbel variable has another distribution than the largest: all orders that end with it."""
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
def test_the_loss_is_that_of_the_two_sided_distribution(mechanism, inputs, loss):
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
