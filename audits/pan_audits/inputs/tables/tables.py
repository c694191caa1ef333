"""Tables as texts, their neighbours, and all small tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations_with_replacement, islice, product
from math import comb
from typing import Any, TypeAlias

from pan_audits.inputs.numbered.family import LabelledInputs
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.looks import Observed
from pan_promises.problem import Problem

Row: TypeAlias = tuple[Any, ...]
Table: TypeAlias = tuple[Row, ...]

JUDGED = (Adjacency.ADD_ROW, Adjacency.REMOVE_ROW, Adjacency.REPLACE_ROW)
"""The adjacencies for which pairs are made here."""

_LATER = (Observed.MODEL, Observed.SAMPLE)
_MOST_SMALL = 256


def to_text(table: Table, observed: Observed = Observed.OUTPUT) -> str:
    """A table as JSON, which is its label. If a model or a sample is observed, the word follows."""
    text = json.dumps([list(row) for row in table], separators=(",", ":"))
    return text + (f" {observed}" if observed in _LATER else "")


def from_text(text: str) -> Table:
    """Read the table of :func:`to_text`."""
    later = look_in(text)
    return tuple(tuple(row) for row in json.loads(text.removesuffix(f" {later}")))


def look_in(text: str) -> Observed:
    """Read the observation of :func:`to_text`: a model, a sample, or an output."""
    return next((one for one in _LATER if text.endswith(f" {one}")), Observed.OUTPUT)


def possible_rows(problem: Problem) -> Iterator[Row]:
    """Every row, the first values first."""
    return product(*(values for _, values in problem.schema))


def neighbours(table: Table, problem: Problem, adjacency: Adjacency) -> Iterator[Table]:
    """The tables that are adjacent to one in one direction: a row replaced, or a row added at any place."""
    if adjacency is Adjacency.REPLACE_ROW:
        for place, row in enumerate(table):
            for other in possible_rows(problem):
                if other != row:
                    yield (*table[:place], other, *table[place + 1 :])
        return
    if adjacency in (Adjacency.ADD_ROW, Adjacency.REMOVE_ROW):
        # A table has an order, which a mechanism can use. The ends come first, since an audit takes the first ones.
        for place in dict.fromkeys((len(table), *range(len(table)))):
            yield from ((*table[:place], row, *table[place:]) for row in possible_rows(problem))
        return
    raise InputError(f"panproof has no pairs of tables for {adjacency}; it has {', '.join(JUDGED)}")


def small_tables(
    problem: Problem,
    adjacency: Adjacency,
    rows: int,
    *,
    outputs: int = 1,
    observed: Observed = Observed.OUTPUT,
) -> LabelledInputs | None:
    """All tables of a number of rows, with all their neighbours; ``None`` if there are too many.

    For an added row, the tables of the next size have one row more. The empty table comes with the tables of one row.
    The observer sees ``outputs`` outputs of each table. If the tables are too many, those with sorted rows are taken.
    """
    count = len(list(islice(possible_rows(problem), _MOST_SMALL + 1)))
    longest = rows + (adjacency is not Adjacency.REPLACE_ROW)
    in_order = count**longest > _MOST_SMALL
    if count > _MOST_SMALL or (in_order and comb(count + longest - 1, longest) > _MOST_SMALL):
        return None
    place_of = {row: place for place, row in enumerate(possible_rows(problem))}

    def ordered(table: Table) -> Table:
        return tuple(sorted(table, key=place_of.__getitem__)) if in_order else table

    labels: dict[str, int] = {}
    pairs: set[tuple[int, int]] = set()
    smallest = problem.least_rows if rows == 1 and adjacency is not Adjacency.REPLACE_ROW else rows
    for size in range(smallest, rows + 1):
        every = combinations_with_replacement if in_order else _sequences
        for table in every(list(possible_rows(problem)), size):
            here = labels.setdefault(to_text(table, observed), len(labels))
            for other in neighbours(table, problem, adjacency):
                there = labels.setdefault(to_text(ordered(other), observed), len(labels))
                if here != there:
                    pairs.add((min(here, there), max(here, there)))
    name = f"all tables of {rows} rows"
    remark = f"the tables of {longest} rows are those with sorted rows" if in_order else ""
    return LabelledInputs(name, tuple(labels), tuple(sorted(pairs)), adjacency, outputs, remark=remark)


def _sequences(rows: list[Row], size: int) -> Iterator[Table]:
    return product(rows, repeat=size)
