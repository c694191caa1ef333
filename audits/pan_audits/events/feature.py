"""The form of a kind of derived feature: which columns are added to those that the intruder sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pan_audits.events.definition import Definition
from pan_audits.events.table import Floats, Table
from pan_audits.judging.reading import Field


@dataclass(frozen=True, eq=False)
class Derived:
    """A derived column: its definition, and the values from which its thresholds are chosen.

    Attributes
    ----------
    definition
        The computation of the column.
    left, right
        The values on the two streams. Those of a learned score come from definitions that were fitted to other runs.
    """

    definition: Definition
    left: Floats
    right: Floats

    @classmethod
    def of(cls, definition: Definition, left: Table, right: Table) -> Derived:
        """A column with the values of its own ``definition`` on ``left`` and ``right``."""
        return cls(definition, definition(left), definition(right))


@dataclass(frozen=True)
class Feature:
    """A kind of derived feature.

    Attributes
    ----------
    name
        Its name, under which definitions of its own form are read.
    order
        The columns of features with a smaller number come first.
    derive
        The new columns, from equally many runs on the two streams with the same columns.
    learned
        Whether it is a score that no reader can check by eye. Such a feature is also derived from the columns of all
        other features. An event with a learned score must be worth clearly more than one without.
    read
        Reads a definition that is no polynomial from an untrusted document.
    """

    name: str
    order: int
    derive: Callable[[Table, Table], Sequence[Derived]]
    learned: bool = False
    read: Callable[[Field], Definition] | None = None
