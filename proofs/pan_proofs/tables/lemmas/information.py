"""The empirical mutual information of a table of counts, and its change when one record moves to another cell.

With ``g(c) = c log c`` the mutual information times the number of records ``n`` is ``n log n`` plus the sum of ``g``
over the cells, minus the sums over rows and columns. The exponential of this is a fraction, so that tables are compared
in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod

import sympy as sp

Table = tuple[tuple[int, ...], ...]
"""Counts: a row for each value of one variable, a column for each value of the other."""
Cell = tuple[int, int]
"""A row and a column."""
Shape = tuple[int, int]
"""The numbers of rows and of columns."""


def weight(count: sp.Expr) -> sp.Expr:
    """``c log c``, which is 0 for ``c = 0``."""
    return sp.S.Zero if count == 0 else count * sp.log(count)


def gain(count: sp.Expr) -> sp.Expr:
    """``delta(c) = c log c - (c - 1) log(c - 1)``: the change of the weight by the last record."""
    return weight(count) - weight(count - 1)


def totals(counts: Sequence[Sequence[sp.Expr]]) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """The counts of the rows and of the columns."""
    return [sp.Add(*row) for row in counts], [sp.Add(*column) for column in zip(*counts, strict=True)]


def information(counts: Sequence[Sequence[sp.Expr]], base: sp.Expr = sp.E) -> sp.Expr:
    """The empirical mutual information from its definition, with counts that may be symbols."""
    rows, columns = totals(counts)
    records = sp.Add(*rows)
    return sp.Add(
        *(
            count / records * sp.log(count * records / (rows[i] * columns[j])) / sp.log(base)
            for i, row in enumerate(counts)
            for j, count in enumerate(row)
            if count != 0
        )
    )


def exponential(table: Table) -> Fraction:
    """``exp(n I)`` of a table of ``n`` records, from the definition: a product over the cells."""
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    records = sum(rows)
    return prod(
        (
            Fraction(count * records, rows[i] * columns[j]) ** count
            for i, row in enumerate(table)
            for j, count in enumerate(row)
            if count
        ),
        start=Fraction(1),
    )


def with_record(table: Table, cell: Cell) -> Table:
    """The table with one more record."""
    return tuple(tuple(count + ((i, j) == cell) for j, count in enumerate(row)) for i, row in enumerate(table))


def cells_of(shape: Shape) -> list[Cell]:
    """All cells."""
    return list(product(range(shape[0]), range(shape[1])))


def tables(shape: Shape, records: int) -> Iterator[Table]:
    """All tables of a shape with the given number of records."""
    for chosen in combinations_with_replacement(cells_of(shape), records):
        yield tuple(tuple(chosen.count((i, j)) for j in range(shape[1])) for i in range(shape[0]))


def tables_by_margins(shape: Shape, records: int) -> Iterator[Table]:
    """All tables of a shape, up to the order of rows and of columns: no margin has a count below a later one."""
    for table in tables(shape, records):
        rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
        if rows == sorted(rows, reverse=True) and columns == sorted(columns, reverse=True):
            yield table


def largest_ratio(shape: Shape, records: int) -> Fraction:
    """The exponential of ``n`` times the sensitivity, over all tables of a shape.

    The information does not depend on the order of the rows and columns, so that one order of the common records is
    enough.
    """
    found = Fraction(1)
    for common in tables_by_margins(shape, records - 1):
        values = [exponential(with_record(common, cell)) for cell in cells_of(shape)]
        found = max(found, max(values) / min(values))
    return found


def largest_move(shape: Shape, records: int) -> int:
    """The largest l1 distance between the counts of two tables of a shape of which one record differs."""
    found = 0
    for common in tables_by_margins(shape, records - 1):
        having = [with_record(common, cell) for cell in cells_of(shape)]
        for one, other in product(having, having):
            found = max(
                found,
                sum(abs(a - b) for row, line in zip(one, other, strict=True) for a, b in zip(row, line, strict=True)),
            )
    return found


def sensitivity(shape: Shape, records: int) -> sp.Expr:
    """The sensitivity, in nats, over all tables of a shape."""
    ratio = largest_ratio(shape, records)
    return sp.log(sp.Rational(ratio.numerator, ratio.denominator)) / records


def exact(number: Fraction) -> sp.Rational:
    """A fraction for sympy."""
    return sp.Rational(number.numerator, number.denominator)


def entropy_of(distribution: Sequence[Fraction]) -> sp.Expr:
    """The entropy in nats."""
    return sp.Add(*(-exact(one) * sp.log(exact(one)) for one in distribution if one))


def log_variance(distribution: Sequence[Fraction]) -> sp.Expr:
    """The variance of the logarithm of the probability of a random value."""
    squares = sp.Add(*(exact(one) * sp.log(exact(one)) ** 2 for one in distribution if one))
    return sp.expand(squares - entropy_of(distribution) ** 2)
