"""The Laplace estimator and its relatives: formulas against simulation, quadrature and exact sums."""

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pan_proofs.density.claims.laplace.cells import density_ratio
from pan_proofs.density.claims.laplace.privacy import kept_over_redrawn, redrawn_over_kept
from pan_proofs.density.claims.quantized_laplace.quantizer import unit_levels
from pan_proofs.density.lemmas.accuracy.laplace_accuracy_steps import three_bounds
from pan_proofs.density.lemmas.real_cells.gaussian_errors import theta, uniform_second_moment
from pan_proofs.density.lemmas.real_cells.quantized_cells import induced_pair, initial, regions
from pan_proofs.density.lemmas.real_cells.quantizer_steps import user_variance as quantised_variance
from pan_proofs.density.lemmas.real_cells.truncated_distributions import (
    eta,
    mean,
    normaliser,
    reach,
    total_variation,
    user_variance,
    variance,
)
from pan_proofs.engines.obligation import Status
from pan_proofs.foundations.claims.gaussian_tail import gaussian_tail
from pan_proofs.foundations.ladders import positive_ladder
from pan_proofs.foundations.laplace_integrals import laplace_density, laplace_generating_function, laplace_integral
from pan_proofs.foundations.subexponential_steps import tail_bound
from pan_proofs.ledger.claim import ProofVerdict, Role
from pan_proofs.ledger.notation import alpha, delta_1, delta_2, epsilon, m, scale

VERDICTS = {
    "laplace_cells.state_privacy": ProofVerdict.PROVED,
    "lemma.gaussian_tail": ProofVerdict.PROVED,
    "lemma.laplace_sum_tail": ProofVerdict.PROVED,
    "thesis.laplace_privacy": ProofVerdict.REFUTED,
    "thesis.subexponential": ProofVerdict.PROVED_AMENDED,
    "thesis.laplace_accuracy": ProofVerdict.PROVED_AMENDED,
    "thesis.quantizer": ProofVerdict.PROVED_AMENDED,
    "thesis.truncated": ProofVerdict.PROVED,
    "thesis.gaussian": ProofVerdict.PROVED,
}
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


@pytest.mark.parametrize("identifier", VERDICTS)
def test_every_verdict_is_derived(identifier, entries):
    claim = entries[identifier].claim
    assert claim.verdict is VERDICTS[identifier]
    assert {"sympy", "flint"} <= set(claim.engines)


def test_refuted_and_amended_readings_say_so(entries):
    privacy = entries["thesis.laplace_privacy"].claim
    assert privacy.nearby == "laplace_cells.state_privacy"
    assert [part.holds for part in privacy.parts if part.role is Role.READING] == [True, False, False, False]


@given(st.floats(0.456, 0.545))
@few
def test_the_ratio_is_strictly_inside_its_bounds_on_the_interval_of_the_caption(place):
    ratio = density_ratio(sp.Symbol("z"), sp.Rational(45, 100), sp.Rational(55, 100), sp.Integer(1))
    assert abs(float(sp.log(ratio.subs("z", sp.Float(place))))) < 0.0901


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


def test_the_exact_tail_of_a_sum_is_what_is_simulated():
    sums = np.abs(np.random.default_rng(2).laplace(size=(RUNS // 8, 8)).sum(axis=1))
    for deviation in (1.0, 4.0, 8.0):
        assert near(sums >= deviation, sum_tail(8, deviation))


def test_a_sum_is_a_normal_variable_of_random_variance():
    source = np.random.default_rng(3)
    waits = source.exponential(size=(RUNS // 4, 4)).sum(axis=1)
    mixed = np.abs(np.sqrt(2 * waits) * source.standard_normal(len(waits)))
    for deviation in (1.0, 3.0, 6.0):
        assert near(mixed >= deviation, sum_tail(4, deviation))


@given(st.floats(0.2, 3), st.floats(-0.9, 0.9))
@few
def test_the_generating_function_is_the_integral(width, share):
    rate = share / width
    found = float(laplace_generating_function(sp.Float(width), sp.Float(rate)))
    expected = integrate.quad(lambda z: math.cosh(rate * z) * math.exp(-z / width) / width, 0, 300 * width, limit=200)[
        0
    ]
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.more
@given(st.floats(0.3, 3), st.floats(-2, 2), st.floats(0.1, 2))
@few
def test_integrals_against_the_density_agree_with_quadrature(width, start, length):
    z = sp.Symbol("z", real=True)
    ends = sp.Float(start), sp.Float(start + length)
    found = float(laplace_integral(z**2, z, sp.Integer(0), sp.Float(width), *ends))
    density = sp.lambdify(z, z**2 * laplace_density(z, sp.Integer(0), sp.Float(width)), "math")
    inside = [0.0] if start < 0 < start + length else None
    assert found == pytest.approx(integrate.quad(density, start, start + length, points=inside)[0], abs=1e-8)


def test_an_unknown_order_of_ends_is_refused():
    z, low = sp.symbols("z c", real=True)
    with pytest.raises(ValueError, match="cannot tell"):
        laplace_integral(sp.Integer(1), z, sp.Integer(0), sp.Integer(1), low, sp.oo)


def test_a_ladder_needs_a_positive_variable_and_right_rungs():
    t, anything = sp.Symbol("t", positive=True), sp.Symbol("s", real=True)
    one = sp.Integer(1)
    good = positive_ladder("good", t, (sp.exp(t) - 1 - t, sp.exp(t) - 1, sp.exp(t)), (one, one))
    assert all(one.status is Status.DISCHARGED for one in good)
    below = positive_ladder("below", t, (sp.exp(t) - 2, sp.exp(t)), (one,))
    assert not all(one.status is Status.DISCHARGED for one in below)
    with pytest.raises(ValueError, match="positive"):
        positive_ladder("wrong", anything, (anything, one), (one,))


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


@pytest.mark.more
@given(budgets, st.floats(0.2, 3), st.floats(-1, 1))
@few
def test_levels_and_bits_of_the_quantiser_agree_with_quadrature(budget, width, centre):
    values = {epsilon: budget, scale: width, initial: centre}
    middle = centre + budget * width / 2
    distributions = [stats.laplace(centre, width), stats.laplace(centre + budget * width, width)]
    upper = regions()[1]
    assert [float(p.subs(values)) for p in induced_pair()] == pytest.approx(
        [distribution.sf(middle) for distribution in distributions]
    )
    moment = sum(
        integrate.quad(
            lambda z, distribution=distribution: z * distribution.pdf(z),
            middle,
            middle + 60 * width,
            points=[distribution.mean()],
            limit=200,
        )[0]
        for distribution in distributions
    )
    assert float(upper.mean.subs(values)) == pytest.approx(moment, abs=1e-5)


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


def test_truncation_helps_with_the_means_of_the_figure_and_hurts_with_means_at_the_ends():
    inside = float(user_variance().subs({eta: sp.Rational(1, 20), reach: sp.Rational(1, 2)}))
    at_ends = float(user_variance().subs({eta: sp.Rational(1, 20), reach: sp.Rational(1, 20)}))
    assert inside * 0.01 == pytest.approx(1.3998, abs=1e-4)
    assert at_ends * 0.01 == pytest.approx(2.9995, abs=1e-4)


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


@pytest.mark.slow
@given(st.floats(0.05, 3))
@few
def test_the_flat_second_moment_agrees_with_quadrature(half_budget):
    found = float(uniform_second_moment().subs(theta, sp.Float(half_budget, 40)))
    total = integrate.quad(lambda y: math.cosh(half_budget * y), 0, 1)[0]
    second = integrate.quad(lambda y: y**2 * math.cosh(half_budget * y), 0, 1)[0]
    assert found == pytest.approx(second / total, rel=1e-8)
    assert found < 1 / 3 + 2 * half_budget**2 / 45
