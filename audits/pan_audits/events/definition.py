"""Definitions of derived columns: data that can be written down.

The form of a definition: how a derived column is computed, as data that can be written down.

Polynomials: the definitions of derived columns that a reader can compute by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pan_audits.events.table import Floats, Table
from pan_audits.judging.reading import Field


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
        """JSON-ready: its ``name`` and its contents.

        A definition that is no polynomial also writes ``kind``, the name of the feature that reads it.
        """


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
