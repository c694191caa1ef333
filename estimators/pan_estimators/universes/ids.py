"""Ids in the forms of users: single values, lists, and numpy, pandas, polars and Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError

Ids: TypeAlias = Any
"""One id, or any array-like of ids: integers or strings, a numpy, pandas, polars or Arrow column."""

IdArray: TypeAlias = NDArray[np.int64] | NDArray[np.uint64] | NDArray[np.str_] | NDArray[np.object_]
"""Integers, strings of one width, or strings as objects. Strings of one width lose a zero at their end."""

TEXT = "UO"
"""Kinds of the arrays that hold strings."""

WHOLE, TEXTS = "whole numbers", "texts"
"""The kinds of ids. The number 7 and the text 7 are two ids."""

_WIDE = 2**24
"""The largest number of letters of an array of strings of one width."""
_LARGEST_EXACT_FLOAT = 2.0**53


def kind_of(ids: Any) -> str | None:
    """The kind of a column of ids: :data:`WHOLE` or :data:`TEXTS`; ``None`` without ids, or for the empty text alone.

    The empty text stands for all missing ids, beside ids of either kind.
    """
    if not len(ids):
        return None
    if isinstance(ids, np.ndarray) and ids.dtype.kind not in TEXT:
        return WHOLE
    if isinstance(ids, np.ndarray) and len(ids) == 1 and str(ids.flat[0]) == "":
        return None
    return TEXTS


def kind_of_one(one: int | str) -> str | None:
    """The kind of a single id; ``None`` for the empty text."""
    return WHOLE if not isinstance(one, str) else TEXTS if one else None


def require_one_kind(before: str | None, now: str | None) -> None:
    """Refuse ids of another kind than those before."""
    if before is not None and now is not None and before != now:
        raise InputError(
            f"these ids are {now}, and the ids before are {before}: 7 and the text 7 would be counted as two users; "
            "give all ids as texts, or all as whole numbers"
        )


def as_id_array(ids: Ids) -> IdArray:
    """The ids as a numpy array of integers or of strings.

    Strings are taken unchanged, including a zero at their end. A numpy array of strings of one width cannot hold
    such a zero, and has lost it already.

    Parameters
    ----------
    ids
        One id, or an array-like of ids, of shape ``(n,)``, or ``(n, 2)`` for edges.

    Returns
    -------
    An array of at least one dimension.

    Raises
    ------
    InputError
        For missing values, fractions, booleans, mixtures of integers and strings, and other types.
    """
    if isinstance(ids, (str, bytes)):
        ids = [ids]
    if isinstance(ids, (set, frozenset, dict)):
        raise InputError(f"a stream of ids has an order; got a {type(ids).__name__}")
    if type(ids).__name__ == "ChunkedArray":
        ids = ids.to_numpy()
    try:
        array = np.atleast_1d(np.asarray(ids))
    except ValueError:
        raise InputError("ids must be an array of one shape, got a ragged list") from None
    if array.size == 0:
        return array.reshape(0).astype(np.int64)
    if array.dtype.kind in "iu":
        return array if array.dtype == np.uint64 else array.astype(np.int64, copy=False)
    if array.dtype.kind == "f":
        # Numpy makes floats of a list of whole numbers below and above 2^63.
        return _from_objects(np.array(ids, dtype=object)) if isinstance(ids, (list, tuple)) else _from_floats(array)
    if array.dtype.kind == "U":
        # Numpy turns the numbers of a mixed list into strings, and drops zeros at the ends of those of a column.
        if not isinstance(ids, (list, tuple)):
            ids = ids.to_list() if hasattr(ids, "to_list") else None
        return array if ids is None else _from_objects(np.array(ids, dtype=object))
    if array.dtype.kind == "S":
        try:
            if isinstance(ids, (list, tuple)) and all(isinstance(value, bytes) for value in ids):
                return text_array([value.decode() for value in ids])
            return np.char.decode(array, "utf-8")
        except UnicodeDecodeError:
            raise InputError("ids that are bytes must be UTF-8 text") from None
    if array.dtype.kind in "OT":
        return _from_objects(array)
    raise InputError(f"ids must be integers or strings, got values of type {array.dtype}")


def text_array(texts: Sequence[str]) -> NDArray[Any]:
    """Strings as an array, of one width where possible.

    It is an array of objects if a string ends with a zero, or if a few long strings would widen all.
    """
    if any(text.endswith("\0") for text in texts) or max(map(len, texts), default=0) * len(texts) > _WIDE:
        array = np.empty(len(texts), dtype=np.object_)
        array[:] = texts
        return array
    return np.array(texts, dtype=np.str_)


def number_of(ids: Ids) -> int:
    """The number of ids in a column; 0 for a single id."""
    try:
        return len(ids)
    except TypeError:
        return 0


def _from_floats(array: NDArray[Any]) -> IdArray:
    if np.isnan(array).any():
        raise InputError(f"ids must not be missing, got NaN at position {int(np.argmax(np.isnan(array)))}")
    bad = (array != np.floor(array)) | (np.abs(array) > _LARGEST_EXACT_FLOAT)
    if bad.any():
        raise InputError(f"ids must be integers or strings, got {float(array[bad][0])!r}")
    return array.astype(np.int64)


def _from_objects(array: NDArray[Any]) -> IdArray:
    flat = array.ravel().tolist()
    strings = sum(isinstance(value, str) for value in flat)
    if strings == len(flat):
        return text_array(flat).reshape(array.shape)
    if strings == 0 and all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in flat):
        try:
            return array.astype(np.int64) if max(flat) < 2**63 else array.astype(np.uint64)
        except OverflowError:
            raise InputError(f"integer ids must fit 64 bits, got {max(flat, key=abs)}") from None
    if strings == 0 and all(isinstance(value, float | int) and not isinstance(value, bool) for value in flat):
        return _from_floats(array.astype(np.float64))
    for position, value in enumerate(flat):
        if value is None or value != value or type(value).__name__ in {"NAType", "NaTType"}:
            raise InputError(f"ids must not be missing, got {value!r} at position {position}")
    kinds = sorted({type(value).__name__ for value in flat})
    raise InputError(f"ids must be all integers or all strings, got {' and '.join(kinds)}")
