"""The usual engine: worker processes of this machine, through joblib, under limits."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pickle import PicklingError
from typing import Any

from pan_audits.workers.engines.engine import ATTEMPTS, KILLED, UNSENDABLE, Task
from pan_audits.workers.limits import Failure, Limits, Outcome, guarded
from pan_promises.errors import InputError

# Two threads would otherwise start two sets of workers.
_STARTING = threading.Lock()


@dataclass(frozen=True)
class Processes:
    """Runs tasks in worker processes.

    A worker that dies ends all others, and the task that killed it is unknown. Every running task
    is therefore run again *alone*, in fresh workers. A task that dies alone each time is
    the cause itself.

    Parameters
    ----------
    workers
        Number of tasks at the same time.
    limits
        On each task.
    """

    workers: int = 2
    limits: Limits = field(default_factory=Limits)

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        from joblib import delayed
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        waiting = enumerate(tasks)
        exhausted = False
        while not exhausted:
            under_way: dict[int, Task] = {}

            def feed(under_way: dict[int, Task] = under_way) -> Iterator[Any]:
                nonlocal exhausted
                for number, task in waiting:
                    under_way[number] = task
                    yield delayed(_numbered)(number, self.limits, task, os.getpid(), _working_folder())
                exhausted = True

            try:
                yield from self._parallel(feed(), under_way)
            except (TerminatedWorkerError, PicklingError):
                for number, task in sorted(under_way.items()):
                    yield number, self._alone(task)

    def _parallel(self, calls: Iterable[Any], under_way: dict[int, Task]) -> Iterator[tuple[int, Outcome]]:
        from joblib import Parallel

        start_workers(self.workers)
        finished = False
        # joblib would run tasks with n_jobs=1 in this process, which must not happen.
        parallel = Parallel(
            n_jobs=max(2, self.workers),
            backend="loky",
            pre_dispatch=2 * self.workers if self.workers > 1 else 1,
            batch_size=1,
            return_as="generator_unordered",
        )
        outcomes = parallel(calls)
        try:
            for number, outcome in outcomes:
                del under_way[number]
                yield number, outcome
            finished = True
        finally:
            if not finished:
                with warnings.catch_warnings():
                    # The cancellation of tasks is intended.
                    warnings.simplefilter("ignore")
                    outcomes.close()
                # The workers have ended: they died, or the iterator was closed.
                _start_workers.cache_clear()

    def _alone(self, task: Task) -> Outcome:
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        for _ in range(ATTEMPTS - 1):
            try:
                ((_, outcome),) = self._parallel([_call(self.limits, task)], {0: task})
                return outcome
            except TerminatedWorkerError:
                continue
            except PicklingError:
                return Outcome(Failure(UNSENDABLE), 0, 0.0)
        return Outcome(Failure(KILLED), 0, 0.0)


def run_in_workers(tasks: Sequence[Task], workers: int, limits: Limits) -> list[Outcome]:
    """Run tasks in worker processes under limits; a worker that dies is a failure, not a crash."""
    outcomes = dict(Processes(workers, limits).run(tasks))
    return [outcomes[number] for number in range(len(tasks))]


def start_workers(workers: int) -> None:
    """Start worker processes that an interrupt from the keyboard, meant for this process, does not reach.

    Existing workers are kept, unless this process has changed its search path of modules since.
    """
    # joblib would run tasks with n_jobs=1 in this process. One task at a time uses the same two workers.
    with _STARTING:
        _start_workers(max(2, workers), tuple(sys.path))


def end_workers() -> None:
    """Kill the idle worker processes: a process that ends would wait for them."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor(kill_workers=True).shutdown(wait=True, kill_workers=True)
    _start_workers.cache_clear()


# There is one set of workers at a time, with one path.
@lru_cache(maxsize=1)
def _start_workers(workers: int, path: tuple[str, ...]) -> None:
    from multiprocessing import resource_tracker

    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    # It lifts the block when it starts, so that the block must exist before.
    resource_tracker.ensure_running()
    # A signal that is blocked at the start of a process stays blocked in it. In this process it is only delayed.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        # A worker takes the path only at its start.
        get_reusable_executor().shutdown(wait=True)
        Parallel(n_jobs=workers, backend="loky")(delayed(int)() for _ in range(workers))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _call(limits: Limits, task: Task) -> Any:
    from joblib import delayed

    return delayed(_numbered)(0, limits, task, os.getpid(), _working_folder())


def _working_folder() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _numbered(number: int, limits: Limits, task: Task, judge: int, folder: str | None) -> tuple[int, Outcome]:
    # If joblib cannot start worker processes, it runs tasks in this process: the limits would hold for the judge, and
    # a task that ends its process would end the judge without a message.
    if os.getpid() == judge:
        raise InputError(
            "no worker process can be started here: multiprocessing is switched off (JOBLIB_MULTIPROCESSING=0), "
            "the system has no semaphores (is there a /dev/shm?), or this process is a daemon"
        )
    # A worker lives longer than a task. The name of a module means the one in the folder where the task was made.
    if folder is not None and folder != _working_folder():
        os.chdir(folder)
    return number, guarded(limits, task)
