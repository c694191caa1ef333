"""In the judged process: settings of libraries that any code can change, and that an intruder sees in the process."""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import socket
import stat
import sys
import termios
import threading
from typing import Any

import numpy as np

_MOST_WAITING = 2**16


def settings_of_libraries() -> dict[str, Any]:
    """The settings by name. Only libraries that are loaded already have some."""
    found: dict[str, Any] = {
        "errors of numpy": np.geterr(),
        "callback for the errors of numpy": np.geterrcall(),
        "buffer of numpy": np.getbufsize(),
        "printing by numpy": np.get_printoptions(),
        "stack of a thread": _stack_size(),
        "time limit of connections": socket.getdefaulttimeout(),
    }
    if (ctypes := sys.modules.get("ctypes")) is not None:
        found["error number of ctypes"] = ctypes.get_errno()
    if (csv := sys.modules.get("csv")) is not None:
        found["longest field of csv"] = csv.field_size_limit()
    if (decimal := sys.modules.get("decimal")) is not None:
        contexts = (decimal.DefaultContext, decimal.BasicContext, decimal.ExtendedContext)
        found["contexts of decimal"] = list(map(repr, contexts))
    if (tracemalloc := sys.modules.get("tracemalloc")) is not None:
        found["traces of memory"] = tracemalloc.is_tracing(), tracemalloc.get_traceback_limit()
    if (faulthandler := sys.modules.get("faulthandler")) is not None:
        found["handler of faults"] = faulthandler.is_enabled()
    with contextlib.suppress(OSError), open("/proc/self/comm") as command:
        found["name of the process"] = command.read()
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


def waiting_in(descriptor: int) -> tuple[Any, ...]:
    """The kind of an open connection or pipe, and the bytes that wait in it."""
    waiting = array.array("i", [0])
    with contextlib.suppress(OSError):
        fcntl.ioctl(descriptor, termios.FIONREAD, waiting)
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if not waiting[0] or not stat.S_ISSOCK(kind):
        return kind, waiting[0]
    copied = socket.socket(fileno=os.dup(descriptor))
    with copied, contextlib.suppress(OSError):
        return kind, copied.recv(_MOST_WAITING, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    return kind, waiting[0]
