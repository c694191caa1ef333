"""Times as microseconds since 1970, the distance between two releases, and the first bad row of a batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.reading.byte_streams import arrow_library
from pan_promises.errors import InputError, shown

_UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_SECOND = 10**6
_WEEK = _UNITS["w"] * _SECOND
_FIRST_MONDAY = 4 * _UNITS["d"] * _SECOND
"""The first Monday of 1970."""

MOST_EMPTY = 100_000
"""Largest number of steps between two entries: a date such as 9999-12-31 stands for none."""


@dataclass(frozen=True)
class Every:
    """The distance between two releases.

    Attributes
    ----------
    entries
        The number of entries between two releases; 0 if the distance is a time.
    microseconds
        The time between two releases; 0 if the distance is a number of entries.
    """

    entries: int = 1
    microseconds: int = 0

    def number(self, times: Any) -> Any:
        """The number of the step in which each time lies. Weeks begin on Mondays, other steps of a time in 1970."""
        return (times - self._begin) // self.microseconds

    def end(self, numbers: Any) -> Any:
        """The end of each step, in microseconds since 1970."""
        return (numbers + 1) * self.microseconds + self._begin

    @property
    def _begin(self) -> int:
        return 0 if self.microseconds % _WEEK else _FIRST_MONDAY

    @classmethod
    def parse(cls, text: str) -> Every:
        """The distance that a text names: a number of entries, such as ``1000``, or a time, such as ``1h``."""
        found = re.fullmatch(r"([1-9][0-9]{0,8})(s|min|m|h|d|w)?", text, re.ASCII)
        if not found:
            raise InputError(
                "--every takes a number of entries, such as 1000, or a time, such as 30s, 15min, 1h, 1d; got "
                f"{shown(text)}"
            )
        number, unit = int(found[1]), found[2]
        return cls(0, number * _UNITS[unit] * _SECOND) if unit else cls(number)


@dataclass(frozen=True)
class Fault:
    """A bad row.

    Attributes
    ----------
    row
        Its place in the batch, from 0 on.
    sentence
        The sentence about it, from the number of the row in the file.
    """

    row: int
    sentence: Callable[[int], str]


def first_of(*faults: Fault | None) -> Fault | None:
    """The fault that comes first; ``None`` if there is none."""
    return min((fault for fault in faults if fault is not None), key=lambda fault: fault.row, default=None)


def where(marks: Any, sentence: Callable[[int], str]) -> Fault | None:
    """The fault of the first marked row."""
    if not isinstance(marks, np.ndarray):
        from pyarrow import compute

        if not compute.any(marks).as_py():
            return None
        marks = marks.to_numpy(zero_copy_only=False)
    return Fault(int(np.argmax(marks)), sentence) if marks.any() else None


_SECOND = 10**6
_MOST_SECONDS = 10**12
_FORM = "a time is ISO 8601, such as 2026-01-31T12:00, or whole seconds since 1970"

Times = NDArray[np.int64]


class TimeColumn:
    """Reads the times of a stream batch by batch. All texts have the form of the first one."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._form: str | None = None

    def read(self, column: Any) -> tuple[Times, Fault | None]:
        """The times of a batch in microseconds since 1970, and its first bad row.

        From there on they have no meaning.
        """
        arrow = arrow_library()
        from pyarrow import compute, types

        kind = column.type
        missing = where(column.is_null(), self._missing)
        if types.is_integer(kind):
            return self._of_seconds(compute.fill_null(column, 0).to_numpy(zero_copy_only=False), missing)
        if types.is_timestamp(kind) or types.is_date(kind):
            stamps = column.cast(arrow.timestamp("us", getattr(kind, "tz", None)), safe=False).cast(arrow.int64())
            return np.asarray(compute.fill_null(stamps, 0).to_numpy(zero_copy_only=False)), missing
        if types.is_null(kind):
            return np.zeros(len(column), dtype=np.int64), missing
        if not (types.is_string(kind) or types.is_large_string(kind)):
            raise InputError(f"{self._name} has times of the type {str(kind)[:80]}; {_FORM}")
        texts = compute.fill_null(column.cast(arrow.large_string()), "")
        blank = compute.equal(compute.utf8_length(compute.utf8_trim_whitespace(texts)), 0)
        missing = where(blank, self._missing)
        times, fault = self._of_texts(texts if missing is None else texts.slice(0, missing.row))
        rest = np.zeros(len(texts) - times.size, dtype=np.int64)
        return np.concatenate([times, rest]), first_of(fault, missing)

    def _of_seconds(self, seconds: NDArray[Any], missing: Fault | None) -> tuple[Times, Fault | None]:
        far = seconds > _MOST_SECONDS
        if seconds.dtype.kind == "i":
            far |= seconds < -_MOST_SECONDS
        fault = where(
            far,
            lambda row: (
                f"row {row} of {self._name} has the time {int(seconds[far][0])}; whole seconds since 1970 lie between "
                f"-{_MOST_SECONDS} and {_MOST_SECONDS}"
            ),
        )
        return np.where(far, 0, seconds).astype(np.int64) * _SECOND, first_of(fault, missing)

    def _of_texts(self, texts: Any) -> tuple[Times, Fault | None]:
        if not len(texts):
            return np.zeros(0, dtype=np.int64), None
        for form in _FORMS if self._form is None else [self._form]:
            try:
                times = _FORMS[form](texts)
            except ValueError:  # Errors of Arrow are of this class too.
                continue
            self._form = form
            return times, None
        return self._before_the_first_bad(texts)

    def _before_the_first_bad(self, texts: Any) -> tuple[Times, Fault]:
        """The times before the first text that is no time, or has another form than the first one."""
        form = self._form or next((form for form in _FORMS if _has_form(texts[:1], form)), None)
        row = next((row for row in range(len(texts)) if form is None or not _has_form(texts[row : row + 1], form)), 0)
        text = texts[row].as_py()
        told = f"the time {shown(text)}; {_FORM}"
        if any(_has_form(texts[row : row + 1], other) for other in _FORMS):
            told = f"the time {shown(text)}, and the rows before have {form}; all times of a stream have one form"
        times = np.zeros(0, dtype=np.int64) if form is None else _FORMS[form](texts[:row])
        return times, Fault(row, lambda number: f"row {number} of {self._name} has {told}")

    def _missing(self, row: int) -> str:
        return f"row {row} of {self._name} has no time"


def _seconds(texts: Any) -> Times:
    from pyarrow import compute

    if not compute.all(compute.match_substring_regex(texts, r"^-?[0-9]{1,12}$"), min_count=0).as_py():
        raise ValueError("not all are whole seconds")
    return np.asarray(texts.cast("int64").to_numpy(zero_copy_only=False)) * _SECOND


def _stamps(zone: str | None) -> Callable[[Any], Times]:
    def read(texts: Any) -> Times:
        arrow = arrow_library()
        return np.asarray(texts.cast(arrow.timestamp("us", zone)).cast("int64").to_numpy(zero_copy_only=False))

    return read


_FORMS: Mapping[str, Callable[[Any], Times]] = {
    "seconds": _seconds,
    "no time zone": _stamps(None),
    "a time zone": _stamps("UTC"),
}
"""The forms of texts, tried in this order. A function raises ``ValueError`` if a text has another form."""


def _has_form(text: Any, form: str) -> bool:
    try:
        _FORMS[form](text)
    except ValueError:  # Errors of Arrow are of this class too.
        return False
    return True
