"""The loops of :mod:`pan_estimators.kernels.marking` over all users, written with numpy.

Ids are words of 64 bits, as there. The last value of a repeated user stays, because numpy assigns
to repeated indices in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Marks = NDArray[np.uint8]
Bits = NDArray[np.bool_]

_PIECE = 2**15
"""Number of ids that are processed together. All intermediate arrays stay in the cache."""


def all_inside(ids: Words, first: Any, size: Any) -> bool:
    """Whether all ids are in range."""
    return all(bool((ids[part] - first < size).all()) for part in pieces(ids.size))


def put_in_order(ids: Words, first: Any, bits: Bits, cells: Bits) -> None:
    """Set the cell of the user of each id, one after the other, to the bit of the same number. All ids are in range."""
    for part in pieces(ids.size):
        users = ids[part] - first
        cells[users.view(np.int64)] = bits[part]
        users.fill(0)


def mark_all(ids: Words, first: Any, size: Any, marks: Marks, values: Marks, step: int) -> bool:
    """Set the mark of every user among the ids to the value of the last id; return whether all ids are in range."""
    for part in pieces(ids.size):
        users = ids[part] - first
        inside = bool((users < size).all())
        if inside:
            marks[users.view(np.int64)] = values[part] if step else values[0]
        users.fill(0)
        if not inside:
            return False
    return True


def pieces(size: int) -> list[slice]:
    """Consecutive slices that cover ``size`` ids."""
    return [slice(start, min(start + _PIECE, size)) for start in range(0, size, _PIECE)]
