"""Elements as texts: each gets a number, by a table of keyed hashes that holds no text."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.continual.sorted_hashes import HASH_BITS, Hashes, SortedHashes
from pan_audits.sources.strings import bytes_of
from pan_estimators.universes.columns import Strings
from pan_estimators.universes.hashed_cells import hashed_cells
from pan_promises.errors import InputError, StateFileError

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
