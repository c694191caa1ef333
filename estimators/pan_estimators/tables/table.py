"""Tables: rows of a schema, from the forms in which data comes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.schema import Attribute, Schema
from pan_promises.errors import InputError, shown


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a schema.

    Attributes
    ----------
    schema
        The schema.
    codes
        The place of each value among the categories of its attribute: shape ``(rows, attributes)``.
    """

    schema: Schema
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, data: Any, schema: Schema) -> Table:
        """A table from a data frame (pandas or polars), an Arrow table, an array, columns by name, or rows."""
        if isinstance(data, Table):
            if data.schema != schema:
                raise InputError("the table has another schema")
            return data
        columns = _columns_of(data, schema)
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise InputError(f"the columns of a table have one length, got {sorted(lengths)}")
        if lengths == {0}:
            raise InputError("the table has no rows")
        coded = [_codes(column, one) for column, one in zip(columns, schema.attributes, strict=True)]
        return cls(schema, np.array(coded, dtype=np.int64).T)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[0])

    def counts(self, places: Sequence[int]) -> NDArray[np.int64]:
        """The number of rows with each combination of values of some attributes: an array with an axis for each."""
        shape = tuple(self.schema.sizes[place] for place in places)
        if not places:
            return np.array(self.rows, dtype=np.int64)
        cells = np.ravel_multi_index(tuple(self.codes[:, place] for place in places), shape)
        return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.int64)

    def to_rows(self) -> list[tuple[Any, ...]]:
        """The rows with the categories themselves."""
        categories = [attribute.categories for attribute in self.schema.attributes]
        return [tuple(own[code] for own, code in zip(categories, row, strict=True)) for row in self.codes.tolist()]

    def to_columns(self) -> dict[str, list[Any]]:
        """The columns by name, from which each library makes its data frame."""
        rows = self.to_rows()
        return {name: [row[place] for row in rows] for place, name in enumerate(self.schema.names)}


def _columns_of(data: Any, schema: Schema) -> list[list[Any]]:
    """The columns of the data in the order of the schema."""
    if isinstance(data, Mapping):
        return _named(list(data), lambda name: _values(name, data[name]), schema)
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        data = data.collect()
    if hasattr(data, "column_names") and hasattr(data, "column"):
        return _named(list(data.column_names), lambda name: data.column(name).to_pylist(), schema)
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return _named(list(data.columns), lambda name: _listed(data[name]), schema)
    if isinstance(data, np.ndarray):
        if data.ndim != 2:
            raise InputError(f"an array of a table has two axes, got {data.ndim}")
        data = data.tolist()
    if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise InputError(f"a table is a data frame, an array, columns by name, or rows, got {shown(data)}")
    rows = list(data)
    if rows and isinstance(rows[0], Mapping):
        known = {str(name) for row in rows for name in row}
        return _named(sorted(known), lambda name: [row.get(name) for row in rows], schema)
    width = len(schema.attributes)
    read = [_row(row, width) for row in rows]
    return [[row[place] for row in read] for place in range(width)]


def _row(row: Any, width: int) -> tuple[Any, ...]:
    """The values of a row, in the order of the schema. A set has no order."""
    if isinstance(row, (str, bytes, Set)) or not isinstance(row, Iterable):
        raise InputError(f"a row has {width} values, one for each attribute of the schema, got {shown(row)}")
    values = tuple(row)
    if len(values) != width:
        raise InputError(f"a row has {width} values, one for each attribute of the schema, got {shown(values)}")
    return values


def _values(name: Any, column: Any) -> list[Any]:
    """A column of a dictionary."""
    if isinstance(column, (str, bytes, Set)) or not isinstance(column, Iterable):
        raise InputError(f"the column {shown(name)} is a list of values, got {shown(column)}")
    return list(column)


def _named(known: list[Any], column: Any, schema: Schema) -> list[list[Any]]:
    if twice := [name for name in known if known.count(name) > 1]:
        raise InputError(f"the data has the column {shown(twice[0])} twice")
    if unknown := [name for name in known if name not in schema.names]:
        raise InputError(f"the data has the column {shown(unknown[0])}, which the schema does not name")
    if lacking := [name for name in schema.names if name not in known]:
        raise InputError(f"the data has no column {shown(lacking[0])}, which the schema names")
    return [column(name) for name in schema.names]


def _listed(column: Any) -> list[Any]:
    found = column.to_list() if hasattr(column, "to_list") else np.asarray(column).tolist()
    return list(found)


def _codes(column: Sequence[Any], attribute: Attribute) -> list[int]:
    places = {category: place for place, category in enumerate(attribute.categories)}
    # Equal values of one type have one code, so that each is read once. A value without a hash is refused below.
    known: dict[Any, int] = {}
    found = []
    for value in column:
        key = (value.__class__, value)
        try:
            code = known.get(key)
        except TypeError:
            code = _code(value, attribute, places)
        if code is None:
            code = known[key] = _code(value, attribute, places)
        found.append(code)
    return found


def _code(value: Any, attribute: Attribute, places: Mapping[Any, int]) -> int:
    if _is_missing(value):
        if not attribute.missing:
            raise InputError(f"a value of {shown(attribute.name)} is missing, and its domain has no missing value")
        return attribute.size - 1
    if isinstance(value, np.generic):
        value = value.item()
    if attribute.edges and isinstance(value, str) and value in places:
        return places[value]
    if attribute.edges and isinstance(value, (int, float)) and not isinstance(value, bool):
        edges = attribute.edges
        if edges[0] <= value <= edges[-1]:
            # Numpy would round whole numbers beyond 2^53 beside doubles.
            return min(bisect_right(edges, value), len(edges) - 1) - 1
    elif isinstance(value, (bool, int, float, str)) and value in places:
        return places[value]
    domain = f"from {attribute.edges[0]:g} to {attribute.edges[-1]:g}" if attribute.edges else "in its domain"
    if isinstance(value, float) and not attribute.edges:
        domain += "; an attribute of numbers needs edges of bins"
    raise InputError(f"the value {shown(value)} of {shown(attribute.name)} is not {domain}")


def _is_missing(value: Any) -> bool:
    """Whether a value is ``None``, ``NaN``, or the missing value of a library."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)
