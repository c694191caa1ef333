"""The cell of a single id of a distinct counter, found without arrays."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from pan_estimators.density.distinct_counter import DistinctCounter
from pan_estimators.density.distinct_ids import checked_id
from pan_estimators.density.distinct_state import DistinctCounterState
from pan_estimators.randomness.interface import Randomness


class SingleIds:
    """Draws the bit of one user at a time. The levels are kept as numbers of Python, which is faster for one id."""

    def __init__(self, estimator: DistinctCounter) -> None:
        universe: Any = estimator.universe
        geometry = estimator.geometry
        self._encode_one, self._cells = universe.encode_one, estimator.cells
        self._ends, self._begins = geometry.first_indices[1:].tolist(), geometry.first_indices.tolist()
        self._spans, self._first_cells = geometry.spans.tolist(), geometry.first_cells.tolist()

    def add(self, state: DistinctCounterState, one: int | str, randomness: Randomness) -> None:
        """Draw the bit of a user afresh."""
        index = self._encode_one(checked_id(one))
        level = bisect_right(self._ends, index)
        if level < len(self._spans):
            cell = self._first_cells[level] + (index - self._begins[level]) // self._spans[level]
            state.cells[cell] = self._cells.draw_updated(randomness, 1)[0]
