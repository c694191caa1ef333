"""The sensitivities of the scores of two binary variables, compared with the ranges of the scores."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.relations import eq, gt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.steps import compared, related
from pan_proofs.tables.lemmas.distances import Score, to_independence, to_largest
from pan_proofs.tables.lemmas.information import exponential, gain, tables
from pan_proofs.tables.lemmas.uncertainty import exact

_n = sp.Symbol("n", real=True)
_records = sp.Symbol("n", integer=True, positive=True)
_span, _power = sp.symbols("r E")
_HALF = eq(_span, sp.Rational(1, 2))
_LOG = eq(_power, 2**_records)
_SIZES = (2, 4, 6)
_MORE = (gt(_n, 2),)
OF_NEAREST = gt(gain(_n) - 2 * sp.log(2), 0)
"""The sensitivity of ``F`` over its range against that of the information, both times ``n log 2``."""
_MANY = (gt(_n, 7),)
OF_DISTANCE = gt(gain(_n) - 4 * sp.log(2), 0)
"""The same for ``R``, whose bound is less than ``4 log 2``, for many records."""


def _of_few(number: int) -> sp.Rel:
    size = sp.Integer(number)
    return gt(size * sp.log(size) - (size - 1) * sp.log(size - 1), 4 * sp.log(2) * (size - 1) / size)


FEW = tuple(map(_of_few, range(3, 8)))
"""The same for three to seven records."""


def _spans() -> Iterator[dict[sp.Symbol, sp.Expr]]:
    for score in (to_largest, to_independence):
        for size in _SIZES:
            yield {_span: exact(_span_of(score, size)), _records: sp.Integer(size)}


def _span_of(score: Score, size: int) -> Fraction:
    values = [score(table) for table in tables((2, 2), size)]
    return max(values) - min(values)


def ranges() -> Steps:
    """The ranges, and the sensitivities over them."""
    return (
        related(
            "range_of_F_and_R",
            r"Over all tables of two, four and six records the largest value less the least one:",
            "the ranges of F and of R",
            _HALF,
            _spans(),
            mutant=eq(_span, 1),
            parameters=(_records,),
            lines=r"r &= \tfrac12",
        ),
        related(
            "range_of_information",
            r"The information lies between $0$ and $\log 2$; the largest $e^{n\hat I}$ is $2^n$:",
            "the largest exp(n I)",
            _LOG,
            (
                {_power: exact(max(map(exponential, tables((2, 2), size)))), _records: sp.Integer(size)}
                for size in _SIZES
            ),
            mutant=eq(_power, 2),
            parameters=(_records,),
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
    )


def stated_ranges() -> tuple[str, ...]:
    """The ranges and both comparisons, formally."""
    even = (sp.Or(*(eq(_records, size) for size in _SIZES)),)
    return (
        *symbolic(_HALF, given=even),
        *symbolic(_LOG, given=even),
        *symbolic(OF_NEAREST, given=_MORE),
        *symbolic(OF_DISTANCE, given=_MANY),
        *symbolic(*FEW),
    )
