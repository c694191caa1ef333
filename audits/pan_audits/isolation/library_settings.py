"""In the judged process: settings of libraries that any code can change, and that an intruder sees in the process."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any

import numpy as np


def settings_of_libraries() -> dict[str, Any]:
    """The settings by name. Only libraries that are loaded already have some."""
    found: dict[str, Any] = {
        "errors of numpy": np.geterr(),
        "callback for the errors of numpy": np.geterrcall(),
        "buffer of numpy": np.getbufsize(),
        "printing by numpy": np.get_printoptions(),
        "stack of a thread": _stack_size(),
    }
    if (socket := sys.modules.get("socket")) is not None:
        found["time limit of connections"] = socket.getdefaulttimeout()
    with contextlib.suppress(OSError):
        found["priority"] = os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(OSError), open("/proc/self/status") as status:
        found["mask of new files"] = [line for line in status if line.startswith("Umask")]
    return found


def _stack_size() -> int:
    """The size; a call that asks for it sets it to the default."""
    size = threading.stack_size()
    threading.stack_size(size)
    return size


def part_of_open_file(descriptor: int, size: int) -> tuple[Any, ...]:
    """The position in an open file, and its first bytes as far as they can be read."""
    with contextlib.suppress(OSError):
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        with contextlib.suppress(OSError):
            return position, os.pread(descriptor, size, 0)
        return (position,)
    return ()
