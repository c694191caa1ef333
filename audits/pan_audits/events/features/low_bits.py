"""The low bits of doubles that have no common grid: the lowest bit that is set, and remainders modulo coarse grids.

On numbers that are rounded to a coarse grid there is no such column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.events.feature import Derived, Feature
from pan_audits.events.table import Floats, Table
from pan_audits.judging.reading import Field

_KIND = "low bits"
_REMAINDERS = (12, 20, 28)
_MOST_COLUMNS = 8
_FEWEST_NUMBERS = 20
_ALL_BITS, _PART_WITH_ALL_BITS = 50, 0.05


@dataclass(frozen=True)
class LowBits:
    """The low bits of a column.

    Attributes
    ----------
    column
        Its name.
    bits
        For the remainder of its numbers modulo ``2**-bits``; 0 for the exponent of the lowest bit.
    """

    column: str
    bits: int

    @property
    def name(self) -> str:
        """Name of the derived column."""
        if self.bits:
            return f"{self.column} modulo 2^-{self.bits}"
        return f"the exponent of the lowest bit of {self.column}"

    @property
    def inputs(self) -> frozenset[str]:
        """The column."""
        return frozenset({self.column})

    def __call__(self, table: Table) -> Floats:
        values = table.column(self.column)
        with np.errstate(invalid="ignore", over="ignore"):
            return np.mod(values * 2.0**self.bits, 1.0) if self.bits else lowest_bit(values)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"name": self.name, "kind": _KIND, "column": self.column, "bits": self.bits}

    @classmethod
    def from_field(cls, field: Field) -> LowBits:
        """Read what :meth:`to_dict` wrote, from ``field``."""
        return cls(field["column"].text(), field["bits"].whole(most=1000))


def lowest_bit(values: Floats) -> Floats:
    """Exponent of the lowest set bit of each double; NaN for zero and what is not finite."""
    mantissa, exponent = np.frexp(values)
    usable = np.isfinite(values) & (values != 0)
    whole = np.where(usable, np.ldexp(np.abs(np.where(usable, mantissa, 0.5)), 53), 1.0).astype(np.int64)
    lowest = whole & -whole
    return np.where(usable, exponent - 53 + np.log2(lowest.astype(np.float64)), np.nan)


def lacks_grid(values: Floats) -> bool:
    """Whether numbers have no common grid that is coarser than the precision of a double.

    Discrete numbers, which repeat, whole numbers, numbers on a power-of-two grid, and numbers rounded to at most nine
    decimals are unsuspicious.
    """
    values = values[np.isfinite(values)]
    values = values[values != np.rint(values)]
    if values.size < _FEWEST_NUMBERS or np.unique(values).size < 0.5 * values.size:
        return False
    if np.abs(values).max() < 1e5 and np.array_equal(values, np.round(values, 9)):
        return False
    used = np.frexp(values)[1] - lowest_bit(values)
    return bool((used >= _ALL_BITS).mean() >= _PART_WITH_ALL_BITS)


def columns_without_grid(left: Table, right: Table) -> list[str]:
    """The columns of two tables whose numbers have no common grid."""
    names = dict.fromkeys((*left.names, *right.names))
    return [name for name in names if lacks_grid(np.concatenate([left.column(name), right.column(name)]))]


def _derive(left: Table, right: Table) -> list[Derived]:
    names = columns_without_grid(left, right)[:_MOST_COLUMNS]
    return [Derived.of(LowBits(name, bits), left, right) for name in names for bits in (0, *_REMAINDERS)]


FEATURE = Feature(name=_KIND, order=15, derive=_derive, read=LowBits.from_field)
