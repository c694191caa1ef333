"""The low bits of doubles that have no common grid: the lowest bit that is set, and remainders modulo coarse grids.

An audit of the doubles as they are adds these columns. On numbers that are rounded to a coarse grid they say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pan_audits.events.definition import Definition
from pan_audits.events.table import LIKELIHOOD, Floats, Table
from pan_audits.judging.reading import Field

LOW_BITS = "low bits"
_REMAINDERS = (12, 20, 28)
_MOST_COLUMNS = 8
_FEWEST_NUMBERS = 12
_ALL_BITS, _PART_WITH_ALL_BITS = 50, 0.05
_BITS_OF_SINGLE, _SMALL = 24, 3
"""Numbers of single precision, and how many bits a small number is smaller."""


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
        return {"name": self.name, "kind": LOW_BITS, "column": self.column, "bits": self.bits}

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
    if np.abs(values).max() < 1e6 and np.array_equal(values, np.round(values, 9)):
        return False
    exponents = np.frexp(values)[1]
    used = exponents - lowest_bit(values)
    if used.max() == _BITS_OF_SINGLE:
        # On a grid, small numbers use fewer bits than large ones.
        used = used[exponents <= exponents.max() - _SMALL]
        return bool((used >= _BITS_OF_SINGLE - _SMALL).sum() > _SMALL)
    return bool((used >= _ALL_BITS).mean() >= _PART_WITH_ALL_BITS)


@dataclass
class AllBits:
    """Observations with columns for the low bits of numbers without a common grid.

    Attributes
    ----------
    suspicious
        For each column that was seen, whether its numbers have no common grid.
    """

    suspicious: dict[str, bool] = field(default_factory=dict)

    def learn(self, tables: Iterable[Table]) -> None:
        """Find new columns without a grid by a sample."""
        samples: dict[str, list[Floats]] = {}
        for table in tables:
            for place, name in enumerate(table.names):
                if name not in self.suspicious and not name.startswith(LIKELIHOOD):
                    samples.setdefault(name, []).append(table.values[:, place])
        self.suspicious |= {name: lacks_grid(np.concatenate(values)) for name, values in samples.items()}

    def anew(self, seed: int) -> AllBits:
        """The same columns: they depend on no offset."""
        return self

    def fields(self, features: frozenset[str], derived: tuple[Definition, ...]) -> dict[str, Any]:
        """The fields of an event or a score that reads these columns."""
        return {"derived": (*(one for one in self._columns() if one.name in features), *derived)}

    def __call__(self, table: Table) -> Table:
        for column in self._columns():
            table = table.with_column(column.name, column(table))
        return table

    @property
    def without_grid(self) -> list[str]:
        """The names of the columns without a grid."""
        return [name for name, suspicious in self.suspicious.items() if suspicious]

    def _columns(self) -> list[LowBits]:
        return [LowBits(name, bits) for name in self.without_grid[:_MOST_COLUMNS] for bits in (0, *_REMAINDERS)]
