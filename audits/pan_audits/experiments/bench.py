"""Where the runs are made: on several cores, each round of each configuration once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pan_audits.experiments.runs import PLOTTED, Configuration, Runs, joined, run
from pan_audits.experiments.setting import DEFAULT_SEED, PUBLISHED, Setting


@dataclass
class Bench:
    """Runs of all configurations, kept for all sentences and plots.

    The runs of a round depend on the seed, the configuration and the number of the round only.

    Parameters
    ----------
    setting
        Sizes of the experiments.
    seed
        Entropy of the streams and the runs.
    jobs
        Worker processes; the result does not depend on them.
    progress
        Told what is being run.
    """

    setting: Setting = PUBLISHED
    seed: int = DEFAULT_SEED
    jobs: int = 1
    progress: Callable[[str], object] | None = None
    _kept: dict[tuple[Configuration, int], Runs] = field(default_factory=dict, repr=False)

    def prepare(self, configurations: Iterable[Configuration], rounds: int, what: str) -> None:
        """Make the runs of so many rounds, as far as they have not been made."""
        wanted = {one: None for one in configurations}
        self._make([(one, number) for one in wanted for number in range(rounds)], what)

    def prepare_plots(self, repetitions: dict[Configuration, int], what: str) -> None:
        """Make the runs that are plotted."""
        self._make([(one, PLOTTED) for one in repetitions], what, repetitions)

    def runs(self, configuration: Configuration, rounds: int) -> Runs:
        """The runs of the first so many rounds, which have been prepared."""
        return joined([self._kept[configuration, number] for number in range(rounds)])

    def plotted(self, configuration: Configuration) -> Runs:
        """The runs of a plot, which have been prepared."""
        return self._kept[configuration, PLOTTED]

    def _make(
        self, wanted: list[tuple[Configuration, int]], what: str, counts: dict[Configuration, int] | None = None
    ) -> None:
        missing = [one for one in wanted if one not in self._kept]
        if not missing:
            return
        if self.progress:
            self.progress(f"{what}: {len(missing)} configurations")
        tasks = [
            (self.setting, self.seed, configuration, number, (counts or {}).get(configuration) or self._count(number))
            for configuration, number in missing
        ]
        if self.jobs == 1 or len(tasks) == 1:
            results = [run(*task) for task in tasks]
        else:
            from joblib import Parallel, delayed

            results = Parallel(n_jobs=self.jobs)(delayed(run)(*task) for task in tasks)
        self._kept.update(zip(missing, results, strict=True))

    def _count(self, number: int) -> int:
        """How many runs a round adds: as many as there are, from the second on."""
        setting = self.setting
        return setting.first_runs if number == 0 else setting.runs_after(number + 1) - setting.runs_after(number)
