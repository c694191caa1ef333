"""The entropy of noisy counts: predicted bias and variance beside simulations, and the corrected estimator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.schema import binary
from pan_estimators.tables.sites.sufficient_statistics import NoisyEntropy, NoisySufficientStatistics
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError

RUNS = 4000


def drawn(estimator, exact, seed=1):
    """Noisy counts of many runs."""
    random = np.random.default_rng(seed)
    counts = random.multinomial(estimator.rows, exact, size=RUNS).astype(np.float64)
    noise = random.laplace(0, estimator.scale or 1e-300, (estimator.sites, RUNS, len(exact)))
    return counts + noise.sum(axis=0)


def entropy(exact):
    kept = exact[exact > 0]
    return float(-(kept * np.log(kept)).sum())


@pytest.mark.parametrize(
    ("rows", "sites", "scale"), [(2000, 1, 0.0), (2000, 3, 4.0), (20_000, 10, 20.0), (500, 2, 2.0)]
)
def test_bias_and_variance_are_as_predicted_if_counts_are_large(rows, sites, scale):
    exact = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05])
    estimator = NoisyEntropy(rows, sites, scale)
    found = np.array([estimator.plain(counts) for counts in drawn(estimator, exact)])
    error = 4.5 * found.std() / math.sqrt(RUNS)
    for predicted in (estimator.bias(exact), estimator.second_order_bias(exact)):
        assert found.mean() - entropy(exact) == pytest.approx(predicted, abs=error + 0.1 * abs(predicted))
    assert found.var() == pytest.approx(estimator.variance(exact), rel=0.15)


@pytest.mark.parametrize(
    ("exact", "rows", "sites", "scale"),
    [
        (np.full(20, 0.05), 500, 3, 4.0),
        (np.array([0.5, 0.3, 0.1, 0.07, 0.03]), 400, 5, 5.0),
        (np.array([0.5, 0.5, *[0.0] * 14]), 1000, 3, 10.0),
    ],
)
def test_the_corrected_estimator_has_a_fraction_of_the_bias(exact, rows, sites, scale):
    estimator = NoisyEntropy(rows, sites, scale)
    counts = drawn(estimator, exact)
    plain, corrected = (
        np.array([one(line) for line in counts]) - entropy(exact) for one in (estimator.plain, estimator.corrected)
    )
    assert abs(plain.mean()) > 0.01
    assert abs(corrected.mean()) < 0.75 * abs(plain.mean())
    assert np.sqrt((corrected**2).mean()) < np.sqrt((plain**2).mean())


@given(arrays(np.float64, st.integers(1, 12), elements=st.floats(-50, 50)), st.integers(1, 9), st.floats(0, 30))
def test_the_corrected_estimator_is_a_number_and_takes_counts_in_any_order(counts, sites, scale):
    estimator = NoisyEntropy(40, sites, scale)
    assert estimator.corrected(counts) == pytest.approx(estimator.corrected(counts[::-1]), abs=1e-9)


def test_the_entropies_of_a_transcript():
    codes = np.random.default_rng(0).integers(0, 2, (4000, 3))
    codes[:, 1] = codes[:, 0]
    table, mechanism = Table(binary(3), codes), NoisySufficientStatistics(binary(3), 2.0, sites=3)
    transcript = mechanism.release(table, NumpyRandomness(1))
    found = mechanism.entropies(transcript, 4000)
    assert set(found) == {(0, 1), (0, 2), (1, 2)}
    assert found[0, 1] == pytest.approx(math.log(2), abs=0.03)
    assert found[0, 2] == pytest.approx(2 * math.log(2), abs=0.03)


@pytest.mark.parametrize("wrong", [(0, 1, 1.0), (1, 0, 1.0), (1, 1, -1.0), (1, 1, math.inf), (1, 1, "x")])
def test_a_parameter_out_of_range_is_refused(wrong):
    with pytest.raises(InputError):
        NoisyEntropy(*wrong)


def test_predictions_need_a_distribution_and_entropies_need_counts_that_are_not_clipped():
    for probabilities in ([], [0.0, 1.0], [0.5, 0.6]):
        with pytest.raises(InputError, match="the probabilities must be positive"):
            NoisyEntropy(9, 1, 1.0).variance(probabilities)
    with pytest.raises(InputError, match="clip='analyst'"):
        NoisySufficientStatistics(binary(3), 2.0, clip="site").entropies([], 9)
