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
