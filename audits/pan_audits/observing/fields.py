"""The attributes of an object, from all places of storage."""

from __future__ import annotations

import dataclasses
import random
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from pan_estimators.randomness.numpy_randomness import NumpyRandomness

GENERATORS: tuple[type, ...] = (np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random)
"""The classes of random generators. A wrapper has its generator among its fields."""

_MISSING = object()


def fields_of(value: Any) -> dict[str, Any] | None:
    """The attributes of an object, or ``None`` if it has none that can be listed."""
    if isinstance(value, (type, ModuleType)):
        return None
    found: dict[str, Any] = {}
    kind: Any = type(value)
    for name in _declared(kind):
        attribute = getattr(value, name, _MISSING)
        if attribute is not _MISSING:
            found[name] = attribute
    found.update(getattr(value, "__dict__", {}))
    return found or None


@lru_cache(maxsize=1024)
def _declared(kind: Any) -> tuple[str, ...]:
    """Names of slots, under which Python looks private ones up, and of dataclass fields."""
    names: list[str] = []
    for ancestor in kind.__mro__:
        slots = ancestor.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot.startswith("__") and slot.endswith("__"):
                continue
            names.append(f"_{ancestor.__name__.lstrip('_')}{slot}" if slot.startswith("__") else slot)
    if dataclasses.is_dataclass(kind):
        names += [field.name for field in dataclasses.fields(kind)]
    return tuple(dict.fromkeys(names))


def holds_generator(value: Any) -> bool:
    """Whether a random generator is somewhere inside a value."""
    return _holds_generator(value, 0, set())


def _holds_generator(value: Any, depth: int, seen: set[int]) -> bool:
    if isinstance(value, (*GENERATORS, NumpyRandomness)):
        return True
    if value is None or isinstance(value, (str, bytes, int, float, np.generic)) or depth > 12 or id(value) in seen:
        return False
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return False
    seen.add(id(value))
    parts: list[Any] = []
    if isinstance(value, dict):
        parts += value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts += value
    elif isinstance(value, np.ndarray):
        parts += value.ravel().tolist()
    parts += (fields_of(value) or {}).values()
    return any(_holds_generator(part, depth + 1, seen) for part in parts)


def is_filled(cell: Any) -> bool:
    """Whether a cell of a closure has a value already."""
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
