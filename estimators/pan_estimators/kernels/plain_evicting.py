"""The loop of :mod:`pan_estimators.kernels.evicting` with numpy, one turn in all runs at a time, with equal results."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Bits = NDArray[np.uint8]


def sample(
    users: NDArray[np.int64],
    inside: Bits,
    multipliers: Words,
    increments: Words,
    mask: np.uint64,
    room: int,
    levels: NDArray[np.int64],
    marks: Bits,
) -> None:
    """The turns of the users, in every run."""
    everyone = np.arange(marks.shape[1], dtype=np.uint64)
    members = marks.sum(axis=1, dtype=np.int64)
    for turn, user in enumerate(users.tolist()):
        member = marks[:, user] != 0
        hashed = (np.uint64(user) * multipliers + increments) & mask
        turns = np.flatnonzero(member | _reach(hashed, levels, mask))
        marks[turns, user] = inside[turns, turn]
        members[turns] += inside[turns, turn].astype(np.int64) - member[turns]
        for run in np.flatnonzero(~member & (members >= room)).tolist():
            levels[run] += 1
            hashes = (everyone * multipliers[run] + increments[run]) & mask
            marks[run] &= _reach(hashes, levels[run], mask)
            members[run] = marks[run].sum(dtype=np.int64)


def _reach(hashed: Words, levels: NDArray[np.int64] | np.int64, mask: np.uint64) -> NDArray[np.bool_]:
    """Whether hashes end in as many zeros as the level. No hash reaches a level above the number of its bits."""
    low = (np.uint64(1) << np.minimum(levels, 63).astype(np.uint64)) - np.uint64(1)
    return np.asarray((low <= mask) & (hashed & low == 0))
