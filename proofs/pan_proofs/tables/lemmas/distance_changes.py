"""The change of the distance to independence by one record, for every number of records: its largest values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, lemma, related
from pan_proofs.tables.lemmas.distances import largest_change, to_independence
from pan_proofs.tables.lemmas.information import Table, with_record
from pan_proofs.tables.lemmas.uncertainty import exact

records = sp.Symbol("n", positive=True, integer=True)
change = sp.Symbol("Delta", nonnegative=True)
observed = sp.Symbol("Delta_R")
"""The largest change that is found by running tables."""
_k = sp.Symbol("k", nonnegative=True, integer=True)
_m = sp.Symbol("m", positive=True, integer=True)
_old_row, _old_column, _new_row, _new_column, others = sp.symbols("A B C D N", nonnegative=True)
"""Counts of the rows and columns that a record leaves and enters, and of all records, each without this record."""
_lost = sp.Symbol("t", real=True)
"""The change of the absolute value of the cell that the record leaves."""
_count, _product, _rest = sp.symbols("z P h", nonnegative=True)
_long, _wide, root = sp.symbols("x y g", positive=True)
_first, _second, _third, _both = sp.symbols("s t u P", nonnegative=True)
_here, _there, _cell = sp.symbols("e f K", real=True)

BINARY: tuple[tuple[tuple[int, int], int], ...] = (((2, 2), 6), ((2, 3), 6), ((2, 4), 6))
WIDE: tuple[tuple[tuple[int, int], int], ...] = (((3, 3), 6), ((3, 4), 6))
"""Shapes of tables, each with the largest number of records of which all tables are run."""
MOST = 25
"""The largest number of records for which the tables that attain the bound are run."""
LARGEST = 3 * records - 1 - 2 * sp.sqrt(records)
"""``n^2`` times the change is the largest whole number that is not above this."""
_TWO_ROWS = (
    eq(_old_row + _new_row, others),
    le(_old_column + _new_column, others),
)
_ROWS = (
    le(_old_row + _new_row, others),
    le(_old_column + _new_column, others),
)
_OF_TWO = sp.Abs(others - _new_column - _new_row) + sp.Abs(_old_row + _old_column - others)
_CROSSED = sp.Abs(_new_row - _old_column) + sp.Abs(_new_column - _old_row)
_COLUMNS = 2 * (others - _old_column - _new_column)
_LINES = 2 * (others - _old_row - _new_row)
OF_BINARY = le(_OF_TWO + _CROSSED + _COLUMNS, 4 * others)
"""The change of all cells of two rows."""
SIDES = tuple(ge(one, 1) for one in (_long, _wide, root))
WHOLE = le(
    5 * (root**2 - 1) - (_long + _wide - 2) + (_long - 1) * (_wide - 1) - sp.Abs(root**2 - _long * _wide),
    6 * root**2 - 2 - 4 * root,
)
"""The change of all cells for a record that leaves lines with ``x - 1`` and ``y - 1`` other records; ``n = g^2``."""


def bound(number: int) -> int:
    """The largest whole number that is at most ``3 n - 1 - 2 sqrt(n)``."""
    below = isqrt(4 * number)
    return 3 * number - 1 - below - (below**2 < 4 * number)


def by_cells() -> Step:
    """A record that is put into a table changes the cells of its row and of its column."""
    return equal_as(
        "record_put_in",
        r"Fix the other $N = n - 1$ records: let a cell have $K$ of them, its row $A$ and its column $B$. "
        r"$2n^2R$ is the sum of $|n c_{ij} - r_i s_j|$ over the cells. Let $e$ and $f$ be $1$ if the last record "
        r"is in this row and in this column, and $0$ otherwise.",
        (
            lambda: sp.expand(
                records * (_cell + _here * _there)
                - (_old_row + _here) * (_old_column + _there)
                - (records * _cell - _old_row * _old_column)
            ),
            (records - 1) * _here * _there - _here * _old_column - _there * _old_row,
        ),
        r"n(K + ef) - (A + e)(B + f) &= nK - AB + (n-1)\,ef - eB - fA",
    )


def same_row() -> Step:
    """A record that stays in its row, or in its column."""
    smaller = 2 * sp.Abs(others - _old_row) + 2 * (others - _old_row)
    return at_most(
        "same_row_of_R",
        r"A record that stays in its row, with $A$ others, changes the two cells of it by $N - A$, and each other cell "
        r"of both columns by the count of its row. Columns are treated alike.",
        Inequality(
            "distance_changes.same_row",
            smaller,
            4 * others,
            (le(_old_row, others),),
            touching={_old_row: 0, others: 1},
        ),
        lines=r"2\,|N - A| + 2\,(N - A) &\le 4N",
    )


def two_rows() -> Steps:
    """The largest change for two rows, and the tables that attain it."""
    apart = ((_k + 1, sp.S.Zero), (sp.S.Zero, sp.S.One))
    alone = ((_k + 2, sp.S.Zero), (sp.S.Zero, sp.S.Zero))
    return (
        by_cells(),
        same_row(),
        at_most(
            "two_rows_of_R",
            r"If it changes both, let $A$ and $B$ be the others in the old row and column, and $C$ and $D$ those in "
            r"the new ones. With two rows $A + C = N$. The first four terms are the cells in which these lines "
            r"cross; each other column changes by twice its count.",
            Inequality(
                "distance_changes.two_rows",
                OF_BINARY.lhs,
                OF_BINARY.rhs,
                _TWO_ROWS,
                touching={_old_row: 1, others: 1, _new_row: 0, _old_column: 0, _new_column: 0},
            ),
            lines=r"|N - C - D| + |A + B - N| + |C - B| + |D - A| + 2\,(N - B - D) &\le 4N",
        ),
        equal_as(
            "two_rows_attained",
            r"So $R$ changes by at most $\frac{4N}{2n^2}$. This is attained: $n = k + 2$ records in one cell have "
            r"$R = 0$, and one of them moves to the opposite cell.",
            (
                lambda: _distance(apart) - _distance(alone),
                2 * (_k + 1) / (_k + 2) ** 2,
            ),
            r"R(n-1, 0;\, 0, 1) - R(n, 0;\, 0, 0) &= \frac{2(n-1)}{n^2}",
        ),
        related(
            "two_rows_tested",
            r"This is tested in fractions for all tables of two rows with up to six records.",
            "the largest change of R over all tables of two rows",
            eq(observed, 2 * (records - 1) / records**2),
            (
                {observed: exact(largest_change(to_independence, shape, number)), records: sp.Integer(number)}
                for shape, most in BINARY
                for number in range(2, most + 1)
            ),
            mutant=eq(observed, 2 / records),
            parameters=(records,),
            lines=r"\Delta R &= \tfrac{2(n-1)}{n^2}",
        ),
    )


def _distance(counts: Sequence[Sequence[sp.Expr]]) -> sp.Expr:
    """``R`` of counts that are symbols, where the signs of all differences are known."""
    rows, columns = [sp.Add(*row) for row in counts], [sp.Add(*column) for column in zip(*counts, strict=True)]
    number = sp.Add(*rows)
    apart = [
        sp.factor(number * count - rows[i] * columns[j]) for i, row in enumerate(counts) for j, count in enumerate(row)
    ]
    unknown = [one for one in apart if one.is_nonnegative is None and one.is_nonpositive is None]
    if unknown:
        raise ValueError(f"the sign of {unknown[0]} is not known")
    return sp.factor(sp.Add(*(one if one.is_nonnegative else -one for one in apart)) / (2 * number**2))


def more_rows() -> Steps:
    """A bound for any numbers of rows and columns, and the tables that attain it."""
    return (
        at_most(
            "old_cell",
            r"The cell that the record leaves, if $h = N - A - B \ge 0$: with $z = nK$ and $P = AB$ its absolute value "
            r"rises most for $K = 0$: by at most $t = P - |h - P|$.",
            Inequality(
                "distance_changes.old_cell",
                sp.Abs(_count - _product) - sp.Abs(_count - _product + _rest),
                _product - sp.Abs(_rest - _product),
                (),
                touching={_count: 0, _product: 1, _rest: 1},
                raised=sp.S.One,
            ),
            lines=r"|z - P| - |z - P + h| &\le P - |h - P|",
        ),
        at_most(
            "all_cells_of_R",
            r"All cells together, where the cell that it leaves rises by $t$. Their change is that of $2n^2R$, and "
            r"the other steps of the part above hold as well.",
            Inequality(
                "distance_changes.all_cells",
                _lost + sp.Abs(others - _new_column - _new_row) + _CROSSED + _COLUMNS + _LINES,
                _lost + 5 * others - _old_row - _old_column,
                _ROWS,
                touching=dict.fromkeys((_new_row, _new_column, _old_row, _old_column, _lost), 0) | {others: 1},
                raised=sp.S.One,
            ),
            lines=r"t + |N - C - D| + |C - B| + |D - A| + 2\,(N - B - D) + 2\,(N - A - C) &\le t + 5N - A - B",
        ),
        at_most(
            "crowded_lines",
            r"If $h < 0$, then $t \le A + B - N$, and all cells change by at most $4N$, as for a record that stays in "
            r"a line. With $n = g^2$ this is not above the bound below.",
            Inequality(
                "distance_changes.crowded",
                4 * (root**2 - 1),
                6 * root**2 - 2 - 4 * root,
                (ge(root, 1),),
                touching={root: 1},
                raised=sp.S.One,
            ),
            lines=r"4\,(n-1) &\le 6n - 2 - 4g",
        ),
        at_most(
            "sides_of_R",
            r"Otherwise let $x = A + 1$ and $y = B + 1$, so that $P - |h - P| = (x-1)(y-1) - |n - xy|$. Of all $x$ "
            r"and $y$ the change of all cells is largest for $x = y = g$.",
            Inequality(
                "distance_changes.sides",
                WHOLE.lhs,
                WHOLE.rhs,
                SIDES,
                touching={_long: 2, _wide: 2, root: 2},
                raised=sp.S.One,
            ),
            lines=r"5\,(n-1) - (x + y - 2) + (x-1)(y-1) - |n - xy| &\le 6n - 2 - 4g",
        ),
        *_attained(),
    )


_AT_MOST = le(observed * records**2, LARGEST)
_MORE_THAN = gt(observed * records**2 + 1, LARGEST)


def _cells(counts: Sequence[Sequence[sp.Expr]]) -> sp.Expr:
    """``2 n^2 R`` of counts that are symbols, with a symbol for the product of the first two."""
    rows, columns = [sp.Add(*row) for row in counts], [sp.Add(*column) for column in zip(*counts, strict=True)]
    number = sp.Add(*rows)
    return sp.Add(
        *(
            sp.Abs(sp.expand(number * count - rows[i] * columns[j]).subs(_first * _second, _both))
            for i, row in enumerate(counts)
            for j, count in enumerate(row)
        )
    )


def _moved() -> sp.Expr:
    zero, one, s, t, u = sp.S.Zero, sp.S.One, _first, _second, _third
    return _cells(((zero, s, zero), (t, u, zero), (zero, zero, one))) - _cells(((one, s), (t, u)))


ATTAINED_GIVEN = (le(_third, _both),)
ATTAINED = le(6 * (_first + _second + _third) - 2 * (_first + _second), _moved())
"""The change of all cells between the two tables that attain it."""


_rows = sp.Symbol("n", positive=True)
NEARLY_EQUAL = le(4 * _rows - 1, 4 * _long * _wide)
NEARLY_EQUAL_GIVEN = (
    ge((_long + _wide) ** 2, 4 * _rows),
    le((_long - _wide) ** 2, 1),
)
"""Sides that differ by 1 at most, and whose sum is at least ``2 sqrt(n)``."""


def attaining(number: int) -> tuple[Table, Table]:
    """Two adjacent tables of three rows and columns between which ``R`` changes most."""
    sides = isqrt(4 * number - 1) + 1
    one, two = sides // 2 - 1, sides - sides // 2 - 1
    common: Table = ((0, one, 0), (two, number - 1 - one - two, 0), (0, 0, 0))
    return with_record(common, (0, 0)), with_record(common, (2, 2))


def _largest_found(number: int) -> Fraction:
    one, other = map(to_independence, attaining(number))
    return other - one


def _attained() -> Steps:
    return (
        at_most(
            "more_rows_attained",
            r"It is attained. A row has $s$ of the others in one column, another row has $u$ in the same column and "
            r"$t$ in a second one. The record leaves the first row and the second column for lines of its own. Then "
            r"$x = s + 1$, $y = t + 1$ and $n = s + t + u + 1$; $\lVert\cdot\rVert$ is the sum of the absolute values "
            r"of all cells. If $P = st \ge u$, which says $xy \ge n$:",
            Inequality(
                "distance_changes.attained",
                ATTAINED.lhs,
                ATTAINED.rhs,
                ATTAINED_GIVEN,
                touching={_first: 1, _second: 1, _third: 1, _both: 1},
            ),
            lines=r"6\,(n-1) - 2\,(s+t) &\le \lVert 0, s, 0;\, t, u, 0;\, 0, 0, 1 \rVert - \lVert 1, s;\, t, u \rVert",
        ),
        at_most(
            "nearly_equal",
            r"Let $x + y = r$ be the least whole number that is not below $2\sqrt n$, and $x$, $y$ as equal as "
            r"possible. "
            r"Then $xy > n - 1$, and $xy \ge n$ as a whole number. So $n^2\Delta R = 3n - 1 - r$ for every $n$.",
            Inequality(
                "distance_changes.nearly_equal",
                NEARLY_EQUAL.lhs,
                NEARLY_EQUAL.rhs,
                NEARLY_EQUAL_GIVEN,
                touching={_rows: sp.Rational(9, 4), _long: 1, _wide: 2},
            ),
        ),
        *(
            related(
                f"more_rows_{name}",
                text,
                "n^2 times the largest change of R over all tables of a shape, and over two tables for larger n",
                relation,
                _cases(),
                mutant=mutant,
                parameters=(records,),
                lines=(line,),
            )
            for name, text, relation, mutant, line in (
                (
                    "bounded",
                    r"$n^2R$ is a whole number, since the differences $nc_{ij} - r_is_j$ have the sum $0$. This is "
                    r"tested in fractions for all small tables, "
                    r"and for the tables above up to $n = 25$.",
                    _AT_MOST,
                    le(observed * records**2, LARGEST - 1),
                    r"n^2\,\Delta R &\le 3n - 1 - 2\sqrt n",
                ),
                (
                    "reached",
                    r"No whole number between is left.",
                    _MORE_THAN,
                    gt(observed * records**2, LARGEST),
                    r"n^2\,\Delta R + 1 &> 3n - 1 - 2\sqrt n",
                ),
            )
        ),
        lemma(
            "share_of_R",
            r"Along $n = m^2$ the value is $(3m + 1)(m - 1)$, so that $n\,\Delta R$ tends to $3$.",
            tends_to("distance_changes.share", (3 * _m + 1) * (_m - 1) / _m**2, _m, sp.oo, sp.Integer(3)),
            r"\lim_{m \to \infty} \frac{(3m+1)(m-1)}{m^2} &= 3",
        ),
    )


def _cases() -> list[dict[sp.Symbol, sp.Expr]]:
    every = [
        (exact(largest_change(to_independence, shape, number)), number)
        for shape, most in WIDE
        for number in range(2, most + 1)
    ]
    more = [(exact(_largest_found(number)), number) for number in range(2, MOST + 1)]
    return [{observed: found, records: sp.Integer(number)} for found, number in (*every, *more)]


def _among(most: int) -> sp.Basic:
    return sp.Or(*(eq(records, number) for number in range(2, most + 1)))


def stated_of_two_rows() -> tuple[str, ...]:
    """The change of all cells of two rows, and the value that is attained, formally."""
    return (
        *symbolic(OF_BINARY, given=_TWO_ROWS),
        *symbolic(eq(change, 2 * (_k + 1) / (_k + 2) ** 2)),
    )


def stated_of_more_rows() -> tuple[str, ...]:
    """The bound on all cells, the largest changes, and their limit, formally."""
    share = (3 * _m + 1) * (_m - 1) / _m**2
    return (
        *symbolic(WHOLE, given=SIDES),
        *symbolic(ATTAINED, given=ATTAINED_GIVEN),
        *symbolic(NEARLY_EQUAL, given=NEARLY_EQUAL_GIVEN),
        *symbolic(_AT_MOST, given=(_among(MOST),)),
        *symbolic(_MORE_THAN, given=(_among(MOST),)),
        *symbolic(eq(sp.Limit(share, _m, sp.oo), 3)),
    )
