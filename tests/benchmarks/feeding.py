"""Nanoseconds an id, ours beside a sketch that promises nothing: every case is fed the same batches in turn.

Times are of the processor, all threads together. That of a batch is the median over the batches after the first,
which also compiles, lists the sample and meets fresh memory; it is a figure of its own where that takes long.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import datasketches
import numpy as np
import pyarrow

from pan_estimators import Adder, HashedUniverse, SecureRandomness, calibrated_bernoulli

BATCH = 10**6
BATCHES = 7
CALLS = 20_000
USERS = 10**8

Feed = Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """A kind of stream, and how it is counted.

    Attributes
    ----------
    name
        What is fed, and to what.
    universe
        The users, or their number.
    sample_size
        How many of them are sampled.
    batch
        A batch of ids from a generator.
    goal
        How many times as fast as the sketch it should be.
    """

    name: str
    universe: Any
    sample_size: int
    batch: Callable[[np.random.Generator], Any]
    goal: float


def integers(generator: np.random.Generator) -> Any:
    return generator.integers(0, USERS, BATCH)


def numpy_strings(generator: np.random.Generator) -> Any:
    return np.char.add("user-", integers(generator).astype("U9"))


def listed_strings(generator: np.random.Generator) -> Any:
    return numpy_strings(generator).tolist()


def arrow_strings(generator: np.random.Generator) -> Any:
    return pyarrow.array(numpy_strings(generator))


CASES = [
    Case("sparse sample, U = 1e8, m = 4,000", USERS, 4000, integers, 3),
    Case("U = 1e8, m = 1e6", USERS, 10**6, integers, 3),
    Case("everyone, U = m = 1e8", USERS, USERS, integers, 3),
    Case("integers hashed to 2^20 cells, m = 4,000", HashedUniverse(2**20), 4000, integers, 3),
    Case("integers hashed to 2^20 cells, everyone", HashedUniverse(2**20), 2**20, integers, 3),
    Case("integers hashed to 2^40 cells, m = 4,000", HashedUniverse(2**40), 4000, integers, 3),
    Case("integers hashed to 10^12 cells, m = 4,000", HashedUniverse(10**12), 4000, integers, 3),
    Case("strings of numpy, hashed to 2^40 cells, m = 4,000", HashedUniverse(2**40), 4000, numpy_strings, 1),
    Case("strings of Arrow, hashed to 2^40 cells, m = 4,000", HashedUniverse(2**40), 4000, arrow_strings, 1),
    Case("strings in a list, hashed to 2^40 cells, m = 4,000", HashedUniverse(2**40), 4000, listed_strings, 1),
]


@dataclass(frozen=True)
class Row:
    """Nanoseconds an id."""

    case: Case
    ours: float
    first: float
    sketch: float

    @property
    def ratio(self) -> float:
        """How many times as fast as the sketch."""
        return self.sketch / self.ours


def sketch_feed() -> Feed:
    """DataSketches HLL with 2^12 registers. Its ``update`` takes one value: called from a loop that runs in C."""
    update = datasketches.hll_sketch(12).update

    def feed(ids: Any) -> None:
        if not isinstance(ids, list):
            ids = ids.tolist() if isinstance(ids, np.ndarray) else ids.to_pylist()
        deque(map(update, ids), maxlen=0)

    return feed


def our_feed(case: Case) -> Feed:
    """The calibrated estimator with the randomness of a deployment."""
    randomness = SecureRandomness()
    estimator = calibrated_bernoulli(universe=case.universe, epsilon=0.5, sample_size=case.sample_size)
    return partial(estimator.update, estimator.create(randomness), randomness=randomness)


def measure(case: Case, batches: int = BATCHES) -> Row:
    """Feed the estimator and the sketch with the same batches."""
    generator = np.random.default_rng(1)
    feeds = our_feed(case), sketch_feed()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(batches + 1):
        ids = case.batch(generator)
        for feed, spent in zip(feeds, times, strict=True):
            began = time.process_time()
            feed(ids)
            spent.append((time.process_time() - began) / len(ids) * 1e9)
    ours, sketch = (float(np.median(spent[1:])) for spent in times)
    return Row(case, ours, times[0][0], sketch)


@dataclass(frozen=True)
class Calls:
    """Nanoseconds a call with one id, of three ways that were called in turn."""

    case: Case
    update: float
    adder: float
    sketch: float


def measure_calls(case: Case, rounds: int = 5) -> Calls:
    """Feed single ids to ``update``, to an :class:`Adder` and to the sketch in turn."""
    randomness = SecureRandomness()
    estimator = calibrated_bernoulli(universe=case.universe, epsilon=0.5, sample_size=case.sample_size)
    state = estimator.create(randomness)
    feeds: list[Feed] = [
        partial(estimator.update, state, randomness=randomness),
        Adder(estimator, state, randomness).add,
        datasketches.hll_sketch(12).update,
    ]
    times: list[list[float]] = [[], [], []]
    ids = np.random.default_rng(2).integers(0, USERS, CALLS).tolist()
    for _ in range(rounds):
        for feed, spent in zip(feeds, times, strict=True):
            began = time.process_time()
            for one in ids:
                feed(one)
            spent.append((time.process_time() - began) / CALLS * 1e9)
    update, adder, sketch = (float(np.median(spent)) for spent in times)
    return Calls(case, update, adder, sketch)
