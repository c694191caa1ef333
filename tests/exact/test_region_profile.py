"""The delta of noise that is compared, against sums and integrals in doubles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import panproof
from pan_audits import Verdict
from pan_audits.choices.numbers import as_float
from pan_audits.exact.observation import History
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.stepping import Stepper

INTEGERS = np.arange(-400, 401)


class Mechanism:
    """A mechanism on two inputs, in this process."""

    def __init__(self, one):
        self.one = one

    def create(self, randomness):
        return ""

    def update(self, state, ids, randomness):
        return state

    def release(self, state, randomness):
        return self.one(0 if state == "left" else 1, randomness)


def delta(mechanism, epsilon):
    """Both directions."""
    stepper = Stepper(Mechanism(mechanism), ("left", "right"))
    laws = []
    for label in ("left", "right"):
        law = {}
        for probability, seen in stepper.outputs_on(label):
            outcome = History().then(seen).outcome
            law.setdefault(outcome.key, []).append((probability, outcome.path))
        laws.append(law)
    return tuple(as_float(PrivacyProfile(one, other).delta(epsilon)) for one, other in (laws, laws[::-1]))


def geometric(centre, scale):
    ratio = math.exp(-1 / scale)
    return (1 - ratio) / (1 + ratio) * ratio ** np.abs(INTEGERS - centre)


def positive(left, right, epsilon):
    return float(np.maximum(left - math.exp(epsilon) * right, 0).sum())


def thresholded(centre, scale, least):
    """The law of a noisy count from a threshold on, with the rest as one value."""
    law = geometric(centre, scale)
    kept = np.where(least <= INTEGERS, law, 0.0)
    return np.append(kept, law[least > INTEGERS].sum())


@settings(max_examples=25, deadline=None)
@given(
    counts=st.lists(st.integers(0, 6), min_size=2, max_size=2),
    least=st.integers(-3, 8),
    scales=st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=2, max_size=2),
    epsilon=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
)
def test_a_noisy_count_from_a_threshold_on(counts, least, scales, epsilon):
    def release(place, rng):
        noisy = counts[place] + rng.discrete_laplace(scales[place])
        return noisy if noisy >= least else "few"

    left, right = (thresholded(*each, least) for each in zip(counts, scales, strict=True))
    found = delta(release, epsilon)
    assert found == pytest.approx((positive(left, right, epsilon), positive(right, left, epsilon)), abs=1e-12)


@settings(max_examples=10, deadline=None)
@given(
    counts=st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2), min_size=2, max_size=2),
    least=st.integers(0, 5),
    epsilon=st.sampled_from([0.5, 1.0, 2.0]),
)
def test_several_keys_are_a_product(counts, least, epsilon):
    def release(place, rng):
        noisy = [count + rng.discrete_laplace(1.0) for count in counts[place]]
        return {key: one for key, one in enumerate(noisy) if one >= least}

    laws = [np.multiply.outer(*(thresholded(count, 1.0, least) for count in side)) for side in counts]
    found = delta(release, epsilon)
    assert found == pytest.approx((positive(*laws, epsilon), positive(*laws[::-1], epsilon)), abs=1e-12)


@settings(max_examples=8, deadline=None)
@given(
    places=st.lists(st.integers(0, 4), min_size=2, max_size=2),
    chance=st.sampled_from([0.25, 0.5]),
    least=st.integers(-1, 4),
    epsilon=st.sampled_from([0.5, 1.0]),
)
def test_noise_with_a_density_beside_a_choice(places, chance, least, epsilon):
    def release(place, rng):
        centre = places[place] if rng.bernoulli(chance) else 0
        noisy = centre + rng.laplace(scale=1.0)
        return noisy if noisy > least else None

    def density(place, at):
        return sum(
            weight * math.exp(-abs(at - centre)) / 2 for weight, centre in ((chance, places[place]), (1 - chance, 0))
        )

    def below(place):
        return quad(lambda at: density(place, at), -40, least, points=[0, places[place]], limit=200)[0]

    def expected(one, other):
        gain = quad(
            lambda at: max(density(one, at) - math.exp(epsilon) * density(other, at), 0.0),
            least, 40, points=[0, *places], limit=500,
        )[0]  # fmt: skip
        return gain + max(below(one) - math.exp(epsilon) * below(other), 0.0)

    assert delta(release, epsilon) == pytest.approx((expected(0, 1), expected(1, 0)), abs=1e-6)


def keeps_from(least):
    def release(data, rng):
        counts = {key: data.count(key) + rng.discrete_laplace(1.0) for key in sorted(set(data))}
        return {key: noisy for key, noisy in counts.items() if noisy >= least}

    return release


def test_the_delta_of_a_threshold_decides():
    ratio = math.exp(-1)
    claimed = ratio**5 / (1 + ratio)
    refuted = panproof.check(keeps_from(5), ["a"], [], epsilon=1, delta=claimed)
    assert refuted.verdict is Verdict.REFUTED
    assert as_float(refuted.report.minimal.delta) == pytest.approx(ratio**4 / (1 + ratio))
    assert panproof.check(keeps_from(6), ["a"], [], epsilon=1, delta=claimed).verdict is Verdict.NOT_REFUTED


def test_two_keys_of_one_user_need_two_deltas():
    ratio = math.exp(-1)
    one = ratio**5 / (1 + ratio)
    both = 1 - (1 - one) ** 2
    kept = panproof.check(keeps_from(6), ["a", "b"], [], epsilon=1, delta=both)
    assert kept.verdict is Verdict.NOT_REFUTED, kept.report.reason
    assert panproof.check(keeps_from(6), ["a", "b"], [], epsilon=1, delta=one).verdict is Verdict.REFUTED


def two_numbers(data, rng):
    return [data[0] + rng.laplace(scale=1.0), data[1] + rng.laplace(scale=2.0)]


def test_a_number_with_the_same_law_on_both_sides_shows_nothing():
    # One location of Laplace noise that moves by two scales: 1 - exp(-(2 - 1)/2) at epsilon 1.
    found = panproof.check(two_numbers, [0, 5], [2, 5], epsilon=1, delta=0.4)
    assert found.verdict is Verdict.NOT_REFUTED
    assert as_float(found.report.witness.delta) == pytest.approx(1 - math.exp(-0.5))
