"""An estimator whose states tell what its process finds: memory of others, other processes, its own rights."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import signal
import socket
import threading
from pathlib import Path

import numpy as np

AT_IMPORT = [random.random(), np.random.random(), np.random.default_rng().random(), secrets.randbits(40)]
PLACE = id(object())


class Looks:
    promise = "epsilon=1,adjacency=user-level,observed=output"

    def __init__(self, act="look"):
        self.act = act

    def create(self, randomness):
        if self.act != "look":
            return getattr(self, self.act)()
        return {
            "drawn": AT_IMPORT,
            "place": PLACE,
            "processes": sum(each.isdigit() for each in os.listdir("/proc")),
            "status": [line for line in Path("/proc/self/status").read_text().splitlines() if line[:3] == "Cap"],
            "files": os.listdir(os.environ["TMPDIR"]),
            "open": sum(os.path.exists(f"/proc/self/fd/{each}") for each in range(100)),
            "threads": threading.active_count(),
            "talks": self.talks(),
            "writes": self.writes(),
            "parent": os.getppid(),
        }

    def talks(self):
        """With itself."""
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
            return True

    def writes(self):
        Path(os.environ["TMPDIR"], "left").write_text("by an earlier one")
        for other in ("/proc/sys/kernel/domainname", "/dev/left"):
            with contextlib.suppress(OSError):
                Path(other).write_text("mine")
                return "the system"
        return "its own folder"

    def exits(self):
        os._exit(3)

    def dies(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def crashes(self):
        os.kill(os.getpid(), signal.SIGSEGV)

    def waits(self):
        signal.pause()

    def update(self, state, ids, randomness):
        return state

    def release(self, state, randomness):
        return 0
