"""Rounded, converted and clipped noise in functions: exact losses against sums over the distribution function."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import expon, laplace

import panproof
from pan_audits.choices.errors import UnfollowableError
from panproof import Verdict
from tests.exact.test_compared_noise import loss_of
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

NUMBERS = st.integers(-16, 16).map(lambda eighths: eighths / 8)


def chances(distribution, ends, steps):
    """The probabilities of the numbers between ends, from the nearer tail."""
    low, high = np.array([ends(k) for k in steps], dtype=float).T
    return np.where(
        high <= distribution.median(),
        distribution.cdf(high) - distribution.cdf(low),
        distribution.sf(low) - distribution.sf(high),
    )


def summed_loss(first, second, ends, scale):
    """The largest ratio over the steps within thirty scales."""
    reach = range(-int(300 * scale) - 40, int(300 * scale) + 41)
    steps = [k for k in reach if max(map(abs, ends(k))) < 30 * scale + 25]
    one, other = (chances(laplace(place, scale), ends, steps) for place in (first, second))
    return float(np.abs(np.log(one / other)).max())


FIRST = ("round",)


@pytest.mark.more
@pytest.mark.parametrize(
    "name", [name if name in FIRST else pytest.param(name, marks=pytest.mark.more) for name in ROUNDINGS]
)
@given(NUMBERS, NUMBERS, st.sampled_from([0.5, 2.0, 5.0]))
def test_the_loss_is_that_of_the_sums(name, first, second, scale):
    assume(first != second)
    rounded, ends = ROUNDINGS[name]
    found = loss_of(lambda data, rng: rounded(data + rng.laplace(scale=scale)), first, second)
    assert found.nats == pytest.approx(summed_loss(first, second, ends, scale), abs=1e-7)


def test_comparisons_of_a_truncated_number_are_those_of_the_number():
    def compared(data, rng):
        steps = math.trunc(data + rng.laplace(scale=2.0))
        return [steps > 0, steps >= 0, steps > -1, steps < -1, steps == 0]

    edges = [-np.inf, -2, -1, 1, np.inf]
    one, other = (np.diff(laplace(data, 2.0).cdf(edges)) for data in (0, 1))
    assert loss_of(compared, 0, 1).nats == pytest.approx(np.abs(np.log(one / other)).max())


@pytest.mark.parametrize("rounded", [round, math.floor, math.trunc, float, int], ids=lambda kind: kind.__name__)
def test_the_losses_of_independent_numbers_add_up(rounded):
    """Of 2**20 combinations of locations."""
    kinds = {float: lambda number: number, int: math.trunc}
    each = kinds.get(rounded, rounded)
    found = loss_of(lambda data, rng: [each(n + rng.laplace(scale=20.0)) for n in data], [0] * 20, [1] * 20)
    assert found.nats == pytest.approx(1.0)
    whole = loss_of(lambda data, rng: [n + rng.discrete_laplace(4.0, 1)[0] for n in data], [0] * 12, [1] * 12)
    assert whole.nats == pytest.approx(3.0)


def test_independent_one_sided_noise_gives_away_what_lies_below():
    found = loss_of(lambda data, rng: [n + rng.geometric(0.5) for n in data], [0] * 12, [1] * 12)
    assert found.unbounded


def between(distribution, *edges):
    """The probability between each two edges."""
    return sum(distribution.cdf(high) - distribution.cdf(low) for low, high in edges)


@pytest.mark.parametrize(
    ("mechanism", "distributions", "outputs"),
    [
        (
            lambda data, rng: round(data + rng.exponential(scale=2.0)),
            (expon(0.5, 2.0), expon(1.0, 2.0)),
            [[(k - 0.5, k + 0.5)] for k in range(1, 30)],
        ),
        (
            lambda data, rng: math.floor((2 * data - 1 + rng.exponential(scale=2.0)) / 2),
            (expon(0, 2.0), expon(1, 2.0)),
            [[(2 * k, 2 * k + 2)] for k in range(8)],
        ),
        (
            lambda data, rng: abs(round(data / 2 - 0.25 + rng.laplace(scale=2.0))),
            (laplace(0.0, 2.0), laplace(0.25, 2.0)),
            [[(-0.5, 0.5)], *([(k - 0.5, k + 0.5), (-k - 0.5, 0.5 - k)] for k in range(1, 40))],
        ),
        (
            lambda data, rng: math.floor(abs(data / 2 + rng.laplace(scale=2.0))),
            (laplace(0.25, 2.0), laplace(0.5, 2.0)),
            [[(k, k + 1), (-k - 1, -k)] for k in range(40)],
        ),
    ],
)
def test_an_integer_without_probability_is_no_output(mechanism, distributions, outputs):
    """It stood at the end of a piece of the distribution, and its ratio was taken for that of the derivatives."""
    one, other = (np.array([between(distribution, *edges) for edges in outputs]) for distribution in distributions)
    expected = float(np.abs(np.log(one / other)).max())
    assert loss_of(mechanism, 0.5, 1.0).nats == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("rounded", [np.round, np.rint, lambda number: round(number, 0)])
def test_the_sign_of_a_rounded_zero_is_seen(rounded):
    """Numpy rounds numbers between -1/2 and 0 to -0.0. ``round`` gives an integer without digits."""

    def zeros(data, rng):
        number = rounded(data + rng.laplace(scale=1.0))
        return number if number == 0 else None

    def expected(edges):
        one, other = (np.diff(laplace(data, 1.0).cdf(edges)) for data in (0, 1))
        rest = [1 - one.sum(), 1 - other.sum()]
        return max(*np.abs(np.log(one / other)), abs(math.log(rest[0] / rest[1])))

    assert loss_of(zeros, 0, 1).nats == pytest.approx(expected([-0.5, 0, 0.5]))
    without_digits = loss_of(lambda data, rng: 0 if round(data + rng.laplace(scale=1.0)) == 0 else None, 0, 1)
    assert without_digits.nats == pytest.approx(expected([-0.5, 0.5]))


def test_a_clipped_number_that_is_rounded_keeps_the_sign_of_its_zero():
    def clipped(data, rng):
        return np.rint(np.clip(data + rng.laplace(scale=1.0), -0.5, 0.5))

    one, other = (laplace(at, 1.0).cdf([0])[0] for at in (-2, 2))
    assert loss_of(clipped, -2, 2).nats == pytest.approx(math.log(one / other))


@pytest.mark.more
@given(NUMBERS, NUMBERS, st.integers(-3, 0), st.integers(1, 4))
def test_clipped_rounded_noise_has_finitely_many_outputs(first, second, low, high):
    assume(first != second)

    def clipped(data, rng):
        return min(max(round(data + rng.laplace(scale=1.5)), low), high)

    def ends(k):
        return (k - 0.5 if k > low else -np.inf, k + 0.5 if k < high else np.inf)

    one, other = (chances(laplace(at, 1.5), ends, range(low, high + 1)) for at in (first, second))
    assert loss_of(clipped, first, second).nats == pytest.approx(float(np.abs(np.log(one / other)).max()), abs=1e-9)


@pytest.mark.more
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
    keep = (one > 0) & (other > 0)
    assert loss_of(above, first, second).nats == pytest.approx(float(np.abs(np.log(one[keep] / other[keep])).max()))


def test_comparisons_of_a_rounded_number_are_those_of_the_number():
    def compared(data, rng):
        steps = math.floor(data + rng.laplace(scale=2.0))
        return [steps > 1, steps >= 1, steps < -0.5, -steps >= 3.5, steps == 1, 2 * steps + 1 > 4]

    def cells(data):
        edges = [-np.inf, -3, 0, 1, 2, np.inf]
        return np.diff(laplace(data, 2.0).cdf(edges))

    expected = np.abs(np.log(cells(0) / cells(1))).max()
    assert loss_of(compared, 0, 1).nats == pytest.approx(expected)


def test_rounded_exponential_noise_has_a_least_number():
    found = loss_of(lambda data, rng: math.floor(data + rng.exponential(scale=2.0)), 0, 1)
    assert found.unbounded
    within = loss_of(lambda data, rng: math.floor(data + rng.exponential(scale=2.0)), 0.25, 0.5)
    one, other = (chances(expon(at, 2.0), lambda k: (k, k + 1), range(20)) for at in (0.25, 0.5))
    assert within.nats == pytest.approx(float(np.abs(np.log(one / other)).max()))


def test_integer_noise_is_rounded_to_itself():
    for rounded in (round, math.floor, math.trunc, np.round):
        found = loss_of(lambda data, rng, r=rounded: r(data + rng.discrete_laplace(2.0, 1)[0]), 0, 1)
        assert found.nats == pytest.approx(0.5)


@pytest.mark.parametrize("count", [10**7, 10**12, 1e7, 0.5, 1e7 + 0.25])
def test_large_counts_and_binary_fractions_are_compared_exactly(count):
    def clipped(data, rng):
        return max(count, data + rng.discrete_laplace(2.0, 1)[0])

    assert loss_of(clipped, count, count + 1).nats == pytest.approx(0.5)


def test_sums_that_doubles_round_are_not_compared():
    """A double has no place for 2**40 and 2**-20 at once."""

    def mechanism(data, rng):
        number = (data + rng.discrete_laplace(2.0, 1)[0]) * 2.0**-10 * 2.0**-10
        return number + 2.0**40 > 2.0**40

    with pytest.raises(UnfollowableError, match="doubles"):
        loss_of(mechanism, 0, 1)


class KeepsIt:
    """The state keeps rounded noise."""

    promise = "epsilon=1,adjacency=user-level"

    def create(self, randomness):
        return {"count": round(randomness.laplace(0, 2.0))}

    def update(self, state, ids, randomness):
        return {"count": state["count"] + 1}

    def release(self, state, randomness):
        return state["count"]


def keeps_both(data, rng):
    noisy = data + rng.laplace(scale=2.0)
    return [noisy, round(noisy)]


def rounds_twice(data, rng):
    noisy = data + rng.laplace(scale=2.0)
    return [round(noisy), math.floor(noisy)]


def rounds_a_sum(data, rng):
    return round(data + rng.laplace(scale=2.0) + rng.laplace(scale=1.0))


def rounds_doubles(data, rng):
    """0.1 * 3 is more than 3/10, and 10 times as much still more than 3."""
    return math.floor(10 * (data * 0.1 * 3) + rng.discrete_laplace(2.0, 1)[0])


def rounds_tenths(data, rng):
    return math.floor(10 * (data + 0.1 * rng.discrete_laplace(2.0, 1)[0]))


def compares_multiples(data, rng):
    """As doubles, 0.1 * 3 is above 0.3."""
    return 0.1 * round(data + rng.laplace(scale=1.0)) > 0.3


def snaps(data, rng):
    return min(max(round((data + rng.exponential(scale=1.0)) / 0.1) * 0.1, 0.3), 0.9)


def compares_integer_noise(data, rng):
    return 0.1 * (data + rng.discrete_laplace(1.0, 1)[0]) >= 0.3


def turns_a_zero(data, rng):
    """The sign of a zero tells the data."""
    return rng.discrete_laplace(1.0, 1)[0] * (1.0 if data > 1 else -1.0)


def compares_with_other_noise(data, rng):
    return round(data + rng.laplace(scale=2.0)) > rng.laplace(scale=1.0)


def rounds_a_rounded_multiple(data, rng):
    return round(round(data + rng.laplace(scale=2.0)) / 5)


@pytest.mark.parametrize(
    ("mechanism", "sentence"),
    [
        (keeps_both, "depends on a noise variable and on its rounding"),
        (rounds_twice, "depends on a noise variable and on its rounding"),
        (rounds_a_sum, "several noise variables"),
        (rounds_doubles, "a double that a computation rounded"),
        (rounds_tenths, "leaves the integers, or that rounds"),
        (compares_multiples, "doubles decide"),
        (snaps, "doubles decide"),
        (compares_integer_noise, "doubles decide"),
        (turns_a_zero, "sign of a zero"),
        (compares_with_other_noise, "rounded noise is compared with other noise"),
        (rounds_a_rounded_multiple, "leaves the integers, or that rounds"),
    ],
)
def test_roundings_that_are_not_followed_are_told(mechanism, sentence):
    with pytest.raises(UnfollowableError, match=sentence):
        loss_of(mechanism, 1, 2)


class RoundsLater:
    """In doubles, the state holds integers and a fifth."""

    promise = "epsilon=1,adjacency=user-level,observed=output"

    def create(self, randomness):
        return [randomness.discrete_laplace(1.0, 1)[0] + 0.0, False]

    def update(self, state, ids, randomness):
        return state if state[1] else [state[0] + 0.2, True]

    def release(self, state, randomness):
        return round(state[0])


@pytest.mark.more
def test_arithmetic_of_an_earlier_step_that_rounds_is_remembered():
    found = panproof.check(RoundsLater)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "leaves the integers, or that rounds" in found.report.to_dict()["reason"]


@pytest.mark.more
def test_a_state_that_keeps_rounded_noise_is_not_followed():
    found = panproof.check(KeepsIt)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "compared or rounded before" in found.report.to_dict()["reason"]


@pytest.mark.more
@pytest.mark.parametrize(
    ("mechanism", "loss"),
    [(m.as_float, 0.5), (m.as_integer, 0.5), (m.as_array_type, 0.5), (m.towards_zero, 2.0)],
)
def test_conversions_are_followed_by_the_front_door(mechanism, loss):
    found = panproof.check(mechanism, neighbours=[(0, 1)], epsilon=1)
    assert found.verdict is (Verdict.REFUTED if loss > 1 else Verdict.NOT_REFUTED)
    assert found.report.loss.nats == pytest.approx(loss)


def test_integer_noise_on_a_double_that_a_computation_rounded_is_refused():
    found = panproof.check(m.on_a_computed_double, [0.1, 0.2], [0.3, 0.0], epsilon=1)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "0.30000000000000004" in str(found)
    assert panproof.check(m.on_a_computed_double, [0.5, 0.25], [0.5, 1.25], epsilon=1).verdict is Verdict.NOT_REFUTED


def test_noise_that_cancels_leaves_a_rest_in_doubles():
    found = panproof.check(m.rest_of_cancelled_noise, 0, 1, epsilon=1)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "cancels" in str(found)
    assert panproof.check(m.noise_minus_itself, 0, 1, epsilon=1).report.loss.nats == 0
