"""Losses that the exact check computes, beside values of scipy and of sums over a lattice."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

import panproof
from panproof import Verdict

E = math.e


def released(counts, noise, threshold):
    """The keys whose noisy count reaches a threshold, with it."""
    noisy = {key: count + noise() for key, count in sorted(counts.items())}
    return {key: count for key, count in noisy.items() if count >= threshold}


def gaussian_threshold(counts, rng):
    return released(counts, rng.normal, 4)


def gaussian_threshold_of_keys(counts, rng):
    return sorted(released(counts, rng.normal, 4))


def geometric_threshold(counts, rng):
    return released(counts, lambda: int(rng.geometric(0.5)) - int(rng.geometric(0.5)), 5)


def delta_above(one, other, threshold=4.0):
    """The delta of epsilon 1 of a normal number that is seen from a threshold on."""

    def density(x):
        return max(0.0, norm.pdf(x - one) - E * norm.pdf(x - other))

    seen = quad(density, threshold, threshold + 40, points=[threshold + x / 4 for x in range(1, 40)], limit=400)[0]
    return seen + max(0.0, norm.cdf(threshold - one) - E * norm.cdf(threshold - other))


def delta_of_keys(one, other, threshold=4.0):
    """The delta if only the key is seen."""
    return sum(max(0.0, side(threshold - one) - E * side(threshold - other)) for side in (norm.sf, norm.cdf))


def delta_of_geometric(one, other, threshold=5):
    """The delta of epsilon 1 of a count with a difference of geometric variables, from a threshold on."""

    def chances(count):
        found = {}
        for step in range(-200, 201):
            value = count + step
            place = value if value >= threshold else None
            found[place] = found.get(place, 0.0) + 0.5 ** abs(step) / 3
        return found

    above, below = chances(one), chances(other)
    return sum(max(0.0, chance - E * below.get(place, 0.0)) for place, chance in above.items())


@pytest.mark.parametrize(
    ("mechanism", "left", "right", "delta"),
    [
        (gaussian_threshold, {"a": 3}, {"a": 3, "b": 1}, norm.sf(3)),
        (gaussian_threshold, {"a": 3}, {"a": 4}, max(delta_above(3, 4), delta_above(4, 3))),
        (gaussian_threshold_of_keys, {"a": 3}, {"a": 4}, max(delta_of_keys(3, 4), delta_of_keys(4, 3))),
        (geometric_threshold, {"a": 3}, {"a": 3, "b": 1}, 1 / 24),
        (geometric_threshold, {"a": 3}, {"a": 5}, max(delta_of_geometric(3, 5), delta_of_geometric(5, 3))),
    ],
)
def test_the_delta_of_keys_that_are_released_above_a_threshold(mechanism, left, right, delta):
    result = panproof.check(mechanism, left, right, epsilon=1, delta=1e-6)
    assert result.verdict is Verdict.REFUTED
    assert result.to_dict()["witness"]["delta"] == pytest.approx(delta, rel=1e-9)
    assert panproof.check(mechanism, left, right, epsilon=1, delta=delta * 1.001).verdict is Verdict.NOT_REFUTED


def folded(value, rng):
    return abs(value + rng.normal())


def test_the_absolute_value_of_gaussian_noise_is_a_mixture_on_a_half_line():
    def density(x, place):
        return norm.pdf(x - place) + norm.pdf(x + place)

    def delta(one, other):
        points = [x / 8 for x in range(1, 80)]
        return quad(lambda x: max(0.0, density(x, one) - E * density(x, other)), 0, 40, points=points, limit=400)[0]

    found = panproof.check(folded, 0, 3, epsilon=1, delta=1e-6)
    assert found.to_dict()["witness"]["delta"] == pytest.approx(max(delta(0, 3), delta(3, 0)), rel=1e-6)


def sum_of_three(value, rng):
    return value + rng.laplace() + rng.laplace() + rng.laplace() > 0.5


def tail_of_three(x):
    """The probability that the sum of three Laplace variables exceeds a number, by its characteristic function."""
    inverse = quad(lambda t: math.sin(t * x) / t / (1 + t * t) ** 3, 0, np.inf, limit=400)[0]
    return 0.5 - inverse / math.pi


def test_a_comparison_of_a_sum_of_three_noise_variables():
    result = panproof.check(sum_of_three, 0, 1, epsilon=1)
    above, below = tail_of_three(-0.5), tail_of_three(0.5)
    assert result.loss == pytest.approx(math.log(max(above / below, (1 - below) / (1 - above))), rel=1e-9)


@settings(max_examples=8)
@given(st.lists(st.sampled_from([-2, -1, 1, 2]), min_size=2, max_size=4), st.integers(-2, 2))
def test_a_comparison_of_a_sum_of_normal_variables_is_one_of_their_sum(weights, threshold):
    def weighted(value, rng):
        return value + sum(weight * rng.normal() for weight in weights) > threshold

    deviation = math.sqrt(sum(weight**2 for weight in weights))
    chances = [norm.sf((threshold - value) / deviation) for value in (0, 1)]
    loss = max(abs(math.log(chances[0] / chances[1])), abs(math.log((1 - chances[0]) / (1 - chances[1]))))
    assert panproof.check(weighted, 0, 1, epsilon=9).loss == pytest.approx(loss, rel=1e-9)


def exponential_of_noise(value, rng):
    return math.exp(value + rng.laplace())


def root_of_clipped(value, rng):
    return np.sqrt(np.maximum(value + rng.laplace(), 0.0))


def fails_below_zero(value, rng):
    return math.log(value + rng.laplace())


def two_functions(value, rng):
    return np.tanh(value + rng.laplace(scale=2.0, size=2))


def seen_twice(value, rng):
    noisy = value + rng.laplace()
    return noisy, math.exp(noisy)


def sign_of_noise(value, rng):
    return np.sign(value + rng.laplace())


def compared_root(value, rng):
    return math.sqrt(abs(value + rng.laplace())) > 2


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    [
        (exponential_of_noise, 1),
        (root_of_clipped, 1),
        (fails_below_zero, 1),
        (two_functions, 1),
        (seen_twice, 1),
        (sign_of_noise, 1),
        (compared_root, math.log((E + 1 / E) / 2)),
    ],
)
def test_increasing_functions_of_noise(mechanism, loss):
    assert panproof.check(mechanism, 0, 1, epsilon=1).loss == pytest.approx(loss, rel=1e-12)


def one_function_or_another(value, rng):
    noisy = value + rng.laplace()
    return math.exp(noisy) if value else noisy


def computes_on(value, rng):
    return 1 / (1 + math.exp(-(value + rng.laplace())))


def overflows(value, rng):
    return math.exp(1000 * value + rng.laplace())


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (one_function_or_another, "different functions of noise"),
        (computes_on, "computes with exp"),
        (overflows, "doubles overflow"),
    ],
)
def test_other_uses_of_functions_are_named(mechanism, words):
    result = panproof.check(mechanism, 0, 1, epsilon=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert words in result.report.reason


def truncated(value, rng):
    noisy = value + rng.laplace()
    while noisy > 1:
        noisy = value + rng.laplace()
    return noisy


def between(value, rng):
    noisy = value + rng.laplace()
    while not 0 <= noisy <= 1:
        noisy = value + rng.laplace()
    return noisy


def leaks_late(value, rng):
    steps = 0
    while rng.random() < 0.5:
        steps += 1
    return (steps, value) if steps > 20 else steps


def test_a_loop_that_draws_until_the_noise_suits_is_followed_up_to_a_stated_rest():
    loss = 1 + math.log((1 - math.exp(-1) / 2) / 0.5)
    kept = panproof.check(truncated, 0, 1, epsilon=2)
    assert kept.verdict is Verdict.NOT_REFUTED
    assert kept.loss == pytest.approx(loss, abs=1e-6)
    assert "their probability is" in kept.report.reason
    open_ = panproof.check(truncated, 0, 1, epsilon=loss - 0.1)
    assert open_.verdict is Verdict.INCONCLUSIVE
    assert "longer runs" in open_.report.reason
    assert "in several ways" in panproof.check(between, 0, 1, epsilon=1).report.reason
    assert panproof.check(leaks_late, 0, 1, epsilon=1).verdict is Verdict.REFUTED


def leaks_at_the_end_of_many_queries(value, rng):
    for query in range(26):
        if rng.laplace() > -1:
            return query
    return "none", value


def test_a_path_with_an_end_is_followed_to_it_however_unlikely():
    assert panproof.check(leaks_at_the_end_of_many_queries, 0, 1, epsilon=1).loss == math.inf
