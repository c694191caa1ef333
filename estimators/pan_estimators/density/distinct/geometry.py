"""The geometry of a distinct counter: levels of cells, each cell with a public share of the hashed ids.

A level has ``W`` cells, and each of its cells covers ``span`` consecutive indices of the universe. The levels stand one
after the other. The indices beyond the last level touch no cell. With keyed hashing of ids to indices, a user touches a
given cell of a level with probability ``rate = span / size``. Levels with a large rate count few users, and levels with
a small rate count many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.universes.universe import Indices
from pan_promises.errors import InputError, require_count, shown

MOST_LEVELS = 32
MOST_CELLS = 2**30
"""Largest number of cells of all levels: 128 MiB of bits."""


@dataclass(frozen=True)
class Level:
    """Cells with one share."""

    cells: int
    span: int


@dataclass(frozen=True)
class Geometry:
    """The levels of a counter, and the universe that they divide."""

    size: int
    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        require_count("the universe size", self.size, most=2**62)
        if not 1 <= len(self.levels) <= MOST_LEVELS:
            raise InputError(f"a counter has 1 to {MOST_LEVELS} levels, got {len(self.levels)}")
        for level in self.levels:
            require_count("the number of cells of a level", level.cells, most=MOST_CELLS)
            require_count("the span of a cell", level.span, most=2**62)
        if self.cells > MOST_CELLS:
            raise InputError(f"a counter has at most {MOST_CELLS} cells, got {self.cells}")
        if (covered := sum(level.cells * level.span for level in self.levels)) > self.size:
            raise InputError(f"the levels cover {covered} indices, and the universe has {self.size}")

    @cached_property
    def cells(self) -> int:
        """The number of cells of all levels."""
        return sum(level.cells for level in self.levels)

    @cached_property
    def first_cells(self) -> NDArray[np.int64]:
        """The place of the first cell of each level, and at the end the number of cells: shape ``(levels + 1,)``."""
        return np.cumsum([0, *(level.cells for level in self.levels)], dtype=np.int64)

    @cached_property
    def first_indices(self) -> NDArray[np.int64]:
        """The first index of each level, and at the end the number of covered indices: shape ``(levels + 1,)``."""
        return np.cumsum([0, *(level.cells * level.span for level in self.levels)], dtype=np.int64)

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """The span of the cells of each level, shape ``(levels,)``."""
        return np.array([level.span for level in self.levels], dtype=np.int64)

    @cached_property
    def widths(self) -> NDArray[np.float64]:
        """The number of cells of each level, shape ``(levels,)``."""
        return np.array([level.cells for level in self.levels], dtype=np.float64)

    @cached_property
    def rates(self) -> NDArray[np.float64]:
        """The probability that a user touches a given cell of each level, shape ``(levels,)``."""
        return self.spans / float(self.size)

    def cells_of(self, indices: Indices) -> Indices:
        """The cells that users touch, in the order of the users; users without a cell are left out."""
        covered = indices[indices < self.first_indices[-1]]
        level = np.searchsorted(self.first_indices[1:], covered, side="right")
        found: Indices = self.first_cells[level] + (covered - self.first_indices[level]) // self.spans[level]
        return found

    def to_list(self) -> list[list[int]]:
        """The levels as pairs of cells and span, JSON-ready."""
        return [[level.cells, level.span] for level in self.levels]


def geometry_of(size: int, levels: Any) -> Geometry:
    """The geometry with levels that are given as pairs of cells and span."""
    if isinstance(levels, str):
        levels = [part.split(":") for part in levels.split(",")]
    if not isinstance(levels, Sequence):
        raise InputError(f"levels are pairs of cells and span, got {shown(levels)}")
    found = []
    for pair in levels:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(f"a level is a pair of cells and span, got {shown(pair)}")
        found.append(Level(*(_whole(part) for part in pair)))
    return Geometry(size, tuple(found))


def _whole(part: Any) -> int:
    if isinstance(part, str) and part.strip().isdecimal() and len(part) < 20:
        return int(part)
    if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
        return int(part)
    raise InputError(f"the cells and the span of a level are whole numbers, got {shown(part)}")


_FEW = 2**12
"""The cells of fewer users are sorted. Those of more users are marked."""
_LEADING = 12
"""Number of leading bits of an index that are looked up."""


@lru_cache(maxsize=64)
def _tables(geometry: Geometry) -> tuple[Any, ...]:
    """The levels as arrays. A last level with one cell holds the indices that touch no cell."""
    ends = np.append(geometry.first_indices[1:], geometry.size)
    spans = np.append(geometry.spans, geometry.size)
    shift = max(0, (geometry.size - 1).bit_length() - _LEADING)
    leading = np.arange((geometry.size - 1 >> shift) + 1, dtype=np.int64) << shift
    level = np.searchsorted(ends, leading, side="right").astype(np.uint8)
    return shift, level, ends, geometry.first_indices, geometry.first_cells, spans, 1 / spans.astype(float)


def touched_cells(geometry: Geometry, indices: Indices) -> NDArray[np.int64]:
    """The distinct cells that users touch, in order."""
    if indices.size < max(_FEW, geometry.cells // 16):
        return np.unique(geometry.cells_of(indices))
    return marked_cells(geometry, indices)


def marked_cells(geometry: Geometry, indices: Indices) -> NDArray[np.int64]:
    """The same for many users: in one pass over them."""
    marks = np.zeros(geometry.cells + 1, dtype=np.bool_)
    kernels.loops_of("loops").mark_cells(np.ascontiguousarray(indices, dtype=np.int64), *_tables(geometry), marks)
    found = np.flatnonzero(marks[:-1])
    marks.fill(False)  # The marks show who appeared.
    return found
