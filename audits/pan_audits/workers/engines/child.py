"""A separate process for third-party code, beside a worker of a cluster.

A worker of a cluster runs tasks in a thread, which receives no alarm signal. Its tasks must not limit, silence
or kill it. Each thread that runs tasks therefore keeps one child process. The limits of a local audit hold
in the child, and a crash ends only the child.
"""

from __future__ import annotations

import os
import pickle
import platform
import signal
import struct
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any

from pan_audits.workers.limits import Failure, Outcome, guarded

_SIZE = struct.Struct("<Q")
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


def run_in_child(payload: bytes) -> bytes | None:
    """Run a pickled task in the child process of this thread.

    Parameters
    ----------
    payload
        A pickled triple: :func:`versions` as expected, limits, task.

    Returns
    -------
    The pickled outcome, or a pickled :class:`Mismatch`; ``None`` if the child died.
    """
    child = getattr(_children, "process", None)
    if child is None or child.poll() is not None:
        # The child finds modules in the same places as this worker.
        program = f"import sys; sys.path[:] = {sys.path!r}\nfrom {__name__} import serve; serve()"
        child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        _children.process = child
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        _send(child.stdin, payload)
        answer = _receive(child.stdout)
    except BrokenPipeError:
        answer = None
    if answer is None:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()
        _children.process = None
    return answer


def serve() -> None:
    """The loop of the child: run each task that arrives, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Only this function uses the pipes. The tasks have neither input nor output.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    while (payload := _receive(incoming)) is not None:
        _send(outgoing, _answer(payload))


def _answer(payload: bytes) -> bytes:
    expected, limits, task = pickle.loads(payload)
    for what, ours in expected.items():
        if versions()[what] != ours:
            return pickle.dumps(Mismatch(what, versions()[what], ours))
    return pickle.dumps(guarded(limits, lambda: _unpacked(task)))


def _unpacked(task: bytes) -> Any:
    try:
        loaded = pickle.loads(task)
    except ImportError as problem:
        return Failure(f"it cannot be made on a worker: {problem}")
    return loaded()


def _send(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(_SIZE.pack(len(content)) + content)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    """The next message, or ``None`` if the other side has closed the pipe."""
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        return None
    (size,) = _SIZE.unpack(head)
    content = pipe.read(size)
    return content if len(content) == size else None


def outcome_of(answer: bytes) -> Outcome | Mismatch:
    """Read what :func:`run_in_child` returned."""
    outcome: Outcome | Mismatch = pickle.loads(answer)
    return outcome
