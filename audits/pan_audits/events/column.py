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
    def sides(self) -> tuple[Floats, ...]:
        """The values of each stream that are not missing; a stream without any is left out."""
        if not self.missing:
            return (self.left, self.right) if self.runs else ()
        return tuple(kept for side in (self.left, self.right) if (kept := side[~np.isnan(side)]).size)
