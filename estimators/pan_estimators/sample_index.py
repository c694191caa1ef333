"""The index of a sample: a filter and a table, in which the place of a user is found in a few nanoseconds.

To list the members of a keyed sample takes about as long as to look up as many ids by the key. The index is made when
as many ids have been asked for, so that never more than twice the least time is spent, and kept as long as the
sample itself. It is a function of the sample, which is part of the state and was chosen before the stream; nothing
in it depends on the ids. It takes some 30 bytes for each sampled user while the sample is in use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from pan_estimators.keyed_sample import RANKED, KeyedSample

Words = NDArray[np.uint64]
Places = NDArray[np.int64]

LARGE = 2**16
"""From so many ids on the compiled loops are used; numba is not imported for fewer."""
KEPT_UP_TO = 2**22
"""The largest sample whose index is kept."""
_MOST = 2**30
"""The largest sample that is indexed for one batch."""
_LIST = 32
"""A list of so many members is indexed in the time in which one id is searched for in it."""
_FILTER, _SLOTS = 16, 2
"""Least number of bits of the filter, and of slots of the table, for each member."""
_SMALLEST_FILTER = 17
"""Logarithm of the bits of the smallest filter, which fits the first cache with room to spare."""


class Members(Protocol):
    """The sampled users, each with a place of its own."""

    @property
    def size(self) -> int:
        """Number of sampled users m."""
        ...

    def positions(self, indices: NDArray[Any]) -> Places:
        """The place of every index, or -1 where it is not sampled."""
        ...

    def members(self) -> NDArray[Any]:
        """The sampled indices in the order of their places."""
        ...


@dataclass(frozen=True, eq=False)
class SampleIndex:
    """Where the members of a sample are found.

    Attributes
    ----------
    members
        By place, shape ``(m,)``.
    filter_shift, filter_words
        Of the product of a user with a constant, so many bits are dropped to get the address of a bit in the filter;
        it is set for all members.
    slot_shift, slots
        The same for the slot of the table from which on the place of a member is written.
    position
        Finds the place of one user, or -1.
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
        # Numba is imported by those who need it.
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
        """What the compiled loops take."""
        return self.members, self.filter_shift, self.filter_words, self.slot_shift, self.slots

    def positions(self, users: NDArray[Any]) -> Places:
        """The place of every user, or -1."""
        from pan_estimators.kernels.marking import find_places

        words, places = np.ascontiguousarray(users, dtype=np.uint64), np.empty(users.size, dtype=np.int64)
        find_places(words, *self.table, places)
        return places


_kept: WeakKeyDictionary[KeyedSample, SampleIndex] = WeakKeyDictionary()
_asked: WeakKeyDictionary[KeyedSample, int] = WeakKeyDictionary()
_latest: tuple[Callable[[], KeyedSample | None], Callable[[], SampleIndex | None]] = (lambda: None, lambda: None)
"""The sample that was asked for last and its index, which single ids find sooner here."""


def index_for(sample: Members, ids: int) -> SampleIndex | None:
    """The index of a sample of which so many ids are to be looked up, or ``None`` if it costs more than it saves."""
    if not isinstance(sample, KeyedSample):
        pays = ids >= LARGE and sample.size <= min(_MOST, _LIST * ids)
        return SampleIndex.of(sample.members()) if pays else None
    of, latest = _latest
    if of() is sample and (found := latest()) is not None:
        return found
    if ids < LARGE and sample.population <= RANKED:
        return None  # Looked up in a table already.
    if sample in _kept:
        return kept_index(sample)
    if sample.size > KEPT_UP_TO:
        return SampleIndex.of(sample.members()) if LARGE <= 2 * sample.size <= min(_MOST, ids) else None
    asked = _asked.get(sample, 0) + ids
    if asked >= max(sample.size, LARGE):
        return kept_index(sample)
    _asked[sample] = asked
    return None


def kept_index(sample: KeyedSample) -> SampleIndex:
    """The index of a keyed sample, kept as long as it."""
    global _latest
    index = _kept.get(sample)
    if index is None:
        index = _kept[sample] = SampleIndex.of(sample.members())
        _asked.pop(sample, None)
    _latest = ref(sample), ref(index)
    return index


def _logarithm(number: int) -> int:
    """The least whole number whose power of two is not less."""
    return (number - 1).bit_length()
