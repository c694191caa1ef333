"""Section 3.3 of the thesis: the growth of the sensitivity of the mutual information, and two scores in its place."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.growth import Growth
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes, of_order
from pan_proofs.ledger.steps import compared, enumerated, lemma
from pan_proofs.tables.lemmas.distance_bounds import (
    independence_bounded,
    printed,
    stated_bound,
    two_compared,
    two_records,
    whole_compared,
    whole_distance,
)
from pan_proofs.tables.lemmas.distance_changes import (
    more_rows,
    stated_of_more_rows,
    stated_of_two_rows,
    two_rows,
)
from pan_proofs.tables.lemmas.distances import (
    largest_change,
    nearest,
    to_largest,
    to_largest_symbolic,
    triangle,
)

_n = sp.Symbol("n", positive=True)
_records = sp.Symbol("n", positive=True, integer=True)
_k = sp.Symbol("k", nonnegative=True, integer=True)
_change = sp.Symbol("Delta", nonnegative=True)
_y = sp.Symbol("y", positive=True)


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
            (
                "$p$, $q$; $p'$, $q'$, $q_j'$",
                "frequencies of a row and a column in the old table, and in the new one; $q_j$ is that of the column "
                "$j$",
            ),
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
            Part(
                Role.PUBLISHED,
                "growth of the sensitivity of the mutual information",
                r"For every $n \ge 2$: $\frac{\log n}{n} < \Delta\hat I \le 3\,\frac{\log n}{n}$ for a binary "
                r"variable, and $\frac{\log n}{n} < \Delta\hat I \le 5\,\frac{\log n}{n}$ for others. Both tend to "
                r"$0$. In the formulas $n = k + 2$, and the excess of the binary branch over $\frac{\log n}{n}$ is "
                r"$\frac{n-1}{n} \log(1 + y)$ with $y = \frac1{n-1}$, which is positive and at most $\frac1n$.",
                (*_logarithms(), *_growth()),
                formal=_stated_growth(),
            ),
            Part(
                Role.PUBLISHED,
                "the score F",
                r"For two binary variables its sensitivity is $\frac1n$, for every $n \ge 2$.",
                (triangle(), nearest(), *_nearest_attained()),
                formal=symbolic(eq(_change, 1 / (_k + 2))),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the score R",
                r"For $n = 2$ the sensitivity is $\frac12$, not $2$. Two adjacent tables have at most three values of "
                r"each variable, so that three by three cells show all changes.",
                (two_records(), *two_compared()),
                formal=symbolic(
                    lt(_change, printed(_records)),
                    where={_change: sp.Rational(1, 2), _records: sp.Integer(2)},
                ),
            ),
            Part(
                Role.AMENDED,
                "a bound for the score R",
                r"Its sensitivity is at most $\frac3n$, so that the printed value is a bound.",
                independence_bounded(),
                formal=stated_bound(),
            ),
            Part(
                Role.AMENDED,
                "the score R, if a variable is binary",
                r"If one of the two variables has two values, the sensitivity is $\frac{2(n-1)}{n^2} < \frac2n$, as an "
                r"equality for every $n \ge 2$. In the formulas $N = n - 1$, and $n = k + 2$.",
                two_rows(),
                formal=stated_of_two_rows(),
            ),
            Part(
                Role.AMENDED,
                "the score R, if no variable is binary",
                r"If both variables have three values or more, $n^2$ times the sensitivity is the largest whole number "
                r"that is not above $3n - 1 - 2\sqrt n$, for every $n \ge 2$. So the sensitivity is less than "
                r"$\frac3n$, and no smaller multiple of $\frac1n$ is a bound for every $n$. In the formulas $N = n - "
                r"1$, $g = \sqrt n$, and $\Delta_R$ is the largest change of the tables that are run, for $n \le 25$. "
                r"The "
                r"bound on all cells, and the two tables that attain it, are shown for every $n$.",
                more_rows(),
                formal=stated_of_more_rows(),
            ),
            Part(
                Role.READING,
                "the distance R without its half",
                r"If $R$ is the whole distance, the printed value is no bound: five records change it by "
                r"$\frac{18}{25} > \frac{17}{25}$.",
                (whole_distance(), *whole_compared()),
                formal=symbolic(
                    gt(_change, printed(_records)),
                    where={_change: sp.Rational(18, 25), _records: sp.Integer(5)},
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
    close = {_n: sp.Rational(21, 10)}
    order = sp.log(_n) / _n
    wide = (2 * sp.log((_n + 1) / 2) + 2) / _n
    return (
        of_order(
            "order_of_binary",
            r"A bound on the first branch, for all $n > 2$; at $n = 2$ by continuity.",
            Growth(
                "growth.binary",
                (sp.log(_n) + 1) / _n,
                order,
                sp.S.One,
                sp.Integer(3),
                _n,
                sp.Integer(2),
                1 / _n,
                _n,
                close,
                sp.Integer(3),
            ),
            lines=r"\Delta\hat I \le \frac{\log n + 1}{n} &\le 3\,\frac{\log n}{n}",
        ),
        of_order(
            "order_of_others",
            r"The same for the second branch, which is a bound for every $n$.",
            Growth(
                "growth.others",
                wide,
                order,
                sp.S.One,
                sp.Integer(5),
                _n,
                sp.Integer(2),
                1 / _n,
                _n,
                close,
                sp.Integer(3),
            ),
            lines=r"\Delta\hat I \le \frac{2\log\frac{n+1}{2} + 2}{n} &\le 5\,\frac{\log n}{n}",
        ),
        compared(
            "order_oftwo_records",
            r"At $n = 2$:",
            *(le(one.subs(_n, 2), factor * order.subs(_n, 2)) for one, factor in _BRANCHES),
            lines=(r"\tfrac{\log 2 + 1}{2} &\le \tfrac32 \log 2", r"\log\tfrac32 + 1 &\le \tfrac52 \log 2"),
        ),
        lemma(
            "limit",
            r"The bounds tend to $0$.",
            tends_to("growth.limit", 5 * order, _n, sp.oo, sp.S.Zero),
            r"\lim_{n \to \infty} 5\,\frac{\log n}{n} &= 0",
        ),
    )


_BRANCHES = (((sp.log(_n) + 1) / _n, 3), ((2 * sp.log((_n + 1) / 2) + 2) / _n, 5))
"""Bounds on both branches of the sensitivity, and their multiples of log(n)/n."""


def _stated_growth() -> tuple[str, ...]:
    """The excess of the first branch, its sign and its bound, the orders of both branches, and the limit, formally."""
    order, at_two = sp.log(_n) / _n, sp.log(2) / 2
    excess = (_k + 1) / (_k + 2) * sp.log(1 + 1 / (_k + 1))
    place = {_y: 1 / (_k + 1)}
    wide = [
        text
        for branch, factor in _BRANCHES
        for text in (
            *symbolic(
                le(_change, factor * order),
                given=(sp.Gt(_n, 2), le(_change, branch)),
            ),
            *symbolic(le(branch.subs(_n, 2), factor * at_two)),
        )
    ]
    return (
        *symbolic(eq(_binary(_k + 2) - sp.log(_k + 2) / (_k + 2), excess)),
        *symbolic(gt(sp.log(1 + _y), 0), gt(_y - sp.log(1 + _y), 0), where=place),
        *wide,
        *symbolic(eq(sp.Limit(5 * order, _n, sp.oo), 0)),
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
                lambda: (sp.Abs(1 / _records) + sp.Abs(-1 / _records)) / 2,
                1 / _records,
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


CLAIMS = {"bayesnet.score_sensitivities": score_sensitivities}
