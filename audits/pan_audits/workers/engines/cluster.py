"""The common part of the engines: send blocks to worker processes, and send lost blocks again."""

from __future__ import annotations

import os
import pickle
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import cloudpickle

from pan_audits.workers.engines.child import Mismatch, Sent, outcome_of, versions
from pan_audits.workers.engines.engine import KILLED, UNSENDABLE, Task
from pan_audits.workers.limits import Failure, Limits, Outcome
from pan_promises.errors import InputError
from pan_promises.workers import ATTEMPTS, PACKAGES, search_path


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
    return pickle.dumps(Sent(content, limits, search_path(), folder, versions() if elsewhere else {}))


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
