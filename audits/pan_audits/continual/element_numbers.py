"""Elements as texts: each gets a number, by a table of keyed hashes that holds no text."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.sources.strings import bytes_of
from pan_estimators.universes.columns import Strings
from pan_estimators.universes.hashed_cells import hashed_cells
from pan_promises.errors import InputError, StateFileError

HASH_BITS = 62
KEY_BYTES = 16
_MOST = 2**31 - 2
"""Largest number of elements: that of a counter."""
_FULL = 0.9
"""The share of full places at which the table grows."""
_GROWTH = 1.15
_SMALLEST = 1024
_TAIL = 256
"""Places after the last home, so that a search never goes round."""

Hashes = NDArray[np.uint64]


class ElementNumbers:
    """Numbers the elements of a stream in the order in which they first appear.

    The table holds a hash of 62 bits for each element (BLAKE2b with a secret random key), not its text. Two elements
    with the same hash would be counted as one. For n elements this happens with a probability of at most
    ``n**2 / 2**63``: 1.1e-7 for a million elements. The promise holds in that case too, since the entries of one
    element stay together, and the key does not depend on the stream.

    A place of the table has 12 bytes. There are 13 to 16 bytes for an element, and more while the table grows.

    Parameters
    ----------
    key
        The secret key of the hash, 16 bytes; by default a new one.
    known
        The hashes of the elements that have numbers already, in the order of these numbers.

    Raises
    ------
    StateFileError
        If the known hashes are out of range, or two are equal.
    """

    def __init__(self, key: bytes | None = None, known: Hashes | None = None) -> None:
        self.key = os.urandom(KEY_BYTES) if key is None else key
        self._count = 0
        self._allot(_SMALLEST, _SMALLEST + _TAIL)
        if known is not None and known.size:
            if int(known.min()) < 1 or int(known.max()) > 2**HASH_BITS or np.unique(known).size < known.size:
                raise StateFileError("the state has hashes of elements that are out of range or not different")
            self._add(known)

    def __len__(self) -> int:
        return self._count

    @property
    def bytes_held(self) -> int:
        """The size of the table in bytes."""
        return self._hashes.nbytes + self._numbers.nbytes

    def of(self, texts: Any) -> NDArray[np.int64]:
        """The numbers of elements, from 0 on.

        Parameters
        ----------
        texts
            A column of Arrow with large strings, without missing ones.

        Raises
        ------
        InputError
            For more than 2**31 - 2 elements.
        """
        text, ends = bytes_of(texts)
        hashes = hashed_cells(Strings(text, ends), 2**HASH_BITS, self.key).astype(np.uint64) + np.uint64(1)
        return self.of_hashes(hashes)

    def of_hashes(self, hashes: Hashes) -> NDArray[np.int64]:
        """The numbers of elements by their hashes, which lie between 1 and 2**62.

        Parameters
        ----------
        hashes
            Shape ``(n,)``.

        Raises
        ------
        InputError
            For more than 2**31 - 2 elements.
        """
        places = self._search(hashes)
        unknown = np.flatnonzero(self._hashes[places] == 0)
        if unknown.size:
            new, first = np.unique(hashes[unknown], return_index=True)
            self._add(new[np.argsort(first)])
            places = self._search(hashes)
        return self._numbers[places].astype(np.int64)

    def hashes(self) -> Hashes:
        """The hashes of all elements, in the order of their numbers."""
        full = np.flatnonzero(self._hashes)
        found = np.empty(self._count, dtype=np.uint64)
        found[self._numbers[full]] = self._hashes[full]
        return found

    def _allot(self, homes: int, places: int) -> None:
        self._homes = homes
        self._hashes = np.zeros(places, dtype=np.uint64)
        self._numbers = np.zeros(places, dtype=np.int32)

    def _home(self, hashes: Hashes) -> NDArray[np.int64]:
        """The place at which the search for a hash begins. It does not decrease in the hash."""
        upper = (hashes - np.uint64(1)) >> np.uint64(HASH_BITS - 32)
        return ((upper * np.uint64(self._homes)) >> np.uint64(32)).astype(np.int64)

    def _search(self, hashes: Hashes) -> NDArray[np.int64]:
        """The place of each hash, or the free place at which its search ends."""
        places = self._home(hashes)
        going = np.arange(hashes.size)
        while going.size:
            found = self._hashes[places[going]]
            going = going[(found != 0) & (found != hashes[going])]
            places[going] += 1
        return places

    def _add(self, new: Hashes) -> None:
        """Give the next numbers to hashes, all different and new."""
        numbers = np.arange(self._count, self._count + new.size)
        if self._count + new.size > _MOST:
            raise InputError(f"a stream may have at most {_MOST} elements (the largest number of one in a counter)")
        self._count += new.size
        if self._count > _FULL * self._homes or not self._put(new, numbers):
            self._grow(new, numbers)

    def _put(self, new: Hashes, numbers: NDArray[np.int64]) -> bool:
        """Write hashes to free places. Return false if the last place is reached, which must stay free."""
        while new.size:
            places = self._search(new)
            # Of several hashes that want one place, one takes it.
            taken, first = np.unique(places, return_index=True)
            if taken[-1] >= self._hashes.size - 1:
                return False
            self._hashes[taken], self._numbers[taken] = new[first], numbers[first]
            rest = np.ones(new.size, dtype=np.bool_)
            rest[first] = False
            new, numbers = new[rest], numbers[rest]
        return True

    def _grow(self, new: Hashes, numbers: NDArray[np.int64]) -> None:
        """Make a larger table, with further hashes."""
        old = np.flatnonzero(self._hashes)
        # Some of the new hashes may stand in the table already.
        earlier = self._numbers[old] < numbers[0]
        hashes = np.concatenate([self._hashes[old[earlier]], new])
        every = np.concatenate([self._numbers[old[earlier]], numbers.astype(np.int32)])
        order = np.argsort(hashes)
        hashes, every = hashes[order], every[order]
        homes = max(int(self._homes * _GROWTH), int(hashes.size / _FULL * _GROWTH))
        # In the order of the hashes each one stands at its home, or right after the one before.
        steps = np.arange(hashes.size)
        self._homes = homes
        places = np.maximum.accumulate(self._home(hashes) - steps) + steps
        self._allot(homes, max(homes, int(places[-1])) + _TAIL)
        self._hashes[places], self._numbers[places] = hashes, every
