"""The sizes of the experiments on counters: those of the source's questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_estimators.streams.real import load_turnstile_stream
from pan_promises.errors import require_count

_MINUTES = {"hour": 60, "day": 1440}


@dataclass(frozen=True, eq=False)
class Workload:
    """A stream, divided into steps, and the count after each step.

    Attributes
    ----------
    name
        Its name.
    elements, signs
        The entries.
    ends
        The number of entries up to the end of each step.
    counts
        The number of present elements after each step.
    changes
        The largest number of changes of existence of an element from step to step, the first appearance included.
    """

    name: str
    elements: NDArray[np.int64]
    signs: NDArray[np.int8]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    changes: int

    @property
    def steps(self) -> int:
        """The number of releases."""
        return int(self.ends.size)

    @property
    def typical(self) -> float:
        """The root mean square of the counts: the error of a counter that always says 0."""
        return float(np.sqrt(np.mean(self.counts.astype(np.float64) ** 2)))

    @classmethod
    def of(cls, name: str, elements: NDArray[np.int64], signs: NDArray[np.int8], ends: NDArray[np.int64]) -> Workload:
        """A stream of the general model."""
        order = np.argsort(elements, kind="stable")
        users, kinds = elements[order], signs[order].astype(np.int64)
        begins = np.flatnonzero(np.diff(users, prepend=-1))
        sums = np.cumsum(kinds)
        owners = np.repeat(np.arange(begins.size), np.diff(np.append(begins, users.size)))
        running = sums - (sums[begins] - kinds[begins])[owners]
        step = np.searchsorted(ends, order, side="right")
        # The last entry of an element in a step decides about its existence after the step.
        last = np.flatnonzero((np.diff(users, append=-1) != 0) | (np.diff(step, append=-1) != 0))
        exists = (running[last] > 0).astype(np.int64)
        first = np.diff(owners[last], prepend=-1) != 0
        before = np.where(first, 0, np.append(0, exists[:-1]))
        moved = exists - before
        counts = np.cumsum(np.bincount(step[last], moved, ends.size).astype(np.int64))
        changes = int(np.bincount(owners[last], np.abs(moved)).max(initial=0)) if last.size else 0
        return cls(name, elements, signs, ends, counts, changes)


def toggling(length: int, changes: int, seed: int) -> Workload:
    """Elements that come and go: each changes equally often, in random order."""
    elements = np.random.default_rng(seed).permutation(np.arange(length) // changes).astype(np.int64)
    order = np.argsort(elements, kind="stable")
    begins = np.flatnonzero(np.diff(elements[order], prepend=-1))
    places = np.arange(length) - np.repeat(begins, np.diff(np.append(begins, length)))
    signs = np.empty(length, dtype=np.int8)
    signs[order] = np.where(places % 2, -1, 1)
    return Workload.of(f"T = {length:,}, w = {changes}", elements, signs, np.arange(1, length + 1))


def real(name: str, every: str) -> Workload:
    """A real stream."""
    stream = load_turnstile_stream(name)
    if every == "event":
        ends = np.arange(1, stream.elements.size + 1)
    else:
        width = _MINUTES[every]
        first, last = int(stream.minutes[0]) // width, int(stream.minutes[-1]) // width
        ends = np.searchsorted(stream.minutes, np.arange(first + 1, last + 2) * width, side="left")
    return Workload.of(f"{name} by {every}", stream.elements, stream.signs, ends.astype(np.int64))


@dataclass(frozen=True)
class Scale:
    """The sizes.

    Attributes
    ----------
    lengths
        The numbers T of steps of synthetic streams.
    flippancies
        The numbers w of changes of each element of a synthetic stream.
    budgets
        The values of rho.
    budget
        The rho of real streams, of the curves and of the attacks.
    most_entries
        Entries over which the runs of one counter on one stream are spread: long streams get few runs.
    coverage_length, coverage_runs
        Steps and runs of the measurement of intervals.
    bits
        The numbers of secret bits of the attacks.
    queries
        Queries for each secret bit.
    real
        The real streams, each with the distance between two releases: ``event``, ``hour`` or ``day``.
    """

    lengths: tuple[int, ...] = (2**12, 2**16, 2**18)
    flippancies: tuple[int, ...] = (2, 16, 256)
    budgets: tuple[float, ...] = (0.05, 0.5, 5.0)
    budget: float = 0.5
    most_entries: int = 2**20
    coverage_length: int = 2**8
    coverage_runs: int = 3000
    bits: tuple[int, ...] = (32, 96)
    queries: int = 4
    real: tuple[tuple[str, str], ...] = (
        ("online-retail-pairs", "event"),
        ("online-retail-pairs", "day"),
        ("online-retail-customers", "event"),
        ("online-retail-customers", "day"),
        ("nycflights13-airborne", "event"),
        ("nycflights13-airborne", "hour"),
        ("nycflights13-airborne", "day"),
    )

    def __post_init__(self) -> None:
        for length in self.lengths:
            require_count("the number of steps", length, least=2)
        require_count("the runs of the measurement of intervals", self.coverage_runs)

    def runs(self, entries: int) -> int:
        """The number of runs on a stream of this length."""
        return max(1, min(8, self.most_entries // entries))


WHOLE = Scale()
"""The sizes of ``python -m experiments reproduce turnstile``."""
