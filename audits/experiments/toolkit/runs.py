"""The runs of experiments: on several cores, each round of each configuration once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.accuracy_statement import Estimand
from pan_promises.workers import all_done

Floats = NDArray[np.float64]

DEFAULT_SEED = 2022
"""Entropy of the streams and of all runs, unless another is asked for."""

GROUP = 8
"""Number of squared errors that are averaged before they are kept."""

ASSUMED_FLATNESS = 6.0
"""The assumption about estimators without a fixed sample: ``E[error^4] <= 6 E[error^2]^2``, as for a Laplace
distribution.
"""

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
        Whether these are assumed rather than computed from the distribution of the estimator.
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


_PART = 32_768
"""Greatest number of runs that are made together; a multiple of :data:`~experiments.toolkit.runs.GROUP`."""


@dataclass
class Bench:
    """Runs of all configurations, kept for all sentences and plots.

    The runs of a round depend on the seed, the configuration and the number of the round only.
    """

    setting: Any
    seed: int = DEFAULT_SEED
    jobs: int = 1
    progress: Callable[[str], object] | None = None
    _kept: dict[tuple[Configuration, int], Runs] = field(default_factory=dict, repr=False)

    def prepare(
        self, configurations: Iterable[Configuration], rounds: int, what: str, outputs: Collection[Configuration] = ()
    ) -> None:
        """Make the missing runs of a number of rounds."""
        tasks = []
        for configuration in dict.fromkeys(configurations):
            keep = configuration in outputs
            for number in range(rounds):
                kept = self._kept.get((configuration, number))
                if kept is None or (keep and kept.outputs is None):
                    tasks += self._parts(configuration, number, self._count(number), keep)
        self._make(tasks, what)

    def prepare_plots(self, repetitions: Mapping[Configuration, int]) -> None:
        """Make the runs that are plotted."""
        missing = [one for one in repetitions if (one, PLOTTED) not in self._kept]
        self._make([task for one in missing for task in self._parts(one, PLOTTED, repetitions[one], False)], "plots")

    def runs(self, configuration: Configuration, rounds: int) -> Runs:
        """The prepared runs of the first rounds."""
        return joined([self._kept[configuration, number] for number in range(rounds)])

    def plotted(self, configuration: Configuration) -> Runs:
        """The prepared runs of a plot."""
        return self._kept[configuration, PLOTTED]

    def _parts(self, configuration: Configuration, number: int, count: int, keep: bool) -> list[Task]:
        """A round in parts, so that processes can share it. The parts do not depend on the number of processes."""
        return [
            Task(self.setting, self.seed, configuration, number, part, min(_PART, count - start), keep)
            for part, start in enumerate(range(0, count, _PART))
        ]

    def _make(self, tasks: Sequence[Task], what: str) -> None:
        if not tasks:
            return
        if self.progress:
            self.progress(f"{what}, {len({task.configuration for task in tasks})} configurations")
        results = all_done([partial(run, task) for task in tasks], min(self.jobs, len(tasks)))
        parts: dict[tuple[Configuration, int], list[Runs]] = {}
        for task, runs in zip(tasks, results, strict=True):
            parts.setdefault((task.configuration, task.number), []).append(runs)
        self._kept.update({key: joined(found) for key, found in parts.items()})

    def _count(self, number: int) -> int:
        """The number of runs that a round adds. Each round after the first doubles the runs."""
        setting: Setting = self.setting
        return setting.first_runs if number == 0 else setting.runs_after(number + 1) - setting.runs_after(number)
