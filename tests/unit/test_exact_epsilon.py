import math
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.exact.numbers import fraction
from pan_estimators import (
    ESTIMATORS,
    InputError,
    LogFraction,
    NumpyRandomness,
    Promise,
    SecureRandomness,
    confidence_interval,
    create_estimator,
    dump_state,
    optimal_bernoulli,
    parse_epsilon,
    quantized_laplace,
)
from pan_estimators.exact_epsilon import exp, tanh_half

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


@pytest.mark.parametrize("text", ["", "log(1)", "log(2/0)", "exp(1)", "1/0", "log(1/2)", "log(-2)", "two"])
def test_other_texts_are_refused(text):
    with pytest.raises(InputError):
        parse_epsilon(text)


def test_estimators_have_exact_probabilities():
    epsilon = parse_epsilon("log(3/2)")
    estimator = optimal_bernoulli(universe=4, epsilon=epsilon, sample_size=2)
    assert (fraction(estimator.cells.p_init), fraction(estimator.cells.p_upd)) == (Fraction(2, 5), Fraction(3, 5))
    assert str(estimator.promise.epsilon) == "2*log(3/2)"
    quantized = quantized_laplace(universe=4, epsilon=parse_epsilon("log(9/4)"), sample_size=2)
    assert fraction(quantized.cells.p_init) == Fraction(1, 3)
    assert isinstance(estimator.cells.p_init, float)
    assert str(estimator.promise.epsilon) == "2*log(3/2)"


def test_a_promise_keeps_its_exact_budget():
    promise = Promise.parse("epsilon=2*log(3/2),adjacency=user-level")
    assert str(promise.epsilon) == "2*log(3/2)"
    assert promise.to_dict()["epsilon"] == pytest.approx(2 * math.log(1.5))


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "exact-counter"])
@pytest.mark.parametrize("randomness", [NumpyRandomness(1), SecureRandomness()])
def test_estimators_run_with_an_exact_budget_as_with_any_other(name, randomness):
    estimator = create_estimator(name, universe=6, epsilon=parse_epsilon("log(3/2)"), sample_size=3)
    state = estimator.update(estimator.create(randomness), [[0, 1]] if name == "graph-density" else [0], randomness)
    density = estimator.release(state, randomness)
    assert type(density) is float
    assert dump_state(estimator, state)
    if not name.startswith("pan-private"):
        assert confidence_interval(estimator, density).density_low <= 1
