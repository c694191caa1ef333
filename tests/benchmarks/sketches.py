"""The page of distinct counters of large universes: python -m tests.benchmarks.sketches writes SKETCHES.md beside it.

Counters with at most 8 KiB of state, side by side in one run. Errors of the private counters come from exact draws of
which cells are occupied, with fresh keys; those of the sketches without privacy from ids that they hash themselves.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasketches
import numpy as np
import polars
from numpy.typing import NDArray

from pan_estimators import HashedUniverse, SecureRandomness
from pan_estimators.density.distinct.counter import DistinctCounter, distinct_counter
from tests.benchmarks.sketch_flip_merge import SketchFlipMerge

PAGE = Path(__file__).with_name("SKETCHES.md")
SIZES = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
UNIVERSE = 2**62
KEYS = 400
HASHED = 4 * 10**7
"""The most ids that one error of a sketch without privacy takes."""
BATCH, BATCHES = 10**6, 7

Estimates = Callable[[int, np.random.Generator], NDArray[np.float64]]


@dataclass(frozen=True)
class Contender:
    """One line of the page.

    Attributes
    ----------
    name
        What it is.
    loss
        What it promises about the output, in nats.
    state
        What an adversary learns of the state in the middle of the stream.
    hash_known
        Whether the promise holds if the hash is known.
    size
        Bytes of the state.
    estimates
        Independent estimates for a number of distinct ids.
    feed
        A fresh counter that takes an array of ids.
    """

    name: str
    loss: str
    state: str
    hash_known: str
    size: int
    estimates: Estimates
    feed: Callable[[], Callable[[Any], Any]]


def occupied(users: int, shares: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.bool_]:
    """Which cells some user touches, exactly: users fall into cells with these probabilities."""
    rest = max(0.0, 1.0 - float(shares.sum()))
    return np.asarray(generator.multinomial(users, np.append(shares, rest))[:-1] > 0)


def of_counter(name: str, counter: DistinctCounter) -> Contender:
    """A counter of this package."""
    geometry, cells, noise = counter.geometry, counter.cells, counter.calibration
    shares = np.repeat(geometry.spans / float(geometry.size), geometry.widths.astype(np.int64))

    def estimates(users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        found = []
        for _ in range(KEYS):
            touched = occupied(users, shares, generator)
            bits = generator.random(touched.size) < np.where(touched, cells.p_upd, cells.p_init)
            ones = np.add.reduceat(bits.astype(np.int64), geometry.first_cells[:-1])
            ones += generator.geometric(1 - noise.up, ones.size) - generator.geometric(1 - noise.down, ones.size)
            found.append(counter.estimate(ones).count)
        return np.array(found)

    def feed() -> Callable[[Any], Any]:
        randomness = SecureRandomness()
        state = counter.create(randomness)
        return lambda ids: counter.update(state, ids, randomness)

    return Contender(name, "1, state and output", "protected", "yes", geometry.cells // 8, estimates, feed)


def of_sketch_flip_merge(buckets: int, places: int) -> Contender:
    sketch = SketchFlipMerge(buckets, places, 1.0, HashedUniverse(UNIVERSE))
    shares = np.repeat(sketch.shares, buckets)

    def estimates(users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        found = []
        for _ in range(KEYS):
            bits = occupied(users, shares, generator).reshape(places, buckets)
            found.append(sketch.estimate(np.count_nonzero(sketch.flip(bits, generator), axis=1)))
        return np.array(found)

    def feed() -> Callable[[Any], Any]:
        bits = sketch.create()
        return lambda ids: sketch.update(bits, ids)

    name = f"Sketch-Flip-Merge, {buckets} x {places} bits, own implementation"
    return Contender(name, "1, output", "plain until the flip", "yes", buckets * places // 8, estimates, feed)


def of_library(name: str, make: Callable[[], Any], size: Callable[[Any], int]) -> Contender:
    """A sketch of Apache DataSketches. Its ``update`` takes one value: called from a loop that runs in C."""

    def one(users: int, generator: np.random.Generator) -> float:
        sketch = make()
        first = int(generator.integers(0, 2**61))
        deque(map(sketch.update, range(first, first + users)), maxlen=0)
        return float(sketch.get_estimate())

    def feed() -> Callable[[Any], Any]:
        sketch = make()
        return lambda ids: deque(map(sketch.update, ids.tolist()), maxlen=0)

    full = make()
    deque(map(full.update, range(10**6)), maxlen=0)
    return Contender(name, "none", "plain", "no promise", size(full), measured(one), feed)


def of_polars() -> Contender:
    def one(users: int, generator: np.random.Generator) -> float:
        ids = np.arange(users, dtype=np.int64) + int(generator.integers(0, 2**61))
        return float(polars.Series(ids).approx_n_unique())

    def feed() -> Callable[[Any], Any]:
        return lambda ids: polars.Series(ids).approx_n_unique()

    return Contender(
        "polars approx_n_unique, of the whole column", "none", "the column", "no promise", 0, measured(one), feed
    )


def measured(one: Callable[[int, np.random.Generator], float]) -> Estimates:
    """As many estimates as the limit of hashed ids allows, at most 400; none if that is below 4."""

    def estimates(users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        times = min(KEYS, HASHED // users)
        return np.array([one(users, generator) for _ in range(times)] if times >= 4 else [])

    return estimates


def contenders() -> list[Contender]:
    """All of them; the first is the one that the others are compared with."""
    planned = distinct_counter(universe=HashedUniverse(UNIVERSE), promise_epsilon=1)
    low = distinct_counter(universe=HashedUniverse(UNIVERSE), promise_epsilon=1, least=1e3, most=1e5)
    one_level = distinct_counter(
        universe=HashedUniverse(UNIVERSE),
        promise_epsilon=1,
        levels=[(2**16, UNIVERSE // 2**16)],
        p_init=low.cells.p_init,
        p_upd=low.cells.p_upd,
    )
    return [
        of_counter("distinct-counter, planned for 1e4 to 1e9", planned),
        of_counter("distinct-counter, planned for 1e3 to 1e5", low),
        of_counter("one level of redrawn bits, as Pan-Private BLIP", one_level),
        of_sketch_flip_merge(4096, 16),
        of_sketch_flip_merge(2731, 24),
        of_library(
            "DataSketches HLL, 2^13 registers of 8 bits",
            lambda: datasketches.hll_sketch(13, datasketches.tgt_hll_type.HLL_8),
            lambda sketch: len(sketch.serialize_updatable()),
        ),
        of_library(
            "DataSketches CPC, 2^13", lambda: datasketches.cpc_sketch(13), lambda sketch: len(sketch.serialize())
        ),
        of_polars(),
    ]


def error(estimates: NDArray[np.float64], users: int) -> tuple[float, float]:
    """The relative root mean square error, and its standard error."""
    squares = (estimates / users - 1) ** 2
    root = math.sqrt(float(squares.mean()))
    return root, float(squares.std(ddof=1)) / math.sqrt(squares.size) / (2 * root) if root else 0.0


def speeds(taking_part: list[Contender]) -> list[float]:
    """Millions of ids a second of processor time; all contenders get the same batches in turn."""
    generator = np.random.default_rng(3)
    feeds = [contender.feed() for contender in taking_part]
    spent: list[list[float]] = [[] for _ in feeds]
    for _ in range(BATCHES + 1):
        ids = generator.integers(0, 2**62, BATCH)
        for feed, times in zip(feeds, spent, strict=True):
            began = time.process_time()
            feed(ids)
            times.append(time.process_time() - began)
    # The first batch also compiles, and meets fresh memory.
    return [BATCH / float(np.median(times[1:])) / 1e6 for times in spent]


def shown(estimates: NDArray[np.float64], users: int) -> str:
    """A cell of the table: error and standard error in percent."""
    if not estimates.size:
        return "not run"
    found, deviation = error(estimates, users)
    return "above 100" if found > 1 else f"{100 * found:.2f} ± {100 * deviation:.2f}"


INTRODUCTION = """# Distinct counters of large universes

Counters with about 8 KiB of state, side by side in one run. Written by `{command}`, not by hand.

- *error*: the relative root mean square error in percent, with its standard error. Each private counter has
  {keys} fresh keys for each number of users. Its occupied cells are drawn from their exact distribution. The sketches
  without privacy hash their ids themselves: up to {hashed:,} ids a cell of the table, and at least 4 sketches.
- *promise*: the loss about one user, in nats. The counters of this package promise it about the state at one
  intrusion and the output jointly.
- *state in the middle*: whether an adversary learns which users have appeared. Sketch-Flip-Merge flips its bits
  once, at the end. Until then its bits are plain, and afterwards it takes no more ids.
- *hash known*: whether the promise holds if the adversary knows the hash.
- *million ids/s*: 64-bit integers from a numpy array, for each second of processor time, in batches of
  {batch:,}. The sketches of DataSketches take one value a call; the conversion to a list is part of their time.

Sketch-Flip-Merge is an own implementation from the paper of Hehir, Ting and Cormode (2023). The bitmap of one
level stands for Pan-Private BLIP of Alaggan, Cunche and Gambs (2018), with one cell for a user, and with cells
and noise of this package.
"""


def page(command: str) -> str:
    """The whole page."""
    taking_part = contenders()
    generator = np.random.default_rng(4)
    lines = [INTRODUCTION.format(command=command, keys=KEYS, hashed=HASHED, batch=BATCH), "## Error, percent", ""]
    lines += ["| | bytes | " + " | ".join(f"{size:.0e}".replace("e+0", "e") for size in SIZES) + " |"]
    lines += ["|---|---:|" + "---:|" * len(SIZES)]
    for contender in taking_part:
        cells = [shown(contender.estimates(users, generator), users) for users in SIZES]
        size = f"{contender.size:,}" if contender.size else "the column"
        lines.append(f"| {contender.name} | {size} | " + " | ".join(cells) + " |")
    lines += ["", "## Promise and speed", ""]
    lines += ["| | promise | state in the middle | hash known | million ids/s | ratio |", "|---|---|---|---|---:|---:|"]
    found = speeds(taking_part)
    for contender, speed in zip(taking_part, found, strict=True):
        lines.append(
            f"| {contender.name} | {contender.loss} | {contender.state} | {contender.hash_known} | {speed:.1f} "
            f"| {found[0] / speed:.2f} |"
        )
    lines += ["", "*ratio*: how many times as fast the first line is.", ""]
    return "\n".join([*lines, f"{os.cpu_count()} cores, Python {platform.python_version()}.", ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args()
    given.out.write_text(page("make sketches"))
    print(given.out.read_text())
