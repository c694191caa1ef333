"""Lemma 3.1 of the thesis: the sensitivity of the empirical mutual information, in every base."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import eq, ge, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.steps import compared, counterexample, enumerated
from pan_proofs.tables.lemmas.gains import middle, near_the_middle, rises, stated_middle, steps_shrink
from pan_proofs.tables.lemmas.information import Shape, gain, gains, information, largest_ratio, sensitivity
from pan_proofs.tables.lemmas.one_record import (
    any_two_cells,
    by_counts,
    moved,
    other_line_of_two,
    same_line,
)

_n = sp.Symbol("n", positive=True, integer=True)
_k = sp.Symbol("k", positive=True, integer=True)
_above = sp.Symbol("y", positive=True)
_base = 1 + _above
"""A base of logarithms above 1."""
_change = sp.Symbol("Delta", nonnegative=True)
_even_change = sp.Symbol("Delta_even", real=True)

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
                    *by_counts(),
                    *moved(),
                    rises(),
                    steps_shrink(),
                    same_line(),
                    *other_line_of_two(),
                    *_binary_attained(),
                    _binary_tested(),
                    _bases(),
                ),
                formal=symbolic(eq(_change, printed_binary(_k + 1, _base))),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "two records",
                r"For $n = 2$ and variables with three values or more the sensitivity is less than printed. Two "
                r"adjacent "
                r"tables have at most three values of each variable, so that three by three cells show all changes.",
                (_two_records(), *_less_than_printed()),
                formal=symbolic(lt(_change, printed_wide(_n)), where={_change: sp.log(2), _n: sp.Integer(2)}),
            ),
            Part(
                Role.AMENDED,
                "no binary variable",
                r"The sensitivity is as printed in the second branch for odd $n \ge 3$. For even $n$ it is $\frac1n "
                r"\left(\delta(\frac n2) + \delta(\frac n2 + 1)\right)$ with $\delta(k) = k \log k - (k-1) "
                r"\log(k-1)$, which is less than printed. So the printed value is a bound for every $n \ge 2$. In the "
                r"last formula $m = \frac{n+1}{2}$, and $z = \frac12$ for even $n > 2$.",
                (*any_two_cells(), middle(), near_the_middle(), *_wide_attained(), _wide_tested()),
                formal=(
                    *symbolic(eq(_change, printed_wide(2 * _k + 1, _base))),
                    *symbolic(eq(_even_change, true_wide(_k + 1, _base))),
                    *stated_middle(),
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


def _binary_tested() -> Step:
    return enumerated(
        "binary_tested",
        r"The largest change over all tables of up to six records, computed in fractions, is $e^{\delta(n)}$.",
        "the largest ratio of exp(n I) over all pairs of tables of a shape is n^n/(n-1)^(n-1)",
        ((shape, records) for shape, most in _BINARY for records in range(2, most + 1)),
        lambda case: largest_ratio(*case) == gains(case[1]),
        mutant=lambda case: largest_ratio(*case) == case[1],
    )


def _bases() -> Step:
    return by_slopes(
        "bases",
        r"Score and formula in base $1 + y$ are both the natural ones over $\log(1+y) > 0$.",
        Slopes("information.bases", sp.log(1 + _above), _above, sp.S.Zero, {_above: sp.S.One}, sp.S.One, strict=True),
        lines=r"\log(1+y) &> 0 \quad (y > 0)",
    )


def _two_records() -> Step:
    return counterexample(
        "two_records",
        r"All tables of two records are run. The largest change is $\log 2$: two equal records, of which one moves to "
        r"another row and another column.",
        eq(_change, printed_wide(_n)),
        {_change: lambda: sensitivity((3, 3), 2), _n: sp.Integer(2)},
        (ge(_n, 2),),
    )


def _less_than_printed() -> Steps:
    return (
        equal_as(
            "largest_of_two",
            r"The largest change over all tables of two records.",
            (
                lambda: sensitivity((3, 3), 2),
                sp.log(2),
            ),
            r"\Delta\hat I &= \log 2",
        ),
        compared("less_than_printed", r"It is less.", lt(sp.log(2), printed_wide(sp.Integer(2)))),
    )


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


def _wide_tested() -> Step:
    return enumerated(
        "wide_tested",
        r"The largest change over all tables of up to six records is computed in fractions.",
        "the largest ratio of exp(n I) over all pairs of tables of a shape is that of the two middle gains",
        ((shape, records) for shape, most in _WIDE for records in range(2, most + 1)),
        lambda case: largest_ratio(*case) == gains((case[1] + 1) // 2, case[1] // 2 + 1),
        mutant=lambda case: largest_ratio(*case) == gains(case[1]),
    )


CLAIMS = {"bayesnet.mutual_information_sensitivity": mutual_information_sensitivity}
