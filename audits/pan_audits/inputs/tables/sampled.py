"""Sampled rows as numbers that an observer can compare: their number, and counts of one and of two columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from pan_promises.problem import Problem

_MOST_COLUMNS = 24
"""The number of columns whose counts are shown. The names of more would not be read."""
_MOST_CELLS = 32
"""The largest number of cells of a table of counts."""

Row = tuple[Any, ...]


def summary(sample: Any, problem: Problem) -> dict[str, Any]:
    """The numbers of a sample.

    Parameters
    ----------
    sample
        A data frame, an Arrow table, an array, columns by name, or rows.
    problem
        The tables, whose values the sample should have.

    Returns
    -------
    The number of rows and of unknown columns, the number of values outside of their domain, and the counts by column
    and by pair of columns. A count of 0 tells that a value is absent.
    """
    names = [name for name, _ in problem.schema]
    columns, others = columns_of(sample, names)
    known = {name: [_plain(value) for value in columns[name]] for name in names if name in columns}
    domains = {name: {value: place for place, value in enumerate(values)} for name, values in problem.schema}
    coded = {name: [_place(value, domains[name]) for value in column] for name, column in known.items()}
    shown = [name for name in names[:_MOST_COLUMNS] if len(domains[name]) <= _MOST_CELLS]
    return {
        "rows": max((len(column) for column in coded.values()), default=0),
        "columns": len(known),
        "other columns": others,
        "outside": {name: sum(place is None for place in column) for name, column in coded.items()},
        "counts": {name: _counts([coded.get(name, [])], [len(domains[name])]) for name in shown},
        "pairs": _pairs(coded, {name: len(domains[name]) for name in shown}),
        "first row": [place for name in shown for place in coded.get(name, [])[:1]],
    }


def columns_of(sample: Any, names: list[str]) -> tuple[dict[str, list[Any]], int]:
    """The known columns of a sample, and the number of unknown ones. Rows and arrays have the order of the names.

    Parameters
    ----------
    sample
        As for :func:`summary`.
    names
        The names of the columns.
    """
    if isinstance(sample, Mapping):
        found = {str(name): list(column) for name, column in sample.items()}
    elif hasattr(sample, "column_names") and hasattr(sample, "column"):
        found = {str(name): list(sample.column(name).to_pylist()) for name in sample.column_names}
    elif hasattr(sample, "columns") and hasattr(sample, "__getitem__"):
        found = {str(name): list(sample[name]) for name in sample.columns}
    elif hasattr(sample, "dataframe") and callable(sample.dataframe):
        return columns_of(sample.dataframe(), names)
    else:
        rows = sample.tolist() if isinstance(sample, np.ndarray) else list(sample)
        if rows and isinstance(rows[0], Mapping):
            found = {str(name): [row.get(name) for row in rows] for name in rows[0]}
        else:
            found = _by_place([list(row) if isinstance(row, Iterable) else [row] for row in rows], names)
    return {name: column for name, column in found.items() if name in names}, sum(name not in names for name in found)


def _by_place(rows: list[list[Any]], names: list[str]) -> dict[str, list[Any]]:
    width = max(map(len, rows), default=len(names))
    labels = [*names, *(f"column {place}" for place in range(len(names), width))][:width]
    return {name: [row[place] if place < len(row) else None for row in rows] for place, name in enumerate(labels)}


def _plain(value: Any) -> Any:
    """A value as Python's own; ``None`` for a missing one."""
    if isinstance(value, np.generic):
        value = value.item()
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        return None
    return value


def _place(value: Any, domain: Mapping[Any, int]) -> int | None:
    try:
        found = domain.get(value)
    except TypeError:
        return None
    if found is None and isinstance(value, str):
        # Some libraries return each value as a text.
        found = next((place for known, place in domain.items() if str(known) == value), None)
    return found


def _counts(columns: list[list[int | None]], sizes: list[int]) -> list[int]:
    """The number of rows with each combination of known values, the last column running fastest."""
    counted = Counter(zip(*columns, strict=True))
    return [counted[cell] for cell in np.ndindex(*sizes)]


def _pairs(coded: Mapping[str, list[int | None]], sizes: Mapping[str, int]) -> dict[str, dict[str, list[int]]]:
    found: dict[str, dict[str, list[int]]] = {}
    for one, other in combinations([name for name in sizes if name in coded], 2):
        if sizes[one] * sizes[other] <= _MOST_CELLS and len(coded[one]) == len(coded[other]):
            cells = _counts([coded[one], coded[other]], [sizes[one], sizes[other]])
            found.setdefault(one, {})[other] = cells
    return found
