"""The index of a sample without compiled loops: a filter of bytes, and a sorted list of the members.

It finds the same places as :class:`pan_estimators.samples.sample_index.SampleIndex`, in more time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.kernels.plain import pieces

Words = NDArray[np.uint64]
Places = NDArray[np.int64]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""Odd, and 2**64 divided by the golden ratio: the multiplicative hash of the compiled loops."""
_FILTER = 16
"""Least number of bytes of the filter for each member, up to the largest filter."""
_SMALLEST_FILTER, _LARGEST_FILTER = 16, 24
"""Logarithms of the bytes of the smallest and of the largest filter."""


@dataclass(frozen=True, eq=False)
class SortedIndex:
    """The index of a sample for numpy.

    Attributes
    ----------
    members
        By place, shape ``(m,)``.
    shift, filter
        The address of a user in the filter is the product of the user with a constant, without its last ``shift``
        bits. The bytes of all members are set, and few others.
    listed, order
        The sorted members, and the place of each.
    """

    members: Words
    shift: np.uint64
    filter: NDArray[np.bool_]
    listed: Words
    order: Places

    @classmethod
    def of(cls, members: NDArray[Any]) -> SortedIndex:
        """The index of distinct users."""
        words = np.ascontiguousarray(members, dtype=np.uint64)
        bits = min(max((_FILTER * words.size - 1).bit_length(), _SMALLEST_FILTER), _LARGEST_FILTER)
        shift, passing = np.uint64(64 - bits), np.zeros(2**bits, dtype=np.bool_)
        passing[(words * _SPREAD) >> shift] = True
        order = np.argsort(words)
        return cls(words, shift, passing, words[order], order)

    def position(self, user: int) -> int:
        """The place of one user, or -1."""
        word = np.uint64(user)
        rank = int(self.listed.searchsorted(word))
        return int(self.order[rank]) if rank < self.listed.size and self.listed[rank] == word else -1

    def positions(self, users: NDArray[Any]) -> Places:
        """The place of every user, or -1."""
        words, places = np.ascontiguousarray(users, dtype=np.uint64), np.full(users.size, -1)
        for part in pieces(words.size):
            passed, found = self._found(words[part])
            places[part][passed] = found
            found.fill(0)
        return places

    def mark(
        self, ids: Words, first: Any, size: Any, marks: NDArray[np.uint8], values: NDArray[np.uint8], step: int
    ) -> bool:
        """Set the mark of every member among the ids to the value of its last id; return whether all are in range."""
        for part in pieces(ids.size):
            users = ids[part] - first
            inside = bool((users < size).all())
            if inside:
                passed, found = self._found(users)
                marks[found] = values[part][passed] if step else values[0]
                found.fill(0)
            users.fill(0)
            if not inside:
                return False
        return True

    def _found(self, users: Words) -> tuple[Places, Places]:
        """The positions of the members among the users, and their places."""
        passed = np.flatnonzero(self.filter[(users * _SPREAD) >> self.shift])
        known = users[passed]
        ranks = np.minimum(self.listed.searchsorted(known), self.listed.size - 1)
        member = self.listed[ranks] == known
        known.fill(0)
        return passed[member], self.order[ranks[member]]
