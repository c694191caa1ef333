"""The streams and the sizes of the experiments on counters, and their numbers: errors, coverage, attacks, series."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from experiments.continual.attack import Attacked, attacks
from pan_estimators.continual.members import counters_with, create_counter
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.streams.real import load_turnstile_stream
from pan_promises.errors import require_count
from pan_promises.workers import all_done

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


@dataclass(frozen=True)
class Errors:
    """The errors of one counter on one stream.

    Attributes
    ----------
    counter, stream
        Their names.
    adjacency
        That of the counter's promise.
    steps, changes, rho
        The size.
    rmse, largest
        The root mean squared error over all steps and runs, and the largest error of the first run.
    stated, stated_largest
        The largest standard deviation of an output, and the bound that all outputs keep with probability 95%; both
        are about the numbers that the counter names in ``compared_with``, and ``None`` if it states none.
    always_zero
        The error of a counter that always says 0.
    runs
        The number of runs.
    """

    counter: str
    stream: str
    adjacency: str
    steps: int
    changes: int
    rho: float
    rmse: float
    largest: float
    stated: float | None
    stated_largest: float | None
    always_zero: float
    runs: int

    @property
    def hopeless(self) -> bool:
        """Whether a counter that always says 0 has no larger error."""
        return self.rmse >= self.always_zero


def counters_for(workload: Workload, rho: float, *, periodic: bool = False) -> dict[str, Any]:
    """The counters whose promise is about their outputs, told the number of changes of the stream."""
    given = {"steps": workload.steps, "rho": rho, "flippancy": max(1, workload.changes)}
    given |= {"period": 1} if periodic else {}
    made = {name: create_counter(name, values) for name, values in counters_with(given).items()}
    return {name: counter for name, counter in made.items() if not counter.promise.sees_state}


def outputs_of(counter: Any, workload: Workload, randomness: Any) -> NDArray[np.float64]:
    """The outputs of one run."""
    state = counter.create(randomness)
    return np.asarray(counter.follow(state, workload.elements, workload.signs, randomness, workload.ends), dtype=float)


def errors_on(workload: Workload, rho: float, scale: Scale, seed: int, *, periodic: bool = False) -> Iterator[Errors]:
    """The errors of all counters on a stream."""
    for name, counter in counters_for(workload, rho, periodic=periodic).items():
        runs = scale.runs(workload.elements.size)
        squares, largest = [], 0.0
        for run in range(runs):
            randomness = NumpyRandomness(np.random.SeedSequence(seed, spawn_key=(run,)))
            gaps = outputs_of(counter, workload, randomness) - workload.counts
            squares.append(float(np.mean(gaps**2)))
            largest = largest or float(np.abs(gaps).max())
        yield Errors(
            counter=name,
            stream=workload.name,
            adjacency=str(counter.promise.adjacency),
            steps=workload.steps,
            changes=workload.changes,
            rho=rho,
            rmse=float(np.sqrt(np.mean(squares))),
            largest=largest,
            stated=_stated(counter, "noise"),
            stated_largest=_stated(counter, "half_width"),
            always_zero=workload.typical,
            runs=runs,
        )


def _stated(counter: Any, name: str) -> float | None:
    found = getattr(counter, name, None)
    if found is None:
        return None
    return float(found() if callable(found) else found)


_POINTS = 600


@dataclass(frozen=True, eq=False)
class Series:
    """The counts of a real stream, and the outputs of counters in one run, at some of the steps.

    Attributes
    ----------
    name
        The stream.
    steps
        The numbers of the steps.
    counts
        The true counts.
    published
        The outputs by counter.
    """

    name: str
    steps: NDArray[np.int64]
    counts: NDArray[np.int64]
    published: Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Coverage:
    """The number of runs in which all outputs lie within the stated distance of the counts.

    Attributes
    ----------
    counter
        The counter.
    runs, within
        The number of runs, and of those in which all outputs do.
    """

    counter: str
    runs: int
    within: int


@dataclass(frozen=True, eq=False)
class Study:
    """The numbers.

    Attributes
    ----------
    scale, seed
        The sizes and the seed.
    synthetic, real
        The errors on synthetic and on real streams.
    workloads
        The real streams, as they were measured.
    coverage
        The coverage of intervals.
    attacks
        The attacks.
    series
        The counts over time.
    """

    scale: Scale
    seed: int
    synthetic: tuple[Errors, ...]
    real: tuple[Errors, ...]
    workloads: tuple[Workload, ...] = field(repr=False)
    coverage: tuple[Coverage, ...]
    attacks: tuple[Attacked, ...]
    series: tuple[Series, ...]


def make_study(scale: Scale, seed: int, jobs: int = 1, progress: Callable[[str], object] | None = None) -> Study:
    """Run everything; the numbers do not depend on ``jobs``."""
    synthetic = [
        partial(_synthetic, scale, length, changes, seed) for length in scale.lengths for changes in scale.flippancies
    ]
    recorded = [partial(_recorded, scale, name, every, seed) for name, every in scale.real]
    sized = counters_for(toggling(scale.coverage_length, 2, seed), scale.budget, periodic=True)
    covered = [partial(_coverage, scale, name, seed) for name, one in sized.items() if hasattr(one, "half_widths")]
    calls: list[Callable[[], Any]] = [
        partial(attacks, scale.bits, scale.queries, scale.budget, seed),
        *recorded,
        *synthetic,
        *covered,
    ]
    if progress:
        progress(f"{len(synthetic)} synthetic and {len(recorded)} real streams, intervals and attacks")
    found = iter(all_done(calls, jobs))
    attacked = next(found)
    streams, errors = ([next(found) for _ in part] for part in (recorded, synthetic))
    return Study(
        scale=scale,
        seed=seed,
        synthetic=tuple(one for part in errors for one in part),
        real=tuple(one for _, own, _ in streams for one in own),
        workloads=tuple(workload for workload, _, _ in streams),
        coverage=tuple(found),
        attacks=tuple(attacked),
        series=tuple(series for _, _, series in streams),
    )


def _synthetic(scale: Scale, length: int, changes: int, seed: int) -> list[Errors]:
    workload = toggling(length, changes, seed)
    return [one for rho in scale.budgets for one in errors_on(workload, rho, scale, seed)]


def _recorded(scale: Scale, name: str, every: str, seed: int) -> tuple[Workload, list[Errors], Series]:
    """A real stream, its errors, and its counts over time."""
    workload, periodic = real(name, every), every != "event"
    errors = list(errors_on(workload, scale.budget, scale, seed, periodic=periodic))
    return workload, errors, _series(workload, scale.budget, seed, periodic=periodic)


def _series(workload: Workload, rho: float, seed: int, *, periodic: bool) -> Series:
    places = np.unique(np.linspace(0, workload.steps - 1, min(_POINTS, workload.steps)).astype(np.int64))
    published = {
        name: outputs_of(counter, workload, NumpyRandomness(seed))[places]
        for name, counter in counters_for(workload, rho, periodic=periodic).items()
    }
    return Series(workload.name, places + 1, workload.counts[places], published)


def _coverage(scale: Scale, name: str, seed: int) -> Coverage:
    workload = toggling(scale.coverage_length, 2, seed)
    counter, randomness = counters_for(workload, scale.budget, periodic=True)[name], NumpyRandomness(seed)
    within = sum(_keeps_its_distances(counter, workload, randomness) for _ in range(scale.coverage_runs))
    return Coverage(name, scale.coverage_runs, within)


def _keeps_its_distances(counter: Any, workload: Workload, randomness: NumpyRandomness) -> bool:
    """Whether all outputs of a run lie within their distances of the counts, or of those since the last computation."""
    state = counter.create(randomness)
    outputs = counter.follow(state, workload.elements, workload.signs, randomness, workload.ends)
    widths, period = counter.half_widths(state, workload.steps, 0.95), getattr(counter, "period", 1)
    recent = sliding_window_view(np.append(np.zeros(period - 1), workload.counts), period)
    return bool(((outputs >= recent.min(axis=1) - widths) & (outputs <= recent.max(axis=1) + widths)).all())


def by_counter(errors: tuple[Errors, ...], **wanted: Any) -> dict[str, Errors]:
    """The errors of all counters at one size."""
    return {one.counter: one for one in errors if all(getattr(one, key) == value for key, value in wanted.items())}
