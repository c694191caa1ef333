"""Noise and uniform numbers are no doubles: code that looks at their type, or catches an error, is told so."""

from __future__ import annotations

import datetime
import math
import random
import secrets
import time
from collections import deque

import numpy as np
import pytest
from numpy.random import PCG64, Generator, RandomState, default_rng

import panproof
from panproof import Verdict
from tests.turns import every


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
