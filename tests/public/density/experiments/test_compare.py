"""The comparison of estimators at equal memory: what is checked, what is measured, and what the command prints."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from experiments.density.compare import check_small, compared, largest_fitting
from pan_audits import Verdict
from pan_estimators import IntegerUniverse, NumpyRandomness, calibrate_basic, create_estimator, load_stream
from tests.command import validate


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Three estimators instead of nine."""
    names = ("optimal-bernoulli", "pan-private-distinct-sampling", "calibrated-bernoulli")
    monkeypatch.setattr("experiments.density.compare.COMPARED", {name: {} for name in names})


def test_the_very_parameters_that_are_run_are_checked():
    """The same pair with the noise of another sample size keeps less."""
    estimator = largest_fitting("calibrated-bernoulli", universe=IntegerUniverse(10**5), epsilon=0.3, bits=10_000)
    result = check_small(estimator, 0.3)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(0.6, abs=1e-8)
    less = replace(estimator.calibration, up=0.99 * estimator.calibration.up)
    assert check_small(replace(estimator, calibration=less), 0.3).verdict is Verdict.REFUTED


def test_the_error_is_that_of_releases_of_the_whole_stream():
    found = compared(bits=5000, epsilon=0.2, runs=200, seed=1)
    stream = load_stream("online-retail")
    density = np.unique(stream.ids).size / stream.universe.size
    assert found.density == density
    printed, sampling, calibrated = found.rows
    assert found.best is calibrated
    assert [row.keeps for row in found.rows] == [False, False, True]
    assert sampling.check.loss.unbounded
    assert found.ratio(printed) == pytest.approx((printed.rmse / calibrated.rmse) ** 2)
    # Noise of the release, of the bits, and of the choice of the sample.
    size, users = calibrated.sample_size, stream.universe.size
    expected = calibrate_basic(promise_epsilon=0.4, sample_size=size).squared_error(size) + density * (
        1 - density
    ) / size * (1 - size / users)
    assert abs(calibrated.rmse - expected**0.5) < 4 * calibrated.rmse_error
    estimator = create_estimator("optimal-bernoulli", universe=stream.universe, epsilon=0.2, sample_size=357)
    randomness = NumpyRandomness(np.random.SeedSequence(1, spawn_key=(0, 0)))
    state = estimator.update(estimator.create(randomness), stream.ids, randomness)
    assert (estimator.release(state, randomness) - density) ** 2 == printed.squared_errors[0]


def test_the_command_says_what_is_best_and_what_is_left_out(experiments):
    words = ("compare", "--bits", 100, "--parameter", "0.6", "--runs", 3, "--jobs", 1, "--seed", 1)
    found = experiments(*words)
    assert found.out.startswith("None of these estimators keeps its promise.")
    assert "left out: calibrated-bernoulli: a sample of one user takes 129 bits, more than 100" in found.out
    document = json.loads(experiments(*words, "--json").out)
    validate("compare", document)
    assert document["best"] is None
    for wrong in (("--stream", "unifrom"), ("--runs", 1), ("--bits", 0), ("--parameter", "tiny")):
        experiments("compare", *wrong).one_sentence()
