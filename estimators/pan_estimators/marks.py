"""Marking the users that appear in a batch of ids, in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.kernels.marking import EMPTY, index, mark_all, mark_sampled

Words = NDArray[np.uint64]
Marks = NDArray[np.uint8]

_CHUNK = 2**15
"""Ids that are converted at a time, so that they stay in the cache."""
_ROOM = 2**10
"""Ids that are filtered before those that pass are looked up."""
_FILTER, _SLOTS = 16, 2
"""Least number of bits of the filter, and of slots of the table, for each member."""
_SMALLEST_FILTER = 17
"""Logarithm of the bits of the smallest filter, which fits the first cache with room to spare."""


def mark_everyone(ids: NDArray[Any], first: int, size: int, values: Marks) -> Marks | None:
    """The marks of all users.

    Parameters
    ----------
    ids
        Integers, shape ``(n,)``; the user of each is the id less ``first``.
    first
        The id of user 0.
    size
        Number of users.
    values
        Marks to be set, shape ``(n,)``, or ``(1,)`` for the same one throughout.

    Returns
    -------
    The mark that the last id of every user sets, shape ``(size,)``, 0 for users without one; ``None`` if an id
    is out of range.
    """
    marks = np.zeros(size, dtype=np.uint8)
    step = int(values.size > 1)
    start = np.uint64(first % 2**64)
    inside = all(
        mark_all(words, start, np.uint64(size), marks, given, step) for words, given in _chunks(ids, values, step)
    )
    return marks if inside else None


def mark_members(ids: NDArray[Any], first: int, size: int, members: Words, values: Marks) -> Marks | None:
    """The marks of some users.

    Parameters
    ----------
    ids, first, size, values
        As for :func:`mark_everyone`.
    members
        The users that are marked, distinct, shape ``(m,)``, fewer than ``2**31``.

    Returns
    -------
    The mark that the last id of every member sets, in their order, shape ``(m,)``, 0 for members without one;
    ``None`` if an id is out of range.
    """
    filter_bits = max(_SMALLEST_FILTER, _logarithm(_FILTER * members.size))
    slot_bits = _logarithm(_SLOTS * members.size)
    filter_words = np.zeros(2**filter_bits // 64, dtype=np.uint64)
    slots = np.full(2**slot_bits, EMPTY, dtype=np.int32)
    table = (members, np.uint64(64 - filter_bits), filter_words, np.uint64(64 - slot_bits), slots)
    index(*table)
    marks, room = np.zeros(members.size, dtype=np.uint8), np.empty(_ROOM, dtype=np.int64)
    step = int(values.size > 1)
    start = np.uint64(first % 2**64)
    inside = all(
        mark_sampled(words, start, np.uint64(size), *table, marks, given, step, room)
        for words, given in _chunks(ids, values, step)
    )
    return marks if inside else None


def _logarithm(number: int) -> int:
    """The least whole number whose power of two is not less."""
    return (number - 1).bit_length()


def _chunks(ids: NDArray[Any], values: Marks, step: int) -> Iterator[tuple[Words, Marks]]:
    """The ids as words of 64 bits: all at once where they lie in memory as such, else converted piece by piece."""
    if ids.dtype.isnative and ids.dtype.itemsize == 8 and ids.flags.c_contiguous and ids.flags.aligned:
        yield ids.view(np.uint64), values
        return
    for start in range(0, ids.size, _CHUNK):
        piece = slice(start, start + _CHUNK)
        yield ids[piece].astype(np.int64).view(np.uint64), values[piece] if step else values
