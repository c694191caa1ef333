"""Outputs as rows of CSV, in a file that is written once, or at standard output."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.reading.byte_streams import arrow_library

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
        """Parts as one."""
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
        """Some of the rows."""
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
        """The columns of outputs."""
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


def read_table(path: Path, *, timed: bool) -> Table:
    """The outputs in a file that :class:`pan_estimators.counting.rows.OutputFile` wrote."""
    arrow = arrow_library()
    import pyarrow.csv as arrow_csv

    number = arrow.float64()
    types = {"end": arrow.timestamp("s") if timed else arrow.int64(), "estimate": number, "low": number, "high": number}
    options = arrow_csv.ConvertOptions(column_types=types, include_columns=list(types))
    found = arrow_csv.read_csv(path, convert_options=options)
    labels = found["end"].cast(arrow.timestamp("us")) if timed else found["end"]
    columns = (found[name].to_numpy() for name in ("estimate", "low", "high"))
    return Table(labels.cast(arrow.int64()).to_numpy(), timed, *columns)
