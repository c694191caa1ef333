"""One feature on both streams: the numbers from which a comparison chooses the values that are tried."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pan_audits.events.names import LIKELIHOOD_RATIO
from pan_audits.events.table import Floats

_QUANTILES = np.linspace(0, 1, 14)[1:-1]
_FINE_QUANTILES = np.concatenate([[0.005, 0.01], np.linspace(0, 1, 51)[1:-1], [0.99, 0.995]])
"""For the likelihood ratio alone: its sets are nested, so that many of them hardly fit better by chance than a few."""

_TAILS = np.array([0.01, 0.02, 0.04])
_ALL_QUANTILES = np.unique(np.concatenate([_TAILS, _QUANTILES, 1 - _TAILS]))
"""A loss may show in a tail alone."""

_RUNS_FOR_FINE_QUANTILES = 512

NO_VALUES = np.zeros(0)
"""For a comparison that is not tried."""

ONE_VALUE = np.zeros(1)
"""For a comparison that is tried and uses no value."""


@dataclass(frozen=True, eq=False)
class Column:
    """One feature of equally many runs on the two streams.

    Attributes
    ----------
    name
        Name of the feature.
    left, right
        Its values on the two streams; NaN where a run lacks it.
    learned
        Whether it is a learned score, whose single values mean nothing to a reader.
    """

    name: str
    left: Floats
    right: Floats
    learned: bool = False

    @property
    def runs(self) -> int:
        """Number of runs on each stream."""
        return self.left.size

    @cached_property
    def present(self) -> Floats:
        """All values of both streams that are not missing, in ascending order."""
        pooled = np.concatenate([self.left, self.right])
        absent = np.isnan(pooled)
        return np.sort(pooled[~absent] if absent.any() else pooled)

    @property
    def missing(self) -> bool:
        """Whether a run lacks the feature."""
        return self.present.size < self.left.size + self.right.size

    @cached_property
    def varies(self) -> bool:
        """Whether there are two different values, apart from missing ones."""
        return bool(self.present.size and self.present[0] != self.present[-1])

    @cached_property
    def quantiles(self) -> Floats:
        """Quantiles of the values of both streams; the column must vary."""
        if self.runs < _RUNS_FOR_FINE_QUANTILES:
            grid = _QUANTILES
        else:
            grid = _FINE_QUANTILES if self.name == LIKELIHOOD_RATIO else _ALL_QUANTILES
        return np.unique(self.present[(grid * (self.present.size - 1)).astype(np.int64)])

    @cached_property
    def gaps(self) -> Floats:
        """Numbers in the gaps at both ends of the longest stretch of values of one stream, for each stream.

        A threshold in a gap separates later runs better than the last value before it. A small gap is halved. A large
        one is divided near the narrower of its two stretches, in proportion to the root of its size: the values may
        have several orders of magnitude. Of many runs, the quantiles are close enough.
        """
        if self.runs >= _RUNS_FOR_FINE_QUANTILES:
            return NO_VALUES
        values = np.concatenate([self.left, self.right])
        order = np.argsort(values, kind="stable")[: self.present.size]
        values, ours = values[order], order < self.left.size
        last = np.flatnonzero(np.append(ours[1:] != ours[:-1], True))
        first = np.append(0, last[:-1] + 1)
        longest = [np.argmax((last - first + 1) * (ours[first] == side)) for side in (True, False)]
        places = np.unique([place for each in longest for place in (each - 1, each) if 0 <= place < last.size - 1])
        places = places.astype(np.int64)
        lower, upper = values[last[places]], values[first[places + 1]]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            width = values[last] - values[first]
            size, narrow = upper - lower, np.minimum(width[places], width[places + 1])
            step = np.where(narrow > 0, size / (1 + np.sqrt(1 + size / narrow)), size / 2)
            found = np.where(width[places] <= width[places + 1], lower + step, upper - step)
            whole = (lower == np.rint(lower)) & (upper == np.rint(upper))
            found = np.where(whole, np.floor(found), found)
            return np.asarray(found[(lower <= found) & (found < upper)])

    @cached_property
    def sides(self) -> tuple[Floats, ...]:
        """The values of each stream that are not missing; a stream without any is left out."""
        if not self.missing:
            return (self.left, self.right) if self.runs else ()
        return tuple(kept for side in (self.left, self.right) if (kept := side[~np.isnan(side)]).size)
