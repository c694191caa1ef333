"""The page of peers: python -m tests.benchmarks.peers writes tests/benchmarks/PEERS.md.

Every contender is fed the same batches in turn, so that what else the machine does meets all alike. Times are of the
processor, all threads together: updates per second of one core.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pan_estimators import load_stream
from tests.benchmarks.contenders import Contender, Counter, contenders

PAGE = Path(__file__).with_name("PEERS.md")
BATCH = 10**7
UNIVERSE = 10**9
TIMES = 20
Batches = Callable[[], Iterator[np.ndarray]]


@dataclass(frozen=True)
class Row:
    """What was measured of one contender on one stream."""

    contender: Contender
    ids: int
    seconds: float
    release: float
    error: float
    stated: float | None
    state_bits: int | None

    @property
    def speed(self) -> float:
        return self.ids / self.seconds


def uniform(length: int) -> Batches:
    """Ids that are uniform over the universe."""

    def batches():
        generator = np.random.default_rng(1)
        for start in range(0, length, BATCH):
            yield generator.integers(0, UNIVERSE, min(BATCH, length - start))

    return batches


def zipf(length: int) -> Batches:
    """Ids with a probability that falls nearly as one over their rank: their logarithm is uniform."""

    def batches():
        generator = np.random.default_rng(2)
        for start in range(0, length, BATCH):
            logarithms = generator.uniform(0, np.log(UNIVERSE), min(BATCH, length - start))
            yield np.minimum(np.exp(logarithms).astype(np.int64), UNIVERSE) - 1

    return batches


def distinct(batches: Batches, universe: int, most: int | None) -> int:
    """The exact count, by one mark for each user."""
    seen, left = np.zeros(universe, dtype=np.bool_), most
    for ids in batches():
        seen[ids[:left]] = True
        if left is not None and (left := left - ids.size) <= 0:
            break
    return int(np.count_nonzero(seen))


def measure(batches: Batches, universe: int) -> list[Row]:
    """Feed all contenders with the same batches, one after the other."""
    taking_part = contenders(universe)
    counters: list[Counter] = [contender.make() for contender in taking_part]
    fed, seconds = [0] * len(counters), [0.0] * len(counters)
    for number, ids in enumerate(batches()):
        for place, (contender, counter) in enumerate(zip(taking_part, counters, strict=True)):
            if contender.most and number:
                continue
            given = ids[: contender.most]
            if not number:
                # Code is compiled and libraries set up in another counter.
                contender.make().update(given[:100_000])
            began = time.process_time()
            counter.update(given)
            seconds[place] += time.process_time() - began
            fed[place] += given.size
    truths = {most: distinct(batches, universe, most) for most in {contender.most for contender in taking_part}}
    return [
        _row(contender, counter, truths[contender.most], ids, spent)
        for contender, counter, ids, spent in zip(taking_part, counters, fed, seconds, strict=True)
    ]


def _row(contender: Contender, counter: Counter, truth: int, ids: int, seconds: float) -> Row:
    began = time.perf_counter()
    estimate = counter.estimate()
    release = time.perf_counter() - began
    stated = counter.stated_error()
    return Row(
        contender=contender,
        ids=ids,
        seconds=seconds,
        release=release,
        error=estimate / truth - 1,
        stated=None if stated is None else stated / truth,
        state_bits=counter.state_bits(),
    )


def table(title: str, rows: list[Row]) -> list[str]:
    """Ratios first, absolute numbers second."""
    first = rows[0]
    lines = [
        f"## {title}",
        "",
        "| | promise | times slower | state, bytes | relative error | stated | ids | updates/s | release |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        state = "the column" if row.state_bits is None else f"{-(-row.state_bits // 8):,}"
        stated = "" if row.stated is None else f"{row.stated:.2%}"
        release = f"{row.release * 1e3:.2f} ms" if row.state_bits is not None else "with the update"
        lines.append(
            f"| {row.contender.name} | {row.contender.promise} | {first.speed / row.speed:.1f} | {state} "
            f"| {row.error:+.2%} | {stated} | {row.ids:,} | {row.speed / 1e6:,.1f} million | {release} |"
        )
    fastest = max((row for row in rows if row.contender.kind == "sketch"), key=lambda row: row.speed)
    column = next(row for row in rows if row.contender.kind == "column")
    return [
        *lines,
        "",
        f"{first.contender.name} takes {first.speed / fastest.speed:.0f} times as many updates a second as the fastest "
        f"sketch that can go on, {fastest.contender.name},",
        f"and {first.speed / column.speed:.1f} times as many as {column.contender.name}, which cannot.",
        "",
    ]


INTRODUCTION = """# Peers

Distinct counts from Python, side by side in one run. Written by `{command}`, not by hand.

- *times slower*: processor time for each id, relative to the first line. All contenders are fed the same arrays of
  64-bit ids in turn, at most {batch:,} at a time; what takes a whole column is fed the first batch of it only.
- *promise*: what is kept secret of one user, in nats. The sketches promise nothing: their states tell who was there.
  OpenDP protects the output alone; whoever sees its memory sees the ids.
- *state*: what is kept between two batches, keys included, as it would be written to a file; that of the set as it is
  in memory. Polars and OpenDP take the column as a whole.
- *relative error* is that of this one run, which was random; *stated*: half the width of the interval that the method
  itself states at 68%, over the true count.

The comparison is not of like with like. A sketch counts the distinct ids of *any* universe. A pan-private density needs
a universe known beforehand, and its error is relative to the size of that universe: the fewer of the users appear,
the larger the sample must be for the same relative error. That is the price of a state that may be seen. The speed
comes from the sample: all ids but a few are passed over after one look at a filter. The sketches of DataSketches take
one value a call from Python; they are called from `map`, and the conversion of the array to a list is part of their
time. `approx_n_unique` is a sketch inside, but of a column at once: there is no state to go on with.
"""


def page(length: int, command: str) -> str:
    """The whole page."""
    lines = [INTRODUCTION.format(command=command, batch=BATCH)]
    lines += table(f"{length:,} ids, uniform over {UNIVERSE:,}", measure(uniform(length), UNIVERSE))
    lines += table(f"{length:,} ids, Zipf-like over {UNIVERSE:,}", measure(zipf(length), UNIVERSE))
    for name in ("online-retail", "nycflights13"):
        stream = load_stream(name, numbered=True)
        ids = np.asarray(stream.ids, dtype=np.int64) - getattr(stream.universe, "first", 0)
        size = stream.universe.size
        title = f"{name}: {ids.size:,} ids of {size:,} users, {TIMES} times over"
        lines += table(title, measure(repeated(ids), size))
    return "\n".join([*lines, f"{os.cpu_count()} cores, Python {platform.python_version()}.", ""])


def repeated(ids: np.ndarray) -> Batches:
    """A short stream again and again, which changes no count, so that times can be told."""
    return lambda: iter([ids] * TIMES)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ids", type=int, default=10**8, help="length of the synthetic streams")
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args()
    command = "make peers" if given.ids == 10**8 else f"python -m tests.benchmarks.peers --ids {given.ids}"
    given.out.write_text(page(given.ids, command))
    print(given.out.read_text())
