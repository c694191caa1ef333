"""The loop of :mod:`pan_estimators.kernels.touching`, written with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.kernels.plain_marking import pieces

Places = NDArray[np.int64]


def mark_cells(
    indices: Places,
    shift: Any,
    table: NDArray[np.uint8],
    ends: Places,
    begins: Places,
    first_cells: Places,
    spans: Places,
    shares: NDArray[np.float64],
    marks: NDArray[np.bool_],
) -> None:
    """Mark the cell of every index. The last level holds the indices that touch no cell."""
    for part in pieces(indices.size):
        level = np.searchsorted(ends, indices[part], side="right")
        marks[first_cells[level] + (indices[part] - begins[level]) // spans[level]] = True
