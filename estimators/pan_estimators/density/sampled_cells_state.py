"""The state of the published density estimators, and its stored form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pan_estimators.density.cells import CellValues
from pan_estimators.states.releasing import wiped
from pan_estimators.states.state_format import StoredArray
from pan_estimators.universes.universe import Indices
from pan_promises.errors import InputError

_MOST_ANNOUNCED = 64


@dataclass(eq=False)
class SampledCellsState:
    """The state: the sample, and one cell for each sampled user. An intruder sees all of it.

    Attributes
    ----------
    sample
        Sorted indices of the sampled users, shape ``(m,)``.
    cells
        Their cells in the same order, shape ``(m,)``: booleans or doubles.
    announced
        The number of announced intrusions so far.
    releases
        The number of releases so far. After the last one that the promise covers, all else is zero.
    """

    sample: Indices
    cells: CellValues
    announced: int = 0
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the sample and the cells with zeros. Copies of the state are out of reach."""
        self.sample, self.cells = wiped(self.sample), wiped(self.cells)

    def copied(self) -> SampledCellsState:
        """A copy that later updates and releases do not change."""
        return SampledCellsState(self.sample.copy(), self.cells.copy(), self.announced, self.releases)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The state as named arrays."""
        return {"sample": self.sample, "cells": self.cells, "announced": np.array([self.announced])}


def stored_arrays(sample_size: int, dtype: DTypeLike) -> dict[str, StoredArray]:
    """The arrays that store a state whose cells are of this type."""
    return {
        "sample": StoredArray.of_length("int64", sample_size),
        "cells": StoredArray.of_length(np.dtype(dtype).name, sample_size),
        "announced": StoredArray.of_length("int64", 1),
    }


def state_from_arrays(
    universe_size: int, sample_size: int, dtype: DTypeLike, arrays: dict[str, NDArray[Any]]
) -> SampledCellsState:
    """The state that :meth:`SampledCellsState.to_arrays` gave."""
    sample = arrays["sample"].astype(np.int64)
    cells: CellValues = arrays["cells"].astype(dtype)
    announced = arrays["announced"].astype(np.int64)
    is_sorted = sample.shape == (sample_size,) and bool(np.all(sample[1:] > sample[:-1]))
    if not is_sorted or sample[0] < 0 or sample[-1] >= universe_size:
        raise InputError(f"the sample must be {sample_size} sorted users of the universe")
    if cells.shape != sample.shape or not np.isfinite(cells).all():
        raise InputError(f"there must be {sample_size} finite cells, got shape {cells.shape}")
    if announced.shape != (1,) or not 0 <= announced[0] <= _MOST_ANNOUNCED:
        raise InputError(f"the number of announced intrusions must be between 0 and {_MOST_ANNOUNCED}")
    return SampledCellsState(sample, cells, int(announced[0]))
