"""Many independent runs of an estimator with a cell for each sampled user."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.many_runs import Stack
from pan_estimators.common.many_samples import ManySamples
from pan_estimators.density.cells import Cells, CellValues
from pan_estimators.density.redrawing import touched_places
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import WholePopulation
from pan_estimators.states.releasing import wiped
from pan_estimators.universes.ids import Ids
from pan_estimators.universes.universe import Universe

Deletions = NDArray[np.bool_] | bool | None


@dataclass(eq=False)
class ManyCells:
    """The states of many runs. The counters are common to all runs, because all runs get the same calls.

    Attributes
    ----------
    kind
        The class of the state of one run.
    sample
        The sample of each run.
    cells
        Shape ``(runs, m)``.
    announced
        The number of announced intrusions so far.
    releases
        The number of releases so far.
    erased
        Whether the last release that the promise covers has been made.
    """

    kind: type[Any]
    sample: ManySamples
    cells: CellValues
    announced: int = 0
    releases: int = 0
    erased: bool = False

    @property
    def runs(self) -> int:
        """The number of runs."""
        return int(self.cells.shape[0])

    def state_of(self, run: int) -> Any:
        """The state of number ``run``, in the form that it has when the run is made alone."""
        own = {"sample": self.sample.of_run(run), "cells": self.cells[run].copy()}
        state = self.kind(**{name: own.get(name, getattr(self, name)) for name in self._names()})
        if self.erased:
            state.erase()
        return state

    def parts(self) -> Mapping[str, Any] | None:
        """The attributes of the state of a run; see :class:`pan_estimators.StackedStates`."""
        sample = self.sample.part()
        if sample is None or self.erased:
            return None
        own = {"sample": sample, "cells": Stack(self.cells)}
        return {name: own.get(name, getattr(self, name)) for name in self._names()}

    def sampled_density(self, present: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The fraction of the sampled users of each run that is present, and their number: shape ``(runs,)`` each.

        Parameters
        ----------
        present
            For each user of the universe whether it is present, shape ``(U,)``.
        """
        places = self.sample.places(np.flatnonzero(present))
        size = self.cells.shape[1]
        return np.asarray((places >= 0).sum(axis=1) / size), np.full(self.runs, float(size))

    def erase(self) -> None:
        """Overwrite the cells of all runs with zeros. Their samples are no longer shown."""
        self.cells, self.erased = wiped(self.cells), True

    def _names(self) -> tuple[str, ...]:
        return tuple(field.name for field in dataclasses.fields(self.kind))

    def __deepcopy__(self, memo: dict[int, Any]) -> ManyCells:
        # Only the cells change in place.
        return dataclasses.replace(self, cells=self.cells.copy())


def draw_initial(cells: Cells, randomness: Randomness, runs: int, size: int) -> CellValues:
    """The cells of all runs before the first update."""
    return cells.draw_initial(randomness, runs * size).reshape(runs, size)


def redraw(
    states: ManyCells, universe: Universe, cells: Cells, ids: Ids, deletions: Deletions, randomness: Randomness
) -> ManyCells:
    """Draw afresh the cell of every sampled user among ``ids``, in every run."""
    inserted, deleted = touched_places(universe, WholePopulation(universe.size), ids, deletions)
    # A run that is made alone draws them in the same order.
    for users, draw in ((deleted, cells.draw_initial), (inserted, cells.draw_updated)):
        if users.size:
            where = states.sample.cells_of(users)
            shape = states.cells[where].shape
            states.cells[where] = draw(randomness, int(np.prod(shape))).reshape(shape)
    return states


def totals(states: ManyCells) -> NDArray[Any]:
    """The sum of the cells of each run."""
    if states.cells.dtype == np.bool_:
        return np.asarray(np.add.reduce(states.cells.view(np.uint8), axis=1, dtype=np.int64))
    return np.asarray(states.cells.sum(axis=1))


def laplace_around(locations: NDArray[np.float64], scale: float, randomness: Randomness) -> NDArray[np.float64]:
    """One Laplace variable at each location. A randomness with the method ``laplace_at`` draws them at once."""
    at_once = getattr(randomness, "laplace_at", None)
    if at_once is not None:
        return np.asarray(at_once(locations, scale))
    return np.array([randomness.laplace(float(location), scale) for location in locations])
