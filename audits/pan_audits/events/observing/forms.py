"""The form of a state: all that a dump of the memory shows of it beside the numbers and the texts themselves.

Features read numbers and texts. Two states with equal features can still differ in memory: in types, in the order of a
set or of a dictionary, in shared parts, in attributes of derived classes, in the layout of arrays, in the sign of a
zero and in the bits of a NaN.
"""

from __future__ import annotations

import array
import hashlib
import struct
from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from pan_audits.events.observing.values import fields_of, layout_of, settings_of

_DEEPEST = 12
_MOST_ENTRIES = 256
_NUMBERS = (bool, int, float, complex, np.generic)
_CONTAINERS = (list, tuple, dict, set, frozenset, deque, bytes, bytearray, str, int, float, bool, complex, np.ndarray)


def form_of(value: Any) -> str:
    """A digest of the form of a value: equal for values that are alike but for their numbers and texts."""
    return hashlib.blake2b(repr(_Form().of(value, 0)).encode(), digest_size=12).hexdigest()


class _Form:
    """Nested tuples that describe a form."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.kept: list[Any] = []

    def of(self, value: Any, depth: int) -> Any:
        """The form of one part."""
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        if value is None or depth > _DEEPEST:
            return kind
        if isinstance(value, _NUMBERS) and not isinstance(value, np.void):
            return (kind, _marks(np.asarray(value)), self._extra(value, depth))
        if isinstance(value, (str, bytes)):
            return (kind, self._extra(value, depth))
        if id(value) in self.met:
            return ("same as", self.met[id(value)])
        self.met[id(value)] = len(self.met)
        self.kept.append(value)
        return (kind, self._container(value, depth + 1), self._extra(value, depth))

    def _container(self, value: Any, depth: int) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            wholes = (np.asarray(value.data), np.ma.getmaskarray(value))
            return [repr(settings_of(value)), *(self.of(part, depth) for part in wholes)]
        if isinstance(value, np.ndarray):
            return self._array(value, depth)
        if isinstance(value, Mapping):
            return [_order(value), *(self.of(part, depth) for item in _few(value.items()) for part in item)]
        if isinstance(value, (set, frozenset)):
            return [_order(value), *(self.of(entry, depth) for entry in _few(value))]
        if isinstance(value, (list, tuple, deque)):
            return [getattr(value, "maxlen", None), *(self.of(entry, depth) for entry in _few(value))]
        if isinstance(value, (bytearray, array.array)):
            return getattr(value, "typecode", "")
        return [(name, self.of(part, depth)) for name, part in (fields_of(value) or {}).items()]

    def _array(self, value: np.ndarray[Any, Any], depth: int) -> Any:
        if value.dtype.hasobject:
            return [value.shape, *(self.of(entry, depth) for entry in _few(value.ravel().tolist()))]
        layout = layout_of(value)
        laid = () if layout is None else (len(layout.memory), layout.place, layout.strides, layout.writeable)
        beside = () if layout is None else (repr(layout.metadata), _beside(value, layout.memory))
        return (repr(value.dtype), value.ndim, laid, beside, _marks(value))

    def _extra(self, value: Any, depth: int) -> Any:
        """The attributes of a class that is derived from a built-in one."""
        if type(value) in _CONTAINERS or isinstance(value, np.generic):
            return ()
        if isinstance(value, defaultdict):
            return getattr(value.default_factory, "__qualname__", "")
        if not isinstance(value, _CONTAINERS):
            return ()
        return [(name, self.of(part, depth + 1)) for name, part in (fields_of(value) or {}).items()]


def _few(entries: Any) -> list[Any]:
    return [entry for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False)]


def _order(entries: Any) -> tuple[int, ...]:
    """The places of the entries in their sorted order."""
    names = [repr(entry) for entry in _few(entries)]
    return tuple(sorted(range(len(names)), key=names.__getitem__))


def _marks(value: np.ndarray[Any, Any]) -> Any:
    """Whether there is a zero with a sign, and the bits of numbers that are none and of unusual booleans."""
    if value.dtype.kind in "cf" and value.dtype.itemsize in (2, 4, 8, 16) and value.dtype != np.longdouble:
        parts = np.stack([value.real, value.imag]) if value.dtype.kind == "c" else value
        flat = np.ascontiguousarray(parts).reshape(-1)
        none = flat[np.isnan(flat)]
        bits = sorted({one.tobytes() for one in none[:_MOST_ENTRIES]})
        return bool((np.signbit(flat) & (flat == 0)).any()), bits
    if value.dtype.kind == "b":
        return sorted({*np.ascontiguousarray(value).reshape(-1).view(np.uint8).tolist()} - {0, 1})
    return ()


def _beside(value: np.ndarray[Any, Any], memory: bytes) -> str:
    """A digest of the bytes of the larger array that hold none of the entries, if entries are side by side."""
    start = int(value.__array_interface__["data"][0]) if value.flags.c_contiguous else None
    if start is None or len(memory) <= value.nbytes:
        return ""
    place = memory.find(value.tobytes())
    rest = memory[:place] + memory[place + value.nbytes :] if place >= 0 else memory
    return hashlib.blake2b(rest + struct.pack("<q", place), digest_size=8).hexdigest()
