"""One record moves: the change of the mutual information, and bounds on it by gains of counts."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, enumerated, equal
from pan_proofs.tables.lemmas.information import (
    Shape,
    Table,
    by_weights,
    cells_of,
    cost,
    exponential,
    tables,
    weight,
    with_record,
)

SHAPES: tuple[tuple[Shape, int], ...] = (((2, 2), 6), ((2, 3), 5), ((3, 3), 4))
"""Shapes of small tables, each with the largest number of records."""

_c, _r, _s, _n = sp.symbols("c r s n", positive=True)
_row_gain, _column_gain, _cell_gain = sp.symbols("delta_R delta_C delta_N", real=True)
_old_row, _old_column, _old_cell = sp.symbols("delta_R' delta_C' delta_N'".replace("'", "_old"), real=True)
_shifted, _all = sp.symbols("delta_shifted delta_n", real=True)
_cost, _other = sp.symbols("phi phi_old", real=True)


def by_counts() -> Steps:
    """From the definition of the mutual information to weights of counts."""
    return (
        equal(
            "one_cell",
            r"This is the term of one cell with count $c$, in a row of $r$ and a column of $s$ of $n$ records, with "
            r"$\hat p = c/n$.",
            "",
            _c / _n * sp.log((_c / _n) / ((_r / _n) * (_s / _n))),
            (_c * sp.log(_c) - _c * sp.log(_r) - _c * sp.log(_s) + _c * sp.log(_n)) / _n,
        ),
        _row_sum(),
        enumerated(
            "by_weights",
            r"So $n\hat I = n \log n + \sum g(\text{cells}) - \sum g(\text{rows}) - \sum g(\text{columns})$ with "
            r"$g(c) = c\log c$. This is tested in fractions, as $e^{n\hat I}$, against the definition.",
            "exp(n I) by weights is exp(n I) by definition, in all small tables",
            (table for shape, most in SHAPES for records in range(1, most + 1) for table in tables(shape, records)),
            lambda table: by_weights(table) == exponential(table),
            mutant=lambda table: by_weights(table) * 2 == exponential(table) * sum(map(sum, table)),
            lines=r"n\hat I &= g(n) + \sum_{i,j} g(c_{ij}) - \sum_i g(r_i) - \sum_j g(s_j)",
        ),
    )


def _row_sum() -> Step:
    terms, total, logarithm, count = sp.symbols("T R Lambda c", real=True)
    return for_every_length(
        "row_sum",
        r"In a row, however long, the factor $\log r$ is common: with $\Lambda = \log r$ and the sum $R$ of the "
        r"counts,",
        Induction(
            "information.row_sum",
            eq(terms, logarithm * total),
            sp.Symbol("k", integer=True, nonnegative=True),
            (count,),
            {terms: terms + count * logarithm, total: total + count},
            ((1,), (4,), (2,)),
            {logarithm: sp.Integer(3)},
        ),
        lines=r"\sum_j c_j \Lambda &= \Lambda \sum_j c_j",
    )


def moved() -> Steps:
    """The change of ``n I`` by one record, given the other records."""
    before = weight(_c - 1) - weight(_r - 1) - weight(_s - 1)
    after = weight(_c) - weight(_r) - weight(_s)
    stated = -((weight(_r) - weight(_r - 1)) + (weight(_s) - weight(_s - 1)) - (weight(_c) - weight(_c - 1)))
    return (
        equal_as(
            "added_record",
            r"Fix the other $n-1$ records. A record in a cell changes three weights $g$: those of the cell, its row "
            r"and its column. With their counts $N, R, C$, the record included, it adds $-\varphi$ to $n\hat I$, with "
            r"$\varphi = \delta(R) + \delta(C) - \delta(N)$.",
            (lambda: after - before, stated),
            r"&\bigl(g(N) - g(R) - g(C)\bigr) - \bigl(g(N-1) - g(R-1) - g(C-1)\bigr)",
            r"&\quad = -\bigl(\delta(R) + \delta(C) - \delta(N)\bigr) = -\varphi",
        ),
        enumerated(
            "moved_record",
            r"The other records are common to two adjacent tables, so that the change of $n\hat I$ is the difference "
            r"of two such $\varphi$. This is tested in fractions in all small tables.",
            "the ratio of exp(n I) is the ratio of the costs of the two records",
            (
                (common, one, other)
                for shape, most in SHAPES
                for records in range(2, most)
                for common in tables(shape, records - 1)
                for one in cells_of(shape)
                for other in cells_of(shape)
            ),
            _ratio_of_costs,
            mutant=lambda case: _ratio(case) == 1,
            lines=r"n\hat I(D') - n\hat I(D) &= \varphi_{\text{old}} - \varphi_{\text{new}}",
        ),
    )


def _ratio(case: tuple[Table, tuple[int, int], tuple[int, int]]) -> Fraction:
    common, one, other = case
    return exponential(with_record(common, one)) / exponential(with_record(common, other))


def _ratio_of_costs(case: tuple[Table, tuple[int, int], tuple[int, int]]) -> bool:
    common, one, other = case
    return _ratio(case) == cost(with_record(common, other), other) / cost(with_record(common, one), one)


def same_line() -> Step:
    """A record that stays in its row, or in its column."""
    return at_most(
        "same_line",
        r"If the record stays in its row, the gains of the row cancel. In the old column $N \le C$, and $\delta$ "
        r"rises. In the new one $\delta(N) \ge 0$ and $C \le n$. Columns are treated alike.",
        Inequality(
            "one_record.same_line",
            (_column_gain - _cell_gain) - (_old_column - _old_cell),
            _all,
            (
                _cell_gain >= 0,
                _column_gain <= _all,
                _old_column >= _old_cell,
                _all > 0,
            ),
            touching={_cell_gain: 0, _column_gain: 1, _all: 1, _old_column: 1, _old_cell: 1},
        ),
        lines=r"|\varphi_{\text{new}} - \varphi_{\text{old}}| &\le \delta(n)",
    )


def other_line_of_two() -> Steps:
    """A record that changes row and column, where there are two rows."""
    cell, column, line, rest = sp.symbols("N C R_old rest", real=True)
    return (
        at_most(
            "column_of_two",
            r"If it changes both, and there are two rows: the new column has $C = N + c$ records with $c$ in the old "
            r"row, which has $R_{\text{old}} \ge c + 1$ records, the moved one included.",
            Inequality(
                "one_record.column_of_two",
                column - cell + 1,
                line,
                (eq(column, cell + rest), line >= rest + 1, cell >= 1, rest >= 0),
                touching={column: 1, cell: 1, rest: 0, line: 1},
            ),
            lines=r"C - N + 1 &\le R_{\text{old}}",
        ),
        at_most(
            "both_of_two",
            r"A step of $\delta$ of $C - N$ from $N$ is at most the one from $1$, and $\delta$ rises: "
            r"$\delta(C) - \delta(N) \le \delta(C-N+1) \le \delta(R_{\text{old}})$.",
            Inequality(
                "one_record.both_of_two",
                (_row_gain + _column_gain - _cell_gain) - (_old_row + _old_column - _old_cell),
                _all,
                (
                    _column_gain - _cell_gain <= _shifted,
                    _shifted <= _old_row,
                    _old_column >= _old_cell,
                    _row_gain <= _all,
                    _all > 0,
                ),
                touching={
                    _row_gain: 1,
                    _all: 1,
                    _column_gain: 0,
                    _cell_gain: 0,
                    _shifted: 0,
                    _old_row: 0,
                    _old_column: 0,
                    _old_cell: 0,
                },
            ),
            lines=r"\varphi_{\text{new}} - \varphi_{\text{old}} &\le \delta(R) \le \delta(n)",
        ),
    )


def any_two_cells() -> Steps:
    """A record between any two cells."""
    return (
        at_most(
            "cost_at_least",
            r"The least $\varphi$: $N \le C$, and gains are not negative.",
            Inequality(
                "one_record.cost_at_least",
                sp.S.Zero,
                _row_gain + _column_gain - _cell_gain,
                (_column_gain >= _cell_gain, _row_gain >= 0, _cell_gain >= 0),
                touching={_row_gain: 0, _column_gain: 0, _cell_gain: 0},
                raised=sp.S.One,
            ),
            lines=r"0 &\le \varphi",
        ),
        at_most(
            "cost_at_most",
            r"The largest: with $C' = C - N + 1$ again $\delta(C) - \delta(N) \le \delta(C')$. Row and column without "
            r"the cell share no record, so that $R + C - N \le n$, and $R + C' \le n + 1$.",
            Inequality(
                "one_record.cost_at_most",
                _row_gain + _column_gain - _cell_gain,
                _row_gain + _shifted,
                (_column_gain - _cell_gain <= _shifted, _row_gain + _shifted > 0),
                touching={_row_gain: 1, _column_gain: 1, _cell_gain: 0, _shifted: 1},
            ),
            lines=r"\varphi &\le \delta(R) + \delta(C'), \quad R + C' \le n + 1",
        ),
        at_most(
            "between_two_cells",
            r"So two $\varphi$ differ by at most the largest one. Since $\delta$ rises, it has $R + C' = n + 1$.",
            Inequality(
                "one_record.between_two_cells",
                _cost - _other,
                _all,
                (_cost <= _all, _other >= 0, _all > 0),
                touching={_cost: 1, _other: 0, _all: 1},
            ),
            lines=r"|\varphi_{\text{new}} - \varphi_{\text{old}}| &\le \max_{R + C' = n+1} \bigl(\delta(R) + "
            r"\delta(C')\bigr)",
        ),
    )
