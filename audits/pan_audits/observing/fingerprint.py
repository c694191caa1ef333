"""A digest of any value, by its contents and not by its identity."""

from __future__ import annotations

import array
import hashlib
import pickle
import struct
from collections import deque
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np

from pan_audits.observing.fields import fields_of, is_filled
from pan_audits.observing.whole_text import whole_text

_DEEPEST = 12


def fingerprint(value: Any) -> str:
    """A digest that is equal for values with equal contents."""
    digest = hashlib.sha256()
    _feed(digest, value, 0, set())
    return digest.hexdigest()


def checksum(value: Any) -> float:
    """The fingerprint as a number that a double holds exactly. It identifies recurring values."""
    return float(int(fingerprint(value)[:13], 16))


def _feed(digest: Any, value: Any, depth: int, above: set[int]) -> None:
    digest.update(type(value).__qualname__.encode())
    if type(value) is int:
        digest.update(whole_text(value).encode())
    elif value is None or isinstance(value, (bool, int, str, bytes, np.bool_)):
        digest.update(repr(value).encode())
    elif isinstance(value, (float, np.floating)) and not isinstance(value, np.longdouble):
        digest.update(struct.pack("<d", float(value)))
    elif isinstance(value, (np.datetime64, np.timedelta64)):
        digest.update(value.dtype.str.encode() + value.tobytes())
    elif isinstance(value, np.integer):
        digest.update(repr(int(value)).encode())
    elif isinstance(value, (complex, np.longdouble, np.complexfloating)):
        digest.update(repr(value).encode())
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(repr((value.shape, value.dtype.str)).encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (bytearray, memoryview, array.array)):
        digest.update(bytes(value))
    elif isinstance(value, type):
        digest.update(f"{value.__module__}.{value.__qualname__}".encode())
    elif id(value) in above:
        digest.update(b"...")
    elif depth > _DEEPEST:
        digest.update(_pickled(value))
    else:
        _feed_container(digest, value, depth, above | {id(value)})


def _feed_container(digest: Any, value: Any, depth: int, above: set[int]) -> None:
    def part(entry: Any) -> bytes:
        inner = hashlib.sha256()
        _feed(inner, entry, depth + 1, above)
        return inner.digest()

    if isinstance(value, np.random.Generator):
        digest.update(part(value.bit_generator.state))
    elif isinstance(value, np.random.BitGenerator):
        digest.update(part(value.state))
    elif isinstance(value, np.random.RandomState):
        digest.update(part(value.get_state()))
    elif isinstance(value, Mapping):
        for entry in sorted(part(key) + part(content) for key, content in value.items()):
            digest.update(entry)
    elif isinstance(value, (set, frozenset)):
        for entry in sorted(map(part, value)):
            digest.update(entry)
    elif isinstance(value, (list, tuple, deque, np.ndarray)):
        for content in value:
            digest.update(part(content))
    elif hasattr(value, "getstate") and type(value).__module__ == "random":
        digest.update(part(value.getstate()))
    elif isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if is_filled(cell)]
        digest.update(part([value.__qualname__, cells, value.__defaults__, value.__dict__]))
    else:
        fields = fields_of(value)
        digest.update(part(_reduced(value) if fields is None else fields))


def _pickled(value: Any) -> bytes:
    """The fingerprint of a value that is nested very deeply."""
    try:
        return pickle.dumps(value, protocol=4)
    except Exception:  # any object may raise any error
        return b"opaque"


def _reduced(value: Any) -> Any:
    """The contents of an object without attributes, from its pickle."""
    try:
        reduced = value.__reduce_ex__(4)
    except Exception:  # any object may raise any error
        return "opaque"
    if isinstance(reduced, str):
        return reduced
    maker, *rest = reduced
    # The items of lists and dictionaries come as iterators.
    return [getattr(maker, "__qualname__", ""), *(list(part) if hasattr(part, "__next__") else part for part in rest)]
