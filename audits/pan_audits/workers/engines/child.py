"""A task in a worker process, on this machine or beside a worker of a cluster: what is sent, and what is answered.

A worker of a cluster runs tasks in a thread, which receives no alarm signal. Its tasks must not limit, silence
or kill it. Each thread that runs tasks therefore keeps one worker process. The limits of a local audit hold
in it, and a crash ends only this process.
"""

from __future__ import annotations

import contextlib
import os
import platform
import threading
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pan_audits.workers.fork_server import use_servers
from pan_audits.workers.limits import Failure, Limits, Outcome, guarded
from pan_audits.workers.plain import DataError, from_bytes, to_bytes
from pan_promises.workers import Worker, search_as, unpickled

_children = threading.local()


@dataclass(frozen=True)
class Mismatch:
    """A library has another version on the worker, so that runs could differ.

    Attributes
    ----------
    what
        The library.
    theirs, ours
        Its versions on the worker and in the process of the audit.
    """

    what: str
    theirs: str
    ours: str


@lru_cache
def versions() -> dict[str, str]:
    """The versions on which a run depends, besides the estimator and its seed."""
    import hashlib
    from pathlib import Path

    import numpy as np

    import pan_audits
    import pan_estimators
    import pan_promises

    digest = hashlib.sha256()
    for package in (pan_audits, pan_estimators, pan_promises):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*.py")):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Python": python, "numpy": np.__version__, "panproof": f"code {digest.hexdigest()[:12]}"}


@dataclass(frozen=True)
class Sent:
    """A task as it is sent to a worker process, which calls it.

    Attributes
    ----------
    task
        Its pickle.
    limits
        On the task.
    path, folder
        The places in which the sender finds modules, and its working folder, if there is one.
    expected
        The :func:`versions` that the worker must have.
    servers
        The fork servers of the sender.
    """

    task: bytes
    limits: Limits
    path: tuple[str, ...]
    folder: str | None
    expected: Mapping[str, str]
    servers: Mapping[Hashable, str]

    def __call__(self) -> bytes:
        """The outcome, or a :class:`Mismatch`, as :func:`outcome_of` reads it."""
        for what, ours in self.expected.items():
            if versions()[what] != ours:
                return to_bytes(Mismatch(what, versions()[what], ours))
        search_as(self.path)
        use_servers(self.servers)
        # A relative name of a file means the one in the folder where the task was made.
        with contextlib.suppress(OSError):
            if self.folder is not None:
                os.chdir(self.folder)
        outcome = guarded(self.limits, self._run)
        try:
            return to_bytes(outcome)
        except DataError as problem:
            failure = Failure(f"its result cannot be sent from its process: {problem}")
            return to_bytes(replace(outcome, result=failure))

    def _run(self) -> Any:
        with contextlib.ExitStack() as inside:
            try:
                task = inside.enter_context(unpickled(self.task, self.path))
            except ImportError as problem:
                return Failure(f"it cannot be made on a worker: {problem}")
            return task()


def run_in_child(payload: bytes) -> bytes | None:
    """The answer to a pickled :class:`Sent` from the worker process of this thread; ``None`` if the process died."""
    child = getattr(_children, "process", None)
    if child is None or not child.lives:
        child = _children.process = Worker()
    child.send(payload)
    answer: bytes | None = child.answer()
    return answer


def outcome_of(answer: bytes) -> Outcome | Mismatch:
    """Read the answer of a worker process, with distrust."""
    try:
        outcome = from_bytes(answer)
    except DataError:
        outcome = None
    if not isinstance(outcome, (Outcome, Mismatch)):
        return Outcome(Failure("its process sent an invalid answer"), 0, 0.0)
    return outcome
