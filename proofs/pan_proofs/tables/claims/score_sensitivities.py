"""Section 3.3 of the thesis: the growth of the sensitivity of the mutual information, and two scores in its place."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

import sympy as sp

from pan_proofs.engines.growth import Growth
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes, of_order
from pan_proofs.ledger.steps import bounded, compared, counterexample, enumerated, lemma, related
from pan_proofs.tables.lemmas.distances import (
    largest_change,
    nearest,
    to_independence,
    to_largest,
    to_largest_symbolic,
    triangle,
)
from pan_proofs.tables.lemmas.information import Table, exact, with_record

records, _m = sp.symbols("n m", integer=True, positive=True)
_long, _y, root, _n = sp.symbols("x y g n", positive=True)
_Delta, _old_row, _old_column, _new_row, _new_column, others, _count, _P, _rest, _first, _second, _third = sp.symbols(
    "Delta A B C D N z P h s t u", nonnegative=True
)
observed, _whole = sp.symbols("Delta_R Delta")
_lost, _here, _there, _cell = sp.symbols("t e f K", real=True)
_k = sp.Symbol("k", integer=True, nonnegative=True)
_FIVE = (((2, 1, 0), (0, 1, 0), (0, 0, 1)), ((2, 1, 0), (1, 1, 0), (0, 0, 0)))
"""Two adjacent tables of five records."""
BINARY: tuple[tuple[tuple[int, int], int], ...] = (((2, 2), 6), ((2, 3), 6), ((2, 4), 6))
WIDE: tuple[tuple[tuple[int, int], int], ...] = (((3, 3), 6), ((3, 4), 6))
"""Shapes of tables, each with the largest number of records of which all tables are run."""
MOST = 25
"""The largest number of records for which the tables that attain the bound are run."""
LARGEST = 3 * records - 1 - 2 * sp.sqrt(records)
"""``n^2`` times the change is the largest whole number that is not above this."""
_OF_TWO = sp.Abs(others - _new_column - _new_row) + sp.Abs(_old_row + _old_column - others)
_CROSSED = sp.Abs(_new_row - _old_column) + sp.Abs(_new_column - _old_row)
_COLUMNS = 2 * (others - _old_column - _new_column)
_LINES = 2 * (others - _old_row - _new_row)


def _cells(counts: Sequence[Sequence[sp.Expr]]) -> sp.Expr:
    """``2 n^2 R`` of counts that are symbols, with a symbol for the product of the first two."""
    rows, columns = [sp.Add(*row) for row in counts], [sp.Add(*column) for column in zip(*counts, strict=True)]
    number = sp.Add(*rows)
    return sp.Add(
        *(
            sp.Abs(sp.expand(number * count - rows[i] * columns[j]).subs(_first * _second, _P))
            for i, row in enumerate(counts)
            for j, count in enumerate(row)
        )
    )


def _moved() -> sp.Expr:
    zero, one, s, t, u = sp.S.Zero, sp.S.One, _first, _second, _third
    return _cells(((zero, s, zero), (t, u, zero), (zero, zero, one))) - _cells(((one, s), (t, u)))


def score_sensitivities() -> Claim:
    """The growth and ``F`` are right; the value for ``R`` is not attained."""
    return Claim(
        id="bayesnet.score_sensitivities",
        title="Sensitivities of the scores: growth and alternatives",
        references=(Reference("networks", "section 3.3.1", "the scores F and R are defined in another paper"),),
        statement=r"The sensitivity $\Delta\hat I$ of the mutual information tends to $0$ and exceeds $\frac{\log "
        r"n}{n}$. The score $F$ has sensitivity $\frac1n$, and the score $R$ has $\frac3n + \frac2{n^2}$.",
        notation=(
            ("$x_i$, $y_i$", "entries of two vectors"),
            (r"$m_{\text{old}}$, $m_{\text{new}}$", "least distances of the old and of the new table"),
        ),
        hypotheses=("adjacent tables have $n$ records, of which one differs (bounded adjacency)",),
        silent=(
            r"$n \ge 2$",
            r"$F = -\frac12 \min \lVert \hat p_{X,Y} - p^{\diamond} \rVert_1$ over the joint distributions "
            r"$p^{\diamond}$ of the largest mutual information, and $R = \frac12 \lVert \hat p_{X,Y} - \hat p_X \hat "
            r"p_Y \rVert_1$, as in the paper that is cited",
        ),
        uses=("bayesnet.mutual_information_sensitivity",),
        parts=(
            derived(
                Role.PUBLISHED,
                "growth of the sensitivity of the mutual information",
                r"For every $n \ge 2$: $\frac{\log n}{n} < \Delta\hat I \le 3\,\frac{\log n}{n}$ for a binary "
                r"variable, and $\frac{\log n}{n} < \Delta\hat I \le 5\,\frac{\log n}{n}$ for others. Both tend to "
                r"$0$. In the formulas $n = k + 2$, and the excess of the binary branch over $\frac{\log n}{n}$ is "
                r"$\frac{n-1}{n} \log(1 + y)$ with $y = \frac1{n-1}$, which is positive and at most $\frac1n$.",
                *_logarithms(),
                *_growth(),
            ),
            Part(
                Role.PUBLISHED,
                "the score F",
                r"For two binary variables its sensitivity is $\frac1n$, for every $n \ge 2$.",
                (triangle(), nearest(), *_nearest_attained()),
                formal=symbolic(eq(_Delta, 1 / (_k + 2))),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the score R",
                r"For $n = 2$ the sensitivity is $\frac12$, not $2$. Two adjacent tables have at most three values of "
                r"each variable, so that three by three cells show all changes. In the formula $\Delta_R$ is the "
                r"largest change.",
                counterexample(
                    "two_records_of_R",
                    r"All tables of two records are run.",
                    ge(observed, printed(records)),
                    {observed: lambda: exact(largest_change(to_independence, (3, 3), 2)), records: 2},
                ),
            ),
            Part(
                Role.AMENDED,
                "a bound for the score R",
                r"Its sensitivity is at most $\frac3n$, so that the printed value is a bound.",
                (),
                theorems=("score_r_moves",),
            ),
            derived(
                Role.AMENDED,
                "the score R, if a variable is binary",
                r"If one of the two variables has two values, the sensitivity is $\frac{2(n-1)}{n^2} < \frac2n$, as an "
                r"equality for every $n \ge 2$. In the formulas $N = n - 1$, and $n = k + 2$.",
                *two_rows(),
                only=("two_rows_of_R",),
                formal=symbolic(eq(_Delta, 2 * (_k + 1) / (_k + 2) ** 2)),
            ),
            derived(
                Role.AMENDED,
                "the score R, if no variable is binary",
                r"If both variables have three values or more, $n^2$ times the sensitivity is the largest whole number "
                r"that is not above $3n - 1 - 2\sqrt n$, for every $n \ge 2$. So the sensitivity is less than "
                r"$\frac3n$, and no smaller multiple of $\frac1n$ is a bound for every $n$. In the formulas $N = n - "
                r"1$, $g = \sqrt n$, and $\Delta_R$ is the largest change of the tables that are run, for $n \le 25$. "
                r"The "
                r"bound on all cells, and the two tables that attain it, are shown for every $n$.",
                bounded(
                    "old_cell",
                    r"The cell that the record leaves, if $h = N - A - B \ge 0$: with $z = nK$ and $P = AB$ its "
                    r"absolute value rises most for $K = 0$: by at most $t = P - |h - P|$.",
                    le(
                        sp.Abs(_count - _P) - sp.Abs(_count - _P + _rest),
                        _P - sp.Abs(_rest - _P),
                    ),
                    *(),
                    lines=r"|z - P| - |z - P + h| &\le P - |h - P|",
                    raised=1,
                ),
                bounded(
                    "all_cells_of_R",
                    r"All cells together, where the cell that it leaves rises by $t$. Their change is that of "
                    r"$2n^2R$, and the other steps of the part above hold as well.",
                    le(
                        _lost + sp.Abs(others - _new_column - _new_row) + _CROSSED + _COLUMNS + _LINES,
                        _lost + 5 * others - _old_row - _old_column,
                    ),
                    le(_old_row + _new_row, others),
                    le(_old_column + _new_column, others),
                    lines=r"t + |N - C - D| + |C - B| + |D - A| + 2\,(N - B - D) + 2\,(N - A - C) &\le t + 5N - A - B",
                    raised=1,
                ),
                bounded(
                    "crowded_lines",
                    r"If $h < 0$, then $t \le A + B - N$, and all cells change by at most $4N$, as for a record that "
                    r"stays in a line. With $n = g^2$ this is not above the bound below.",
                    le(4 * (root**2 - 1), 6 * root**2 - 2 - 4 * root),
                    ge(root, 1),
                    lines=r"4\,(n-1) &\le 6n - 2 - 4g",
                    raised=1,
                ),
                bounded(
                    "sides_of_R",
                    r"Otherwise let $x = A + 1$ and $y = B + 1$, so that $P - |h - P| = (x-1)(y-1) - |n - xy|$. Of "
                    r"all $x$ and $y$ the change of all cells is largest for $x = y = g$.",
                    le(
                        5 * (root**2 - 1) - (_long + _y - 2) + (_long - 1) * (_y - 1) - sp.Abs(root**2 - _long * _y),
                        6 * root**2 - 2 - 4 * root,
                    ),
                    *tuple(ge(one, 1) for one in (_long, _y, root)),
                    lines=r"5\,(n-1) - (x + y - 2) + (x-1)(y-1) - |n - xy| &\le 6n - 2 - 4g",
                    raised=1,
                ),
                bounded(
                    "more_rows_attained",
                    r"It is attained. A row has $s$ of the others in one column, another row has $u$ in the same "
                    r"column and $t$ in a second one. The record leaves the first row and the second column for lines "
                    r"of its own. Then $x = s + 1$, $y = t + 1$ and $n = s + t + u + 1$; $\lVert\cdot\rVert$ is the "
                    r"sum of the absolute values of all cells. If $P = st \ge u$, which says $xy \ge n$:",
                    le(6 * (_first + _second + _third) - 2 * (_first + _second), _moved()),
                    le(_third, _P),
                    lines=r"6\,(n-1) - 2\,(s+t) &\le \lVert 0, s, 0;\, t, u, 0;\, 0, 0, 1 \rVert - \lVert 1, s;\, t, u "
                    r"\rVert",
                ),
                bounded(
                    "nearly_equal",
                    r"Let $x + y = r$ be the least whole number that is not below $2\sqrt n$, and $x$, $y$ as equal "
                    r"as possible. Then $xy > n - 1$, and $xy \ge n$ as a whole number. So $n^2\Delta R = 3n - 1 - r$ "
                    r"for every $n$.",
                    le(4 * _n - 1, 4 * _long * _y),
                    ge((_long + _y) ** 2, 4 * _n),
                    le((_long - _y) ** 2, 1),
                ),
                *(
                    related(
                        f"more_rows_{name}",
                        text,
                        "n^2 times the largest change of R over all tables of a shape, and over two tables for larger "
                        "n",
                        relation,
                        _cases(),
                        mutant=mutant,
                        parameters=(records,),
                        lines=(line,),
                    )
                    for name, text, relation, mutant, line in (
                        (
                            "bounded",
                            r"$n^2R$ is a whole number, since the differences $nc_{ij} - r_is_j$ have the sum $0$. "
                            r"This is tested in fractions for all small tables, and for the tables above up to $n = "
                            r"25$.",
                            le(observed * records**2, LARGEST),
                            le(observed * records**2, LARGEST - 1),
                            r"n^2\,\Delta R &\le 3n - 1 - 2\sqrt n",
                        ),
                        (
                            "reached",
                            r"No whole number between is left.",
                            gt(observed * records**2 + 1, LARGEST),
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
                only=(
                    "sides_of_R",
                    "more_rows_attained",
                    "nearly_equal",
                    "more_rows_bounded",
                    "more_rows_reached",
                    "share_of_R",
                ),
            ),
            derived(
                Role.READING,
                "the distance R without its half",
                r"If $R$ is the whole distance, the printed value is no bound: five records change it by "
                r"$\frac{18}{25} > \frac{17}{25}$. In the formula $\Delta$ is this change.",
                counterexample(
                    "whole_distance",
                    r"Two tables of five records are run: the change of the whole distance is at most the "
                    r"sensitivity.",
                    le(_whole, printed(records)),
                    {_whole: lambda: exact(2 * (to_independence(_FIVE[0]) - to_independence(_FIVE[1]))), records: 5},
                ),
                holds=False,
            ),
        ),
    )


def _logarithms() -> Steps:
    half = sp.Rational(1, 2)
    return (
        by_slopes(
            "logarithm_below_line",
            r"A logarithm is at most its tangent. With $y = \frac1{n-1}$ and with $y = \frac2{n-1}$ this says that "
            r"$(n-1) \log\frac{n}{n-1}$ lies between $0$ and $1$, and $(n-1) \log\frac{n+1}{n-1}$ between $0$ and $2$.",
            Slopes("growth.tangent", _y - sp.log(1 + _y), _y, sp.S.Zero, {_y: half}, half, strict=True),
            Slopes("growth.positive", sp.log(1 + _y), _y, sp.S.Zero, {_y: half}, half, strict=True),
            lines=(r"\log(1+y) &< y", r"\log(1+y) &> 0"),
        ),
        equal_as(
            "excess_of_binary",
            r"So the first branch exceeds $\frac{\log n}{n}$. Tables in which two values occur are tables of "
            r"larger alphabets as well: the sensitivity for others is at least as large.",
            (
                lambda: _binary(_k + 2) - sp.log(_k + 2) / (_k + 2),
                (_k + 1) / (_k + 2) * sp.log(1 + 1 / (_k + 1)),
            ),
            r"\Delta\hat I - \frac{\log n}{n} &= \frac{n-1}{n} \log\Bigl(1 + \frac{1}{n-1}\Bigr)",
        ),
    )


def _binary(records: sp.Expr) -> sp.Expr:
    return (records * sp.log(records) - (records - 1) * sp.log(records - 1)) / records


def _growth() -> Steps:
    order, two = sp.log(_n) / _n, sp.Integer(2)
    close, at_two = {_n: sp.Rational(21, 10)}, {_n: two}
    branches = (
        (
            "binary",
            r"A bound on the first branch, for all $n > 2$; at $n = 2$ by continuity.",
            (sp.log(_n) + 1) / _n,
            sp.Integer(3),
            r"\Delta\hat I \le \frac{\log n + 1}{n} &\le 3\,\frac{\log n}{n}",
        ),
        (
            "others",
            r"The same for the second branch, which is a bound for every $n$.",
            (2 * sp.log((_n + 1) / 2) + 2) / _n,
            sp.Integer(5),
            r"\Delta\hat I \le \frac{2\log\frac{n+1}{2} + 2}{n} &\le 5\,\frac{\log n}{n}",
        ),
    )
    return (
        *(
            of_order(
                f"order_of_{name}",
                text,
                Growth(name, most, order, sp.S.One, factor, _n, two, 1 / _n, _n, close, sp.Integer(3)),
                line,
            )
            for name, text, most, factor, line in branches
        ),
        compared(
            "order_of_two_records",
            r"At $n = 2$:",
            *(le(most.subs(at_two), factor * order.subs(at_two)) for _, _, most, factor, _ in branches),
            lines=(r"\tfrac{\log 2 + 1}{2} &\le \tfrac32 \log 2", r"\log\tfrac32 + 1 &\le \tfrac52 \log 2"),
        ),
        lemma(
            "limit",
            r"The bounds tend to $0$.",
            tends_to("growth.limit", 5 * order, _n, sp.oo, sp.S.Zero),
            r"\lim_{n \to \infty} 5\,\frac{\log n}{n} &= 0",
        ),
    )


def _nearest_attained() -> Steps:
    one_cell = ((_k + 2, sp.S.Zero), (sp.S.Zero, sp.S.Zero))
    opposite = ((_k + 1, sp.S.Zero), (sp.S.Zero, sp.S.One))
    return (
        equal_as(
            "two_cells",
            r"A record that moves changes two frequencies by $\frac1n$. So the distances change by at most "
            r"$\frac2n$, and $F$ by at most half of that.",
            (
                lambda: (sp.Abs(1 / records) + sp.Abs(-1 / records)) / 2,
                1 / records,
            ),
            r"\tfrac12 \bigl(\bigl|\tfrac1n\bigr| + \bigl|-\tfrac1n\bigr|\bigr) &= \tfrac1n",
        ),
        equal_as(
            "nearest_attained",
            r"It is attained for $n = k + 2$ records in one cell, of which one moves to the opposite cell.",
            (
                lambda: to_largest_symbolic(opposite) - to_largest_symbolic(one_cell),
                1 / (_k + 2),
            ),
            r"F(n-1, 0;\, 0, 1) - F(n, 0;\, 0, 0) &= \tfrac1n",
        ),
        enumerated(
            "nearest_tested",
            r"This is tested in fractions for all tables of two binary variables with two to seven records.",
            "the largest change of F over all tables of two binary variables is 1/n",
            range(2, 8),
            lambda records: largest_change(to_largest, (2, 2), records) == Fraction(1, records),
            mutant=lambda records: largest_change(to_largest, (2, 2), records) == Fraction(2, records + 2),
        ),
    )


def printed(records: sp.Expr) -> sp.Expr:
    """The sensitivity of ``R`` as it is printed."""
    return 3 / records + 2 / records**2


def bound(number: int) -> int:
    """The largest whole number that is at most ``3 n - 1 - 2 sqrt(n)``."""
    below = isqrt(4 * number)
    return 3 * number - 1 - below - (below**2 < 4 * number)


def two_rows() -> Steps:
    """The largest change for two rows, and the tables that attain it."""
    apart = ((_k + 1, sp.S.Zero), (sp.S.Zero, sp.S.One))
    alone = ((_k + 2, sp.S.Zero), (sp.S.Zero, sp.S.Zero))
    return (
        equal_as(
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
        ),
        bounded(
            "same_row_of_R",
            r"A record that stays in its row, with $A$ others, changes the two cells of it by $N - A$, and each other "
            r"cell of both columns by the count of its row. Columns are treated alike.",
            le(2 * sp.Abs(others - _old_row) + 2 * (others - _old_row), 4 * others),
            le(_old_row, others),
            lines=r"2\,|N - A| + 2\,(N - A) &\le 4N",
        ),
        bounded(
            "two_rows_of_R",
            r"If it changes both, let $A$ and $B$ be the others in the old row and column, and $C$ and $D$ those in "
            r"the new ones. With two rows $A + C = N$. The first four terms are the cells in which these lines "
            r"cross; each other column changes by twice its count.",
            le(_OF_TWO + _CROSSED + _COLUMNS, 4 * others),
            eq(_old_row + _new_row, others),
            le(_old_column + _new_column, others),
            lines=r"|N - C - D| + |A + B - N| + |C - B| + |D - A| + 2\,(N - B - D) &\le 4N",
        ),
        equal_as(
            "two_rows_attained",
            r"So $R$ changes by at most $\frac{4N}{2n^2}$. This is attained: $n = k + 2$ records in one cell have "
            r"$R = 0$, and one of them moves to the opposite cell.",
            (
                lambda: (_cells(apart) - _cells(alone)) / (2 * (_k + 2) ** 2),
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


def attaining(number: int) -> tuple[Table, Table]:
    """Two adjacent tables of three rows and columns between which ``R`` changes most."""
    sides = isqrt(4 * number - 1) + 1
    one, two = sides // 2 - 1, sides - sides // 2 - 1
    common: Table = ((0, one, 0), (two, number - 1 - one - two, 0), (0, 0, 0))
    return with_record(common, (0, 0)), with_record(common, (2, 2))


def _largest_found(number: int) -> Fraction:
    one, other = map(to_independence, attaining(number))
    return other - one


def _cases() -> list[dict[sp.Symbol, sp.Expr]]:
    every = [
        (exact(largest_change(to_independence, shape, number)), number)
        for shape, most in WIDE
        for number in range(2, most + 1)
    ]
    more = [(exact(_largest_found(number)), number) for number in range(2, MOST + 1)]
    return [{observed: found, records: sp.Integer(number)} for found, number in (*every, *more)]


CLAIMS = {"bayesnet.score_sensitivities": score_sensitivities}
