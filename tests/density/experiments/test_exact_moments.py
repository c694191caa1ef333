"""Moments of errors from the distributions of their parts, against derivations and against the estimators
themselves.
"""

from __future__ import annotations

import numpy as np
import pytest

from experiments.density.contenders import CONTENDERS, GAUSS, OPTBERN, PPDS
from experiments.density.exact_moments import chance_of_filling, error_moments
from experiments.density.simulation import FixedStream, simulate
from pan_audits.density.capabilities import derived_statements
from pan_estimators import IntegerUniverse, Target, calibrated_bernoulli, dwork, laplace, optimal_bernoulli

STREAM = FixedStream.of(np.arange(70) % 60, 200)
FIXED = [label for label in CONTENDERS if label != PPDS]


@pytest.mark.parametrize("make", [dwork, optimal_bernoulli, laplace])
@pytest.mark.parametrize("size", [7, 150, 200])
def test_the_second_moment_is_the_derived_variance(make, size):
    estimator = make(universe=200, epsilon=0.3, sample_size=size)
    *_, over_samples = derived_statements(estimator)
    found = error_moments(estimator, STREAM, Target.DENSITY)
    assert found is not None
    assert found.second == pytest.approx(over_samples.value(STREAM.density, size), rel=1e-9)


def test_about_the_sample_it_is_the_stated_variance_averaged():
    estimator = calibrated_bernoulli(universe=200, epsilon=0.3, sample_size=50)
    statement = estimator.statements[1]
    found = error_moments(estimator, STREAM, Target.SAMPLED_DENSITY)
    assert found is not None
    # The variance is linear in the density of the sample, whose mean is that of the stream.
    assert found.second == pytest.approx(statement.value(STREAM.density, 50), rel=1e-9)


@pytest.mark.parametrize("label", FIXED)
def test_both_moments_agree_with_runs(label):
    estimator = CONTENDERS[label].make(IntegerUniverse(200), 0.4, 20)
    found = error_moments(estimator, STREAM, Target.DENSITY)
    assert found is not None
    runs = simulate(estimator, STREAM, 60_000, np.random.default_rng(11))
    error = runs.outputs - STREAM.density
    square = float((error**2).mean())
    assert square == pytest.approx(found.second, rel=0.05)
    assert float((error**4).mean()) / square**2 == pytest.approx(found.flatness, rel=0.12)


def test_the_cells_of_gauss_have_the_variance_that_is_stated():
    estimator = CONTENDERS[GAUSS].make(IntegerUniverse(200), 0.4, 20)
    found = error_moments(estimator, STREAM, Target.SAMPLED_DENSITY)
    assert found is not None
    assert found.second == pytest.approx(estimator.mean_squared_error(STREAM.density), rel=1e-9)


def test_a_sample_that_may_fill_has_no_exact_moments():
    assert error_moments(CONTENDERS[PPDS].make(IntegerUniverse(200), 0.4, 20), STREAM, Target.DENSITY) is None
    assert chance_of_filling(200, 70, 20, 0.4) == 1.0
    assert chance_of_filling(200, 70, 190, 0.4) < chance_of_filling(200, 70, 160, 0.4)


@pytest.mark.more
def test_distinct_sampling_that_is_never_full_is_the_optimal_estimator():
    estimators = [CONTENDERS[label].make(IntegerUniverse(200), 0.4, 200) for label in (OPTBERN, PPDS)]
    one, other = (error_moments(estimator, STREAM, Target.DENSITY) for estimator in estimators)
    assert one == other
    assert one is not None
    runs = simulate(estimators[1], STREAM, 20_000, np.random.default_rng(12))
    assert float(((runs.outputs - STREAM.density) ** 2).mean()) == pytest.approx(one.second, rel=0.06)
