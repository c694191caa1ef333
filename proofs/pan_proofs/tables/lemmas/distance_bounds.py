"""A bound on the change of the distance to independence by the triangle inequality, and the printed value."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.steps import at_most, compared, counterexample, enumerated, equal
from pan_proofs.tables.lemmas.distances import largest_change, products, to_independence, triangle

_records = sp.Symbol("n", positive=True, integer=True)
_change = sp.Symbol("Delta", nonnegative=True)
_joint, _marginal = sp.symbols("J K", positive=True)
_MOVED = (sp.Le(_joint, 2 / _records), sp.Le(_marginal, 4 / _records))
"""The changes of the joint frequencies, and of the products of the frequencies of rows and columns."""
_FIVE = (((2, 1, 0), (0, 1, 0), (0, 0, 1)), ((2, 1, 0), (1, 1, 0), (0, 0, 0)))
"""Two adjacent tables of five records."""
_SQUARES = (((2, 2), 6), ((2, 3), 6), ((3, 3), 6), ((3, 4), 6))


def printed(records: sp.Expr) -> sp.Expr:
    """The sensitivity of ``R`` as it is printed."""
    return 3 / records + 2 / records**2


def stated_bound() -> tuple[str, ...]:
    """The bound by the changes of frequencies, and that it is less than the printed value, formally."""
    return symbolic(
        sp.And(
            le((_joint + _marginal) / 2, 3 / _records),
            le(3 / _records, printed(_records)),
        ),
        given=_MOVED,
    )


def two_records() -> Step:
    """Two records, over all tables."""
    return counterexample(
        "two_records_of_R",
        r"All tables of two records are run.",
        eq(_change, printed(_records)),
        {_change: lambda: sp.Rational(largest_change(to_independence, (3, 3), 2)), _records: sp.Integer(2)},
        (ge(_records, 2),),
    )


def two_compared() -> Steps:
    """The value of two records against the printed one."""
    return (
        equal(
            "two_records_value",
            r"The largest change over all tables of two records.",
            r"\Delta R",
            lambda: sp.Rational(largest_change(to_independence, (3, 3), 2)),
            sp.Rational(1, 2),
        ),
        compared("less_than_printed", r"It is less.", lt(sp.Rational(1, 2), printed(sp.Integer(2)))),
    )


def independence_bounded() -> Steps:
    """The joint frequencies and the products change by little."""
    joint, marginal = _joint, _marginal
    return (
        replace(triangle(), name="triangle_of_tables"),
        *products(),
        at_most(
            "bound_of_R",
            r"The joint frequencies change by $J \le \frac2n$, and so do those of the rows and of the columns, so "
            r"that the products change by $K \le \frac4n$. $R$ is half of a distance.",
            Inequality(
                "scores.bound_of_R",
                (joint + marginal) / 2,
                3 / _records,
                _MOVED,
                touching={joint: 2, marginal: 4, _records: 1},
            ),
            lines=r"\tfrac12 (J + K) &\le \tfrac3n",
        ),
        enumerated(
            "R_tested",
            r"This is tested in fractions for all tables of up to six records.",
            "the largest change of R over all tables of a shape is at most 3/n",
            ((shape, records) for shape, most in _SQUARES for records in range(2, most + 1)),
            lambda case: largest_change(to_independence, *case) <= Fraction(3, case[1]),
            mutant=lambda case: largest_change(to_independence, *case) <= Fraction(1, case[1]),
            lines=r"\Delta R &\le \tfrac3n",
        ),
    )


def whole_distance() -> Step:
    """The distance without its half, for five records."""
    return counterexample(
        "whole_distance",
        r"Two tables of five records are run: the change of the whole distance is at most the sensitivity.",
        le(_change, printed(_records)),
        {
            _change: lambda: sp.Rational(2 * (to_independence(_FIVE[0]) - to_independence(_FIVE[1]))),
            _records: sp.Integer(5),
        },
    )


def whole_compared() -> Steps:
    """Its value against the printed one."""
    return (
        equal(
            "whole_distance_value",
            r"This change is",
            r"\Delta",
            lambda: sp.Rational(2 * (to_independence(_FIVE[0]) - to_independence(_FIVE[1]))),
            sp.Rational(18, 25),
        ),
        compared("more_than_printed", r"It is more.", gt(sp.Rational(18, 25), printed(sp.Integer(5)))),
    )
