"""Containers of any kind as the few kinds that features are taken from."""

from __future__ import annotations

import array
from collections import UserList, deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pan_audits.observing.numbers import EXACT, is_number

_PLAIN = frozenset({bool, int, float, str, bytes, dict, set, frozenset, type(None), np.float64, np.int64, np.bool_})


def plain(value: Any) -> Any:
    """The same contents as an ndarray, a list, a mapping, or bytes, if one of these can hold them."""
    kind = type(value)
    if kind in _PLAIN or (kind is np.ndarray and value.dtype.kind in "biufUS"):
        return value
    if isinstance(value, (list, tuple, deque, UserList)):
        listed = list(value)
        as_array = _as_array(listed)
        return listed if as_array is None else as_array
    if isinstance(value, (bytearray, bytes)):
        return bytes(value)
    if isinstance(value, array.array):
        return np.array(value) if value.typecode not in "uw" else value.tounicode()
    if isinstance(value, memoryview):
        return bytes(value) if value.itemsize == 1 else np.array(value)
    if isinstance(value, range):
        return {"start": value.start, "stop": value.stop, "step": value.step}
    if isinstance(value, np.ma.MaskedArray):
        return {"data": value.data, "mask": np.ma.getmaskarray(value)}
    if isinstance(value, (np.ndarray, np.void)) and value.dtype.names:
        return {name: value[name] for name in value.dtype.names}
    if isinstance(value, np.ndarray):
        return _plain_array(value)
    return value


def _plain_array(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind == "c":
        return {"real": value.real, "imag": value.imag}
    if value.dtype.kind in "mM":
        return {"numbers": value.view(np.int64), "unit": value.dtype.str}
    if value.dtype.kind == "V":
        return value.tobytes()
    if value.dtype.kind == "O":
        return plain(value.ravel().tolist()) if value.ndim else plain(value.item())
    return value


def _as_array(listed: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Numbers, texts, or rows of equal length with numbers, as an array, if no number changes."""
    if not listed:
        return None
    first = listed[0]
    rows = isinstance(first, (list, tuple))
    if rows and not all(type(row) is type(first) and len(row) == len(first) for row in listed):
        return None
    entries = [entry for row in listed for entry in row] if rows else listed
    texts = all(isinstance(entry, str) for entry in entries)
    if not entries or not (texts or all(map(is_number, entries))):
        return None
    try:
        found = np.asarray(listed)
    except (OverflowError, ValueError):
        return None
    if found.dtype.kind == "O":
        return None
    if found.dtype.kind == "f" and any(
        isinstance(entry, (int, np.integer)) and abs(int(entry)) >= EXACT for entry in entries
    ):
        return None
    return found


def holds(value: Sequence[Any], key: Any) -> bool:
    """Whether a sequence has an entry equal to an id; arrays among its entries are not ids."""
    if isinstance(key, tuple):
        return any(
            isinstance(entry, tuple)
            and len(entry) == len(key)
            and all(is_number(part) or isinstance(part, str) for part in entry)
            and entry == key
            for entry in value
        )
    return any((is_number(entry) or isinstance(entry, str)) and entry == key for entry in value)


def extra_attributes(value: Any) -> Mapping[str, Any]:
    """The attributes of a class derived from a built-in container, beside its entries."""
    if type(value).__module__ in {"builtins", "collections", "numpy"} or not isinstance(
        value, (list, tuple, dict, set, frozenset, deque, bytearray)
    ):
        return {}
    return getattr(value, "__dict__", None) or {}
