"""The lines of a pipe or of another stream, as they arrive."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pan_promises.errors import InputError

_BYTES = 2**20
_MOST_ROWS = 2**16
_LONGEST_LINE = 2**20

Wait = Callable[[], float | None]
"""The number of seconds after which a reader that waits hands on an empty batch; ``None``: it waits without end."""


class Lines:
    """The lines of a stream. The reader may wait when no whole line is left."""

    def __init__(self, read: Callable[[int], bytes], name: str, descriptor: int | None = None) -> None:
        self._read_bytes = read
        self._name = name
        self._descriptor = descriptor
        self._left = b""
        self._whole: list[bytes] = []
        self._ended = False

    @classmethod
    def of_pipe(cls, descriptor: int, name: str) -> Lines:
        """The lines of a pipe."""
        return cls(lambda size: os.read(descriptor, size), name, descriptor)

    @property
    def waiting(self) -> bool:
        """Whether the next line has not arrived yet."""
        return not self._whole and not self._ended

    def arrive(self, seconds: float | None) -> bool:
        """Wait until the next line has arrived, or the stream has ended."""
        while self.waiting:
            pipes = [] if self._descriptor is None else [self._descriptor]
            if pipes and seconds is not None and not select.select(pipes, [], [], max(0.0, seconds))[0]:
                return False
            self._read()
        return True

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        while not self._whole:
            if self._ended:
                raise StopIteration
            self._read()
        line = self._whole.pop()
        try:
            return line.decode("utf-8-sig" if line.startswith(b"\xef\xbb\xbf") else "utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{self._name} is not UTF-8 text") from None

    def _read(self) -> None:
        part = self._read_bytes(_BYTES)
        if not part:
            self._ended = True
            self._whole = [self._left] if self._left else []
            self._left = b""
            return
        *whole, self._left = (self._left + part).split(b"\n")
        if len(self._left) > _LONGEST_LINE:
            raise InputError(f"a line of {self._name} has more than {_LONGEST_LINE} bytes")
        # The first line is popped first.
        self._whole = [line + b"\n" for line in reversed(whole)]


def batches_of(rows: Iterable[list[Any]], lines: Lines, width: int, wait: Wait | None = None) -> Iterator[list[Any]]:
    """The rows that have arrived, as columns: a list of values for each column, and such a list for each batch."""
    rest = iter(rows)
    batch: list[list[Any]] = [[] for _ in range(width)]
    while True:
        if lines.waiting:
            if batch[0]:
                yield batch
                batch = [[] for _ in range(width)]
            while not lines.arrive(None if wait is None else wait()):
                yield [[] for _ in range(width)]
        row = next(rest, None)
        if row is None:
            break
        for column, value in zip(batch, row, strict=True):
            column.append(value)
        if len(batch[0]) >= _MOST_ROWS:
            yield batch
            batch = [[] for _ in range(width)]
    if batch[0]:
        yield batch
