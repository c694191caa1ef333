"""The ids of a distinct user counter: whole numbers from 0 to 2^64 - 1, or texts, in pieces without an object a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.columns import is_text, of_arrow
from pan_estimators.universes.ids import Ids, as_id_array
from pan_promises.errors import InputError, on_one_line, shown

PIECE = 2**20
"""Number of ids that are hashed at a time."""
_MOST = 2**64 - 1
_KINDS = "an id is a whole number from 0 to 2^64 - 1 or a text"


def checked_id(one: Any) -> int | str:
    """The id itself, as an integer or a text of Python."""
    if isinstance(one, str):
        return one
    if isinstance(one, np.integer):
        one = int(one)
    if type(one) is not int:
        raise InputError(f"{_KINDS}, got {shown(one)} of the type {type(one).__name__}")
    if not 0 <= one <= _MOST:
        raise InputError(f"{_KINDS}, got {shown(one)}")
    return one


def checked_key(key: Any) -> bytes:
    """The key of a hash itself."""
    if not isinstance(key, bytes) or len(key) != 16:
        raise InputError("the key of a counter has 16 bytes")
    return key


def id_pieces(ids: Ids) -> Iterator[Any]:
    """A column of ids in pieces: arrays of whole numbers, arrays of texts, or texts of Arrow."""
    for column in _columns(ids):
        for start in range(0, len(column), PIECE):
            yield column[start : start + PIECE]


def _columns(ids: Ids) -> Iterator[Any]:
    """The column in one piece, or in the chunks that it has."""
    if isinstance(ids, (list, tuple, set, frozenset)):
        yield _listed(list(ids))
    elif isinstance(ids, range):
        yield from _of_range(ids)
    elif isinstance(ids, np.ndarray):
        yield _of_numpy(ids)
    elif (column := of_arrow(ids)) is not None:
        yield from _chunks(column)
    elif hasattr(ids, "__array__"):
        yield _of_numpy(_array_of(ids))
    else:
        raise InputError(f"ids are a list or a column of numpy, Arrow, polars or pandas, got {type(ids).__name__}")


def _of_range(ids: range) -> Iterator[NDArray[Any]]:
    for end in (ids[:1], ids[-1:]):
        for one in end:
            checked_id(one)
    for start in range(0, len(ids), PIECE):
        yield np.array(ids[start : start + PIECE], dtype=np.uint64)


def _array_of(ids: Any) -> NDArray[Any]:
    try:
        return np.asarray(ids)
    except Exception as problem:
        # Each library has errors of its own here.
        raise InputError(f"{type(ids).__name__} is no column of ids: {on_one_line(problem)[:200]}") from None


def _listed(ids: list[Any]) -> NDArray[Any]:
    kinds = set(map(type, ids))
    if kinds == {str}:
        return _texts(ids)
    whole: list[Any] = [checked_id(one) for one in ids] if kinds != {int} else ids
    if len({isinstance(one, str) for one in whole}) > 1:
        raise InputError("ids must be all whole numbers or all texts, got both")
    if whole and isinstance(whole[0], str):
        return _texts(whole)
    try:
        return np.array(whole, dtype=np.uint64)
    except OverflowError:
        bad = next(one for one in whole if not 0 <= one <= _MOST)
        raise InputError(f"{_KINDS}, got {shown(bad)}") from None


def _texts(texts: list[str]) -> NDArray[Any]:
    found = np.empty(len(texts), dtype=np.object_)
    found[:] = texts
    return found


def _of_numpy(ids: NDArray[Any]) -> NDArray[Any]:
    if isinstance(ids, np.ma.MaskedArray) and np.ma.getmaskarray(ids).any():
        raise InputError(f"ids must not be missing, got a mask at position {int(np.argmax(np.ma.getmaskarray(ids)))}")
    if ids.ndim == 1 and not ids.size:
        return np.empty(0, dtype=np.uint64)
    if ids.ndim != 1:
        raise InputError(f"ids form a column of one dimension, got the shape {ids.shape}")
    if ids.dtype.kind == "O":
        return _listed(ids.tolist())
    if ids.dtype.kind == "f" and np.isnan(ids).any():
        raise InputError(f"ids must not be missing, got NaN at position {int(np.argmax(np.isnan(ids)))}")
    if ids.dtype.kind not in "iuUST":
        raise InputError(f"{_KINDS}, got values of the type {ids.dtype}")
    if ids.dtype.kind == "i" and ids.size and int(ids.min()) < 0:
        raise InputError(f"{_KINDS}, got {int(ids.min())}")
    return ids if ids.dtype.kind in "iuU" else as_id_array(ids)


def _chunks(column: Any) -> Iterator[Any]:
    import pyarrow
    from pyarrow import types

    if not len(column):
        return
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if types.is_struct(kind):
        raise InputError("the ids are one column: choose it, as in frame['user']")
    texts = is_text(kind)
    if types.is_null(kind) or column.null_count:
        raise InputError(f"ids must not be missing, got null at position {column.is_null().index(True).as_py()}")
    if not (texts or types.is_integer(kind)):
        raise InputError(f"{_KINDS}, got a column of the type {shown(str(column.type))}")
    for chunk in column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]:
        values = chunk.dictionary if types.is_dictionary(chunk.type) else chunk
        if values.null_count:
            raise InputError("ids must not be missing, got null in the dictionary of a column")
        plain = values.cast(pyarrow.large_string()) if texts else values
        if values is not chunk:
            plain = plain.take(chunk.indices)
        yield plain if texts else _of_numpy(plain.to_numpy(zero_copy_only=False))
