"""The form of a definition: how a derived column is computed, as data that can be written down."""

from __future__ import annotations

from typing import Any, Protocol

from pan_audits.events.table import Floats, Table


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
