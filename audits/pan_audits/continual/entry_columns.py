"""The columns of a stream of insertions and deletions, by their roles."""

from __future__ import annotations

from dataclasses import dataclass

from pan_audits.sources.delimited import chosen
from pan_promises.errors import InputError, shown


@dataclass(frozen=True)
class EntryColumns:
    """The columns of a stream of insertions and deletions.

    Attributes
    ----------
    elements
        The columns that name the element together. By default the column ``element``.
    action
        The column of the action: words such as insert and delete, or numbers by their sign. By default the column
        ``action`` if there is one; without one every entry is an insertion.
    time
        The column of the time. By default the column ``time`` if there is one.
    """

    elements: tuple[str, ...] = ()
    action: str | None = None
    time: str | None = None

    def places(self, names: list[str], name: str) -> dict[str, tuple[int, ...]]:
        """The places of the columns by their role, among the names of all columns."""
        elements = self.elements or (("element",) if "element" in names or len(names) > 1 else (names[0],))
        found = {"element": tuple(chosen(names, column, name) for column in elements)}
        for role, column in (("action", self.action), ("time", self.time)):
            if column is not None or role in names:
                found[role] = (chosen(names, column or role, name),)
        every = [place for places in found.values() for place in places]
        if twice := [names[place] for place in every if every.count(place) > 1]:
            raise InputError(f"the column {shown(twice[0])} of {name} is given twice: as element, action or time")
        return found
