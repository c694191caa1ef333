"""What depends on doubles, on another source or on hidden contents is not followed, and never judged by guesswork."""

from __future__ import annotations

import datetime
import math
import random
import secrets
import time
from collections import deque
from fractions import Fraction

import numpy as np
import pytest
from numpy.random import PCG64, Generator, RandomState, default_rng

import panproof
from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.gaussian import GaussianRandomness
from pan_audits.exact.identity import seen_key
from panproof import Verdict
from tests.internals.exact.checking import loss_of


def drawn(count=3, moment=0):
    return GaussianRandomness((), moment).gaussian(0.0, 2.0, size=count)


class Anything(float):
    """A number that says that it equals every other one."""

    __hash__ = float.__hash__

    def __eq__(self, other):
        return True


def test_results_that_are_kept_are_those_of_the_same_draws_and_operands():
    first, second = drawn(), drawn()
    assert first[0] * 0.5 + first[1] is second[0] * 0.5 + second[1]
    assert (first[0] * 0.5).identity == (first[0] * Fraction(1, 2)).identity
    one = first[0]
    wider = GaussianRandomness((), 0).gaussian(0.0, 3.0, size=1)[0]
    later = drawn(moment=1)[0]
    numbers = [one, wider, later, one + 1, one + 2, one * 2, one - 1, one + drawn()[1], one - drawn()[1]]
    assert len({number.identity for number in numbers}) == len(numbers)
    known = one + 0.25
    assert (one + Anything(0.75)).constant == Fraction(3, 4)
    assert known.constant == Fraction(1, 4)
    assert (one + np.float32(0.5)).constant == Fraction(1, 2)
    for _ in range(2):
        with pytest.raises(UnfollowableError):
            (one + 2.0**60) - 2.0**60


def exponential_of_noise(data, rng):
    try:
        return np.exp(data + rng.laplace()) + 1.0
    except Exception:
        return 0.0


def power_of_noise(data, rng):
    try:
        return 2.0 ** (data + rng.laplace())
    except Exception:
        return math.inf


def class_of_noise(data, rng):
    noisy = data + rng.laplace()
    return noisy if "float" in str(noisy.__class__) else None


def pattern_of_noise(data, rng):
    match data + rng.laplace():
        case float():
            return data
        case _:
            return 0


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


def two_constants_that_are_read_alike(data, rng):
    number = rng.random()
    return (bool(number < (0.1 + 0.2 if data else 0.3)), bool(number < 0.3))


@pytest.mark.parametrize(
    "mechanism",
    [
        exponential_of_noise,
        power_of_noise,
        class_of_noise,
        pattern_of_noise,
        function_of_a_uniform_number,
        noise_and_no_number,
        two_constants_that_are_read_alike,
        "noisy if isinstance(noisy := data + rng.laplace(), (int, float)) else None",
        "noisy if hasattr(noisy := data + rng.laplace(), 'is_integer') else None",
        "data if isinstance(rng.random(), float) else 0",
        "data if hasattr(rng.random(), 'hex') else 0",
        "(rng.laplace() + 1e20) - 1e20 + data",
        "bool(rng.random() > 1 - 2.0 ** -(53 - data))",
        # A draw from another source that matters rarely.
        *(
            lambda data, rng, draw=draw: data if draw() < 0.01 else 0
            for draw in (
                lambda: default_rng().random(),
                lambda: Generator(PCG64()).random(),
                lambda: RandomState().random_sample(),
                lambda: random.Random().random(),
                lambda: random.SystemRandom().random(),
                lambda: secrets.choice(range(100)) / 100,
                random.random,
            )
        ),
    ],
)
def test_what_depends_on_doubles_or_on_another_source_is_not_followed(mechanism):
    with pytest.raises(UnfollowableError):
        loss_of(mechanism, 0, 1)


def type_of_noise(data, rng):
    return data if type(rng.laplace()) is float else 0


def type_of_a_uniform_number(data, rng):
    return data if type(rng.random()).__name__ == "float" else 0


def part_of_a_nanosecond(data, rng):
    return data if time.time_ns() % 100 < 1 else 0


def elapsed(data, rng):
    return data if time.perf_counter() % 1 < 0.01 else 0


@pytest.mark.parametrize("mechanism", [type_of_noise, type_of_a_uniform_number, part_of_a_nanosecond, elapsed])
def test_types_and_clocks_are_seen_in_the_process_of_the_code(mechanism):
    assert panproof.check(mechanism, 0, 1, epsilon=0.5).verdict is Verdict.INCONCLUSIVE


def other_types(data, rng):
    """``type`` does all else that it does."""
    made = type("Made", (), {"number": data})
    if type(data) is int and isinstance(made, type) and issubclass(type(made), type):
        return made.number + rng.laplace()
    return None


def test_type_is_what_it_is_for_other_things():
    assert panproof.check(other_types, 0, 1, epsilon=40).loss == pytest.approx(1)


class Window(deque):
    def __init__(self, *entries):
        super().__init__(*entries)
        self.total = 0


class RefusedError(Exception):
    def __init__(self, *parts):
        super().__init__(*parts)
        self.code = 1


DATES = (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        DATES,
        ([DATES[0]], [DATES[1]]),
        (datetime.timedelta(0), datetime.timedelta(1)),
        (Window([0]), Window([1])),
        (len, abs),
        (np.array([1], dtype="m8[ns]"), np.array([1], dtype="m8[ps]")),
        (np.timedelta64(1, "ns"), np.timedelta64(1, "ps")),
        (np.timedelta64(1, "Y"), np.timedelta64(1, "M")),
        (np.datetime64(1, "ns"), np.datetime64(1, "ps")),
        (np.array([(1,)], dtype=[("a", "<i4")]), np.array([(1,)], dtype=[("b", "<i4")])),
        (np.array([(1065353216,)], dtype=[("a", "<i4")]), np.array([(1.0,)], dtype=[("a", "<f4")])),
    ],
)
def test_contents_units_and_types_of_records_are_part_of_an_output(left, right):
    assert told(left) is None or told(left) != told(right)


def told(value):
    try:
        return seen_key(value)
    except UnfollowableError:
        return None


def refused(data, rng):
    return RefusedError(f"user {data} not found")


def dated(data, rng):
    return DATES[data]


def test_the_text_of_an_error_is_not_taken_for_equal():
    assert panproof.check(refused, 0, 1, epsilon=1).verdict is not Verdict.NOT_REFUTED


@pytest.mark.more
def test_an_audit_does_not_take_contents_of_compiled_code_for_equal():
    audited = panproof.audit(dated, 0, 1, epsilon=1, runs=300, seed=1, jobs=1)
    assert audited.verdict is not Verdict.NOT_REFUTED
