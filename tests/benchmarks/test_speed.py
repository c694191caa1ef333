"""Speed, each figure beside a peer or a limit measured in the same run."""

from __future__ import annotations

import time

import numpy as np
import pytest

from pan_audits import Settings, find_mechanism, run_gate
from pan_estimators import NumpyRandomness, create_estimator, load_stream


@pytest.mark.parametrize("name", ["dwork", "optimal-bernoulli", "laplace", "pan-private-distinct-sampling"])
def test_updating_by_a_real_stream(benchmark, figure, name):
    """The peer is ``numpy.unique`` of the same ids, which is what an exact count costs."""
    stream = load_stream("online-retail")
    size = stream.universe.size // (4 if name.startswith("pan") else 1)
    estimator = create_estimator(name, universe=stream.universe, epsilon=0.1, sample_size=size)
    randomness = NumpyRandomness(1)

    def start():
        return (estimator.create(randomness), stream.ids, randomness), {}

    benchmark.pedantic(estimator.update, setup=start, rounds=20)
    times = []
    for _ in range(5):
        began = time.perf_counter()
        np.unique(stream.ids)
        times.append(time.perf_counter() - began)
    ratio = benchmark.stats.stats.median / float(np.median(times))
    figure(f"{name}: update by {stream.ids.size:,} ids, time relative to numpy.unique", ratio, "none")


@pytest.mark.parametrize("name", ["dwork", "optimal-bernoulli", "laplace", "pan-private-distinct-sampling"])
def test_the_gate_decides_a_shipped_estimator(benchmark, figure, name):
    mechanism = find_mechanism(name, parameters={"epsilon": 0.1})
    report = benchmark.pedantic(lambda: run_gate(mechanism, Settings(seed=1)), rounds=1)
    figure(f"seconds for the gate on {name} ({report.verdict})", report.seconds, "< 60 s")
