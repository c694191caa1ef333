"""Lemma 3.1 of the thesis: the sensitivity of the empirical mutual information, in every base."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes, over_entries
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, equal
from pan_proofs.tables.lemmas.information import (
    Shape,
    Table,
    by_weights,
    cells_of,
    cost,
    exponential,
    gain,
    gains,
    information,
    largest_ratio,
    sensitivity,
    tables,
    weight,
    with_record,
)

_k_gains, _z, _count, _middle, _row_gain, _column_gain, _cell_gain, _shifted, _all, _cost, _other, _even_change = (
    sp.symbols("k z N m delta_R delta_C delta_N delta_shifted delta_n phi phi_old Delta_even", real=True)
)
_c, _r, _s, _n_one, _above = sp.symbols("c r s n y", positive=True)
_n, _k = sp.symbols("n k", integer=True, positive=True)
_change = sp.Symbol("Delta", nonnegative=True)
_largest = sp.Symbol("Delta")
_half = sp.Rational(1, 2)
SHAPES: tuple[tuple[Shape, int], ...] = (((2, 2), 6), ((2, 3), 5), ((3, 3), 4))
"""Shapes of small tables, each with the largest number of records."""
_old_row, _old_column, _old_cell = sp.symbols("delta_R' delta_C' delta_N'".replace("'", "_old"), real=True)
_base = 1 + _above
"""A base of logarithms above 1."""
_BINARY: tuple[tuple[Shape, int], ...] = (((2, 2), 7), ((2, 3), 6), ((2, 4), 6), ((3, 2), 6))
_WIDE: tuple[tuple[Shape, int], ...] = (((3, 3), 6), ((3, 4), 6))


def printed_binary(records: sp.Expr, base: sp.Expr = sp.E) -> sp.Expr:
    """The first branch as it is printed."""
    rest = records - 1
    return (sp.log(records) / records + rest / records * sp.log(records / rest)) / sp.log(base)


def printed_wide(records: sp.Expr, base: sp.Expr = sp.E) -> sp.Expr:
    """The second branch as it is printed."""
    rest = records - 1
    return (2 / records * sp.log((records + 1) / 2) + rest / records * sp.log((records + 1) / rest)) / sp.log(base)


def true_wide(half: sp.Expr, base: sp.Expr = sp.E) -> sp.Expr:
    """The sensitivity for an even number of records, given half of it."""
    return (gain(half) + gain(half + 1)) / (2 * half) / sp.log(base)


def mutual_information_sensitivity() -> Claim:
    """Both branches; the second is attained for odd numbers of records only."""
    return Claim(
        id="bayesnet.mutual_information_sensitivity",
        title="Sensitivity of the empirical mutual information",
        references=(
            Reference(
                "networks",
                "Lemma 3.1, section 3.3.1",
                "the proof is left to another paper; logarithms are natural in the whole text",
            ),
        ),
        statement=r"If one of $n$ records changes, the empirical mutual information $\hat I(X; Y)$ changes by at "
        r"most, and in some table by, $\frac1n \log n + \frac{n-1}{n} \log\frac{n}{n-1}$ if $X$ or $Y$ is binary, and "
        r"$\frac2n \log\frac{n+1}{2} + \frac{n-1}{n} \log\frac{n+1}{n-1}$ otherwise.",
        notation=(
            (
                "$c_{ij}$, $r_i$, $s_j$",
                "counts of a cell, of its row $i$ and of its column $j$; of one row the cells are $c_j$",
            ),
            ("$D$, $D'$", "adjacent tables"),
            (
                r"$\varphi_{\text{old}}$, $\varphi_{\text{new}}$",
                r"the cost $\varphi$ of the record before and after it moves",
            ),
            (r"$\Delta$", "largest change over all tables that are run"),
            ("$y$", "base of the logarithm, less $1$"),
        ),
        hypotheses=("adjacent tables have $n$ records, of which one differs (bounded adjacency)",),
        silent=(
            r"$n \ge 2$",
            "binary means exactly two values; in the second branch both variables have at least three",
            "the logarithms of the score and of the formula have the same base",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "a binary variable",
                r"The sensitivity is as printed in the first branch, for every $n \ge 2$ and every base above $1$.",
                (
                    equal(
                        "one_cell",
                        r"This is the term of one cell with count $c$, in a row of $r$ and a column of $s$ of $n$ "
                        r"records, with $\hat p = c/n$.",
                        "",
                        _c / _n_one * sp.log((_c / _n_one) / ((_r / _n_one) * (_s / _n_one))),
                        (_c * sp.log(_c) - _c * sp.log(_r) - _c * sp.log(_s) + _c * sp.log(_n_one)) / _n_one,
                    ),
                    _row_sum(),
                    enumerated(
                        "by_weights",
                        r"So $n\hat I = n \log n + \sum g(\text{cells}) - \sum g(\text{rows}) - \sum "
                        r"g(\text{columns})$ with $g(c) = c\log c$. This is tested in fractions, as $e^{n\hat I}$, "
                        r"against the definition.",
                        "exp(n I) by weights is exp(n I) by definition, in all small tables",
                        (
                            table
                            for shape, most in SHAPES
                            for records in range(1, most + 1)
                            for table in tables(shape, records)
                        ),
                        lambda table: by_weights(table) == exponential(table),
                        mutant=lambda table: by_weights(table) * 2 == exponential(table) * sum(map(sum, table)),
                        lines=r"n\hat I &= g(n) + \sum_{i,j} g(c_{ij}) - \sum_i g(r_i) - \sum_j g(s_j)",
                    ),
                    *moved(),
                    by_slopes(
                        "gain_rises",
                        r"$\delta(k) = k \log k - (k-1) \log(k-1)$ is $0$ at $k = 1$, since $x \log x$ tends to $0$ "
                        r"at $0$. It rises: its derivative is $\log\frac{k}{k-1}$.",
                        Slopes(
                            "gain.positive",
                            gain(_k_gains),
                            _k_gains,
                            sp.S.One,
                            {_k_gains: sp.Rational(101, 100)},
                            _half,
                            strict=True,
                        ),
                        Slopes(
                            "gain.rises",
                            sp.diff(gain(_k_gains), _k_gains),
                            _k_gains,
                            sp.S.One,
                            {_k_gains: 20},
                            _half,
                            strict=True,
                        ),
                        lines=(r"\delta(k) &> 0 \quad (k > 1)", r"\delta'(k) &> 0 \quad (k > 1)"),
                    ),
                    steps_shrink(),
                    bounded(
                        "same_line",
                        r"If the record stays in its row, the gains of the row cancel. In the old column $N \le C$, "
                        r"and $\delta$ rises. In the new one $\delta(N) \ge 0$ and $C \le n$. Columns are treated "
                        r"alike.",
                        le((_column_gain - _cell_gain) - (_old_column - _old_cell), _all),
                        _cell_gain >= 0,
                        _column_gain <= _all,
                        _old_column >= _old_cell,
                        _all > 0,
                        lines=r"|\varphi_{\text{new}} - \varphi_{\text{old}}| &\le \delta(n)",
                    ),
                    *other_line_of_two(),
                    *_binary_attained(),
                    enumerated(
                        "binary_tested",
                        r"The largest change over all tables of up to six records, computed in fractions, is "
                        r"$e^{\delta(n)}$.",
                        "the largest ratio of exp(n I) over all pairs of tables of a shape is n^n/(n-1)^(n-1)",
                        ((shape, records) for shape, most in _BINARY for records in range(2, most + 1)),
                        lambda case: largest_ratio(*case) == gains(case[1]),
                        mutant=lambda case: largest_ratio(*case) == case[1],
                    ),
                    by_slopes(
                        "bases",
                        r"Score and formula in base $1 + y$ are both the natural ones over $\log(1+y) > 0$.",
                        Slopes(
                            "information.bases",
                            sp.log(1 + _above),
                            _above,
                            sp.S.Zero,
                            {_above: 1},
                            sp.S.One,
                            strict=True,
                        ),
                        lines=r"\log(1+y) &> 0 \quad (y > 0)",
                    ),
                ),
                formal=symbolic(eq(_change, printed_binary(_k + 1, _base))),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "two records",
                r"For $n = 2$ and variables with three values or more the sensitivity is less than printed. Two "
                r"adjacent tables have at most three values of each variable, so that three by three cells show all "
                r"changes.",
                counterexample(
                    "two_records",
                    r"All tables of two records are run. The largest change is $\log 2$: two equal records, of which "
                    r"one moves to another row and another column.",
                    ge(_largest, printed_wide(_n)),
                    {_largest: lambda: sensitivity((3, 3), 2), _n: 2},
                ),
            ),
            derived(
                Role.AMENDED,
                "no binary variable",
                r"The sensitivity is as printed in the second branch for odd $n \ge 3$. For even $n$ it is $\frac1n "
                r"\left(\delta(\frac n2) + \delta(\frac n2 + 1)\right)$ with $\delta(k) = k \log k - (k-1) "
                r"\log(k-1)$, which is less than printed. So the printed value is a bound for every $n \ge 2$. In the "
                r"last formula $m = \frac{n+1}{2}$, and $z = \frac12$ for even $n > 2$.",
                bounded(
                    "cost_at_least",
                    r"The least $\varphi$: $N \le C$, and gains are not negative.",
                    le(sp.S.Zero, _row_gain + _column_gain - _cell_gain),
                    _column_gain >= _cell_gain,
                    _row_gain >= 0,
                    _cell_gain >= 0,
                    lines=r"0 &\le \varphi",
                    raised=1,
                ),
                bounded(
                    "cost_at_most",
                    r"The largest: with $C' = C - N + 1$ again $\delta(C) - \delta(N) \le \delta(C')$. Row and "
                    r"column without the cell share no record, so that $R + C - N \le n$, and $R + C' \le n + 1$.",
                    le(_row_gain + _column_gain - _cell_gain, _row_gain + _shifted),
                    _column_gain - _cell_gain <= _shifted,
                    _row_gain + _shifted > 0,
                    lines=r"\varphi &\le \delta(R) + \delta(C'), \quad R + C' \le n + 1",
                ),
                bounded(
                    "between_two_cells",
                    r"So two $\varphi$ differ by at most the largest one. Since $\delta$ rises, it has $R + C' = "
                    r"n + 1$.",
                    le(_cost - _other, _all),
                    _cost <= _all,
                    _other >= 0,
                    _all > 0,
                    lines=r"|\varphi_{\text{new}} - \varphi_{\text{old}}| &\le \max_{R + C' = n+1} \bigl(\delta(R) + "
                    r"\delta(C')\bigr)",
                ),
                middle(),
                near_the_middle(),
                *_wide_attained(),
                enumerated(
                    "wide_tested",
                    r"The largest change over all tables of up to six records is computed in fractions.",
                    "the largest ratio of exp(n I) over all pairs of tables of a shape is that of the two middle gains",
                    ((shape, records) for shape, most in _WIDE for records in range(2, most + 1)),
                    lambda case: largest_ratio(*case) == gains((case[1] + 1) // 2, case[1] // 2 + 1),
                    mutant=lambda case: largest_ratio(*case) == gains(case[1]),
                ),
                only=("middle",),
                formal=symbolic(
                    eq(_change, printed_wide(2 * _k + 1, _base)), eq(_even_change, true_wide(_k + 1, _base))
                ),
            ),
        ),
        remark=r"The alternative scores of the same section have the entry bayesnet.score\_sensitivities.",
    )


def _binary_attained() -> Steps:
    """All records in one cell, against one record in the opposite cell."""
    apart = ((_k, sp.S.Zero), (sp.S.Zero, sp.S.One))
    alone = ((_k + 1, sp.S.Zero), (sp.S.Zero, sp.S.Zero))
    return (
        equal_as(
            "binary_bound",
            r"The bound $\delta(n)/n$ is the printed value; $n = k + 1$.",
            (
                lambda: gain(_k + 1) / (_k + 1),
                printed_binary(_k + 1),
            ),
            r"\frac{\delta(n)}{n} &= \frac1n \log n + \frac{n-1}{n} \log\frac{n}{n-1}",
        ),
        equal_as(
            "binary_attained",
            r"It is attained: $n$ records in one cell have no mutual information; one of them moves to another row "
            r"and another column.",
            (
                lambda: information(apart, _base) - _of_one_cell(alone),
                printed_binary(_k + 1, _base),
            ),
            r"\hat I(n-1, 0;\, 0, 1) - \hat I(n, 0;\, 0, 0) "
            r"&= \frac1n \log n + \frac{n-1}{n} \log\frac{n}{n-1}",
        ),
    )


def _of_one_cell(counts: tuple[tuple[sp.Expr, ...], ...]) -> sp.Expr:
    return sp.simplify(information(counts, _base))


def _wide_attained() -> Steps:
    """A row and a column that share one record, which moves to a row and a column of its own."""
    zero, one = sp.S.Zero, sp.S.One
    odd = ((one, _k, zero), (_k, zero, zero), (zero, zero, zero))
    moved_odd = ((zero, _k, zero), (_k, zero, zero), (zero, zero, one))
    even = ((one, _k, zero), (_k + 1, zero, zero), (zero, zero, zero))
    moved_even = ((zero, _k, zero), (_k + 1, zero, zero), (zero, zero, one))
    return (
        equal_as(
            "odd_bound",
            r"For $n = 2k + 1$ the bound is $2\delta(\frac{n+1}{2})/n$, which is the printed value.",
            (
                lambda: 2 * gain(_k + 1) / (2 * _k + 1),
                printed_wide(2 * _k + 1),
            ),
            r"\frac2n\,\delta\bigl(\tfrac{n+1}{2}\bigr) &= \frac2n \log\frac{n+1}{2} + \frac{n-1}{n} "
            r"\log\frac{n+1}{n-1}",
        ),
        equal_as(
            "odd_attained",
            r"It is attained: a row and a column of $k + 1$ records share one, which moves to a row and a column "
            r"of its own.",
            (
                lambda: information(moved_odd, _base) - information(odd, _base),
                printed_wide(2 * _k + 1, _base),
            ),
            r"\hat I(0, k, 0;\, k, 0, 0;\, 0, 0, 1) - \hat I(1, k, 0;\, k, 0, 0;\, 0, 0, 0) &= \frac2n "
            r"\log\frac{n+1}{2} + \frac{n-1}{n} \log\frac{n+1}{n-1}",
        ),
        equal_as(
            "even_attained",
            r"For even $n = 2k + 2$ the largest pair of whole numbers is $k + 1$ and $k + 2$. It is attained "
            r"alike; for $n = 2$ the tables above attain it.",
            (
                lambda: information(moved_even, _base) - information(even, _base),
                true_wide(_k + 1, _base),
            ),
            r"\hat I(0, k, 0;\, k+1, 0, 0;\, 0, 0, 1) - "
            r"\hat I(1, k, 0;\, k+1, 0, 0;\, 0, 0, 0) "
            r"&= \frac1n \bigl(\delta(\tfrac n2) + \delta(\tfrac n2 + 1)\bigr)",
        ),
    )


def steps_shrink() -> Step:
    """A step of the gain from 1 is at least as large as the same step from a later place."""
    later = gain(_count + _z) - gain(_count)
    return by_slopes(
        "gain_steps",
        r"Its steps get smaller: for $N > 1$ and $z > 0$ a step of $z$ from $N$ is at most the same step from $1$, "
        r"where $\delta(1) = 0$. For $N = 1$ or $z = 0$ the two sides are equal.",
        Slopes(
            "gain.steps",
            gain(1 + _z) - later,
            _z,
            sp.S.Zero,
            {_z: sp.Rational(1, 100), _count: sp.Rational(3, 2)},
            _half,
            conditions=(gt(_count, 1),),
        ),
        lines=r"\delta(N+z) - \delta(N) &\le \delta(1+z)",
    )


def middle() -> Step:
    """Two gains of a given total of counts are largest in the middle."""
    point = {_z: sp.Rational(1, 100), _middle: 3}
    return by_slopes(
        "middle",
        r"Of all pairs with the sum $2m$ the two equal ones have the largest gains, and all others smaller ones.",
        Slopes(
            "gain.middle",
            2 * gain(_middle) - gain(_middle - _z) - gain(_middle + _z),
            _z,
            sp.S.Zero,
            point,
            _half,
            end=_middle - 1,
            conditions=(gt(_middle, 1),),
            strict=True,
        ),
        lines=r"\delta(m-z) + \delta(m+z) &< 2\delta(m) \quad (0 < z < m-1)",
    )


def near_the_middle() -> Step:
    """Of the pairs at least one half away from the middle the nearest have the largest gains."""
    point = {_z: sp.Rational(51, 100), _middle: 3}
    return by_slopes(
        "near_the_middle",
        r"Whole numbers with an odd sum $2m$ are at least $\frac12$ away from $m$. The nearest have the largest gains.",
        Slopes(
            "gain.near_the_middle",
            gain(_middle - _half) + gain(_middle + _half) - gain(_middle - _z) - gain(_middle + _z),
            _z,
            _half,
            point,
            _half,
            end=_middle - 1,
            conditions=(gt(_middle, sp.Rational(3, 2)),),
            strict=True,
        ),
        lines=r"\delta(m-z) + \delta(m+z) &< \delta(m-\tfrac12) + \delta(m+\tfrac12) \quad (\tfrac12 < z < m-1)",
    )


def _row_sum() -> Step:
    terms, total, logarithm, count = sp.symbols("T R Lambda c", real=True)
    return over_entries(
        "row_sum",
        r"In a row, however long, the factor $\log r$ is common: with $\Lambda = \log r$ and the sum $R$ of the "
        r"counts,",
        eq(terms, logarithm * total),
        sp.Symbol("k", integer=True, nonnegative=True),
        {terms: count * logarithm, total: count},
        (count,),
        ((1,), (4,), (2,)),
        r"\sum_j c_j \Lambda &= \Lambda \sum_j c_j",
        at={logarithm: 3},
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


def other_line_of_two() -> Steps:
    """A record that changes row and column, where there are two rows."""
    cell, column, line, rest = sp.symbols("N C R_old rest", real=True)
    return (
        bounded(
            "column_of_two",
            r"If it changes both, and there are two rows: the new column has $C = N + c$ records with $c$ in the old "
            r"row, which has $R_{\text{old}} \ge c + 1$ records, the moved one included.",
            le(column - cell + 1, line),
            eq(column, cell + rest),
            line >= rest + 1,
            cell >= 1,
            rest >= 0,
            lines=r"C - N + 1 &\le R_{\text{old}}",
        ),
        bounded(
            "both_of_two",
            r"A step of $\delta$ of $C - N$ from $N$ is at most the one from $1$, and $\delta$ rises: "
            r"$\delta(C) - \delta(N) \le \delta(C-N+1) \le \delta(R_{\text{old}})$.",
            le((_row_gain + _column_gain - _cell_gain) - (_old_row + _old_column - _old_cell), _all),
            _column_gain - _cell_gain <= _shifted,
            _shifted <= _old_row,
            _old_column >= _old_cell,
            _row_gain <= _all,
            _all > 0,
            lines=r"\varphi_{\text{new}} - \varphi_{\text{old}} &\le \delta(R) \le \delta(n)",
        ),
    )


CLAIMS = {"bayesnet.mutual_information_sensitivity": mutual_information_sensitivity}
