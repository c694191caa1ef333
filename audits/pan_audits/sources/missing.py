"""Missing ids: null, NaN, and text that is empty, blank, or a given text for a missing id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.sources.reading import IdKind, MissingPolicy, Reading
from pan_audits.sources.strings import bytes_of, is_text
from pan_promises.errors import InputError

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
