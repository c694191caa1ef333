"""The page of peers: python -m tests.benchmarks.peers writes tests/benchmarks/PEERS.md.

Every contender is fed the same batches in turn, so that what else the machine does meets all alike. Times are of the
processor, all threads together: updates per second of one core.
"""

from __future__ import annotations

import argparse
import copy
import os
import platform
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasketches
import numpy as np
import opendp.prelude as opendp
import polars

from pan_estimators import SecureRandomness, confidence_interval, create_estimator, distinct_count, load_stream

PAGE = Path(__file__).with_name("PEERS.md")
BATCH, UNIVERSE, TIMES = 10**7, 10**9, 20
LEVEL = 0.6827
"""Of the stated intervals: one standard error to either side, for a normal error."""


class PanPrivate:
    """An estimator of this package, with the randomness of a deployment."""

    def __init__(self, name, universe, sample_size):
        self._random = SecureRandomness()
        self._estimator = create_estimator(name, universe=universe, promise_epsilon=1, sample_size=sample_size)
        self._state = self._estimator.create(self._random)
        self.state_bits = self._estimator.state_bits

    def update(self, ids):
        self._state = self._estimator.update(self._state, ids, self._random)

    def estimate(self):
        self._density = self._estimator.release(copy.deepcopy(self._state), self._random)
        return distinct_count(self._estimator, self._density)

    def stated_error(self):
        interval = confidence_interval(self._estimator, self._density, level=LEVEL)
        return (interval.count_high - interval.count_low) / 2


class Sketch:
    """A sketch of Apache DataSketches. Its ``update`` takes one value: called from a loop that runs in C."""

    def __init__(self, made, serialised):
        self._sketch, self._serialised = made, serialised

    def update(self, ids):
        deque(map(self._sketch.update, ids.tolist()), maxlen=0)

    def estimate(self):
        return self._sketch.get_estimate()

    def stated_error(self):
        return (self._sketch.get_upper_bound(1) - self._sketch.get_lower_bound(1)) / 2

    @property
    def state_bits(self):
        return 8 * len(self._serialised(self._sketch))


class WholeColumn:
    """A function of the whole column: it keeps the ids, and cannot go on with more of them."""

    state_bits = None

    def __init__(self, count, noise=None):
        self._count, self._noise = count, noise

    def update(self, ids):
        self._counted = float(self._count(ids))

    def estimate(self):
        return self._counted

    def stated_error(self):
        return self._noise


def opendp_count():
    """OpenDP's count of distinct ids with Laplace noise; one user changes it by at most 1."""
    opendp.enable_features("contrib")
    column = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.symmetric_distance()
    return column >> opendp.t.then_count_distinct(TO="i64") >> opendp.m.then_laplace(scale=1.0)


@dataclass(frozen=True)
class Contender:
    """One line of the table: a counter, its promise, and the most ids of one batch that it is fed."""

    name: str
    kind: str
    promise: str
    make: Any
    most: int | None = None


def contenders(universe):
    """All of them, for a universe of so many users; the first is the one that the others are compared with."""
    sizes = [20_000, 10**6] if universe > 10**6 else [universe]
    chosen = [("calibrated-bernoulli", m, "state and output: 1") for m in sizes]
    chosen.append(("optimal-bernoulli", sizes[0], "refuted"))
    return [
        *(
            Contender(f"{name}, {m:,} sampled", "ours", promise, lambda name=name, m=m: PanPrivate(name, universe, m))
            for name, m, promise in chosen
        ),
        Contender(
            "DataSketches HLL, 2^12 registers",
            "sketch",
            "none",
            lambda: Sketch(datasketches.hll_sketch(12), lambda sketch: sketch.serialize_compact()),
        ),
        Contender(
            "DataSketches theta, 2^12",
            "sketch",
            "none",
            lambda: Sketch(datasketches.update_theta_sketch(12), lambda sketch: sketch.compact().serialize()),
        ),
        Contender(
            "DataSketches CPC, 2^11",
            "sketch",
            "none",
            lambda: Sketch(datasketches.cpc_sketch(11), lambda sketch: sketch.serialize()),
        ),
        Contender(
            "polars approx_n_unique",
            "column",
            "none",
            lambda: WholeColumn(lambda ids: polars.Series(ids).approx_n_unique()),
            10**7,
        ),
        Contender(
            "polars n_unique", "exact", "none", lambda: WholeColumn(lambda ids: polars.Series(ids).n_unique()), 10**7
        ),
        # P(|X| < 1.15) = 68% for Laplace noise of scale 1
        Contender(
            "OpenDP count of distinct", "exact", "output alone: 1", lambda: WholeColumn(opendp_count(), 1.15), 10**6
        ),
    ]


def uniform(length):
    """Ids that are uniform over the universe."""
    generator = np.random.default_rng(1)
    for start in range(0, length, BATCH):
        yield generator.integers(0, UNIVERSE, min(BATCH, length - start))


def zipf(length):
    """Ids with a probability that falls nearly as one over their rank: their logarithm is uniform."""
    generator = np.random.default_rng(2)
    for start in range(0, length, BATCH):
        logarithms = generator.uniform(0, np.log(UNIVERSE), min(BATCH, length - start))
        yield np.minimum(np.exp(logarithms).astype(np.int64), UNIVERSE) - 1


def measure(batches, universe):
    """Feed all contenders with the same batches in turn: for each its counter, number of ids, seconds and truth."""
    taking_part = contenders(universe)
    rows = {contender: [contender.make(), 0, 0.0] for contender in taking_part}
    seen, truths = np.zeros(universe, dtype=np.bool_), {}
    for number, ids in enumerate(batches):
        for contender, row in rows.items():
            if contender.most and number:
                continue
            given = ids[: contender.most]
            if not number:
                # Code is compiled and libraries set up in another counter.
                contender.make().update(given[:100_000])
            began = time.process_time()
            row[0].update(given)
            row[2] += time.process_time() - began
            row[1] += given.size
            if contender.most:
                truths[contender] = np.unique(given).size
        seen[ids] = True
    return {one: (*row, truths.get(one, int(np.count_nonzero(seen)))) for one, row in rows.items()}


def table(title, rows):
    """Ratios first, absolute numbers second."""
    lines = [
        f"## {title}",
        "",
        "| | promise | times slower | state, bytes | relative error | stated | ids | updates/s | release |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    speeds = {contender: ids / seconds for contender, (_, ids, seconds, _) in rows.items()}
    first = next(iter(speeds))
    for contender, (counter, ids, _, truth) in rows.items():
        began = time.perf_counter()
        estimate = counter.estimate()
        release = f"{(time.perf_counter() - began) * 1e3:.2f} ms"
        error = counter.stated_error()
        whole = counter.state_bits is None
        state = "the column" if whole else f"{-(-counter.state_bits // 8):,}"
        lines.append(
            f"| {contender.name} | {contender.promise} | {speeds[first] / speeds[contender]:.1f} | {state} "
            f"| {estimate / truth - 1:+.2%} | {'' if error is None else f'{error / truth:.2%}'} | {ids:,} "
            f"| {speeds[contender] / 1e6:,.1f} million | {'with the update' if whole else release} |"
        )
    fastest = max((one for one in speeds if one.kind == "sketch"), key=speeds.__getitem__)
    column = next(one for one in speeds if one.kind == "column")
    return [
        *lines,
        "",
        f"{first.name} takes {speeds[first] / speeds[fastest]:.0f} times as many updates a second as the fastest "
        f"sketch that can go on, {fastest.name},",
        f"and {speeds[first] / speeds[column]:.1f} times as many as {column.name}, which cannot.",
        "",
    ]


INTRODUCTION = """# Peers

Distinct counts from Python, side by side in one run. Written by `{command}`, not by hand.

- *times slower*: processor time for each id, relative to the first line. All contenders are fed the same arrays of
  64-bit ids in turn, at most {batch:,} at a time; what takes a whole column is fed the first batch of it only.
- *promise*: what is kept secret of one user, in nats. The sketches promise nothing: their states tell who was there.
  OpenDP protects the output alone; whoever sees its memory sees the ids.
- *state*: what is kept between two batches, keys included, as it would be written to a file. Polars and OpenDP take
  the column as a whole.
- *relative error* is that of this one run, which was random; *stated*: half the width of the interval that the method
  itself states at 68%, over the true count.

The comparison is not of like with like. A sketch counts the distinct ids of *any* universe. A pan-private density needs
a universe known beforehand, and its error is relative to the size of that universe: the fewer of the users appear,
the larger the sample must be for the same relative error. That is the price of a state that may be seen. The speed
comes from the sample: all ids but a few are passed over after one look at a filter. The sketches of DataSketches take
one value a call from Python; they are called from `map`, and the conversion of the array to a list is part of their
time. `approx_n_unique` is a sketch inside, but of a column at once: there is no state to go on with.
"""


def page(length, command):
    """The whole page."""
    lines = [INTRODUCTION.format(command=command, batch=BATCH)]
    lines += table(f"{length:,} ids, uniform over {UNIVERSE:,}", measure(uniform(length), UNIVERSE))
    lines += table(f"{length:,} ids, Zipf-like over {UNIVERSE:,}", measure(zipf(length), UNIVERSE))
    for name in ("online-retail", "nycflights13"):
        stream = load_stream(name, numbered=True)
        ids = np.asarray(stream.ids, dtype=np.int64) - getattr(stream.universe, "first", 0)
        size = stream.universe.size
        # A short stream again and again, which changes no count, so that times can be told.
        title = f"{name}: {ids.size:,} ids of {size:,} users, {TIMES} times over"
        lines += table(title, measure([ids] * TIMES, size))
    return "\n".join([*lines, f"{os.cpu_count()} cores, Python {platform.python_version()}.", ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ids", type=int, default=10**8, help="length of the synthetic streams")
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args()
    command = "make peers" if given.ids == 10**8 else f"python -m tests.benchmarks.peers --ids {given.ids}"
    given.out.write_text(page(given.ids, command))
    print(given.out.read_text())
