"""Fork servers: a process that has imported what all processes of one kind need, and forks one at each connection.

A new process of Python takes half a second to import numpy and the modules of the judge, a fork a few milliseconds. The
server itself reads nothing and runs nothing for its forks: it accepts a connection and forks, and the fork goes on with
it. So each fork begins as a new process does. A server ends with the process that started it.

Only Linux has servers, and a server has one thread. Where none can be made, a new process does the same.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import mmap
import os
import random
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial

_GREETING = b"+"
_CREDENTIALS = struct.Struct("3i")
_DEATH_SIGNAL = 1
_SECONDS_BETWEEN_GLANCES = 1.0
_SECONDS_TO_START = 180.0
_MOST_WAITING = 64
_MOST_SERVERS = 3


@dataclass
class Fork:
    """A forked process, for the process that asked for it; with the methods of ``subprocess.Popen``.

    Attributes
    ----------
    end
        The connection to it.
    pid
        The process that waits for it, and ends with it.
    """

    end: socket.socket
    pid: int
    _handle: int
    _status: int
    _code: int = field(default=0, init=False)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; 128 and the number of the signal that ended it."""
        if self._status >= 0:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a fork", timeout or 0.0)
            told = os.read(self._status, 16)
            self._code = int(told) if told else 128 + signal.SIGKILL
            os.close(self._status)
            os.close(self._handle)
            self._status = self._handle = -1
        return self._code

    def poll(self) -> int | None:
        """Its exit code, or ``None`` while it lives."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End it."""
        if self._handle >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)


class _Server:
    """A server of this process."""

    def __init__(self, module: str, started_as: Callable[[str], list[str]], variables: Mapping[str, str]) -> None:
        self.folder = tempfile.mkdtemp(prefix="panproof-")
        self.address = os.path.join(self.folder, "door")
        lifeline, self._lifeline = os.pipe()
        try:
            with socket.socket(socket.AF_UNIX) as door:
                door.bind(self.address)
                door.listen(_MOST_WAITING)
                passed = door.fileno(), lifeline
                program = f"from {__name__} import serve; serve({passed[0]}, {passed[1]}, {module!r})"
                self._process = subprocess.Popen(
                    started_as(program),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=passed,
                    env=dict(variables),
                    cwd=os.sep,
                    start_new_session=True,
                )
        except OSError:
            self.forget()
            raise
        finally:
            os.close(lifeline)

    @property
    def lives(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def forget(self) -> None:
        """Let go of it, without an end for its forks."""
        os.close(self._lifeline)
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self) -> None:
        """End it, but not its forks."""
        self.forget()
        self._process.kill()
        self._process.wait()


_servers: dict[Hashable, _Server] = {}
_refused: set[Hashable] = set()
_told: Mapping[Hashable, str] | None = None
"""In a worker, the servers of the process that started it."""


def start_server(
    key: Hashable, module: str, started_as: Callable[[str], list[str]], variables: Mapping[str, str]
) -> None:
    """Start the server with a key, unless this process has it, or cannot have it.

    It imports a module, and the modules that are named in ``AHEAD`` there. A fork goes on with its function
    ``forked``, which is given the connection and :func:`split`. ``started_as`` makes the command of its program.
    """
    if sys.platform != "linux" or not hasattr(os, "pidfd_open") or _told is not None or key in _refused:
        return
    if key in _servers and not _servers[key].lives:
        refuse_server(key)
    elif key not in _servers:
        try:
            _servers[key] = _Server(module, started_as, variables)
        except OSError:
            _refused.add(key)
    # The least used one is the first.
    elif next(reversed(_servers)) != key:
        _servers[key] = _servers.pop(key)
    while len(_servers) > _MOST_SERVERS:
        _servers.pop(next(iter(_servers))).end()


def servers() -> Mapping[Hashable, str]:
    """The addresses of the servers, for a worker."""
    return {key: server.address for key, server in _servers.items()} if _told is None else _told


def use_servers(told: Mapping[Hashable, str]) -> None:
    """In a worker: use those of the process that started it."""
    global _told
    _told = told


def refuse_server(key: Hashable) -> None:
    """Do without the server with a key, since it does not work here."""
    _refused.add(key)
    if key in _servers:
        _servers.pop(key).end()


@atexit.register
def end_servers() -> None:
    """End the servers of this process."""
    while _servers:
        _servers.popitem()[1].end()


def _forget_all() -> None:
    for server in _servers.values():
        os.close(server._lifeline)
    _servers.clear()


# A fork of this process would keep its servers alive.
os.register_at_fork(after_in_child=_forget_all)


def fork_at(key: Hashable) -> Fork | None:
    """A process that the server with a key forks; ``None`` if there is no such server, or it does not answer."""
    address = servers().get(key)
    if address is None or key in _refused:
        return None
    with contextlib.ExitStack() as unless_made:
        end = unless_made.enter_context(socket.socket(socket.AF_UNIX))
        try:
            # With a message comes the number of the process that sends it, as it is here.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            end.settimeout(_SECONDS_TO_START)
            end.connect(address)
            greeting, ((_, _, sender),), *_ = end.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
            pid, _, _ = _CREDENTIALS.unpack(sender)
            handle = os.pidfd_open(pid)
        except (OSError, ValueError):
            return None
        status, told = os.pipe()
        try:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
            end.settimeout(None)
            socket.send_fds(end, [greeting], [told])
        except OSError:
            for each in (handle, status):
                os.close(each)
            return None
        finally:
            os.close(told)
        unless_made.pop_all()
        return Fork(end, pid, handle, status)


def serve(door: int, lifeline: int, module: str) -> None:
    """The server: fork at each connection, until the process that started it ends or lets go of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    used = importlib.import_module(module)
    for each in used.AHEAD:
        importlib.import_module(each)
    if len(os.listdir("/proc/self/task")) > 1:
        # A fork has the locks of the other threads.
        return
    # Nobody waits for a fork.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    gc.enable()
    with socket.socket(fileno=door) as listening:
        while lifeline not in select.select([door, lifeline], [], [])[0]:
            end, _ = listening.accept()
            if os.fork() == 0:
                os.setsid()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listening.close()
                os.close(lifeline)
                _go_on(end, used.forked)
            end.close()


def _go_on(end: socket.socket, forked: Callable[[socket.socket, Callable[..., None]], None]) -> None:
    """In a fork: tell the number of the process, take the pipe for its exit code, and go on."""
    code = 1
    try:
        end.sendall(_GREETING)
        _, (status,), *_ = socket.recv_fds(end, 1, 1)
        _scatter()
        forked(end, lambda last: split(end, status, last=last))
        code = 0
    finally:
        # Not even after an error does it go on as the server.
        os._exit(code)


def split(end: socket.socket, status: int, *, last: bool) -> None:
    """Go on in a child of this process, which only waits for its end, as the first process of a namespace must.

    It tells the exit code of the ``last`` child, and it ends its child if nobody waits for that any more.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        die_with_parent()
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        if last:
            os.close(status)
        return
    end.close()
    asked = select.poll()
    asked.register(status, 0)
    while not asked.poll(0):
        signal.sigtimedwait({signal.SIGCHLD}, _SECONDS_BETWEEN_GLANCES)
        ended = code = -1
        while ended not in (0, child):
            ended, code = os.waitpid(-1, os.WNOHANG)
        if ended == child:
            signalled = os.WTERMSIG(code) + 128 if os.WIFSIGNALED(code) else os.WEXITSTATUS(code)
            if last:
                os.write(status, str(signalled).encode())
            os._exit(0)
    os.kill(child, signal.SIGKILL)
    os._exit(1)


def die_with_parent() -> None:
    """Let this process be killed when its parent ends."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)


_scattered: list[object] = []


def _scatter() -> None:
    """Let the addresses of objects to come differ from those in other forks, as they differ between new processes."""
    drawn = random.SystemRandom()
    pages = mmap.PAGESIZE * drawn.randint(1, 4096)
    _scattered.append(mmap.mmap(-1, pages, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    makers: list[Callable[[], object]] = [object, *(partial(bytes, size) for size in range(1, 480, 16))]
    _scattered.extend(make() for make in makers for _ in range(drawn.randint(0, 255)))
