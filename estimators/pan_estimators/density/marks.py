"""Marks of the users in a batch of ids, set in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.samples.sample_index import Index

Words = NDArray[np.uint64]
Marks = NDArray[np.uint8]

_CHUNK = 2**15
"""Number of ids that are converted at a time. They stay in the cache."""
_NO_VALUES: Marks = np.empty(0, dtype=np.uint8)


def mark_everyone(ids: NDArray[Any], first: int, size: int, values: Marks) -> Marks | None:
    """The marks of all users."""
    loops = _loops()
    marks = np.zeros(size, dtype=np.uint8)
    step = int(values.size > 1)
    start = np.uint64(first % 2**64)
    inside = all(
        loops.mark_all(words, start, np.uint64(size), marks, given, step) for words, given in _chunks(ids, values, step)
    )
    return marks if inside else None


def mark_members(ids: NDArray[Any], first: int, size: int, index: Index, values: Marks) -> Marks | None:
    """The marks of some users."""
    marks = np.zeros(index.members.size, dtype=np.uint8)
    step = int(values.size > 1)
    start = np.uint64(first % 2**64)
    inside = all(
        index.mark(words, start, np.uint64(size), marks, given, step) for words, given in _chunks(ids, values, step)
    )
    return marks if inside else None


def put_in_order(ids: NDArray[Any], first: int, cells: NDArray[np.bool_], bits: NDArray[np.bool_]) -> None:
    """Set the cell of the user of each id, one id after the other, to its bit."""
    loops = _loops()
    begin = np.uint64(first % 2**64)
    place = 0
    for words, _ in _chunks(ids, _NO_VALUES, 0):
        loops.put_in_order(words, begin, bits[place : place + words.size], cells)
        place += words.size


def are_inside(ids: NDArray[Any], first: int, size: int) -> bool:
    """Whether all ids are in range."""
    loops = _loops()
    start = np.uint64(first % 2**64)
    return all(loops.all_inside(words, start, np.uint64(size)) for words, _ in _chunks(ids, _NO_VALUES, 0))


def _loops() -> Any:
    """The loops over all users: compiled, or written with numpy."""
    if kernels.compiling():
        from pan_estimators.kernels import marking

        return marking
    from pan_estimators.kernels import plain_marking

    return plain_marking


def _chunks(ids: NDArray[Any], values: Marks, step: int) -> Iterator[tuple[Words, Marks]]:
    """The ids as 64-bit words: all at once if they are so in memory, else converted piece by piece."""
    if ids.dtype.isnative and ids.dtype.itemsize == 8 and ids.flags.c_contiguous and ids.flags.aligned:
        yield ids.view(np.uint64), values
        return
    for start in range(0, ids.size, _CHUNK):
        piece = slice(start, start + _CHUNK)
        yield ids[piece].astype(np.int64).view(np.uint64), values[piece] if step else values
