"""The score ``F`` of an attribute with any number of values: by all assignments, and value by value of the parents."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.engines.relations import eq, ge, le, lt
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.steps import counterexample, enumerated, related
from pan_proofs.tables.lemmas.information import Table, tables

_vectors = sp.Symbol("W")
_records = sp.Symbol("n", integer=True, positive=True)
_CUBE = le(_vectors, 8 * (_records + 1) ** 3)
_values = sp.Symbol("v", integer=True, positive=True)
_of_values = sp.Symbol("W_v")
_FIXED = le(_of_values, (2 * _records + 2) ** _values)
_columns = sp.Symbol("w", integer=True, positive=True)
_few = sp.Symbol("W_12")
_ALL = ge(_few, 3**_columns)
_MOST = 12
_SHAPES = (((3, 3), 3), ((3, 4), 2), ((2, 4), 3))
Kept = tuple[int, ...]
"""For each value of the attribute the records of the parents' values that are assigned to it."""
Reached = tuple[Kept, frozenset[int]]
"""The same, with the values to which a value of the parents is assigned."""


def missing(kept: Kept, records: int) -> Fraction:
    """The mass that is missing where each value has the same share."""
    share = Fraction(1, len(kept))
    return sum((max(Fraction(0), share - Fraction(one, records)) for one in kept), Fraction(0))


def by_assignments(table: Table) -> Fraction:
    """``F`` by all assignments of the parents' values to the attribute's values, each of which is reached."""
    rows, columns = len(table), len(table[0])
    records = sum(map(sum, table))
    return -min(
        missing(tuple(sum(table[i][j] for j in range(columns) if owner[j] == i) for i in range(rows)), records)
        for owner in product(range(rows), repeat=columns)
        if len(set(owner)) == rows
    )


def reached(table: Table) -> set[Reached]:
    """All vectors of kept records, one value of the parents after the other."""
    found: set[Reached] = {((0,) * len(table), frozenset())}
    for column in zip(*table, strict=True):
        found = {
            (tuple(one + (column[i] if place == i else 0) for place, one in enumerate(kept)), used | {i})
            for kept, used in found
            for i in range(len(table))
        }
    return found


def by_vectors(table: Table) -> Fraction:
    """``F`` from the vectors that are reached."""
    records = sum(map(sum, table))
    return -min(missing(kept, records) for kept, used in reached(table) if len(used) == len(table))


def _spread(columns: int, rows: int = 3) -> Table:
    """A table with the counts 1, 2 and 3 in turn, one in each column, in one row after the other."""
    return tuple(tuple((j % 3 + 1) * (j % rows == i) for j in range(columns)) for i in range(rows))


def _many_columns() -> Iterator[dict[sp.Symbol, int]]:
    for columns in range(3, _MOST + 1):
        table = _spread(columns)
        yield {_vectors: len(reached(table)), _records: sum(map(sum, table))}


def of_three_values() -> Steps:
    """The score by vectors, and their number."""
    return (
        enumerated(
            "by_vectors",
            r"A joint distribution has the largest information if each of the $v$ values of the attribute has the "
            r"mass $\frac1v$, and the parents' values tell it. Half of the distance from the nearest one is the mass "
            r"that is missing, for the best assignment of the parents' values. It depends on the vector of the $v$ "
            r"masses that are kept, and on the values that are reached, so that one value of the parents after the "
            r"other only extends the set of these vectors. This is compared with all assignments.",
            "the score by vectors is that by assignments, for all tables of a shape",
            (table for shape, most in _SHAPES for records in range(1, most + 1) for table in tables(shape, records)),
            lambda table: by_vectors(table) == by_assignments(table),
            mutant=lambda table: by_vectors(table) == -1,
        ),
        related(
            "number_of_vectors",
            r"With $v = 3$ each entry of a vector is one of $n + 1$ numbers, and each value is reached or not, "
            r"however many values the parents have. For three to twelve:",
            "the number of vectors that are reached for three values of the attribute",
            _CUBE,
            _many_columns(),
            mutant=le(_vectors, _records),
            parameters=(_records,),
            lines=r"W &\le 8\,(n+1)^3",
        ),
        counterexample(
            "fewer_than_assignments",
            r"So not all of the $3^w$ assignments of $w$ values of the parents need to be tried; for $w = 12$:",
            _ALL,
            {_few: lambda: len(reached(_spread(_MOST))), _columns: sp.Integer(_MOST)},
        ),
    )


def stated_of_three_values() -> tuple[str, ...]:
    """That not all assignments are needed, and the number of vectors, formally."""
    sizes = sorted({case[_records] for case in _many_columns()})
    fewer = symbolic(lt(_few, 3**_columns), where={_columns: sp.Integer(_MOST)})
    return fewer + symbolic(_CUBE, given=(sp.Or(*(eq(_records, size) for size in sizes)),))


def _every_number() -> list[dict[sp.Symbol, int]]:
    made = [(_spread(columns, rows), rows) for rows in (1, 2, 3, 4) for columns in (4, 5, 6)]
    return [{_of_values: len(reached(table)), _records: sum(map(sum, table)), _values: rows} for table, rows in made]


def of_any_values() -> Step:
    """The number of vectors for one to four values of the attribute."""
    return related(
        "vectors_of_any_values",
        r"For one to four values of the attribute, and four to six of the parents:",
        "the number of vectors that are reached",
        _FIXED,
        _every_number(),
        mutant=le(_of_values, _records),
        parameters=(_records, _values),
        lines=r"W_v &\le 2^v\,(n+1)^v",
    )


def stated_of_any_values() -> tuple[str, ...]:
    """The same, formally."""
    cases = {(one[_records], one[_values]) for one in _every_number()}
    among = sp.Or(*(sp.And(sp.Eq(_records, size), sp.Eq(_values, rows)) for size, rows in sorted(cases)))
    return symbolic(_FIXED, given=(among,))
