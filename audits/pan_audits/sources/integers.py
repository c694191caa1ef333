"""Ids that were read as text, as integers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import InputError


def as_integers(ids: Any) -> NDArray[Any]:
    """A column of ids as an array of numpy, its strings as integers.

    Parameters
    ----------
    ids
        An array of numpy or Arrow.

    Raises
    ------
    InputError
        For a string that is no integer of 64 bits.
    """
    array: NDArray[Any] = ids if isinstance(ids, np.ndarray) else _from_arrow(ids)
    if array.dtype.kind != "U":
        return array
    try:
        return array.astype(np.int64)
    except (ValueError, OverflowError):
        bad = next(text for text in array.tolist() if not re.fullmatch(r"[+-]?\d{1,18}", text))
        raise InputError(
            f"id {bad!r} is no integer of 64 bits, as --universe needs; use --hash for ids of any kind"
        ) from None


def _from_arrow(column: Any) -> Any:
    import pyarrow

    types = pyarrow.types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_string(column.type) or types.is_large_string(column.type) or types.is_string_view(column.type):
        column = column.cast(pyarrow.large_string())
        try:
            if _may_be_hexadecimal(column):
                raise pyarrow.ArrowInvalid("0x7 is no id")
            column = column.cast(pyarrow.int64())
        except pyarrow.ArrowInvalid:
            # Python knows more ways to write a decimal integer, and says which id is none.
            return np.array(column.to_pylist(), dtype=np.str_)
    return column.to_numpy(zero_copy_only=False)


def _may_be_hexadecimal(column: Any) -> bool:
    text = np.frombuffer(column.buffers()[2] or b"", dtype=np.uint8)
    return bool((text | ord(" ") == ord("x")).any())
