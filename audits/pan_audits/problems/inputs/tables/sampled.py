"""Sampled rows as numbers that an observer can compare: their number, and counts of one and of two columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_promises.problem import Problem

_MOST_COLUMNS = 24
"""The number of columns whose counts are shown. The names of more would not be read."""
_MOST_CELLS = 32
"""The largest number of cells of a table of counts."""
_MOST_IN_COUNTS, _MOST_IN_PAIRS = 120, 140
"""The largest numbers of cells of all columns together, and of all pairs. More numbers would not be read."""
_BESIDE = 3
"""The numbers that a list of counts has beside its cells, at most."""

Row = tuple[Any, ...]


def summary(sample: Any, problem: Problem) -> dict[str, Any]:
    """The numbers of a sample."""
    names = [name for name, _ in problem.schema]
    columns, others = columns_of(sample, names)
    domains = {name: {value: place for place, value in enumerate(values)} for name, values in problem.schema}
    coded = {name: _places(columns[name], domains[name]) for name in names if name in columns}
    shown = _first_within({name: len(domains[name]) for name in names[:_MOST_COLUMNS]}, _MOST_IN_COUNTS)
    return {
        "rows": max((len(column) for column in coded.values()), default=0),
        "columns": len(coded),
        "other columns": others,
        "order": _order(sample, names),
        "different rows": len(set(zip(*coded.values(), strict=False))),
        "outside": {
            name: sum(place is None for place in coded[name]) for name in names[:_MOST_COLUMNS] if name in coded
        },
        "outside in all": sum(place is None for column in coded.values() for place in column),
        "counts": {name: _counts([coded.get(name, [])], [len(domains[name])]) for name in shown},
        **_pairs(coded, {name: len(domains[name]) for name in shown}),
        "first row": [place for name in shown for place in coded.get(name, [])[:1]],
    }


def columns_of(sample: Any, names: list[str]) -> tuple[dict[str, list[Any]], int]:
    """The known columns of a sample, and the number of unknown ones. Rows and arrays have the order of the names."""
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


def _places(column: Iterable[Any], domain: Mapping[Any, int]) -> list[int | None]:
    """The place of each value in its domain; ``None`` for a value outside of it."""
    # A large sample has few different values.
    known: dict[Any, int | None] = {}
    places = []
    for value in column:
        try:
            place = known[value]
        except (KeyError, TypeError):
            place = _place(_plain(value), domain)
            with suppress(TypeError):
                known[value] = place
        places.append(place)
    return places


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


def _first_within(sizes: Mapping[str, int], most: int) -> list[str]:
    """The first columns whose counts are no more than a number of cells together."""
    found = []
    for name, size in sizes.items():
        if size <= _MOST_CELLS and size + _BESIDE <= most:
            found.append(name)
            most -= size + _BESIDE
    return found


def _order(sample: Any, names: list[str]) -> list[int]:
    """The known columns of a sample with names, in its own order, by their place in the schema."""
    named = getattr(sample, "column_names", getattr(sample, "columns", sample if isinstance(sample, Mapping) else ()))
    known = [] if callable(named) else list(named)
    return [names.index(str(name)) for name in known if str(name) in names][:_MOST_COLUMNS]


def _pairs(coded: Mapping[str, list[int | None]], sizes: Mapping[str, int]) -> dict[str, Any]:
    """The counts by pair of columns, and the dependence of each pair: pairs of near columns first."""
    pairs: dict[str, dict[str, list[int]]] = {}
    dependence: dict[str, dict[str, float]] = {}
    known = [name for name in sizes if name in coded]
    left = _MOST_IN_PAIRS
    near = sorted(combinations(range(len(known)), 2), key=lambda pair: (pair[1] - pair[0], pair))
    for one, other in ((known[low], known[high]) for low, high in near):
        cells = sizes[one] * sizes[other]
        if cells > _MOST_CELLS or cells + _BESIDE > left or len(coded[one]) != len(coded[other]):
            continue
        left -= cells + _BESIDE
        counts = _counts([coded[one], coded[other]], [sizes[one], sizes[other]])
        pairs.setdefault(one, {})[other] = counts
        dependence.setdefault(one, {})[other] = _dependence(np.array(counts).reshape(sizes[one], sizes[other]))
    return {"pairs": pairs, "dependence": dependence}


def _dependence(counts: NDArray[np.int64]) -> float:
    """Half of the distance of the joint counts from those of independent columns, as a share of the rows."""
    total = counts.sum()
    if total == 0:
        return 0.0
    independent = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    return round(float(np.abs(counts - independent).sum() / (2 * total)), 6)
