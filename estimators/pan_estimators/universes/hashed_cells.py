"""The cell of an id of any kind: a keyed hash, reduced modulo the number of cells."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.columns import Strings
from pan_promises.errors import InputError

Cells = NDArray[np.int64]


def hashed_cell(value: int | str, size: int, key: bytes) -> int:
    """The first 16 bytes of BLAKE2b under the key, read from the least byte on, modulo ``size``."""
    return int(_cells([_message(value)], size, key)[0])


def hashed_cells(ids: NDArray[Any] | Strings, size: int, key: bytes) -> Cells:
    """The cell of every id."""
    if isinstance(ids, Strings):
        text, ends = ids.text.tobytes(), ids.ends.tolist()
        return _cells([b"s" + text[begin:end] for begin, end in pairwise(ends)], size, key)
    try:
        return _cells(list(map(_message, ids.tolist())), size, key)
    except UnicodeEncodeError as problem:
        raise InputError(f"ids must be Unicode text, got {problem.object!r}") from None


def _message(value: int | str) -> bytes:
    # The tag keeps the integer 7 and the string "7" apart.
    return b"i%d" % value if isinstance(value, int) else b"s" + value.encode()


def _cells(messages: list[bytes], size: int, key: bytes) -> Cells:
    keyed = hashlib.blake2b(digest_size=16, key=key)

    def digest(message: bytes) -> bytes:
        # A copy needs not compress the key again.
        own = keyed.copy()
        own.update(message)
        return own.digest()

    words = np.frombuffer(b"".join(map(digest, messages)), dtype="<u8").reshape(-1, 2)
    if size & (size - 1) == 0:
        return (words[:, 0] & np.uint64(size - 1)).astype(np.int64)
    return np.array([(high << 64 | low) % size for low, high in words.tolist()], dtype=np.int64)
