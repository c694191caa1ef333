"""Simulated runs beside runs of the estimators themselves, in one go, on the streams of the paper."""

from __future__ import annotations

import time

import numpy as np
import pytest

from experiments.density.simulation import FixedStream, TruncatedGaussian, simulate
from pan_estimators import NumpyRandomness, create_estimator, uniform_stream, zipf_stream

UNIVERSE, EPSILON, SECONDS = 10**5, 0.1, 0.5
STREAMS = {"uniform": uniform_stream, "zipf": zipf_stream}
NAMES = [
    "dwork",
    "optimal-bernoulli",
    "laplace",
    "calibrated-bernoulli",
    "pan-private-distinct-sampling",
    "truncated-gaussian",
]


def runs_per_second(run):
    """Of calls that make so many runs each, after a first one that is not counted."""
    run(2)
    runs, taken = 8, 0.0
    while taken < SECONDS / 4 and runs < 10**6:
        runs *= 4
        began = time.perf_counter()
        run(runs)
        taken = time.perf_counter() - began
    return runs / taken


@pytest.mark.parametrize("kind", list(STREAMS))
@pytest.mark.parametrize("sample_size", [100, 1000, 5000, 50_000, 100_000])
@pytest.mark.parametrize("name", NAMES)
def test_simulated_runs_against_real_ones(benchmark, figure, name, sample_size, kind):
    parameters = {"universe": UNIVERSE, "epsilon": EPSILON, "sample_size": sample_size}
    gaussian = name == "truncated-gaussian"
    estimator = TruncatedGaussian(**parameters) if gaussian else create_estimator(name, **parameters)
    stream = FixedStream.of(STREAMS[kind](universe=UNIVERSE, length=UNIVERSE, seed=1), UNIVERSE)
    generator = np.random.default_rng(1)
    randomness = NumpyRandomness(2)
    simulated = runs_per_second(lambda runs: simulate(estimator, stream, runs, generator))

    def real():
        state = estimator.update(estimator.create(randomness), stream.ids, randomness)
        return estimator.release(state, randomness)

    benchmark.pedantic(real, rounds=7, warmup_rounds=1)
    of_code = 1 / benchmark.stats.stats.median
    figure(f"{name}, m={sample_size}, {kind}: simulated runs/s", simulated, "none", f"real {of_code:.4g}")
    figure("    as many times as real ones", simulated / of_code, "> 1")
