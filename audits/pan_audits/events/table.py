"""Observations as a table of numbers: one row for each run, one named column for each feature.

Further columns are derived from those that the adversary sees, by definitions that can be written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_audits.judging.reading import Field

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


def is_error(name: str) -> bool:
    """Whether a column marks the runs in which an error took the place of a part."""
    return _RAISED in name


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

    @property
    def varies(self) -> bool:
        """Whether two runs show something different. Without columns, nobody knows, and they may."""
        first = self.values[:1]
        same = (self.values == first) | (np.isnan(self.values) & np.isnan(first))
        return not self.names or not bool(same.all())

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


class Definition(Protocol):
    """The computation of a derived column from earlier columns. Equal definitions compare equal."""

    @property
    def name(self) -> str:
        """Name of the derived column."""

    @property
    def inputs(self) -> frozenset[str]:
        """Names of the columns that it reads."""

    def __call__(self, table: Table) -> Floats:
        """The column, for the rows of a table."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: its ``name``, its contents, and for all but polynomials the ``kind`` that reads it."""


_MOST_TERMS, _MOST_FACTORS = 1000, 16
"""Of a polynomial that is read; a learned one has fewer."""


@dataclass(frozen=True)
class Polynomial:
    """A derived feature: a polynomial in features that come before it.

    Attributes
    ----------
    name
        Name of the derived column.
    terms
        Pairs of a product of column names and its weight; the empty product is the constant.
    """

    name: str
    terms: tuple[tuple[tuple[str, ...], float], ...]

    @property
    def inputs(self) -> frozenset[str]:
        """Names of the columns in its terms."""
        return frozenset(name for names, _ in self.terms for name in names)

    def __call__(self, table: Table) -> Floats:
        total = np.zeros(table.runs)
        for names, weight in self.terms:
            product = np.full(table.runs, weight)
            for name in names:
                product = product * table.column(name)
            # The difference of two infinities is no number, and the feature is missing there.
            with np.errstate(invalid="ignore"):
                total += product
        return total

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"name": self.name, "terms": [[list(names), weight] for names, weight in self.terms]}

    @classmethod
    def from_field(cls, field: Field) -> Polynomial:
        """Read what :meth:`to_dict` wrote, from ``field``."""
        terms = []
        for term in field["terms"].items(most=_MOST_TERMS):
            names, weight = term.items(least=2, most=2, what="names and a weight: a list")
            terms.append((tuple(name.text() for name in names.items(most=_MOST_FACTORS)), weight.number()))
        return cls(field["name"].text(), tuple(terms))


def needed(wanted: Iterable[str], derived: Sequence[Definition]) -> tuple[tuple[Definition, ...], frozenset[str]]:
    """The definitions that some columns depend on, directly or not, in their order; and the columns that these read."""
    kept, names = [], set(wanted)
    for definition in reversed(derived):
        if definition.name in names:
            kept.append(definition)
            names = (names - {definition.name}) | definition.inputs
    return tuple(reversed(kept)), frozenset(names)
