"""Drawing observations: in this process, or in worker processes under limits; remembered in a journal."""

from __future__ import annotations

import hashlib
import json
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pickle import PicklingError
from typing import Any

from pan_audits.events import Table
from pan_audits.pairs.family import Family
from pan_audits.running.journal import Journal
from pan_audits.running.limits import Failure, Limits, Outcome, VariantError, guarded
from pan_audits.running.mechanism import Mechanism

_RUNS_PER_TASK = 256

Progress = Callable[[int], None]
"""Called with the number of runs that have just been finished."""


@dataclass(frozen=True)
class Request:
    """``runs`` observations on one stream of a family, from a seed that belongs to this request alone."""

    family: Family
    place: int
    runs: int
    seed: tuple[int, ...]

    def key(self) -> str:
        """A name that depends on everything that the answer depends on."""
        sides = [side.to_dict() for side in self.family.sides]
        described = [sides, list(map(str, self.family.schedule)), str(self.family.user), self.place, self.runs]
        return hashlib.sha256(json.dumps([described, [str(s) for s in self.seed]]).encode()).hexdigest()


def requests_for(family: Family, place: int, runs: int, *, entropy: int, purpose: int, chunk: int) -> list[Request]:
    """Requests that together give ``runs`` observations, small enough to be shared among workers.

    Seeds depend on the entropy of the run, the purpose, the stream and the place in the sample
    alone: neither the order of the requests nor the number of workers changes an observation.
    """
    fingerprint = family.side(place).fingerprint(family.schedule)
    sizes = [_RUNS_PER_TASK] * (runs // _RUNS_PER_TASK) + [runs % _RUNS_PER_TASK] * (runs % _RUNS_PER_TASK > 0)
    return [
        Request(family, place, size, (entropy, purpose, fingerprint, chunk, part)) for part, size in enumerate(sizes)
    ]


@dataclass
class Sampler:
    """Draws observations from a mechanism.

    Parameters
    ----------
    mechanism
        What is run.
    workers
        0 to run in this process, without limits; otherwise the number of worker processes.
    limits
        For worker processes.
    journal
        Where finished requests are remembered.
    progress
        Told about finished runs.

    Attributes
    ----------
    runs
        Observations drawn so far.
    printed
        Bytes that the mechanism printed.
    busy_seconds
        The time that the runs took, summed over the processors.
    """

    mechanism: Mechanism
    workers: int = 0
    limits: Limits = field(default_factory=Limits)
    journal: Journal | None = None
    progress: Progress | None = None
    runs: int = 0
    printed: int = 0
    busy_seconds: float = 0.0

    def draw(self, requests: Sequence[Request]) -> list[Table]:
        """The tables for all requests, in their order.

        Raises
        ------
        VariantError
            If the mechanism raises, hangs, or takes too much memory.
        """
        tables: list[Table | None] = [None] * len(requests)
        keys = [request.key() if self.journal else "" for request in requests]
        if self.journal:
            tables = [self.journal.table(key) for key in keys]
        missing = [place for place, table in enumerate(tables) if table is None]
        for place, table in zip(missing, self._compute([requests[i] for i in missing]), strict=True):
            tables[place] = table
            if self.journal:
                self.journal.record(keys[place], table)
        total = sum(request.runs for request in requests)
        self.runs += total
        if self.progress:
            self.progress(total)
        return [table for table in tables if table is not None]

    def draw_joined(self, groups: Sequence[Sequence[Request]]) -> list[Table]:
        """One table for each group of requests."""
        flat = [request for group in groups for request in group]
        tables = iter(self.draw(flat))
        return [Table.concatenate([next(tables) for _ in group]) for group in groups]

    def _compute(self, requests: Sequence[Request]) -> list[Table]:
        if self.workers == 0 or not requests:
            return [self._observe_here(request) for request in requests]
        tasks = [_Task(self.mechanism, request) for request in requests]
        tables: list[Table] = []
        for outcome in run_in_workers(tasks, self.workers, self.limits):
            if isinstance(outcome.result, Failure):
                raise VariantError(outcome.result.sentence)
            tables.append(outcome.result)
            self.printed += outcome.printed
            self.busy_seconds += outcome.seconds
        return tables

    def _observe_here(self, request: Request) -> Table:
        began = time.perf_counter()
        table = _observe(self.mechanism, request)
        self.busy_seconds += time.perf_counter() - began
        return table


@dataclass(frozen=True)
class _Task:
    mechanism: Mechanism
    request: Request

    def __call__(self) -> Table:
        return _observe(self.mechanism, self.request)


def _observe(mechanism: Mechanism, request: Request) -> Table:
    return mechanism.observe(request.family, request.place, request.runs, request.seed)


def run_in_workers(tasks: Sequence[Callable[[], Any]], workers: int, limits: Limits) -> list[Outcome]:
    """Run tasks in worker processes under limits; a worker that dies is a failure, not a crash."""
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    start_workers(workers)
    try:
        # Never in this process, even with one worker: joblib runs n_jobs=1 right here.
        parallel = Parallel(n_jobs=max(2, workers), backend="loky", pre_dispatch=workers, batch_size=1)
        outcomes: list[Outcome] = parallel(delayed(guarded)(limits, task) for task in tasks)
        return outcomes
    except TerminatedWorkerError:
        failure = Failure("its process was killed, by a crash or for want of memory")
    except PicklingError:
        failure = Failure("it cannot be sent to another process: it holds something that cannot be pickled")
    return [Outcome(failure, 0, 0.0)] * len(tasks)


@lru_cache
def start_workers(workers: int) -> None:
    """Start worker processes that an interrupt from the keyboard, meant for this process, does not reach."""
    from multiprocessing import resource_tracker

    from joblib import Parallel, delayed

    # It lifts the block when it starts, so that it must be there before.
    resource_tracker.ensure_running()
    # What is blocked when a process starts stays blocked in it; here it is only put off.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        Parallel(n_jobs=max(2, workers), backend="loky")(delayed(int)() for _ in range(workers))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
