"""Sections 3.3.1 and 3.3.3 of the thesis: sentences about distributions of selection, and about all scores."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, le, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, found, related
from pan_proofs.tables.lemmas.distances import Score, largest_change, nearest, to_independence, to_largest, triangle
from pan_proofs.tables.lemmas.information import Table, exponential, tables
from pan_proofs.tables.lemmas.nearest_by_values import (
    of_any_values,
    of_three_values,
    stated_of_any_values,
    stated_of_three_values,
)
from pan_proofs.tables.lemmas.score_ranges import ranges, stated_ranges
from pan_proofs.tables.lemmas.uncertainty import exact

_factor, _score, _other_score = sp.symbols("f q q_2", positive=True)
_share = sp.Symbol("P")
_weight, _total, _most, _candidates, _chance = sp.symbols("w S Y m P_m", positive=True)
_WEIGHTS = (
    ge(_weight, 1),
    le(_weight, _most),
    ge(_total, _candidates),
    le(_total, _candidates * _most),
    eq(_chance * _total, _weight),
)
_local, _other_local, _all, _other_all = sp.symbols("R_j Q_j R Q")
_largest, _other_largest, _all_largest, _other_all_largest = sp.symbols("F_j E_j F E")
_change, _records = sp.Symbol("Delta"), sp.Symbol("n", integer=True, positive=True)
_EQUAL: Table = ((1, 0), (0, 1))
_OPPOSITE: Table = ((0, 1), (1, 0))
_HALF = Fraction(1, 2)


def to_largest_of_columns(table: Table) -> Fraction:
    """``F`` of a binary attribute and any number of parents' values: each value belongs to one of the two rows."""
    first, second = table
    records = sum(first) + sum(second)
    found = []
    for owner in product((0, 1), repeat=len(first)):
        kept = [sum(row[j] for j, one in enumerate(owner) if one == place) for place, row in enumerate((first, second))]
        found.append(sum((max(Fraction(0), _HALF - Fraction(one, records)) for one in kept), Fraction(0)))
    return -min(found)


def score_use() -> Claim:
    """The printed distribution does not depend on the budget; the other sentences hold."""
    return Claim(
        id="bayesnet.score_use",
        title="Scores in the selection, and over several holders",
        references=(Reference("networks", "sections 3.3.1 and 3.3.3"),),
        statement=r"With probabilities proportional to $f\,\hat I(X; \mathrm{Pa})$, $f = "
        r"\frac{\varepsilon_1}{2(N-1)\Delta\hat I}$, the probabilities of many candidates tend to become uniform "
        r"where $\hat I$ and $\Delta\hat I$ are comparable. $\hat p_X\hat p_{\mathrm{Pa}}$ minimises the mutual "
        r"information. The score $F$ of a binary attribute with several binary parents has the sensitivity $\frac1n$, "
        r"and can be computed efficiently only for binary domains; $R$ can for any. Both have small sensitivities "
        r"compared with their ranges. For no score of PrivBayes can the score of all records be found from the scores "
        r"of the holders.",
        hypotheses=("adjacent tables have $n$ records, of which one differs (bounded adjacency)",),
        silent=("$n \\ge 2$", "several parents together are one variable with a value for each of their combinations"),
        notation=(
            ("$x_i$, $y_i$", "entries of two vectors"),
            (r"$m_{\text{old}}$, $m_{\text{new}}$", "least distances of the old and of the new table"),
        ),
        parts=(
            Part(
                Role.COUNTEREXAMPLE,
                "the printed probabilities do not depend on the budget",
                r"The factor $f$ is in all weights, and cancels: with the printed weights neither $\varepsilon_1$ nor "
                r"$\Delta\hat I$ has a part in the distribution, and nothing becomes uniform as $f \to 0$. In the "
                r"formulas $q$ "
                r"and $q_2$ are two scores, and $P$ is the probability of the first candidate for $q = 3q_2$.",
                _cancels(),
                formal=(
                    *symbolic(
                        eq(
                            _factor * _score / (_factor * _score + _factor * _other_score),
                            _score / (_score + _other_score),
                        )
                    ),
                    *symbolic(ne(_share, sp.Rational(1, 2))),
                ),
            ),
            Part(
                Role.AMENDED,
                "exponential weights",
                r"With weights $e^{f\hat I}$ it is so: if $0 \le f\hat I \le \eta$ for all $m$ candidates, each has a "
                r"probability between $\frac{e^{-\eta}}{m}$ and $\frac{e^{\eta}}{m}$. In the formulas $w$ is a weight, "
                r"$S$ the sum of all, $Y = e^\eta$, and $P_m = \frac wS$.",
                _close_to_uniform(),
                formal=(
                    *symbolic(le(_chance * _candidates, _most), given=_WEIGHTS),
                    *symbolic(ge(_chance * _candidates * _most, 1), given=_WEIGHTS),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the score F of several parents",
                r"The distance from the nearest distribution changes by at most $\frac2n$, for any number of cells, "
                r"and $F$ by half of that. For two, three and four values of the parents it is attained. In the "
                r"formula $\Delta$ is the largest change over all tables.",
                (triangle(), nearest(), *_of_columns()),
                formal=symbolic(
                    eq(_change, 1 / _records),
                    given=(sp.Or(*(eq(_records, size) for size in _SIZES)),),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "F is computed efficiently for binary attributes only",
                r"For an attribute of three values $F$ is found in a number of steps that is bounded by a polynomial "
                r"in the number of records and of the parents' values, as for a binary one. In the formulas $W$ is "
                r"the number of vectors that are kept, and $W_{12}$ that for $w = 12$ values of the parents.",
                of_three_values(),
                formal=stated_of_three_values(),
            ),
            Part(
                Role.AMENDED,
                "F for a fixed number of values",
                r"For $v$ values there are at most $2^v(n+1)^v$ vectors, and each value of the parents extends each "
                r"of them in $v$ ways. This is a polynomial for each $v$, and none for $v$ that grows. $R$ needs one "
                r"pass over the cells, for any domains. In the formula $W_v$ is the number of vectors.",
                (of_any_values(),),
                formal=stated_of_any_values(),
            ),
            Part(
                Role.PUBLISHED,
                "small sensitivities, compared with the ranges",
                r"For two binary variables and $n \ge 3$ records the sensitivity over the range is less for $F$ and "
                r"for $R$ than for $\hat I$. The ranges are those for an even $n$: $\log 2$ for $\hat I$, $\frac12$ "
                r"for $F$ and for $R$. In the formulas $r$ is the range of $F$ or $R$, $E$ the largest $e^{n\hat I}$, "
                r"and $\delta(n) = n\log n - (n-1)\log(n-1)$ is $n\,\Delta\hat I$.",
                ranges(),
                formal=stated_ranges(),
            ),
            Part(
                Role.PUBLISHED,
                "independent frequencies have the least information",
                r"No table has less information than one whose cells are products: the information is not negative, "
                r"and is $0$ exactly there.",
                (_least_information(),),
                no_formula="the statement is about tables, and is listed; that a relative entropy is not negative is "
                "in "
                r"bayesnet.counts",
            ),
            Part(
                Role.PUBLISHED,
                "scores F and R of several holders",
                r"Section 3.3.3 says so of all scores. In two cases each holder has the same $R$ and the same $F$, "
                r"and all records do not. In the formulas $R_j$, $Q_j$ and $F_j$, $E_j$ are the scores of the second "
                r"holder in both cases, and $R$, $Q$ and $F$, $E$ those of all records.",
                _of_holders(),
                formal=(
                    *symbolic(eq(_local, _other_local), ne(_all, _other_all)),
                    *symbolic(
                        eq(_largest, _other_largest),
                        ne(_all_largest, _other_all_largest),
                    ),
                ),
            ),
        ),
        uses=("bayesnet.score_sensitivities",),
        remark=r"The sentence that a sensitivity above $\frac{\log n}{n}$ is large against the range of $\hat I$ "
        r"names no bound. With the printed sensitivity of $R$ its share of the range is less than that of $\hat I$ "
        r"from $27$ records on.",
    )


_SIZES = (2, 3, 4, 5, 6)


def _cancels() -> Steps:
    return (
        equal_as(
            "budget_cancels",
            r"Two candidates with the scores $q$ and $q_2$:",
            (
                lambda: sp.cancel(_factor * _score / (_factor * _score + _factor * _other_score)),
                _score / (_score + _other_score),
            ),
            r"\frac{fq}{fq + fq_2} &= \frac{q}{q + q_2}",
        ),
        counterexample(
            "not_uniform",
            r"For $q = 3q_2$ and every budget:",
            eq(_share, sp.Rational(1, 2)),
            {_share: lambda: sp.limit(3 * _factor / (3 * _factor + _factor), _factor, 0)},
        ),
    )


def _close_to_uniform() -> Steps:
    one = sp.S.One
    at = {_weight: one, _total: one, _most: one, _candidates: one, _chance: one}
    return (
        at_most(
            "at_most_uniform",
            r"A weight lies between $1$ and $Y$, and the sum of all between $m$ and $mY$.",
            Inequality("score_use.at_most", _chance * _candidates, _most, _WEIGHTS, touching=at),
            lines=r"m\,P_m &\le Y",
        ),
        at_most(
            "at_least_uniform",
            r"From below:",
            Inequality("score_use.at_least", one, _chance * _candidates * _most, _WEIGHTS, touching=at),
            lines=r"1 &\le m\,Y\,P_m",
        ),
    )


def _of_columns() -> Steps:
    shapes = ((2, 2), (2, 3), (2, 4))
    return (
        enumerated(
            "nearest_of_columns",
            r"A distribution of the largest information gives each value of the parents to one value of the attribute, "
            r"and each of these the mass $\frac12$. The mass that is missing there is half of the distance; for two "
            r"values this is compared with the two distributions.",
            "the missing mass is half of the distance, for all tables of two binary variables",
            (table for records in range(1, 8) for table in tables((2, 2), records)),
            lambda table: to_largest_of_columns(table) == to_largest(table),
            mutant=lambda table: to_largest_of_columns(table) == 2 * to_largest(table),
        ),
        related(
            "largest_change_of_columns",
            r"The largest change over all tables of two to six records of a binary attribute and two, three or four "
            r"values of its parents:",
            "the largest change of F",
            eq(_change, 1 / _records),
            (
                {_change: exact(largest_change(to_largest_of_columns, shape, size)), _records: sp.Integer(size)}
                for shape in shapes
                for size in _SIZES
            ),
            mutant=lt(_change, 1 / _records),
            parameters=(_records,),
            lines=r"\Delta F &= \tfrac1n",
        ),
    )


def _independent(table: Table) -> bool:
    return to_independence(table) == 0


def _least_information() -> Step:
    return enumerated(
        "least_information",
        r"In fractions, for all tables of up to six records of two binary variables, and up to four of two with three "
        r"values.",
        "exp(n I) is at least 1, and is 1 exactly for products",
        (
            table
            for shape, most in (((2, 2), 6), ((3, 3), 4))
            for records in range(1, most + 1)
            for table in tables(shape, records)
        ),
        lambda table: exponential(table) >= 1 and (exponential(table) == 1) == _independent(table),
        mutant=lambda table: exponential(table) > 1,
    )


def _joined(one: Table, other: Table) -> Table:
    return tuple(tuple(a + b for a, b in zip(*rows, strict=True)) for rows in zip(one, other, strict=True))


def _second_holder(score: Score) -> tuple[Fraction, Fraction]:
    """The score of the second holder in both cases."""
    return score(_EQUAL), score(_OPPOSITE)


def _of_holders() -> Steps:
    both, mixed = _joined(_EQUAL, _EQUAL), _joined(_EQUAL, _OPPOSITE)
    steps: list[Step] = []
    for name, score, symbols, text, least in (
        ("distance", to_independence, (_local, _other_local, _all, _other_all), "R", _HALF),
        ("largest", to_largest, (_largest, _other_largest, _all_largest, _other_all_largest), "F", Fraction(0)),
    ):
        own, other, whole, other_whole = symbols
        steps += [
            found(
                f"same_{name}",
                rf"The first holder has the records $00, 11$, and the second has $00, 11$ or $01, 10$. The score "
                rf"${text}$ of the second holder is the same in both cases.",
                "the scores of the second holder in both cases",
                partial(_second_holder, score),
                (least, least),
                quantities=(own, other),
            ),
            counterexample(
                f"other_{name}",
                r"The scores of all four records differ between the two cases.",
                eq(whole, other_whole),
                {
                    whole: lambda score=score: exact(score(both)),
                    other_whole: lambda score=score: exact(score(mixed)),
                },
            ),
        ]
    return tuple(steps)


CLAIMS = {"bayesnet.score_use": score_use}
