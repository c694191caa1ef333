"""In the judged process: which lines of the judged code run, and its acts beside computing.

Tracing costs time. It is on only while :meth:`Following.on` is entered, and off for good once all lines were seen and
enough calls were watched.
"""

from __future__ import annotations

import contextlib
import datetime
import gc
import importlib.util
import inspect
import os
import pathlib
import platform
import resource
import sys
import threading
import time
import traceback
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FrameType
from typing import Any

from pan_audits.isolation.own_code import OwnCode, lines_of, nested

_MOST_CALLS = 4096
"""Calls whose lines are followed, at most."""

_MOST_KINDS = 64

READS, WRITES, ENTROPY = "reads", "writes", "entropy"

_BUILTINS: dict[Any, tuple[str, str]] = {
    **{
        getattr(time, name): (READS, f"the clock (time.{name})")
        for clock in ("time", "perf_counter", "monotonic", "process_time", "thread_time", "clock_gettime")
        for name in (clock, f"{clock}_ns")
        if isinstance(getattr(time, name, None), BuiltinFunctionType)
    },
    **{
        getattr(time, name): (READS, f"the clock (time.{name})")
        for name in ("localtime", "gmtime", "ctime", "strftime")
    },
    **{
        getattr(os, name): (READS, f"the process (os.{name})")
        for name in ("getpid", "getppid", "getpgid", "getsid", "times", "getcwd", "getloadavg", "getuid", "uname")
    },
    gc.get_objects: (READS, "the objects of the process (gc.get_objects)"),
    gc.get_referrers: (READS, "the objects of the process (gc.get_referrers)"),
    sys._getframe: (READS, "its callers (sys._getframe)"),
    sys._current_frames: (READS, "its callers (sys._current_frames)"),
    sys.gettrace: (READS, "whether it is traced (sys.gettrace)"),
    sys.getprofile: (READS, "whether it is traced (sys.getprofile)"),
    threading.get_ident: (READS, "the process (threading.get_ident)"),
    resource.getrlimit: (READS, "its limits (resource.getrlimit)"),
    resource.getrusage: (READS, "its limits (resource.getrusage)"),
    getattr(os, "sched_getaffinity", os.getpid): (READS, "the process (os.sched_getaffinity)"),
    os.stat: (READS, "the times of a file (os.stat)"),
    os.lstat: (READS, "the times of a file (os.lstat)"),
    os.fstat: (READS, "the times of a file (os.fstat)"),
    os.urandom: (ENTROPY, "os.urandom"),
    getattr(os, "getrandom", os.urandom): (ENTROPY, "os.urandom"),
}
_NAMES = {function.__name__ for function in _BUILTINS} | {"now", "utcnow", "today"}


def _python_functions() -> dict[CodeType, tuple[str, str]]:
    """Functions of the standard library that are written in Python."""
    environment = {
        name: getattr(type(os.environ), name).__code__ for name in ("__getitem__", "__iter__", "__len__", "copy")
    }
    found = dict.fromkeys(environment.values(), (READS, "the environment (os.environ)"))
    found[os.getenv.__code__] = (READS, "the environment (os.getenv)")
    found[type(os.environ).get.__code__] = (READS, "the environment (os.environ)")
    found[type(os.environ).__contains__.__code__] = (READS, "the environment (os.environ)")
    for callers in (inspect.stack, inspect.currentframe, traceback.extract_stack, traceback.format_stack):
        found[callers.__code__] = (READS, f"its callers ({callers.__module__}.{callers.__name__})")
    for threads in (threading.active_count, threading.enumerate):
        found[threads.__code__] = (READS, f"the process (threading.{threads.__name__})")
    found[uuid.getnode.__code__] = (READS, "the machine (uuid.getnode)")
    found[importlib.util.find_spec.__code__] = (READS, "the table of modules (importlib.util.find_spec)")
    for times in (os.path.getmtime, os.path.getatime, os.path.getctime):
        found[times.__code__] = (READS, f"the times of a file (os.path.{times.__name__})")
    for status in (pathlib.Path.stat, pathlib.Path.lstat):
        found[status.__code__] = (READS, f"the times of a file (pathlib.Path.{status.__name__})")
    for function in (platform.node, platform.uname):
        found[function.__code__] = (READS, f"the machine (platform.{function.__name__})")
    return found


_PYTHON = _python_functions()
_OF_SYS = {
    "modules": (READS, "the table of modules (sys.modules)"),
    "argv": (READS, "the command line (sys.argv)"),
    "orig_argv": (READS, "the command line (sys.orig_argv)"),
    "flags": (READS, "the settings of the interpreter (sys.flags)"),
    "stdin": (READS, "its input (sys.stdin)"),
    "excepthook": (READS, "the settings of the interpreter (sys.excepthook)"),
}
_BY_NAME = {
    "tb_frame": (READS, "its callers (tb_frame)"),
    "f_back": (READS, "its callers (f_back)"),
    "__main__": (READS, "the module that was started (__main__)"),
    "pan_audits": (READS, "whether a judge is there (pan_audits)"),
    "panproof": (READS, "whether a judge is there (panproof)"),
}
"""Names that hardly occur in code that does not look around."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS = (
    "os.putenv",
    "os.unsetenv",
    "os.remove",
    "os.rename",
    "os.link",
    "os.symlink",
    "os.mkdir",
    "os.rmdir",
    "os.truncate",
    "os.chmod",
    "os.utime",
    "os.setxattr",
    "os.system",
    "os.fork",
    "os.exec",
    "os.posix_spawn",
    "subprocess.Popen",
    "sqlite3.connect",
)


class Following:
    """Follows calls of one judged code.

    Parameters
    ----------
    is_own
        Whether a file belongs to the judged code, as far as that is known before the code is imported.

    Attributes
    ----------
    ran
        Lines that ran: file and number.
    acts
        Acts of the code beside computing: kind, words, and how often.
    calls
        Calls that were followed.
    wanted
        All lines of the judged code, as soon as they are known. Once they all ran, lines are not traced any more.
    """

    def __init__(self, is_own: Callable[[str], bool]) -> None:
        self.is_own = is_own
        self.ran: set[tuple[str, int]] = set()
        self.entered: set[CodeType] = set()
        self.acts: Counter[tuple[str, str]] = Counter()
        self.calls = 0
        self.wanted: set[tuple[str, int]] | None = None
        self._active = False
        self._files: dict[str, bool] = {}
        self._installed: set[str] = set()
        sys.addaudithook(self._audit)

    def add(self, own: OwnCode) -> None:
        """Follow this code, also if its package is installed."""
        self._installed |= own.files
        self._files.clear()
        self.wanted = (self.wanted or set()) | wanted(own)

    @contextlib.contextmanager
    def on(self, *, acts: bool = True) -> Iterator[None]:
        """Follow what is called inside.

        Parameters
        ----------
        acts
            Whether acts count, and not lines alone.
        """
        if self.calls >= _MOST_CALLS:
            yield
            return
        self.calls += 1
        traced = self.wanted is None or not self.wanted <= self.ran
        kept = sys.gettrace(), sys.getprofile()
        self._active = acts
        if acts:
            sys.setprofile(self._profile)
        if traced:
            sys.settrace(self._trace)
        try:
            yield
        finally:
            if traced:
                sys.settrace(kept[0])
            if acts:
                sys.setprofile(kept[1])
            self._active = False

    def _own(self, code: CodeType) -> bool:
        file = code.co_filename
        if file not in self._files:
            self._files[file] = file in self._installed or self.is_own(file)
        return self._files[file]

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not self._own(frame.f_code):
            return None
        self.entered.add(frame.f_code)
        file, ran = frame.f_code.co_filename, self.ran
        ran.add((file, frame.f_lineno))

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                ran.add((file, frame.f_lineno))
            return line

        return line

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call":
            name = argument.__name__
            if name not in _NAMES:
                return
            known = _BUILTINS.get(argument)
            if known is not None and (known[0] == ENTROPY or self._own(frame.f_code)):
                # The given randomness may use the system.
                if known[0] == ENTROPY and "/pan_estimators/" in frame.f_code.co_filename:
                    return
                self._note(*known)
            elif known is None and self._own(frame.f_code) and self._is_date(argument):
                self._note(READS, f"the clock (datetime.{name})")
            elif name == "stat" and isinstance(argument.__self__, os.DirEntry) and self._own(frame.f_code):
                self._note(READS, "the times of a file (os.DirEntry.stat)")
        elif event == "call":
            code = frame.f_code
            if code in _PYTHON and frame.f_back is not None and self._own(frame.f_back.f_code):
                # A method of all mappings concerns the environment only if it is called for it.
                of = frame.f_locals.get("self")
                if not isinstance(of, Mapping) or of is os.environ or of is os.environb:
                    self._note(*_PYTHON[code])
            elif self._own(code):
                self.entered.add(code)

    @staticmethod
    def _is_date(function: Any) -> bool:
        owner = getattr(function, "__self__", None)
        return isinstance(owner, type) and issubclass(owner, datetime.date)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._active or threading.current_thread() is not threading.main_thread():
            return
        if event == "open":
            self._opened(*arguments[:3])
        elif event in _EVENTS or event.startswith("socket."):
            self._note(WRITES, f"{event} {str(arguments[0])[:80] if arguments else ''}".strip())

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        name = str(path)
        if "__pycache__" in name or name.endswith((".pyc", ".nbi", ".nbc")):
            return
        if any(letter in str(mode or "") for letter in "wax+") or (isinstance(flags, int) and flags & _WRITING):
            self._note(WRITES, f"a file ({name[-80:]})")
        elif name.startswith("/proc/"):
            self._note(READS, f"the process ({name[:80]})")

    def _note(self, kind: str, words: str) -> None:
        if len(self.acts) < _MOST_KINDS:
            self.acts[kind, words] += 1

    def looks(self, own: OwnCode) -> Iterator[tuple[str, str]]:
        """Attributes of ``sys``, and other names, that functions which ran look up."""
        for function, code in own.codes():
            if code not in self.entered:
                continue
            names = set(code.co_names)
            is_sys = "sys" in names or any(function.__globals__.get(name) is sys for name in names)
            yield from (act for name, act in _BY_NAME.items() if name in names)
            for name, act in _OF_SYS.items():
                value = getattr(sys, name)
                if (is_sys and name in names) or any(function.__globals__.get(each) is value for each in names):
                    yield act


def unran(own: OwnCode, following: Following) -> list[tuple[str, str, list[int], bool]]:
    """The lines of the judged code that never ran: file, function, lines, and whether the function ran at all."""
    found = []
    for code, function in own.functions.items():
        if _made_by_a_decorator(code):
            continue
        parts = list(nested(code))
        missing = sorted(line for line in lines_of(parts) if (code.co_filename, line) not in following.ran)
        if missing:
            entered = any(part in following.entered for part in parts)
            found.append((code.co_filename, function.__qualname__, missing, entered))
    return sorted(found)


def wanted(own: OwnCode) -> set[tuple[str, int]]:
    """All lines of the judged code."""
    return {
        (code.co_filename, line)
        for code in own.functions
        if not _made_by_a_decorator(code)
        for line in lines_of(nested(code))
    }


def _made_by_a_decorator(code: CodeType) -> bool:
    """Whether the function has no text of its own, as the methods that ``dataclass`` makes."""
    return code.co_filename == "<string>" and code.co_name.startswith("__")
