"""Scores that are distances: to independence, and to the joint distributions of the largest information."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.ledger.claim import Step, Steps
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
    """The same for counts that are symbols, where the signs of all differences are known.

    Raises
    ------
    ValueError
        If one is not known.
    """
    records = sp.Add(*(count for row in counts for count in row))
    found = [
        sp.Add(*(_absolute(counts[i][j] / records - sp.Rational(wanted[i][j])) for i, j in product(range(2), repeat=2)))
        for wanted in _LARGEST
    ]
    return -_smaller(*found) / 2


def _absolute(difference: sp.Expr) -> sp.Expr:
    whole = sp.factor(difference)
    if whole.is_nonnegative:
        return whole
    if whole.is_nonpositive:
        return -whole
    raise ValueError(f"the sign of {whole} is not known")


def _smaller(one: sp.Expr, other: sp.Expr) -> sp.Expr:
    apart = sp.factor(one - other)
    if apart.is_nonpositive:
        return one
    if apart.is_nonnegative:
        return other
    raise ValueError(f"the sign of {apart} is not known")


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
        (eq(old, to_old), to_new <= to_old + apart, new <= to_new, apart > 0),
        r"m_{\text{new}} - m_{\text{old}} &\le t",
    )


def products() -> Steps:
    """Products of two pairs of distributions."""
    p, q, p_new, q_new = sp.symbols("p q p_new q_new", nonnegative=True)
    total, distances, mass = sp.symbols("T E Q", real=True)
    factor, change, distance = sp.symbols("p f e", nonnegative=True)
    weight = sp.Symbol("q", nonnegative=True)
    return (
        bounded(
            "product_of_two",
            r"This bounds one cell of the products of the frequencies of rows and columns.",
            le(sp.Abs(p * q - p_new * q_new), p * sp.Abs(q - q_new) + q_new * sp.Abs(p - p_new)),
            (p >= 0, q >= 0, p_new >= 0, q_new >= 0),
            r"|pq - p'q'| &\le p\,|q - q'| + q'\,|p - p'|",
        ),
        over_entries(
            "row_of_products",
            r"A row, with $e_j = |q_j - q_j'|$ and $f = |p - p'|$; columns are added up alike. Since frequencies have "
            r"the sum $1$, all cells together have at most $\sum_j e_j + \sum_i f_i$.",
            eq(total, factor * distances + change * mass),
            sp.Symbol("k", nonnegative=True, integer=True),
            {total: factor * distance + change * weight, distances: distance, mass: weight},
            (distance, weight),
            ((1, 2), (3, 1)),
            r"\sum_j (p\,e_j + f\,q_j') &= p \sum_j e_j + f \sum_j q_j'",
            at={factor: 2, change: 1},
        ),
    )
