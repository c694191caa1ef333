"""Elements as texts: each gets a number, by a table of keyed hashes that holds no text.

The hashes stand in order, in 6 bytes each: the upper bits of a hash follow from its place.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.universes.columns import Strings, bytes_of
from pan_estimators.universes.hashed_cells import hashed_cells
from pan_promises.errors import InputError, StateFileError

HASH_BITS = 62
_STORED_BITS = 48
_FEWEST_BUCKETS = HASH_BITS - _STORED_BITS
"""The logarithm of the least number of buckets: a hash has no further bits."""
_IN_A_BUCKET = 4
"""The logarithm of the mean number of hashes in a bucket, at least, if there are many."""
_AT_ONCE = 2**12
"""The number of hashes that are searched at once. A search needs many bytes for each."""

Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]


@dataclass(eq=False)
class SortedHashes:
    """Different whole numbers below ``2**62`` in order, each with a number of its own.

    The upper bits of a hash are its bucket. A bucket holds its hashes in order, by their lower 48 bits.

    Attributes
    ----------
    starts
        The place at which each bucket begins, and the number of all hashes.
    middle, low
        Bits 32 to 47 of each hash, and bits 0 to 31.
    numbers
        The number of each hash.
    """

    starts: NDArray[np.int32]
    middle: NDArray[np.uint16]
    low: NDArray[np.uint32]
    numbers: NDArray[np.int32]

    @classmethod
    def of(cls, hashes: Hashes, numbers: NDArray[np.int32]) -> SortedHashes:
        """Hashes that are in order already."""
        starts = np.searchsorted(hashes, _bounds(hashes.size)).astype(np.int32)
        middle = (hashes >> np.uint64(32)).astype(np.uint16)
        return cls(np.append(starts, np.int32(hashes.size)), middle, hashes.astype(np.uint32), numbers)

    def __len__(self) -> int:
        return self.low.size

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        return self.starts.nbytes + self.middle.nbytes + self.low.nbytes + self.numbers.nbytes

    def hashes(self) -> Hashes:
        """All hashes, in order."""
        buckets = np.arange(self.starts.size - 1, dtype=np.uint64) << np.uint64(HASH_BITS - self._bits)
        return np.repeat(buckets, np.diff(self.starts)) | self._stored(slice(None))

    def find(self, hashes: Hashes) -> tuple[Places, NDArray[np.bool_]]:
        """The place of each hash, and whether the hash is known."""
        places, ends = self._search(hashes)
        there = places < ends
        there[there] = self._stored(places[there]) == _lower(hashes[there])
        return places, there

    def take_in(self, others: SortedHashes) -> None:
        """Add other hashes, all different from these. Each column is freed before the next one is joined."""
        total = len(self) + len(others)
        own = np.ones(total, dtype=np.bool_)
        for start in range(0, len(others), _AT_ONCE):
            places = np.arange(start, min(start + _AT_ONCE, len(others)))
            own[self._search(others._hashes_at(places))[0] + places] = False
        starts = np.append(self._starts_for(total) + others._starts_for(total), np.int32(total))
        for kind in ("middle", "low", "numbers"):
            column = np.empty(total, dtype=getattr(self, kind).dtype)
            for group in (self, others):
                column[own] = getattr(group, kind)
                np.logical_not(own, out=own)
            setattr(self, kind, column)
        self.starts = starts

    @property
    def _bits(self) -> int:
        """The logarithm of the number of buckets."""
        return (self.starts.size - 1).bit_length() - 1

    def _stored(self, places: Places | slice) -> Hashes:
        """The lower bits of the hashes at these places."""
        return self.middle[places].astype(np.uint64) << np.uint64(32) | self.low[places]

    def _hashes_at(self, places: Places) -> Hashes:
        """The hashes at these places."""
        buckets = np.searchsorted(self.starts, places, side="right") - 1
        return buckets.astype(np.uint64) << np.uint64(HASH_BITS - self._bits) | self._stored(places)

    def _starts_for(self, size: int) -> NDArray[np.int32]:
        """The number of hashes before each bucket of a group of this size."""
        bounds = _bounds(size)
        counts = np.empty(bounds.size, dtype=np.int32)
        for start in range(0, bounds.size, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            counts[part] = self._search(bounds[part])[0]
        return counts

    def _search(self, hashes: Hashes) -> tuple[Places, Places]:
        """The number of smaller hashes, for each one, and the place at which its bucket ends."""
        buckets = (hashes >> np.uint64(HASH_BITS - self._bits)).astype(np.int64)
        low, ends = self.starts[buckets].astype(np.int64), self.starts[buckets + 1].astype(np.int64)
        wanted, high = _lower(hashes), ends.copy()
        for _ in range(int((ends - low).max(initial=0)).bit_length()):
            middle = (low + high) >> 1
            # Where nothing is left to search, the two bounds are equal and stay so.
            smaller = (low < high) & (self._stored(np.minimum(middle, len(self) - 1)) < wanted)
            low = np.where(smaller, middle + 1, low)
            high = np.where(smaller, high, middle)
        return low, ends


def _lower(hashes: Hashes) -> Hashes:
    return hashes & np.uint64((1 << _STORED_BITS) - 1)


def _bounds(size: int) -> Hashes:
    """The smallest hash of each bucket."""
    bits = max(_FEWEST_BUCKETS, size.bit_length() - 1 - _IN_A_BUCKET)
    return np.arange(1 << bits, dtype=np.uint64) << np.uint64(HASH_BITS - bits)


KEY_BYTES = 16
_MOST = 2**31 - 2
"""Largest number of elements: that of a counter."""
_RATIO = 4
_SMALLEST = 2**14
"""A group of hashes is joined with the one before, unless that has 4 times as many, and 4 times this number."""


class ElementNumbers:
    """Numbers the elements of a stream in the order in which they first appear.

    The table holds a hash of 62 bits for each element (BLAKE2b with a secret random key), not its text. Two elements
    with the same hash would be counted as one. For n elements this happens with a probability of at most
    ``n**2 / 2**63``: 1.1e-7 for a million elements. The promise holds in that case too, since the entries of one
    element stay together, and the key does not depend on the stream.

    An element has 10 to 10.3 bytes, beyond a few groups of 64 kilobytes, and 5 to 9 more while groups are joined. The
    hashes stand in groups, each in order. New ones are a group of their own, and groups of similar size are joined.
    """

    def __init__(self, key: bytes | None = None, known: Hashes | None = None) -> None:
        self.key = os.urandom(KEY_BYTES) if key is None else key
        self._count = 0
        self._groups: list[SortedHashes] = []
        if known is not None and known.size:
            if int(known.min()) < 1 or int(known.max()) > 2**HASH_BITS or np.unique(known).size < known.size:
                raise StateFileError("the state has hashes of elements that are out of range or not different")
            self._add(known - np.uint64(1), np.arange(known.size))

    def __len__(self) -> int:
        return self._count

    @property
    def bytes_held(self) -> int:
        """The size of the table in bytes."""
        return sum(group.nbytes for group in self._groups)

    def of(self, texts: Any) -> NDArray[np.int64]:
        """The numbers of elements, from 0 on."""
        text, ends = bytes_of(texts)
        hashes = hashed_cells(Strings(text, ends), 2**HASH_BITS, self.key).astype(np.uint64) + np.uint64(1)
        return self.of_hashes(hashes)

    def of_hashes(self, hashes: Hashes) -> NDArray[np.int64]:
        """The numbers of elements by their hashes, which lie between 1 and 2**62."""
        wanted = hashes - np.uint64(1)
        found = np.empty(wanted.size, dtype=np.int64)
        left = np.arange(wanted.size)
        for group in self._groups:
            places, there = group.find(wanted[left])
            found[left[there]] = group.numbers[places[there]]
            left = left[~there]
        if left.size:
            new, first, which = np.unique(wanted[left], return_index=True, return_inverse=True)
            ranks = np.empty(new.size, dtype=np.int64)
            ranks[np.argsort(first)] = np.arange(new.size)
            found[left] = self._count + ranks[which]
            self._add(new, ranks)
        return found

    def hashes(self) -> Hashes:
        """The hashes of all elements, in the order of their numbers."""
        found = np.empty(self._count, dtype=np.uint64)
        for group in self._groups:
            found[group.numbers] = group.hashes() + np.uint64(1)
        return found

    def _add(self, new: Hashes, ranks: NDArray[np.int64]) -> None:
        """Give the next numbers to new hashes, all different, by their ranks."""
        if self._count + new.size > _MOST:
            raise InputError(f"a stream may have at most {_MOST} elements (the largest number of one in a counter)")
        order = np.argsort(new)
        group = SortedHashes.of(new[order], (self._count + ranks[order]).astype(np.int32))
        self._count += new.size
        while self._groups and len(self._groups[-1]) < _RATIO * max(len(group), _SMALLEST):
            smaller, larger = sorted((group, self._groups.pop()), key=len)
            larger.take_in(smaller)
            group = larger
        self._groups.append(group)
