"""Choices by scores: the law of each source, and the exact probabilities of the check."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from pan_audits.choices.enumerating import outcomes
from pan_audits.regions.exponential import Exponential
from pan_estimators.randomness import NumpyRandomness, SecureRandomness
from pan_estimators.randomness.exact_places import scored_places
from pan_promises.exact_epsilon import LogFraction

SCORES = [Fraction(1, 2), 0, 1.5]


def law(scores, epsilon, sensitivity):
    weights = np.exp(np.array([float(score) for score in scores]) * epsilon / (2 * float(sensitivity)))
    return weights / weights.sum()


def followed(call):
    return {int(place): probability for probability, place, _ in outcomes(call)}


@pytest.mark.parametrize("source", [NumpyRandomness(5), SecureRandomness()], ids=["seeded", "secure"])
def test_each_source_has_the_law_of_the_exponential_mechanism(source):
    # A correct source fails with probability below 1e-8: each count is within 6 standard deviations.
    runs = 20_000
    counts = np.bincount(source.exponential_mechanism(SCORES, 2.0, 1, size=runs), minlength=3)
    expected = runs * law(SCORES, 2.0, 1)
    assert (np.abs(counts - expected) < 6 * np.sqrt(expected)).all()


def test_the_exact_sampler_proposes_places_and_keeps_each_with_its_probability():
    # Proposals 1, 0: the first is refused by a bit that is true with probability exp(-1), the second has no gap.
    draws = iter([1, 0, 1, 0, 0])
    kept = scored_places([Fraction(0), Fraction(1)], 1, below=lambda bound: next(draws))
    assert kept.tolist() in ([0], [1])


def test_fractions_give_fractions_of_sums_of_exponentials():
    found = followed(lambda randomness: randomness.exponential_mechanism(SCORES, 1.0, 1))
    assert sum(found.values(), fmpq(0)) == 1
    assert all(isinstance(one, Exponential) for one in found.values())
    assert found[2] / found[1] == Exponential.power(fmpq(3, 4))


def test_logarithms_give_balls_that_hold_the_probability():
    scores, sensitivity = [LogFraction(4, Fraction(1, 3)), Fraction(0), LogFraction(3)], LogFraction(Fraction(27, 4))
    found = followed(lambda randomness: randomness.exponential_mechanism(scores, 1.0, sensitivity))
    assert all(isinstance(one, arb) for one in found.values())
    assert [float(found[place]) for place in range(3)] == pytest.approx(law(scores, 1.0, sensitivity), rel=1e-14)


def test_a_score_of_the_logarithm_of_the_sensitivity_counts_as_a_fraction_of_it():
    found = followed(lambda r: r.exponential_mechanism([LogFraction(2), Fraction(0)], 1.0, LogFraction(4)))
    assert found[0] / found[1] == Exponential.power(fmpq(1, 4))


def test_categorical_takes_logarithms_of_weights():
    found = followed(lambda randomness: randomness.categorical([0, 1]))
    assert found[1] / found[0] == Exponential.power(fmpq(1))


@pytest.mark.parametrize(
    ("scores", "epsilon", "sensitivity", "sentence"),
    [
        ([], 1, 1, "nothing to choose from"),
        ([math.nan], 1, 1, "takes finite numbers"),
        ([1], 0, 1, "needs a positive epsilon"),
        ([1], 1, -1, "needs a sensitivity of at least 0"),
        ([1, 2], 1, 0, "a sensitivity of 0, but the scores differ"),
    ],
)
def test_arguments_out_of_range_are_refused(scores, epsilon, sensitivity, sentence):
    with pytest.raises(ValueError, match=sentence):
        NumpyRandomness(0).exponential_mechanism(scores, epsilon, sensitivity)


def test_equal_scores_need_no_sensitivity():
    assert followed(lambda randomness: randomness.exponential_mechanism([1, 1], 1.0, 0)) == {
        0: fmpq(1, 2),
        1: fmpq(1, 2),
    }
