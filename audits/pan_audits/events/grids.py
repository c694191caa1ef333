"""Coarse grids for the numbers of an observation: an event of real arithmetic survives this rounding.

A double carries the rounding errors of the code that computed it. Two numbers of one output, such as ``v`` and
``1 - v``, reveal these errors by their difference, and the errors depend on the input even where the noise hides it. So
events are learned and counted on numbers that are rounded to a coarse grid at a random offset. A leak of the numbers
as they are is a finding of its own (:mod:`pan_audits.audit.doubles`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from pan_audits.events.table import LIKELIHOOD, Definition, Floats, Table
from pan_audits.judging.reading import LARGEST_NUMBER, Field

_BITS = 20
"""The step of a grid is the scale of its column times ``2**-20``: far above ``2**-32``, the step of safe noise, which a
value that is not on its grid shifts."""

_BITS_OF_VALUES = 48
"""The step is also at least ``2**-48`` of the number itself. It is far above the rounding errors of doubles."""

_BITS_OF_ERRORS = 44
"""Numbers of a column that differ by less than ``2**-44`` of their size differ by rounding errors alone."""

_LOW_QUANTILE = 4
_LARGEST_WHOLE = 2.0**53
_MOST_GRIDS = 1000


@dataclass(frozen=True)
class Grid:
    """The grid of one column.

    A whole number stays as it is. Of a number ``x``, the step is ``2**-20`` of ``max(min(|x|, |x - centre|), scale)``,
    and at least ``2**-48`` of ``|x|``.

    Attributes
    ----------
    centre
        A number amid those of the column.
    scale
        A low quantile of the distances of its numbers from 0 and from the centre.
    offset
        The place of the grid, in steps, in [-1/4, 1/4]: multiples of the step stay as they are.
    """

    centre: float
    scale: float
    offset: float

    @classmethod
    def of(cls, values: Floats, offset: float) -> Grid | None:
        """The grid for a sample of a column; ``None`` if it holds no finite number."""
        finite = np.sort(values[np.isfinite(values)])
        if not finite.size:
            return None
        centre = float(finite[(finite.size - 1) // 2])
        with np.errstate(over="ignore"):
            distances = np.minimum(np.abs(finite), np.abs(finite - centre))
        kept = np.sort(distances[distances > np.ldexp(np.abs(finite), -_BITS_OF_ERRORS)])
        scale = float(kept[(kept.size - 1) // _LOW_QUANTILE]) if kept.size else abs(centre)
        # A document may hold no larger numbers.
        return cls(float(np.clip(centre, -LARGEST_NUMBER, LARGEST_NUMBER)), min(scale, LARGEST_NUMBER), offset)

    def __call__(self, values: Floats) -> Floats:
        """The numbers, rounded."""
        with np.errstate(invalid="ignore", over="ignore"):
            whole = (values == np.rint(values)) & (np.abs(values) <= _LARGEST_WHOLE)
            kept = whole | ~np.isfinite(values)
            if kept.all():
                return values
            size = np.maximum(np.minimum(np.abs(values), np.abs(values - self.centre)), self.scale)
            step = np.maximum(_power_below(size, _BITS), _power_below(values, _BITS_OF_VALUES))
            rounded = step * np.rint(values / np.where(step == 0, 1.0, step) - self.offset)
            kept |= (step == 0) | np.isinf(rounded)
        return np.where(kept, values, rounded)


def _power_below(values: Floats, bits: int) -> Floats:
    """The largest power of two that is at most ``|values| * 2**-bits``, 0 for 0."""
    _, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    return np.where(values == 0, 0.0, np.ldexp(1.0, exponent - 1 - bits))


def _samples(tables: Iterable[Table], known: Mapping[str, object]) -> Iterator[tuple[str, Floats]]:
    """The numbers of each column that is not known yet; a trusted capability computes likelihoods, which stay."""
    listed = list(tables)
    for name in dict.fromkeys(name for table in listed for name in table.names):
        if name not in known and not name.startswith(LIKELIHOOD):
            yield name, np.concatenate([table.column(name) for table in listed if name in table.names])


@dataclass
class Grids:
    """The grids of all columns that were seen so far."""

    seed: int
    known: dict[str, Grid] = field(default_factory=dict)

    def learn(self, tables: Iterable[Table]) -> None:
        """Fix the grids of new columns by a sample."""
        for name, values in _samples(tables, self.known):
            if (grid := Grid.of(values, self._offset(name))) is not None:
                self.known[name] = grid

    def anew(self, seed: int) -> Grids:
        """The same grids at other random offsets."""
        other = Grids(seed)
        other.known = {name: replace(grid, offset=other._offset(name)) for name, grid in self.known.items()}
        return other

    def fields(self, features: frozenset[str], derived: tuple[Definition, ...]) -> dict[str, Any]:
        """The fields of an event or a score of rounded numbers."""
        return {"grids": tuple((name, grid) for name, grid in self.known.items() if name in features)}

    def __call__(self, table: Table) -> Table:
        """The table with rounded numbers."""
        return rounded(table, self.known)

    def _offset(self, name: str) -> float:
        digest = hashlib.sha256(f"{self.seed} {name}".encode(errors="surrogatepass")).digest()
        return int.from_bytes(digest[:4], "big") / 2**33 - 0.25


def rounded(table: Table, grids: Mapping[str, Grid]) -> Table:
    """The table with the numbers of some columns rounded."""
    if not any(name in grids for name in table.names):
        return table
    columns = [
        grids[name](table.values[:, place]) if name in grids else table.values[:, place]
        for place, name in enumerate(table.names)
    ]
    return Table(table.names, np.column_stack(columns))


def grids_to_dict(grids: tuple[tuple[str, Grid], ...]) -> dict[str, Any]:
    """JSON-ready: the key ``rounding``, if there are grids."""
    return {"rounding": {name: [one.centre, one.scale, one.offset] for name, one in grids}} if grids else {}


def grids_in(document: Field) -> tuple[tuple[str, Grid], ...]:
    """Read what :func:`grids_to_dict` wrote; an empty tuple if there is no such key."""
    rounding = document.get("rounding")
    found = []
    for name, one in rounding.entries() if rounding is not None else ():
        centre, scale, offset = one.items(least=3, most=3, what="a centre, a scale and an offset: a list")
        found.append((name, Grid(centre.number(), scale.number(0), offset.number(-0.25, 0.25))))
        if len(found) > _MOST_GRIDS:
            document.refuse(f"an event with at most {_MOST_GRIDS} rounded columns")
    return tuple(found)


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
        for name, values in _samples(tables, self.suspicious):
            self.suspicious[name] = lacks_grid(values)

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


Reading: TypeAlias = Grids | AllBits
"""The way in which the numbers of an observation are read: rounded to coarse grids, or with all their bits."""
