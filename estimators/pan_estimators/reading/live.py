"""Rows of a pipe, handed on as soon as they arrive: lines, CSV, JSON lines, or a stream of Arrow."""

from __future__ import annotations

import csv
import json
import os
import select
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from pan_estimators.reading.byte_streams import arrow_library
from pan_estimators.reading.text import Choose
from pan_estimators.reading.typed import arrow_columns
from pan_promises.errors import InputError, shown

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


def live_rows(
    descriptor: int,
    name: str,
    choose: Choose,
    *,
    separator: str = ",",
    wait: Wait | None = None,
) -> Iterator[list[list[str]]]:
    """Some columns of CSV, in batches that hold the rows that have arrived."""
    lines = Lines.of_pipe(descriptor, name)
    rows = csv.reader(lines, delimiter=separator, strict=True)
    try:
        names = next(rows, None)
    except csv.Error as problem:
        raise _bad(name, rows, problem) from None
    if not names:
        raise InputError(f"{name} is empty; its first line holds the names of the columns")
    places = choose(names)
    problems: list[InputError] = []
    yield from batches_of(_chosen(rows, len(names), places, name, problems), lines, len(places), wait)
    if problems:
        raise problems[0]


def _chosen(rows: Any, width: int, places: list[int], name: str, problems: list[InputError]) -> Iterator[list[str]]:
    """The chosen fields of each row, up to the first bad row; the reason is then added to the problems."""
    try:
        for row in rows:
            if not row:
                continue
            if len(row) != width:
                problems.append(
                    InputError(f"line {rows.line_num} of {name} has {len(row)} fields, and {width} have names")
                )
                return
            yield [row[place] for place in places]
    except csv.Error as problem:
        problems.append(_bad(name, rows, problem))
    except InputError as problem:
        problems.append(problem)


def _bad(name: str, rows: Any, problem: Exception) -> InputError:
    return InputError(f"{name} cannot be read as CSV: line {rows.line_num}: {problem}")


def json_rows(lines: Lines, name: str, choose: Choose, *, wait: Wait | None = None) -> Iterator[list[list[str | None]]]:
    """Some values of the objects, in batches that hold the lines that have arrived. Numbers are texts as written."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    first = next(numbered, None)
    if first is None:
        raise InputError(f"{name} is empty")
    names = list(_object(*first, name))
    if not names:
        raise InputError(f"line {first[0]} of {name} is an object without names")
    chosen = [names[place] for place in choose(names)]
    problems: list[InputError] = []

    def rows() -> Iterator[list[str | None]]:
        try:
            yield _values(first, chosen, name)
            for line in numbered:
                yield _values(line, chosen, name)
        except InputError as problem:
            problems.append(problem)

    yield from batches_of(rows(), lines, len(chosen), wait)
    if problems:
        raise problems[0]


def _object(number: int, line: str, name: str) -> dict[str, Any]:
    try:
        # A number stays as it is written: 1.0 and 1 are different texts.
        found = json.loads(line, parse_float=_Number, parse_int=_Number, parse_constant=_Number)
    except (ValueError, RecursionError):
        raise InputError(f"line {number} of {name} is no JSON: {shown(line.strip())}") from None
    if not isinstance(found, dict):
        raise InputError(f"line {number} of {name} is no JSON object: {shown(line.strip())}")
    return found


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _values(line: tuple[int, str], names: list[str], name: str) -> list[str | None]:
    found = _object(*line, name)
    values = [found.get(one) for one in names]
    for one, value in zip(names, values, strict=True):
        if isinstance(value, str) and not value.isascii() and not _is_unicode(value):
            raise InputError(f"line {line[0]} of {name} has half a letter of UTF-16 in {shown(one)}")
        if value is not None and not isinstance(value, str):
            kind = "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else "true or false"
            raise InputError(f"line {line[0]} of {name} has {kind} as {shown(one)}; values are texts or numbers")
    return values


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def json_columns(stream: Any, name: str, choose: Choose) -> Iterator[list[Any]]:
    """Several columns of JSON lines, as lists of Arrow arrays of strings."""
    return _arrow_strings(json_rows(Lines(stream.read, name), name, choose))


def _arrow_strings(rows: Iterator[list[list[Any]]]) -> Iterator[list[Any]]:
    arrow = arrow_library()
    return ([arrow.array(column, arrow.large_string()) for column in batch] for batch in rows)


def pipe_columns(
    stream: BinaryIO, name: str, choose: Choose, *, kind: str = "auto", wait: Wait | None = None
) -> Iterator[list[Any]]:
    """Several columns of a pipe, as lists of Arrow arrays that hold the rows that have arrived."""
    if kind == "parquet":
        raise InputError("Parquet cannot be read from a pipe; give a file, or a stream of Arrow")
    if kind == "arrow":
        return arrow_columns(stream, name, choose)
    if kind == "jsonl":
        return _arrow_strings(json_rows(Lines.of_pipe(stream.fileno(), name), name, choose, wait=wait))
    separator = "\t" if kind == "tsv" else ","
    return _arrow_strings(live_rows(stream.fileno(), name, choose, separator=separator, wait=wait))
