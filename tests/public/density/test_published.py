"""Bounds on the error, intervals and likelihoods of the published and calibrated estimators."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from scipy.optimize import differential_evolution
from scipy.stats import hypergeom

from pan_estimators import (
    HashedUniverse,
    InputError,
    NumpyRandomness,
    calibrated_bernoulli,
    confidence_interval,
    distinct_count,
    dwork_bound,
    laplace,
    laplace_bound,
    last_update_of_each,
    least_sample_size,
    log_likelihood,
    optimal_bernoulli,
    optimal_bernoulli_bound,
    pan_private_distinct_sampling,
    tightest_beta,
)
from pan_estimators.density.interval import (
    _bernoulli_cdf,
    _laplace_cdf,
    _output_cdf,
    _sampled_present,
)
from pan_estimators.density.likelihood import _log_laplace_sum
from pan_estimators.density.sampled_cells import SampledCellsState
from pan_estimators.universes.collisions import users_from_cells
from tests.public.density.instances import budgeted

BOUNDS = [dwork_bound, optimal_bernoulli_bound, laplace_bound]


@pytest.mark.parametrize("make", BOUNDS)
@pytest.mark.parametrize(("epsilon", "alpha", "m"), [(0.5, 0.2, 5000), (0.1, 0.2, 90_000)])
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
def test_least_sample_size_is_the_global_minimum_of_the_printed_problem(make):
    bound, alpha, beta = make(0.5), 0.1, 0.05
    plan = least_sample_size(bound, alpha=alpha, beta=beta)
    found = differential_evolution(
        lambda deltas: printed_sample_size(bound, alpha, beta, deltas), [(0, 1)] * 4, seed=2, tol=1e-12, maxiter=3000
    )
    assert plan.beta <= beta
    assert plan.sample_size == pytest.approx(math.ceil(found.fun), rel=1e-3)
    assert plan.sample_size <= math.ceil(found.fun)
    assert tightest_beta(bound, alpha=alpha, sample_size=plan.sample_size - 1).beta > beta


def test_a_hopeless_sample_gets_a_beta_of_one_and_an_ample_one_a_tiny_beta():
    assert tightest_beta(dwork_bound(0.1), alpha=0.01, sample_size=10).beta == 1
    assert tightest_beta(optimal_bernoulli_bound(2.0), alpha=0.9, sample_size=10**7).beta < 1e-100


@pytest.mark.parametrize("make", [dwork_bound, laplace_bound, optimal_bernoulli_bound])
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 500])
def test_the_largest_sample_of_all_has_an_error_probability(make, epsilon):
    for alpha in (1e-300, 1e-5, 0.1, 1 - 1e-16):
        for m in (1, 10**12, 2**62):
            plan = tightest_beta(make(epsilon), alpha=alpha, sample_size=m)
            assert 0 <= plan.beta <= 1
            assert plan.beta == 1 or (0 < plan.delta_1 < 1 and 0 < plan.delta_2 < 1)


def laplace_cdf(x, scale):
    return 0.5 * math.exp(x / scale) if x < 0 else 1 - 0.5 * math.exp(-x / scale)


def test_distribution_given_the_sample_is_the_brute_force_one():
    estimator = optimal_bernoulli(universe=9, epsilon=0.7, sample_size=5)
    p, q = estimator.cells.p_init, estimator.cells.p_upd
    for present in range(6):
        expected = 0.0
        for bits in itertools.product((0, 1), repeat=5):
            chances = [q if place < present else p for place in range(5)]
            weight = math.prod(c if bit else 1 - c for c, bit in zip(chances, bits, strict=True))
            estimate = (sum(bits) / 5 - p) / (q - p)
            expected += weight * laplace_cdf(0.4 - estimate, estimator.noise_scale)
        assert _bernoulli_cdf(estimator, 0.4, np.array([present]))[0] == pytest.approx(expected, abs=1e-12)


def test_distribution_of_laplace_cells_agrees_with_simulation():
    estimator, generator = laplace(universe=8, epsilon=0.6, sample_size=4), np.random.default_rng(3)
    noise = generator.laplace(0, estimator.noise_scale, (400_000, 5)).sum(axis=1)
    for present in (0, 2, 4):
        simulated = np.mean(present / 4 + noise <= 0.3)
        assert _laplace_cdf(estimator, 0.3, np.array([present]))[0] == pytest.approx(simulated, abs=0.004)


@pytest.mark.parametrize(
    ("make", "users", "m", "present"),
    [
        (optimal_bernoulli, 60, 30, 25),
        (optimal_bernoulli, 40, 10, 40),
        (laplace, 60, 60, 3),
        (calibrated_bernoulli, 60, 60, 25),
        (calibrated_bernoulli, 60, 30, 60),
    ],
)
def test_each_end_misses_with_half_of_the_stated_probability(make, users, m, present):
    estimator, randomness = budgeted(make, 0.8, universe=users, sample_size=m), NumpyRandomness(4)
    known, low, high, runs = {}, 0, 0, 1500
    for _ in range(runs):
        state = estimator.update(estimator.create(randomness), np.arange(present), randomness)
        released = round(estimator.release(state, randomness), 2)
        if released not in known:
            known[released] = confidence_interval(estimator, released, level=0.8)
        low += known[released].count_low > present
        high += known[released].count_high < present
    # Half of 20% on each side, five standard errors; an end at U cannot miss at all. Outputs of the calibrated
    # estimator are integers, so that some of the 10% is lost.
    for missed, clipped in ((low, present == users), (high, False)):
        assert missed / runs < 0.1 + 0.04
        assert clipped or missed / runs > (0.03 if make is calibrated_bernoulli else 0.06)
    assert distinct_count(estimator, 0.5) == users / 2


def test_collisions_widen_the_interval_of_a_hashed_universe_and_are_corrected_for():
    estimator = optimal_bernoulli(universe=HashedUniverse(2000), epsilon=0.5, sample_size=2000)
    found = confidence_interval(estimator, 0.5)
    count = distinct_count(estimator, 0.5)
    assert count == pytest.approx(math.log(0.5) / math.log(1 - 1 / 2000))
    assert found.count_low < count < found.count_high
    assert distinct_count(estimator, 1.5) < math.inf
    assert confidence_interval(estimator, 1.5).count_high == math.inf


def test_an_adaptive_sample_has_no_interval():
    with pytest.raises(InputError, match="no known distribution, hence no interval"):
        confidence_interval(pan_private_distinct_sampling(universe=9, epsilon=0.5, sample_size=3), 0.5)
    with pytest.raises(InputError, match="confidence level"):
        confidence_interval(optimal_bernoulli(universe=9, epsilon=0.5, sample_size=3), 0.5, level=1.0)


def test_ends_never_cross_and_still_cover():
    estimator, randomness = optimal_bernoulli(universe=3, epsilon=8, sample_size=3), NumpyRandomness(5)
    found = confidence_interval(estimator, 0.2, level=0.9)
    assert (found.density_low, found.density_high) == (0, 1 / 3)
    for present in range(4):
        covered = 0
        for _ in range(300):
            state = estimator.update(estimator.create(randomness), np.arange(present), randomness)
            found = confidence_interval(estimator, round(estimator.release(state, randomness), 2), level=0.9)
            assert found.density_low <= found.density_high
            covered += found.count_low <= present <= found.count_high
        assert covered / 300 > 0.9 - 0.09


@pytest.mark.parametrize(
    ("size", "present", "m"), [(50, 20, 10), (50, 0, 10), (50, 50, 10), (90, 45, 90), (10**6, 7, 900)]
)
def test_chances_of_the_sample_are_hypergeometric(size, present, m):
    sampled, weights = _sampled_present(size, present, m)
    assert weights == pytest.approx(hypergeom.pmf(sampled, size, present, m), rel=1e-8, abs=1e-300)
    assert hypergeom.cdf(sampled[0] - 1, size, present, m) + hypergeom.sf(sampled[-1], size, present, m) < 1e-15


@pytest.mark.parametrize("make", [optimal_bernoulli, laplace])
def test_the_largest_universe_is_as_quick_as_a_small_one(make):
    estimator = make(universe=HashedUniverse(2**62), epsilon=0.5, sample_size=20_000)
    began = time.process_time()
    found = confidence_interval(estimator, 0.3)
    # 25 s and more before; 0.1 s on a quiet machine.
    assert time.process_time() - began < 10
    whole = confidence_interval(make(universe=2**40, epsilon=0.5, sample_size=20_000), 0.3, level=0.955)
    assert found.density_low == pytest.approx(whole.density_low, abs=1e-6)
    assert found.density_high == pytest.approx(whole.density_high, abs=1e-6)
    assert found.count_low < distinct_count(estimator, 0.3) < found.count_high < math.inf


@pytest.mark.parametrize("released", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("make", [optimal_bernoulli, laplace])
def test_a_release_that_is_no_number_has_no_interval(make, released):
    estimator = make(universe=HashedUniverse(50), epsilon=0.5, sample_size=50)
    for asked in (confidence_interval, distinct_count):
        with pytest.raises(InputError, match="must be a finite number"):
            asked(estimator, released)
    assert confidence_interval(estimator, 1e308).density_low == 1
    assert confidence_interval(estimator, -1e308).density_high == 0


def test_nodes_are_dense_enough_for_cells_that_hardly_vary():
    estimator = optimal_bernoulli(universe=20_000, epsilon=8, sample_size=20_000)
    present = np.arange(5950, 6100)
    exact = _bernoulli_cdf(estimator, 0.3013, present)
    assert exact.min() < 0.01 < 0.99 < exact.max()
    assert _output_cdf(estimator, 0.3013)(present) == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(("size", "users"), [(1, 3), (4, 2), (40, 60), (40, 400)])
def test_users_lie_between_the_ends_that_go_with_their_cells(size, users):
    """Also where every cell is full, and an upper end by a mean that stops growing would be none."""
    generator, missed, runs = np.random.default_rng(8), 0.2, 1000
    known, outside = {}, 0
    for _ in range(runs):
        cells = np.unique(generator.integers(0, size, users)).size
        if cells not in known:
            known[cells] = users_from_cells(cells, cells, size, missed)
        low, high = known[cells]
        outside += not low <= users <= high
    assert outside / runs <= missed
    assert users_from_cells(size, size, size, missed)[1] == math.inf


U = 4


def updates(*users):
    return last_update_of_each(np.array(users, dtype=np.int64), None, U)


def test_bits_and_output_have_the_brute_force_density_up_to_a_constant():
    estimator = optimal_bernoulli(universe=U, epsilon=0.6, sample_size=3)
    p, q = estimator.cells.p_init, estimator.cells.p_upd
    streams = [(updates(), updates()), (updates(0, 1), updates(1, 3)), (updates(3), updates(0, 1, 2, 3))]

    def density(bits, output, before, after):
        total = 1.0
        for user, bit in zip(sample, bits, strict=True):
            chance = q if before[user] else p
            total *= chance if bit else 1 - chance
        end = 0.0
        for fresh in itertools.product((0, 1), repeat=3):
            weight, final = 1.0, 0
            for user, bit, new in zip(sample, bits, fresh, strict=True):
                weight *= (q if new else 1 - q) if after[user] else float(new == bit)
                final += new
            location = (final / 3 - p) / (q - p)
            end += weight * math.exp(-abs(output - location) / estimator.noise_scale)
        return total * end

    for sample in ([0, 1, 2], [1, 2, 3]):
        for bits in itertools.product((False, True), repeat=3):
            state = SampledCellsState(np.array(sample), np.array(bits))
            found = log_likelihood(estimator, [state], np.array([0.37]), streams)[0]
            expected = np.array([math.log(density(bits, 0.37, *stream)) for stream in streams])
            assert found - found[0] == pytest.approx(expected - expected[0], abs=1e-12)


@pytest.mark.more
def test_likelihood_ratio_averages_to_one():
    """E_Q[dP/dQ] = 1, for real-valued cells whose density has no brute force."""
    estimator, randomness = laplace(universe=U, epsilon=0.5, sample_size=3), NumpyRandomness(1)
    streams = [(updates(1), updates()), (updates(), updates(1, 2))]
    states, outputs = [], []
    for _ in range(10_000):
        state = estimator.update(estimator.create(randomness), [1], randomness)
        states.append(SampledCellsState(state.sample.copy(), state.cells.copy()))
        outputs.append(estimator.release(state, randomness))
    ratio = log_likelihood(estimator, states, np.array(outputs), streams)
    weights = np.exp(np.minimum(ratio[:, 1] - ratio[:, 0], 8))
    assert weights.mean() == pytest.approx(1, abs=0.08)


@pytest.mark.parametrize("terms", [1, 2, 5])
def test_density_of_a_sum_of_laplace_variables_integrates_to_one_with_the_right_variance(terms):
    x = np.linspace(-60, 60, 240_001)
    density = np.exp(_log_laplace_sum(x, 1.3, terms))
    step = x[1] - x[0]
    assert density.sum() * step == pytest.approx(1, abs=1e-6)
    assert (x**2 * density).sum() * step == pytest.approx(2 * terms * 1.3**2, rel=1e-5)


def test_too_many_fresh_cells_and_announced_intrusions_have_no_density():
    estimator = optimal_bernoulli(universe=400, epsilon=0.5, sample_size=400)
    state = estimator.create(NumpyRandomness(1))
    everyone = last_update_of_each(np.arange(400), None, 400)
    nobody = np.zeros(400, dtype=np.int8)
    assert log_likelihood(estimator, [state], np.zeros(1), [(nobody, nobody), (nobody, everyone)]) is None
    state.announced = 1
    assert log_likelihood(estimator, [state], np.zeros(1), [(nobody, nobody)]) is None
