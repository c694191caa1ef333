"""In the judged process: which lines of the judged code run, and its acts beside computing.

Tracing costs time. It is on only while :meth:`Following.on` is entered, and off for good once all lines were seen and
enough calls were watched.
"""

from __future__ import annotations

import contextlib
import datetime
import dis
import functools
import itertools
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

from pan_audits.isolation.looks import BUILTINS, BY_NAME, ENTROPY, EVENTS, NAMES, OF_SYS, PYTHON, READS, WRITES, WRITING
from pan_audits.isolation.own_code import OwnCode, is_made_by_a_decorator, lines_of, nested

_MOST_CALLS = 4096
"""Calls whose lines are followed, at most."""

_MOST_KINDS = 64

_active: list[Following] = []


@functools.lru_cache(maxsize=1)
def _start_hearing() -> None:
    """Python never removes a hook, and calls each of them for each event. So there is one."""

    def heard(event: str, arguments: tuple[Any, ...]) -> None:
        if _active:
            _active[-1].hear(event, arguments)

    sys.addaudithook(heard)


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
        self._files: dict[str, bool] = {}
        self._installed: set[str] = set()
        self._of_others: set[CodeType] = set()
        _start_hearing()

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
        if acts:
            _active.append(self)
            sys.setprofile(self._profile)
        if traced:
            sys.settrace(self._trace)
        try:
            yield
        finally:
            if (acts and sys.getprofile() != self._profile) or (traced and sys.gettrace() != self._trace):
                self._note(READS, "whether it is traced, and stops it (sys.settrace, sys.setprofile)")
            if traced:
                sys.settrace(kept[0])
            if acts:
                sys.setprofile(kept[1])
                _active.remove(self)

    def _own(self, code: CodeType) -> bool:
        file = code.co_filename
        if file not in self._files:
            self._files[file] = file in self._installed or self.is_own(file)
        return self._files[file]

    def _follows(self, frame: FrameType) -> bool:
        """Whether the code of a call is judged. A text without a file is, if the judged code runs it."""
        code, back = frame.f_code, frame.f_back
        if not self._own(code):
            return False
        if not code.co_filename.startswith("<") or code.co_filename in self._installed:
            return True
        if code in self._of_others:
            return False
        followed = back is not None and (back.f_code in self.entered or self._follows(back))
        if not followed:
            # Named tuples are made from a text. Its functions are the library's, also if the judged code calls them.
            self._of_others |= set(nested(code))
        return followed

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not self._follows(frame):
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
            if name not in NAMES:
                return
            known = BUILTINS.get(argument)
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
            if code in PYTHON and frame.f_back is not None and self._own(frame.f_back.f_code):
                # A method of all mappings concerns the environment only if it is called for it.
                of = frame.f_locals.get("self")
                if not isinstance(of, Mapping) or of is os.environ or of is os.environb:
                    self._note(*PYTHON[code])
            elif self._follows(frame):
                self.entered.add(code)

    @staticmethod
    def _is_date(function: Any) -> bool:
        owner = getattr(function, "__self__", None)
        return isinstance(owner, type) and issubclass(owner, datetime.date)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note an event of the interpreter."""
        if threading.current_thread() is not threading.main_thread():
            return
        if event == "open":
            self._opened(*arguments[:3])
        elif event in EVENTS or event.startswith("socket."):
            self._note(WRITES, f"{event} {str(arguments[0])[:80] if arguments else ''}".strip())

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        name = str(path)
        if "__pycache__" in name or name.endswith((".pyc", ".nbi", ".nbc")):
            return
        if any(letter in str(mode or "") for letter in "wax+") or (isinstance(flags, int) and flags & WRITING):
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
            yield from (act for name, act in BY_NAME.items() if name in names)
            yield from _looks_in_texts(code)
            if is_sys and any(function.__globals__.get(name) is sys for name in _used_whole(code)):
                yield READS, "the module sys as a whole"
            for name, act in OF_SYS.items():
                value = getattr(sys, name)
                if (is_sys and name in names) or any(function.__globals__.get(each) is value for each in names):
                    yield act


def _looks_in_texts(code: CodeType) -> Iterator[tuple[str, str]]:
    """The name of a judge in a text that is no documentation, and the clock of numpy."""
    texts = [each for each in code.co_consts[1:] if isinstance(each, str)]
    if any("pan_audits" in text or "panproof" in text for text in texts):
        yield READS, "whether a judge is there (its name in a text)"
    if "datetime64" in code.co_names and {"now", "today"} & set(code.co_consts):
        yield READS, "the clock (numpy.datetime64)"


def _used_whole(code: CodeType) -> Iterator[str]:
    """Global names that are not followed by the name of an attribute."""
    steps = list(dis.get_instructions(code))
    for step, following in itertools.pairwise(steps):
        if step.opname == "LOAD_GLOBAL" and following.opname not in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR"):
            yield str(step.argval)


def unran(own: OwnCode, following: Following) -> list[tuple[str, str, list[int], bool]]:
    """The lines of the judged code that never ran: file, function, lines, and whether the function ran at all."""
    found = []
    for code, function in own.functions.items():
        if is_made_by_a_decorator(code):
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
        if not is_made_by_a_decorator(code)
        for line in lines_of(nested(code))
    }
