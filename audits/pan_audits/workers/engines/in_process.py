"""The engine of tests and of measurements: this process, without limits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from pan_audits.workers.engines.engine import Task
from pan_audits.workers.limits import Outcome, busy_time


class InProcess:
    """Runs one task after the other in this process. An error of a task is raised here."""

    workers = 0

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        for number, task in enumerate(tasks):
            began, working = time.perf_counter(), busy_time()
            result = task()
            yield number, Outcome(result, 0, time.perf_counter() - began, busy_time() - working)
