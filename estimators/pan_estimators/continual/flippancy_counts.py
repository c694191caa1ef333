"""For each power of 2: the number of elements of at least this flippancy, and the count that this bound keeps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.existence import Changes


@dataclass(eq=False, slots=True)
class FlippancyCounts:
    """For each bound ``2**i``: the sum of the truncated existence vectors, and the number of elements that reach it.

    The last bound leaves nothing out.

    Attributes
    ----------
    present
        The sum of the existence vectors that Algorithm 1 counts with the bound ``2**i``, shape ``(bounds,)``.
    reached
        The number of elements of flippancy at least ``2**i``, shape ``(bounds,)``.
    """

    present: NDArray[np.int64]
    reached: NDArray[np.int64]

    @classmethod
    def of(cls, bounds: int) -> FlippancyCounts:
        """The numbers before the first entry."""
        return cls(np.zeros(bounds, dtype=np.int64), np.zeros(bounds, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class FollowedPart:
    """The numbers during some steps.

    Attributes
    ----------
    before
        The numbers before the first of these steps. They are not changed.
    changes
        The changes of existence in the steps.
    steps
        The number of steps.
    """

    before: FlippancyCounts
    changes: Changes
    steps: int

    def present(self, index: int) -> NDArray[np.int64]:
        """The sum of the existence vectors for the bound ``2**index`` after each step."""
        kept = self._kept_from <= index
        return self._summed(self.before.present[index], self.changes.steps[kept], self.changes.signs[kept])

    def reached(self, index: int) -> NDArray[np.int64]:
        """The number of elements of flippancy at least ``2**index`` after each step."""
        places = self.changes.steps[self.changes.reached == 2**index]
        return self._summed(self.before.reached[index], places, np.ones(places.size, dtype=np.int64))

    def after(self) -> FlippancyCounts:
        """The numbers after the last step."""
        bounds = self.before.present.size
        shares = np.bincount(self._kept_from, self.changes.signs, bounds).astype(np.int64)
        powers = np.int64(1) << np.arange(bounds)
        arrived = np.array([np.count_nonzero(self.changes.reached == power) for power in powers], dtype=np.int64)
        return FlippancyCounts(self.before.present + np.cumsum(shares), self.before.reached + arrived)

    @cached_property
    def _kept_from(self) -> NDArray[np.int64]:
        """The place of the least bound with which each change is counted.

        An element that exceeds the bound by disappearing disappears; by appearing it stays absent.
        """
        least = np.maximum(self.changes.reached - (self.changes.signs < 0), 1)
        powers = np.ceil(np.log2(least)).astype(np.int64)
        return np.asarray(np.minimum(powers, self.before.present.size - 1))

    def _summed(self, first: np.int64, places: NDArray[np.int64], amounts: NDArray[np.int64]) -> NDArray[np.int64]:
        moved = np.bincount(places, amounts, self.steps).astype(np.int64)
        return np.asarray(first + np.cumsum(moved))
