"""Distinct sampling in many runs: users enter and leave the samples in turn, and full samples are halved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pan_estimators.kernels.compiled import compiled

_ZERO, _ONE = np.uint64(0), np.uint64(1)


def _sample(
    users: Any,
    inside: Any,
    multipliers: Any,
    increments: Any,
    mask: Any,
    room: Any,
    levels: Any,
    marks: Any,
) -> None:
    """The turns of the users, in every run. The arguments are those of ``plain_evicting``."""
    universe = marks.shape[1]
    for run in range(marks.shape[0]):
        multiplier, increment, level = multipliers[run], increments[run], levels[run]
        # Shifts of 64 and more are undefined. A hash has fewer bits, so that nobody qualifies there.
        low = (_ONE << np.uint64(min(level, 63))) - _ONE
        members = 0
        for user in range(universe):
            members += marks[run, user]
        for turn in range(users.size):
            user = users[turn]
            member = marks[run, user] != 0
            hashed = (np.uint64(user) * multiplier + increment) & mask
            if member or (low <= mask and hashed & low == _ZERO):
                marks[run, user] = inside[run, turn]
                members += int(inside[run, turn]) - int(member)
            if not member and members >= room:
                low = (low << _ONE) | _ONE
                level += 1
                members = 0
                for other in range(universe):
                    if marks[run, other]:
                        hashed = (np.uint64(other) * multiplier + increment) & mask
                        stays = low <= mask and hashed & low == _ZERO
                        marks[run, other] = stays
                        members += int(stays)
        levels[run] = level


_WORDS = types.Array(types.uint64, 1, "C", readonly=True)
_PLACES = types.Array(types.int64, 1, "C", readonly=True)
_BITS = types.Array(types.uint8, 2, "C", readonly=True)

sample = compiled(
    types.void(_PLACES, _BITS, _WORDS, _WORDS, types.uint64, types.int64, types.int64[::1], types.uint8[:, ::1]),
    _sample,
)
