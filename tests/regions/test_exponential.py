"""Fractions of sums of exponentials against floating point, and the proofs that such sums are nowhere negative."""

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.choices.regions.exponential import NOTHING, UNIT, Exponential
from pan_audits.choices.regions.function import nowhere_negative

fractions = st.builds(fmpq, st.integers(-6, 6), st.integers(1, 4))
sums = st.dictionaries(fractions, fractions, max_size=3).map(
    lambda parts: sum((Exponential.power(place, one) for place, one in parts.items()), NOTHING)
)


def near(number):
    return float(number.ball())


@given(sums, sums, sums)
def test_arithmetic_agrees_with_floating_point(one, other, third):
    assert near(one + other * third) == pytest.approx(near(one) + near(other) * near(third), rel=1e-9, abs=1e-9)
    if not third.is_zero:
        assert (one / third) * third == one
        assert (one / third + other / third) * third == one + other
        assert near(one / third) == pytest.approx(near(one) / near(third), rel=1e-6, abs=1e-9)


@given(sums)
def test_a_sum_is_zero_only_without_terms_and_has_a_sign(one):
    assert (one - one).is_zero
    assert one.sign() == (one.ball() > 0) - (one.ball() < 0)
    assert hash(one) == hash(one * 3 / 3)


def test_small_differences_keep_their_digits_and_forms_are_short():
    small = Exponential.power(fmpq(1, 10**40)) - UNIT
    assert small.sign() == 1
    assert near(small) == pytest.approx(1e-40, rel=1e-12)
    t = Exponential.power(fmpq(1, 2))
    assert ((t * t - UNIT) / (t - UNIT)).text() == "e^(1/2) + 1"
    assert (UNIT / (UNIT - t - t)).text() == "(-1)/(2 e^(1/2) - 1)"
    assert (t / t).rational == 1
    assert (t * t).exponent == 1
    assert isinstance(t * arb(2), arb)
    with pytest.raises(ZeroDivisionError):
        UNIT / NOTHING


coefficients = st.integers(-3, 3).filter(bool).map(lambda one: Exponential.of(fmpq(one)))
keys = st.tuples(st.just(fmpq(1)), fractions, st.integers(0, 1))


@settings(max_examples=60)
@given(
    st.dictionaries(keys, coefficients, min_size=1, max_size=4), st.sampled_from([-2, None]), st.sampled_from([3, None])
)
def test_a_proof_is_found_for_no_sum_that_is_negative_somewhere(terms, low, high):
    ends = [None if end is None else fmpq(end) for end in (low, high)]
    if not nowhere_negative(terms, *ends):
        return
    places = np.linspace(-8 if low is None else low, 8 if high is None else high, 400)
    parts = [near(one) * places**power * np.exp(float(arb(rate)) * places) for (_, rate, power), one in terms.items()]
    assert np.min(sum(parts)) >= -1e-9 * np.max(np.abs(parts))


@pytest.mark.parametrize(
    ("terms", "proved"),
    [
        ([(1, 0, 1), (0, 0, -2), (-1, 0, 1)], True),  # 2 cosh t - 2
        ([(1, 0, 1), (0, 0, -2.25), (-1, 0, 1)], False),
        ([(1, 0, 1), (0, 0, -1), (0, 1, -1)], True),  # e^t - 1 - t
        ([(1, 0, 1), (0, 0, -1), (0, 1, -1.5)], False),
    ],
)
def test_inequalities_that_hold_with_equality_somewhere_are_proved(terms, proved):
    made = {(fmpq(1), fmpq(rate), power): Exponential.of(fmpq(int(4 * one), 4)) for rate, power, one in terms}
    assert nowhere_negative(made, None, None) is proved
