"""A score: a bounded function of an observation, as data that can be written down and computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pan_audits.events.definition import Definition
from pan_audits.events.event import Event, definitions_in
from pan_audits.events.grids import Grid, Reading, grids_in, grids_to_dict
from pan_audits.events.polynomial import Polynomial
from pan_audits.events.table import Floats, Table
from pan_audits.judging.reading import Field
from pan_audits.statistics import MOST_HIGH

_FEW_TERMS = 4
"""Of a polynomial that is told in words."""


@dataclass(frozen=True)
class Score:
    """The function ``scale * column + offset``, cut to the limits ``low`` and ``high``.

    A run without the column, or with NaN there, gets the offset.

    Attributes
    ----------
    column
        The name of a column, seen or derived.
    scale, offset
        Finite numbers.
    low, high
        The limits, within 30 of 0.
    derived
        Definitions of the columns that are not seen directly, in the order of their dependence.
    grids
        As for an event.
    """

    column: str
    scale: float
    offset: float
    low: float
    high: float
    derived: tuple[Definition, ...] = ()
    grids: tuple[tuple[str, Grid], ...] = ()

    def __call__(self, table: Table) -> Floats:
        """The value for each run, within the limits."""
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.scale * self.raw(table) + self.offset
        return np.clip(np.where(np.isnan(values), self.offset, values), self.low, self.high)

    def raw(self, table: Table) -> Floats:
        """The column of each run, 0 where it is missing."""
        column = Event((), self.derived, self.grids).extended(table).column(self.column)
        return np.where(np.isnan(column), 0.0, column)

    @property
    def features(self) -> frozenset[str]:
        """The columns of a table that decide its value."""
        wanted = {self.column}
        for definition in reversed(self.derived):
            if definition.name in wanted:
                wanted.remove(definition.name)
                wanted |= definition.inputs
        return frozenset(wanted)

    def describe(self) -> str:
        """The score in words."""
        own = next((one for one in reversed(self.derived) if one.name == self.column), None)
        told = f"{self.scale:.6g} times the {self.column} {self.offset:+.6g}, cut to {self.low:.4g} .. {self.high:.4g}"
        if isinstance(own, Polynomial) and len(own.terms) <= _FEW_TERMS:
            sums = " ".join(" ".join([f"{weight:+.6g}", *names]) for names, weight in own.terms)
            told += f", where the {self.column} is {sums}"
        return told

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "description": self.describe(),
            "column": self.column,
            "scale": self.scale,
            "offset": self.offset,
            "low": self.low,
            "high": self.high,
            "derived": [definition.to_dict() for definition in self.derived],
        } | grids_to_dict(self.grids)

    def on(self, reading: Reading | None) -> Score:
        """The same score of numbers that are read in this way; by default, as they are."""
        return self if reading is None else replace(self, **reading.fields(self.features, self.derived))

    @classmethod
    def from_dict(cls, values: Field | Mapping[str, Any]) -> Score:
        """Read what :meth:`to_dict` wrote; :class:`InputError` names the place of what is no part of a score."""
        document = Field.of(values)
        low = document["low"].number(-MOST_HIGH, MOST_HIGH)
        return cls(
            document["column"].text(),
            document["scale"].number(),
            document["offset"].number(),
            low,
            document["high"].number(low, MOST_HIGH),
            definitions_in(document["derived"]),
            grids_in(document),
        )
