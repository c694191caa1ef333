"""The magnitude of each column: a derived feature whose definition is no polynomial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.events.feature import Derived, Feature
from pan_audits.events.table import Floats, Table
from pan_audits.judging.reading import Field


@dataclass(frozen=True)
class Magnitude:
    """The value without its sign."""

    name: str
    column: str

    @property
    def inputs(self) -> frozenset[str]:
        return frozenset({self.column})

    def __call__(self, table: Table) -> Floats:
        return np.abs(table.column(self.column))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "kind": "magnitude", "column": self.column}


def _derive(left: Table, right: Table) -> list[Derived]:
    return [Derived.of(Magnitude(f"magnitude of {name}", name), left, right) for name in left.names]


def _read(field: Field) -> Magnitude:
    return Magnitude(field["name"].text(), field["column"].text())


FEATURE = Feature(name="magnitude", order=15, derive=_derive, read=_read)
