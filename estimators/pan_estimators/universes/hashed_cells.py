"""The cell of an id of any kind: a keyed hash, reduced modulo the number of cells."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.universes.columns import Strings
from pan_promises.errors import InputError

Cells = NDArray[np.int64]

MANY = 2**14
"""From this number on, a compiled loop hashes ids if numba is installed. Below, the standard library does."""


def hashed_cell(value: int | str, size: int, key: bytes) -> int:
    """The first 16 bytes of BLAKE2b under the key, read from the least byte on, modulo ``size``."""
    # The tag keeps the integer 7 and the string "7" apart.
    text = b"i%d" % value if isinstance(value, int) else b"s" + value.encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16, key=key).digest(), "little") % size


def hashed_cells(ids: NDArray[Any] | Strings, size: int, key: bytes) -> Cells:
    """The cell of every id."""
    plain = isinstance(ids, Strings) or ids.dtype.kind in "iu"
    if len(ids) >= MANY and plain and kernels.compiling():
        return _compiled(ids, size, key)
    values = ids.to_numpy().tolist() if isinstance(ids, Strings) else ids.tolist()
    try:
        return np.fromiter((hashed_cell(value, size, key) for value in values), np.int64, len(values))
    except UnicodeEncodeError as problem:
        raise InputError(f"ids must be Unicode text, got {problem.object!r}") from None


def _compiled(ids: NDArray[Any] | Strings, size: int, key: bytes) -> Cells:
    from pan_estimators.kernels import hashing

    block = np.frombuffer(key.ljust(hashing.BLOCK, b"\0"), dtype="<u8").astype(np.uint64)
    start, state = hashing.INITIAL.copy(), np.empty(8, dtype=np.uint64)
    start[0] ^= np.uint64(hashing.PARAMETERS ^ len(key) << 8)
    hashing.after_key(block, start)
    shift = 64 - (size - 1).bit_length()
    cells = np.empty(len(ids), dtype=np.int64)
    rest = (start, np.uint64(size), np.uint64(shift), state, block, cells)
    if isinstance(ids, Strings):
        hashing.cells_of_strings(ids.ends, ids.text, *rest)
    else:
        signed = ids.dtype.kind == "i"
        words = np.ascontiguousarray(ids, dtype=np.int64 if signed else np.uint64).view(np.uint64)
        hashing.cells_of_integers(words, signed, *rest)
    return cells
