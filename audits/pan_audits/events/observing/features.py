"""States and outputs of any kind, as numbers with names that a reader understands.

A state is taken apart into its fields. Arrays, lists, sets and dictionaries give their length, their
sum, their elements if these are few, and their data about the user in whom the two streams
differ: whether they contain the user, and the entry of the user. A part that cannot be taken apart gives a
checksum, which identifies recurring values, and is recorded as opaque.
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
    array_total,
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
from pan_audits.events.observing.subject import Subject, entries_of_user
from pan_audits.events.observing.values import GENERATORS, checksum, fields_of
from pan_audits.events.table import error_of, mark_of, none_of

__all__ = ["Subject", "fields_of", "observation_features", "observation_parts", "opaque_parts"]

MOST_ELEMENTS = 32
"""Greatest number of elements of an array in a state that are read."""

MOST_OUTPUT_ELEMENTS = 256
"""The same for an output, of which any element may differ. A longer output is read by the sums of 256 blocks."""

MOST_COLUMNS = 400
_DEEPEST = 5


def observation_features(states: Sequence[Any], outputs: Sequence[Any], subject: Subject) -> dict[str, float]:
    """One row of a table: features of the states and outputs of one run."""
    return _read(states, outputs, subject).row


def observation_parts(value: Any, name: str, depth: int, prefix: str, subject: Subject) -> dict[str, float]:
    """The features of one part of a state, at a depth below it."""
    reading = _Reading(subject)
    reading.prefix = prefix
    reading.take_apart(value, name, depth)
    return reading.row


def opaque_parts(states: Sequence[Any], outputs: Sequence[Any], subject: Subject) -> dict[str, tuple[str, float]]:
    """The parts without features: by path, the kind and a checksum."""
    return _read(states, outputs, subject).opaque


def _read(states: Sequence[Any], outputs: Sequence[Any], subject: Subject) -> _Reading:
    reading = _Reading(subject)
    for number, state in enumerate(states, start=1):
        reading.prefix = "" if len(states) == 1 else f"state {number}: "
        reading.take_apart(state, "", 0)
    reading.prefix, reading.most = "", MOST_OUTPUT_ELEMENTS
    for number, output in enumerate(outputs, start=1):
        name = "output" if len(outputs) == 1 else f"output {number}"
        if is_whole(output) and not isinstance(output, bool):
            add_whole(int(output), name, reading.row, None)
        elif is_number(output) and not isinstance(output, np.longdouble):
            reading.number(rounded(output), name)
        else:
            reading.take_apart(output, name, 0)
    return reading


class _Reading:
    """The features of one observation, as far as they are read."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.place = subject.place
        self.keys = subject.keys
        self.scalars = subject.scalars
        self.prefix = ""
        self.most = MOST_ELEMENTS
        self.row: dict[str, float] = {}
        self.opaque: dict[str, tuple[str, float]] = {}

    def number(self, value: float, label: str) -> None:
        """Add a number, with a mark if it is not finite."""
        self.row[label] = value
        if not math.isfinite(value):
            self.row[mark_of(label, value)] = 1.0

    def take_apart(self, value: Any, name: str, depth: int) -> None:
        """Add the features of one part of any kind."""
        label = self.prefix + (name or "state")
        kind = type(value)
        if kind is float or kind is bool or kind is np.float64 or kind is np.bool_:
            self.number(float(value), label)
        elif is_whole(value):
            whole = int(value)
            # Deep inside there are many small numbers, which are rarely sets of users.
            add_whole(whole, label, self.row, self.place if depth < 2 or abs(whole) >= EXACT else None)
        elif value is None:
            self.row[none_of(label)] = 1.0
        elif isinstance(value, Raised):
            self.row[error_of(label, value.kind)] = 1.0
            if value.message:
                self._text(value.message, f"message of {label}")
        elif isinstance(value, str):
            self._text(value, label)
        elif isinstance(value, GENERATORS):
            return  # hygiene reports it, and its distribution carries no information
        elif depth > _DEEPEST or len(self.row) > MOST_COLUMNS:
            why = "nested too deeply" if depth > _DEEPEST else f"beyond the first {MOST_COLUMNS} numbers"
            self._opaque(value, label, f", {why}")
        elif not add_number(value, label, self.row):
            self._container(value, name, label, depth)

    def _container(self, value: Any, name: str, label: str, depth: int) -> None:
        simple = plain(value)
        extra = extra_attributes(value)
        if extra:
            self._fields(extra, name, depth)
        if isinstance(simple, np.ndarray):
            self._array(simple, label)
        elif isinstance(simple, bytes):
            self._bytes(simple, label)
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
                self._fields(fields, name, depth)

    def _opaque(self, value: Any, label: str, why: str = "") -> None:
        found = checksum(value)
        self.row[f"{label} checksum"] = found
        kind = type(value)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        self.opaque[label] = (f"{module}{kind.__qualname__}{why}", found)

    def _fields(self, fields: Mapping[str, Any], name: str, depth: int) -> None:
        """Attributes or entries by name; arrays side by side with a list of ids are looked up for the user."""
        simple = {field: plain(value) for field, value in fields.items()}
        lists: dict[str, NDArray[np.intp]] = {}
        for field, value in simple.items():
            if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuU" and value.size > 1:
                lists[field] = self._occurrences(value)
        for field, value in simple.items():
            inner = f"{name}.{field}" if name else field
            original = fields[field]
            if not isinstance(value, np.ndarray) or (original is not value and extra_attributes(original)):
                self.take_apart(original, inner, depth + 1)
                continue
            label = self.prefix + inner
            beside = [
                found
                for other, found in lists.items()
                if value.ndim == 1 and other != field and simple[other].size == value.size
            ]
            if beside and value.dtype.kind in "biuf":
                places = [int(found[0]) for found in beside if found.size == 1]
                self.row[f"{label} of the user"] = float(value.item(places[0])) if places else math.nan
            self._array(value, label, lists.get(field), bool(beside))

    def _occurrences(self, value: NDArray[Any]) -> NDArray[np.intp]:
        """Places of the user in an array of ids."""
        for key in self.scalars:
            if isinstance(key, str) == (value.dtype.kind == "U"):
                found = np.flatnonzero(value == key)
                if found.size:
                    return found
        return np.empty(0, dtype=np.intp)

    def _mapping(self, value: Mapping[Any, Any], name: str, label: str, depth: int) -> None:
        few = 0 < len(value) <= MOST_ELEMENTS
        if few and all(isinstance(key, str) for key in value) and not any(key in value for key in self.keys):
            self._fields(value, name, depth)
            return
        self.row[f"{label}.length"] = float(len(value))
        present = [key for key in self.keys if key in value]
        self.row[f"user in {label}"] = float(bool(present))
        if present:
            self.take_apart(value[present[0]], f"{name or 'state'} of the user", depth + 1)
        numbers = [rounded(entry) for entry in value.values() if is_number(entry)]
        if numbers:
            self.row[f"{label}.sum"] = total(numbers)
        if few and len(numbers) < len(value):
            for key, entry in value.items():
                if not is_number(entry):
                    self.take_apart(entry, f"{name or 'state'}[{key}]", depth + 1)

    def _set(self, value: Set[Any], label: str) -> None:
        self.row[f"{label}.length"] = float(len(value))
        self.row[f"user in {label}"] = float(any(key in value for key in self.keys))
        if not value:
            return
        if not all(map(is_number, value)):
            if len(value) <= MOST_ELEMENTS:
                self.row[f"{label} checksum"] = checksum(value)
            return
        numbers = [rounded(entry) for entry in value]
        self.row[f"{label}.sum"] = total(numbers)
        self.row[f"{label}.least"], self.row[f"{label}.greatest"] = min(numbers), max(numbers)

    def _sequence(self, value: Sequence[Any], name: str, label: str, depth: int) -> None:
        self.row[f"{label}.length"] = float(len(value))
        self.row[f"user in {label}"] = float(any(holds(value, key) for key in self.keys))
        for entry in entries_of_user((len(value),), 0, self.place, self.subject.universe_size):
            self.take_apart(value[entry.place], f"{name or 'state'}{entry.name}", depth + 1)
        most = self.most if depth == 0 else MOST_ELEMENTS
        if len(value) > most > MOST_ELEMENTS and all(map(is_number, value)):
            numbers = np.array([rounded(element) for element in value])
            self.row.update((label + named, float(found)) for named, found in sums_of_blocks(numbers, most))
            return
        for number, element in enumerate(value[:most]):
            self.take_apart(element, f"{name or 'state'}[{number}]", depth + 1)

    def _array(
        self, value: NDArray[Any], label: str, occurrences: NDArray[np.intp] | None = None, beside_ids: bool = False
    ) -> None:
        row, kind, size = self.row, value.dtype.kind, value.size
        row[f"{label}.length"] = float(size)
        if kind in "iuU":
            row[f"user in {label}"] = float(self._is_in(value) if occurrences is None else occurrences.size > 0)
        if kind not in "biuf" or size == 0:
            if size:
                row[f"{label} checksum"] = float(zlib.crc32(value.tobytes()))
            return
        row[f"{label}.sum"] = array_total(value)
        word = 8 * value.dtype.itemsize if kind in "iu" else 0
        # An array beside a list of ids has the order of that list, unless it has one entry for every user.
        guessed = not (beside_ids and 0 < self.subject.universe_size != size)
        for entry in entries_of_user(value.shape, word, self.place, self.subject.universe_size) if guessed else ():
            found = value.item(entry.place)
            named = f"{label}{entry.name}, by index" if beside_ids else label + entry.name
            row[named] = float(found if entry.shift < 0 else (found >> entry.shift) & 1)
        if size <= self.most:
            for number, element in enumerate(value.ravel().tolist()):
                self.number(float(element), f"{label}[{number}]")
        elif self.most > MOST_ELEMENTS:
            row.update((label + name, float(found)) for name, found in sums_of_blocks(value.ravel(), self.most))
        if loses_precision(value):
            self._lost_of_array(value, label, word)

    def _lost_of_array(self, value: NDArray[Any], label: str, word: int) -> None:
        """The low digits of an array of large numbers, which doubles do not hold."""
        self.row[f"{label} checksum"] = float(zlib.crc32(value.tobytes()))
        if not word:
            return
        for entry in entries_of_user(value.shape, 0, self.place, self.subject.universe_size):
            self.row[f"{label}{entry.name}, low word"] = float(value.item(entry.place) & (2**32 - 1))
        for number, element in enumerate(value.ravel()[: MOST_ELEMENTS // 4].tolist()):
            self.row[f"{label}[{number}], low word"] = float(element & (2**32 - 1))

    def _is_in(self, value: NDArray[Any]) -> bool:
        if value.ndim == 2 and any(isinstance(key, tuple) and len(key) == value.shape[1] for key in self.keys):
            return any(bool((value == key).all(axis=1).any()) for key in self.keys if isinstance(key, tuple))
        return self._occurrences(value).size > 0

    def _bytes(self, value: bytes, label: str) -> None:
        array = np.frombuffer(value, dtype=np.uint8)
        self._array(array, label)
        self.row[f"{label} checksum"] = float(zlib.crc32(value))
        entries = entries_of_user(array.shape, 8, self.place, self.subject.universe_size)
        for entry in entries:
            if entry.shift < 0:
                for bit in range(8):
                    self.row[f"{label}{entry.name}, bit {bit}"] = float((value[entry.place] >> bit) & 1)
        if len(value) > MOST_ELEMENTS and not (entries and self.subject.universe_size):
            self.opaque[label] = ("bytes that do not match the number of users", checksum(value))

    def _text(self, value: str, label: str) -> None:
        if is_double(value):
            self.row[f"{label} as a number"] = float(value)
            return
        raw = value.encode(errors="surrogatepass")
        self.row[f"{label}.length"] = float(len(raw))
        self.row[f"{label} checksum"] = float(zlib.crc32(raw))
        self.row[f"{label} is the user"] = float(value in self.keys)
        entries = entries_of_user((len(value),), 0, self.place, self.subject.universe_size)
        for entry in entries:
            self.row[label + entry.name] = float(ord(value[entry.place]))
        if len(value) > MOST_ELEMENTS:
            if not (entries and self.subject.universe_size):
                self.opaque[label] = ("text that does not match the number of users", checksum(value))
            return
        try:
            self.row[f"{label} as a number"] = float(value)
        except ValueError:
            for number, letter in enumerate(value):
                self.row[f"{label}[{number}]"] = float(ord(letter))
