"""Rows of a CSV file as values of a schema, and back."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown


def read_table(path: Path, schema: Schema) -> Table:
    """The table of a CSV file whose first line names the columns.

    A text is the value of the schema that is written in the same way, or a number where the schema has edges. An empty
    text is missing. Columns that the schema does not name are passed over.

    Parameters
    ----------
    path
        The file, in UTF-8.
    schema
        The schema.

    Raises
    ------
    InputError
        If the file cannot be read, lacks a column, has no rows, or a value is outside of the schema.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        reason = getattr(problem, "strerror", None) or "it is no CSV in UTF-8"
        raise InputError(f"cannot read {path}: {reason}") from None
    if not lines:
        raise InputError(f"{path} is empty")
    names, rows = lines[0], [line for line in lines[1:] if line]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{path} has the column {shown(twice[0])} twice")
    if absent := [name for name in schema.names if name not in names]:
        raise InputError(f"{path} has no column {shown(absent[0])}")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise InputError(f"row {number} of {path} has {len(row)} values, and the first line names {len(names)}")
    places = [names.index(name) for name in schema.names]
    readers = [_reader(attribute) for attribute in schema.attributes]
    return Table.of([[read(row[place]) for read, place in zip(readers, places, strict=True)] for row in rows], schema)


def _reader(attribute: Attribute) -> Callable[[str], Any]:
    """Reads the texts of a column."""
    known = {str(value): value for value in attribute.values}

    def read(text: str) -> Any:
        if text in known:
            return known[text]
        if text == "":
            return None
        if attribute.edges:
            try:
                return float(text)
            except ValueError:
                raise InputError(f"the value {shown(text)} of {attribute.name!r} is no number") from None
        return text

    return read


def write_rows(rows: Sequence[Sequence[Any]], schema: Schema, path: Path) -> None:
    """Write rows as a CSV file. A missing value is an empty text.

    Parameters
    ----------
    rows
        The rows.
    schema
        It names the columns.
    path
        The file.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(schema.names)
            writer.writerows(["" if value is None else value for value in row] for row in rows)
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror}") from None
