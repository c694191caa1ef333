"""Bets are conservative exactly, and sharp enough to be of use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import entropy

from pan_audits.statistics import (
    ErrorBudget,
    MixtureBet,
    Stake,
    best_stake,
    betting_factors,
    detectable_loss,
    growth,
    largest_stake,
    mean_above_zero,
    proportion_upper,
    second_moment_above,
    second_moment_below,
)
from pan_audits.statistics.moments import measured_flatness, second_moment_bound
from pan_estimators import InputError


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
def test_the_growth_of_the_best_stake_is_the_divergence_to_the_border_of_the_promise(epsilon, delta):
    for p, q in np.random.default_rng(1).random((30, 2)):
        stake = best_stake(np.array(p), np.array(q), epsilon=epsilon, delta=delta)
        assert (stake.fraction > 0) == (p > math.exp(epsilon) * q + delta)
        if stake.fraction == 0:
            continue

        def apart(c, p=p, q=q):
            border = math.exp(epsilon) * c + delta
            return entropy([p, 1 - p], [border, 1 - border]) + entropy([q, 1 - q], [c, 1 - c])

        bounds = q, (p - delta) / math.exp(epsilon)
        least = minimize_scalar(apart, bounds=bounds, method="bounded", options={"xatol": 1e-9}).fun
        best = float(growth(np.array(p), np.array(q), stake, epsilon=epsilon, delta=delta))
        assert best == pytest.approx(least, abs=1e-7)


UNIT = st.floats(0, 1)
LEFT, RIGHT = np.array([[False, False, True, True], [False, True, False, True]])


@given(epsilon=st.floats(0, 4), delta=st.floats(0, 0.5), part=UNIT, centre=UNIT, q=UNIT, held=UNIT)
def test_factors_average_at_most_one_under_the_promise_whatever_is_bet(epsilon, delta, part, centre, q, held):
    p = held * min(1.0, math.exp(epsilon) * q + delta)
    largest = largest_stake(np.array(centre), epsilon=epsilon, delta=delta)
    factors = betting_factors(LEFT, RIGHT, Stake(part * largest, np.array(centre)), epsilon=epsilon, delta=delta)
    assert (factors >= 0).all()
    weights = np.where(LEFT, p, 1 - p) * np.where(RIGHT, q, 1 - q)
    assert factors @ weights <= 1 + 1e-9
    one = [
        math.exp(MixtureBet(part).log_wealth(counts, epsilon=epsilon, delta=delta)) for counts in np.eye(4, dtype=int)
    ]
    # The counts are in the order: on the left alone, on both, on the right alone, on neither.
    assert np.array(one) @ weights[[2, 3, 1, 0]] <= 1 + 1e-9
    with pytest.raises(ValueError, match="more than everything"):
        betting_factors(LEFT, RIGHT, Stake(1.01 * largest, np.array(centre)), epsilon=epsilon, delta=delta)


@pytest.mark.parametrize(("runs", "delta"), [(300, 0.0), (300, 0.05), (1, 0.05)])
def test_the_wealth_is_the_product_of_the_factors_of_every_pair_of_runs(runs, delta):
    generator = np.random.default_rng(1)
    left, right = generator.random(runs) < 0.5, generator.random(runs) < 0.3
    counts = [int(x.sum()) for x in (left & ~right, left & right, ~left & right, ~left & ~right)]
    for epsilon in (0.0, 0.2, 1.0):
        bet = MixtureBet(0.3)
        fractions, weights = bet._prior()
        assert weights.sum() == pytest.approx(1)
        wealth = sum(
            weight * np.prod(1 + fraction * (left - math.exp(epsilon) * right - delta))
            for fraction, weight in zip(fractions, weights, strict=True)
            if fraction * (math.exp(epsilon) + delta) <= 1
        )
        assert bet.log_wealth(counts, epsilon=epsilon, delta=delta) == pytest.approx(math.log(wealth))


def test_the_wealth_falls_with_epsilon_and_the_bound_is_where_it_crosses_the_level():
    counts, bet = [30_000, 20_000, 22_000, 28_000], MixtureBet(0.1)
    for delta in (0.0, 0.01):
        wealths = [bet.log_wealth(counts, epsilon=e, delta=delta) for e in np.linspace(0, 0.5, 100)]
        assert (np.diff(wealths) <= 0).all()
        bound = bet.loss_bound(counts, error=1e-6, delta=delta)
        at, above = (bet.log_wealth(counts, epsilon=bound + more, delta=delta) for more in (0, 1e-6))
        assert at >= math.log(1e6) > above
        assert 0 < bound < math.log((0.5 - delta) / 0.42)
    assert bet.loss_bound([5, 5, 5, 5], error=1e-6) == 0.0
    assert bet.loss_bound([5000, 0, 0, 5000], error=1e-6) > 3


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
    for few in (0, 5):
        assert detectable_loss(few, log_threshold=16, epsilon=0.5) == math.inf


def test_shares_of_a_budget_add_up_and_do_not_depend_on_what_is_selected():
    budget = ErrorBudget(1e-6)
    parts = budget.split({"privacy": 8, "accuracy": 1, "hygiene": 1})
    assert sum(part.error for part in parts.values()) == pytest.approx(1e-6)
    assert budget.share("one", 4).error == 2.5e-7
    for wrong in (0, -1, 0.6, math.nan):
        with pytest.raises(InputError, match="error budget"):
            ErrorBudget(wrong)


def test_bets_on_moments_find_what_is_wrong():
    """Also in few values, and in those whose squares overflow or that are no numbers."""
    generator = np.random.default_rng(3)
    square = generator.standard_normal(20_000) ** 2
    assert second_moment_above(1.2 * square).refutes(1e-6)
    assert second_moment_below(0.8 * square, cap=30, tail=1e-6).refutes(1e-6)
    assert mean_above_zero(generator.laplace(0.1, 0.5, 20_000)).refutes(1e-6)
    assert second_moment_above(np.full(60, 3.0)).refutes(1e-6)
    assert second_moment_above(np.full(500, 1e200)).refutes(1e-6)
    for odd in (math.nan, math.inf):
        values = np.append(generator.standard_normal(499), odd)
        assert second_moment_above(values**2).refutes(1e-300)
        assert mean_above_zero(values).refutes(1e-300)
        assert second_moment_below(values**2, cap=30, tail=0.0).refutes(1e-300) is math.isnan(odd)


@pytest.mark.parametrize("heavy", [False, True])
def test_bets_on_moments_are_wrong_no_more_often_than_stated(heavy):
    """At the boundary, also for a heavy tail that a normal approximation would get wrong."""
    generator, wrong, runs = np.random.default_rng(4), np.zeros(3), 1000
    for _ in range(runs):
        ratios = generator.pareto(2.2, 400) * 1.2 if heavy else generator.standard_normal(400) ** 2
        wrong += [
            second_moment_above(ratios).refutes(0.05),
            second_moment_below(ratios, cap=30.0, tail=2.0 if heavy else 0.0).refutes(0.05),
            mean_above_zero(generator.laplace(0, math.sqrt(0.5), 400)).refutes(0.05),
        ]
    assert np.all([proportion_upper(int(count), runs, error=1e-3) < 0.08 for count in wrong])


@pytest.mark.parametrize("shape", ["two-point", "normal"])
def test_the_bound_on_a_second_moment_fails_no_more_often_than_stated(shape):
    generator, error, audits = np.random.default_rng(6), 0.05, 2000
    draws = {
        "two-point": lambda: (generator.random(400) < 1 / 12) * math.sqrt(12),
        "normal": lambda: generator.standard_normal(400),
    }
    bounds = [second_moment_bound(draws[shape]() ** 2, flatness=12.0, error=error) for _ in range(audits)]
    assert proportion_upper(int(np.sum(np.array(bounds) < 1)), audits, error=1e-3) < 0.07
    assert np.median(bounds) < 2
    assert second_moment_bound(np.ones(30), flatness=12.0, error=error) == math.inf
    assert measured_flatness(np.array([-1e200, 1e200])) == 1
    assert measured_flatness(generator.standard_normal(10**5)) == pytest.approx(3, rel=0.05)
