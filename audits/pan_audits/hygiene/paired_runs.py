"""Runs of batches in pairs, so that a bet on their events notices what the two runs of a pair share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table

MOST_COLUMNS = 4
"""Columns of a run that are compared in pairs."""

_MOST_ROWS = 2**15


@dataclass(frozen=True)
class Arrangement:
    """Rows of single runs and rows of batches, which have one law if the runs of batches are independent single runs.

    Attributes
    ----------
    words
        The runs of batches, for a sentence.
    single, batches
        The rows.
    """

    words: str
    single: Table
    batches: Table


def arrangements(single: Table, small: Table, large: Table, small_size: int, size: int) -> Iterator[Arrangement]:
    """Runs alone, and disjoint pairs of runs: of one batch, and of two batches."""
    yield Arrangement(f"batches of {small_size} runs", single, small)
    yield Arrangement(f"batches of {size} runs", single, _some(large))
    columns, rows = varying(single), np.arange(single.runs)
    pairs = paired(single, rows[:-1:2], rows[1::2], columns)
    short, long = _places(small, small_size), _places(large, size)
    for words, table, first, second in (
        ("the first and the last run of a batch", small, short[:, 0], short[:, -1]),
        ("the first runs of two batches", small, short[:-1:2, 0], short[1::2, 0]),
        ("neighbours in a batch", large, long[:, :-1:2], long[:, 1::2]),
        ("runs that are far apart in a batch", large, long[:, : size // 2], long[:, size - size // 2 :]),
        ("runs at one place of two batches", large, long[:-1:2], long[1::2]),
    ):
        chosen = _spread(first.size)
        batches = paired(table, first.ravel()[chosen], second.ravel()[chosen], columns)
        yield Arrangement(f"pairs of runs ({words})", pairs, batches)


def varying(table: Table) -> list[str]:
    """The first columns that are not the same in all runs."""
    found = [name for name in table.names if len(np.unique(table.column(name)[:256], equal_nan=True)) > 1]
    return found[:MOST_COLUMNS]


def paired(table: Table, first: NDArray[np.intp], second: NDArray[np.intp], columns: list[str]) -> Table:
    """A row for each pair: both runs, their sums and differences, and whether they are equal."""
    ours, theirs = (table.select(columns).values[places] for places in (first, second))
    with np.errstate(invalid="ignore", over="ignore"):
        sums, differences = ours + theirs, ours - theirs
    equal = np.all((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)), axis=1)
    names = [f"{which} {name}" for which in ("first", "second", "sum of", "difference of") for name in columns]
    return Table((*names, "equality"), np.column_stack([ours, theirs, sums, differences, equal.astype(np.float64)]))


def missing_columns(single: Table, batches: Table) -> tuple[list[str], list[str]]:
    """Numbers that every single run has and no run of a batch, and the reverse."""

    def only(ours: Table, theirs: Table) -> list[str]:
        return [
            name for name in ours.names if not np.isnan(ours.column(name)).any() and np.isnan(theirs.column(name)).all()
        ]

    return only(single, batches), only(batches, single)


def _places(table: Table, size: int) -> NDArray[np.intp]:
    """The rows of each batch."""
    count = table.runs // size
    return np.arange(count * size).reshape(count, size)


def _spread(available: int) -> NDArray[np.intp]:
    """The compared places, at most ``_MOST_ROWS``, in an order that has no period."""
    order: NDArray[np.intp] = np.random.default_rng(0).permutation(available)[:_MOST_ROWS]
    return order


def _some(table: Table) -> Table:
    return Table(table.names, table.values[_spread(table.runs)])
