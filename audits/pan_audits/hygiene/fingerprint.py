"""A digest of any value, by what it contains rather than where it lives."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from pan_audits.running.features import fields_of

_DEEPEST = 12


def fingerprint(value: Any) -> str:
    """Equal for values with equal contents, whatever their identity."""
    digest = hashlib.sha256()
    _feed(digest, value, 0, set())
    return digest.hexdigest()


def _feed(digest: Any, value: Any, depth: int, above: set[int]) -> None:
    digest.update(type(value).__qualname__.encode())
    if value is None or isinstance(value, (bool, int, str, bytes, np.bool_)):
        digest.update(repr(value).encode())
    elif isinstance(value, (float, np.floating)):
        digest.update(struct.pack("<d", float(value)))
    elif isinstance(value, np.integer):
        digest.update(repr(int(value)).encode())
    elif isinstance(value, np.ndarray) and value.dtype.kind != "O":
        digest.update(repr((value.shape, value.dtype.str)).encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif depth > _DEEPEST or id(value) in above:
        digest.update(b"...")
    else:
        _feed_container(digest, value, depth, above | {id(value)})


def _feed_container(digest: Any, value: Any, depth: int, above: set[int]) -> None:
    def part(entry: Any) -> bytes:
        inner = hashlib.sha256()
        _feed(inner, entry, depth + 1, above)
        return inner.digest()

    if isinstance(value, np.random.Generator):
        digest.update(part(value.bit_generator.state))
    elif isinstance(value, Mapping):
        for entry in sorted(part(key) + part(content) for key, content in value.items()):
            digest.update(entry)
    elif isinstance(value, (set, frozenset)):
        for entry in sorted(map(part, value)):
            digest.update(entry)
    elif isinstance(value, (list, tuple, np.ndarray)):
        for content in value:
            digest.update(part(content))
    elif hasattr(value, "getstate") and type(value).__module__ == "random":
        digest.update(part(value.getstate()))
    else:
        fields = fields_of(value)
        if fields is None:
            digest.update(b"opaque")
        else:
            digest.update(part(fields))
