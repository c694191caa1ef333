"""Redrawing of cells for a batch of ids, which is the update of a cell estimator.

A batch leads to the same distribution of the cells as single updates with its ids. Of all draws for one user only
the last remains, and it is independent of the others. The others can be made or left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.cells import BernoulliCells, Cells
from pan_estimators.density.touched import SortedMembers, flags_of, forget_users, large_integers, touched_places
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import KeyedSample, WholePopulation
from pan_estimators.samples.sample_index import LARGE, Members, index_for
from pan_estimators.states.releasing import require_kept
from pan_estimators.universes.ids import Ids, number_of
from pan_estimators.universes.universe import IntegerUniverse, Universe
from pan_promises.errors import InputError

_CROWDED = 2
"""Batches of more than this number of ids for each user are marked first. Each user then has one draw."""


def redraw_cells(
    estimator: Any, state: Any, ids: Ids, randomness: Randomness, deletions: NDArray[np.bool_] | bool | None
) -> None:
    """Draw afresh the cell of every sampled user among the ids: the update that all cell estimators share."""
    if state.releases:
        require_kept(estimator, state)
    some = deletions is not None and bool(np.any(deletions))
    if some and not estimator.deletions:
        raise InputError(f"{estimator.name} counts users that appear and has no deletions")
    cells, sample = estimator.current_pair(state)
    redraw_touched(state.cells, cells, estimator.universe, sample, ids, randomness, deletions if some else None)


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
    # The import of numba is slow, so that it waits until the first use.
    from pan_estimators.density.marks import are_inside, put_in_order

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
