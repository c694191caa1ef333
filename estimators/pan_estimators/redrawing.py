"""Drawing cells afresh for a batch of ids: what an update of a cell estimator does.

A batch leads to the same distribution of the cells as its ids one by one. Of all draws for one user the last is the
only one that remains, and it is independent of the others: it does not matter whether the others are made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.cells import BernoulliCells, Cells
from pan_estimators.ids import Ids, number_of
from pan_estimators.keyed_sample import KeyedSample, WholePopulation
from pan_estimators.randomness import Randomness
from pan_estimators.sample_index import LARGE, Members, index_for
from pan_estimators.touched import SortedMembers, flags_of, forget_users, large_integers, touched_places
from pan_estimators.universe import IntegerUniverse, Universe

_CROWDED = 2
"""Batches of more than so many ids for each user are marked first, so that there is one draw for each user."""


def redraw_touched(
    values: NDArray[Any],
    cells: Cells,
    universe: Universe,
    sample: Members,
    ids: Ids,
    randomness: Randomness,
    deletions: NDArray[np.bool_] | bool | None = None,
) -> None:
    """Draw the cell of every sampled user among the ids afresh.

    Parameters
    ----------
    values
        The cells by place, shape ``(m,)``; they are changed in place.
    cells
        The pair of distributions.
    universe
        The users.
    sample
        Those of them that have a cell.
    ids
        One id or an array of ids, in order.
    randomness
        Source of the draws.
    deletions
        Which of the updates delete, shape of ``ids``; none by default.

    Raises
    ------
    InputError
        For an id outside the universe; nothing has been changed then.
    """
    one = _single_place(universe, sample, ids) if deletions is None or isinstance(deletions, bool) else None
    if one is not None:
        # Of a user who is not sampled nothing is drawn.
        if one >= 0:
            values[one] = (cells.draw_initial if deletions else cells.draw_updated)(randomness, 1)[0]
        return
    if _in_order(values, cells, universe, sample, ids, randomness, deletions):
        return
    inserted, deleted = touched_places(universe, sample, ids, deletions)
    if deletions is not None:
        values[deleted] = cells.draw_initial(randomness, deleted.size)
    values[inserted] = cells.draw_updated(randomness, inserted.size)
    # Who was there is not left in memory.
    inserted.fill(0)
    deleted.fill(0)


def _single_place(universe: Universe, sample: Members, one: Any) -> int | None:
    """The place of a single id, -1 if its user is not sampled; ``None`` if it is no integer or string, or an array.

    Raises
    ------
    InputError
        For an id outside the universe.
    """
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
    """Draw a bit for every id of a large batch and set the cells one after the other, if that takes least time.

    It does where everyone is sampled and there are more users than ids: to find out which of the ids repeat would take
    longer than the draws that it saves.
    """
    if not (isinstance(sample, WholePopulation) and isinstance(cells, BernoulliCells) and values.flags.c_contiguous):
        return False
    if not LARGE <= number_of(ids) <= _CROWDED * sample.size:
        return False
    # Numba is imported by those who need it.
    from pan_estimators.marks import are_inside, put_in_order

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
