"""The states of distinct counters: the bits of all levels, for one run or for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.states.releasing import wiped


@dataclass(eq=False)
class DistinctCounterState:
    """The state: one bit for each cell. An intruder sees all of it, and the key of the universe.

    Attributes
    ----------
    cells
        The bits of all levels, shape ``(cells,)``.
    releases
        The number of releases so far. After the last one that the promise covers, all bits are zero.
    """

    cells: NDArray[np.bool_]
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the bits with zeros. Earlier copies of the state are out of reach."""
        self.cells = wiped(self.cells)


@dataclass(eq=False)
class ManyDistinctCounters:
    """The states of many runs. All runs get the same calls.

    Attributes
    ----------
    cells
        The bits, shape ``(runs, cells)``.
    releases
        The number of releases so far.
    """

    cells: NDArray[np.bool_]
    releases: int = 0

    @property
    def runs(self) -> int:
        """The number of runs."""
        return int(self.cells.shape[0])

    def erase(self) -> None:
        """Overwrite the bits of all runs with zeros."""
        self.cells = wiped(self.cells)

    def __deepcopy__(self, memo: dict[int, Any]) -> ManyDistinctCounters:
        return ManyDistinctCounters(self.cells.copy(), self.releases)
