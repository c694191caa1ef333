"""The tests are conservative exactly, and sharp enough to be of use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.stats import entropy
from statsmodels.stats.proportion import proportion_confint

from pan_audits.statistics import (
    ErrorBudget,
    Stake,
    best_stake,
    betting_factors,
    detectable_loss,
    growth,
    largest_stake,
    loss_lower_bound,
    mean_above_zero,
    proportion_lower,
    proportion_upper,
    second_moment_above,
    second_moment_below,
)
from pan_audits.statistics.moments import measured_flatness, second_moment_bound
from pan_estimators import InputError


@pytest.mark.parametrize(
    ("p", "q"), [(1 / (1 + math.exp(-1)), 1 / (1 + math.e)), (0.5, 0.5 * math.exp(-1)), (0.5, 0.5 * math.exp(-2))]
)
def test_bound_is_within_a_percent_of_the_normal_approximation_and_above_two_intervals(p, q):
    n, error = 100_000, 0.05
    x, y = round(n * p), round(n * q)
    found = loss_lower_bound(x, n, y, n, error=error)
    normal = math.log(p / q) - stats.norm.isf(error) * math.sqrt((1 - p) / (n * p) + (1 - q) / (n * q))
    two = math.log(proportion_lower(x, n, error=error / 2) / proportion_upper(y, n, error=error / 2))
    assert two < found < normal
    assert found > 0.99 * normal


def test_bound_with_delta_is_below_the_one_without():
    assert (
        0
        < loss_lower_bound(300, 1000, 20, 1000, error=0.01, delta=0.1)
        < loss_lower_bound(300, 1000, 20, 1000, error=0.01)
    )
    assert loss_lower_bound(20, 1000, 300, 1000, error=0.01) == 0


def test_clopper_pearson_bounds_cover():
    for x, n in ((0, 10), (3, 10), (10, 10)):
        low, high = proportion_lower(x, n, error=0.01), proportion_upper(x, n, error=0.01)
        assert 0 <= low <= x / n <= high <= 1
        assert (low, high) == proportion_confint(x, n, alpha=0.02, method="beta")
        if 0 < x < n:
            assert stats.binom.sf(x - 1, n, low) == pytest.approx(0.01)
            assert stats.binom.cdf(x, n, high) == pytest.approx(0.01)


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0, 3.0])
def test_the_growth_of_the_best_stake_is_the_divergence_to_the_border_of_the_promise(epsilon, delta):
    generator = np.random.default_rng(1)
    for p, q in generator.random((40, 2)):
        stake = best_stake(np.array(p), np.array(q), epsilon=epsilon, delta=delta)
        assert (stake.fraction > 0) == (p > math.exp(epsilon) * q + delta)
        if stake.fraction == 0:
            continue
        found = minimize_scalar(
            lambda c, p=p, q=q: (
                entropy(distribution(p), distribution(math.exp(epsilon) * c + delta))
                + entropy(distribution(q), distribution(c))
            ),
            bounds=(q, (p - delta) / math.exp(epsilon)),
            method="bounded",
            options={"xatol": 1e-9},
        )
        best = float(growth(np.array(p), np.array(q), stake, epsilon=epsilon, delta=delta))
        assert best == pytest.approx(found.fun, abs=1e-7)


def distribution(probability):
    return [probability, 1 - probability]


@given(
    epsilon=st.floats(0, 4),
    delta=st.floats(0, 0.5),
    part=st.floats(0, 1),
    centre=st.floats(0, 1),
    q=st.floats(0, 1),
    held=st.floats(0, 1),
)
def test_factors_average_at_most_one_under_the_promise_whatever_is_bet(epsilon, delta, part, centre, q, held):
    p = held * min(1.0, math.exp(epsilon) * q + delta)
    largest = largest_stake(np.array(centre), epsilon=epsilon, delta=delta)
    stake = Stake(part * largest, np.array(centre))
    left, right = np.array([[False, False, True, True], [False, True, False, True]])
    factors = betting_factors(left, right, stake, epsilon=epsilon, delta=delta)
    assert (factors >= 0).all()
    assert factors @ (np.where(left, p, 1 - p) * np.where(right, q, 1 - q)) <= 1 + 1e-9


def test_a_bet_that_could_lose_more_than_everything_is_impossible():
    with pytest.raises(ValueError, match="more than everything"):
        betting_factors(np.array([True]), np.array([True]), Stake(np.array(1.3), np.array(0.5)), epsilon=0.5)


def test_detectable_loss_is_detected_with_the_stated_power_and_a_smaller_one_is_not():
    runs, log_threshold, epsilon, mass = 2000, 16.0, 0.5, 0.3
    loss = detectable_loss(runs, log_threshold=log_threshold, epsilon=epsilon, mass=mass)
    generator = np.random.default_rng(2)

    def power(loss):
        p, q = np.array(mass), np.array(mass * math.exp(-loss))
        best = best_stake(p, q, epsilon=epsilon)
        left, right = generator.random((500, runs)) < p, generator.random((500, runs)) < q
        careful = best._replace(fraction=0.98 * best.fraction)
        factors = betting_factors(left, right, careful, epsilon=epsilon)
        return np.mean(np.log(factors).cumsum(axis=1).max(axis=1) >= log_threshold)

    assert power(loss) > 0.93
    assert power((loss + epsilon) / 2) < 0.7
    assert detectable_loss(0, log_threshold=16, epsilon=0.5) == math.inf
    assert detectable_loss(5, log_threshold=16, epsilon=0.5) == math.inf


def test_shares_of_a_budget_add_up_and_do_not_depend_on_what_is_selected():
    budget = ErrorBudget(1e-6)
    parts = budget.split({"privacy": 8, "accuracy": 1, "hygiene": 1})
    assert sum(part.error for part in parts.values()) == pytest.approx(1e-6)
    assert parts["privacy"].purpose == "run/privacy"
    assert budget.share("one", 4).error == 2.5e-7
    for wrong in (0, -1, 0.6, math.nan):
        with pytest.raises(InputError, match="error budget"):
            ErrorBudget(wrong)


def test_bets_on_moments_find_what_is_wrong_and_leave_the_rest():
    generator = np.random.default_rng(3)
    square = generator.standard_normal(20_000) ** 2
    assert second_moment_above(1.2 * square).refutes(1e-6)
    assert not second_moment_above(square).refutes(1e-2)
    assert second_moment_below(0.8 * square, cap=30, tail=1e-6).refutes(1e-6)
    assert not second_moment_below(square, cap=30, tail=1e-6).refutes(1e-2)
    noise = generator.laplace(0, 0.5, 20_000)
    assert mean_above_zero(noise + 0.1).refutes(1e-6)
    assert not mean_above_zero(noise).refutes(1e-2)


@pytest.mark.parametrize("heavy", [False, True])
def test_bets_on_moments_are_wrong_no_more_often_than_stated(heavy):
    """At the boundary, also for a heavy tail that a normal approximation would get wrong."""
    generator, wrong, runs = np.random.default_rng(4), np.zeros(3), 1500
    for _ in range(runs):
        if heavy:
            values = generator.pareto(2.2, 400) * (2.2 - 1)
            ratios = values
        else:
            ratios = generator.standard_normal(400) ** 2
        centred = generator.laplace(0, math.sqrt(0.5), 400)
        tail = 0.0 if not heavy else 2.0
        wrong += [
            second_moment_above(ratios).refutes(0.05),
            second_moment_below(ratios, cap=30.0, tail=tail).refutes(0.05),
            mean_above_zero(centred).refutes(0.05),
        ]
    assert np.all([proportion_upper(int(count), runs, error=1e-3) < 0.07 for count in wrong])


@pytest.mark.parametrize("odd", [math.nan, math.inf])
def test_a_value_that_is_no_number_has_no_mean(odd):
    values = np.random.default_rng(5).standard_normal(500)
    values[3] = odd
    assert second_moment_above(values**2).refutes(1e-300)
    assert mean_above_zero(values).refutes(1e-300)
    assert second_moment_below(values**2, cap=30, tail=0.0).refutes(1e-300) is math.isnan(odd)


def test_values_whose_squares_overflow_are_bet_on():
    assert second_moment_above(np.full(500, 1e200)).refutes(1e-6)


@pytest.mark.parametrize("shape", ["two-point", "laplace", "normal"])
def test_the_bound_on_a_second_moment_fails_no_more_often_than_stated(shape):
    generator, error, audits = np.random.default_rng(6), 0.05, 3000
    draws = {
        "two-point": lambda: (generator.random(400) < 1 / 12) * math.sqrt(12),
        "laplace": lambda: generator.laplace(0, math.sqrt(0.5), 400),
        "normal": lambda: generator.standard_normal(400),
    }
    bounds = [second_moment_bound(draws[shape]() ** 2, flatness=12.0, error=error) for _ in range(audits)]
    assert proportion_upper(int(np.sum(np.array(bounds) < 1)), audits, error=1e-3) < 0.07
    assert np.median(bounds) < 2
    assert second_moment_bound(np.ones(30), flatness=12.0, error=error) == math.inf


def test_flatness_is_one_for_a_sign_and_three_for_a_normal_variable():
    assert measured_flatness(np.array([-1e200, 1e200])) == 1
    assert measured_flatness(np.random.default_rng(7).standard_normal(10**5)) == pytest.approx(3, rel=0.05)


def test_few_values_are_bet_on_as_well():
    assert second_moment_above(np.full(60, 3.0)).refutes(1e-6)
