"""The engines of this machine, and what they share with clusters: blocks are sent to processes, and lost ones again."""

from __future__ import annotations

import os
import pickle
import sys
import sysconfig
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import cloudpickle

from pan_audits.workers.engines.child import Mismatch, Sent, outcome_of, versions
from pan_audits.workers.fork_server import servers
from pan_audits.workers.limits import Failure, Limits, Outcome, busy_time
from pan_promises.errors import InputError
from pan_promises.workers import ATTEMPTS, PACKAGES, Workers, search_path

Task: TypeAlias = Callable[[], Any]
"""A block of runs. Its result depends on the task alone, so that it may run anywhere, and again."""

KILLED = "its process was killed, by a crash, for lack of memory, or because it did not stop"
UNSENDABLE = "it cannot be sent to another process: it holds something that cannot be pickled"


class Engine(Protocol):
    """Runs tasks in this process, in others, or on a cluster.

    A result depends on its task alone. A computation on the outcomes, in the order of the
    tasks, therefore gives the same result with every engine, any number of workers, and lost workers.
    """

    @property
    def workers(self) -> int:
        """Number of tasks that run at the same time; 0 in this process."""
        ...

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        """The outcome of each task with its number, counted from 0, in the order in which they finish.

        The engine takes tasks from the iterable when workers are free. A task that fails has a
        :class:`Failure` for its result, and the others continue. When the iterator is closed, the remaining tasks
        are cancelled.
        """
        ...


class Cluster(Protocol):
    """Runs pickled tasks in worker processes."""

    @property
    def workers(self) -> int:
        """The present number of tasks that run at the same time."""
        ...

    def submit(self, payload: bytes) -> Any:
        """Send a task, and return its ticket."""
        ...

    def finished(self, tickets: Collection[Any]) -> Collection[Any]:
        """Wait until some tasks are done, and return their tickets."""
        ...

    def answer(self, ticket: Any) -> bytes | None:
        """The answer of the worker process; ``None`` if it died."""
        ...

    def cancel(self, tickets: Collection[Any]) -> None:
        """Cancel these tasks."""
        ...


@dataclass
class _UnderWay:
    number: int
    payload: bytes
    attempts: int = 1


def run_on(
    cluster: Cluster, tasks: Iterable[Task], limits: Limits, *, elsewhere: bool = True
) -> Iterator[tuple[int, Outcome]]:
    """Outcomes of tasks as they finish; a task whose process died is sent again.

    The number of sent tasks is twice the number of workers, so that no worker waits for this process.
    """
    waiting = enumerate(tasks)
    out: dict[Any, _UnderWay] = {}
    exhausted = False
    try:
        while True:
            while not exhausted and len(out) < 2 * max(1, cluster.workers):
                number, task = next(waiting, (-1, None))
                exhausted = task is None
                if task is None:
                    break
                payload = packed(task, limits, elsewhere=elsewhere)
                if payload is None:
                    yield number, Outcome(Failure(UNSENDABLE), 0, 0.0)
                else:
                    out[cluster.submit(payload)] = _UnderWay(number, payload)
            if not out:
                return
            for ticket in cluster.finished(out):
                sent = out.pop(ticket)
                answer = cluster.answer(ticket)
                if answer is not None:
                    yield sent.number, _checked(outcome_of(answer))
                elif sent.attempts < ATTEMPTS:
                    out[cluster.submit(sent.payload)] = _UnderWay(sent.number, sent.payload, sent.attempts + 1)
                else:
                    yield sent.number, Outcome(Failure(KILLED), 0, 0.0)
    finally:
        cluster.cancel(out)


def _checked(outcome: Outcome | Mismatch) -> Outcome:
    if isinstance(outcome, Mismatch):
        raise InputError(
            f"a worker of the cluster has {outcome.what} {outcome.theirs}, here it is {outcome.ours}: "
            "its runs would differ; install the same version"
        )
    return outcome


def packed(task: Task, limits: Limits, *, elsewhere: bool = False) -> bytes | None:
    """A task with all data for a worker process; elsewhere, including modules that are not installed.

    It is ``None`` if the task cannot be pickled.
    """
    try:
        with _LocalModules() if elsewhere else nullcontext():
            content: bytes = cloudpickle.dumps(task)
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    try:
        folder = os.getcwd()
    except FileNotFoundError:
        folder = None
    return pickle.dumps(Sent(content, limits, search_path(), folder, versions() if elsewhere else {}, servers()))


class Shared:
    """A value that many tasks hold, which is pickled once for all of them."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @cached_property
    def _content(self) -> bytes:
        content: bytes = cloudpickle.dumps(self.value)
        return content

    def __reduce__(self) -> Any:
        return _shared, (self._content,)


def _shared(content: bytes) -> Shared:
    return Shared(pickle.loads(content))


class _LocalModules:
    """A context in which objects of modules that are not installed are pickled by value."""

    def __enter__(self) -> None:
        known = cloudpickle.list_registry_pickle_by_value()
        self.registered = [
            module
            for name, module in list(sys.modules.items())
            if name not in known and _is_local(name, getattr(module, "__file__", None))
        ]
        for module in self.registered:
            cloudpickle.register_pickle_by_value(module)

    def __exit__(self, *problem: object) -> None:
        for module in self.registered:
            cloudpickle.unregister_pickle_by_value(module)


@cache
def _is_local(name: str, path: object) -> bool:
    if not isinstance(path, str) or name.partition(".")[0] in PACKAGES or name == "__main__":
        return False
    installed = tuple(folder + os.sep for folder in {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix})
    return not path.startswith(installed) and not {"site-packages", "dist-packages"} & set(Path(path).parts)


class InProcess:
    """Runs one task after the other in this process. An error of a task is raised here."""

    workers = 0

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        for number, task in enumerate(tasks):
            began, working = time.perf_counter(), busy_time()
            result = task()
            yield number, Outcome(result, 0, time.perf_counter() - began, busy_time() - working)


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
