import math
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.choices.numbers import fraction
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    InputError,
    LogFraction,
    NumpyRandomness,
    SecureRandomness,
    confidence_interval,
    create_estimator,
    dump_state,
    optimal_bernoulli,
    parse_epsilon,
    quantized_laplace,
)
from pan_estimators.common.registry import with_budget
from pan_promises.exact_epsilon import exp, tanh_half

bases = st.fractions(min_value=Fraction(21, 20), max_value=50, max_denominator=60)
numbers = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50)


@given(bases, numbers, numbers)
def test_products_and_quotients_agree_with_doubles(base, first, second):
    epsilon = LogFraction(base, first)
    value = float(epsilon)
    assert value == pytest.approx(float(first) * math.log(base))
    assert float(epsilon * second) == pytest.approx(value * float(second))
    assert float(second / epsilon) == pytest.approx(float(second) / value)
    assert (epsilon * second) / epsilon == second
    assert (1 / (epsilon * second)) * epsilon == 1 / second
    assert float(epsilon + 1) == pytest.approx(value + 1)


@given(bases, st.integers(1, 4))
def test_powers_are_exact(base, times):
    epsilon = LogFraction(base)
    assert exp(times * epsilon) == float(base**times)
    assert exp(-times * epsilon) == float(1 / base**times)
    assert tanh_half(epsilon) == float((base - 1) / (base + 1))
    assert math.tanh(epsilon / 2) == pytest.approx(float(tanh_half(epsilon)))


@pytest.mark.parametrize(
    ("text", "written", "value"),
    [
        ("log(3/2)", "log(3/2)", math.log(1.5)),
        ("ln(2)", "log(2)", math.log(2)),
        ("2*log(3/2)", "2*log(3/2)", 2 * math.log(1.5)),
        ("log(9/4)/2", "log(3/2)", math.log(1.5)),
        ("log(8)", "3*log(2)", math.log(8)),
        ("1/2*log(1.5)", "1/2*log(3/2)", math.log(1.5) / 2),
        ("1/10", "0.1", 0.1),
        ("0.1", "0.1", 0.1),
    ],
)
def test_budgets_are_read(text, written, value):
    epsilon = parse_epsilon(text)
    assert str(epsilon) == written
    assert float(epsilon) == pytest.approx(value)
    assert str(pickle.loads(pickle.dumps(epsilon))) == written


def test_estimators_have_exact_probabilities():
    epsilon = parse_epsilon("log(3/2)")
    estimator = optimal_bernoulli(universe=4, epsilon=epsilon, sample_size=2)
    assert (fraction(estimator.cells.p_init), fraction(estimator.cells.p_upd)) == (Fraction(2, 5), Fraction(3, 5))
    assert str(estimator.promise.epsilon) == "2*log(3/2)"
    quantized = quantized_laplace(universe=4, epsilon=parse_epsilon("log(9/4)"), sample_size=2)
    assert fraction(quantized.cells.p_init) == Fraction(1, 3)
    assert isinstance(estimator.cells.p_init, float)
    assert str(estimator.promise.epsilon) == "2*log(3/2)"


@pytest.mark.parametrize("name", [name for name in ESTIMATORS_OF_IDS if name != "exact-counter"])
@pytest.mark.parametrize("randomness", [NumpyRandomness(1), SecureRandomness()])
def test_estimators_run_with_an_exact_budget_as_with_any_other(name, randomness):
    estimator = create_estimator(
        name, **with_budget(name, parse_epsilon("log(3/2)"), {"universe": 6, "sample_size": 3})
    )
    state = estimator.update(estimator.create(randomness), [[0, 1]] if name == "graph-density" else [0], randomness)
    density = estimator.release(state, randomness)
    assert type(density) is float
    assert dump_state(estimator, state)
    if not name.startswith("pan-private"):
        assert confidence_interval(estimator, density).density_low <= 1


LONG = "9" * 400


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"log({LONG})", "numbers that a double can hold"),
        (f"{LONG}*log(2)", "numbers that a double can hold"),
        (f"1/{LONG}", "too small for a double"),
        ("4000000*log(10001/10000)", "more than 100000 bits"),
        ("log(1)", "above 1"),
        ("1/0", "a budget is a number"),
        ("", "a budget is a number"),
        ("1_0", "a budget is a number"),
        ("٣", "a budget is a number"),
        ("log(2" + "0" * 10**6, "at most 1000 characters"),
    ],
)
def test_numbers_that_arithmetic_cannot_hold_are_one_short_sentence(text, words):
    with pytest.raises(InputError, match=words) as refused:
        parse_epsilon(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("text", [LONG, "1e400", "-1", "0", "1e-400", "nan", "-inf", f"log(2)/{LONG}", "1e999999999/3"])
def test_numbers_out_of_range_are_left_to_the_estimator(text):
    with pytest.raises(InputError, match="epsilon must be positive and finite"):
        optimal_bernoulli(universe=4, epsilon=parse_epsilon(text), sample_size=2)


def test_powers_too_long_to_write_down_are_taken_as_doubles():
    unwieldy = LogFraction(Fraction(10001, 10000), 4_000_000)
    assert exp(unwieldy) == math.exp(float(unwieldy))
    assert exp(LogFraction(2, 700)) == 2.0**700
