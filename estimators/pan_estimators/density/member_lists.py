"""Sorted lists of members of a sample: who is a member, and who enters and leaves.

If the universe is not much larger than the lists, an array of its size is marked. This is faster than sorting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.touched import distinct
from pan_estimators.universes.universe import Indices

_DENSE = 8
"""A universe is marked in an array of its size if it is at most this multiple of the number of users looked up."""


def distinct_users(universe_size: int, users: Indices) -> Indices:
    """The users without repetition, sorted."""
    if universe_size > _DENSE * users.size:
        return distinct(users.copy())
    return np.flatnonzero(_marked(universe_size, users))


def are_members(universe_size: int, members: Indices, users: Indices) -> NDArray[np.bool_]:
    """Whether each user is a member."""
    if universe_size > _DENSE * users.size:
        return np.isin(users, members)
    return _marked(universe_size, members)[users]


def are_members_before(
    universe_size: int, members: Indices, users: Indices, inside: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether each user is a member just before its turn."""
    # Numpy sorts 16-bit keys in linear time.
    keys = users.astype(np.uint16) if universe_size <= 2**16 else users
    order = np.argsort(keys, kind="stable")
    ordered = users[order]
    again = np.zeros(users.size, dtype=np.bool_)
    again[1:] = ordered[1:] == ordered[:-1]
    before = np.empty(users.size, dtype=np.bool_)
    before[order] = np.where(again, np.roll(inside[order], 1), are_members(universe_size, members, ordered))
    return before


def settled(universe_size: int, members: Indices, users: Indices, inside: NDArray[np.bool_]) -> Indices:
    """The members after each of these distinct users entered or left."""
    if universe_size > _DENSE * (users.size + members.size):
        kept = np.setdiff1d(members, users, assume_unique=True)
        return np.sort(np.concatenate([kept, users[inside]]))
    mark = _marked(universe_size, members)
    mark[users] = inside
    return np.flatnonzero(mark)


def _marked(universe_size: int, users: Indices) -> NDArray[np.bool_]:
    mark = np.zeros(universe_size, dtype=np.bool_)
    mark[users] = True
    return mark
