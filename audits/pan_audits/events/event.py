"""Events: sets of observations that an adversary can name, compute, and write down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events.comparisons import comparison_named
from pan_audits.events.grids import LOW_BITS, Grid, LowBits, Reading, grids_in, grids_to_dict, rounded
from pan_audits.events.table import Definition, Floats, Polynomial, Table, needed
from pan_audits.events.trees import KIND, TreeScore
from pan_audits.judging.documents import document
from pan_audits.judging.reading import Field
from pan_promises.errors import InputError, shown, suggestion

Bools = NDArray[np.bool_]

Objective = Callable[[Floats, Floats, int], Floats]
"""Worth of events that happened in ``x`` and ``y`` of ``n`` runs on the left and the right."""

_MOST_PARTS = 1000
"""Of an event that is read; a learned one has a few."""


_READERS: dict[str, Callable[[Field], Definition]] = {KIND: TreeScore.from_field, LOW_BITS: LowBits.from_field}
"""The definitions that are no polynomials, by their key ``kind``."""


@dataclass(frozen=True)
class Condition:
    """A comparison of one feature with a number; false where the feature is missing, except for ``nan``."""

    feature: str
    comparison: str
    value: float

    def __post_init__(self) -> None:
        comparison_named(self.comparison)

    def __call__(self, column: Floats) -> Bools:
        with np.errstate(invalid="ignore"):
            return np.asarray(comparison_named(self.comparison).holds(column, self.value), dtype=np.bool_)

    @property
    def uses_value(self) -> bool:
        """Whether the number has a meaning."""
        return comparison_named(self.comparison).uses_value

    def describe(self) -> str:
        """The condition in words."""
        return comparison_named(self.comparison).describe(self.feature, self.value)


@dataclass(frozen=True)
class Event:
    """A conjunction of conditions on features of what the adversary sees.

    Attributes
    ----------
    conditions
        All of them must hold; none at all is the sure event.
    derived
        Definitions of the features that are not seen directly, in the order of their dependence.
    grids
        The grids to which columns are rounded first, by name; none for numbers as they are.
    """

    conditions: tuple[Condition, ...]
    derived: tuple[Definition, ...] = ()
    grids: tuple[tuple[str, Grid], ...] = ()

    def __call__(self, table: Table) -> Bools:
        """Whether the event happened, for each run."""
        table = self.extended(table)
        inside = np.ones(table.runs, dtype=np.bool_)
        for condition in self.conditions:
            inside &= condition(table.column(condition.feature))
        return inside

    def extended(self, table: Table) -> Table:
        """The rows of ``table``, rounded to the grids, with the derived columns."""
        table = rounded(table, dict(self.grids))
        for definition in self.derived:
            table = table.with_column(definition.name, definition(table))
        return table

    @property
    def features(self) -> frozenset[str]:
        """The columns of a table that decide whether it happened."""
        return needed((condition.feature for condition in self.conditions), self.derived)[1]

    def describe(self) -> str:
        """The event in words."""
        return " and ".join(condition.describe() for condition in self.conditions) or "anything at all"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        described = {
            "description": self.describe(),
            "conditions": [[c.feature, c.comparison, c.value] for c in self.conditions],
        }
        return described | document(self, "derived") | grids_to_dict(self.grids)

    def on(self, reading: Reading | None) -> Event:
        """The same event of numbers that are read in this way; by default, as they are."""
        return self if reading is None else replace(self, **reading.fields(self.features, self.derived))

    @classmethod
    def from_dict(cls, values: Field | Mapping[str, Any]) -> Event:
        """Read what :meth:`to_dict` wrote; :class:`InputError` names the place of what is no part of an event."""
        document = Field.of(values)
        return cls(
            tuple(_condition(one) for one in document["conditions"].items(most=_MOST_PARTS)),
            definitions_in(document["derived"]),
            grids_in(document),
        )


@dataclass(frozen=True)
class Candidate:
    """An event with its worth by its counts in some runs: those that it was learned from, or others."""

    event: Event
    worth: float
    left: int
    right: int
    runs: int

    @classmethod
    def of(cls, event: Event, left: Table, right: Table, objective: Objective) -> Candidate:
        """The event, as it happens in equally many runs on both streams."""
        x, y = int(event(left).sum()), int(event(right).sum())
        worth = float(objective(np.array([float(x)]), np.array([float(y)]), left.runs)[0])
        return cls(event, worth, x, y, left.runs)


def _condition(field: Field) -> Condition:
    feature, comparison, value = field.items(least=3, most=3, what="a feature, a comparison and a number: a list")
    name, compared, number = feature.text(), comparison.text(), value.number()
    with comparison.placed():
        return Condition(name, compared, number)


def definitions_in(field: Field) -> tuple[Definition, ...]:
    """The definitions of derived columns in a list of a document."""
    return tuple(_definition(one) for one in field.items(most=_MOST_PARTS))


def _definition(field: Field) -> Definition:
    kind = field.get("kind")
    if kind is None:
        return Polynomial.from_field(field)
    name = kind.text()
    with kind.placed():
        if name not in _READERS:
            raise InputError(f"unknown kind of derived feature {shown(name)}; {suggestion(name, _READERS)}")
    return _READERS[name](field)
