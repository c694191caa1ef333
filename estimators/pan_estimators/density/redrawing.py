"""Redrawing of cells for a batch of ids, which is the update of a cell estimator.

A batch leads to the same distribution of the cells as single updates with its ids. Of all draws for one user only
the last remains, and it is independent of the others. The others can be made or left out.

A small batch is looked up with numpy. A large one goes through a loop, compiled if numba is installed, which checks
the range of the ids and finds the sampled users in the same pass. All ways find the same places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.density.cells import BernoulliCells, Cells
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import KeyedSample, WholePopulation
from pan_estimators.samples.sample_index import LARGE, Index, Members, index_for
from pan_estimators.states.releasing import require_kept
from pan_estimators.universes.ids import Ids, as_id_array, number_of
from pan_estimators.universes.universe import SHIPPED, Indices, IntegerUniverse, Universe
from pan_promises.errors import InputError

Words = NDArray[np.uint64]
Marks = NDArray[np.uint8]

_CHUNK = 2**15
"""Number of ids that are converted at a time. They stay in the cache."""
_NO_VALUES: Marks = np.empty(0, dtype=np.uint8)


def mark_users(ids: NDArray[Any], first: int, size: int, values: Marks, index: Index | None = None) -> Marks | None:
    """The marks of all users, or of those of an index; ``None`` if an id is out of range."""
    marks = np.zeros(size if index is None else index.members.size, dtype=np.uint8)
    mark = kernels.loops_of("marking").mark_all if index is None else index.mark
    step, start = int(values.size > 1), np.uint64(first % 2**64)
    inside = all(mark(words, start, np.uint64(size), marks, given, step) for words, given in _chunks(ids, values, step))
    return marks if inside else None


def put_in_order(ids: NDArray[Any], first: int, cells: NDArray[np.bool_], bits: NDArray[np.bool_]) -> None:
    """Set the cell of the user of each id, one id after the other, to its bit."""
    loops = kernels.loops_of("marking")
    begin = np.uint64(first % 2**64)
    place = 0
    for words, _ in _chunks(ids, _NO_VALUES, 0):
        loops.put_in_order(words, begin, bits[place : place + words.size], cells)
        place += words.size


def are_inside(ids: NDArray[Any], first: int, size: int) -> bool:
    """Whether all ids are in range."""
    loops = kernels.loops_of("marking")
    start = np.uint64(first % 2**64)
    return all(loops.all_inside(words, start, np.uint64(size)) for words, _ in _chunks(ids, _NO_VALUES, 0))


def _chunks(ids: NDArray[Any], values: Marks, step: int) -> Iterator[tuple[Words, Marks]]:
    """The ids as 64-bit words: all at once if they are so in memory, else converted piece by piece."""
    if ids.dtype.isnative and ids.dtype.itemsize == 8 and ids.flags.c_contiguous and ids.flags.aligned:
        yield ids.view(np.uint64), values
        return
    for start in range(0, ids.size, _CHUNK):
        piece = slice(start, start + _CHUNK)
        yield ids[piece].astype(np.int64).view(np.uint64), values[piece] if step else values


_DENSE = 16
"""Batches of at least the universe's size divided by this number are marked in an array of that size."""
_SPARSE = 16
"""A sample below the universe's size divided by this number is indexed. Otherwise everyone is marked."""
INSERTED, DELETED = 1, 2
"""Marks of places. An untouched place has the mark 0."""

Deletions = NDArray[np.bool_] | None


@dataclass(eq=False, slots=True)
class SortedMembers:
    """Members given by their sorted list, which is not checked. The place of a member is its rank."""

    listed: Indices

    @property
    def size(self) -> int:
        return self.listed.size

    def positions(self, indices: NDArray[Any]) -> Indices:
        places = np.minimum(self.listed.searchsorted(indices), self.size - 1)
        return np.where(self.listed[places] == indices, places, -1)

    def position(self, index: int) -> int:
        """The place of one index, or -1."""
        place = int(self.listed.searchsorted(index))
        return place if place < self.size and self.listed[place] == index else -1

    def members(self) -> NDArray[Any]:
        return self.listed


def touched_places(
    universe: Universe, sample: Members, ids: Ids, deletions: NDArray[np.bool_] | bool | None = None
) -> tuple[Indices, Indices]:
    """The places of the sampled users whose last update inserts, and of those whose last update deletes."""
    large = large_integers(universe, ids)
    if large is not None and isinstance(universe, IntegerUniverse):
        marks = _marks(universe.size, sample, large, universe.first, flags_of(deletions, large))
        if marks is not None:
            return _both(marks)
    users = universe.encode(ids)
    flags = flags_of(deletions, users)
    marks = _marks(universe.size, sample, users, 0, flags) if large is None and users.size >= LARGE else None
    places = _looked_up(universe.size, sample, users, flags) if marks is None else _both(marks)
    forget_users(universe, ids, users)
    return places


def large_integers(universe: Universe, ids: Ids) -> NDArray[Any] | None:
    """The unchecked ids of a large batch of integers, or ``None`` if the compiled loops cannot check their range.

    The loops compare the difference to the first id modulo ``2**64``. This is correct if the universe has no part
    above the 64-bit integers, or below the least integer of the ids' type.
    """
    if not isinstance(universe, IntegerUniverse) or number_of(ids) < LARGE:
        return None
    # Ids of fewer bits stay unchanged.
    array = ids if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu" else as_id_array(ids)
    least = 0 if array.dtype.kind == "u" else -(2**63)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        return None
    return array if least <= universe.first and universe.first + universe.size <= 2**63 else None


def forget_users(universe: Universe, ids: Ids, users: Indices) -> None:
    """Overwrite the indices of a batch, unless they may be the given ids themselves, or are used elsewhere."""
    if isinstance(universe, SHIPPED) and isinstance(ids, np.ndarray) and users is not ids and users.base is None:
        users.fill(0)


def flags_of(deletions: NDArray[np.bool_] | bool | None, ids: NDArray[Any]) -> Deletions:
    """For each id whether its update deletes, or ``None``."""
    return None if deletions is None else np.broadcast_to(np.asarray(deletions, dtype=np.bool_), ids.shape)


def _both(marks: NDArray[np.uint8]) -> tuple[Indices, Indices]:
    places = np.flatnonzero(marks == INSERTED), np.flatnonzero(marks == DELETED)
    marks.fill(0)
    return places


def _marks(size: int, sample: Members, ids: NDArray[Any], first: int, deletions: Deletions) -> NDArray[np.uint8] | None:
    """The mark of every place, or ``None`` if an id is out of range, or looking up each id costs less."""
    everyone, marking = isinstance(sample, WholePopulation), size <= _DENSE * ids.size
    index = None if everyone else index_for(sample, ids.size)
    if not (marking if everyone else index):
        return None
    values = np.array([INSERTED], dtype=np.uint8) if deletions is None else INSERTED + deletions.astype(np.uint8)
    if index is None or not (marking and _SPARSE * sample.size >= size):
        return mark_users(ids, first, size, values, index)
    marks = mark_users(ids, first, size, values)
    if marks is None:
        return None
    found = marks[index.members.view(np.int64)]
    marks.fill(0)
    return found


def _looked_up(size: int, sample: Members, users: Indices, deletions: Deletions) -> tuple[Indices, Indices]:
    if deletions is None and isinstance(sample, WholePopulation) and size <= _DENSE * users.size:
        mark = np.zeros(size, dtype=np.uint8)
        mark[users] = INSERTED
        return _both(mark)
    index = index_for(sample, users.size) if isinstance(sample, KeyedSample) else None
    places = (sample if index is None else index).positions(users)
    inside = places >= 0
    found = places[inside]
    if not isinstance(sample, WholePopulation):
        places.fill(0)
    if deletions is None:
        # Looking up places is faster than sorting, so that users who are not sampled are dropped first.
        return distinct(found), np.empty(0, dtype=np.int64)
    touched, last = np.unique(found[::-1], return_index=True)
    deletes = deletions[inside][::-1][last]
    found.fill(0)
    return touched[~deletes], touched[deletes]


def distinct(places: Indices) -> Indices:
    """The distinct places, sorted. The given array is overwritten.

    Sorting is much faster here than numpy's ``unique``, which uses a hash table for integers.
    """
    if places.size < 2:
        return places
    places.sort()
    kept = places[np.concatenate(([True], places[1:] != places[:-1]))]
    places.fill(0)
    return kept


_CROWDED = 2
"""Batches of more than this number of ids for each user are marked first. Each user then has one draw."""


def redraw_cells(
    estimator: Any, state: Any, ids: Ids, randomness: Randomness, deletions: NDArray[np.bool_] | bool | None
) -> None:
    """Draw afresh the cell of every sampled user among the ids: the update that all cell estimators share."""
    if state.releases:
        require_kept(estimator, state)
    some = some_deletions(estimator.name, estimator.deletions, deletions)
    cells, sample = estimator.current_pair(state)
    redraw_touched(state.cells, cells, estimator.universe, sample, ids, randomness, some)


def some_deletions(
    name: str, known: bool, deletions: NDArray[np.bool_] | bool | None
) -> NDArray[np.bool_] | bool | None:
    """The deletions, or ``None`` if there are none; :class:`InputError` if the estimator has no deletions."""
    if deletions is None or not np.any(deletions):
        return None
    if not known:
        raise InputError(f"{name} counts users that appear and has no deletions")
    return deletions


def redraw_touched(
    values: NDArray[Any],
    cells: Cells,
    universe: Universe,
    sample: Members,
    ids: Ids,
    randomness: Randomness,
    deletions: NDArray[np.bool_] | bool | None = None,
) -> None:
    """Draw the cell of every sampled user among the ids afresh."""
    one = _single_place(universe, sample, ids) if deletions is None or isinstance(deletions, bool) else None
    if one is not None:
        # No cell is drawn for a user who is not sampled.
        if one >= 0:
            values[one] = (cells.draw_initial if deletions else cells.draw_updated)(randomness, 1)[0]
        return
    if _in_order(values, cells, universe, sample, ids, randomness, deletions):
        return
    inserted, deleted = touched_places(universe, sample, ids, deletions)
    if deletions is not None:
        values[deleted] = cells.draw_initial(randomness, deleted.size)
    values[inserted] = cells.draw_updated(randomness, inserted.size)
    # The memory must not keep the users of the batch.
    inserted.fill(0)
    deleted.fill(0)


def _single_place(universe: Universe, sample: Members, one: Any) -> int | None:
    """The place of a single id, -1 if its user is not sampled; ``None`` for an array or another type of id."""
    encode_one = getattr(universe, "encode_one", None) if isinstance(one, (int, str)) else None
    user = None if encode_one is None else encode_one(one)
    if user is None or isinstance(sample, WholePopulation):
        return user
    if isinstance(sample, KeyedSample):
        index = index_for(sample, 1)
        return sample.position(user) if index is None else index.position(user)
    return sample.position(user) if isinstance(sample, SortedMembers) else int(sample.positions(np.array([user]))[0])


def _in_order(
    values: NDArray[Any],
    cells: Cells,
    universe: Universe,
    sample: Members,
    ids: Ids,
    randomness: Randomness,
    deletions: NDArray[np.bool_] | bool | None,
) -> bool:
    """Draw a bit for every id of a large batch and set the cells one after the other, if this is the fastest way.

    It is the fastest way if everyone is sampled and the ids are at most twice as many as the users. The search for
    repeated ids would then take longer than the draws that it saves.
    """
    if not (isinstance(sample, WholePopulation) and isinstance(cells, BernoulliCells) and values.flags.c_contiguous):
        return False
    if not LARGE <= number_of(ids) <= _CROWDED * sample.size:
        return False

    array = large_integers(universe, ids)
    first = universe.first if array is not None and isinstance(universe, IntegerUniverse) else 0
    users = universe.encode(ids) if array is None else array
    if not are_inside(users, first, universe.size):
        return False
    bits = cells.draw_updated(randomness, users.size)
    flags = flags_of(deletions, users)
    if flags is not None:
        bits[flags] = cells.draw_initial(randomness, int(np.count_nonzero(flags)))
    put_in_order(users, first, values, bits)
    if array is None:
        forget_users(universe, ids, users)
    return True
