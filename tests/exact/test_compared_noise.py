"""Comparisons of noise in functions: exact losses against integrals, sums, closed forms and published values.

The functions run in this process, so that the tests are quick; the last tests run them as a user does.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy.integrate import cumulative_simpson, simpson

import panproof
from pan_audits.choices.enumerating import EnumeratingRandomness
from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.exact.scope import Update
from pan_audits.exact.search import Found, search_family
from pan_audits.exact.stepping import Stepper
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.estimator import answer_to_draw
from pan_audits.subject.isolation.messages import Draw, Drawn
from pan_audits.subject.isolation.noise import NoiseTable
from pan_audits.subject.isolation.whole_input import labelled, whole_input_estimator
from pan_estimators import NumpyRandomness
from panproof import Adjacency, Verdict
from tests.mechanisms.noise_that_decides import (
    numerical_sparse_vector,
    report_noisy_max,
    sparse_vector_1,
    sparse_vector_2,
    sparse_vector_3,
    sparse_vector_4,
    sparse_vector_5,
    sparse_vector_6,
)


def loss_of(mechanism, left, right):
    inputs, problem = labelled([(left, right)])
    stepper = Stepper(whole_input_estimator(mechanism, problem, inputs, None, {}), problem.labels)
    found = Found()
    search_family(
        stepper,
        [(Update(0), SegmentEnd.RELEASE), (Update(1), SegmentEnd.RELEASE)],
        0,
        Adjacency.USER_LEVEL,
        found,
    )
    assert not found.bounded_only
    return found.worst.loss


def probabilities(mechanism, data):
    """The probability of each output without noise, as doubles."""
    inputs, problem = labelled([(data, None)])
    stepper = Stepper(whole_input_estimator(mechanism, problem, inputs, None, {}), problem.labels)
    distribution = stepper.distribution((Update(0), SegmentEnd.RELEASE))
    return {str(stepper.shown[key[0]]): float(sum(w for w, _ in paths)) for key, paths in distribution.items()}


ALL_UP = ([0, 0, 0, 0], [1, 1, 1, 1])
UP_AND_DOWN = ([0, 0, 0, 0], [1, 1, -1, -1])


Z = np.linspace(-128, 128, 2**16 + 1)  # with all integers, where the densities have their kinks


def density(places, scale):
    return np.exp(-abs(places) / scale) / (2 * scale)


def below(places, scale):
    tail = np.exp(-abs(places) / scale) / 2
    return np.where(places < 0, tail, 1 - tail)


def integral_of(outputs, data, threshold_scale, query_scale):
    """The probability of outputs above (1) and below (0) a noisy threshold 0."""

    sides = [below(value - Z if above else Z - value, query_scale) for above, value in zip(outputs, data, strict=False)]
    return simpson(density(Z, threshold_scale) * math.prod(sides), x=Z)


@pytest.mark.parametrize(
    ("mechanism", "scales", "cut"),
    [(sparse_vector_1, (2, 4), 1), (sparse_vector_4, (4, 4 / 3), 1), (sparse_vector_6, (2, 2), 5)],
)
@pytest.mark.parametrize(("left", "right"), [ALL_UP, UP_AND_DOWN])
def test_sparse_vector_loses_what_an_integral_says(mechanism, scales, cut, left, right):
    ratios = []
    patterns = {tuple(int(c == "1") for c in f"{n:04b}") for n in range(16)}
    if cut == 1:
        patterns = {(0,) * k + (1,) for k in range(4)} | {(0, 0, 0, 0)}
    for pattern in patterns:
        one, other = (integral_of(pattern, data, *scales) for data in (left, right))
        ratios += [one / other, other / one]
    assert loss_of(mechanism, left, right).nats == pytest.approx(math.log(max(ratios)), abs=1e-6)


def test_the_mechanisms_of_sparse_vector_keep_or_break_their_promise_as_published():
    """Lyu, Su and Li 2017: 1 and 2 are 1-private, 4 is (1 + 6c)/4-private, and 3, 5 and 6 have no bound."""
    for mechanism in (sparse_vector_1, sparse_vector_2):
        assert 0.3 < max(loss_of(mechanism, *pair).nats for pair in (ALL_UP, UP_AND_DOWN)) <= 1
    assert 1 < loss_of(sparse_vector_4, [0, 0, 0, 0], [1, 1, 1, -1]).nats <= (1 + 6) / 4
    # Lyu et al. 2017, section 3.3: two queries with answers between which the threshold lies.
    assert loss_of(sparse_vector_5, [0, 1], [1, 0]).unbounded
    few, many = (loss_of(sparse_vector_6, [0] * n, [1] * (n // 2) + [-1] * (n // 2)).nats for n in (2, 4))
    assert many > few + 0.2


def test_a_released_value_after_its_comparison_grows_with_the_queries_before():
    """Mechanism 3: the threshold is known to lie below the released value. The worst output tends to minus infinity."""
    losses = [loss_of(sparse_vector_3, [0] * n + [1], [1] * n + [0]) for n in (2, 3)]

    def height(data):
        first = density(Z, 2) * math.prod(below(Z - value, 2) for value in data[:-1])
        return density(Z - data[-1], 2) * cumulative_simpson(first, x=Z, initial=0)

    for found, n in zip(losses, (2, 3), strict=True):
        inner = slice(len(Z) // 4, -len(Z) // 4)
        one, other = (height(data)[inner] for data in ([0] * n + [1], [1] * n + [0]))
        assert np.exp(found.nats) == pytest.approx(max(np.max(one / other), np.max(other / one)), rel=1e-6)
    assert losses[1].nats > losses[0].nats + 0.1


def test_numerical_sparse_vector_releases_fresh_noise():
    assert loss_of(numerical_sparse_vector, [0, 0], [1, 1]).nats <= 1


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_report_noisy_max_loses_what_an_integral_says(scale):
    left, right = [0, 0, 0, 0], [1, 0, 0, 0]

    def chance(data, winner):
        others = [below(Z - value, scale) for place, value in enumerate(data) if place != winner]
        return simpson(density(Z - data[winner], scale) * math.prod(others), x=Z)

    ratios = [chance(one, i) / chance(other, i) for one, other in ((left, right), (right, left)) for i in range(4)]
    found = loss_of(partial(report_noisy_max, scale=scale), left, right)
    assert found.nats == pytest.approx(math.log(max(ratios)), abs=1e-8)
    assert found.closed_form.startswith("log(")


@pytest.mark.parametrize(
    "winner",
    [
        lambda noisy: max(range(len(noisy)), key=lambda place: noisy[place]),
        lambda noisy: noisy.index(max(noisy)),
        lambda noisy: int(np.argsort(np.array(noisy))[-1]),
        lambda noisy: sorted((value, place) for place, value in enumerate(noisy))[-1][1],
        lambda noisy: [all(one >= other for other in noisy) for one in noisy].index(True),
        lambda noisy: int(np.flatnonzero(np.array(noisy) == np.max(np.array(noisy)))[0]),
    ],
)
def test_every_way_to_find_the_largest_has_the_same_loss(winner):
    def found(data, rng):
        return winner([value + rng.laplace(scale=2.0) for value in data])

    assert loss_of(found, [0, 0, 1], [1, 1, 0]).ratio == loss_of(report_noisy_max, [0, 0, 1], [1, 1, 0]).ratio


def test_a_loop_with_the_best_so_far_begins_at_minus_infinity():
    def found(data, rng):
        best, place = -math.inf, None
        for number, value in enumerate(data):
            noisy = value + rng.exponential(2.0)
            if noisy > best:
                best, place = noisy, number
        return place

    # Exponential noise: the winner of two has the probability 1 - e^(-1/2)/2 for a lead of 1.
    assert loss_of(found, [0, 0], [1, 0]).nats == pytest.approx(-math.log(math.exp(-0.5)), abs=1e-12)


def test_the_largest_noisy_value_is_followed():
    def largest(data, rng):
        return max(value + rng.laplace(scale=2.0) for value in data)

    assert loss_of(largest, [0, 0, 0], [1, 0, 0]).closed_form == "1/2"
    # Far below all values the density is the product of all tails.
    assert loss_of(largest, [0, 0, 0], [1, 1, 1]).closed_form == "3/2"

    def both(data, rng):
        noisy = [value + rng.laplace(scale=2.0) for value in data]
        return int(np.argmax(noisy)), max(noisy)

    assert loss_of(both, [0, 0, 0], [1, 0, 0]).closed_form == "1/2"


def truncated(data, rng, ratio=0.5):
    return min(max(data + rng.two_sided_geometric(ratio, ratio, 1)[0], 0), 4)


def test_a_truncated_geometric_is_the_table_of_its_values():
    table = probabilities(truncated, 1)
    assert table == pytest.approx({"0": 1 / 3, "1": 1 / 3, "2": 1 / 6, "3": 1 / 12, "4": 1 / 12})
    assert loss_of(truncated, 0, 3).closed_form == "log(8)"


@pytest.mark.parametrize(
    "clipped",
    [
        lambda value: np.clip(value, 0, 4),
        lambda value: 0 if value < 0 else 4 if value > 4 else value,
        lambda value: np.minimum(np.maximum(value, 0), 4),
        lambda value: np.clip(np.array([value]), 0, 4)[0],
        lambda value: 2 + max(-2, min(2, value - 2)),
    ],
)
def test_clipped_noise_in_any_form_has_the_loss_of_the_noise(clipped):
    assert loss_of(lambda data, rng: clipped(data + rng.discrete_laplace(2.0, 1)[0]), 1, 2).closed_form == "1/2"
    assert loss_of(lambda data, rng: clipped(data + rng.laplace(scale=3.0)), 1, 2).closed_form == "1/3"


def test_discrete_values_agree_with_another_library():
    """The loss of discrete Laplace noise at sensitivity 2, and that of its sign."""
    found = loss_of(lambda data, rng: abs(data + rng.discrete_laplace(2.0, 1)[0]) <= 50, 0, 2)
    assert 0 < found.nats < 1
    library = privacy_loss_distribution.from_discrete_laplace_mechanism(0.5, sensitivity=2)
    shut = loss_of(lambda data, rng: min(max(data + rng.discrete_laplace(2.0, 1)[0], -30), 30), 0, 2)
    assert library.get_epsilon_for_delta(0.0) == pytest.approx(shut.nats, abs=1e-3)


def test_equality_of_integer_noise_has_a_probability_and_of_other_noise_none():
    def equal(data, rng):
        return bool(data + rng.geometric(0.5) == 3)

    assert probabilities(equal, 0) == pytest.approx({"True": 1 / 8, "False": 7 / 8})
    assert probabilities(equal, 1) == pytest.approx({"True": 1 / 4, "False": 3 / 4})
    assert probabilities(lambda data, rng: bool(data + rng.laplace() == 3), 1) == {"False": 1.0}
    assert probabilities(lambda data, rng: rng.geometric(0.5) == rng.geometric(0.5), 0)["True"] == pytest.approx(1 / 3)


def test_a_noisy_histogram_with_a_threshold_adds_no_loss():
    def histogram(data, rng):
        noisy = np.array(data) + rng.laplace(scale=2.0, size=len(data))
        return [value if value > 1 else 0 for value in noisy]

    assert loss_of(histogram, [0, 1, 2, 3, 0], [1, 1, 2, 3, 0]).closed_form == "1/2"
    assert loss_of(histogram, [0, 1, 2, 3, 0], [1, 2, 2, 3, 0]).closed_form == "1"


def test_one_sided_noise_gives_away_what_lies_below():
    assert loss_of(lambda data, rng: data + rng.exponential(), 0, 1).unbounded
    assert loss_of(lambda data, rng: max(data + rng.exponential(), 2), 0, 1).closed_form == "1"


@pytest.mark.parametrize(
    ("mechanism", "error", "words"),
    [
        (lambda data, rng: (data + rng.laplace()) ** 2, UnfollowableError, "takes a function of it"),
        (lambda data, rng: math.log(data + rng.laplace()), UnfollowableError, "converts a noisy number"),
        (lambda data, rng: {data + rng.laplace(): 1}, UnfollowableError, "converts a noisy number"),
        (lambda data, rng: np.sign(data + rng.laplace()), UnfollowableError, "numpy.sign"),
        (lambda data, rng: rng.laplace() + rng.laplace() + rng.laplace() > data, UnfollowableError, "more than two"),
        (lambda data, rng: rng.laplace() > rng.geometric(0.5) + data, UnfollowableError, "integer noise and noise"),
        (lambda data, rng: [(n := rng.laplace()) > data, n, n > rng.laplace()][1:2], None, ""),
        (lambda data, rng: sorted([data + rng.laplace(), rng.laplace()]), UnfollowableError, "same comparisons"),
        (lambda data, rng: (x := rng.laplace()) + data * 1e-17 > x, UnfollowableError, "rounding of doubles"),
        (lambda data, rng: (x := rng.laplace()) + 0.1 + 0.2 + data > x + 0.3, UnfollowableError, "rounding of doubles"),
    ],
)
def test_other_uses_are_refused_with_the_reason(mechanism, error, words):
    if error is None:
        assert loss_of(mechanism, 0, 1).nats <= 1
        return
    with pytest.raises(error, match=words):
        loss_of(mechanism, 0, 1)


def test_a_loop_until_the_noise_suits_is_refused():
    def rejection(data, rng):
        while True:
            value = data + rng.laplace()
            if not value > 1:
                return value

    with pytest.raises(TooLargeError, match="more than 40 comparisons"):
        loss_of(rejection, 0, 1)


def test_a_loop_until_a_bit_suits_is_refused():
    def rejection(data, rng):
        while rng.random() < 0.5:
            pass
        return data

    with pytest.raises(TooLargeError, match="more than 256 random choices, and a loop that draws until"):
        loss_of(rejection, 0, 1)


class KeepsWhatItCompared:
    promise = "epsilon=1,adjacency=user-level"

    def create(self, randomness):
        return [0.0]

    def update(self, state, ids, randomness):
        noise = randomness.laplace(scale=1.0)
        return [noise if noise > 0 else 0.0]

    def release(self, state, randomness):
        return 0


class ComparesWhatItKept(KeepsWhatItCompared):
    def update(self, state, ids, randomness):
        return [randomness.laplace(scale=1.0)]

    def release(self, state, randomness):
        return bool(state[0] > 0)


class ComparesAndForgets(KeepsWhatItCompared):
    """A randomised response made of noise."""

    def update(self, state, ids, randomness):
        return [bool(len(ids) + randomness.laplace(scale=1.0) > 0.5)]


@pytest.mark.parametrize(
    ("kind", "words"), [(KeepsWhatItCompared, "keeps noise"), (ComparesWhatItKept, "an earlier step drew")]
)
def test_noise_that_is_compared_and_kept_is_refused(kind, words):
    stepper = Stepper(kind(), (0,))
    with pytest.raises(UnfollowableError, match=words):
        stepper.distribution((Update(0), SegmentEnd.INTRUSION, SegmentEnd.RELEASE))


def test_a_state_made_by_a_comparison_has_its_probability():
    distribution = Stepper(ComparesAndForgets(), (0,)).distribution((Update(0), SegmentEnd.INTRUSION))
    found = sorted(float(sum(weight.ball() for weight, _ in paths).mid()) for paths in distribution.values())
    assert found == pytest.approx([math.exp(-0.5) / 2, 1 - math.exp(-0.5) / 2])


@pytest.mark.parametrize(
    ("mechanism", "left", "right", "verdict", "loss"),
    [
        (sparse_vector_4, [0, 0, 0, 0], [1, 1, 1, -1], Verdict.REFUTED, 1.4),
        pytest.param(truncated, 1, 2, Verdict.NOT_REFUTED, math.log(2), marks=pytest.mark.more),
    ],
)
def test_the_front_door_follows_comparisons(mechanism, left, right, verdict, loss):
    result = panproof.check(mechanism, left, right, epsilon=1)
    assert result.verdict is verdict
    assert result.loss == pytest.approx(loss, abs=0.3 if verdict is Verdict.REFUTED else 1e-12)


def test_the_judge_answers_only_questions_about_noise_that_it_drew():
    randomness, table = EnumeratingRandomness(), NoiseTable()
    asked = Draw("compared", ["l", ["~", "0", "0", True, False, [0, "1"]], True], ["d"])
    with pytest.raises(DataError, match="never drawn"):
        answer_to_draw(randomness, table, asked)
    with pytest.raises(DataError, match="unknown draw"):
        answer_to_draw(NumpyRandomness(1), table, asked)
    table.write(randomness.laplace())
    assert answer_to_draw(randomness, table, asked) == Drawn(True)
    assert randomness.options == [2]
    # The same noise with weights that cancel, and noise of another step.
    cancelled = replace(asked, arguments=["l", ["~", "1", "1", True, False, [0, "1"], [0, "-1"]], True])
    assert "cancels" in answer_to_draw(randomness, table, cancelled).error
    assert "earlier step" in answer_to_draw(EnumeratingRandomness(), table, asked).error
