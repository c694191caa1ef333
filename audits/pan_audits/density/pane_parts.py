"""The ids of a stream, each with the pane in which it is counted."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pan_audits.density.pane_use import Late, PaneUse
from pan_audits.sources.byte_stream import standard_input
from pan_audits.sources.delimited import chosen
from pan_audits.sources.faults import first_of, where
from pan_audits.sources.live import live_rows
from pan_audits.sources.live_lines import Lines, batches_of
from pan_audits.sources.pipe_columns import pipe_columns
from pan_audits.sources.reader import kind_of, open_columns, open_source, prepared
from pan_audits.sources.reading import Progress, Reading
from pan_audits.sources.times import TimeColumn
from pan_estimators.universes.ids import text_array
from pan_promises.errors import InputError

PIECE = 2**18
"""Largest number of rows of a part."""


@dataclass(frozen=True)
class Part:
    """Consecutive rows of one pane.

    Attributes
    ----------
    pane
        The number of the pane, counted from 1970 if panes are times.
    rows
        The number of rows, with those of missing ids.
    ids
        Arrays of ids.
    """

    pane: int
    rows: int
    ids: tuple[Any, ...]


@dataclass
class PartReader:
    """Reads the parts of an input."""

    file: str
    panes: PaneUse
    reading: Reading
    passed_over: int = 0
    before: int = 0
    present: int | None = None
    most: int = PIECE
    progress: Progress | None = None
    clock: Callable[[], int] = lambda: time.time_ns() // 1000

    def parts(self) -> Iterator[Part]:
        """The parts in order. The number of the pane never falls. A part without rows says that time has passed."""
        if self.panes.every.entries:
            return self._by_number()
        return self._by_clock() if self.panes.by_clock else self._by_times()

    def _by_number(self) -> Iterator[Part]:
        done, every = 0, self.panes.every.entries
        for batch in open_source(self.file, self.reading, progress=self.progress).batches:
            start = min(len(batch), max(0, self.passed_over - done))
            done += start
            while start < len(batch):
                seen = self.before + done
                size = min(len(batch) - start, self.most, every - seen % every)
                yield Part(seen // every, size, (batch[start : start + size],))
                done, start = done + size, start + size
        self._require_long_enough(done)

    def _by_clock(self) -> Iterator[Part]:
        row, place = 0, "row"
        with self._pipe() as (stream, kind, name):
            if kind == "text":
                place = "line"
            for column in self._live(stream, kind, name):
                self.present = max(self._now(), -(2**62) if self.present is None else self.present)
                ids = tuple(prepared(column, self.reading, name, place, row)) if len(column) else ()
                row += len(column)
                yield Part(self.present, len(column), ids)

    def _now(self) -> int:
        return int(self.panes.every.number(self.clock()))

    def _seconds_left(self) -> float:
        """The seconds to the end of the present pane. There are none if it has ended since the last part."""
        now = self.clock()
        pane = self.panes.every.number(now) if self.present is None else self.present
        return max(0.0, (int(self.panes.every.end(pane)) - now) / 1e6)

    def _live(self, stream: BinaryIO, kind: str, name: str) -> Iterator[Any]:
        if kind == "text":
            lines = Lines.of_pipe(stream.fileno(), name)
            rows = ([line.rstrip("\r\n")] for line in lines)
            for (texts,) in batches_of(rows, lines, 1, self._seconds_left):
                yield text_array(texts)
            return
        separator = "\t" if kind == "tsv" else ","
        found = live_rows(
            stream.fileno(),
            name,
            lambda names: [chosen(names, self.reading.column, name)],
            separator=separator,
            wait=self._seconds_left,
        )
        for (texts,) in found:
            yield text_array(texts)

    @contextmanager
    def _pipe(self) -> Iterator[tuple[BinaryIO, str, str]]:
        """The pipe of the input, its format and its name."""
        kind, name = kind_of(self.file, self.reading.kind)
        if kind not in ("text", "csv", "tsv") or self.reading.header is False:
            raise InputError("panes by the clock are for a pipe of text or of CSV with names; give --time-column")
        if kind == "text" and self.reading.column is not None:
            raise InputError(f"{name} is read as text, which has no columns; leave --column out, or give --format csv")
        if self.file == "-":
            yield standard_input(), kind, name
            return
        if not _is_pipe(self.file, name):
            raise InputError(f"{name} is a file, which has no clock: give --time-column, or a number of ids to --every")
        with open(self.file, "rb", buffering=0) as stream:
            yield stream, kind, name

    def _by_times(self) -> Iterator[Part]:
        _, name = kind_of(self.file, self.reading.kind)
        reader, row = TimeColumn(name), 0
        for ids, column in self._columns(name):
            skipped = min(len(ids), max(0, self.passed_over - row))
            row += skipped
            ids, column = ids.slice(skipped), column.slice(skipped)
            if not len(ids):
                continue
            times, fault = reader.read(column)
            numbers = np.asarray(self.panes.every.number(times))
            least = np.maximum.accumulate(
                np.concatenate([numbers[:1] if self.present is None else [self.present], numbers])
            )
            late = None
            if self.panes.late is Late.FAIL:
                late = where(numbers < least[:-1], lambda number: _late(number, name))
            first = first_of(fault, late)
            good = numbers.size if first is None else first.row
            for start, end in _runs(least[1 : good + 1], self.most):
                self.present = int(least[start + 1])
                found = tuple(prepared(ids.slice(start, end - start), self.reading, name, "row", row + start))
                yield Part(self.present, end - start, found)
            if first is not None:
                raise InputError(first.sentence(row + first.row + 1))
            row += len(ids)
        self._require_long_enough(row)

    def _require_long_enough(self, rows: int) -> None:
        if rows < self.passed_over:
            _, name = kind_of(self.file, self.reading.kind)
            raise InputError(
                f"{name} has {rows:,} ids, and the state has counted {self.passed_over:,} of it: give --input rest if "
                "it begins after them"
            )

    def _columns(self, name: str) -> Iterator[tuple[Any, Any]]:
        kind, _ = kind_of(self.file, self.reading.kind)
        if kind == "text":
            raise InputError(f"{name} is read as text, which has no column of times: give --format csv")
        if self.reading.header is False:
            raise InputError("--time-column is the name of a column, and --no-header says that there are none")

        def choose(names: list[str]) -> list[int]:
            time_place = chosen(names, self.panes.time_column, name)
            rest = [one for one in names if one != names[time_place]]
            column = rest[0] if self.reading.column is None and len(rest) == 1 else self.reading.column
            place = chosen(names, column, name)
            if place == time_place:
                raise InputError("--column and --time-column are two different columns")
            return [place, time_place]

        found: Iterator[list[Any]]
        if self.file == "-":
            found = pipe_columns(standard_input(), name, choose, kind=kind)
        elif _is_pipe(self.file, name):
            with open(self.file, "rb") as stream:
                yield from ((one[0], one[1]) for one in pipe_columns(stream, name, choose, kind=kind))
            return
        else:
            found = open_columns(self.file, choose, kind=kind, progress=self.progress)
        yield from ((one[0], one[1]) for one in found)


def _late(row: int, name: str) -> str:
    return (
        f"the time in row {row} of {name} lies in a pane that has ended: sort the rows by time, or give --late count, "
        "which counts such rows in the present pane"
    )


def _runs(numbers: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """The runs of equal numbers, in pieces of at most a size."""
    borders = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), numbers.size]
    for begin, end in pairwise(borders):
        for start in range(begin, end, most):
            yield start, min(end, start + most)


def _is_pipe(file: str, name: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)
    except FileNotFoundError:
        raise InputError(f"there is no file {name}") from None
    except (OSError, ValueError) as problem:
        raise InputError(f"cannot read {name}: {getattr(problem, 'strerror', None) or problem}") from None
