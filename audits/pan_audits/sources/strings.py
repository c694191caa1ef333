"""The strings of an Arrow column as arrays of numpy, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is a type of strings."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def bytes_of(column: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All bytes of a column of large strings, and their ends: string number i ends at ``ends[i + 1]``."""
    _, ends, text = column.buffers()
    if ends is None or not len(column):
        return np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    every = np.frombuffer(ends, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(text or b"", dtype=np.uint8), every


_UUID = 16
"""Bytes of a UUID."""
_HYPHENS = (8, 13, 18, 23)


def is_uuid(kind: Any) -> bool:
    """Whether values of a type of Arrow are UUIDs: 16 bytes each, with the type of UUIDs or without it."""
    from pyarrow import types

    plain = getattr(kind, "storage_type", kind)
    return bool(types.is_fixed_size_binary(plain) and plain.byte_width == _UUID)


def uuid_texts(column: Any) -> Any:
    """UUIDs as their usual texts of 36 letters, such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8, as large strings."""
    import pyarrow
    from pyarrow import compute

    plain = column.storage if hasattr(column, "storage") else column
    found = np.frombuffer(plain.buffers()[1] or b"", dtype=np.uint8)
    found = found[_UUID * plain.offset : _UUID * (plain.offset + len(plain))].reshape(-1, _UUID)
    digits = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
    length = 2 * _UUID + len(_HYPHENS)
    letters = np.full((len(plain), length), ord("-"), dtype=np.uint8)
    places = np.setdiff1d(np.arange(length), _HYPHENS)
    letters[:, places[::2]], letters[:, places[1::2]] = digits[found >> 4], digits[found & 15]
    ends = np.arange(len(plain) + 1, dtype=np.int64) * length
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(letters.tobytes())]
    texts = pyarrow.Array.from_buffers(pyarrow.large_string(), len(plain), buffers)
    return texts if not plain.null_count else compute.if_else(plain.is_valid(), texts, None)
