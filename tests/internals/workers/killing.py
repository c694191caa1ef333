"""Kills processes that do the work, while they do it."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest

WORKER = "spawn_main"
# On a cluster, the child process that runs the blocks, and a worker as a whole.
KINDS = {"processes": ["serve()"], "dask": ["serve()", WORKER]}


def below(parent):
    """The processes below this one, by their commands."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if int(fields[1]) == parent and "resource_tracker" not in command:
            found |= {int(path.name): command} | below(int(path.name))
    return found


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Killer:
    """Kills one of the processes that do the work, after every so many blocks, from a thread of its own.

    With ``started``, the process ids of the workers that answer, a worker is killed only if it is among them, and only
    while there are two. Dask does not start a worker again that is killed while it starts.
    """

    def __init__(self, kinds, times, started=None):
        self.kinds, self.left, self.blocks, self.started = kinds, times, 0, started
        self.due = 5

    def __call__(self, runs):
        self.blocks += 1
        if self.blocks >= self.due and self.left:
            workers = None if self.started is None else self._all_that_started()
            kind = self.kinds[self.left % len(self.kinds)]
            victims = [pid for pid, command in below(os.getpid()).items() if kind in command]
            if workers is not None and kind == WORKER:
                victims = [pid for pid in victims if pid in workers]
            # Those that follow the last victim may not be there yet.
            if victims:
                self.left -= 1
                self.due = self.blocks + 5
                threading.Thread(target=kill, args=(victims[self.left % len(victims)],)).start()

    def _all_that_started(self):
        end = time.monotonic() + 60
        while len(workers := self.started()) < 2:
            if time.monotonic() > end:
                pytest.fail("a worker that was killed was not started again within 60 s")
            time.sleep(0.2)
        # Its nanny learns a little later than the scheduler that a worker has started.
        time.sleep(0.5)
        return workers


def workers_of(address):
    """The process ids of the workers that answer now."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        told = client.run(os.getpid, on_error="return")
    return {pid for pid in told.values() if isinstance(pid, int) and Path(f"/proc/{pid}").exists()}


def started(name, address):
    """For :class:`Killer`, on a cluster."""
    return partial(workers_of, address) if name == "dask" else None
