"""The ids of a column: without missing ones, as texts or integers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.reading.options import IdKind, MissingPolicy, Reading
from pan_estimators.universes.columns import bytes_of, is_text
from pan_promises.errors import InputError, shown

_SPACE = ord(" ")
_SPACES = " \t\n\r\v\f"
_LONE = np.array([""])
"""The id of all missing ids under :attr:`MissingPolicy.COUNT`. No other id is empty text."""

Mask = NDArray[np.bool_]


def without_missing(batches: Iterable[Any], reading: Reading, name: str, place: str, before: int = 0) -> Iterator[Any]:
    """Batches of ids, with the treatment of missing ones by a reading."""
    for batch in batches:
        mask = missing_ids(batch, reading.missing_texts)
        if not mask.any():
            yield batch
        elif reading.missing is MissingPolicy.FAIL:
            raise InputError(
                f"{name} has missing ids, the first in {place} {before + int(np.argmax(mask)) + 1}: choose with "
                "--missing skip to leave them out, or --missing count to take all of them as one id"
            )
        elif reading.missing is MissingPolicy.SKIP:
            reading.tally.skipped += int(np.count_nonzero(mask))
            yield _present(batch, ~mask)
        else:
            yield from _counted(batch, mask, reading.ids)
        before += len(batch)


def missing_ids(batch: Any, texts: tuple[str, ...]) -> Mask:
    """Whether each id is missing."""
    if isinstance(batch, np.ndarray):
        return np.array([not text.strip(_SPACES) or text in texts for text in batch.tolist()], dtype=np.bool_)
    import pyarrow
    from pyarrow import compute

    of_floats = pyarrow.types.is_floating(batch.type)
    if batch.null_count or of_floats:
        found = np.asarray(batch.is_null(nan_is_null=of_floats).to_numpy(zero_copy_only=False))
    else:
        # The conversion of Arrow would import pandas where it is installed.
        found = np.zeros(len(batch), dtype=np.bool_)
    if not is_text(batch.type):
        return found
    column = batch.cast(pyarrow.large_string())
    found = found | _blank(column)
    if texts:
        known = compute.is_in(column, value_set=pyarrow.array(texts, pyarrow.large_string()))
        found |= known.to_numpy(zero_copy_only=False)
    return found


def _blank(column: Any) -> Mask:
    """Whether each large string is empty or ASCII white space only."""
    from pyarrow import compute

    text, ends = bytes_of(column)
    blank: Mask = np.diff(ends) == 0
    if not text.size:
        return blank
    begins = text[np.minimum(ends[:-1], text.size - 1)] <= _SPACE
    perhaps = np.flatnonzero(begins & ~blank)
    if perhaps.size:
        trimmed = compute.ascii_trim_whitespace(column.take(perhaps))
        blank[perhaps] = compute.equal(trimmed, "").fill_null(True).to_numpy(zero_copy_only=False)
    return blank


def _present(batch: Any, mask: Mask) -> Any:
    if isinstance(batch, np.ndarray):
        return batch[mask]
    import pyarrow

    return batch.filter(pyarrow.array(mask))


def _counted(batch: Any, mask: Mask, kind: IdKind | None) -> Iterator[Any]:
    """The batch with all missing ids as one id: in their places if the ids are text, else at the end."""
    numpy = isinstance(batch, np.ndarray)
    if kind is IdKind.INTEGER or not (numpy or is_text(batch.type)):
        yield _present(batch, ~mask)
        yield _LONE
    elif numpy:
        yield np.where(mask, "", batch)
    else:
        import pyarrow
        from pyarrow import compute

        column = batch.cast(pyarrow.large_string())
        yield compute.if_else(pyarrow.array(mask), pyarrow.scalar("", pyarrow.large_string()), column)


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
