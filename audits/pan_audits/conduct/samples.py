"""Whether samples have one distribution: exact tests of events, and of pairs of runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table

Floats = NDArray[np.float64]


def at_most(count: Any, total: int, marked: Any, drawn: int) -> Floats:
    """The probability that at most ``count`` of the drawn ones are marked."""
    return _distribution("cdf", 0.0, 1.0, count, total, marked, drawn)


def above(count: Any, total: int, marked: Any, drawn: int) -> Floats:
    """The probability that more than ``count`` of the drawn ones are marked."""
    return _distribution("sf", 1.0, 0.0, count, total, marked, drawn)


def _distribution(name: str, below: float, beyond: float, count: Any, total: int, marked: Any, drawn: int) -> Floats:
    function = _quick(name)
    if function is None:
        from scipy.stats import hypergeom

        return np.asarray(getattr(hypergeom, name)(count, total, marked, drawn), dtype=np.float64)
    count, marked = np.broadcast_arrays(np.asarray(count, dtype=np.float64), np.asarray(marked, dtype=np.float64))
    least, most = np.maximum(0, drawn - (total - marked)), np.minimum(marked, drawn)
    inside = np.clip(count, least, most)
    found = np.clip(function(inside, marked, float(drawn), float(total)), 0.0, 1.0)
    return np.asarray(np.where(count < least, below, np.where(count >= most, beyond, found)))


def _quick(name: str) -> Any:
    from scipy.special import _ufuncs

    # scipy.stats calls this function. It is no public one, and older releases of scipy do not have it.
    return getattr(_ufuncs, f"_hypergeom_{name}", None)


_QUANTILES = (0.01, *np.linspace(0, 1, 15)[1:-1], 0.99)


@dataclass(frozen=True)
class Difference:
    """An event whose probability differs, and in which sample it is likelier."""

    event: str
    in_first: bool


def difference_of(first: Table, second: Table, *, error: float) -> Difference | None:
    """An event that is likelier in one of two samples.

    The limits of the events are quantiles of both samples together. If all rows are independent and have one
    distribution, then given the rows, all their divisions into two samples are equally likely, and the count of an
    event in the first sample is hypergeometric.
    """
    names = list(dict.fromkeys((*first.names, *second.names)))
    for name in names:
        ours, theirs = first.column(name), second.column(name)
        events = list(_events(ours, theirs))
        found = np.array([[event[1].sum(), event[2].sum()] for event in events])
        counts, happened = found[:, 0], found.sum(axis=1)
        share = error / (len(names) * len(events))
        # A count this near to its mean has a probability above the share, and exact tests of all counts take long.
        least = math.sqrt(math.log(1 / share) / 2)
        far = np.flatnonzero(away_from_the_mean(counts, happened, len(ours), len(theirs)) >= least)
        if not far.size:
            continue
        distribution = len(ours) + len(theirs), happened[far], len(ours)
        likelier, rarer = above(counts[far] - 1, *distribution), at_most(counts[far], *distribution)
        both = 2 * np.minimum(likelier, rarer)
        if both.min() <= share:
            place = int(both.argmin())
            return Difference(f"{name} {events[far[place]][0]}", bool(likelier[place] < rarer[place]))
    return None


def away_from_the_mean(
    counts: NDArray[np.int64], happened: NDArray[np.int64], ours: int, theirs: int
) -> NDArray[np.float64]:
    """The distances of counts from their means, in standard deviations."""
    total = ours + theirs
    means = happened * (ours / total)
    variances = means * (theirs / total) * (total - happened) / max(1, total - 1)
    return np.abs(counts - means) / np.sqrt(np.maximum(variances, 1e-300))


def _events(
    ours: NDArray[np.float64], theirs: NDArray[np.float64]
) -> list[tuple[str, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Events in words, and where they happened; they depend on both samples together alone."""
    pooled = np.concatenate([ours, theirs])
    known = pooled[~np.isnan(pooled)]
    found = [("is missing", np.isnan(ours), np.isnan(theirs))]
    limits = np.unique(np.quantile(known, _QUANTILES, method="lower")) if known.size else ()
    for limit in limits:
        found.append((f"is above {limit:.6g}", ours > limit, theirs > limit))
        found.append((f"is at least {limit:.6g}", ours >= limit, theirs >= limit))
    return found


MOST_COLUMNS = 4
"""Columns of a run that are compared in pairs."""

_MOST_ROWS = 2**15


def arrangements(
    single: Table, small: Table, large: Table, small_size: int, size: int
) -> Iterator[tuple[str, Table, Table]]:
    """Rows of single runs and of batches, of one distribution if the runs of batches are independent single runs.

    They are runs alone, and disjoint pairs of runs: of one batch, and of two batches.
    """
    yield f"batches of {small_size} runs", single, small
    yield f"batches of {size} runs", single, rows_at(large, _spread(large.runs))
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
        yield f"pairs of runs ({words})", pairs, batches


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


def rows_at(table: Table, places: Any) -> Table:
    """Some rows of a table."""
    return Table(table.names, table.values[places])
