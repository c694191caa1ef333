"""Events: sets of observations that an intruder can name, compute, and write down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events.table import Floats, Table
from pan_audits.judging.reading import Field
from pan_promises.errors import InputError, shown, suggestion

Bools = NDArray[np.bool_]

COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<=": np.less_equal,
    "<": np.less,
    ">": np.greater,
    "==": np.equal,
    "nan": lambda column, value: np.isnan(column) & (value == value),
}
"""The comparisons of a column with a number, by name."""

_MOST_PARTS, _MOST_FACTORS = 1000, 16
"""Of an event that is read; a learned one has a few."""

_WORDS = {"<=": "is at most", ">": "is above", "<": "is below", "==": "is"}


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

    def __call__(self, table: Table) -> Floats:
        total = np.zeros(table.runs)
        for names, weight in self.terms:
            product = np.full(table.runs, weight)
            for name in names:
                product = product * table.column(name)
            total += product
        return total


@dataclass(frozen=True)
class Condition:
    """A comparison of one feature with a number; false where the feature is missing (except ``nan``)."""

    feature: str
    comparison: str
    value: float

    def __post_init__(self) -> None:
        if self.comparison not in COMPARISONS:
            raise InputError(f"unknown comparison {shown(self.comparison)}; {suggestion(self.comparison, COMPARISONS)}")

    def __call__(self, column: Floats) -> Bools:
        with np.errstate(invalid="ignore"):
            return np.asarray(COMPARISONS[self.comparison](column, self.value), dtype=np.bool_)

    def describe(self) -> str:
        """The condition in words."""
        if self.comparison == "nan":
            return f"{self.feature} is absent"
        return f"{self.feature} {_WORDS[self.comparison]} {self.value:.6g}"


@dataclass(frozen=True)
class Event:
    """A conjunction of conditions on features of what the intruder sees.

    Attributes
    ----------
    conditions
        All of them must hold; none at all is the sure event.
    derived
        Definitions of the features that are not seen directly, in the order of their dependence.
    """

    conditions: tuple[Condition, ...]
    derived: tuple[Polynomial, ...] = ()

    def __call__(self, table: Table) -> Bools:
        """Whether the event happened, for each run."""
        for polynomial in self.derived:
            table = table.with_column(polynomial.name, polynomial(table))
        inside = np.ones(table.runs, dtype=np.bool_)
        for condition in self.conditions:
            inside &= condition(table.column(condition.feature))
        return inside

    @property
    def features(self) -> frozenset[str]:
        """The columns of a table that decide whether it happened."""
        wanted = {condition.feature for condition in self.conditions}
        for polynomial in reversed(self.derived):
            if polynomial.name in wanted:
                wanted.remove(polynomial.name)
                wanted |= {name for names, _ in polynomial.terms for name in names}
        return frozenset(wanted)

    def describe(self) -> str:
        """The event in words."""
        return " and ".join(condition.describe() for condition in self.conditions) or "anything at all"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "description": self.describe(),
            "conditions": [[c.feature, c.comparison, c.value] for c in self.conditions],
            "derived": [
                {"name": p.name, "terms": [[list(names), weight] for names, weight in p.terms]} for p in self.derived
            ],
        }

    @classmethod
    def from_dict(cls, values: Field | Mapping[str, Any]) -> Event:
        """Read what :meth:`to_dict` wrote; :class:`InputError` names the place of what is no part of an event."""
        document = Field.of(values)
        return cls(
            tuple(_condition(one) for one in document["conditions"].items(most=_MOST_PARTS)),
            tuple(_polynomial(one) for one in document["derived"].items(most=_MOST_PARTS)),
        )


def _condition(field: Field) -> Condition:
    feature, comparison, value = field.items(least=3, most=3, what="a feature, a comparison and a number: a list")
    with comparison.placed():
        return Condition(feature.text(), comparison.text(), value.number())


def _polynomial(field: Field) -> Polynomial:
    terms = []
    for term in field["terms"].items(most=_MOST_PARTS):
        names, weight = term.items(least=2, most=2, what="names and a weight: a list")
        terms.append((tuple(name.text() for name in names.items(most=_MOST_FACTORS)), weight.number()))
    return Polynomial(field["name"].text(), tuple(terms))
