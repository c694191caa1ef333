"""Processor time of an id beside DataSketches HLL, which promises nothing: every case is fed the same batches in turn.

The time of a batch is the median over the batches after the first, which also compiles and lists the sample.
"""

from __future__ import annotations

import time
from collections import deque
from functools import partial

import datasketches
import numpy as np
import polars
import pyarrow
import pytest

from pan_estimators import Adder, DistinctUserCounter, HashedUniverse, SecureRandomness, calibrated_bernoulli

BATCH, BATCHES, CALLS, USERS = 10**6, 7, 20_000, 10**8


def integers(generator):
    return generator.integers(0, USERS, BATCH)


def texts(generator):
    return np.char.add("user-", integers(generator).astype("U9"))


CASES = {
    "sparse sample, U = 1e8, m = 4,000": (USERS, 4000, integers, 3),
    "everyone, U = m = 1e8": (USERS, USERS, integers, 3),
    "integers hashed to 2^40 cells, m = 4,000": (HashedUniverse(2**40), 4000, integers, 3),
    "integers hashed to 2^20 cells, everyone": (HashedUniverse(2**20), 2**20, integers, 3),
    "strings of Arrow, hashed to 2^40 cells, m = 4,000": (
        HashedUniverse(2**40),
        4000,
        lambda generator: pyarrow.array(texts(generator)),
        1,
    ),
}
"""Users, sampled users, a batch of ids, and how many times as fast as the sketch it should be."""


def made(universe, sample_size):
    """The calibrated estimator with the randomness of a deployment, and a new state."""
    randomness = SecureRandomness()
    estimator = calibrated_bernoulli(universe=universe, promise_epsilon=1, sample_size=sample_size)
    return estimator, estimator.create(randomness), randomness


def feed_sketch(ids):
    """Its ``update`` takes one value: it is called from a loop that runs in C."""
    update = datasketches.hll_sketch(12).update
    deque(map(update, ids.tolist() if hasattr(ids, "tolist") else ids.to_pylist()), maxlen=0)


def nanoseconds(feed, ids):
    began = time.process_time()
    feed(ids)
    return (time.process_time() - began) / len(ids) * 1e9


@pytest.mark.parametrize("name", CASES)
def test_batches_beside_a_sketch(benchmark, figure, name):
    universe, size, batch, goal = CASES[name]
    estimator, state, randomness = made(universe, size)
    generator, ours, sketch = np.random.default_rng(1), [], []
    for _ in range(BATCHES + 1):
        ids = batch(generator)
        ours.append(nanoseconds(partial(estimator.update, state, randomness=randomness), ids))
        sketch.append(nanoseconds(feed_sketch, ids))
    own, beside = (float(np.median(times[1:])) for times in (ours, sketch))
    figure(
        f"{name}: times as fast as HLL", beside / own, f">= {goal}", f"{own:.1f} ns an id, first batch {ours[0]:.1f}"
    )
    benchmark.pedantic(estimator.update, (state, ids), {"randomness": randomness}, rounds=3)


@pytest.mark.parametrize("name", list(CASES)[:4])
def test_one_id_a_call(benchmark, figure, name):
    add = Adder(*made(*CASES[name][:2])).add
    ids = np.random.default_rng(2).integers(0, USERS, CALLS).tolist()

    def calls(ids):
        for one in ids:
            add(one)

    calls(ids)
    figure(f"{name}: ns a call of Adder.add", nanoseconds(calls, ids), "< 3000")
    benchmark.pedantic(calls, (ids,), rounds=3)


DISTINCT = {
    "64-bit integers of numpy": (lambda ids: ids, 50),
    "64-bit integers of polars": (polars.Series, 50),
    "strings of Arrow": (lambda ids: pyarrow.array(polars.Series(ids).cast(polars.String).to_arrow()), 15),
}


@pytest.mark.parametrize("kind", DISTINCT)
def test_the_distinct_counter(benchmark, figure, kind):
    """The best of ten batches after the first one."""
    convert, goal = DISTINCT[kind]
    ids = convert(np.random.default_rng(1).integers(0, 10**9, 4 * BATCH))
    counter = DistinctUserCounter(promise_epsilon=1)
    counter.add_many(ids)
    best = min(nanoseconds(counter.add_many, ids) for _ in range(10))
    figure(f"distinct counter, {kind}: million ids/s", 1e3 / best, f">= {goal}")
    benchmark.pedantic(counter.add_many, (ids,), rounds=5)
