"""The state of the calibrated density estimators, and its stored form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.samples.keyed_sample import KEY_BYTES, KeyedSample, Sample, WholePopulation, sample_from_arrays
from pan_estimators.states.releasing import wiped
from pan_estimators.states.state_format import StoredArray
from pan_promises.errors import InputError


@dataclass(eq=False)
class CalibratedCellsState:
    """The state: the sample, and one bit for each sampled user. An intruder sees all of it.

    Attributes
    ----------
    sample
        The sampled users, with a place for each: a key, the whole universe, or a list.
    cells
        The bits by place, shape ``(m,)``.
    announced
        The number of announced intrusions so far.
    releases
        The number of releases so far. After the last one that the promise covers, all else is zero.
    """

    sample: Sample
    cells: NDArray[np.bool_]
    announced: int = 0
    releases: int = 0

    def erase(self) -> None:
        """Overwrite the bits with zeros, and replace the sample by that of a public key of zeros.

        Copies of the state are out of reach. The key itself is a Python value that cannot be overwritten:
        it is only dropped.
        """
        self.cells = wiped(self.cells)
        if not isinstance(self.sample, WholePopulation):
            self.sample = KeyedSample(self.sample.population, self.sample.size, bytes(KEY_BYTES))

    def copied(self) -> CalibratedCellsState:
        """A copy that later updates and releases do not change."""
        sample = self.sample.copy() if isinstance(self.sample, np.ndarray) else self.sample
        return CalibratedCellsState(sample, self.cells.copy(), self.announced, self.releases)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The state as named arrays."""
        return {**self.sample.to_arrays(), "cells": self.cells, "announced": np.array([self.announced])}


def stored_arrays(universe_size: int, sample_size: int) -> dict[str, StoredArray]:
    """The arrays that may store a state. At most one is stored of the key and the list of the sample."""
    found = {
        "cells": StoredArray.of_length("bool", sample_size),
        "announced": StoredArray.of_length("int64", 1),
    }
    if sample_size == universe_size:
        return found
    words = StoredArray.of_length("int64", KEY_BYTES // 8)
    return {**found, "key": words, "sample": StoredArray.of_length("int64", sample_size)}


def state_from_arrays(
    universe_size: int, sample_size: int, most_announced: int, arrays: dict[str, NDArray[Any]]
) -> CalibratedCellsState:
    """The state that :meth:`CalibratedCellsState.to_arrays` gave."""
    if {"key", "sample"} <= arrays.keys():
        raise InputError("a sample has a key or a list of its members, not both")
    sample = sample_from_arrays(universe_size, sample_size, arrays)
    cells, announced = arrays["cells"].astype(np.bool_), arrays["announced"].astype(np.int64)
    if cells.shape != (sample_size,):
        raise InputError(f"there must be {sample_size} cells, got shape {cells.shape}")
    if announced.shape != (1,) or not 0 <= announced[0] <= most_announced:
        raise InputError(f"the number of announced intrusions must be between 0 and {most_announced}")
    return CalibratedCellsState(sample, cells, int(announced[0]))
