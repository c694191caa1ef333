"""The cells of a distinct counter that indices touch.

The leading bits of an index give the first level that it can be in. Few indices are in a later one. The quotient of the
offset in the level by its span is computed with a reciprocal, and corrected to the exact one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pan_estimators.kernels.compiled import compiled


def _mark_cells(
    indices: Any, shift: Any, table: Any, ends: Any, begins: Any, first_cells: Any, spans: Any, shares: Any, marks: Any
) -> None:
    """Mark the cell of every index.

    ``table`` is the first possible level by the leading bits. The last level holds the indices that touch no cell; it
    has one cell, the last mark. ``shares`` are the reciprocals of the spans.
    """
    for number in range(indices.size):
        index = indices[number]
        level = np.int64(table[index >> shift])
        while index >= ends[level]:
            level += 1
        offset = index - begins[level]
        quotient = np.int64(np.float64(offset) * shares[level])
        rest = offset - quotient * spans[level]
        quotient += np.int64(rest >= spans[level]) - np.int64(rest < 0)
        marks[first_cells[level] + quotient] = True


_READ = types.Array(types.int64, 1, "C", readonly=True)
_REALS = types.Array(types.float64, 1, "C", readonly=True)
_LEVELS = types.Array(types.uint8, 1, "C", readonly=True)

mark_cells = compiled(
    types.void(_READ, types.int64, _LEVELS, _READ, _READ, _READ, _READ, _REALS, types.boolean[::1]), _mark_cells
)
