"""Ctrl-C and SIGTERM, noticed only at moments at which a state is complete."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """A signal asked the command to end, at a moment at which the state is complete."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Watch:
    """Waits for signals while a command works."""

    def __init__(self) -> None:
        self._busy = False
        self._signal: int | None = None

    @contextmanager
    def whole(self, *, interruptible: bool = True) -> Iterator[None]:
        """A signal within the body waits for its end."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
        if interruptible and self._signal is not None:
            raise Interrupted(self._signal)

    @contextmanager
    def watching(self, leave: Callable[[Interrupted], None]) -> Iterator[None]:
        """End the command on Ctrl-C and SIGTERM, with the exit code of the signal."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[signal.Signals, Any] = {}
        try:
            for number in _SIGNALS:
                before[number] = signal.signal(number, self._notice)
            yield
        except Interrupted as end:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_IGN)
            leave(end)
            raise SystemExit(128 + end.number) from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _notice(self, number: int, frame: FrameType | None) -> None:
        self._signal = number
        if not self._busy:
            raise Interrupted(number)
