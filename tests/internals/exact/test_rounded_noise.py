"""Rounded, converted and clipped noise: exact losses against sums over the distribution function."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import expon, laplace

import panproof
from pan_audits.choices.errors import UnfollowableError
from panproof import Verdict
from tests.internals.exact.checking import loss_of
from tests.mechanisms import converting as m

ROUNDINGS = {
    "round": (round, lambda k: (k - 0.5, k + 0.5)),
    "floor": (math.floor, lambda k: (k, k + 1)),
    "ceil": (math.ceil, lambda k: (k - 1, k)),
    "trunc": (math.trunc, lambda k: (k if k > 0 else k - 1, k + 1 if k >= 0 else k)),
    "halves": (lambda number: 2 * round(number / 2), lambda k: (2 * k - 1, 2 * k + 1)),
    "negated": (lambda number: -round(-3 * number), lambda k: ((k - 0.5) / 3, (k + 0.5) / 3)),
    "tenths": (lambda number: round(number, 1), lambda k: (k / 10 - 0.05, k / 10 + 0.05)),
    "tens": (lambda number: round(number, -1), lambda k: (10 * k - 5, 10 * k + 5)),
    "floor by two": (lambda number: number // 2, lambda k: (2 * k, 2 * k + 2)),
    "numpy": (np.round, lambda k: (k - 0.5, k + 0.5)),
    "numpy.rint": (np.rint, lambda k: (k - 0.5, k + 0.5)),
    "numpy.floor": (np.floor, lambda k: (k, k + 1)),
    "numpy.trunc": (np.trunc, lambda k: (k if k > 0 else k - 1, k + 1 if k >= 0 else k)),
}
"""A rounding, and the ends of the numbers that it maps to the number of a step."""

DISCRETE = "data + rng.discrete_laplace(2.0, 1)[0]"
NUMBERS = st.integers(-16, 16).map(lambda eighths: eighths / 8)


def chances(distribution, ends, steps):
    """The probabilities of the numbers between ends, from the nearer tail."""
    low, high = np.array([ends(k) for k in steps], dtype=float).T
    return np.where(
        high <= distribution.median(),
        distribution.cdf(high) - distribution.cdf(low),
        distribution.sf(low) - distribution.sf(high),
    )


def ratio_of(one, other):
    """The largest loss of outputs with these probabilities, of those that are possible on both sides."""
    keep = (one > 0) & (other > 0)
    return float(np.abs(np.log(one[keep] / other[keep])).max())


def summed_loss(first, second, ends, scale):
    """The largest ratio over the steps within thirty scales."""
    reach = range(-int(300 * scale) - 40, int(300 * scale) + 41)
    steps = [k for k in reach if max(map(abs, ends(k))) < 30 * scale + 25]
    return ratio_of(*(chances(laplace(place, scale), ends, steps) for place in (first, second)))


@settings(max_examples=60)
@given(st.sampled_from(sorted(ROUNDINGS)), NUMBERS, NUMBERS, st.sampled_from([0.5, 2.0, 5.0]))
def test_the_loss_is_that_of_the_sums(name, first, second, scale):
    assume(first != second)
    rounded, ends = ROUNDINGS[name]
    found = loss_of(lambda data, rng: rounded(data + rng.laplace(scale=scale)), first, second)
    assert found.nats == pytest.approx(summed_loss(first, second, ends, scale), abs=1e-7)


@settings(max_examples=20)
@given(NUMBERS, NUMBERS, st.integers(-3, 0), st.integers(1, 4))
def test_clipped_rounded_noise_has_finitely_many_outputs(first, second, low, high):
    assume(first != second)

    def clipped(data, rng):
        return min(max(round(data + rng.laplace(scale=1.5)), low), high)

    def ends(k):
        return (k - 0.5 if k > low else -np.inf, k + 0.5 if k < high else np.inf)

    one, other = (chances(laplace(at, 1.5), ends, range(low, high + 1)) for at in (first, second))
    assert loss_of(clipped, first, second).nats == pytest.approx(ratio_of(one, other), abs=1e-9)


@settings(max_examples=20)
@given(NUMBERS, NUMBERS, NUMBERS)
def test_noise_that_is_released_rounded_where_it_is_large(first, second, least):
    """Rounding comes after a comparison with the same noise."""
    assume(first != second)
    step = math.floor(least + 0.5)

    def above(data, rng):
        noisy = data + rng.laplace(scale=1.5)
        return round(noisy) if noisy > least else None

    def ends(k):
        return (max(k - 0.5, least), k + 0.5)

    one, other = (
        np.append(chances(distribution, ends, range(step, step + 40)), distribution.cdf(least))
        for distribution in (laplace(first, 1.5), laplace(second, 1.5))
    )
    assert loss_of(above, first, second).nats == pytest.approx(ratio_of(one, other))


@settings(max_examples=30)
@given(
    least=st.sampled_from([-2, -1, 0, 0.5, 1, 2]),
    step=st.integers(1, 3),
    scale=st.sampled_from([1.0, 2.0]),
    other=st.sampled_from([None, 0, 0.5, 1]),
    first=st.integers(-2, 3),
    second=st.integers(-2, 3),
)
def test_clipped_integer_noise_beside_a_number_has_the_loss_of_the_sums(least, step, scale, other, first, second):
    assume(first != second)

    def mechanism(data, rng):
        if other is not None and rng.random() < 0.25:
            return other
        return max(least, step * (data + rng.discrete_laplace(scale, 1)[0]))

    def distribution(data):
        found = Counter()
        for noise in range(-150, 151):
            weight = math.tanh(1 / (2 * scale)) * math.exp(-abs(noise) / scale)
            found[max(least, step * (data + noise))] += weight * (1 if other is None else 0.75)
            found[other] += weight * (0 if other is None else 0.25)
        return found

    one, two = distribution(first), distribution(second)
    both = np.array([(chance, two[value]) for value, chance in one.items()]).T
    assert loss_of(mechanism, first, second).nats == pytest.approx(ratio_of(*both), abs=1e-6)


@pytest.mark.parametrize(
    ("mechanism", "nats"),
    [
        # A number of another kind leaves an upper bound.
        *((f"{other} if rng.random() < 0.25 else {DISCRETE}", None) for other in ("True", "Fraction(1)", "1j")),
        # 0.1 * 3 is another double than 0.3.
        ("0.3 if rng.random() < 0.25 + data / 4 else 0.1 * rng.discrete_laplace(2.0)", None),
        # A negative zero is told apart.
        ("-0.0 if rng.random() < 0.25 + data / 4 else rng.discrete_laplace(2.0)", math.log(2)),
        *((f"max({DISCRETE}, np.{kind}(0))", 0.5) for kind in ("int64", "uint8", "float32", "float16")),
        (f"max({DISCRETE}, np.longdouble(0))", None),
    ],
)
def test_numbers_count_together_with_integer_noise_if_they_look_alike(mechanism, nats):
    found = loss_of(mechanism, 0, 1)
    assert found.upper if nats is None else found.nats == pytest.approx(nats)


NOISY = "data + rng.laplace(scale=2.0)"


@pytest.mark.parametrize(
    ("compared", "edges"),
    [
        (f"[(k := math.trunc({NOISY})) > 0, k >= 0, k > -1, k < -1, k == 0]", [-2, -1, 1]),
        (f"[(k := math.floor({NOISY})) > 1, k >= 1, k < -0.5, -k >= 3.5, k == 1, 2 * k + 1 > 4]", [-3, 0, 1, 2]),
    ],
)
def test_comparisons_of_a_rounded_number_are_those_of_the_number(compared, edges):
    one, other = (np.diff(laplace(data, 2.0).cdf([-np.inf, *edges, np.inf])) for data in (0, 1))
    assert loss_of(compared, 0, 1).nats == pytest.approx(ratio_of(one, other))


@pytest.mark.parametrize(
    ("mechanism", "left", "right", "loss"),
    [
        # Independent numbers, of 2**20 combinations of locations.
        ("[round(n + rng.laplace(scale=20.0)) for n in data]", [0] * 20, [1] * 20, 1.0),
        ("[n + rng.laplace(scale=20.0) for n in data]", [0] * 20, [1] * 20, 1.0),
        ("[n + rng.discrete_laplace(4.0, 1)[0] for n in data]", [0] * 12, [1] * 12, 3.0),
        # What lies below one-sided noise is given away.
        ("[n + rng.geometric(0.5) for n in data]", [0] * 12, [1] * 12, math.inf),
        ("math.floor(data + rng.exponential(scale=2.0))", 0, 1, math.inf),
        ("np.round(data + rng.discrete_laplace(2.0, 1)[0])", 0, 1, 0.5),
        ("math.trunc(data + rng.discrete_laplace(2.0, 1)[0])", 0, 1, 0.5),
        (m.on_a_computed_double, [0.5, 0.25], [0.5, 1.25], 1.0),
        (m.noise_minus_itself, 0, 1, 0.0),
        # Large counts and binary fractions.
        *(
            (f"max({n}, data + rng.discrete_laplace(2.0, 1)[0])", n, n + 1, 0.5)
            for n in (10**7, 10**12, 1e7, 0.5, 1e7 + 0.25)
        ),
    ],
)
def test_the_loss_has_its_closed_form(mechanism, left, right, loss):
    assert loss_of(mechanism, left, right).nats == pytest.approx(loss)


def unit(k):
    return [(k - 0.5, k + 0.5)]


def mirrored(k):
    return [(k, k + 1), (-k - 1, -k)]


@pytest.mark.parametrize(
    ("mechanism", "noise", "places", "outputs"),
    [
        ("round(data + rng.exponential(scale=2.0))", expon, (0.5, 1.0), [unit(k) for k in range(1, 30)]),
        (
            "math.floor((2 * data - 1 + rng.exponential(scale=2.0)) / 2)",
            expon,
            (0, 1),
            [[(2 * k, 2 * k + 2)] for k in range(8)],
        ),
        (
            "math.floor(data / 2 + rng.exponential(scale=2.0))",
            expon,
            (0.25, 0.5),
            [[(k, k + 1)] for k in range(20)],
        ),
        (
            "abs(round(data / 2 - 0.25 + rng.laplace(scale=2.0)))",
            laplace,
            (0, 0.25),
            [unit(0), *(unit(k) + unit(-k) for k in range(1, 40))],
        ),
        (
            "math.floor(abs(data / 2 + rng.laplace(scale=2.0)))",
            laplace,
            (0.25, 0.5),
            [mirrored(k) for k in range(40)],
        ),
    ],
)
def test_an_integer_without_probability_is_no_output(mechanism, noise, places, outputs):
    """It stood at the end of a piece of the distribution, and its ratio was taken for that of the derivatives."""
    one, other = (
        np.array(
            [sum(noise(at, 2.0).cdf(end) - noise(at, 2.0).cdf(start) for start, end in edges) for edges in outputs]
        )
        for at in places
    )
    assert loss_of(mechanism, 0.5, 1.0).nats == pytest.approx(ratio_of(one, other), abs=1e-7)


@pytest.mark.parametrize(
    ("rounded", "edges"),
    [
        (np.round, [-0.5, 0, 0.5]),
        (np.rint, [-0.5, 0, 0.5]),
        (lambda number: round(number, 0), [-0.5, 0, 0.5]),
        (round, [-0.5, 0.5]),
    ],
)
def test_the_sign_of_a_rounded_zero_is_seen(rounded, edges):
    """Numpy rounds numbers between -1/2 and 0 to -0.0. ``round`` gives an integer without digits."""

    def zeros(data, rng):
        number = rounded(data + rng.laplace(scale=1.0))
        return number if number == 0 else None

    inside = [np.diff(laplace(data, 1.0).cdf(edges)) for data in (0, 1)]
    one, other = (np.append(chances, 1 - chances.sum()) for chances in inside)
    assert loss_of(zeros, 0, 1).nats == pytest.approx(ratio_of(one, other))


def test_a_clipped_number_that_is_rounded_keeps_the_sign_of_its_zero():
    def clipped(data, rng):
        return np.rint(np.clip(data + rng.laplace(scale=1.0), -0.5, 0.5))

    one, other = (laplace(at, 1.0).cdf([0])[0] for at in (-2, 2))
    assert loss_of(clipped, -2, 2).nats == pytest.approx(math.log(one / other))


LEAVES = "leaves the integers, or that rounds"
BOTH = "depends on a noise variable and on its rounding"


@pytest.mark.parametrize(
    ("mechanism", "sentence"),
    [
        ("[noisy := data + rng.laplace(scale=2.0), round(noisy)]", BOTH),
        ("[round(noisy := data + rng.laplace(scale=2.0)), math.floor(noisy)]", BOTH),
        ("round(data + rng.laplace(scale=2.0) + rng.laplace())", "several noise variables"),
        # 0.1 * 3 is more than 3/10, and 10 times as much still more than 3.
        ("math.floor(10 * (data * 0.1 * 3) + rng.discrete_laplace(2.0, 1)[0])", "a double that a computation rounded"),
        ("math.floor(10 * (data + 0.1 * rng.discrete_laplace(2.0, 1)[0]))", LEAVES),
        # As doubles, 0.1 * 3 is above 0.3.
        ("0.1 * round(data + rng.laplace(scale=1.0)) > 0.3", "doubles decide"),
        ("min(max(round((data + rng.exponential()) / 0.1) * 0.1, 0.3), 0.9)", "doubles decide"),
        ("0.1 * (data + rng.discrete_laplace(1.0, 1)[0]) >= 0.3", "doubles decide"),
        # A double has no place for 2**40 and 2**-20 at once.
        ("(data + rng.discrete_laplace(2.0, 1)[0]) * 2.0**-20 + 2.0**40 > 2.0**40", "doubles"),
        ("rng.discrete_laplace(1.0, 1)[0] * (1.0 if data > 1 else -1.0)", "sign of a zero"),
        ("round(data + rng.laplace(scale=2.0)) > rng.laplace(scale=1.0)", "rounded noise is compared with other noise"),
        ("round(round(data + rng.laplace(scale=2.0)) / 5)", LEAVES),
        ("sum([0.1 * data, 0.2]) + round(rng.laplace(scale=1.0))", "0.30000000000000004"),
        (m.rest_of_cancelled_noise, "cancels"),
    ],
)
def test_roundings_that_are_not_followed_are_told(mechanism, sentence):
    with pytest.raises(UnfollowableError, match=sentence):
        loss_of(mechanism, 1, 2)


@pytest.mark.parametrize(("mechanism", "loss"), [(m.as_array_type, 0.5), (m.towards_zero, 2.0)])
def test_conversions_are_followed_by_the_front_door(mechanism, loss):
    found = panproof.check(mechanism, neighbours=[(0, 1)], epsilon=1)
    assert found.verdict is (Verdict.REFUTED if loss > 1 else Verdict.NOT_REFUTED)
    assert found.report.loss.nats == pytest.approx(loss)
