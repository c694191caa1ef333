"""One pass over a batch of ids: whether all are in range, and which sampled users are among them.

A sparse sample is searched in two steps. A filter of 16 bits or more for each member says "not sampled" for nearly
every id that is not, without a branch. The other ids are looked up in a table of places with open addressing. Both
take their address from the same multiplicative hash (Knuth, The Art of Computer Programming, volume 3, section 6.4).
They are a function of the sample.

Ids are words of 64 bits. The user is the id less the first one, modulo 2**64, so that one comparison finds ids
that are too small and those that are too large.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pan_estimators.kernels.compiled import BYTES, WORDS, compiled

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""The odd integer next to 2**64 divided by the golden ratio."""
_ONE = np.uint64(1)
_LOW = np.uint64(63)
_SIX = np.uint64(6)
_TOGETHER = 1024
EMPTY = -1
"""A slot of the table that holds no place."""


def _index(members: Any, filter_shift: Any, filter_words: Any, slot_shift: Any, slots: Any) -> None:
    """Enter every member into the filter and its place into the table."""
    last = np.uint64(slots.size - 1)
    for place in range(members.size):
        spread = members[place] * _SPREAD
        bit = spread >> filter_shift
        filter_words[bit >> _SIX] |= _ONE << (bit & _LOW)
        slot = spread >> slot_shift
        while slots[slot] != EMPTY:
            slot = (slot + _ONE) & last
        slots[slot] = place


def _mark_sampled(
    ids: Any,
    first: Any,
    size: Any,
    members: Any,
    filter_shift: Any,
    filter_words: Any,
    slot_shift: Any,
    slots: Any,
    marks: Any,
    values: Any,
    step: Any,
    room: Any,
) -> Any:
    """Set the mark of every member among the ids to the value of its last id; return whether all ids are in range."""
    last = np.uint64(slots.size - 1)
    outside = False
    for start in range(0, ids.size, room.size):
        stop = min(start + room.size, ids.size)
        # A separate pass is faster than one pass for both. It also brings the ids into the cache.
        for number in range(start, stop):
            outside |= ids[number] - first >= size
        passed = np.int64(0)
        for number in range(start, stop):
            bit = ((ids[number] - first) * _SPREAD) >> filter_shift
            room[passed] = number
            passed += np.int64((filter_words[bit >> _SIX] >> (bit & _LOW)) & _ONE)
        for number in room[:passed]:
            user = ids[number] - first
            slot = (user * _SPREAD) >> slot_shift
            while slots[slot] != EMPTY:
                if members[slots[slot]] == user:
                    marks[slots[slot]] = values[number * step]
                    break
                slot = (slot + _ONE) & last
    return not outside


def _find_places(
    users: Any, members: Any, filter_shift: Any, filter_words: Any, slot_shift: Any, slots: Any, places: Any
) -> None:
    """The place of every user, or -1."""
    last = np.uint64(slots.size - 1)
    for number in range(users.size):
        user = users[number]
        bit = (user * _SPREAD) >> filter_shift
        places[number] = -1
        if (filter_words[bit >> _SIX] >> (bit & _LOW)) & _ONE:
            slot = (user * _SPREAD) >> slot_shift
            while slots[slot] != EMPTY:
                if members[slots[slot]] == user:
                    places[number] = slots[slot]
                    break
                slot = (slot + _ONE) & last


def _find_place(user: Any, members: Any, slot_shift: Any, slots: Any) -> Any:
    """The place of one user, or -1."""
    last = np.uint64(slots.size - 1)
    slot = (user * _SPREAD) >> slot_shift
    while slots[slot] != EMPTY:
        if members[slots[slot]] == user:
            return np.int64(slots[slot])
        slot = (slot + _ONE) & last
    return np.int64(-1)


def _all_inside(ids: Any, first: Any, size: Any) -> Any:
    """Whether all ids are in range."""
    outside = False
    for number in range(ids.size):
        outside |= ids[number] - first >= size
    return not outside


def _put_in_order(ids: Any, first: Any, bits: Any, cells: Any) -> Any:
    """Set the cell of the user of each id, one after the other, to the bit of the same number. All ids are in range.

    Cells are read before they are written, a block at a time, because reads need not wait for one another.
    """
    read = 0
    for start in range(0, ids.size, _TOGETHER):
        stop = min(start + _TOGETHER, ids.size)
        for number in range(start, stop):
            read += cells[ids[number] - first]
        for number in range(start, stop):
            cells[ids[number] - first] = bits[number]
    return read


def _mark_all(ids: Any, first: Any, size: Any, marks: Any, values: Any, step: Any) -> Any:
    """Set the mark of every user among the ids to the value of the last id; return whether all ids are in range."""
    outside = False
    for number in range(ids.size):
        user = ids[number] - first
        inside = user < size
        outside |= not inside
        marks[user if inside else np.uint64(0)] = values[number * step]
    return not outside


_PLACES = types.int32[::1]
_BITS = types.Array(types.boolean, 1, "C", readonly=True)

index = compiled(types.void(WORDS, types.uint64, types.uint64[::1], types.uint64, _PLACES), _index)
mark_sampled = compiled(
    types.boolean(
        *(WORDS, types.uint64, types.uint64, WORDS),
        *(types.uint64, types.uint64[::1], types.uint64, _PLACES),
        *(types.uint8[::1], BYTES, types.int64, types.int64[::1]),
    ),
    _mark_sampled,
)
find_places = compiled(
    types.void(WORDS, WORDS, types.uint64, types.uint64[::1], types.uint64, _PLACES, types.int64[::1]), _find_places
)
find_place = compiled(types.int64(types.uint64, WORDS, types.uint64, _PLACES), _find_place)
all_inside = compiled(types.boolean(WORDS, types.uint64, types.uint64), _all_inside)
put_in_order = compiled(types.int64(WORDS, types.uint64, _BITS, types.boolean[::1]), _put_in_order)
mark_all = compiled(types.boolean(WORDS, types.uint64, types.uint64, types.uint8[::1], BYTES, types.int64), _mark_all)
