"""The page of counts on several processes: python -m tests.benchmarks.machines writes MACHINES.md beside it.

Synthetic ids are made on the workers of a local Dask cluster, so that neither a disk nor this process limits them.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pan_estimators import SecureRandomness
from pan_estimators.density.distinct.counter import DistinctCounter
from pan_estimators.density.distinct.dask import count_in_dask
from pan_estimators.density.distinct.presets import planned_counter

PAGE = Path(__file__).with_name("MACHINES.md")
PART = 2**25
"""Ids of a partition."""
BATCH = 2**22
"""Ids that are in memory at once, 32 MiB."""


@dataclass(frozen=True)
class Consecutive:
    """Consecutive whole numbers, each of them once."""

    start: int
    end: int

    def __call__(self) -> Iterator[Any]:
        """The ids, batch by batch."""
        for start in range(self.start, self.end, BATCH):
            yield np.arange(start, min(self.end, start + BATCH), dtype=np.int64)


def partitions(ids: int) -> Iterator[Consecutive]:
    """A number of ids in partitions."""
    for start in range(0, ids, PART):
        yield Consecutive(start, min(ids, start + PART))


def peak() -> int:
    """The largest memory of this process so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def row(client: Any, counter: DistinctCounter, ids: int, workers: int) -> str:
    """A row of the page: one count."""
    before, start = max(client.run(peak).values()), time.perf_counter()
    state = count_in_dask(counter, partitions(ids), client=client)
    seconds = time.perf_counter() - start
    found = counter.estimate(counter.release(state, SecureRandomness()))
    after = max(client.run(peak).values())
    return (
        f"| {ids:.0e} | {workers} | {seconds:.1f} | {ids / seconds / 1e6:.0f} | {before / 1024:.0f} | "
        f"{after / 1024:.0f} | {found.count:.4g} | {100 * (found.count / ids - 1):+.1f} | "
        f"{found.low:.3g} .. {found.high:.3g} | {'yes' if found.reliable else 'no'} |"
    )


def page(sizes: list[int], workers: int) -> str:
    """The page."""
    from distributed import Client, LocalCluster

    counter = planned_counter(total=1, bits=2**16, least=1e4, most=1e9)
    local = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)
    with local as cluster, Client(cluster) as client:
        count_in_dask(counter, partitions(2 * BATCH), client=client)
        rows = [row(client, counter, ids, workers) for ids in sizes]
        here = peak() / 1024
    return f"""# A distinct count on several processes

Written by `make machines`, not by hand: {platform.machine()}, {os.cpu_count()} cores,
Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} at the end.

- The ids are 0, 1, 2 and so on, each once. Each partition of {PART:,} ids is made and hashed on one worker, in batches
  of {BATCH:,}. The cells are divided among {workers} worker processes of Dask.
- The counter has 8 KiB for 1e4 to 1e9 users and a loss of 1. Its planned standard error is 3.3%.
- *before*, *peak*: the largest memory of a worker before and after the count, in MiB. The process that asks has
  {here:.0f} MiB at most.

| ids | workers | seconds | million ids a second | before | peak | estimate | error, % | 95% interval | reliable |
|---:|---:|---:|---:|---:|---:|---:|---:|---|---|
""" + "".join(f"{one}\n" for one in rows)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--ids", type=float, nargs="+", default=[1e7, 1e8, 1e9])
    asked.add_argument("--jobs", type=int, default=2)
    asked.add_argument("--page", type=Path, default=PAGE)
    given = asked.parse_args()
    given.page.write_text(page([int(one) for one in given.ids], given.jobs))
