"""Ids that were read as text, as integers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.sources.strings import bytes_of, is_text
from pan_promises.errors import InputError, shown

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,19}")
_PERHAPS_MISSING = {"na", "n/a", "nan", "null", "none", "nil"}
_ZERO, _MINUS, _TEN_DIGITS = np.uint8(ord("0")), np.uint8(ord("-")), np.uint8(9)


def as_integers(ids: Any) -> NDArray[Any]:
    """A column of ids as an array of numpy, its strings as integers.

    An integer is written with the digits 0 to 9 without zeros before them, and with a minus sign if it is negative.
    Different texts are therefore different integers.
    """
    if isinstance(ids, np.ndarray):
        return _from_texts(ids.tolist()) if ids.dtype.kind in "UO" else ids
    import pyarrow

    column = ids.dictionary_decode() if pyarrow.types.is_dictionary(ids.type) else ids
    if not is_text(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    column = column.cast(pyarrow.large_string())
    if _well_written(column):
        try:
            return np.asarray(column.cast(pyarrow.int64()).to_numpy(zero_copy_only=False))
        except pyarrow.ArrowInvalid:
            pass  # Too large; it is found and named below.
    return _from_texts(column.to_pylist())


def _from_texts(texts: list[str]) -> NDArray[Any]:
    least, beyond = 0, False
    for text in texts:
        written = _INTEGER.fullmatch(text)
        least = min(least, int(text)) if written else least
        beyond |= bool(written) and int(text) >= 2**63
        if not written or not -(2**63) <= int(text) < 2**64 or (beyond and least < 0):
            hint = "; --missing-text names the text of a missing id" if text.lower() in _PERHAPS_MISSING else ""
            raise InputError(
                f"id {shown(text)} is not an integer of 64 bits in plain decimal digits (a minus sign is allowed; "
                f"a plus sign, leading zeros and blanks are not); ids of any kind are read as text{hint}"
            )
    return np.array(texts, dtype=np.str_).astype(np.uint64 if beyond else np.int64)


def _well_written(column: Any) -> bool:
    """Whether all large strings of a column are plain decimal integers of any size."""
    text, ends = bytes_of(column)
    starts, lengths = ends[:-1], np.diff(ends)
    if column.null_count or not bool(lengths.all()):
        return False
    leading, signs = text[starts], 0
    if bool((signed := leading == _MINUS).any()):
        if bool((lengths[signed] == 1).any() or (text[starts[signed] + 1] == _ZERO).any()):
            return False
        signs = int(np.count_nonzero(signed))
    if bool((lengths[leading == _ZERO] > 1).any()):
        return False
    inside = text[ends[0] : ends[-1]]
    # Differences of bytes are taken modulo 256.
    return int(np.count_nonzero(inside - _ZERO > _TEN_DIGITS)) == signs
