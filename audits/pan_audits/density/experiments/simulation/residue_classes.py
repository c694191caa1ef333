"""The updates of a stream, grouped by the last binary digits of their user."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ResidueClasses:
    """For every level L, the updates by ``user mod 2^L``, in time order within each class.

    Levels beyond ``log2 T`` are left out: their classes are found inside those of the last one.
    Takes about ``4 T log2 T`` bytes. All arrays are writable 32-bit integers, also after they have been sent to
    another process, so that the compiled code needs to be compiled for one signature only.

    Attributes
    ----------
    users
        The user of every update, shape ``(T,)``.
    last
        The time of every user's last update, -1 if there is none, shape ``(U,)``.
    times
        Row L has the times of all updates by class, shape ``(levels, T)``.
    starts
        Entry ``2^L + r`` is where class r begins in row L. The next entry is where it ends, but for the
        last class of a row, which ends with the row. Shape ``(2^levels,)``.
    """

    users: Integers
    last: Integers
    times: Integers
    starts: Integers

    @classmethod
    def of(cls, ids: NDArray[np.int64], universe: int) -> ResidueClasses:
        """Group a stream of users ``0, ..., universe - 1``."""
        users = ids.astype(np.int32)
        last = np.full(universe, -1, dtype=np.int32)
        np.maximum.at(last, users, np.arange(users.size, dtype=np.int32))
        levels = max(1, users.size.bit_length())
        times = np.empty((levels, users.size), dtype=np.int32)
        starts = np.zeros(2**levels, dtype=np.int32)
        for level in range(levels):
            residues = users & np.int32(2**level - 1)
            # Numpy sorts 16-bit keys in linear time.
            keys = residues.astype(np.uint16) if level <= 16 else residues
            times[level] = np.argsort(keys, kind="stable")
            sizes = np.bincount(residues, minlength=2**level)
            starts[2**level : 2 ** (level + 1)] = np.cumsum(sizes) - sizes
        return cls(users, last, times, starts)
