"""Rows of CSV from a pipe, handed on as soon as they arrive."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator

from pan_promises.errors import InputError

_BYTES = 2**20
_MOST_ROWS = 2**16
_LONGEST_LINE = 2**20


def live_rows(descriptor: int, name: str, choose: Callable[[list[str]], list[int]]) -> Iterator[list[list[str]]]:
    """Some columns of CSV, in batches that hold the rows that have arrived.

    Parameters
    ----------
    descriptor
        The file descriptor of the pipe.
    name
        The pipe, for messages.
    choose
        The places of the columns by the names in the first row.

    Returns
    -------
    collections.abc.Iterator
        A list of texts for each chosen column, and such a list for each batch.

    Raises
    ------
    InputError
        If the text is no UTF-8 or no CSV, is empty, or a row has too few fields.
    """
    lines = _Lines(descriptor, name)
    rows = csv.reader(lines, strict=True)
    try:
        names = next(rows, None)
        if not names:
            raise InputError(f"{name} is empty; its first line holds the names of the columns")
        places = choose(names)
        batch: list[list[str]] = [[] for _ in places]
        for row in rows:
            if row:
                if len(row) != len(names):
                    raise InputError(
                        f"line {rows.line_num} of {name} has {len(row)} fields, and {len(names)} have names"
                    )
                for column, place in zip(batch, places, strict=True):
                    column.append(row[place])
            if batch[0] and (lines.waiting or len(batch[0]) >= _MOST_ROWS):
                yield batch
                batch = [[] for _ in places]
        if batch[0]:
            yield batch
    except csv.Error as problem:
        raise InputError(f"{name} cannot be read as CSV: line {rows.line_num}: {problem}") from None


class _Lines:
    """The lines of a pipe. The reader may wait when no whole line is left."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._name = name
        self._left = b""
        self._whole: list[bytes] = []
        self._ended = False

    @property
    def waiting(self) -> bool:
        """Whether the next line has not arrived yet."""
        return not self._whole and not self._ended

    def __iter__(self) -> _Lines:
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
        part = os.read(self._descriptor, _BYTES)
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
