"""Functions whose runs can be made side by side, and functions whose runs must stay single."""

from __future__ import annotations

import math

import numpy as np

pairs = [([1, 0, 2], [1, 1, 2])]
SCALE = 2.0


def noisy_sum(data, rng):
    return sum(data) + rng.laplace(scale=SCALE)


def lambda_of(scale):
    return lambda data, rng: sum(data) + rng.laplace(scale=scale)


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


def response(data, rng):
    return np.where(rng.random() < 0.75, data[1], 1 - data[1])


def responses(data, rng):
    return [bit ^ (rng.random() < 0.25) for bit in data]


def chosen(data, rng):
    return rng.choice([3, 5, 7], p=[0.5, 0.25, 0.25]) + rng.integers(0, 4) + data[1]


def squared(data, rng):
    return (data[1] + rng.geometric(0.5)) ** 2 % 7 - abs(rng.exponential()) // 0.3


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


def asks_for_the_type(data, rng):
    noise = rng.laplace()
    if isinstance(noise, float) and noise > 8:
        return sum(data)
    return sum(data) + noise


def shows_it_as_text(data, rng):
    return f"{sum(data) + rng.laplace():.1f}"


def uses_another_source(data, rng):
    return sum(data) + np.random.default_rng().laplace() + rng.laplace()


def adds_bits(data, rng):
    # Of two bits numpy makes a bit, and Python a number.
    return (rng.random() < 0.5) + (rng.random() < 0.5) + data[1]


def overflows(data, rng):
    return data[1] + (2 * rng.integers(1, 1000)) ** 9


def sums_integers_of_a_vector(data, rng):
    return rng.integers(0, 2, size=3).sum() + data[1]


def mixes_bits_and_numbers(data, rng):
    return [rng.random() < 0.5, data[1] + rng.laplace()]


MADE = (
    *("noisy_sum", "sum_and_count", "vector", "noise_at_locations", "noisy_max", "response", "responses", "chosen"),
    "squared",
)
SINGLE = (
    *("branches", "clips_by_comparison", "catches_the_error", "converts", "asks_for_the_type", "shows_it_as_text"),
    *("uses_another_source", "adds_bits", "overflows", "sums_integers_of_a_vector", "mixes_bits_and_numbers"),
)
