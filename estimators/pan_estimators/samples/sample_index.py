"""The index of a sample: the place of a user in a few nanoseconds, compiled or written with numpy.

Listing the members of a keyed sample takes about as long as looking up as many ids by the key. The index is made
after as many look-ups, so that the time is at most twice the least possible. It is kept as long as the sample
itself. It is a function of the sample, which is part of the state and was chosen before the stream. It
does not depend on the ids. It takes about 30 bytes for each sampled user while the sample is in use.

Compiled, it is a filter of bits and a table of places; without numba, a filter of bytes and a sorted list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.kernels.plain import pieces
from pan_estimators.samples.keyed_sample import RANKED, KeyedSample

Words = NDArray[np.uint64]
Places = NDArray[np.int64]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""Odd, and 2**64 divided by the golden ratio: the multiplicative hash of the compiled loops."""
_BYTES = 16
"""Least number of bytes of the filter for each member, up to the largest filter."""
_SMALLEST_BYTES, _LARGEST_BYTES = 16, 24
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
        bits = min(max((_BYTES * words.size - 1).bit_length(), _SMALLEST_BYTES), _LARGEST_BYTES)
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


LARGE = 2**16
"""From this number of ids on, the loops are used, compiled or not. Numba is not imported for fewer ids."""
KEPT_UP_TO = 2**22
"""The largest sample whose index is kept."""
_MOST = 2**30
"""The largest sample that is indexed for one batch."""
_LIST = 32
"""Number of members that can be indexed in the time of one search in a list."""
_FILTER, _SLOTS = 16, 2
"""Least number of bits of the filter, and of slots of the table, for each member."""
_ROOM = 2**10
"""Number of ids that are filtered at a time, before those that pass are looked up."""
_SMALLEST_FILTER = 17
"""Logarithm of the bits of the smallest filter. It fits the first-level cache easily."""


class Members(Protocol):
    """The sampled users, in which each has a place."""

    @property
    def size(self) -> int:
        """Number of sampled users m."""
        ...

    def positions(self, indices: NDArray[Any]) -> Places:
        """The place of every index in ``indices``, or -1 for an index that is not sampled."""
        ...

    def members(self) -> NDArray[Any]:
        """The sampled indices in the order of their places."""
        ...


class Index(Protocol):
    """The look-up of the members of a sample, faster than by the sample itself."""

    @property
    def members(self) -> Words:
        """By place, shape ``(m,)``."""
        ...

    @property
    def position(self) -> Callable[[int], int]:
        """The function that finds the place of one user, or -1."""
        ...

    def positions(self, users: NDArray[Any]) -> Places:
        """The place of every user, or -1."""
        ...

    def mark(
        self, ids: Words, first: Any, size: Any, marks: NDArray[np.uint8], values: NDArray[np.uint8], step: int
    ) -> bool:
        """Set the mark of every member among the ids to the value of its last id.

        Return whether all ids are in range.
        """
        ...


def index_of(members: NDArray[Any]) -> Index:
    """The index of distinct users, fewer than ``2**31``: compiled, or written with numpy."""
    return SampleIndex.of(members) if kernels.compiling() else SortedIndex.of(members)


@dataclass(frozen=True, eq=False)
class SampleIndex:
    """The index of a sample for compiled loops.

    Attributes
    ----------
    members
        By place, shape ``(m,)``.
    filter_shift, filter_words
        The address of a user in the filter is the product of the user with a constant, without its last
        ``filter_shift`` bits. The bits of all members are set.
    slot_shift, slots
        The same for the table. The place of a member is written in its slot, or in the next free one.
    position
        The function that finds the place of one user, or -1.
    """

    members: Words
    filter_shift: np.uint64
    filter_words: Words
    slot_shift: np.uint64
    slots: NDArray[np.int32]
    position: Callable[[int], int]

    @classmethod
    def of(cls, members: NDArray[Any]) -> SampleIndex:
        """The index of distinct users, fewer than ``2**31``."""
        # The import of numba is slow, so that it waits until the first use.
        from pan_estimators.kernels.marking import EMPTY, find_place, index

        words = members.astype(np.uint64, copy=False)
        filter_bits = max(_SMALLEST_FILTER, _logarithm(_FILTER * words.size))
        slot_bits = _logarithm(_SLOTS * words.size)
        filter_words = np.zeros(2**filter_bits // 64, dtype=np.uint64)
        slot_shift, slots = np.uint64(64 - slot_bits), np.full(2**slot_bits, EMPTY, dtype=np.int32)

        def position(user: int) -> int:
            place: int = find_place(user, words, slot_shift, slots)
            return place

        made = cls(words, np.uint64(64 - filter_bits), filter_words, slot_shift, slots, position)
        index(*made.table)
        return made

    @property
    def table(self) -> tuple[Words, np.uint64, Words, np.uint64, NDArray[np.int32]]:
        """The arguments of the compiled loops."""
        return self.members, self.filter_shift, self.filter_words, self.slot_shift, self.slots

    def positions(self, users: NDArray[Any]) -> Places:
        """The place of every user, or -1."""
        from pan_estimators.kernels.marking import find_places

        words, places = np.ascontiguousarray(users, dtype=np.uint64), np.empty(users.size, dtype=np.int64)
        find_places(words, *self.table, places)
        return places

    def mark(
        self, ids: Words, first: Any, size: Any, marks: NDArray[np.uint8], values: NDArray[np.uint8], step: int
    ) -> bool:
        """As :meth:`Index.mark`."""
        from pan_estimators.kernels.marking import mark_sampled

        room = np.empty(_ROOM, dtype=np.int64)
        return bool(mark_sampled(ids, first, size, *self.table, marks, values, step, room))


_kept: WeakKeyDictionary[KeyedSample, Index] = WeakKeyDictionary()
_asked: WeakKeyDictionary[KeyedSample, int] = WeakKeyDictionary()
_latest: tuple[Callable[[], KeyedSample | None], Callable[[], Index | None]] = (lambda: None, lambda: None)
"""The last sample and its index. Look-ups of single ids are faster with it."""


def index_for(sample: Members, ids: int) -> Index | None:
    """The index of a sample for a look-up of ``ids`` ids, or ``None`` if it costs more than it saves."""
    if not isinstance(sample, KeyedSample):
        pays = ids >= LARGE and sample.size <= min(_MOST, _LIST * ids)
        return index_of(sample.members()) if pays else None
    of, latest = _latest
    if of() is sample and (found := latest()) is not None:
        return found
    if ids < LARGE and sample.population <= RANKED:
        return None  # The sample itself has a table.
    if sample in _kept:
        return kept_index(sample)
    if sample.size > KEPT_UP_TO:
        return index_of(sample.members()) if LARGE <= 2 * sample.size <= min(_MOST, ids) else None
    asked = _asked.get(sample, 0) + ids
    if asked >= max(sample.size, LARGE):
        return kept_index(sample)
    _asked[sample] = asked
    return None


def kept_index(sample: KeyedSample) -> Index:
    """The index of a keyed sample. It is kept as long as the sample."""
    global _latest
    index = _kept.get(sample)
    if index is None:
        index = _kept[sample] = index_of(sample.members())
        _asked.pop(sample, None)
    _latest = ref(sample), ref(index)
    return index


def _logarithm(number: int) -> int:
    """The least whole number whose power of two is not less."""
    return (number - 1).bit_length()
