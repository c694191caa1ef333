"""States and outputs of any kind, as numbers with names that a reader understands.

A state is taken apart into its fields. Arrays, lists, sets and dictionaries give their length, sum,
their elements if they are few, and above all what they hold about the user in whom the two streams
differ: whether the user is in them, and the entry that belongs to the user.
"""

from __future__ import annotations

import dataclasses
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.pairs.side import Id

_MOST_ELEMENTS = 32
_DEEPEST = 5


@dataclasses.dataclass(frozen=True)
class Subject:
    """The user that the features are about.

    Attributes
    ----------
    user
        The id.
    index
        Its index in the universe, if there is a universe.
    universe_size
        Number of users, or 0.
    """

    user: Id
    index: int | None = None
    universe_size: int = 0

    @property
    def keys(self) -> tuple[Any, ...]:
        """The forms in which the user may occur."""
        if self.index is None or self.index == self.user:
            return (self.user,)
        return (self.user, self.index)

    @property
    def scalars(self) -> tuple[int | str, ...]:
        """Those of them that can stand in an array of ids."""
        return tuple(key for key in self.keys if not isinstance(key, tuple))


def observation_features(states: Sequence[Any], outputs: Sequence[Any], subject: Subject) -> dict[str, float]:
    """One row of a table: features of the states and outputs of one run."""
    row: dict[str, float] = {}
    for number, state in enumerate(states, start=1):
        prefix = "" if len(states) == 1 else f"state {number}: "
        _take_apart(state, prefix, "", row, subject, 0)
    for number, output in enumerate(outputs, start=1):
        name = "output" if len(outputs) == 1 else f"output {number}"
        if isinstance(output, (bool, int, float, np.number, np.bool_)):
            row[name] = _number(output)
        else:
            _take_apart(output, "", name, row, subject, 0)
    return row


def lowest_bit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exponent of the lowest set bit of each double; NaN for zero and what is not finite."""
    mantissa, exponent = np.frexp(values)
    usable = np.isfinite(values) & (values != 0)
    whole = np.where(usable, np.ldexp(np.abs(np.where(usable, mantissa, 0.5)), 53), 1.0).astype(np.int64)
    lowest = whole & -whole
    return np.where(usable, exponent - 53 + np.log2(lowest.astype(np.float64)), np.nan)


def _take_apart(value: Any, prefix: str, name: str, row: dict[str, float], subject: Subject, depth: int) -> None:
    if depth > _DEEPEST:
        return
    label = prefix + (name or "state")
    match value:
        case None:
            row[f"{label} is none"] = 1.0
        case bool() | int() | float() | np.number() | np.bool_():
            row[label] = _number(value)
        case str() | bytes():
            raw = value.encode() if isinstance(value, str) else value
            row[f"{label}.length"] = float(len(raw))
            row[f"{label} checksum"] = float(zlib.crc32(raw))
        case np.ndarray():
            _array(value, label, row, subject)
        case Mapping():
            _mapping(value, prefix, name, row, subject, depth)
        case set() | frozenset():
            row[f"{label}.length"] = float(len(value))
            row[f"user in {label}"] = float(any(key in value for key in subject.keys))
        case list() | tuple():
            _sequence(value, prefix, name, row, subject, depth)
        case _ if type(value).__module__.partition(".")[0] in {"numpy", "random", "threading"}:
            return
        case _:
            fields = fields_of(value)
            if fields is not None:
                _fields(fields, prefix, name, row, subject, depth)


def fields_of(value: Any) -> dict[str, Any] | None:
    """The attributes of an object, or ``None`` if it has none that can be listed."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    found: dict[str, Any] = {}
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, slot) and not slot.startswith("__"):
                found[slot] = getattr(value, slot)
    found.update(getattr(value, "__dict__", {}))
    return found or None


def _fields(
    fields: Mapping[str, Any], prefix: str, name: str, row: dict[str, float], subject: Subject, depth: int
) -> None:
    """Attributes or entries by name; arrays side by side with a list of ids are looked up for the user."""
    places: dict[int, int] = {}
    for value in fields.values():
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuU" and value.size > 1:
            for key in subject.scalars:
                found = np.flatnonzero(value == key)
                if found.size == 1:
                    places.setdefault(value.size, int(found[0]))
    for field, value in fields.items():
        label = f"{name}.{field}" if name else field
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf" and value.size > 1:
            place = places.get(value.size)
            if place is None and value.size == subject.universe_size and subject.index is not None:
                place = subject.index
            row[f"{prefix}{label} of the user"] = math.nan if place is None else float(value[place])
        _take_apart(value, prefix, label, row, subject, depth + 1)


def _mapping(
    value: Mapping[Any, Any], prefix: str, name: str, row: dict[str, float], subject: Subject, depth: int
) -> None:
    label = prefix + (name or "state")
    named = 0 < len(value) <= _MOST_ELEMENTS and all(isinstance(key, str) for key in value)
    if named and not any(key in value for key in subject.keys):
        _fields(value, prefix, name, row, subject, depth)
        return
    row[f"{label}.length"] = float(len(value))
    present = [key for key in subject.keys if key in value]
    row[f"user in {label}"] = float(bool(present))
    if present:
        _take_apart(value[present[0]], prefix, f"{name or 'state'} of the user", row, subject, depth + 1)
    numbers = [_number(entry) for entry in value.values() if isinstance(entry, (bool, int, float, np.number))]
    if numbers:
        row[f"{label}.sum"] = math.fsum(numbers)


def _sequence(
    value: Sequence[Any], prefix: str, name: str, row: dict[str, float], subject: Subject, depth: int
) -> None:
    label = prefix + (name or "state")
    if value and all(isinstance(entry, (bool, int, float, np.number, np.bool_)) for entry in value):
        try:
            _array(np.asarray(value), label, row, subject)
        except (OverflowError, ValueError):
            row[f"{label}.length"] = float(len(value))
        return
    row[f"{label}.length"] = float(len(value))
    row[f"user in {label}"] = float(any(key in value for key in subject.keys))
    for number, entry in enumerate(value[:_MOST_ELEMENTS]):
        _take_apart(entry, prefix, f"{name or 'state'}[{number}]", row, subject, depth + 1)


def _array(value: NDArray[Any], label: str, row: dict[str, float], subject: Subject) -> None:
    row[f"{label}.length"] = float(value.size)
    if value.dtype.kind in "iuU":
        row[f"user in {label}"] = float(any(bool(np.any(value == key)) for key in subject.scalars))
    if value.dtype.kind not in "biuf" or value.size == 0:
        return
    row[f"{label}.sum"] = float(value.sum())
    if value.size <= _MOST_ELEMENTS:
        for number, entry in enumerate(value.ravel().tolist()):
            row[f"{label}[{number}]"] = float(entry)


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
