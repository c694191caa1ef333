"""A stream that stays the same for many runs, prepared once, and the data that the runs keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError, require_count

Integers = NDArray[np.int32]

_LARGEST = 10**9
"""Numpy's hypergeometric distribution goes no further; an index of a user fits 32 bits."""


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


@dataclass(frozen=True, eq=False)
class FixedStream:
    """A stream of user indices, with data for all estimators.

    Make it with :meth:`of`. Its pickle leaves out the data that can be computed again.

    Attributes
    ----------
    ids
        Indices of the users in time order, shape ``(T,)``; read-only.
    universe
        Number of users U.
    distinct
        Number of users that appear, D.
    """

    ids: NDArray[np.int64]
    universe: int
    distinct: int

    @classmethod
    def of(cls, ids: NDArray[np.int64], universe: int) -> FixedStream:
        """Prepare a stream."""
        require_count("the universe size", universe, most=_LARGEST, source="the simulation")
        given = np.asarray(ids)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise InputError(
                f"a stream to simulate is a one-dimensional array of user indices, got {given.dtype} {given.shape}"
            )
        require_count("the stream length", given.size, least=0, most=2**31 - 1, source="the simulation")
        if given.size and (given.min() < 0 or given.max() >= universe):
            outside = given[(given < 0) | (given >= universe)][0]
            raise InputError(f"user {outside} is outside the universe 0..{universe - 1}")
        kept = given.astype(np.int64)
        kept.setflags(write=False)
        return cls(kept, int(universe), int(np.unique(kept).size))

    @property
    def length(self) -> int:
        """Number of updates T."""
        return int(self.ids.size)

    @property
    def density(self) -> float:
        """The part of the universe that appears, D/U."""
        return self.distinct / self.universe

    @cached_property
    def classes(self) -> ResidueClasses:
        """The updates by the last binary digits of their user, for distinct sampling."""
        return ResidueClasses.of(self.ids, self.universe)

    def __reduce__(self) -> tuple[Callable[..., FixedStream], tuple[Any, ...]]:
        return FixedStream.of, (self.ids, self.universe)


@dataclass(frozen=True, eq=False)
class Outputs:
    """Independent runs of an estimator on one stream.

    Attributes
    ----------
    outputs
        The output of each run, shape ``(runs,)``.
    sampled_densities
        d(S_M) of each run, shape ``(runs,)``: the part of the sampled users that appear. For distinct sampling
        the users that qualify at the final level are the sample; if no user qualifies, it is not a number.
    """

    outputs: NDArray[np.float64]
    sampled_densities: NDArray[np.float64]
