"""A stream that stays the same for many runs, prepared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.density.experiments.simulation.residue_classes import ResidueClasses
from pan_promises.errors import InputError, require_count

_LARGEST = 10**9
"""Numpy's hypergeometric distribution goes no further; an index of a user fits 32 bits."""


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
        """Prepare a stream.

        Parameters
        ----------
        ids
            Indices of the users in time order, integers from 0 to ``universe - 1``, shape ``(T,)``. Ids of another
            kind are translated by ``encode`` of their universe.
        universe
            Number of users U, at most a thousand million.

        Raises
        ------
        InputError
            If an index is not an integer, or lies outside the universe.
        """
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
