"""Sums, comparisons and the largest of noisy numbers: losses against integrals, closed forms and published values."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, simpson

import panproof
from pan_audits.choices.enumerating import EnumeratingRandomness
from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.exact.scope import Update
from pan_audits.exact.stepping import Stepper
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.messages import Draw, DrawResult
from pan_audits.subject.isolation.noise import NoiseTable, answer_to_draw
from pan_estimators import NumpyRandomness
from panproof import Verdict
from tests.internals.exact.checking import loss_of, probabilities
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

ALL_UP = ([0, 0, 0, 0], [1, 1, 1, 1])
UP_AND_DOWN = ([0, 0, 0, 0], [1, 1, -1, -1])

Z = np.linspace(-128, 128, 2**14 + 1)  # with all integers, where the densities have their kinks


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
    assert loss_of(numerical_sparse_vector, [0, 0], [1, 1]).nats <= 1
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
        assert np.exp(found.nats) == pytest.approx(max(np.max(one / other), np.max(other / one)), rel=1e-4)
    assert losses[1].nats > losses[0].nats + 0.1


@pytest.mark.parametrize(
    "winner",
    [
        "max(range(len(data)), key=lambda place: noisy[place])",
        "noisy.index(max(noisy))",
        "int(np.argsort(np.array(noisy))[-1])",
        "sorted((value, place) for place, value in enumerate(noisy))[-1][1]",
        "[all(one >= other for other in noisy) for one in noisy].index(True)",
        "int(np.flatnonzero(np.array(noisy) == np.max(np.array(noisy)))[0])",
    ],
)
def test_every_way_to_find_the_largest_has_the_same_loss(winner):
    found = f"(lambda noisy: {winner})([value + rng.laplace(scale=2.0) for value in data])"
    assert loss_of(found, [0, 0, 1], [1, 1, 0]).ratio == loss_of(report_noisy_max, [0, 0, 1], [1, 1, 0]).ratio


def best_so_far(data, rng):
    best, place = -math.inf, None
    for number, value in enumerate(data):
        noisy = value + rng.exponential(2.0)
        if noisy > best:
            best, place = noisy, number
    return place


def place_and_largest(data, rng):
    noisy = [value + rng.laplace(scale=2.0) for value in data]
    return int(np.argmax(noisy)), max(noisy)


def truncated(data, rng):
    return min(max(data + rng.two_sided_geometric(0.5, 0.5, 1)[0], 0), 4)


def histogram(data, rng):
    noisy = np.array(data) + rng.laplace(scale=2.0, size=len(data))
    return [value if value > 1 else 0 for value in noisy]


DISCRETE, NOISY = "data + rng.discrete_laplace(2.0, 1)[0]", "data + rng.laplace(scale=2.0)"
CLIPPED = (
    "np.clip({}, 0, 4)",
    "(lambda value: 0 if value < 0 else 4 if value > 4 else value)({})",
    "np.minimum(np.maximum({}, 0), 4)",
    "np.clip(np.array([{}]), 0, 4)[0]",
    "2 + max(-2, min(2, {} - 2))",
)
DIFFERENCE = "data + rng.exponential(2) - rng.exponential(2)"


@pytest.mark.parametrize(
    ("mechanism", "left", "right", "form"),
    [
        # Exponential noise: the winner of two has the probability 1 - e^(-1/2)/2 for a lead of 1.
        (best_so_far, [0, 0], [1, 0], "1/2"),
        ("max(value + rng.laplace(scale=2.0) for value in data)", [0, 0, 0], [1, 0, 0], "1/2"),
        # Far below all values the density is the product of all tails.
        ("max(value + rng.laplace(scale=2.0) for value in data)", [0, 0, 0], [1, 1, 1], "3/2"),
        (place_and_largest, [0, 0, 0], [1, 0, 0], "1/2"),
        (truncated, 0, 3, "log(8)"),
        (histogram, [0, 1, 2, 3, 0], [1, 1, 2, 3, 0], "1/2"),
        ("data + rng.exponential()", 0, 1, None),
        ("max(data + rng.exponential(), 2)", 0, 1, "1"),
        *((clipped.format(noisy), 1, 2, "1/2") for clipped in CLIPPED for noisy in (DISCRETE, NOISY)),
        # One variable of a two-sided distribution.
        (DIFFERENCE, 0, 1, 0.5),
        ("data + rng.geometric(0.5) - rng.geometric(0.5)", 0, 1, "log(2)"),
        # The ratio is 1/2 above the location and 1/4 below it.
        ("data - rng.geometric(0.75) + rng.geometric(0.5)", 0, 1, "log(4)"),
        ("[x + a - b for x, a, b in zip(data, rng.exponential(1, 3), rng.exponential(1, 3))]", [0] * 3, [1, 0, 1], 2.0),
        # The largest scale decides for a sum of two Laplace variables.
        (DIFFERENCE + " + rng.exponential(1) - rng.exponential(1)", 0, 1, 0.5),
        # One-sided noise beside a sum of noises; with noise on both sides the losses add up.
        ("[data + rng.geometric(0.5), rng.laplace() + rng.laplace()]", 0, 1, None),
        (
            "[data + rng.two_sided_geometric(0.5, 0.25, 1)[0], data + rng.laplace() + rng.laplace()]",
            0,
            1,
            math.log(4) + 1,
        ),
        ("np.add(np.float64(data), rng.laplace())", 0, 1, 1.0),
        ("np.subtract(data, -np.negative(rng.laplace())) * np.float64(1)", 0, 1, 1.0),
        ("(np.array([data, 2 * data]) + rng.laplace())[0]", 0, 1, 1.0),
        ("data if np.less(0.25, rng.random()) else 1 - data", 0, 1, "log(3)"),
        ("1e20 + (data + rng.laplace())", 0, 1, 1.0),
        ("data if rng.random() < 1 - 2.0**-53 else 1 - data", 0, 1, f"log({2**53 - 1})"),
        # Small noise, where its location is read exactly enough.
        ("data * 2e-14 + rng.laplace(scale=1e-14)", 0, 1, 2.0),
        ("0.1 + 0.2 + data * 1e-6 + rng.laplace(scale=1e-6)", 0, 1, 1.0),
        ("1e6 / 3 + data + rng.laplace(scale=2.0)", 0, 1, 0.5),
        ("1e9 + data * 0.1 + rng.laplace(scale=1.0)", 0, 1, 0.1),
        ("[(n := rng.laplace()) > data, n, n > rng.laplace()][1:2]", 0, 1, 0.0),
    ],
)
def test_the_loss_has_its_closed_form(mechanism, left, right, form):
    found = loss_of(mechanism, left, right)
    if isinstance(form, float):
        assert found.nats == pytest.approx(form, rel=1e-9, abs=1e-12)
    else:
        assert found.unbounded if form is None else found.closed_form == form


@pytest.mark.parametrize(
    ("mechanism", "data", "stated"),
    [
        (truncated, 1, {"0": 1 / 3, "1": 1 / 3, "2": 1 / 6, "3": 1 / 12, "4": 1 / 12}),
        ("bool(data + rng.geometric(0.5) == 3)", 0, {"True": 1 / 8, "False": 7 / 8}),
        ("bool(data + rng.geometric(0.5) == 3)", 1, {"True": 1 / 4, "False": 3 / 4}),
        ("bool(data + rng.laplace() == 3)", 1, {"False": 1}),
        ("rng.geometric(0.5) == rng.geometric(0.5)", 0, {"True": 1 / 3, "False": 2 / 3}),
    ],
)
def test_probabilities_of_values_and_of_equality(mechanism, data, stated):
    assert probabilities(mechanism, data) == pytest.approx(stated)


def largest_gumbel(scores, rng):
    return int(np.argmax(np.asarray(scores) + rng.gumbel(scale=2.0, size=len(scores))))


def largest_gumbel_in_a_loop(scores, rng):
    best, place = scores[0] + rng.gumbel(scale=2.0), 0
    for other, score in enumerate(scores[1:], 1):
        noisy = score + rng.gumbel(scale=2.0)
        if noisy > best:
            best, place = noisy, other
    return place


def softmax(scores):
    weights = np.exp(np.asarray(scores) / 2)
    return weights / weights.sum()


@pytest.mark.parametrize(("left", "right"), [([0, 0, 0, 0], [1, 0, 0, 0]), ([0, 0.5, 1], [1, 0, 1]), ([3, 1], [2, 2])])
@pytest.mark.parametrize("mechanism", [largest_gumbel, largest_gumbel_in_a_loop])
def test_the_loss_is_that_of_the_exponential_mechanism(mechanism, left, right):
    expected = np.abs(np.log(softmax(left) / softmax(right))).max()
    found = loss_of(mechanism, left, right)
    assert found.nats == pytest.approx(expected, rel=1e-12)
    assert len(left) < 4 or found.closed_form == "log((4 e^(1/2))/(e^(1/2) + 3))"


def shared(data, rng):
    noise = rng.exponential(2)
    return data + noise - rng.exponential(2), noise + rng.exponential(2)


UNUSED = "used otherwise than to choose the largest"
TOO_SMALL = "is too small for the number that it is added to"


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        ("(data + rng.laplace()) ** 2", "takes a function of it"),
        ("math.log(data + rng.laplace())", "converts a noisy number"),
        ("{data + rng.laplace(): 1}", "converts a noisy number"),
        ("np.sinh(data + rng.laplace())", "numpy.sinh"),
        ("(x := rng.laplace()) + (y := rng.laplace()) + rng.laplace() > data and x > 2 * y", "more than two"),
        ("rng.laplace() > rng.geometric(0.5) + data", "integer noise and noise"),
        ("sorted([data + rng.laplace(), rng.laplace()])", "same comparisons"),
        ("(x := rng.laplace()) + data * 1e-17 > x", "rounding of doubles"),
        ("(x := rng.laplace()) + 0.1 + 0.2 + data > x + 0.3", "rounding of doubles"),
        ("data + rng.gumbel()", UNUSED),
        ("data + rng.gumbel() > 0", "compared with a constant"),
        ("data + rng.gumbel() > rng.laplace()", "compared with other noise"),
        ("round(data + rng.gumbel())", UNUSED),
        ("max(data + rng.gumbel(), rng.gumbel())", UNUSED),
        ("max(data + rng.gumbel(), rng.gumbel(scale=2))", "different scales"),
        (shared, "share several noise variables"),
        ("1 + data * 2e-14 + rng.laplace(scale=1e-15)", TOO_SMALL),
        ("rng.laplace(1 + data * 2e-14, 1e-15)", TOO_SMALL),
        ("1 + data * 2e-14 + 1e-15 * rng.laplace()", TOO_SMALL),
        ("rng.laplace(np.array([1 + data * 2e-14]), 1e-15)[0]", TOO_SMALL),
    ],
)
def test_other_uses_are_refused_with_the_reason(mechanism, words):
    with pytest.raises((UnfollowableError, TooLargeError), match=words):
        loss_of(mechanism, 0, 1)


class KeepsWhatItCompared:
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


class KeepsWhatItRounded(ComparesWhatItKept):
    def update(self, state, ids, randomness):
        return [round(randomness.laplace(scale=1.0))]


class RoundsLater(ComparesWhatItKept):
    """In doubles, the state holds integers and a fifth."""

    def update(self, state, ids, randomness):
        return [randomness.discrete_laplace(1.0, 1)[0] + 0.0 + 0.2]

    def release(self, state, randomness):
        return round(state[0])


class ComparesAndForgets(KeepsWhatItCompared):
    """A randomised response made of noise."""

    def update(self, state, ids, randomness):
        return [bool(len(ids) + randomness.laplace(scale=1.0) > 0.5)]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (KeepsWhatItCompared, "keeps noise"),
        (ComparesWhatItKept, "an earlier step drew"),
        (KeepsWhatItRounded, "compared or rounded before"),
        (RoundsLater, "leaves the integers, or that rounds"),
    ],
)
def test_noise_that_is_compared_or_rounded_and_kept_is_refused(kind, words):
    stepper = Stepper(kind(), (0,))
    with pytest.raises(UnfollowableError, match=words):
        stepper.distribution((Update(0), SegmentEnd.INTRUSION, SegmentEnd.RELEASE))


def test_a_state_made_by_a_comparison_has_its_probability():
    distribution = Stepper(ComparesAndForgets(), (0,)).distribution((Update(0), SegmentEnd.INTRUSION))
    found = sorted(float(sum(weight.ball() for weight, _ in paths).mid()) for paths in distribution.values())
    assert found == pytest.approx([math.exp(-0.5) / 2, 1 - math.exp(-0.5) / 2])


def test_the_front_door_follows_comparisons():
    result = panproof.check(sparse_vector_4, [0, 0, 0, 0], [1, 1, 1, -1], epsilon=1)
    assert result.verdict is Verdict.REFUTED
    assert result.loss == pytest.approx(1.4, abs=0.3)


def test_the_judge_answers_only_questions_about_noise_that_it_drew():
    randomness, table = EnumeratingRandomness(), NoiseTable()
    asked = Draw("compared", ["l", ["~", "0", "0", True, False, "", [0, "1"]], True], ["d"])
    with pytest.raises(DataError, match="never drawn"):
        answer_to_draw(randomness, table, asked)
    with pytest.raises(DataError, match="unknown draw"):
        answer_to_draw(NumpyRandomness(1), table, asked)
    table.write(randomness.laplace())
    assert answer_to_draw(randomness, table, asked) == DrawResult(True)
    assert randomness.options == [2]
    # The same noise with weights that cancel, and noise of another step.
    cancelled = replace(asked, arguments=["l", ["~", "1", "1", True, False, "", [0, "1"], [0, "-1"]], True])
    assert "cancels" in answer_to_draw(randomness, table, cancelled).error
    assert "earlier step" in answer_to_draw(EnumeratingRandomness(), table, asked).error
