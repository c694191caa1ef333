"""A quick description of plain values: numbers, texts, arrays, built-in containers, and objects made of them.

Two values with one description have the same types, contents, orders and shared parts, so that every slower
comparison finds them equal. Other values have no such description, and need the slower comparison.
"""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from pan_audits.observing.fields import GENERATORS, fields_of
from pan_audits.observing.layout import layout_of

_DEEPEST = 10
_SCALARS = frozenset({type(None), bool, int, float, complex, str, bytes})
_NUMERIC = "biufc"
_DEFINED_IN_PYTHON = 1 << 9
_PICKLING = ("__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__")
_SPECIAL = (
    *(bool, int, float, complex, str, bytes, bytearray, memoryview, list, tuple, set, frozenset, deque, Mapping),
    *(type, partial, ModuleType, Fraction, np.generic, np.dtype, np.ndarray, *GENERATORS),
)
"""Types whose subclasses have contents besides their attributes."""


class _NotPlainError(Exception):
    """Raised for a part that is not plain."""


def plain_bytes(value: Any, *, functions: bool = False) -> bytes | None:
    """A description that is equal only for equal plain values; ``None`` for a value that is not plain."""
    try:
        # Version 2 writes no references, so that the bytes depend on the contents alone.
        return marshal.dumps(_Walk(functions).describe(value, 0), 2)
    except _NotPlainError:
        return None


class _Walk:
    """Describes the parts of one value: scalars as they are, everything else as a tuple with its type."""

    def __init__(self, functions: bool) -> None:
        self.functions = functions
        # The number of each container by identity. The containers stay alive, so that identities stay unique.
        self.met: dict[int, tuple[int, Any]] = {}

    def describe(self, value: Any, depth: int) -> Any:
        kind: Any = type(value)
        if kind in _SCALARS:
            return value
        describer = _describer(kind)
        if describer is _number:
            return _number(self, value, depth)
        if describer is None or depth > _DEEPEST or value.__class__ is not kind:
            raise _NotPlainError
        if describer in (_function, _partial, _member, _derived) and not self.functions:
            raise _NotPlainError
        if id(value) in self.met:
            return ("same as", self.met[id(value)][0])
        self.met[id(value)] = (len(self.met), value)
        return describer(self, value, depth + 1)


@lru_cache(maxsize=1024)
def _describer(kind: Any) -> Callable[[_Walk, Any, int], Any] | None:
    if kind in _DESCRIBERS:
        return _DESCRIBERS[kind]
    if issubclass(kind, np.generic) and kind.__module__ == "numpy" and kind is not np.void:
        return _number
    if issubclass(kind, type):
        return _type
    if issubclass(kind, Enum):
        return _member
    if issubclass(kind, (int, float, str)) and kind is not bool:
        return _derived
    return None if issubclass(kind, _SPECIAL) else _object


def _number(_walk: _Walk, value: Any, _depth: int) -> Any:
    if type(value) is Fraction:
        return ("Fraction", value.numerator, value.denominator)
    return (type(value).__qualname__, value.dtype.str, value.tobytes())


def _sequence(walk: _Walk, value: Any, depth: int) -> Any:
    return (type(value).__name__, *[walk.describe(entry, depth) for entry in value])


def _dictionary(walk: _Walk, value: Any, depth: int) -> Any:
    return ("dict", *[(walk.describe(key, depth), walk.describe(entry, depth)) for key, entry in value.items()])


def _array(walk: _Walk, value: Any, depth: int) -> Any:
    kind = value.dtype.kind
    if layout_of(value) is not None:
        raise _NotPlainError
    if kind in _NUMERIC:
        return ("array", value.dtype.str, value.shape, value.tobytes())
    if kind != "O":
        raise _NotPlainError
    return ("array", "O", value.shape, *[walk.describe(entry, depth) for entry in value.ravel().tolist()])


def _object(walk: _Walk, value: Any, depth: int) -> Any:
    fields = fields_of(value)
    if fields is None and not _is_empty(value):
        raise _NotPlainError
    parts = [(name, walk.describe(part, depth)) for name, part in (fields or {}).items()]
    return ("object", type(value).__module__, type(value).__qualname__, *parts)


def _is_empty(value: Any) -> bool:
    """Whether an object without attributes is empty: all its classes are written in Python and pickled as usual."""
    kind: Any = type(value)
    python = all(base is object or base.__flags__ & _DEFINED_IN_PYTHON for base in kind.__mro__)
    usual = all(getattr(kind, name, None) is getattr(object, name, None) for name in _PICKLING)
    return bool(python and usual)


def _type(_walk: _Walk, value: type, _depth: int) -> Any:
    return ("type", value.__module__, value.__qualname__, repr(value))


def _member(walk: _Walk, value: Enum, depth: int) -> Any:
    # Members know their class, which is part of their text.
    parts = [(name, walk.describe(part, depth)) for name, part in vars(value).items() if name != "__objclass__"]
    return ("member", type(value).__module__, type(value).__qualname__, str(value), repr(value), *parts)


def _derived(walk: _Walk, value: Any, depth: int) -> Any:
    base = next(base for base in (int, float, str) if isinstance(value, base))
    content = {int: int.__int__, float: float.__float__, str: str.__str__}[base](value)
    return ("derived", content, *_object(walk, value, depth))


def _function(walk: _Walk, value: FunctionType, depth: int) -> Any:
    try:
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
    except ValueError:
        raise _NotPlainError from None
    carried = [cells, value.__defaults__, value.__kwdefaults__, value.__dict__]
    return ("function", value.__module__, value.__qualname__, *[walk.describe(part, depth) for part in carried])


def _partial(walk: _Walk, value: partial[Any], depth: int) -> Any:
    carried = [value.func, value.args, value.keywords, value.__dict__]
    return ("partial", *[walk.describe(part, depth) for part in carried])


_DESCRIBERS: dict[type, Callable[[_Walk, Any, int], Any]] = {
    **dict.fromkeys((list, tuple, set, frozenset), _sequence),
    dict: _dictionary,
    np.ndarray: _array,
    Fraction: _number,
    FunctionType: _function,
    partial: _partial,
}
