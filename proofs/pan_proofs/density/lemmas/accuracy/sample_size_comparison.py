"""Optimal sample sizes compared: of the two pairs of bits, and with the sizes that are not optimised."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms
from pan_proofs.density.lemmas.accuracy.certified_sizes import (
    ACCURACY,
    BUDGETS,
    FAILURE,
    LOGARITHM,
    PATH,
    STEP,
    cells_alone,
    certified_sizes,
    size_limits,
    stated_certified_sizes,
    stated_from_cells,
    stated_size_limits,
)
from pan_proofs.density.lemmas.accuracy.tightest_bound import sample_size
from pan_proofs.engines.computations import comparison
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.quantities import one_of, related_in_every_case
from pan_proofs.engines.relations import eq, gt, lt
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_4, epsilon, m
from pan_proofs.ledger.steps import at_most, compared, counterexample, lemma

FLOOR = 8 * sp.log(2 / beta) / (epsilon * alpha) ** 2
"""A size that the optimal one exceeds."""

_at_a_half = {epsilon: sp.Rational(1, 2), alpha: sp.Rational(1, 10), beta: sp.Rational(1, 20)}
_LECTURE = 128 * sp.log(1 / beta) / (epsilon * alpha) ** 2
_typical = {alpha: ACCURACY, beta: FAILURE, delta_4: Fraction(1, 3)}
_TENFOLD = gt(10 * m, _LECTURE)
_THIRD = gt(80 * sp.log(2), 48 * sp.log(3))


def no_order_of_magnitude() -> tuple[Step, ...]:
    """The lower bound alone is too large for a factor of ten, from a third on."""
    point = counterexample(
        "a_third",
        r"By the lower bound it suffices that $16\log\frac1\beta \le 10\log\frac2\beta$; the ratio of the logarithms "
        r"falls as $\beta$ grows, as is shown below, and at $\beta = \frac13$:",
        lt(10 * FLOOR, 128 * sp.log(1 / beta) / (epsilon * alpha) ** 2),
        {beta: sp.Rational(1, 3), epsilon: sp.Rational(1, 2), alpha: sp.Rational(1, 10)},
        lines=(r"10 \cdot 8\log 6 = 143.3\ldots &> 140.6\ldots = 128\log 3",),
    )
    larger = compared(
        "from_a_third_on",
        r"For all $\beta = e^{-L} \ge \frac13$, that is $L \le \log 3$, it is $80 (\log 2 + L) > 128 L$, since",
        _THIRD,
        lines=(r"80 \log 2 = 55.4\ldots &> 52.7\ldots = 48 \log 3",),
    )
    return point, cells_alone("no_order.cells", "dwork"), larger


def at_a_half() -> Step:
    """A certified size that is more than a tenth of the lecture's."""
    budget = Fraction(1, 2)
    size = sample_size(budget, ACCURACY, FAILURE).size
    return lemma(
        "at_a_half",
        r"At $\varepsilon = \frac12$, $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$, with the certified $m^*$:",
        (
            *certified_sizes("at_a_half", "dwork", (budget,)),
            comparison("at_a_half.tenfold", _TENFOLD, {m: size, **_at_a_half}),
        ),
        lines=(rf"10 m^* = {10 * size} &> 153382 > 128 \cdot 400 \log 20",),
    )


def factors() -> tuple[Step, ...]:
    """The largest factors by which the optimal size can be smaller."""
    small, large = sp.symbols("l_1 l_2", real=True)
    two = sp.Symbol("l", real=True)
    return (
        cells_alone("factors.cells", "dwork"),
        lemma(
            "factors_approached",
            r"Divide by the lower bound, which is the limit: on the path on which $\varepsilon^2 m^*$ tends to it, "
            r"both factors tend to their bounds.",
            (
                *size_limits("factors_approached.sizes", "dwork"),
                *(
                    one
                    for constant, (path, second, least) in zip(_CONSTANTS, _in_order(), strict=True)
                    for one in (
                        tends_to(f"factor_{constant}.path", path, STEP, sp.S.Zero, second, at=_typical),
                        tends_to(f"factor_{constant}.meet", second, delta_4, sp.S.One, least, side="-", at=_typical),
                    )
                ),
            ),
            (
                r"128\log\tfrac1\beta \,/\, \left(8\log\tfrac2\beta\right) &= 16\,\tfrac{\log(1/\beta)}{\log(2/\beta)}",
                r"200\log\tfrac1\beta \,/\, \left(8\log\tfrac2\beta\right) &= 25\,\tfrac{\log(1/\beta)}{\log(2/\beta)}",
            ),
        ),
        at_most(
            "factor_falls",
            r"The ratio falls as $\beta$ grows: with $l = \log 2$ and $l_1 \le l_2$ two values of $\log\frac1\beta$,",
            Inequality(
                "optimal_sample_size.factor_falls",
                small / (two + small),
                large / (two + large),
                (two > 0, small > 0, small <= large),
                touching={small: 1, large: 1, two: 1},
            ),
        ),
    )


def factors_at_examples() -> Step:
    """The factors at the certified sizes."""
    fixed = {alpha: sp.sympify(ACCURACY), beta: sp.sympify(FAILURE)}
    cases = [{epsilon: sp.sympify(eps), m: sample_size(eps, ACCURACY, FAILURE).size, **fixed} for eps in BUDGETS]
    return lemma(
        "factors_at_examples",
        r"The factors at the budgets of the table:",
        [
            related_in_every_case(
                f"factors_at_examples.{number}",
                "the factor at the budgets of the table",
                relation,
                cases,
                mutant=mutant,
                parameters=(epsilon, m, alpha, beta),
            )
            for number, (relation, mutant) in enumerate(zip(_factors(), _factors(sp.S.One), strict=True))
        ],
        lines=(
            r"9.2 < \tfrac{128}{\varepsilon^2\alpha^2 m^*}\log 20 &< 12.5",
            r"14 < \tfrac{200}{\varepsilon^2\alpha^2 m^*}\log 20 &< 20",
        ),
    )


def _factors(narrower: sp.Rational = sp.S.Zero) -> tuple[Relational, ...]:
    """The bounds of the two factors, or narrower ones."""
    tenth = sp.Rational(1, 10)
    ends = ((128, 92 * tenth, 125 * tenth), (200, sp.Integer(14), sp.Integer(20)))
    sides = [(_LECTURE * constant / 128 / m, low + narrower, high - narrower) for constant, low, high in ends]
    return tuple(one for factor, low, high in sides for one in (gt(factor, low), lt(factor, high)))


def stated_no_order_of_magnitude() -> tuple[str, ...]:
    """Formally: the size for every ``beta`` from a third on, and the certified one at a half."""
    return (
        *stated_from_cells(
            gt(10 * m, 128 * LOGARITHM / (epsilon * alpha) ** 2),
            given=(sp.Le(LOGARITHM, sp.log(3)),),
        ),
        *symbolic(_TENFOLD, given=(one_of([{m: sample_size(BUDGETS[-1], ACCURACY, FAILURE).size, **_at_a_half}]),)),
        *stated_certified_sizes("dwork", BUDGETS[-1:]),
    )


_CONSTANTS = (128, 200)
"""The constants of the two sizes with which the optimal one is compared."""


def _in_order(pair: str = "dwork") -> list[tuple[sp.Expr, sp.Expr, sp.Expr]]:
    """For both constants the size over the second one on the path, its limit, and the limit of that."""
    second = accuracy_terms(pair).sizes[1].xreplace(PATH)
    return [
        (
            (constant * sp.log(1 / beta) / (epsilon * alpha) ** 2).xreplace(PATH) / second,
            *(sp.Integer(constant) / 8 * sp.log(1 / beta) / sp.log(2 / one) for one in (beta * delta_4, beta)),
        )
        for constant in _CONSTANTS
    ]


def stated_factors() -> tuple[str, ...]:
    """Formally: the bounds on the two factors, their limits, and the factors at the budgets of the table."""
    fixed = {alpha: sp.sympify(ACCURACY), beta: sp.sympify(FAILURE)}
    cases = [{epsilon: sp.sympify(eps), m: sample_size(eps, ACCURACY, FAILURE).size, **fixed} for eps in BUDGETS]
    larger = [
        lt(
            constant * LOGARITHM / (epsilon * alpha) ** 2,
            sp.Integer(constant) / 8 * LOGARITHM / (sp.log(2) + LOGARITHM) * m,
        )
        for constant in _CONSTANTS
    ]
    rest = lt(delta_4, 1)
    return (
        *stated_from_cells(*larger),
        *stated_size_limits("dwork"),
        *(
            text
            for path, second, least in _in_order()
            for text in (
                *symbolic(eq(sp.Limit(path, STEP, 0), second), given=(rest,)),
                *symbolic(eq(sp.Limit(second, delta_4, 1, "-"), least), given=(beta < 1,)),
            )
        ),
        *symbolic(*_factors(), given=(one_of(cases),)),
    )
