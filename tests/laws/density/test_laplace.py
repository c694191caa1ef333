"""The Laplace estimator and its relatives: formulas against simulation, quadrature and exact sums."""

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pan_proofs.density.claims.published.accuracy import three_bounds
from pan_proofs.density.claims.published.laplace import density_ratio, kept_over_redrawn, redrawn_over_kept
from pan_proofs.density.claims.real_cells.quantizer import induced_pair, unit_levels
from pan_proofs.density.claims.real_cells.quantizer import user_variance as quantised_variance
from pan_proofs.density.claims.real_cells.truncated import (
    eta,
    mean,
    normaliser,
    reach,
    total_variation,
    user_variance,
    variance,
)
from pan_proofs.foundations.claims.gaussian_tail import gaussian_tail
from pan_proofs.foundations.claims.subexponential import tail_bound
from pan_proofs.ledger.notation import alpha, delta_1, delta_2, epsilon, m

NORMAL_TAIL = sp.sympify(gaussian_tail().parts[0].formal[0]).args[1]
"""The conclusion of the formula, whose assumption is the name of another quantity."""
KINDS = {"wrong constant", "wrong sign", "wrong range", "missing hypothesis", "correct only in the limit"}
RUNS = 400_000
few = settings(max_examples=25, deadline=None)
budgets = st.floats(0.05, 3)


def near(sample, value, deviations=6):
    """A mean of a sample is within so many of its standard errors of a value."""
    sample = np.asarray(sample, dtype=float)
    return abs(sample.mean() - value) <= deviations * sample.std() / math.sqrt(len(sample)) + 1e-12


def sum_tail(users, deviation):
    """P(|X| >= deviation) for a sum of Laplace variables of scale 1, as a difference of two gamma variables."""
    total = 0.0
    for j in range(users):
        for i in range(j + 1):
            wait = math.comb(users + i - 1, i) * math.factorial(i) * 2.0 ** -(users + i)
            total += math.comb(j, i) * deviation ** (j - i) * wait / math.factorial(j)
    return 2 * math.exp(-deviation) * total


def printed_bound(users, deviation):
    branches = tail_bound(sp.Float(deviation), 2 * sp.sqrt(users), sp.sqrt(2))
    return float(branches[deviation > 2 * math.sqrt(2) * users])


@given(budgets, st.floats(0.1, 5), st.floats(-10, 10))
@few
def test_the_ratio_of_two_cells_is_clipped_at_the_means(budget, width, place):
    ratio = density_ratio(sp.Symbol("z"), sp.Integer(0), sp.Float(budget * width), sp.Float(width))
    found = float(sp.log(ratio.subs("z", sp.Float(place))))
    expected = min(max((2 * place / width) - budget, -budget), budget)
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_kept_cell_fits_the_output_as_much_better_than_a_redrawn_one_as_computed():
    source = np.random.default_rng(1)
    redrawn = source.laplace(size=RUNS) + source.laplace(size=RUNS)
    width = 0.2
    (k,) = kept_over_redrawn().free_symbols
    for height in (0.5, 1.0, 2.0):
        inside = np.abs(redrawn - height) < width / 2
        density = 1 / (2 * float(kept_over_redrawn().subs(k, height)))  # the noise's peak is 1/2
        # A hundredth for the curvature within the window.
        assert abs(inside.mean() / width - density) < 6 * math.sqrt(density / width / RUNS) + density / 100
        assert float(redrawn_over_kept().subs(k, height)) == pytest.approx(density / stats.laplace.pdf(height))


@given(st.floats(0, 12))
@few
def test_the_normal_tail_is_below_its_bound(place):
    (x,) = NORMAL_TAIL.free_symbols
    left, right = (float(side.subs(x, place)) for side in NORMAL_TAIL.args)
    assert left == pytest.approx(2 * stats.norm.sf(place), abs=1e-12)
    assert left <= right + 1e-12


@given(st.integers(1, 25), st.floats(0, 4))
@few
def test_the_exact_tail_of_a_sum_is_below_the_printed_bound(users, share):
    deviation = share * 2 * math.sqrt(2) * users
    assert sum_tail(users, deviation) <= printed_bound(users, deviation) * (1 + 1e-9)


def test_the_laplace_estimator_misses_no_more_often_than_the_bounds_allow():
    source = np.random.default_rng(4)
    users, sampled, present, budget, accuracy = 400, 300, 120, 0.5, 0.5
    values = {m: sampled, epsilon: budget, alpha: accuracy, delta_1: 0.9, delta_2: 0.1}
    bounds = [float(bound.subs(values)) for bound in three_bounds()]
    runs = 4000
    seen = source.hypergeometric(present, users - present, sampled, size=runs)
    cells = source.laplace(scale=1 / budget, size=(runs, sampled)).mean(axis=1)
    noise = source.laplace(scale=1 / (budget * sampled), size=runs)
    parts = (
        np.abs(seen / sampled - present / users) >= accuracy * 0.1,
        np.abs(cells) >= accuracy * 0.9 * 0.9,
        np.abs(noise) >= accuracy * 0.9 * 0.1,
    )
    for missed, bound in zip(parts, bounds, strict=True):
        assert missed.mean() <= bound + 5 * math.sqrt(bound / runs)
    assert near(parts[2], bounds[2])
    assert np.abs(seen / sampled + cells + noise - present / users).max() < 2


def test_the_quantised_estimate_has_the_computed_variance_and_the_unchanged_output_the_computed_bias():
    source = np.random.default_rng(5)
    budget, present = 0.7, 3
    first, second = (float(level.subs(epsilon, budget)) for level in unit_levels())
    width = (second - first) / budget
    runs, users = RUNS // 10, 10
    centres = np.where(np.arange(users) < present, second, first)
    bits = source.laplace(centres, width, size=(runs, users)) >= (first + second) / 2
    before, after = (float(p.subs(epsilon, budget)) for p in induced_pair())
    estimate = (bits.mean(axis=1) - before) / (after - before)
    expected = float(quantised_variance().subs(epsilon, budget)) / users
    assert near(estimate, present / users)
    assert near((estimate - present / users) ** 2, expected)
    unchanged = (bits.mean(axis=1) - first) / (second - first)
    share = math.exp(-budget / 2)
    assert near(unchanged - present / users, share * (2 * share + budget - 2) / budget * (0.5 - present / users))


@pytest.mark.more
@given(st.floats(0.02, 1.5), st.floats(0.02, 3))
@few
def test_truncated_cells_agree_with_quadrature(half_budget, slack):
    length = half_budget + slack
    values = {eta: half_budget, reach: length}

    def moment(power, sign=1):
        pieces = (-length, sign * half_budget), (sign * half_budget, length)
        return sum(
            integrate.quad(lambda z: z**power * math.exp(-abs(z - sign * half_budget)) / 2, *ends)[0] for ends in pieces
        )

    mass = moment(0)
    assert float(normaliser().subs(values)) == pytest.approx(mass)
    centre = moment(1) / mass
    spread = moment(2) / mass - centre**2
    assert float(mean().subs(values)) == pytest.approx(centre, rel=1e-6)
    assert float(variance().subs(values)) == pytest.approx(spread, rel=1e-6)
    assert float(user_variance().subs(values)) == pytest.approx(spread / (2 * centre) ** 2, rel=1e-5)
    assert abs(centre) < half_budget
    grid = np.linspace(-length, length, 20_001)
    distributions = [np.exp(-np.abs(grid - sign * half_budget)) / 2 / mass for sign in (1, -1)]
    distance = integrate.trapezoid(np.maximum(distributions[0] - distributions[1], 0), grid)
    assert float(total_variation().subs(values)) == pytest.approx(distance, abs=1e-4)
    assert distance < 1 - math.exp(-half_budget)


@given(budgets, st.floats(0.05, 5))
@few
def test_truncated_gaussian_cells_use_the_budget_and_obey_the_lower_bound(budget, spread):
    assume(budget * spread**2 < 20)
    means = [0.5 - spread**2 * budget, 0.5 + spread**2 * budget]

    def log_weight(y, centre):
        return -((((1 + y) / 2) - centre) ** 2) / (2 * spread**2)

    grid = np.linspace(-1, 1, 20_001)
    logs = [log_weight(grid, centre) for centre in means]
    weights = [np.exp(log - log.max()) for log in logs]
    densities = [weight / integrate.trapezoid(weight, grid) for weight in weights]
    ratio = np.log(densities[1][[0, -1]] / densities[0][[0, -1]])
    assume(np.isfinite(ratio).all())
    assert ratio == pytest.approx([-budget, budget], abs=1e-6)
    moments = [[integrate.trapezoid(density * grid**p, grid) for p in (1, 2)] for density in densities]
    gap = moments[1][0] - moments[0][0]
    user = (moments[1][1] - moments[1][0] ** 2) / gap**2
    assert user >= (3 / budget**2 - 7 / 20) * (1 - 1e-5)
    assert user >= math.exp(budget) / math.expm1(budget) ** 2 * (1 - 1e-5)
