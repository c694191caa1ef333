"""The usual engine: worker processes of this machine, under limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pan_audits.workers.engines.cluster import run_on
from pan_audits.workers.engines.engine import Task
from pan_audits.workers.limits import Limits, Outcome
from pan_promises.workers import Workers


@dataclass(frozen=True)
class Processes:
    """Runs tasks in worker processes."""

    workers: int = 2
    limits: Limits = field(default_factory=Limits)

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        yield from run_on(Workers(self.workers), tasks, self.limits, elsewhere=False)


def run_in_workers(tasks: Sequence[Task], workers: int, limits: Limits) -> list[Outcome]:
    """Run tasks in worker processes under limits; a worker that dies is a failure, not a crash."""
    outcomes = dict(Processes(workers, limits).run(tasks))
    return [outcomes[number] for number in range(len(tasks))]
