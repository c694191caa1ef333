"""Sample-size planning finds the global optimum of the printed problems."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import differential_evolution

from pan_estimators import (
    InputError,
    dwork_bound,
    laplace_bound,
    least_sample_size,
    optimal_bernoulli_bound,
    tightest_beta,
)
from pan_estimators.density import planning
from tests.turns import every

BOUNDS = [dwork_bound, optimal_bernoulli_bound, laplace_bound]


@pytest.mark.parametrize("make", BOUNDS)
@pytest.mark.parametrize(("epsilon", "alpha", "m"), [(0.5, 0.2, 5000), (0.3, 0.15, 20_000), (0.1, 0.2, 90_000)])
def test_tightest_beta_is_the_global_minimum_of_the_printed_objective(make, epsilon, alpha, m):
    bound = make(epsilon)
    plan = tightest_beta(bound, alpha=alpha, sample_size=m)
    assert 0 < plan.beta < 1
    assert plan.beta == pytest.approx(bound.beta(alpha, m, plan.delta_1, plan.delta_2), rel=1e-9)
    found = differential_evolution(
        lambda shares: math.log(bound.beta(alpha, m, *shares)), [(0, 1), (0, 1)], seed=1, tol=1e-12, maxiter=2000
    )
    assert math.log(plan.beta) <= found.fun + 1e-9
    assert math.log(plan.beta) == pytest.approx(found.fun, abs=1e-6)


def printed_sample_size(bound, alpha, beta, deltas):
    """max(m_1, m_2, m_3) of Section 3.2, with the shares of beta on a simplex."""
    d1, d2, u, v = deltas
    d3, d4 = u, (1 - u) * v
    rest = 1 - d3 - d4
    if min(d1, d2, 1 - d1, 1 - d2, d3, d4, rest) <= 1e-9:
        return 1e18
    return max(
        math.log(2 / (beta * d3)) / (2 * (alpha * (1 - d1)) ** 2),
        math.log(2 / (beta * d4)) / (bound.cell_rate * (alpha * d1 * (1 - d2)) ** 2),
        math.log(1 / (beta * rest)) / (bound.epsilon * alpha * d1 * d2),
    )


@pytest.mark.parametrize("make", BOUNDS)
@pytest.mark.parametrize(("epsilon", "alpha", "beta"), every(2, [(0.5, 0.1, 0.05), (0.2, 0.2, 0.01)]))
def test_least_sample_size_is_the_global_minimum_of_the_printed_problem(make, epsilon, alpha, beta):
    bound = make(epsilon)
    plan = least_sample_size(bound, alpha=alpha, beta=beta)
    found = differential_evolution(
        lambda deltas: printed_sample_size(bound, alpha, beta, deltas), [(0, 1)] * 4, seed=2, tol=1e-12, maxiter=3000
    )
    assert plan.beta <= beta
    assert plan.sample_size == pytest.approx(math.ceil(found.fun), rel=1e-3)
    assert plan.sample_size <= math.ceil(found.fun)
    assert tightest_beta(bound, alpha=alpha, sample_size=plan.sample_size - 1).beta > beta


def test_the_optimal_pair_needs_about_a_third_of_the_sample_of_dwork():
    sizes = [
        least_sample_size(make(0.1), alpha=0.1, beta=0.05).sample_size
        for make in (dwork_bound, optimal_bernoulli_bound)
    ]
    assert 0.2 < sizes[1] / sizes[0] < 0.4


def test_the_bound_for_laplace_cells_has_the_constants_of_dworks():
    plans = [tightest_beta(make(0.5), alpha=0.2, sample_size=5000) for make in (dwork_bound, laplace_bound)]
    assert plans[0] == plans[1]


def test_a_hopeless_sample_gets_a_beta_of_one_and_an_ample_one_a_tiny_beta():
    assert tightest_beta(dwork_bound(0.1), alpha=0.01, sample_size=10).beta == 1
    assert tightest_beta(optimal_bernoulli_bound(2.0), alpha=0.9, sample_size=10**7).beta < 1e-100


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0.1), (1, 0.1), (0.1, 0), (0.1, 1), (math.nan, 0.1)])
def test_accuracies_outside_the_unit_interval_are_refused(alpha, beta):
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        least_sample_size(dwork_bound(0.5), alpha=alpha, beta=beta)


@pytest.mark.parametrize("make", [dwork_bound, laplace_bound, optimal_bernoulli_bound])
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 500])
def test_the_largest_sample_of_all_has_an_error_probability(make, epsilon):
    for alpha in (1e-300, 1e-5, 0.1, 1 - 1e-16):
        for m in (1, 10**12, 2**62):
            plan = tightest_beta(make(epsilon), alpha=alpha, sample_size=m)
            assert 0 <= plan.beta <= 1
            assert plan.beta == 1 or (0 < plan.delta_1 < 1 and 0 < plan.delta_2 < 1)


def test_the_logarithm_of_a_probability_is_the_same_by_iteration_as_by_bisection(monkeypatch):
    values = (-100.0, -3000.5, -9999.5)
    expected = [planning._log_probability(value) for value in values]
    monkeypatch.setattr(planning, "_FAR", -50.0)
    assert [planning._log_probability(value) for value in values] == pytest.approx(expected, rel=1e-13)
