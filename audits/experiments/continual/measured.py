"""The errors of the counters on a stream, beside the errors that they state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.continual.setting import Scale
from experiments.continual.workload import Workload
from pan_audits.continual.overview import counters_with
from pan_estimators.continual.members import create_counter
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
