"""All single conditions that are tried, and the runs in which each of them holds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_audits.events.column import Column
from pan_audits.events.comparisons import COMPARISONS, Comparison
from pan_audits.events.event import Condition
from pan_audits.events.names import is_mark
from pan_audits.events.table import Floats, Table
from pan_audits.judging.reading import LARGEST_NUMBER

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Literals:
    """Single conditions, one for each row.

    Attributes
    ----------
    conditions
        Feature by feature, comparison by comparison.
    left, right
        Whether each condition (row) holds in each run (column) on the two streams.
    """

    conditions: tuple[Condition, ...]
    left: Bools
    right: Bools

    @property
    def runs(self) -> int:
        """Number of runs on each stream."""
        return int(self.left.shape[1])

    @classmethod
    def of(cls, left: Table, right: Table, learned: Collection[str]) -> Literals:
        """The conditions that are tried on two tables with the same columns."""
        conditions: list[Condition] = []
        empty = np.zeros((0, left.runs), dtype=np.bool_)
        ours, theirs = [empty], [empty]
        # A comparison with NaN is no error. The state is set once, as that takes longer than a small comparison.
        with np.errstate(invalid="ignore"):
            # A mark says more than the absence of a number.
            for place, name in sorted(enumerate(left.names), key=lambda one: not is_mark(one[1])):
                column = Column(name, left.values[:, place], right.values[:, place], name in learned)
                for comparison in COMPARISONS:
                    values = _writable(comparison.values(column))
                    if values.size:
                        conditions += [Condition(name, comparison.name, float(value)) for value in values]
                        ours.append(_hold(comparison, values, column.left))
                        theirs.append(_hold(comparison, values, column.right))
        return cls(tuple(conditions), np.concatenate(ours), np.concatenate(theirs))


def _writable(values: Floats) -> Floats:
    """The values as numbers that a document may hold.

    An infinite feature still lies beyond the largest of them. A condition ``==`` never holds for it, and ``>`` or ``<``
    takes its place.
    """
    return np.clip(values, -LARGEST_NUMBER, LARGEST_NUMBER)


def _hold(comparison: Comparison, values: Floats, column: Floats) -> Bools:
    """Rows: the conditions with these values; columns: the runs."""
    return np.asarray(comparison.holds(column[None, :], values[:, None]), dtype=np.bool_)
