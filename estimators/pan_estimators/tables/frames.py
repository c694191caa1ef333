"""Tables as data frames, Arrow tables, arrays, columns and CSV, with the types of the schema."""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown, suggestion

FORMS = ("columns", "pandas", "polars", "arrow", "numpy")
"""The forms in which rows are returned."""


def columns_of(table: Table, randomness: Randomness | None = None) -> dict[str, list[Any]]:
    """The columns by name. A bin is its text, or a number in it."""
    found = table.to_columns()
    if randomness is None:
        return found
    for place, attribute in enumerate(table.schema.attributes):
        if attribute.edges:
            found[attribute.name] = _numbers(table.codes[:, place], attribute, randomness)
    return found


def _numbers(codes: Any, attribute: Attribute, randomness: Randomness) -> list[Any]:
    edges = attribute.edges
    last = len(edges) - 2
    bins = np.minimum(codes, last)
    shares = randomness.random(len(codes))
    if all(isinstance(edge, int) for edge in edges):
        low = np.array(edges[:-1], dtype=np.int64)[bins]
        # A bin holds its lower edge; the last one holds its upper edge too.
        width = np.diff(np.array(edges, dtype=np.int64))[bins] + (bins == last)
        drawn = (low + np.minimum((shares * width).astype(np.int64), width - 1)).tolist()
    else:
        lower, upper = (np.array(one, dtype=np.float64)[bins] for one in (edges[:-1], edges[1:]))
        drawn = (lower + shares * (upper - lower)).tolist()
    return [None if code > last else number for code, number in zip(codes.tolist(), drawn, strict=True)]


def framed(columns: Mapping[str, list[Any]], form: str) -> Any:
    """Columns in the form of a library."""
    if form not in FORMS:
        raise InputError(f"unknown form {shown(form)}; {suggestion(str(form), FORMS)}")
    if form == "columns":
        return dict(columns)
    try:
        if form == "pandas":
            import pandas  # type: ignore[import-untyped]

            return pandas.DataFrame(
                {name: pandas.Series(one, dtype=_pandas_type(one)) for name, one in columns.items()}
            )
        if form == "polars":
            import polars

            return polars.DataFrame(dict(columns), strict=False)
        if form == "arrow":
            import pyarrow

            return pyarrow.table(dict(columns))
    except ImportError:
        raise InputError(f"rows in the form {form} need the library {form.replace('arrow', 'pyarrow')}") from None
    return np.array(list(zip(*columns.values(), strict=True)), dtype=object)


def _pandas_type(column: Sequence[Any]) -> str | None:
    kinds = {type(value) for value in column if value is not None}
    lacking = any(value is None for value in column)
    if lacking and kinds == {int}:
        return "Int64"
    if lacking and kinds == {bool}:
        return "boolean"
    return None if kinds <= {int} or kinds <= {float} or kinds <= {bool} else "object"


def read_csv(path: str | Path, schema: Schema) -> dict[str, list[Any]]:
    """The columns of a CSV file with a line of names, with the types of the schema.

    An empty field is missing, unless the empty text is a value of its attribute.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        reason = getattr(problem, "strerror", None) or "it is no CSV file in UTF-8"
        raise InputError(f"cannot read {shown(str(path))}: {reason}") from None
    if not lines:
        raise InputError(f"{shown(str(path))} is empty; its first line has the names of the columns")
    names, rows = lines[0], [line for line in lines[1:] if line]
    if wrong := [number for number, line in enumerate(lines, 1) if line and len(line) != len(names)]:
        raise InputError(f"line {wrong[0]} of {shown(str(path))} has another number of fields than its first line")
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{shown(str(path))} has the column {shown(twice[0])} twice")
    readers = {attribute.name: _Reader(attribute) for attribute in schema.attributes}
    return {
        name: [readers[name].value(row[place]) for row in rows] if name in readers else [row[place] for row in rows]
        for place, name in enumerate(names)
    }


_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
"""A number in a field: decimal digits of ASCII. Other forms that Python reads (1_0, nan, other digits) are texts."""


class _Reader:
    """Reads the fields of a column: each text once. A number is read as it is written, and not rounded to a double."""

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute
        self.known: dict[str, Any] = {_text(value): value for value in attribute.categories if value is not None}
        self.edges = [_decimal(edge) for edge in attribute.edges]
        self.numbers = [
            (_decimal(one), one)
            for one in attribute.values
            if isinstance(one, (int, float)) and not isinstance(one, bool)
        ]

    def value(self, text: str) -> Any:
        if text not in self.known:
            self.known[text] = self._number(text)
        return self.known[text]

    def _number(self, text: str) -> Any:
        if not text:
            return None
        written = text.strip(" \t")
        if not _NUMBER.fullmatch(written):
            return text
        exact = Decimal(written)
        if not self.edges:
            return next((one for number, one in self.numbers if number == exact), text)
        if not self.edges[0] <= exact <= self.edges[-1]:
            return text
        place, number = self._bin(exact), float(written)
        return number if place == self._bin(_decimal(number)) else self.attribute.categories[place]

    def _bin(self, exact: Decimal) -> int:
        return min(bisect_right(self.edges, exact), len(self.edges) - 1) - 1


def _decimal(number: float) -> Decimal:
    """A number as it is written: 0.1, and not the double next to it."""
    return Decimal(repr(float(number))) if isinstance(number, float) else Decimal(int(number))


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_csv(path: str | Path, columns: Mapping[str, list[Any]]) -> None:
    """Write columns to a CSV file with a line of names. A missing value is an empty field."""
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            write_lines(file, columns)
    except OSError as problem:
        raise InputError(f"cannot write {shown(str(path))}: {problem.strerror}") from None


def write_lines(file: TextIO, columns: Mapping[str, list[Any]]) -> None:
    """Write columns to an open file as CSV, with a line of names."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow(["" if value is None else _text(value) for value in row])
