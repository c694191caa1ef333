"""The hash of distinct sampling and the levels of users: paper, Section 5.1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.universe import Indices


@dataclass(frozen=True)
class LevelHash:
    """The hash ``h(u) = (multiplier u + increment) mod 2^Q`` of a user's index.

    Attributes
    ----------
    universe_size
        Number U of users.
    multiplier
        An odd number below ``2^Q``, so that the hash is a bijection modulo ``2^Q``.
    increment
        A number from 0 to ``2^Q - 1``.
    """

    universe_size: int
    multiplier: int
    increment: int

    @property
    def bits(self) -> int:
        """The number Q of bits of the hash."""
        return hash_bits(self.universe_size)

    def levels(self, users: Indices) -> Indices:
        """The level of each user: the number of zeros at the end of its hash, and Q for the hash 0."""
        if self.universe_size < users.size:
            return self.levels(np.arange(self.universe_size))[users]
        hashed = self._hashed(users)
        lowest_bit = hashed & (~hashed + np.uint64(1))
        zeros = np.log2(np.where(hashed == 0, np.uint64(1), lowest_bit).astype(np.float64)).astype(np.int64)
        return np.where(hashed == 0, self.bits, zeros)

    def qualify(self, users: Indices, level: int) -> NDArray[np.bool_]:
        """Whether each user has at least this level."""
        if level > self.bits:
            return np.zeros(users.size, dtype=np.bool_)
        if self.universe_size < users.size:
            return self.qualify(np.arange(self.universe_size), level)[users]
        return np.asarray(self._hashed(users) & np.uint64(2**level - 1) == 0)

    def _hashed(self, users: Indices) -> NDArray[np.uint64]:
        mask = np.uint64(2**self.bits - 1)
        return (users.astype(np.uint64) * np.uint64(self.multiplier) + np.uint64(self.increment)) & mask


def hash_bits(universe_size: int) -> int:
    """The number Q of bits of the hash, the least with ``U <= 2^Q``."""
    return (universe_size - 1).bit_length()
