"""The interval has the distribution that it claims, down to single users."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from scipy.stats import hypergeom

from pan_estimators import (
    HashedUniverse,
    InputError,
    NumpyRandomness,
    confidence_interval,
    distinct_count,
    laplace,
    optimal_bernoulli,
    pan_private_distinct_sampling,
)
from pan_estimators.density.interval import (
    _bernoulli_cdf,
    _laplace_cdf,
    _output_cdf,
    _sampled_present,
)
from pan_estimators.universes.collisions import users_from_cells
from tests.turns import every


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


@pytest.mark.parametrize("make", [optimal_bernoulli, laplace])
@pytest.mark.parametrize(("users", "m", "present"), every(2, [(60, 30, 25), (60, 60, 3), (40, 10, 40)]))
def test_each_end_misses_with_half_of_the_stated_probability(make, users, m, present):
    estimator, randomness = make(universe=users, epsilon=0.8, sample_size=m), NumpyRandomness(4)
    known, low, high, runs = {}, 0, 0, 2500
    for _ in range(runs):
        state = estimator.update(estimator.create(randomness), np.arange(present), randomness)
        released = round(estimator.release(state, randomness), 2)
        if released not in known:
            known[released] = confidence_interval(estimator, released, level=0.8)
        low += known[released].count_low > present
        high += known[released].count_high < present
    # Half of 20% on each side, six standard errors; an end at 0 or U cannot miss at all.
    for missed, clipped in ((low, present == users), (high, present == 0)):
        assert missed / runs < 0.1 + 0.04
        assert clipped or missed / runs > 0.1 - 0.04


def test_the_interval_narrows_with_the_sample_and_the_budget():
    def width(epsilon, m):
        found = confidence_interval(optimal_bernoulli(universe=5000, epsilon=epsilon, sample_size=m), 0.5)
        return found.density_high - found.density_low

    assert width(0.5, 5000) < width(0.5, 1000) < width(0.2, 1000)


def test_collisions_widen_the_interval_of_a_hashed_universe_and_are_corrected_for():
    estimator = optimal_bernoulli(universe=HashedUniverse(2000), epsilon=0.5, sample_size=2000)
    found = confidence_interval(estimator, 0.5)
    count = distinct_count(estimator, 0.5)
    assert count == pytest.approx(math.log(0.5) / math.log(1 - 1 / 2000))
    assert found.count_low < count < found.count_high
    assert distinct_count(estimator, 1.5) < math.inf
    assert confidence_interval(estimator, 1.5).count_high == math.inf


def test_estimates_far_outside_the_unit_interval_give_an_end():
    estimator = optimal_bernoulli(universe=50, epsilon=0.5, sample_size=50)
    assert confidence_interval(estimator, -9).count_high <= 50
    assert confidence_interval(estimator, 9).count_low >= 0


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
        for _ in range(600):
            state = estimator.update(estimator.create(randomness), np.arange(present), randomness)
            found = confidence_interval(estimator, round(estimator.release(state, randomness), 2), level=0.9)
            assert found.density_low <= found.density_high
            covered += found.count_low <= present <= found.count_high
        assert covered / 600 > 0.9 - 0.04


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


@pytest.mark.parametrize(("size", "users"), [(1, 3), (4, 2), (40, 15), (40, 60), (40, 400), (1000, 900)])
def test_users_lie_between_the_ends_that_go_with_their_cells(size, users):
    """Also where every cell is full, and an upper end by a mean that stops growing would be none."""
    generator, missed, runs = np.random.default_rng(8), 0.2, 2000
    known, outside = {}, 0
    for _ in range(runs):
        cells = np.unique(generator.integers(0, size, users)).size
        if cells not in known:
            known[cells] = users_from_cells(cells, cells, size, missed)
        low, high = known[cells]
        outside += not low <= users <= high
    assert outside / runs <= missed
    assert users_from_cells(size, size, size, missed)[1] == math.inf
