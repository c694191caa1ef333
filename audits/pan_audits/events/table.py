"""Observations as a table of numbers, and the names of its columns.

Names of columns that the learner knows.

Observations as numbers: one row for each run, one named column for each feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LIKELIHOOD_RATIO = "log-likelihood ratio"
"""Column with the exact log-likelihood ratio of left against right, where the mechanism has one."""

LIKELIHOOD = "log-likelihood"
"""The beginning of the names of columns that a trusted capability computes from the whole observation."""

OUTPUT = "output"
"""The name of a single output, and the beginning of the names of several; all other columns belong to states."""

_STATED = (" is NaN", " is infinite", " is -infinite", " is None")
_RAISED = " raised "


def mark_of(label: str, value: float) -> str:
    """The name of the column that marks the runs in which a number is not finite."""
    return label + (_STATED[0] if value != value else _STATED[1] if value > 0 else _STATED[2])


def none_of(label: str) -> str:
    """The name of the column that marks the runs in which a part is ``None``."""
    return label + _STATED[3]


def error_of(label: str, kind: str) -> str:
    """The name of the column that marks the runs in which an error of some kind took the place of a part."""
    return f"{label}{_RAISED}{kind}"


def is_mark(name: str) -> bool:
    """Whether a column marks runs: its name is a statement, which is false for the runs without the column."""
    return name.endswith(_STATED) or _RAISED in name


def opposite(mark: str) -> str:
    """The opposite of the statement of a mark."""
    if mark.endswith(_STATED):
        return " is not ".join(mark.rsplit(" is ", 1))
    return " did not raise ".join(mark.rsplit(_RAISED, 1))


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length; a feature that a run lacks is NaN.

    Attributes
    ----------
    names
        Names of the columns.
    values
        Shape ``(runs, columns)``.
    """

    names: tuple[str, ...]
    values: Floats

    @property
    def runs(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    def column(self, name: str) -> Floats:
        """One column; all NaN if the table has none of that name."""
        if name in self.names:
            return self.values[:, self.names.index(name)]
        return np.full(self.runs, np.nan)

    def rows(self, start: int, stop: int) -> Table:
        """The runs from ``start`` to ``stop - 1``."""
        return Table(self.names, self.values[start:stop])

    def last(self, runs: int) -> Table:
        """The last runs, without the memory of the others."""
        return Table(self.names, self.values[-runs:].copy())

    def with_column(self, name: str, column: Floats) -> Table:
        """The same table with one more column."""
        return Table((*self.names, name), np.column_stack([self.values, column]))

    def select(self, names: Sequence[str]) -> Table:
        """The columns ``names`` in that order, NaN for a missing one."""
        if tuple(names) == self.names:
            return self
        columns = [np.empty((self.runs, 0)), *(self.column(name) for name in names)]
        return Table(tuple(names), np.column_stack(columns))

    @staticmethod
    def from_rows(rows: Sequence[Mapping[str, float]]) -> Table:
        """One row for each mapping; the columns are all names that occur, in order of appearance."""
        names: dict[str, int] = {}
        for row in rows:
            for name in row:
                names.setdefault(name, len(names))
        values = np.full((len(rows), len(names)), np.nan)
        if len(names) and all(len(row) == len(names) for row in rows):
            values[:] = [[row[name] for name in names] for row in rows]
        else:
            for number, row in enumerate(rows):
                for name, value in row.items():
                    values[number, names[name]] = value
        return Table(tuple(names), values)

    @staticmethod
    def concatenate(tables: Iterable[Table]) -> Table:
        """All runs of several tables, in order."""
        parts = list(tables)
        names = tuple(dict.fromkeys(name for part in parts for name in part.names))
        return Table(names, np.concatenate([part.select(names).values for part in parts]))
