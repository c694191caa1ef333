"""Sections 3.3.1 and 3.3.3 of the thesis: sentences about distributions of selection, and about all scores."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le, lt, ne
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.steps import bounded, compared, counterexample, enumerated, found, related
from pan_proofs.tables.lemmas.distances import Score, largest_change, nearest, to_independence, to_largest, triangle
from pan_proofs.tables.lemmas.information import Table, exact, exponential, gain, tables

(
    _vectors,
    _of_values,
    _few,
    _span,
    _E,
    _share,
    _local,
    _other_local,
    _all,
    _other_all,
    _largest,
    _other_largest,
    _all_largest,
) = sp.symbols("W W_v W_12 r E P R_j Q_j R Q F_j E_j F")
_records_nearest, _values, _columns = sp.symbols("n v w", integer=True, positive=True)
_n = sp.Symbol("n", real=True)
_factor, _score, _other_score, _weight, _total, _most, _candidates, _chance = sp.symbols(
    "f q q_2 w S Y m P_m", positive=True
)
_MOST = 12
_SHAPES = (((3, 3), 3), ((3, 4), 2), ((2, 4), 3))
Kept = tuple[int, ...]
"""For each value of the attribute the records of the parents' values that are assigned to it."""
Reached = tuple[Kept, frozenset[int]]
"""The same, with the values to which a value of the parents is assigned."""
_SIZES_score = (2, 4, 6)
OF_NEAREST = gt(gain(_n) - 2 * sp.log(2), 0)
"""The sensitivity of ``F`` over its range against that of the information, both times ``n log 2``."""
OF_DISTANCE = gt(gain(_n) - 4 * sp.log(2), 0)
"""The same for ``R``, whose bound is less than ``4 log 2``, for many records."""


def _of_few(number: int) -> sp.Rel:
    size = sp.Integer(number)
    return gt(size * sp.log(size) - (size - 1) * sp.log(size - 1), 4 * sp.log(2) * (size - 1) / size)


FEW = tuple(map(_of_few, range(3, 8)))
"""The same for three to seven records."""
_WEIGHTS = (
    ge(_weight, 1),
    le(_weight, _most),
    ge(_total, _candidates),
    le(_total, _candidates * _most),
    eq(_chance * _total, _weight),
)
_change, _records = sp.Symbol("Delta"), sp.Symbol("n", integer=True, positive=True)
_EQUAL: Table = ((1, 0), (0, 1))
_OPPOSITE: Table = ((0, 1), (1, 0))
_HALF = Fraction(1, 2)
_SIZES = (2, 3, 4, 5, 6)


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
            derived(
                Role.COUNTEREXAMPLE,
                "the printed probabilities do not depend on the budget",
                r"The factor $f$ is in all weights, and cancels: with the printed weights neither $\varepsilon_1$ nor "
                r"$\Delta\hat I$ has a part in the distribution, and nothing becomes uniform as $f \to 0$. In the "
                r"formulas $q$ "
                r"and $q_2$ are two scores, and $P$ is the probability of the first candidate for $q = 3q_2$.",
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
                only=("not_uniform",),
                formal=symbolic(
                    eq(_factor * _score / (_factor * _score + _factor * _other_score), _score / (_score + _other_score))
                ),
            ),
            derived(
                Role.AMENDED,
                "exponential weights",
                r"With weights $e^{f\hat I}$ it is so: if $0 \le f\hat I \le \eta$ for all $m$ candidates, each has a "
                r"probability between $\frac{e^{-\eta}}{m}$ and $\frac{e^{\eta}}{m}$. In the formulas $w$ is a weight, "
                r"$S$ the sum of all, $Y = e^\eta$, and $P_m = \frac wS$.",
                bounded(
                    "at_most_uniform",
                    r"A weight lies between $1$ and $Y$, and the sum of all between $m$ and $mY$.",
                    le(_chance * _candidates, _most),
                    *_WEIGHTS,
                    lines=r"m\,P_m &\le Y",
                ),
                bounded(
                    "at_least_uniform",
                    r"From below:",
                    le(sp.S.One, _chance * _candidates * _most),
                    *_WEIGHTS,
                    lines=r"1 &\le m\,Y\,P_m",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the score F of several parents",
                r"The distance from the nearest distribution changes by at most $\frac2n$, for any number of cells, "
                r"and $F$ by half of that. For two, three and four values of the parents it is attained. In the "
                r"formula $\Delta$ is the largest change over all tables.",
                triangle(),
                nearest(),
                *_of_columns(),
                only=("largest_change_of_columns",),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "F is computed efficiently for binary attributes only",
                r"For an attribute of three values $F$ is found in a number of steps that is bounded by a polynomial "
                r"in the number of records and of the parents' values, as for a binary one. In the formulas $W$ is "
                r"the number of vectors that are kept, and $W_{12}$ that for $w = 12$ values of the parents.",
                enumerated(
                    "by_vectors",
                    r"A joint distribution has the largest information if each of the $v$ values of the attribute has "
                    r"the mass $\frac1v$, and the parents' values tell it. Half of the distance from the nearest one "
                    r"is the mass that is missing, for the best assignment of the parents' values. It depends on the "
                    r"vector of the $v$ masses that are kept, and on the values that are reached, so that one value "
                    r"of the parents after the other only extends the set of these vectors. This is compared with all "
                    r"assignments.",
                    "the score by vectors is that by assignments, for all tables of a shape",
                    (
                        table
                        for shape, most in _SHAPES
                        for records in range(1, most + 1)
                        for table in tables(shape, records)
                    ),
                    lambda table: by_vectors(table) == by_assignments(table),
                    mutant=lambda table: by_vectors(table) == -1,
                ),
                related(
                    "number_of_vectors",
                    r"With $v = 3$ each entry of a vector is one of $n + 1$ numbers, and each value is reached or not, "
                    r"however many values the parents have. For three to twelve:",
                    "the number of vectors that are reached for three values of the attribute",
                    le(_vectors, 8 * (_records_nearest + 1) ** 3),
                    _many_columns(),
                    mutant=le(_vectors, _records_nearest),
                    parameters=(_records_nearest,),
                    lines=r"W &\le 8\,(n+1)^3",
                ),
                counterexample(
                    "fewer_than_assignments",
                    r"So not all of the $3^w$ assignments of $w$ values of the parents need to be tried; for $w = 12$:",
                    ge(_few, 3**_columns),
                    {_few: lambda: len(reached(_spread(_MOST))), _columns: sp.Integer(_MOST)},
                ),
            ),
            derived(
                Role.AMENDED,
                "F for a fixed number of values",
                r"For $v$ values there are at most $2^v(n+1)^v$ vectors, and each value of the parents extends each "
                r"of them in $v$ ways. This is a polynomial for each $v$, and none for $v$ that grows. $R$ needs one "
                r"pass over the cells, for any domains. In the formula $W_v$ is the number of vectors.",
                related(
                    "vectors_of_any_values",
                    r"For one to four values of the attribute, and four to six of the parents:",
                    "the number of vectors that are reached",
                    le(_of_values, (2 * _records_nearest + 2) ** _values),
                    _every_number(),
                    mutant=le(_of_values, _records_nearest),
                    parameters=(_records_nearest, _values),
                    lines=r"W_v &\le 2^v\,(n+1)^v",
                ),
            ),
            derived(
                Role.PUBLISHED,
                "small sensitivities, compared with the ranges",
                r"For two binary variables and $n \ge 3$ records the sensitivity over the range is less for $F$ and "
                r"for $R$ than for $\hat I$. The ranges are those for an even $n$: $\log 2$ for $\hat I$, $\frac12$ "
                r"for $F$ and for $R$. In the formulas $r$ is the range of $F$ or $R$, $E$ the largest $e^{n\hat I}$, "
                r"and $\delta(n) = n\log n - (n-1)\log(n-1)$ is $n\,\Delta\hat I$.",
                related(
                    "range_of_F_and_R",
                    r"Over all tables of two, four and six records the largest value less the least one:",
                    "the ranges of F and of R",
                    eq(_span, sp.Rational(1, 2)),
                    _spans(),
                    mutant=eq(_span, 1),
                    parameters=(_records_nearest,),
                    lines=r"r &= \tfrac12",
                ),
                related(
                    "range_of_information",
                    r"The information lies between $0$ and $\log 2$; the largest $e^{n\hat I}$ is $2^n$:",
                    "the largest exp(n I)",
                    eq(_E, 2**_records_nearest),
                    (
                        {_E: exact(max(map(exponential, tables((2, 2), size)))), _records_nearest: sp.Integer(size)}
                        for size in _SIZES_score
                    ),
                    mutant=eq(_E, 2),
                    parameters=(_records_nearest,),
                    lines=r"\max e^{n\hat I} &= 2^n",
                ),
                by_slopes(
                    "share_of_F",
                    r"The sensitivities over the ranges are $\frac{\delta(n)}{n\log 2}$, $\frac2n$ for $F$ and "
                    r"$\frac{4(n-1)}{n^2}$ for $R$. Times $n\log 2$, for $n > 2$; at $n = 2$ all three are $1$.",
                    Slopes(
                        "ranges.nearest",
                        OF_NEAREST.lhs,
                        _n,
                        sp.Integer(2),
                        {_n: sp.Rational(201, 100)},
                        sp.Rational(1, 2),
                        strict=True,
                    ),
                    lines=r"\delta(n) - 2\log 2 &> 0",
                ),
                by_slopes(
                    "share_of_R",
                    r"For $R$ the gain exceeds $4\log 2$ from $n = 7$ on:",
                    Slopes(
                        "ranges.distance",
                        OF_DISTANCE.lhs,
                        _n,
                        sp.Integer(7),
                        {_n: sp.Rational(701, 100)},
                        sp.Rational(1, 2),
                        strict=True,
                    ),
                    lines=r"\delta(n) - 4\log 2 &> 0 \quad (n > 7)",
                ),
                compared(
                    "share_of_R_of_few",
                    r"For $n = 3, \ldots, 7$ both numbers are compared.",
                    *FEW,
                    lines=r"\delta(n) &> \frac{4(n-1)\log 2}{n}",
                ),
            ),
            Part(
                Role.PUBLISHED,
                "independent frequencies have the least information",
                r"No table has less information than one whose cells are products: the information is not negative, "
                r"and is $0$ exactly there.",
                (
                    enumerated(
                        "least_information",
                        r"In fractions, for all tables of up to six records of two binary variables, and up to four "
                        r"of two with three values.",
                        "exp(n I) is at least 1, and is 1 exactly for products",
                        (
                            table
                            for shape, most in (((2, 2), 6), ((3, 3), 4))
                            for records in range(1, most + 1)
                            for table in tables(shape, records)
                        ),
                        lambda table: exponential(table) >= 1 and (exponential(table) == 1) == _independent(table),
                        mutant=lambda table: exponential(table) > 1,
                    ),
                ),
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
                formal=symbolic(
                    eq(_local, _other_local), ne(_all, _other_all), eq(_largest, _other_largest), ne(_all_largest, _E)
                ),
            ),
        ),
        uses=("bayesnet.score_sensitivities",),
        remark=r"The sentence that a sensitivity above $\frac{\log n}{n}$ is large against the range of $\hat I$ "
        r"names no bound. With the printed sensitivity of $R$ its share of the range is less than that of $\hat I$ "
        r"from $27$ records on.",
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
            lambda table: by_assignments(table) == to_largest(table),
            mutant=lambda table: by_assignments(table) == 2 * to_largest(table),
        ),
        related(
            "largest_change_of_columns",
            r"The largest change over all tables of two to six records of a binary attribute and two, three or four "
            r"values of its parents:",
            "the largest change of F",
            eq(_change, 1 / _records),
            (
                {_change: exact(largest_change(by_assignments, shape, size)), _records: sp.Integer(size)}
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
        ("largest", to_largest, (_largest, _other_largest, _all_largest, _E), "F", Fraction(0)),
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


def missing(kept: Kept, records: int) -> Fraction:
    """The mass that is missing where each value has the same share."""
    share = Fraction(1, len(kept))
    return sum((max(Fraction(0), share - Fraction(one, records)) for one in kept), Fraction(0))


def by_assignments(table: Table) -> Fraction:
    """``F`` by all assignments of the parents' values to the attribute's values, each of which is reached."""
    rows, columns = len(table), len(table[0])
    records = sum(map(sum, table))
    return -min(
        missing(tuple(sum(table[i][j] for j in range(columns) if owner[j] == i) for i in range(rows)), records)
        for owner in product(range(rows), repeat=columns)
        if len(set(owner)) == rows
    )


def reached(table: Table) -> set[Reached]:
    """All vectors of kept records, one value of the parents after the other."""
    found: set[Reached] = {((0,) * len(table), frozenset())}
    for column in zip(*table, strict=True):
        found = {
            (tuple(one + (column[i] if place == i else 0) for place, one in enumerate(kept)), used | {i})
            for kept, used in found
            for i in range(len(table))
        }
    return found


def by_vectors(table: Table) -> Fraction:
    """``F`` from the vectors that are reached."""
    records = sum(map(sum, table))
    return -min(missing(kept, records) for kept, used in reached(table) if len(used) == len(table))


def _spread(columns: int, rows: int = 3) -> Table:
    """A table with the counts 1, 2 and 3 in turn, one in each column, in one row after the other."""
    return tuple(tuple((j % 3 + 1) * (j % rows == i) for j in range(columns)) for i in range(rows))


def _many_columns() -> Iterator[dict[sp.Symbol, int]]:
    for columns in range(3, _MOST + 1):
        table = _spread(columns)
        yield {_vectors: len(reached(table)), _records_nearest: sum(map(sum, table))}


def _every_number() -> list[dict[sp.Symbol, int]]:
    made = [(_spread(columns, rows), rows) for rows in (1, 2, 3, 4) for columns in (4, 5, 6)]
    return [
        {_of_values: len(reached(table)), _records_nearest: sum(map(sum, table)), _values: rows} for table, rows in made
    ]


def _spans() -> Iterator[dict[sp.Symbol, sp.Expr]]:
    for score in (to_largest, to_independence):
        for size in _SIZES_score:
            yield {_span: exact(_span_of(score, size)), _records_nearest: sp.Integer(size)}


def _span_of(score: Score, size: int) -> Fraction:
    values = [score(table) for table in tables((2, 2), size)]
    return max(values) - min(values)


CLAIMS = {"bayesnet.score_use": score_use}
