"""A distinct counter whose cells are divided among workers: routing by the keyed hash, shards and their files.

Each worker holds the cells of its part and gets the users whose hash falls there. The joined shards are distributed
exactly as one counter (distinct.shards): there is no loss of accuracy. The budget of one release stays with the whole.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.distinct.counter import DistinctCounter, DistinctCounterState
from pan_estimators.density.distinct.files import counter_described, key_words_of
from pan_estimators.density.distinct.geometry import touched_cells
from pan_estimators.randomness.interface import Randomness
from pan_estimators.states.key_file import key_digest, read_key, require_key, write_with_key
from pan_estimators.states.private_files import open_regular
from pan_estimators.states.releasing import wiped
from pan_estimators.states.state_format import MAGIC, StateReader, StoredArray, file_of
from pan_estimators.universes.ids import Ids
from pan_promises.errors import InputError, StateFileError, require_count
from pan_promises.promise import Promise

MOST_WORKERS = 2**16
_NOWHERE = -1


@dataclass(eq=False)
class ShardState:
    """The state of one worker. An adversary sees all of it, and the key of the universe.

    Attributes
    ----------
    cells
        The bits of the worker's cells, shape ``(cells,)``.
    joined
        Whether the bits have been joined with those of the other workers. Then they are erased here.
    """

    cells: NDArray[np.bool_]
    joined: bool = False

    def erase(self) -> None:
        """Overwrite the bits with zeros. Earlier copies of the state are out of reach."""
        self.cells = wiped(self.cells)
        self.joined = True


@dataclass(frozen=True)
class DividedCounter:
    """A distinct counter whose cells are divided among workers. Each level is divided evenly.

    Model: one intrusion in each worker, each at a time of its own; one release of the joined counter. Guarantee
    (distinct.shards): that of the counter. An adversary who sees ids on their way to a worker is not covered.

    Parameters
    ----------
    counter
        The counter.
    workers
        The number of workers, from 1 to 65,536, and at most the number of cells.

    Raises
    ------
    InputError
        If the number of workers is out of range, or the counter makes several releases.
    """

    counter: DistinctCounter
    workers: int

    def __post_init__(self) -> None:
        if self.counter.outputs != 1:
            raise InputError(
                f"the cells of a counter with one release are divided among workers, got {self.counter.outputs}"
            )
        require_count("the number of workers", self.workers, most=min(MOST_WORKERS, self.counter.geometry.cells))

    @property
    def promise(self) -> Promise:
        """The promise for one state of each worker and all noisy counts jointly."""
        counted = self.counter.promise
        return Promise(epsilon=counted.epsilon, adjacency=counted.adjacency, claim="distinct.shards")

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """For each level and worker the first place in the level: shape ``(levels, workers + 1)``."""
        widths = np.array([level.cells for level in self.counter.geometry.levels], dtype=np.int64)
        numbers = np.arange(self.workers + 1, dtype=np.int64)
        return np.asarray(-(-np.multiply.outer(widths, numbers) // self.workers))

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        """The number of cells of each level that each worker has: shape ``(levels, workers)``."""
        return np.diff(self._starts, axis=1)

    @cached_property
    def _offsets(self) -> NDArray[np.int64]:
        """The place of the first cell of each level in the state of each worker: shape ``(levels + 1, workers)``."""
        return np.vstack([np.zeros(self.workers, dtype=np.int64), np.cumsum(self._sizes, axis=0)])

    def cells_of(self, worker: int) -> int:
        """The number of cells of a worker.

        Parameters
        ----------
        worker
            The number of the worker, from 0 on.

        Raises
        ------
        InputError
            If there is no such worker.
        """
        return int(self._offsets[-1, self._checked(worker)])

    def workers_of(self, ids: Ids) -> NDArray[np.int64]:
        """The worker of each id, in order: shape ``(n,)``. It is -1 for a user without a cell, who goes nowhere.

        It depends on the keyed hash of the id alone. It can be the partition of a queue or of a shuffle.

        Parameters
        ----------
        ids
            One id or an array of ids.

        Raises
        ------
        InputError
            For an id outside the universe.
        """
        return self._routed(ids)[0]

    def routed(self, ids: Ids) -> list[NDArray[np.int64]]:
        """For each worker the distinct places in its state that ids touch, for :meth:`touch`.

        Parameters
        ----------
        ids
            One id or an array of ids.

        Raises
        ------
        InputError
            For an id outside the universe.
        """
        counter = self.counter
        owners, places = self._places_of(touched_cells(counter.geometry, counter.universe.encode(ids)))
        order = np.argsort(owners, kind="stable")
        ends = np.searchsorted(owners[order], np.arange(self.workers + 1))
        return [places[order[start:end]] for start, end in pairwise(ends)]

    def _places_of(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The worker that has each cell of the counter, and the place in its state."""
        first = self.counter.geometry.first_cells
        level = np.searchsorted(first[1:], cells, side="right")
        place = cells - first[level]
        owner = place * self.workers // np.diff(first)[level]
        return owner, self._offsets[level, owner] + place - self._starts[level, owner]

    def _routed(self, ids: Ids) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The worker of each id and the place in its state; both are -1 for a user without a cell."""
        geometry = self.counter.geometry
        indices = self.counter.universe.encode(ids)
        workers = np.full(indices.size, _NOWHERE, dtype=np.int64)
        places = np.full(indices.size, _NOWHERE, dtype=np.int64)
        covered = np.flatnonzero(indices < geometry.first_indices[-1])
        workers[covered], places[covered] = self._places_of(geometry.cells_of(indices))
        return workers, places

    def create(self, worker: int, randomness: Randomness) -> ShardState:
        """The state of a worker before the first update.

        Parameters
        ----------
        worker
            The number of the worker, from 0 on.
        randomness
            Source of the draws. Workers must have independent sources.

        Raises
        ------
        InputError
            If there is no such worker.
        """
        return ShardState(self.counter.cells.draw_initial(randomness, self.cells_of(worker)))

    def update(self, worker: int, state: ShardState, ids: Ids, randomness: Randomness) -> ShardState:
        """The state of a worker after a new draw of the bit of every touched cell. It is changed in place.

        Parameters
        ----------
        worker
            The number of the worker.
        state
            Its state so far.
        ids
            Ids that belong to this worker. Users without a cell are left out.
        randomness
            Source of the draws.

        Raises
        ------
        InputError
            For an id of another worker or outside the universe, or bits that were joined already.
        """
        self._checked(worker)
        workers, places = self._routed(ids)
        if strange := int(((workers != worker) & (workers != _NOWHERE)).sum()):
            raise InputError(
                f"{strange} of {workers.size} ids belong to other workers than number {worker}: send each id to the "
                "worker that `workers_of` gives"
            )
        return self.touch(state, np.unique(places[workers == worker]), randomness)

    def touch(self, state: ShardState, places: NDArray[np.int64], randomness: Randomness) -> ShardState:
        """The state of a worker after a new draw of the bits at distinct places, which :meth:`routed` gives.

        Parameters
        ----------
        state
            The state so far; it is changed in place.
        places
            Distinct places in the state.
        randomness
            Source of the draws.

        Raises
        ------
        InputError
            If the bits were joined already, or there is no such place.
        """
        if state.joined:
            raise InputError("the bits of this worker were joined and erased: count with a new state")
        if places.size:
            if places.min() < 0 or places.max() >= state.cells.size:
                raise InputError(f"the places of a worker's cells are from 0 to {state.cells.size - 1}")
            state.cells[places] = self.counter.cells.draw_updated(randomness, places.size)
        return state

    def join(self, states: Sequence[ShardState]) -> DistinctCounterState:
        """The state of one counter from those of all workers, which are erased.

        Parameters
        ----------
        states
            The states of all workers, in order.

        Returns
        -------
        The state of :attr:`counter`, which releases and estimates.

        Raises
        ------
        InputError
            If there is not one state for each worker, with its cells, or one of them was joined already.
        """
        if len(states) != self.workers:
            raise InputError(f"there must be one state for each of {self.workers} workers, got {len(states)}")
        for worker, state in enumerate(states):
            if state.joined:
                raise InputError(f"the bits of worker {worker} were joined and erased: each state is joined once")
            if state.cells.shape != (self.cells_of(worker),):
                raise InputError(
                    f"worker {worker} has {self.cells_of(worker)} cells, and its state has shape {state.cells.shape}"
                )
        if len({id(state) for state in states}) < self.workers:
            raise InputError("one state was given for several workers: each worker has a state of its own")
        pieces = [
            state.cells[self._offsets[level, worker] : self._offsets[level + 1, worker]]
            for level in range(len(self.counter.geometry.levels))
            for worker, state in enumerate(states)
        ]
        joined = DistinctCounterState(np.concatenate(pieces))
        for state in states:
            state.erase()
        return joined

    def _checked(self, worker: int) -> int:
        if isinstance(worker, bool) or not isinstance(worker, (int, np.integer)) or not 0 <= worker < self.workers:
            raise InputError(f"the workers have the numbers 0 to {self.workers - 1}, got {worker!r}")
        return int(worker)


_WHAT = "the shard file"
_NAMES = {"distinct_shard", "workers", "worker"}
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class SavedShard:
    """A shard in a file.

    Attributes
    ----------
    divided
        The divided counter, with the key of the hash.
    worker
        The number of the worker.
    state
        Its state. It is erased if its bits were joined.
    """

    divided: DividedCounter
    worker: int
    state: ShardState


def save_shard(
    path: PathLike, divided: DividedCounter, worker: int, state: ShardState, *, key_file: PathLike | None = None
) -> None:
    """Replace a file as a whole, readable by its owner only. It is on the disk when this function returns.

    A state that was joined is saved without its bits and its key, so that no worker goes on from it.

    Parameters
    ----------
    path
        The file. A reader of it is an adversary.
    divided
        The divided counter.
    worker
        The number of the worker.
    state
        Its state.
    key_file
        A separate file for the key of a hashed universe. It is removed after the bits were joined.

    Raises
    ------
    InputError
        If there is no such worker, the state is another one's, or a file cannot be written. An old file then stays
        unchanged.
    """
    if state.cells.shape != (divided.cells_of(worker),):
        raise InputError(f"worker {worker} has {divided.cells_of(worker)} cells, not {state.cells.size}")
    about = divided.counter.to_dict()
    if key_file is not None and "key" not in about["universe"]:
        raise InputError("a universe without a hash has no key to keep apart")
    if state.joined or key_file is not None:
        about["universe"].pop("key", None)
    configuration = {"distinct_shard": about, "workers": divided.workers, "worker": int(worker)}
    arrays: dict[str, Any] | None = None if state.joined else {"cells": state.cells}
    digest = None if state.joined or key_file is None else key_digest(key_words_of(divided.counter))
    content = file_of(configuration, arrays, key_digest=digest)
    # Several shards share the file of the key.
    apart = None if key_file is None else (Path(key_file), key_words_of(divided.counter))
    write_with_key(Path(path), content, begins=MAGIC, what=_WHAT, spent=state.joined, key=apart, beside=False)


def load_shard(path: PathLike, *, key_file: PathLike | None = None) -> SavedShard:
    """The shard in a file of :func:`save_shard`. Nothing of the file is trusted.

    Parameters
    ----------
    path
        The file.
    key_file
        The file with the key, if it was kept apart.

    Raises
    ------
    StateFileError
        If the file is not intact, its key is missing or another one, or its counter fails the check of its promise.
    """
    source = f"{_WHAT} {path}"
    key = None if key_file is None or not os.path.lexists(key_file) else read_key(Path(key_file))
    with open_regular(Path(path), _WHAT) as (file, size):
        reader = StateReader(file, size, source)
        header, about = reader.header, reader.header.configuration
        if about.keys() != _NAMES or not isinstance(about["distinct_shard"], dict):
            raise StateFileError(f"{source} holds no shard of a distinct counter")
        if not header.spent:
            require_key(header.key_digest, key, source)
        with reader.fitting("a counter"):
            counter = counter_described(about["distinct_shard"], header, key)
            divided, worker = DividedCounter(counter, about["workers"]), about["worker"]
            cells = divided.cells_of(worker)
            header.require_fit({"cells": StoredArray.of_length("bool", cells)}, source)
        arrays = reader.arrays()
    if not header.spent:
        if "cells" not in arrays or header.releases:
            raise StateFileError(f"{source} lacks its cells")
        return SavedShard(divided, worker, ShardState(arrays["cells"]))
    return SavedShard(divided, worker, ShardState(np.zeros(cells, dtype=np.bool_), joined=True))
