"""Runs of one estimator on one stream: their number, and the data that are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.estimand import Estimand

Floats = NDArray[np.float64]

DEFAULT_SEED = 2022
"""Entropy of the streams and of all runs, unless another is asked for."""

GROUP = 8
"""Number of squared errors that are averaged before they are kept."""

ASSUMED_FLATNESS = 6.0
"""The assumption about estimators without a fixed sample: ``E[error^4] <= 6 E[error^2]^2``, as for a Laplace law."""

PLOTTED = -1
"""The round of the runs that are plotted, apart from all that decide a verdict."""


class Setting(Protocol):
    """The sizes of experiments that the toolkit needs. A family adds its own."""

    @property
    def first_runs(self) -> int:
        """Runs of the first round, a multiple of :data:`GROUP`."""
        ...

    @property
    def rounds(self) -> int:
        """The most rounds."""
        ...

    @property
    def left_open(self) -> str:
        """Parameters that the sources leave open, in sentences."""
        ...

    def runs_after(self, rounds: int) -> int:
        """The number of fresh runs of a point after a number of rounds, at least one."""
        ...


class Configuration(Protocol):
    """A configuration to run, as a family describes it: hashable, and equal where the runs are the same."""

    @property
    def contender(self) -> str:
        """The label of the estimator."""
        ...

    def describe(self) -> str:
        """The configuration in words, without the compared name."""
        ...

    def run(self, task: Task) -> Runs:
        """Make the runs of a task with this configuration."""
        ...


@dataclass(frozen=True, eq=False)
class Runs:
    """The data that independent runs keep.

    Attributes
    ----------
    count, group
        Number of runs, and number of runs in each average.
    squares
        For each estimand the averages of the squared error about it, shape ``(count // group,)``. An average over a
        run in which the estimand has no value is NaN. The first estimand is the one that the experiments are about.
    fourth_power
        Mean of the fourth power of the error about the first estimand.
    exceeding
        Number of runs whose output is at least alpha away from the first estimand.
    outputs
        The outputs themselves, shape ``(count,)``, if they are kept.
    flatness
        For each estimand a bound on the kurtosis of the error about it.
    assumed
        Whether these are assumed rather than computed from the law of the estimator.
    second
        For each estimand the exact mean squared error about it, where it is known.
    """

    count: int
    group: int
    squares: Mapping[Estimand, Floats]
    fourth_power: float
    exceeding: int
    outputs: Floats | None
    flatness: Mapping[Estimand, float]
    assumed: bool
    second: Mapping[Estimand, float] | None

    @property
    def first(self) -> Estimand:
        """The estimand that the experiments are about."""
        return next(iter(self.squares))

    @property
    def measured_flatness(self) -> float:
        """The kurtosis of single errors about the first estimand: averages of groups tell much less about it."""
        square = float(self.squares[self.first].mean()) ** 2
        return self.fourth_power / square if square else 0.0

    @property
    def doubtful(self) -> bool:
        """Whether these runs exceed the assumed kurtosis."""
        return self.assumed and self.measured_flatness > self.flatness[self.first]


def joined(parts: Sequence[Runs]) -> Runs:
    """All runs of several rounds."""
    first = parts[0]
    if len(parts) == 1:
        return first
    return Runs(
        count=sum(part.count for part in parts),
        group=first.group,
        squares={target: np.concatenate([part.squares[target] for part in parts]) for target in first.squares},
        fourth_power=float(np.average([part.fourth_power for part in parts], weights=[part.count for part in parts])),
        exceeding=sum(part.exceeding for part in parts),
        outputs=None if any(part.outputs is None for part in parts) else _together(parts),
        flatness=first.flatness,
        assumed=first.assumed,
        second=first.second,
    )


def _together(parts: Sequence[Runs]) -> Floats:
    return np.concatenate([part.outputs for part in parts if part.outputs is not None])


@dataclass(frozen=True)
class Task:
    """Runs that are made together.

    Attributes
    ----------
    setting
        Sizes of the experiments.
    seed
        Entropy of the experiments.
    configuration
        The task.
    number, part
        Number of the round, and of the part of it, which with seed and configuration determine the randomness;
        :data:`PLOTTED` is the round of a plot.
    count
        Number of runs; in a round that decides, a multiple of :data:`GROUP`.
    outputs
        Whether to keep the outputs.
    """

    setting: Any
    seed: int
    configuration: Configuration
    number: int
    part: int
    count: int
    outputs: bool

    @property
    def entropy(self) -> np.random.SeedSequence:
        """The randomness. It does not depend on other runs."""
        text = f"{self.configuration!r} {self.number} {self.part}"
        words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
        return np.random.SeedSequence([self.seed, *map(int, words)])


def run(task: Task) -> Runs:
    """Make the runs of a task."""
    return task.configuration.run(task)
