"""Outputs as rows of CSV, in a file that is written once, or at standard output."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_audits.sources.byte_stream import arrow_library
from pan_promises.errors import InputError, on_one_line

HEADER = "end,estimate,low,high\n"
_DIGITS = 3
"""Number of digits of the standard deviation that outputs have."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """Consecutive outputs.

    Attributes
    ----------
    labels
        The end of each step: the number of entries so far, or the time in microseconds since 1970.
    estimates
        The outputs.
    widths
        Half the widths of their intervals.
    """

    labels: NDArray[np.int64]
    estimates: NDArray[np.float64]
    widths: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Iterable[Outputs]) -> Outputs:
        """Parts as one.

        Parameters
        ----------
        parts
            The parts, in order.
        """
        every = list(parts)
        labels = [np.empty(0, dtype=np.int64), *(part.labels for part in every)]
        estimates = [np.empty(0), *(part.estimates for part in every)]
        widths = [np.empty(0), *(part.widths for part in every)]
        return cls(np.concatenate(labels), np.concatenate(estimates), np.concatenate(widths))


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of outputs that people read.

    Attributes
    ----------
    labels
        As in :class:`Outputs`.
    timed
        Whether steps end at times.
    estimates, low, high
        The outputs and the bounds of their intervals, rounded; the bounds outwards.
    """

    labels: NDArray[np.int64]
    timed: bool
    estimates: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __len__(self) -> int:
        return int(self.labels.size)

    def part(self, rows: slice) -> Table:
        """Some of the rows.

        Parameters
        ----------
        rows
            Their places.
        """
        columns = (column[rows] for column in (self.estimates, self.low, self.high))
        return Table(self.labels[rows], self.timed, *columns)

    def csv(self) -> str:
        """The rows of CSV, without the names of the columns."""
        return "".join(f"{row}\n" for row in self._rows("", ",", ",", ",", ""))

    def json(self) -> str:
        """The rows as JSON objects, with commas between them. Every number is finite."""
        mark = '"' if self.timed else ""
        words = (f'{{"end": {mark}', f'{mark}, "estimate": ', ', "low": ', ', "high": ', "}")
        return ",\n".join(self._rows(*words))

    def _rows(self, *words: str) -> list[str]:
        """Each row as text, with a word before, between and after its columns."""
        arrow = arrow_library()
        from pyarrow import compute

        if not len(self):
            return []
        columns = [_column(values).cast(arrow.string()) for values in (self.estimates, self.low, self.high)]
        texts = [part for pair in zip(words, [self._ends(), *columns], strict=False) for part in pair]
        rows: list[str] = compute.binary_join_element_wise(*texts, words[-1], "").to_pylist()
        return rows

    def _ends(self) -> Any:
        """The end of each step as text: the number of entries so far, or a time."""
        arrow = arrow_library()
        from pyarrow import compute

        labels = _column(self.labels)
        if not self.timed:
            return labels.cast(arrow.string())
        texts = labels.cast(arrow.timestamp("us")).cast(arrow.timestamp("s")).cast(arrow.string())
        return compute.replace_substring(texts, " ", "T")


@dataclass(frozen=True)
class Form:
    """The form of outputs for people.

    Attributes
    ----------
    deviation
        The largest standard deviation of an output. It decides how many digits are shown.
    timed
        Whether steps end at times.
    least
        The least possible count. No interval begins below it.
    """

    deviation: float
    timed: bool
    least: float = 0.0

    def table(self, outputs: Outputs) -> Table:
        """The columns of outputs.

        Parameters
        ----------
        outputs
            The outputs.
        """
        unit = 10.0 ** min(15, max(0, _DIGITS - 1 - floor(log10(self.deviation))))
        values, widths = outputs.estimates, outputs.widths
        low = np.maximum(self.least, np.floor((values - widths) * unit) / unit)
        high = np.ceil((values + widths) * unit) / unit
        return Table(outputs.labels, self.timed, np.round(values * unit) / unit, low, high)


def _column(values: NDArray[Any]) -> Any:
    """The numbers as a column of Arrow, whose own function would import pandas where it is installed."""
    arrow = arrow_library()
    kind = arrow.int64() if values.dtype.kind == "i" else arrow.float64()
    return arrow.Array.from_buffers(kind, values.size, [None, arrow.py_buffer(np.ascontiguousarray(values))])


class Sink(Protocol):
    """The place of the rows."""

    written: int
    """The number of bytes so far."""

    def write(self, text: str) -> None:
        """Write rows. The first call also writes the names of the columns.

        Parameters
        ----------
        text
            Whole rows.
        """

    def settle(self) -> None:
        """Return when the rows so far are on the disk, if the place is a file."""

    def close(self) -> None:
        """End the writing."""


class StandardOutput:
    """Rows at standard output."""

    def __init__(self, written: int | None = None) -> None:
        self.written = written or 0

    def write(self, text: str) -> None:
        text = text if self.written else HEADER + text
        sys.stdout.write(text)
        sys.stdout.flush()
        self.written += len(text)

    def settle(self) -> None:
        """Do nothing. Nobody can know whether the reader has the rows."""

    def close(self) -> None:
        """Leave it open, for others."""


class OutputFile:
    """Rows in a file: each once, also after an interruption.

    Parameters
    ----------
    path
        The file. At the beginning of a stream it must be new or empty.
    written
        The number of bytes that are known to be there; the rest is removed. ``None`` at the beginning of a stream.

    Raises
    ------
    InputError
        If the file cannot be written, holds other outputs, or has lost some.
    """

    def __init__(self, path: Path, written: int | None = None) -> None:
        self._name = on_one_line(path)
        flags = (
            os.O_RDWR
            | (os.O_CREAT if written is None else 0)
            | getattr(os, "O_NOFOLLOW", 0)
            | getattr(os, "O_NONBLOCK", 0)
        )
        try:
            self._descriptor = os.open(path, flags, 0o666)
        except OSError as problem:
            why = "it is a symbolic link" if path.is_symlink() else problem.strerror
            raise InputError(f"cannot write the outputs to {self._name}: {why}") from None
        try:
            self._begin(written)
        except BaseException:
            self.close()
            raise
        self.written = written or 0

    def _begin(self, written: int | None) -> None:
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"cannot write the outputs to {self._name}: it is not a regular file")
        head = self._at(0, len(HEADER) + 1)
        # A run that was killed at its first record may have left the beginning of its outputs.
        begun = head.startswith(HEADER.encode()) if written == 0 else False
        if not written and not begun and not HEADER.encode().startswith(head):
            raise InputError(f"{self._name} is not empty; outputs of another run are not overwritten")
        written = written or 0
        whole = status.st_size >= written and head.startswith(HEADER.encode())
        if written and not (whole and self._at(written - 1, 1) == b"\n"):
            raise InputError(
                f"{self._name} does not hold the outputs that the state knows: it should begin with {written} bytes of "
                f"them, and has {status.st_size} bytes"
            )
        os.ftruncate(self._descriptor, written)
        os.lseek(self._descriptor, written, os.SEEK_SET)

    def _at(self, place: int, size: int) -> bytes:
        os.lseek(self._descriptor, place, os.SEEK_SET)
        return os.read(self._descriptor, size)

    def write(self, text: str) -> None:
        content = memoryview((text if self.written else HEADER + text).encode())
        try:
            while content:
                done = os.write(self._descriptor, content)
                self.written += done
                content = content[done:]
        except OSError as problem:
            raise InputError(f"cannot write the outputs to {self._name}: {problem.strerror}") from None

    def settle(self) -> None:
        try:
            os.fsync(self._descriptor)
        except OSError as problem:
            raise InputError(f"cannot write the outputs to {self._name}: {problem.strerror}") from None

    def close(self) -> None:
        os.close(self._descriptor)


def read_table(path: Path, *, timed: bool) -> Table:
    """The outputs in a file that :class:`OutputFile` wrote.

    Parameters
    ----------
    path
        The file.
    timed
        Whether steps end at times.
    """
    arrow = arrow_library()
    import pyarrow.csv as arrow_csv

    number = arrow.float64()
    types = {"end": arrow.timestamp("s") if timed else arrow.int64(), "estimate": number, "low": number, "high": number}
    options = arrow_csv.ConvertOptions(column_types=types, include_columns=list(types))
    found = arrow_csv.read_csv(path, convert_options=options)
    labels = found["end"].cast(arrow.timestamp("us")) if timed else found["end"]
    columns = (found[name].to_numpy() for name in ("estimate", "low", "high"))
    return Table(labels.cast(arrow.int64()).to_numpy(), timed, *columns)
