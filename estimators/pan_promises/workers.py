"""Worker processes: other processes of Python, which find modules in safe places only and answer with bytes.

A new process of Python usually looks for modules in the working folder, or beside its script, before its own: a file
``random.py`` there would run in the process. A worker looks in the places of Python and of the installed packages.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import invalidate_caches
from pathlib import Path
from typing import IO, Any, TypeVar

_SIZE = struct.Struct("<Q")
PACKAGES = ("pan_promises", "pan_estimators", "pan_proofs", "pan_audits", "panproof")
"""The packages of this project."""

_INSTALLED = ("site-packages", "dist-packages")
UNSAFE = frozenset({"PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONUSERBASE"})
"""Variables by which the caller's Python finds, or runs, other code."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables for the number of threads of a library."""

_SECONDS_BETWEEN_GLANCES = 2.0

ATTEMPTS = 3
"""Number of attempts for a call whose process dies."""

ResultT = TypeVar("ResultT")

_path_of_caller: tuple[str, ...] | None = None


def search_path() -> tuple[str, ...]:
    """The folders in which the caller finds modules; in a worker, those of the process that started it."""
    if _path_of_caller is not None:
        return _path_of_caller
    return tuple(dict.fromkeys(place if os.path.isabs(place) else _absolute(place) for place in sys.path))


def _absolute(place: str) -> str:
    try:
        return os.path.abspath(place)
    except FileNotFoundError:  # the working folder is gone
        return os.sep


def search_as(path: Sequence[str]) -> None:
    """Let :func:`search_path` be a path, in a worker; it is not searched for modules of the worker.

    Parameters
    ----------
    path
        That of the process that started it.
    """
    global _path_of_caller
    _path_of_caller = tuple(path)


def installed_places() -> list[str]:
    """The folders of this process that a new process may search too, beside those that Python has by itself.

    They are those of this project's packages, and other folders of installed packages.
    """
    modules = [sys.modules[name] for name in PACKAGES if name in sys.modules]
    own = {str(Path(folder).parent) for module in modules for folder in getattr(module, "__path__", ())}
    here = _absolute("")
    found = [
        place
        for place in sys.path
        if place in own or (os.path.isabs(place) and Path(place).name in _INSTALLED and place != here)
    ]
    # A sandbox holds folders under their own paths, and no links to them.
    return [*dict.fromkeys(map(os.path.realpath, [*found, *sorted(own)]))]


def python(program: str, executable: str = "") -> list[str]:
    """The command of a new process of Python that runs a program.

    Parameters
    ----------
    program
        Its text. After its imports, which make no garbage, it has to call ``gc.enable()``.
    executable
        The interpreter; by default that of this process.
    """
    flags = ["-P", *(["-s"] if sys.flags.no_user_site else [])]
    searched = f"sys.path += [each for each in {installed_places()!r} if each not in sys.path]"
    return [executable or sys.executable, *flags, "-c", f"import gc, sys; gc.disable(); {searched}\n{program}"]


def environment() -> dict[str, str]:
    """The variables of the environment for a new process of Python: no path, and one thread for each library.

    With two threads on two busy cores, learning took up to five times the processor time of one thread: the threads
    wait for each other by spinning.
    """
    kept = {name: value for name, value in os.environ.items() if name not in UNSAFE}
    return {**dict.fromkeys(THREADS, "1"), **kept}


class Worker:
    """A worker process: it runs one call after the other, each of which makes the bytes of its answer.

    Parameters
    ----------
    variables
        Further variables of its environment.
    module
        Modules that it imports while it waits for its first call, as behind ``import``.
    """

    def __init__(self, variables: Mapping[str, str] | None = None, module: str = "") -> None:
        # In a session of its own: an interrupt from the keyboard is meant for this process.
        self._process = subprocess.Popen(
            python(f"from {__name__} import serve\n{f'import {module}' if module else ''}\nserve()"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment(), **(variables or {})},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._outgoing, self._incoming = self._process.stdin, self._process.stdout

    @property
    def lives(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def fileno(self) -> int:
        """The descriptor of its answers."""
        return self._incoming.fileno()

    def send(self, payload: bytes) -> None:
        """Send a call, after the answer to the one before.

        Parameters
        ----------
        payload
            The pickle of a function without arguments, which returns bytes.
        """
        try:
            _send(self._outgoing, payload)
        except OSError:
            # The process has died: it has no answer.
            return

    def answer(self) -> bytes | None:
        """The answer to the last call; ``None`` if the process has died."""
        found = _receive(self._incoming)
        if found is None:
            self.end()
        return found

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._outgoing, self._incoming):
            try:
                pipe.close()
            except OSError:  # something was left to be written
                continue


def serve() -> None:
    """The loop of a worker: run each call that arrives, until the pipe is closed."""
    gc.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Only this function uses the pipes. The calls have neither input nor output.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    while (payload := _receive(incoming)) is not None:
        _send(outgoing, pickle.loads(payload)())


def _leave_with(parent: int) -> None:
    """End a worker whose parent was killed while it works."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_GLANCES)
    os._exit(1)


def _send(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(_SIZE.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    """The next message, or ``None`` if the other side has closed the pipe."""
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        return None
    (size,) = _SIZE.unpack(head)
    content = pipe.read(size)
    return content if len(content) == size else None


_idle: list[Worker] = []
# A fork has the pipes of its parent's workers, which are not its own.
os.register_at_fork(after_in_child=_idle.clear)


def start_workers(number: int, module: str = "") -> None:
    """Start worker processes before they are needed; a worker starts none.

    Parameters
    ----------
    number
        Number of processes that wait for work.
    module
        Modules that they import while they wait, as behind ``import``.
    """
    while len(_idle) < number and _path_of_caller is None:
        _idle.append(Worker(module=module))


def end_workers() -> None:
    """End the worker processes that wait for work."""
    while _idle:
        _idle.pop().end()


def _free_worker() -> Worker:
    while _idle:
        try:
            worker = _idle.pop()
        except IndexError:  # another thread was faster
            break
        if worker.lives:
            return worker
        worker.end()
    return Worker()


class Workers:
    """Calls that run in worker processes, some of them at the same time.

    Parameters
    ----------
    most
        Greatest number of processes.
    """

    def __init__(self, most: int) -> None:
        self.workers = most
        self._number = 0
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._busy: dict[Worker, int] = {}
        self._answers: dict[int, bytes | None] = {}

    def submit(self, payload: bytes) -> int:
        """Send a call, and return its ticket.

        Parameters
        ----------
        payload
            As for :meth:`Worker.send`.
        """
        self._number += 1
        self._waiting.append((self._number, payload))
        self._begin()
        return self._number

    def _begin(self) -> None:
        while self._waiting and len(self._busy) < self.workers:
            ticket, payload = self._waiting.popleft()
            worker = _free_worker()
            self._busy[worker] = ticket
            worker.send(payload)

    def finished(self, tickets: Collection[int]) -> list[int]:
        """Wait until some calls are done, and return their tickets.

        Parameters
        ----------
        tickets
            Those that have not finished.
        """
        import select

        poll = select.poll()
        for worker in self._busy:
            poll.register(worker, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll()}
        done = [worker for worker in self._busy if worker.fileno() in ready]
        found = []
        for worker in done:
            answer = worker.answer()
            ticket = self._busy.pop(worker)
            self._answers[ticket] = answer
            found.append(ticket)
            if answer is not None:
                _idle.append(worker)
        self._begin()
        return found

    def answer(self, ticket: int) -> bytes | None:
        """The answer to a finished call; ``None`` if its process died.

        Parameters
        ----------
        ticket
            That of the call.
        """
        return self._answers.pop(ticket)

    def cancel(self, tickets: Collection[int]) -> None:
        """Give up some calls.

        Parameters
        ----------
        tickets
            Those of the calls.
        """
        self._waiting = deque(each for each in self._waiting if each[0] not in tickets)
        for worker in [worker for worker, ticket in self._busy.items() if ticket in tickets]:
            del self._busy[worker]
            worker.end()


def each_done(
    calls: Iterable[Callable[[], ResultT]], jobs: int, dumps: Callable[[Any], bytes] = pickle.dumps
) -> Iterator[tuple[int, ResultT]]:
    """The results of calls of this project's own code, with their places, in the order of their ends.

    The answers are pickles. The calls therefore run no foreign code.

    Parameters
    ----------
    calls
        Functions without arguments.
    jobs
        Number of processes; with 1, everything runs in this one.
    dumps
        It pickles a call.
    """
    waiting = enumerate(calls)
    if jobs == 1:
        yield from ((place, call()) for place, call in waiting)
        return
    group = Workers(jobs)
    out: dict[int, tuple[int, bytes, int]] = {}
    try:
        while True:
            while len(out) < jobs and (following := next(waiting, None)) is not None:
                payload = pickled_call(following[1], dumps)
                out[group.submit(payload)] = (following[0], payload, 1)
            if not out:
                return
            for ticket in group.finished(out):
                place, payload, attempts = out.pop(ticket)
                answer = group.answer(ticket)
                if answer is not None:
                    yield place, result_of(answer)
                elif attempts < ATTEMPTS:
                    out[group.submit(payload)] = (place, payload, attempts + 1)
                else:
                    raise RuntimeError("a worker process died, by a crash or for lack of memory")
    finally:
        group.cancel(out)


def all_done(
    calls: Iterable[Callable[[], ResultT]], jobs: int, dumps: Callable[[Any], bytes] = pickle.dumps
) -> list[ResultT]:
    """The results of :func:`each_done`, in the order of the calls.

    Parameters
    ----------
    calls, jobs, dumps
        As for :func:`each_done`.
    """
    found = dict(each_done(calls, jobs, dumps))
    return [found[place] for place in range(len(found))]


def pickled_call(call: Callable[[], Any], dumps: Callable[[Any], bytes] = pickle.dumps) -> bytes:
    """The payload of a call of this project's own code, whose answer :func:`result_of` reads.

    Parameters
    ----------
    call, dumps
        As for :func:`each_done`.
    """
    return pickle.dumps(partial(_called, search_path(), dumps(call)))


def _called(path: tuple[str, ...], content: bytes) -> bytes:
    search_as(path)
    try:
        with unpickled(content, path) as call:
            return pickle.dumps((call(), None))
    except Exception as problem:
        return pickle.dumps((None, problem))


@contextmanager
def unpickled(content: bytes, path: Sequence[str]) -> Iterator[Any]:
    """The value in a pickle that the starting process has sent, for use inside.

    If it needs a module of the sender's own, as an object does that the sender trusts, the sender's path is searched
    too, after all other places, and only inside.

    Parameters
    ----------
    content
        A pickle.
    path
        The places in which its sender finds modules.
    """
    before = list(sys.path)
    try:
        try:
            value = pickle.loads(content)
        except ModuleNotFoundError:
            sys.path += [place for place in path if place not in before]
            invalidate_caches()
            value = pickle.loads(content)
        yield value
    finally:
        sys.path[:] = before


def result_of(answer: bytes) -> Any:
    """The result of a pickled call; its error is raised.

    Parameters
    ----------
    answer
        That of the worker.
    """
    result, problem = pickle.loads(answer)
    if problem is not None:
        raise problem
    return result
