"""Updates a second beside those of other libraries, in one run. ``make peers`` writes the whole page."""

from __future__ import annotations

import numpy as np
import pytest

from pan_estimators import load_stream
from tests.benchmarks.peers import UNIVERSE, distinct, measure, uniform, zipf


def shipped(name):
    stream = load_stream(name, numbered=True)
    ids = np.asarray(stream.ids, dtype=np.int64) - stream.universe.first
    return (lambda: iter([ids])), stream.universe.size


STREAMS = {
    "online-retail": shipped("online-retail"),
    "nycflights13": shipped("nycflights13"),
    "uniform": (uniform(3 * 10**6), UNIVERSE),
    "zipf": (zipf(3 * 10**6), UNIVERSE),
}


@pytest.mark.parametrize("name", STREAMS)
def test_updates_beside_those_of_peers(benchmark, figure, name):
    batches, universe = STREAMS[name]
    rows = benchmark.pedantic(lambda: measure(batches, universe), rounds=1)
    for row in rows:
        figure(f"{name}: {row.contender.name}, million updates/s", row.speed / 1e6, "none", f"error {row.error:+.1%}")
    assert {row.contender.kind for row in rows} == {"pan-private", "sketch", "column", "exact"}
    exact = [row for row in rows if row.contender.kind == "exact" and row.contender.promise == "none"]
    assert [row.error for row in exact] == [0, 0]
    sketches = [row for row in rows if row.contender.kind == "sketch"]
    assert all(abs(row.error) < 0.1 for row in sketches)


def test_the_exact_count_is_exact(benchmark):
    batches, universe = STREAMS["online-retail"]
    assert benchmark.pedantic(lambda: distinct(batches, universe, None), rounds=1) == 4372
    assert distinct(batches, universe, 1000) == np.unique(next(batches())[:1000]).size
