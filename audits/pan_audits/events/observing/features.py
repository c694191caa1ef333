"""States and outputs of any kind, as numbers with names that a reader understands.

A state is taken apart into its fields. Arrays, lists, sets and dictionaries give their length, their
sum, their elements if these are few, and their data about the user in whom the two streams
differ: whether they contain the user, and the entry of the user. A part that cannot be taken apart gives a
checksum, which identifies recurring values, and is recorded as opaque.

Many runs are read as columns where the parts that differ between them are arrays of numbers or strings of bytes. The
first axis of such an array counts the runs. An array of one run is read in the same way, as an array of runs with one.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events.observing.numbers import (
    EXACT,
    Raised,
    add_number,
    add_whole,
    extra_attributes,
    holds,
    is_double,
    is_number,
    is_whole,
    loses_precision,
    plain,
    rounded,
    sums_of_blocks,
    total,
)
from pan_audits.events.observing.subject import Entry, Subject, entries_of_user
from pan_audits.events.observing.values import GENERATORS, checksum, fields_of
from pan_audits.events.table import Table, error_of, is_mark, mark_of, none_of
from pan_estimators.common.many_runs import Stack

__all__ = ["Subject", "fields_of", "observation_features", "observation_parts", "opaque_parts", "stacked_features"]

_NUMBERS = "biuf"

MOST_ELEMENTS = 32
"""Greatest number of elements of an array in a state that are read."""

MOST_OUTPUT_ELEMENTS = 256
"""The same for an output, of which any element may differ. A longer output is read by the sums of 256 blocks."""

MOST_COLUMNS = 400
_DEEPEST = 5


def observation_features(states: Sequence[Any], outputs: Sequence[Any], subject: Subject) -> dict[str, float]:
    """One row of a table: features of the states and outputs of one run."""
    return _read(states, outputs, subject).columns


def observation_parts(value: Any, name: str, depth: int, prefix: str, subject: Subject) -> dict[str, float]:
    """The features of one part of a state, at a depth below it."""
    reading = _Reading(subject)
    reading.prefix = prefix
    reading.take_apart(value, name, depth)
    return reading.columns


def opaque_parts(states: Sequence[Any], outputs: Sequence[Any], subject: Subject) -> dict[str, tuple[str, float]]:
    """The parts without features: by path, the kind and a checksum."""
    return _read(states, outputs, subject).opaque


def stacked_features(
    states: Sequence[Mapping[str, Any]], outputs: Sequence[NDArray[Any]], runs: int, subject: Subject
) -> Table | None:
    """A table with one row for each run, or ``None`` if each run must be read by itself."""
    reading = _Reading(subject, stacked=True)
    try:
        for number, parts in enumerate(states, start=1):
            reading.prefix = "" if len(states) == 1 else f"state {number}: "
            reading.fields(parts, "", 0, shown=True)
        reading.prefix, reading.most = "", MOST_OUTPUT_ELEMENTS
        for number, output in enumerate(outputs, start=1):
            name = "output" if len(outputs) == 1 else f"output {number}"
            if output.ndim > 1:
                reading.array(_of_runs(output), name)
            else:
                reading.add(_of_runs(output), name)
    except _UnreadError:
        return None
    columns = reading.columns
    if len(columns) > MOST_COLUMNS:
        return None
    # A mark stands where the first run that has it puts it.
    first = {name: int(np.argmax(~np.isnan(column))) for name, column in columns.items() if is_mark(name)}
    names = sorted(columns, key=lambda name: first.get(name, 0)) if first else list(columns)
    values = np.empty((runs, len(columns)))
    for place, name in enumerate(names):
        values[:, place] = columns[name]
    return Table(tuple(names), values)


def _read(states: Sequence[Any], outputs: Sequence[Any], subject: Subject) -> _Reading:
    reading = _Reading(subject)
    for number, state in enumerate(states, start=1):
        reading.prefix = "" if len(states) == 1 else f"state {number}: "
        reading.take_apart(state, "", 0)
    reading.prefix, reading.most = "", MOST_OUTPUT_ELEMENTS
    for number, output in enumerate(outputs, start=1):
        name = "output" if len(outputs) == 1 else f"output {number}"
        if is_whole(output) and not isinstance(output, bool):
            add_whole(int(output), name, reading.columns, None)
        elif is_number(output) and not isinstance(output, np.longdouble):
            reading.number(rounded(output), name)
        else:
            reading.take_apart(output, name, 0)
    return reading


class _UnreadError(Exception):
    """A part differs between runs in a way that is not read in columns."""


def _of_runs(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers of many runs, which doubles hold."""
    if values.dtype.kind not in _NUMBERS or loses_precision(values):
        raise _UnreadError
    return values


class _Reading:
    """The features of one observation, or of many as columns, as far as they are read."""

    def __init__(self, subject: Subject, *, stacked: bool = False) -> None:
        self.subject = subject
        self.place = subject.place
        self.keys = subject.keys
        self.scalars = subject.scalars
        self.stacked = stacked
        self.prefix = ""
        self.most = MOST_ELEMENTS
        self.columns: dict[str, Any] = {}
        self.opaque: dict[str, tuple[str, float]] = {}

    def number(self, value: float, label: str) -> None:
        """Add a number, with a mark if it is not finite."""
        self.columns[label] = value
        if not math.isfinite(value):
            self.columns[mark_of(label, value)] = 1.0

    def put(self, values: NDArray[Any], label: str) -> None:
        """Add a number of each run."""
        self.columns[label] = values.astype(np.float64) if self.stacked else float(values.item())

    def add(self, values: Any, label: str) -> None:
        """Add a number of each run, with marks of those that are not finite."""
        if not self.stacked:
            self.number(float(values), label)
            return
        self.columns[label] = values = values.astype(np.float64)
        if not np.isfinite(values).all():
            for held, one in ((np.isnan(values), np.nan), (values == np.inf, np.inf), (values == -np.inf, -np.inf)):
                if held.any():
                    self.columns[mark_of(label, one)] = np.where(held, 1.0, np.nan)

    def take_apart(self, value: Any, name: str, depth: int) -> None:
        """Add the features of one part of any kind."""
        label = self.prefix + (name or "state")
        kind = type(value)
        if kind is float or kind is bool or kind is np.float64 or kind is np.bool_:
            self.number(float(value), label)
        elif is_whole(value):
            whole = int(value)
            # Deep inside there are many small numbers, which are rarely sets of users.
            add_whole(whole, label, self.columns, self.place if depth < 2 or abs(whole) >= EXACT else None)
        elif value is None:
            self.columns[none_of(label)] = 1.0
        elif isinstance(value, Raised):
            self.columns[error_of(label, value.kind)] = 1.0
            if value.message:
                self._text(value.message, f"message of {label}")
        elif isinstance(value, str):
            self._text(value, label)
        elif isinstance(value, GENERATORS):
            return  # hygiene reports it, and its distribution carries no information
        elif depth > _DEEPEST or len(self.columns) > MOST_COLUMNS:
            why = "nested too deeply" if depth > _DEEPEST else f"beyond the first {MOST_COLUMNS} numbers"
            self._opaque(value, label, f", {why}")
        elif not add_number(value, label, self.columns):
            self._container(value, name, label, depth)

    def _container(self, value: Any, name: str, label: str, depth: int) -> None:
        simple = plain(value)
        extra = extra_attributes(value)
        if extra:
            self.fields(extra, name, depth)
        if isinstance(simple, np.ndarray):
            self.array(simple[None], label)
        elif isinstance(simple, bytes):
            self._bytes(np.frombuffer(simple, dtype=np.uint8)[None], label)
        elif isinstance(simple, str):
            self._text(simple, label)
        elif isinstance(simple, Mapping):
            self._mapping(simple, name, label, depth)
        elif isinstance(simple, Set):
            self._set(simple, label)
        elif isinstance(simple, list):
            self._sequence(simple, name, label, depth)
        else:
            fields = fields_of(simple)
            if fields is None:
                self._opaque(value, label)
            else:
                self.fields(fields, name, depth)

    def _opaque(self, value: Any, label: str, why: str = "") -> None:
        found = checksum(value)
        self.columns[f"{label} checksum"] = found
        kind = type(value)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        self.opaque[label] = (f"{module}{kind.__qualname__}{why}", found)

    def fields(self, parts: Mapping[str, Any], name: str, depth: int, *, shown: bool = False) -> None:
        """Attributes or entries by name; arrays side by side with a list of ids are looked up for the user.

        Of parts that the states of many runs show, a mapping holds the attributes of an object.
        """
        arrays = {field: values for field, part in parts.items() if (values := _array_of(part)) is not None}
        lists = {
            field: self._places(values)
            for field, values in arrays.items()
            if values.ndim == 2 and values.dtype.kind in "iuU" and values.shape[1] > 1
        }
        for field, part in parts.items():
            inner = f"{name}.{field}" if name else field
            if (values := arrays.get(field)) is None:
                (self._shown if shown else self.take_apart)(part, inner, depth + 1)
                continue
            label = self.prefix + inner
            beside = [
                found
                for other, found in lists.items()
                if values.ndim == 2 and other != field and found.shape[1] == values.shape[1]
            ]
            if beside and values.dtype.kind in _NUMBERS:
                # The entry of the user by the first list that has the user once.
                entry = np.full(1, np.nan)
                for listed in reversed(beside):
                    own = np.where(listed, values, 0).sum(axis=1)
                    entry = np.where(listed.sum(axis=1) == 1, own.astype(np.float64), entry)
                self.put(entry, f"{label} of the user")
            self.array(values, label, lists.get(field), bool(beside))

    def _shown(self, part: Any, name: str, depth: int) -> None:
        """A part of the states of many runs that is no array of each run."""
        if isinstance(part, Mapping):
            self.fields(part, name, depth, shown=True)
        elif not isinstance(part, Stack):
            self.take_apart(part, name, depth)
        elif part.bytes_each:
            if part.values.ndim != 2 or not 0 < part.values.shape[1] <= MOST_ELEMENTS:
                raise _UnreadError
            self._bytes(part.values, self.prefix + name)
        else:
            label = self.prefix + name
            values = _of_runs(part.values)
            self.add(values, label)
            if values.dtype.kind in "iu" and self.place is not None and depth < 2:
                # A number below 2**53 has no bits beyond, and a negative one is filled with ones.
                self.put(values >> min(self.place, 62) & 1, f"{label}, bit of the user")

    def _places(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """The places of the user in lists of ids, in the first form that occurs in a list."""
        found = np.zeros(values.shape, dtype=np.bool_)
        for key in self.scalars:
            if isinstance(key, str) == (values.dtype.kind == "U"):
                found |= (values == key) & ~found.any(axis=1, keepdims=True)
        return found

    def _mapping(self, value: Mapping[Any, Any], name: str, label: str, depth: int) -> None:
        few = 0 < len(value) <= MOST_ELEMENTS
        if few and all(isinstance(key, str) for key in value) and not any(key in value for key in self.keys):
            self.fields(value, name, depth)
            return
        self.columns[f"{label}.length"] = float(len(value))
        present = [key for key in self.keys if key in value]
        self.columns[f"user in {label}"] = float(bool(present))
        if present:
            self.take_apart(value[present[0]], f"{name or 'state'} of the user", depth + 1)
        numbers = [rounded(entry) for entry in value.values() if is_number(entry)]
        if numbers:
            self.columns[f"{label}.sum"] = total(numbers)
        if few and len(numbers) < len(value):
            for key, entry in value.items():
                if not is_number(entry):
                    self.take_apart(entry, f"{name or 'state'}[{key}]", depth + 1)

    def _set(self, value: Set[Any], label: str) -> None:
        self.columns[f"{label}.length"] = float(len(value))
        self.columns[f"user in {label}"] = float(any(key in value for key in self.keys))
        if not value:
            return
        if not all(map(is_number, value)):
            if len(value) <= MOST_ELEMENTS:
                self.columns[f"{label} checksum"] = checksum(value)
            return
        numbers = [rounded(entry) for entry in value]
        self.columns[f"{label}.sum"] = total(numbers)
        self.columns[f"{label}.least"], self.columns[f"{label}.greatest"] = min(numbers), max(numbers)

    def _sequence(self, value: Sequence[Any], name: str, label: str, depth: int) -> None:
        self.columns[f"{label}.length"] = float(len(value))
        self.columns[f"user in {label}"] = float(any(holds(value, key) for key in self.keys))
        for entry in self._entries((len(value),), 0):
            self.take_apart(value[entry.place], f"{name or 'state'}{entry.name}", depth + 1)
        most = self.most if depth == 0 else MOST_ELEMENTS
        if len(value) > most > MOST_ELEMENTS and all(map(is_number, value)):
            numbers = np.array([rounded(element) for element in value])
            self.columns.update((label + named, float(found)) for named, found in sums_of_blocks(numbers, most))
            return
        for number, element in enumerate(value[:most]):
            self.take_apart(element, f"{name or 'state'}[{number}]", depth + 1)

    def array(
        self, values: NDArray[Any], label: str, places: NDArray[np.bool_] | None = None, beside_ids: bool = False
    ) -> None:
        """Add the features of an array of each run."""
        kind, size = values.dtype.kind, math.prod(values.shape[1:])
        flat = values.reshape(len(values), size)
        self.columns[f"{label}.length"] = float(size)
        if kind in "iu":
            inside = self._is_in(values) if places is None else np.asarray(places.any(axis=1))
            self.put(inside, f"user in {label}")
        if kind not in _NUMBERS or size == 0:
            if size:
                self.columns[f"{label} checksum"] = float(zlib.crc32(values.tobytes()))
            return
        with np.errstate(over="ignore", invalid="ignore"):
            self.put(np.add.reduce(flat, axis=1), f"{label}.sum")
        word = 8 * values.dtype.itemsize if kind in "iu" else 0
        # An array beside a list of ids has the order of that list, unless it has one entry for every user.
        guessed = not (beside_ids and 0 < self.subject.universe_size != size)
        for entry in self._entries(values.shape[1:], word) if guessed else ():
            found = flat[:, entry.place]
            named = f"{label}{entry.name}, by index" if beside_ids else label + entry.name
            self.put(found if entry.shift < 0 else (found >> entry.shift) & 1, named)
        if size <= self.most:
            columns = flat.T if self.stacked else flat[0].tolist()
            for number, column in enumerate(columns):
                self.add(column, f"{label}[{number}]")
        elif self.most > MOST_ELEMENTS:
            for name, found in sums_of_blocks(flat, self.most):
                self.put(found, label + name)
        if loses_precision(values):
            self._lost_of_array(values[0], label, word)

    def _entries(self, shape: tuple[int, ...], word: int) -> tuple[Entry, ...]:
        return entries_of_user(shape, word, self.place, self.subject.universe_size)

    def _lost_of_array(self, value: NDArray[Any], label: str, word: int) -> None:
        """The low digits of an array of large numbers, which doubles do not hold."""
        self.columns[f"{label} checksum"] = float(zlib.crc32(value.tobytes()))
        if not word:
            return
        for entry in self._entries(value.shape, 0):
            self.columns[f"{label}{entry.name}, low word"] = float(value.item(entry.place) & (2**32 - 1))
        for number, element in enumerate(value.ravel()[: MOST_ELEMENTS // 4].tolist()):
            self.columns[f"{label}[{number}], low word"] = float(element & (2**32 - 1))

    def _is_in(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        pairs = [key for key in self.keys if isinstance(key, tuple) and len(key) == values.shape[-1]]
        if values.ndim == 3 and pairs:
            return np.asarray(np.any([(values == key).all(axis=2).any(axis=1) for key in pairs], axis=0))
        return np.asarray(self._places(values.reshape(len(values), -1)).any(axis=1))

    def _bytes(self, values: NDArray[np.uint8], label: str) -> None:
        self.array(values, label)
        self.put(np.array([zlib.crc32(row.tobytes()) for row in values]), f"{label} checksum")
        entries = self._entries(values.shape[1:], 8)
        for entry in entries:
            if entry.shift < 0:
                for bit in range(8):
                    self.put((values[:, entry.place] >> bit) & 1, f"{label}{entry.name}, bit {bit}")
        if values.shape[1] > MOST_ELEMENTS and not (entries and self.subject.universe_size):
            self.opaque[label] = ("bytes that do not match the number of users", checksum(values.tobytes()))

    def _text(self, value: str, label: str) -> None:
        if is_double(value):
            self.columns[f"{label} as a number"] = float(value)
            return
        raw = value.encode(errors="surrogatepass")
        self.columns[f"{label}.length"] = float(len(raw))
        self.columns[f"{label} checksum"] = float(zlib.crc32(raw))
        self.columns[f"{label} is the user"] = float(value in self.keys)
        entries = self._entries((len(value),), 0)
        for entry in entries:
            self.columns[label + entry.name] = float(ord(value[entry.place]))
        if len(value) > MOST_ELEMENTS:
            if not (entries and self.subject.universe_size):
                self.opaque[label] = ("text that does not match the number of users", checksum(value))
            return
        try:
            self.columns[f"{label} as a number"] = float(value)
        except ValueError:
            for number, letter in enumerate(value):
                self.columns[f"{label}[{number}]"] = float(ord(letter))


def _array_of(part: Any) -> NDArray[Any] | None:
    """A part as an array whose first axis counts runs; one without this axis is common to all of them."""
    if isinstance(part, Stack):
        return None if part.bytes_each or part.values.ndim < 2 else _of_runs(part.values)
    simple = plain(part)
    if not isinstance(simple, np.ndarray) or (part is not simple and extra_attributes(part)):
        return None
    return simple[None]
