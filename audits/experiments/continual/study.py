"""All numbers of the experiments: errors, coverage, attacks and series."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from experiments.continual.attacks import Attacked, attacks
from experiments.continual.setting import Scale, Workload, real, toggling
from pan_estimators.continual.members import counters_with, create_counter
from pan_estimators.randomness.numpy_randomness import NumpyRandomness


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


def make_study(scale: Scale, seed: int, progress: Callable[[str], object] | None = None) -> Study:
    """Run everything."""

    def say(words: str) -> None:
        if progress:
            progress(words)

    synthetic: list[Errors] = []
    for length in scale.lengths:
        for changes in scale.flippancies:
            say(f"{length:,} steps, {changes} changes")
            workload = toggling(length, changes, seed)
            for rho in scale.budgets:
                synthetic += errors_on(workload, rho, scale, seed)
    found: list[Errors] = []
    workloads, series = [], []
    for name, every in scale.real:
        say(f"{name} by {every}")
        workload, periodic = real(name, every), every != "event"
        workloads.append(workload)
        found += errors_on(workload, scale.budget, scale, seed, periodic=periodic)
        series.append(_series(workload, scale.budget, seed, periodic=periodic))
    say("intervals and attacks")
    return Study(
        scale=scale,
        seed=seed,
        synthetic=tuple(synthetic),
        real=tuple(found),
        workloads=tuple(workloads),
        coverage=tuple(_coverage(scale, seed)),
        attacks=tuple(attacks(scale, seed)),
        series=tuple(series),
    )


def _series(workload: Workload, rho: float, seed: int, *, periodic: bool) -> Series:
    places = np.unique(np.linspace(0, workload.steps - 1, min(_POINTS, workload.steps)).astype(np.int64))
    published = {
        name: outputs_of(counter, workload, NumpyRandomness(seed))[places]
        for name, counter in counters_for(workload, rho, periodic=periodic).items()
    }
    return Series(workload.name, places + 1, workload.counts[places], published)


def _coverage(scale: Scale, seed: int) -> list[Coverage]:
    workload = toggling(scale.coverage_length, 2, seed)
    found = []
    for name, counter in counters_for(workload, scale.budget, periodic=True).items():
        if not hasattr(counter, "half_widths"):
            continue
        randomness = NumpyRandomness(seed)
        within = sum(_keeps_its_distances(counter, workload, randomness) for _ in range(scale.coverage_runs))
        found.append(Coverage(name, scale.coverage_runs, within))
    return found


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
