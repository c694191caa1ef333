"""The limits on runs of judged code: time, memory, printing, and threads of libraries.

The processes of an audit take the cores already. With two threads on two busy cores, learning took up to five times the
processor time of one thread: the threads wait for each other by spinning.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

_FILE_LIMIT = 64 * 2**20
_SECONDS_OF_GRACE = 2.0
_MOST_STRETCHED = 5.0
_STANDARD_ERROR = 2


@dataclass(frozen=True)
class Limits:
    """The limits of one task in a worker process.

    Attributes
    ----------
    seconds
        Wall-clock time; more on a machine that is busy (:func:`stretched`).
    memory_bytes
        Address space in addition to that of the worker at its start.
    """

    seconds: float = 120.0
    memory_bytes: int = 2 * 2**30


@dataclass(frozen=True)
class Failure:
    """The reason why a task has no result, as one sentence about the estimator's code."""

    sentence: str


class MechanismError(Exception):
    """The estimator under audit failed; the message is one clear sentence."""


class DiedError(MechanismError):
    """The process of the estimator under audit died. A second attempt may succeed."""


class _OutOfTime(BaseException):
    """Raised by the alarm; not an ``Exception``, so that a mechanism's own handlers let it pass."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a task.

    Attributes
    ----------
    result
        Its result, or the reason why there is none.
    printed
        Number of bytes that it printed, which are discarded.
    seconds
        Its duration.
    busy
        Time of the processor that it took, in this process and in judged ones.
    """

    result: Any
    printed: int
    seconds: float
    busy: float = 0.0


def guarded(limits: Limits, task: Callable[[], Any]) -> Outcome:
    """Run ``task`` in this (worker) process under limits."""
    global _printed_elsewhere
    _restrict(limits)
    _printed_elsewhere = 0
    began, working = time.perf_counter(), busy_time()
    with _swallowed_output() as printed:
        result = _attempt(limits, task)
    return Outcome(result, printed() + _printed_elsewhere, time.perf_counter() - began, busy_time() - working)


def busy_time() -> float:
    """Time of the processor so far, in this process and in the judged processes that it asked."""
    return time.process_time() + _busy_elsewhere


def count_printed(size: int) -> None:
    """Count bytes that another process printed for the task under limits."""
    global _printed_elsewhere
    _printed_elsewhere += size


def count_busy(seconds: float) -> None:
    """Count time of the processor that another process took for the task."""
    global _busy_elsewhere
    _busy_elsewhere += seconds


_printed_elsewhere = 0
_busy_elsewhere = 0.0


def _attempt(limits: Limits, task: Callable[[], Any]) -> Any:
    def on_alarm(signum: int, frame: FrameType | None) -> None:
        left = _since + stretched(limits.seconds) - time.monotonic()
        if left <= 0:
            raise _OutOfTime
        _arm(left)

    global _seconds
    previous = signal.signal(signal.SIGALRM, on_alarm)
    _seconds = limits.seconds
    begin_anew()
    try:
        return task()
    except _OutOfTime:
        return Failure(f"it did not finish within {limits.seconds:g} s; --timeout allows more")
    except MechanismError as problem:
        # It says already what the code in another process did.
        return Failure(str(problem))
    except (Exception, SystemExit) as problem:
        return Failure(describe_failure(problem, limits.memory_bytes))
    finally:
        _seconds = 0.0
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, previous)


def begin_anew() -> None:
    """Restart the time limit of the task, after one of its parts."""
    global _since
    if _seconds:
        _since = time.monotonic()
        _arm(stretched(_seconds))


def _arm(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    # For a task that catches every exception, or never returns from a library: its process is killed.
    faulthandler.dump_traceback_later(seconds + _SECONDS_OF_GRACE, exit=True, file=_STANDARD_ERROR)


def stretched(seconds: float) -> float:
    """A time limit on a machine that may be busy: longer by the processes for each processor, at most five times."""
    try:
        waiting = os.getloadavg()[0] / len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return seconds
    return seconds * min(max(waiting, 1.0), _MOST_STRETCHED)


_seconds = _since = 0.0


def describe_failure(problem: BaseException, memory_bytes: int = 0) -> str:
    """The error, its place in the estimator's code, and its message, on one line."""
    if isinstance(problem, MemoryError):
        return f"it asked for more than {memory_bytes / 2**30:.3g} GiB of memory"
    if isinstance(problem, SystemExit):
        return "it tried to end the process (SystemExit)"
    if isinstance(problem, RecursionError):
        return "it recursed too deeply (RecursionError)"
    place = ""
    trace = problem.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if f"{os.sep}pan_audits{os.sep}" not in code.co_filename:
            place = f" in {code.co_name} (line {trace.tb_lineno} of {os.path.basename(code.co_filename)})"
            break
        trace = trace.tb_next
    message = " ".join(str(problem).split())[:200]
    return f"it raised {type(problem).__name__}{place}{f': {message}' if message else ''}{_hint(trace, message)}"


def _hint(trace: TracebackType | None, message: str) -> str:
    """A sentence for an update that is written for one id and was given an array, or the other way round."""
    if trace is None or trace.tb_frame.f_code.co_name != "update":
        return ""
    code = trace.tb_frame.f_code
    given = [trace.tb_frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
    if any(type(value).__name__ == "ndarray" and getattr(value, "ndim", 0) == 1 for value in given[-2:]):
        return "; update takes one id or an array of ids, and was given an array here; numpy.atleast_1d(ids) reads both"
    if any(isinstance(value, (int, str)) and f"'{type(value).__name__}'" in message for value in given[-2:]):
        return "; update was given one id here, and not a list: numpy.atleast_1d(ids) reads both"
    return ""


def _restrict(limits: Limits) -> None:
    global _restricted
    if not _restricted:
        _restricted = True
        limit_resources(limits.memory_bytes, _FILE_LIMIT)


_restricted = False


def limit_resources(memory_bytes: int, file_bytes: int, *, forever: bool = False) -> None:
    """Limit the memory of this process beyond its present one, and its files, as far as the system can."""
    with contextlib.suppress(ImportError):
        import resource

        kinds = {resource.RLIMIT_FSIZE: file_bytes}
        if forever:
            kinds[resource.RLIMIT_CORE] = 0
        # Without /proc, the used memory is unknown, and the total memory cannot be limited.
        with contextlib.suppress(OSError), open("/proc/self/statm") as statistics:
            used = int(statistics.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            kinds[resource.RLIMIT_AS] = used + memory_bytes
        for kind, most in kinds.items():
            with contextlib.suppress(OSError, ValueError):
                _, hard = resource.getrlimit(kind)
                limit = most if hard < 0 else min(most, hard)
                resource.setrlimit(kind, (limit, limit if forever else hard))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@contextlib.contextmanager
def _swallowed_output() -> Iterator[Callable[[], int]]:
    """Send file descriptors 1 and 2 to a temporary file, which is deleted; return its size."""
    size = 0
    with tempfile.TemporaryFile() as sink:
        _flush()
        saved = os.dup(1), os.dup(2)
        os.dup2(sink.fileno(), 1)
        os.dup2(sink.fileno(), 2)
        try:
            yield lambda: size
        finally:
            _flush()
            for target, copy in zip((1, 2), saved, strict=True):
                os.dup2(copy, target)
                os.close(copy)
            size = os.fstat(sink.fileno()).st_size


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let the libraries that are loaded by now use one thread inside; without ``threadpoolctl``, as many as before."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    with threadpool_limits(1):
        yield
