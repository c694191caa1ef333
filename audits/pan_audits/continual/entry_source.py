"""Insertions and deletions from the columns of a file: time, element and action."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.sources.byte_stream import arrow_library
from pan_audits.sources.delimited import chosen
from pan_promises.errors import InputError, shown

_ACTIONS = {
    1: ("insert", "insertion", "add", "in", "enter", "arrive", "+"),
    -1: ("delete", "deletion", "remove", "out", "leave", "depart", "-"),
}
_SIGNS = {word: sign for sign, words in _ACTIONS.items() for word in words}
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")
_BETWEEN = "\x1f"
"""The mark between two parts of an element that has several columns."""


@dataclass(frozen=True)
class EntryColumns:
    """The columns of a stream of insertions and deletions.

    Attributes
    ----------
    elements
        The columns that name the element together. By default the column ``element``.
    action
        The column of the action: words such as insert and delete, or numbers by their sign. By default the column
        ``action`` if there is one; without one every entry is an insertion.
    time
        The column of the time. By default the column ``time`` if there is one.
    """

    elements: tuple[str, ...] = ()
    action: str | None = None
    time: str | None = None

    def places(self, names: list[str], name: str) -> dict[str, tuple[int, ...]]:
        """The places of the columns by their role, among the names of all columns.

        Parameters
        ----------
        names
            The names of all columns.
        name
            The file, for messages.

        Raises
        ------
        InputError
            If there is no such column, or a column has two roles.
        """
        elements = self.elements or (("element",) if "element" in names or len(names) > 1 else (names[0],))
        found = {"element": tuple(chosen(names, column, name) for column in elements)}
        for role, column in (("action", self.action), ("time", self.time)):
            if column is not None or role in names:
                found[role] = (chosen(names, column or role, name),)
        every = [place for places in found.values() for place in places]
        if twice := [names[place] for place in every if every.count(place) > 1]:
            raise InputError(f"the column {shown(twice[0])} of {name} is given twice: as element, action or time")
        return found


@dataclass(frozen=True, eq=False)
class Entries:
    """Consecutive entries of a stream.

    Attributes
    ----------
    elements
        The number of the element of each entry, in the order in which elements first appear, shape ``(n,)``.
    signs
        1 for an insertion, -1 for a deletion, 0 for a no-op, shape ``(n,)``.
    times
        Microseconds since 1970, shape ``(n,)``, in order; or ``None`` without a column of times.
    """

    elements: NDArray[np.int64]
    signs: NDArray[np.int8]
    times: NDArray[np.int64] | None


class EntryReader:
    """Reads entries batch by batch, and numbers the elements.

    Parameters
    ----------
    name
        The file, for messages.
    numbers
        The numbers of the elements that are known already.
    """

    def __init__(self, name: str, numbers: dict[str, int] | None = None) -> None:
        self.numbers = {} if numbers is None else numbers
        self.rows = 0
        self._name = name
        self._last: int | None = None

    def read(self, batches: Iterable[dict[str, list[Any]]]) -> Iterator[Entries]:
        """The entries of each batch.

        Parameters
        ----------
        batches
            The Arrow arrays of a batch by their role: ``element`` (one or several), ``action``, ``time``.

        Raises
        ------
        InputError
            For a missing element, an unknown action, or a time that is out of order. The entries before the batch have
            then been handed on.
        """
        for batch in batches:
            elements = self._numbered(batch["element"])
            signs = self._signs(batch["action"][0]) if "action" in batch else np.ones(elements.size, dtype=np.int8)
            times = self._times(batch["time"][0]) if "time" in batch else None
            self.rows += elements.size
            yield Entries(elements, signs, times)

    def _numbered(self, columns: list[Any]) -> NDArray[np.int64]:
        arrow = arrow_library()
        from pyarrow import compute

        texts = [self._texts(column, "element") for column in columns]
        between = arrow.scalar(_BETWEEN, arrow.large_string())
        joined = texts[0] if len(texts) == 1 else compute.binary_join_element_wise(*texts, between)
        encoded = joined.dictionary_encode()
        known = [self.numbers.setdefault(text, len(self.numbers)) for text in encoded.dictionary.to_pylist()]
        return np.asarray(np.array(known, dtype=np.int64)[encoded.indices.to_numpy()])

    def _texts(self, column: Any, role: str) -> Any:
        """A column as large strings, none of them blank."""
        arrow = arrow_library()
        from pyarrow import compute, types

        if types.is_floating(column.type):
            raise InputError(f"{self._name} has floating-point numbers as {role}; give texts or whole numbers")
        texts = column.cast(arrow.large_string())
        blank = compute.equal(compute.utf8_length(compute.utf8_trim_whitespace(texts)), 0).fill_null(True)
        self._require_none(blank, f"has no {role}")
        return texts

    def _signs(self, column: Any) -> NDArray[np.int8]:
        from pyarrow import compute, types

        if types.is_floating(column.type):
            self._require_none(compute.is_nan(column).fill_null(True), "has no action")
            column = compute.sign(column).cast("int8")
        encoded = self._texts(column, "action").dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        signs = [_sign(text) for text in texts]
        places = encoded.indices.to_numpy()
        if None in signs:
            unknown = np.array([sign is None for sign in signs])[places]
            row = int(np.argmax(unknown))
            raise InputError(
                f"row {self.rows + row + 1} of {self._name} has the action {shown(texts[places[row]])}; known are "
                "insert, delete, +, -, in, out, or a number by its sign"
            )
        return np.asarray(np.array(signs, dtype=np.int8)[places])

    def _times(self, column: Any) -> NDArray[np.int64]:
        times = self._microseconds(column)
        steps = np.diff(times, prepend=times[:1] if self._last is None else self._last)
        if (steps < 0).any():
            row = self.rows + int(np.argmax(steps < 0)) + 1
            raise InputError(
                f"the time in row {row} of {self._name} lies before that of the row before; sort the rows by time"
            )
        if times.size:
            self._last = int(times[-1])
        return times

    def _microseconds(self, column: Any) -> NDArray[np.int64]:
        arrow = arrow_library()
        from pyarrow import compute, types

        if types.is_integer(column.type):
            self._require_none(compute.is_null(column), "has no time")
            return np.asarray(column.to_numpy(zero_copy_only=False)).astype(np.int64) * 10**6
        if not (types.is_timestamp(column.type) or types.is_date(column.type)):
            texts = self._texts(column, "time")
            if compute.all(compute.match_substring_regex(texts, r"^-?[0-9]{1,12}$")).as_py():
                return np.asarray(texts.cast(arrow.int64()).to_numpy()) * 10**6
            column = self._parsed(texts)
        self._require_none(compute.is_null(column), "has no time")
        zone = getattr(column.type, "tz", None)
        stamps = column.cast(arrow.timestamp("us", zone), safe=False)
        return np.asarray(stamps.cast(arrow.int64()).to_numpy(zero_copy_only=False))

    def _parsed(self, texts: Any) -> Any:
        arrow = arrow_library()
        for zone in (None, "UTC"):
            try:
                return texts.cast(arrow.timestamp("us", zone))
            except arrow.ArrowInvalid:
                continue
        for place, text in enumerate(texts.to_pylist()):
            if not any(_is_time(arrow, text, zone) for zone in (None, "UTC")):
                raise InputError(
                    f"row {self.rows + place + 1} of {self._name} has the time {shown(text)}; a time is ISO 8601, such "
                    "as 2026-01-31T12:00, or whole seconds since 1970"
                )
        raise InputError(f"the times of {self._name} must all have a time zone, or none of them")

    def _require_none(self, bad: Any, fault: str) -> None:
        marks = bad.to_numpy(zero_copy_only=False)
        if marks.any():
            raise InputError(f"row {self.rows + int(np.argmax(marks)) + 1} of {self._name} {fault}")


def _sign(text: str) -> int | None:
    word = text.strip().lower()
    if word in _SIGNS:
        return _SIGNS[word]
    if _NUMBER.fullmatch(word):
        return 0 if not word.strip("+-0.") else -1 if word.startswith("-") else 1
    return None


def _is_time(arrow: Any, text: str, zone: str | None) -> bool:
    try:
        arrow.scalar(text).cast(arrow.timestamp("us", zone))
    except arrow.ArrowInvalid:
        return False
    return True
