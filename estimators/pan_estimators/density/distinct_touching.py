"""The distinct cells of a distinct counter that a batch of indices touches, in one pass over the batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.density.distinct_geometry import Geometry
from pan_estimators.universes.universe import Indices

_LEADING = 12
"""Number of leading bits of an index that are looked up."""


@dataclass(frozen=True)
class _Tables:
    """The levels as arrays. A last level with one cell holds the indices that touch no cell."""

    shift: int
    first_level: NDArray[np.uint8]
    ends: NDArray[np.int64]
    begins: NDArray[np.int64]
    first_cells: NDArray[np.int64]
    spans: NDArray[np.int64]
    shares: NDArray[np.float64]


@lru_cache(maxsize=64)
def _tables(geometry: Geometry) -> _Tables:
    ends = np.append(geometry.first_indices[1:], geometry.size)
    spans = np.append(geometry.spans, geometry.size)
    shift = max(0, (geometry.size - 1).bit_length() - _LEADING)
    leading = np.arange((geometry.size - 1 >> shift) + 1, dtype=np.int64) << shift
    level = np.searchsorted(ends, leading, side="right").astype(np.uint8)
    return _Tables(shift, level, ends, geometry.first_indices, geometry.first_cells, spans, 1 / spans.astype(float))


def touched_cells(geometry: Geometry, indices: Indices) -> NDArray[np.int64]:
    """The distinct cells that users touch, in order."""
    marks = np.zeros(geometry.cells + 1, dtype=np.bool_)
    tables = _tables(geometry)
    _loop()(
        np.ascontiguousarray(indices, dtype=np.int64),
        tables.shift,
        tables.first_level,
        tables.ends,
        tables.begins,
        tables.first_cells,
        tables.spans,
        tables.shares,
        marks,
    )
    found = np.flatnonzero(marks[:-1])
    marks.fill(False)  # The marks show who appeared.
    return found


def _loop() -> Callable[..., None]:
    """The compiled loop, or the one that is written with numpy."""
    if kernels.compiling():
        from pan_estimators.kernels.touching import mark_cells

        return mark_cells
    from pan_estimators.kernels.plain_touching import mark_cells as plain

    return plain
