"""The runs of experiments: on several cores, each round of each configuration once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from experiments.toolkit.runs import DEFAULT_SEED, PLOTTED, Configuration, Runs, Setting, Task, joined, run
from pan_promises.workers import all_done

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
