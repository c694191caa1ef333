"""Ids a second of the distinct user counter with the secure source, on one core, beside DataSketches HLL."""

from __future__ import annotations

import time
from collections import deque

import datasketches
import numpy as np
import pandas
import polars
import pyarrow
import pytest

from pan_estimators import DistinctUserCounter

BATCH = 4 * 10**6
IDS = np.random.default_rng(1).integers(0, 10**9, BATCH)
WHOLE = {"numpy": lambda: IDS, "Arrow": lambda: pyarrow.array(IDS), "polars": lambda: polars.Series(IDS)}
WHOLE["pandas"] = lambda: pandas.Series(IDS)
TEXTS = {
    "Arrow": lambda: pyarrow.array(polars.Series(IDS).cast(polars.String).to_arrow()),
    "polars": lambda: polars.Series(IDS).cast(polars.String),
    "pandas": lambda: pandas.Series(polars.Series(IDS).cast(polars.String).to_pandas()).astype("str"),
}


def feeding(benchmark, figure, ids, kind, goal):
    """Million ids a second of processor time: the best of ten batches after the first one."""
    counter = DistinctUserCounter(epsilon=0.5)
    counter.add_many(ids)
    taken = []
    for _ in range(10):
        began = time.process_time()
        counter.add_many(ids)
        taken.append(time.process_time() - began)
    first = ids[: 2 * 10**5]
    some = next(getattr(first, name) for name in ("to_pylist", "to_list", "tolist") if hasattr(first, name))()
    sketch = datasketches.hll_sketch(12).update
    began = time.process_time()
    deque(map(sketch, some), maxlen=0)
    beside = len(some) / (time.process_time() - began) / 1e6
    found = BATCH / min(taken) / 1e6
    figure(f"distinct counter, {kind}: million ids/s", found, f">= {goal}", f"HLL {beside:.1f}")
    benchmark.pedantic(counter.add_many, (ids,), rounds=5)


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers(benchmark, figure, kind):
    feeding(benchmark, figure, WHOLE[kind](), f"64-bit integers of {kind}", 50)


@pytest.mark.parametrize("kind", TEXTS)
def test_texts(benchmark, figure, kind):
    feeding(benchmark, figure, TEXTS[kind](), f"strings of {kind}", 15)


def test_one_id_a_call(benchmark, figure):
    counter = DistinctUserCounter(epsilon=0.5)
    ids = IDS[:20_000].tolist()
    began = time.process_time()
    for one in ids:
        counter.add(one)
    figure("distinct counter, one id a call: ns", (time.process_time() - began) / len(ids) * 1e9, "none")
    benchmark.pedantic(counter.add, (7,), rounds=1000)
