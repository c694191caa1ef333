"""Tables as texts, their neighbours, all small tables, and the tables of an audit.

An audit takes tables on which mechanisms fail, each with a few of its neighbours.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice, product
from math import comb
from typing import Any, TypeAlias

from pan_audits.problems.inputs.labelled import LabelledInputs
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from pan_promises.promise import Observed

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


MOST_NEIGHBOURS = 8
"""The largest number of neighbours of a table in an audit."""
MOST_ROWS = 512
"""The largest number of rows that a constant of the code asks for."""

_MOST_SIZES = 3
_RANDOM = 2
_CHANGES = 4
"""The number of neighbours of a random table."""
_MANY = 64
"""The least number of rows of a table in which a value of one row is rare."""
_SMALL = 4
"""A table with no more neighbours than this number comes with all of them."""


@dataclass(frozen=True)
class _Base:
    """A table, and the rows and places that its neighbours change first."""

    name: str
    table: Table
    changes: tuple[tuple[int, Row], ...] = ()
    most: int = MOST_NEIGHBOURS


def audited_tables(
    problem: Problem,
    adjacency: Adjacency,
    seed: int,
    *,
    outputs: int = 1,
    observed: Observed = Observed.OUTPUT,
    sizes: Sequence[int] = (),
) -> list[LabelledInputs]:
    """Tables of the problem's number of rows, each with some of its neighbours.

    All rows equal; two kinds of rows; a category that occurs once; a cell that one row fills; a dependent and an
    independent pair of columns; a pair of values that is rare among many rows; random rows. A neighbour has a row that
    differs in one column, in two, or in all.
    """
    if adjacency not in JUDGED:
        raise InputError(f"panproof has no pairs of tables for {adjacency}; it has {', '.join(JUDGED)}")
    chance = random.Random(seed)
    bases = [*_bases(problem, chance), *_of_sizes(problem, adjacency, sizes)]
    distinct = {one.table: one for one in reversed(bases)}
    return [_group(one, problem, adjacency, chance, outputs, observed) for one in bases if distinct[one.table] is one]


def _bases(problem: Problem, chance: random.Random) -> Iterator[_Base]:
    """The tables, the most revealing ones first."""
    values = [column for _, column in problem.schema]
    first, last = tuple(column[0] for column in values), tuple(column[-1] for column in values)
    count, end = problem.rows, problem.rows - 1
    others = _one_column_changed(first, values)
    yield _Base("all rows equal", (first,) * count, tuple((end, row) for row in (last, *others)))
    yield _Base(
        "all rows equal", (last,) * count, tuple((end, row) for row in (first, *_one_column_changed(last, values)))
    )
    half = count // 2
    yield _Base(
        "two kinds of rows",
        (first,) * half + (last,) * (count - half),
        ((end, first), (end, others[0]), (0, last), (0, others[-1])),
        _CHANGES,
    )
    if count > 1:
        # In its neighbour the category occurs twice, or no more.
        yield _Base(
            "a category that occurs once",
            (first,) * end + (others[0],),
            ((0, others[0]), (end, first), (end, others[-1]), (0, last)),
            _CHANGES,
        )
    yield from _of_two_columns(first, last, values, count)
    yield from _of_rare_pairs(first, values, count)
    for _ in range(_RANDOM):
        rows = tuple(tuple(chance.choice(column) for column in values) for _ in range(count))
        yield _Base("random rows", rows, _random_changes(rows, values, chance), _CHANGES)


def _of_two_columns(first: Row, last: Row, values: Sequence[Sequence[object]], count: int) -> Iterator[_Base]:
    """A cell that one row fills, a dependent pair and an independent pair. They need two columns of two values."""
    wide = [place for place, column in enumerate(values) if len(column) > 1][:2]
    if len(wide) < 2 or count < 2:
        return
    one = wide[0]

    def row(left: int, right: int) -> Row:
        return tuple(
            values[place][left if place == one else right] if place in wide else value
            for place, value in enumerate(first)
        )

    cells = [row(left, right) for left, right in product((0, 1), repeat=2)]
    filled = tuple(cells[place % 3] for place in range(count - 1))
    yield _Base(
        "a cell that one row fills", (*filled, cells[3]), tuple((count - 1, cells[place]) for place in (0, 1, 2)), 4
    )
    dependent = tuple(cells[3 * (place % 2)] for place in range(count))
    yield _Base(
        "a dependent pair of columns", dependent, ((count - 1, cells[1]), (0, cells[2]), (count - 1, cells[0])), 4
    )
    independent = tuple(cells[place % 4] for place in range(count))
    yield _Base("an independent pair of columns", independent, ((0, cells[3]), (0, cells[1]), (0, last)), 4)


def _of_rare_pairs(first: Row, values: Sequence[Sequence[object]], count: int) -> Iterator[_Base]:
    """Two values that one row of many has together: a neighbour has one of them with the value of a third column."""
    wide = [place for place, column in enumerate(values) if len(column) > 1][:3]
    if len(wide) < 3 or count < _MANY:
        return

    def row(*changed: int) -> Row:
        return tuple(values[place][1] if place in changed else value for place, value in enumerate(first))

    one, other, third = wide
    rare = (first,) * (count - 1) + (row(one, other),)
    yield _Base("a rare pair of values", rare, ((count - 1, row(one, third)), (count - 1, row(other, third))), 2)


def _one_column_changed(row: Row, values: Sequence[Sequence[object]]) -> list[Row]:
    """The row with one other value: in the first column, the last one and one between; also a middle category."""
    found: dict[Row, None] = {}
    wide = [place for place, column in enumerate(values) if len(column) > 1]
    for place in dict.fromkeys((*wide[:1], *wide[-1:], *wide[len(wide) // 2 :][:1], *wide[:4])):
        column = values[place]
        for value in dict.fromkeys((column[-1], column[len(column) // 2], column[0])):
            if value != row[place]:
                found.setdefault((*row[:place], value, *row[place + 1 :]))
    return list(found) or [row]


def _random_changes(
    rows: Table, values: Sequence[Sequence[object]], chance: random.Random
) -> tuple[tuple[int, Row], ...]:
    """A row with one other value, one with other values in all columns, and random rows."""
    changes: list[tuple[int, Row]] = []
    for number in range(_CHANGES):
        place = chance.randrange(len(rows))
        if number % 3 == 0:
            row = chance.choice(_one_column_changed(rows[place], values))
        elif number % 3 == 1:
            row = tuple(
                chance.choice([value for value in column if value != own] or [own])
                for own, column in zip(rows[place], values, strict=True)
            )
        else:
            row = tuple(chance.choice(column) for column in values)
        changes.append((place, row))
    return tuple(changes)


def _of_sizes(problem: Problem, adjacency: Adjacency, sizes: Sequence[int]) -> Iterator[_Base]:
    """Tables of other sizes, and for an added row also those of one row less."""
    values = [column for _, column in problem.schema]
    first, last = tuple(column[0] for column in values), tuple(column[-1] for column in values)
    wanted = [size for size in dict.fromkeys(sizes) if max(1, problem.least_rows) <= size <= MOST_ROWS]
    for size in wanted[:_MOST_SIZES]:
        both = (size,) if adjacency is Adjacency.REPLACE_ROW else (size, size - 1)
        for rows in dict.fromkeys((*both, size + 1)):
            if rows >= max(1, problem.least_rows):
                yield _Base(f"{rows} equal rows", (first,) * rows, ((rows - 1, last),), 1)


def _group(
    base: _Base, problem: Problem, adjacency: Adjacency, chance: random.Random, outputs: int, observed: Observed
) -> LabelledInputs:
    found = list(_neighbours_of(base, problem, adjacency, chance))
    labels = tuple(to_text(one, observed) for one in (base.table, *found))
    return LabelledInputs(base.name, labels, tuple((0, place) for place in range(1, len(labels))), adjacency, outputs)


def _neighbours_of(base: _Base, problem: Problem, adjacency: Adjacency, chance: random.Random) -> list[Table]:
    """All neighbours if they are few, else those that are named first, and random ones."""
    every = list(islice(neighbours(base.table, problem, adjacency), 4 * MOST_NEIGHBOURS))
    if base.most >= _SMALL and len(every) <= _SMALL:
        return every
    found: dict[Table, None] = {}
    for place, row in base.changes:
        found.setdefault(changed(base.table, place, row, adjacency))
    found.pop(base.table, None)
    chosen = list(found)[: base.most]
    if base.most > len(chosen):
        more = [one for one in every if one not in found]
        chosen += chance.sample(more, min(len(more), (base.most - len(chosen) + 1) // 2))
    return chosen or every[:1]


def changed(table: Table, place: int, row: Row, adjacency: Adjacency) -> Table:
    """The neighbour with a row replaced at a place, or added after it."""
    if adjacency is Adjacency.REPLACE_ROW:
        return (*table[:place], row, *table[place + 1 :])
    return (*table[: place + 1], row, *table[place + 1 :])
