"""The exact likelihood is that of the code, by brute force over coins and by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pan_estimators import NumpyRandomness, laplace, last_update_of_each, log_likelihood, optimal_bernoulli
from pan_estimators.density.likelihood import _log_laplace_sum
from pan_estimators.density.sampled_cells_state import SampledCellsState

U = 4


def updates(*users, deletions=None):
    flags = None if deletions is None else np.array(deletions, dtype=bool)
    return last_update_of_each(np.array(users, dtype=np.int64), flags, U)


def test_the_last_update_of_each_user_counts():
    assert updates(1, 2, 1).tolist() == [0, 1, 1, 0]
    assert updates(1, 2, 1, deletions=[0, 0, 1]).tolist() == [0, -1, 1, 0]


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
    for _ in range(30_000):
        state = estimator.update(estimator.create(randomness), [1], randomness)
        states.append(SampledCellsState(state.sample.copy(), state.cells.copy()))
        outputs.append(estimator.release(state, randomness))
    ratio = log_likelihood(estimator, states, np.array(outputs), streams)
    weights = np.exp(np.minimum(ratio[:, 1] - ratio[:, 0], 8))
    assert weights.mean() == pytest.approx(1, abs=0.05)


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
