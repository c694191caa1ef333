"""A quick description of plain values: numbers, texts, arrays, built-in containers, and objects made of them.

Two values with one description have the same types, contents, orders and shared parts, so that every slower
comparison finds them equal. Anything else has no such description, and is left to the slower comparison.
"""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from pan_audits.running.fields import GENERATORS, fields_of

_DEEPEST = 10
_SCALARS = frozenset({type(None), bool, int, float, complex, str, bytes})
_NUMERIC = "biufc"
_SPECIAL = (
    *(bool, int, float, complex, str, bytes, bytearray, memoryview, list, tuple, set, frozenset, deque, Mapping),
    *(type, FunctionType, ModuleType, Fraction, np.generic, np.dtype, np.ndarray, *GENERATORS),
)
"""Types whose subclasses keep more than their attributes."""


class _NotPlainError(Exception):
    """A part is not plain."""


def plain_bytes(value: Any) -> bytes | None:
    """Equal only for plain values that are alike in everything; ``None`` for a value that is not plain."""
    try:
        # Version 2 writes no references, so that the bytes depend on the contents alone.
        return marshal.dumps(_described(value, 0, {}), 2)
    except _NotPlainError:
        return None


Met = dict[int, tuple[int, Any]]
"""The containers met so far by identity: number, and the container, which keeps its identity from being reused."""


def _described(value: Any, depth: int, met: Met) -> Any:
    """Scalars as they are, everything else as a tuple that begins with its type."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    describe = _describer(kind)
    if describe is None or depth > _DEEPEST or value.__class__ is not kind:
        raise _NotPlainError
    if describe is _number:
        return _number(value, depth, met)
    if id(value) in met:
        return ("same as", met[id(value)][0])
    met[id(value)] = (len(met), value)
    return describe(value, depth + 1, met)


@lru_cache(maxsize=1024)
def _describer(kind: type) -> Callable[[Any, int, Met], Any] | None:
    if kind in (list, tuple, set, frozenset):
        return _sequence
    if kind is dict:
        return _dictionary
    if kind is np.ndarray:
        return _array
    if kind is Fraction or (issubclass(kind, np.generic) and kind.__module__ == "numpy" and kind is not np.void):
        return _number
    if issubclass(kind, _SPECIAL):
        return None
    return _object


def _number(value: Any, _depth: int, _met: Met) -> Any:
    if type(value) is Fraction:
        return ("Fraction", value.numerator, value.denominator)
    return (type(value).__qualname__, value.dtype.str, value.tobytes())


def _sequence(value: Any, depth: int, met: Met) -> Any:
    return (type(value).__name__, *[_described(entry, depth, met) for entry in value])


def _dictionary(value: Any, depth: int, met: Met) -> Any:
    return ("dict", *[(_described(key, depth, met), _described(entry, depth, met)) for key, entry in value.items()])


def _array(value: Any, depth: int, met: Met) -> Any:
    kind = value.dtype.kind
    if kind in _NUMERIC:
        return ("array", value.dtype.str, value.shape, value.tobytes())
    if kind != "O":
        raise _NotPlainError
    return ("array", "O", value.shape, *[_described(entry, depth, met) for entry in value.ravel().tolist()])


def _object(value: Any, depth: int, met: Met) -> Any:
    fields = fields_of(value)
    if fields is None:
        raise _NotPlainError
    kind = type(value)
    parts = [(name, _described(part, depth, met)) for name, part in fields.items()]
    return ("object", kind.__module__, kind.__qualname__, *parts)
