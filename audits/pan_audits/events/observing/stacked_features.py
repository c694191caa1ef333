"""Features of many runs as columns: the same names and numbers that :mod:`.features` finds run by run.

Parts that are the same in all runs are taken apart once. Of the others, arrays of numbers and strings of bytes
are read here; anything else is left to the features of single runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table
from pan_audits.events.observing.features import MOST_COLUMNS, MOST_ELEMENTS, MOST_OUTPUT_ELEMENTS, observation_parts
from pan_audits.events.observing.numbers import loses_precision, sums_of_blocks
from pan_audits.events.observing.subject import Subject, entries_of_user
from pan_audits.events.table import is_mark, mark_of
from pan_estimators.common.many_runs import Stack

Columns: TypeAlias = dict[str, Any]
"""For each feature, one number for all runs, or an array with one for each run."""

_NUMBERS = "biuf"


class _Unread(Exception):  # noqa: N818 - it is not an error
    """Raised for a part that differs between runs in a way that is not read here."""


def stacked_features(
    states: Sequence[Mapping[str, Any]], outputs: Sequence[NDArray[Any]], runs: int, subject: Subject
) -> Table | None:
    """A table with one row for each run, or ``None`` if each run must be read by itself."""
    columns: Columns = {}
    try:
        for number, parts in enumerate(states, start=1):
            prefix = "" if len(states) == 1 else f"state {number}: "
            _Reading(subject, prefix, columns).fields(parts, "", 0)
        for number, output in enumerate(outputs, start=1):
            name = "output" if len(outputs) == 1 else f"output {number}"
            if output.ndim > 1:
                _Reading(subject, "", columns, MOST_OUTPUT_ELEMENTS).stack(Stack(output), name)
            else:
                _add(columns, name, _numbers(output, (runs,)))
    except _Unread:
        return None
    if len(columns) > MOST_COLUMNS:
        return None
    # A mark stands where the first run that has it puts it.
    first = {name: int(np.argmax(~np.isnan(column))) for name, column in columns.items() if is_mark(name)}
    names = sorted(columns, key=lambda name: first.get(name, 0)) if first else list(columns)
    values = np.empty((runs, len(columns)))
    for place, name in enumerate(names):
        values[:, place] = columns[name]
    return Table(tuple(names), values)


def _add(columns: Columns, label: str, values: NDArray[np.float64]) -> None:
    """A column of numbers, with marks of those that are not finite."""
    columns[label] = values
    if not np.isfinite(values).all():
        for held, one in ((np.isnan(values), np.nan), (values == np.inf, np.inf), (values == -np.inf, -np.inf)):
            if held.any():
                columns[mark_of(label, one)] = np.where(held, 1.0, np.nan)


def _numbers(values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Numbers that doubles hold."""
    if values.shape != shape or values.dtype.kind not in _NUMBERS or loses_precision(values):
        raise _Unread
    return values.astype(np.float64)


class _Reading:
    """The features of one state of every run, as far as they are read."""

    def __init__(self, subject: Subject, prefix: str, columns: Columns, most: int = MOST_ELEMENTS) -> None:
        self.subject = subject
        self.most = most
        self.prefix = prefix
        self.columns = columns

    def fields(self, parts: Mapping[str, Any], name: str, depth: int) -> None:
        """Attributes by name; arrays side by side with a list of ids are looked up for the user."""
        lists = {field: self._occurrences(part) for field, part in parts.items() if _may_be_ids(part)}
        for field, part in parts.items():
            inner = f"{name}.{field}" if name else field
            if isinstance(part, Mapping):
                self.fields(part, inner, depth + 1)
            elif isinstance(part, Stack) and part.bytes_each:
                self._bytes(part.values, inner)
            elif isinstance(part, Stack) and part.values.ndim == 1:
                self._scalars(part.values, self.prefix + inner, depth + 1)
            elif isinstance(part, (Stack, np.ndarray)):
                size = _length(part)
                beside = [found for other, found in lists.items() if other != field and _length(parts[other]) == size]
                self._beside_ids(part, inner, beside, lists.get(field))
            else:
                self.columns.update(observation_parts(part, inner, depth + 1, self.prefix, self.subject))

    def stack(self, part: Stack, name: str) -> None:
        """An array of each run that stands alone."""
        self._beside_ids(part, name, [], None)

    def _scalars(self, values: NDArray[Any], label: str, depth: int) -> None:
        """A number of each run; of a whole number also the bit of the user, as in a set of users."""
        _add(self.columns, label, _numbers(values, values.shape))
        place = self.subject.place
        if values.dtype.kind in "iu" and place is not None and depth < 2:
            # A number below 2**53 has no bits beyond, and a negative one is filled with ones.
            self.columns[f"{label}, bit of the user"] = (values >> min(place, 62) & 1).astype(np.float64)

    def _beside_ids(
        self,
        part: Stack | NDArray[Any],
        inner: str,
        beside: Sequence[NDArray[np.bool_]],
        occurrences: NDArray[np.bool_] | None,
    ) -> None:
        values = part.values if isinstance(part, Stack) else part[None]
        if values.dtype.kind in _NUMBERS and values.ndim == 2 and not values.shape[1]:
            self._empty(values, self.prefix + inner)
            return
        if values.dtype.kind not in _NUMBERS or values.ndim < 2 or not values.size or loses_precision(values):
            raise _Unread
        if beside and values.ndim == 2:
            # The entry of the user by the first list that has the user once.
            found = np.full(max(len(values), *map(len, beside)), np.nan)
            for listed in reversed(beside):
                once = listed.sum(axis=1) == 1
                entries = np.take_along_axis(_broadcast(values, len(listed)), listed.argmax(axis=1)[:, None], axis=1)
                found = np.where(once, entries[:, 0].astype(np.float64), found)
            self.columns[f"{self.prefix}{inner} of the user"] = found
        self._array(values, self.prefix + inner, occurrences, bool(beside) and values.ndim == 2)

    def _empty(self, values: NDArray[Any], label: str) -> None:
        """A list without entries in each run."""
        self.columns[f"{label}.length"] = 0.0
        if values.dtype.kind in "iu":
            self.columns[f"user in {label}"] = 0.0

    def _array(self, values: NDArray[Any], label: str, occurrences: NDArray[np.bool_] | None, beside_ids: bool) -> None:
        columns, kind, subject = self.columns, values.dtype.kind, self.subject
        shape = values.shape[1:]
        flat = values.reshape(len(values), -1)
        size = flat.shape[1]
        columns[f"{label}.length"] = float(size)
        if kind in "iu":
            if occurrences is None:
                if values.ndim > 2:
                    raise _Unread
                occurrences = self._occurrences_in(values)
            columns[f"user in {label}"] = occurrences.any(axis=1).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            columns[f"{label}.sum"] = np.add.reduce(flat, axis=1).astype(np.float64)
        word = 8 * values.dtype.itemsize if kind in "iu" else 0
        guessed = not (beside_ids and 0 < subject.universe_size != size)
        for entry in entries_of_user(shape, word, subject.place, subject.universe_size) if guessed else ():
            found = flat[:, entry.place]
            named = f"{label}{entry.name}, by index" if beside_ids else label + entry.name
            columns[named] = (found if entry.shift < 0 else (found >> entry.shift) & 1).astype(np.float64)
        if size <= self.most:
            for number in range(size):
                _add(columns, f"{label}[{number}]", flat[:, number].astype(np.float64))
        elif self.most > MOST_ELEMENTS:
            columns.update((label + name, found) for name, found in sums_of_blocks(flat, self.most))

    def _bytes(self, values: NDArray[np.uint8], inner: str) -> None:
        label, subject = self.prefix + inner, self.subject
        if values.ndim != 2 or not 0 < values.shape[1] <= MOST_ELEMENTS:
            raise _Unread
        self._array(values, label, None, False)
        self.columns[f"{label} checksum"] = _crc32(values).astype(np.float64)
        for entry in entries_of_user(values.shape[1:], 8, subject.place, subject.universe_size):
            if entry.shift < 0:
                for bit in range(8):
                    self.columns[f"{label}{entry.name}, bit {bit}"] = (values[:, entry.place] >> bit & 1).astype(float)

    def _occurrences(self, part: Stack | NDArray[Any]) -> NDArray[np.bool_]:
        return self._occurrences_in(part.values if isinstance(part, Stack) else part[None])

    def _occurrences_in(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """The places of the user, in the first form that occurs anywhere: shape of ``values``."""
        result = np.zeros(values.shape, dtype=np.bool_)
        for key in self.subject.scalars:
            if not isinstance(key, str):
                missing = ~result.any(axis=1, keepdims=True)
                result |= (values == key) & missing
        return result


def _may_be_ids(part: Any) -> bool:
    values = part.values[0] if isinstance(part, Stack) and not part.bytes_each else part
    return isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu" and values.size > 1


def _length(part: Stack | NDArray[Any]) -> int:
    values = part.values[0] if isinstance(part, Stack) else part
    return int(values.size)


def _broadcast(values: NDArray[Any], runs: int) -> NDArray[Any]:
    return np.broadcast_to(values, (max(runs, len(values)), *values.shape[1:]))


def _crc32(values: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The checksum of each row, as ``zlib.crc32`` gives it."""
    result = np.full(len(values), 0xFFFFFFFF, dtype=np.uint32)
    for column in values.T:
        result = _CRC32[(result ^ column) & 0xFF] ^ result >> 8
    return result ^ np.uint32(0xFFFFFFFF)


def _crc32_table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ np.uint32(0xEDB88320), table >> 1)
    return table


_CRC32 = _crc32_table()
