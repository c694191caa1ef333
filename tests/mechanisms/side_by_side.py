"""Functions whose runs can be made side by side, and functions whose runs must stay single."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

pairs = [([1, 0, 2], [1, 1, 2])]
SCALE = 2.0
SEEN: list[float] = []
CALLS = 0


def noisy_sum(data, rng):
    return sum(data) + rng.laplace(scale=SCALE)


def lambda_of(scale):
    return lambda data, rng: sum(data) + rng.laplace(scale=scale)


noisy_sum_of_a_closure = lambda_of(3.0)


def _noise(rng, scale):
    return rng.laplace(0.0, scale)


def sum_and_count(data, rng):
    return [sum(data) + _noise(rng, 1.0), len(data) - _noise(rng, scale=math.sqrt(2))]


def vector(data, rng):
    return np.array(data) + rng.laplace(size=len(data))


def noise_at_locations(data, rng):
    return rng.laplace(np.array(data, dtype=float), 2.0)


def noisy_max(data, rng):
    return np.argmax(np.array(data) + rng.gumbel(size=len(data)))


def mean_of_noisy(data, rng):
    return (np.array(data) + rng.normal(size=len(data))).mean()


def elements_of_a_vector(data, rng):
    return [each * 2 for each in np.array(data) + rng.laplace(size=len(data))]


def response(data, rng):
    return np.where(rng.random() < 0.75, data[1], 1 - data[1])


def responses(data, rng):
    return [bit ^ (rng.random() < 0.25) for bit in data]


def number_of_responses(data, rng):
    return sum(rng.random() < 0.25 + bit / 4 for bit in data)


def chosen(data, rng):
    return rng.choice([3, 5, 7], p=[0.5, 0.25, 0.25]) + rng.integers(0, 4) + data[1]


def squared(data, rng):
    return (data[1] + rng.geometric(0.5)) ** 2 % 7 - abs(rng.exponential()) // 0.3


MADE = (
    *("noisy_sum", "noisy_sum_of_a_closure", "sum_and_count", "vector", "noise_at_locations", "noisy_max"),
    *("mean_of_noisy", "elements_of_a_vector", "response", "responses", "number_of_responses", "chosen", "squared"),
)


def counts_its_calls(data, rng):
    global CALLS
    CALLS += 1
    return sum(data) + rng.laplace()


def remembers_in_a_list(data, rng):
    SEEN.append(1.0)
    return sum(data) + rng.laplace()


def remembers_in_a_default(data, rng, kept=[]):  # noqa: B006 - that is what it shows
    kept.append(len(kept))
    return sum(data) + rng.laplace()


def counter():
    calls = 0

    def counting(data, rng):
        nonlocal calls
        calls += 1
        return sum(data) + rng.laplace()

    return counting


remembers_in_a_closure = counter()


def remembers_in_an_attribute(data, rng):
    remembers_in_an_attribute.calls = getattr(remembers_in_an_attribute, "calls", 0) + 1
    return sum(data) + rng.laplace()


@lru_cache
def _kept(number):
    return number


def remembers_in_a_cache(data, rng):
    return _kept(sum(data)) + rng.laplace()


def branches(data, rng):
    noisy = sum(data) + rng.laplace()
    return noisy if noisy < 8 else sum(data)


def clips_by_comparison(data, rng):
    return max(0, sum(data) + rng.laplace())


def catches_the_error(data, rng):
    noisy = sum(data) + rng.laplace()
    try:
        return noisy if noisy < 8 else sum(data)
    except Exception:
        return noisy


def converts(data, rng):
    return float(sum(data) + rng.laplace())


def rounds(data, rng):
    return round(sum(data) + rng.laplace())


def floors(data, rng):
    return math.floor(sum(data) + rng.laplace())


def asks_for_the_type(data, rng):
    noise = rng.laplace()
    if isinstance(noise, float) and noise > 8:
        return sum(data)
    return sum(data) + noise


def asks_for_the_class(data, rng):
    noise = rng.laplace()
    return sum(data) + noise * (noise.__class__ is float)


def asks_whether_it_is_the_same(data, rng):
    return ((rng.laplace() < 8) is True) * 1.0


def asks_for_an_attribute(data, rng):
    return sum(data) + getattr(rng.laplace(), "values", 0.0)


def shows_it_as_text(data, rng):
    return f"{sum(data) + rng.laplace():.1f}"


def uses_another_source(data, rng):
    return sum(data) + np.random.default_rng(1).laplace() + rng.laplace()


def adds_bits(data, rng):
    # Of two bits numpy makes a bit, and Python a number.
    return (rng.random() < 0.5) + (rng.random() < 0.5) + data[1]


def overflows(data, rng):
    return data[1] + (2 * rng.integers(1, 1000)) ** 9


def divides_by_zero(data, rng):
    return data[1] + 1 / rng.integers(0, 10)


def sums_integers_of_a_vector(data, rng):
    return rng.integers(0, 2, size=3).sum() + data[1]


def loops_until_it_is_small(data, rng):
    noise = rng.laplace()
    while abs(noise) > 3:
        noise = rng.laplace()
    return sum(data) + noise


def makes_an_array(data, rng):
    return np.array([each + rng.laplace() for each in data])


def sorts(data, rng):
    return sorted(each + rng.laplace() for each in data)


def returns_no_noise(data, rng):
    rng.laplace()
    return 0


def returns_a_dictionary(data, rng):
    return {"sum": sum(data) + rng.laplace()}


def mixes_bits_and_numbers(data, rng):
    return [rng.random() < 0.5, data[1] + rng.laplace()]


class Kept:
    def __init__(self):
        self.calls = 0

    def release(self, data, rng):
        self.calls += 1
        return sum(data) + rng.laplace()


remembers_in_an_object = Kept().release

SINGLE = (
    *("counts_its_calls", "remembers_in_a_list", "remembers_in_a_default", "remembers_in_a_closure"),
    *("remembers_in_an_attribute", "remembers_in_a_cache", "remembers_in_an_object", "branches"),
    *("clips_by_comparison", "catches_the_error", "converts", "rounds", "floors", "asks_for_the_type"),
    *("asks_for_the_class", "asks_whether_it_is_the_same", "asks_for_an_attribute", "shows_it_as_text"),
    *("uses_another_source", "adds_bits", "overflows", "divides_by_zero", "sums_integers_of_a_vector"),
    *("loops_until_it_is_small", "makes_an_array", "sorts", "returns_no_noise", "returns_a_dictionary"),
    "mixes_bits_and_numbers",
)
