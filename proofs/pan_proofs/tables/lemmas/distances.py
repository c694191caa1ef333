"""Scores that are distances: to independence, and to the joint distributions of the largest information."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded
from pan_proofs.tables.lemmas.information import Shape, Table, cells_of, tables_by_margins, with_record

Score = Callable[[Table], Fraction]
_HALF = Fraction(1, 2)
_LARGEST: tuple[tuple[tuple[Fraction, ...], ...], ...] = (
    ((_HALF, Fraction(0)), (Fraction(0), _HALF)),
    ((Fraction(0), _HALF), (_HALF, Fraction(0))),
)
"""The joint distributions of two binary variables with the largest mutual information."""


_CELLS = tuple(product(range(2), repeat=2))


def to_independence(table: Table) -> Fraction:
    """``R``: half of the distance between the joint frequencies and the products of the frequencies."""
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    records = sum(rows)
    apart = sum(
        abs(records * count - rows[i] * columns[j]) for i, row in enumerate(table) for j, count in enumerate(row)
    )
    return Fraction(apart, 2 * records**2)


def to_largest(table: Table) -> Fraction:
    """``F``: minus half of the distance from the nearest joint distribution of the largest information."""
    records = sum(map(sum, table))
    return (
        -min(
            sum(
                (
                    abs(Fraction(count, records) - wanted[i][j])
                    for i, row in enumerate(table)
                    for j, count in enumerate(row)
                ),
                Fraction(0),
            )
            for wanted in _LARGEST
        )
        / 2
    )


def to_largest_symbolic(counts: Sequence[Sequence[sp.Expr]]) -> sp.Expr:
    """The same for counts that are symbols."""
    records = sp.Add(*(count for row in counts for count in row))
    apart = [
        sp.Add(*(sp.Abs(sp.factor(counts[i][j] / records - sp.Rational(wanted[i][j]))) for i, j in _CELLS))
        for wanted in _LARGEST
    ]
    return -sp.Min(*map(sp.factor, apart)) / 2


def largest_change(score: Score, shape: Shape, records: int) -> Fraction:
    """The sensitivity of a score that does not depend on the order of rows and columns, over all tables of a shape."""
    found = Fraction(0)
    for common in tables_by_margins(shape, records - 1):
        values = [score(with_record(common, cell)) for cell in cells_of(shape)]
        found = max(found, max(values) - min(values))
    return found


def triangle() -> Step:
    """Distances of two vectors from a third one differ by at most the distance of the two."""
    first, second, apart = sp.symbols("A B D", real=True)
    one, two = sp.symbols("x y", real=True)
    return over_entries(
        "triangle",
        r"For tables with any number of cells: absolute sums of two vectors differ by at most that of the difference.",
        le(first - second, apart),
        sp.Symbol("k", nonnegative=True, integer=True),
        {first: sp.Abs(one), second: sp.Abs(two), apart: sp.Abs(one - two)},
        (one, two),
        ((3, 1), (-2, -1)),
        r"\sum_i |x_i| - \sum_i |y_i| &\le \sum_i |x_i - y_i|",
    )


def nearest() -> Step:
    """The distance from the nearest of several distributions changes by at most the distance."""
    old, new, to_old, to_new, apart = sp.symbols("m_old m_new x_old x_new t", nonnegative=True)
    return bounded(
        "nearest",
        r"Let $x_{\text{old}} = m_{\text{old}}$ be the distance of the old table from its nearest distribution. The "
        r"new table is at most $t$ farther from the same one, and $m_{\text{new}}$ is its least distance.",
        le(new - old, apart),
        eq(old, to_old),
        to_new <= to_old + apart,
        new <= to_new,
        apart > 0,
        lines=r"m_{\text{new}} - m_{\text{old}} &\le t",
    )
