"""The ratio of the sample sizes of the two pairs of bits."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.accuracy.accuracy_terms import PAIRS, accuracy_terms
from pan_proofs.density.lemmas.accuracy.certified_sizes import (
    ACCURACY,
    BUDGETS,
    FAILURE,
    LOGARITHM,
    cells_alone,
    certified_sizes,
    floor,
    size_limits,
    stated_cells_alone,
    stated_certified_sizes,
    stated_floor,
    stated_size_limits,
)
from pan_proofs.density.lemmas.accuracy.tightest_bound import sample_size
from pan_proofs.engines.computations import comparison
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.limits import derivative_is, tends_to
from pan_proofs.engines.quantities import one_of, related_in_every_case
from pan_proofs.engines.relations import eq, gt
from pan_proofs.foundations.displayed_steps import floor_to
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import alpha, epsilon
from pan_proofs.ledger.steps import compared, lemma

_FAIR, _BEST = sp.symbols("m_1^* m_2^*", positive=True, integer=True)
"""Optimal sizes of the fair first bit and of the optimal pair."""
_tanh = sp.tanh(epsilon / 2)
_SHORT = 16 * _tanh**2 / epsilon**2
_ABOVE = sp.sinh(epsilon) - epsilon
_SLOPE = -16 * _tanh * _ABOVE / (epsilon**3 * sp.cosh(epsilon / 2) ** 2)
_ORDERS = (
    (_SHORT.subs(epsilon, sp.Rational(1, 2)), sp.Rational(383, 100), sp.Rational(384, 100), 584),
    (sp.Integer(4), sp.Rational(39, 10), sp.Rational(41, 10), 602),
)
"""The ratio at the end of the range and at 0, with bounds, and its order of magnitude in thousandths."""


def ratio_of_sizes() -> tuple[Step, ...]:
    """The sizes for the cells of the two pairs: their ratio, its limit and its monotony."""
    ratio = accuracy_terms("dwork").sizes[1] / accuracy_terms("optimal").sizes[1]
    return (
        lemma(
            "ratio_of_sizes",
            r"Divide the two sizes for the cells at equal shares. The limit of the ratio:",
            tends_to("ratio_of_sizes", ratio, epsilon, sp.S.Zero, sp.Integer(4)),
            lines=(
                r"\frac{8}{\varepsilon^2} \cdot 2t^2 &= \frac{16t^2}{\varepsilon^2}",
                r"\lim_{\varepsilon \to 0} 16t^2/\varepsilon^2 &= 4",
            ),
        ),
        lemma(
            "decreasing_slope",
            r"It decreases with the ratio of $t$ to $\varepsilon$, whose derivative has the sign of "
            r"$\varepsilon - \sinh\varepsilon$:",
            derivative_is("decreasing_slope", ratio, epsilon, _SLOPE),
            lines=(
                r"\frac{d}{d\varepsilon}\frac{t}{\varepsilon} &= "
                r"\frac{\varepsilon - \sinh\varepsilon}{2\varepsilon^2\cosh^2(\varepsilon/2)}",
            ),
        ),
        lemma(
            "sinh_grows",
            r"The difference $\sinh\varepsilon - \varepsilon$ vanishes at $0$, and grows:",
            positive_for_positive(
                "sinh_grows",
                epsilon,
                (_ABOVE, sp.cosh(epsilon) - 1, sp.sinh(epsilon)),
                (sp.S.One, sp.S.One),
            ),
            lines=(r"\frac{d}{d\varepsilon}(\sinh\varepsilon - \varepsilon) &= \cosh\varepsilon - 1 > 0",),
        ),
        compared(
            "ratio_at_half",
            r"At the end of the range, and at $0$:",
            *(relation for ratio, low, high, order in _ORDERS for relation in _of_order(ratio, low, high, order)),
            lines=(r"10^{0.58} < 16t^2/\varepsilon^2 &\le 4 < 10^{0.61}",),
        ),
    )


def _of_order(ratio: sp.Expr, low: sp.Expr, high: sp.Expr, order: int) -> tuple[Relational, ...]:
    """That a ratio has bounds, and that its logarithm to the base 10 is this number of thousandths, cut off."""
    ends = (sp.Integer(10) ** sp.Rational(order + more, 1000) for more in (0, 1))
    return tuple(
        relation(ratio, one, evaluate=False)
        for pair in ((low, high), ends)
        for relation, one in zip((sp.Gt, sp.Lt), pair, strict=True)
    )


def _sizes() -> list[dict[sp.Symbol, sp.Expr]]:
    """The budgets of the table with both optimal sizes."""
    both = [[sample_size(eps, ACCURACY, FAILURE, pair).size for pair in ("dwork", "optimal")] for eps in BUDGETS]
    return [
        {epsilon: sp.sympify(eps), _FAIR: sp.Integer(one), _BEST: sp.Integer(other)}
        for eps, (one, other) in zip(BUDGETS, both, strict=True)
    ]


_AT_THE_ENDS = ((0, sp.Rational(38, 10), sp.Rational(39, 10), 582), (-1, sp.Rational(29, 10), sp.Integer(3), 465))
"""The places of the two ends of the table, with bounds of the ratio, and its order of magnitude in thousandths."""


def _within() -> tuple[Relational, ...]:
    ends = (sp.Integer(10) ** sp.Rational(one, 4) for one in (1, 3))
    return tuple(
        relation(_FAIR / _BEST, one, evaluate=False) for relation, one in zip((sp.Gt, sp.Lt), ends, strict=True)
    )


def ratio_of_optimal_sizes() -> tuple[Step, ...]:
    """The ratio of the certified optimal sizes, and of their limits."""
    sizes = _sizes()
    within = [
        related_in_every_case(
            f"ratio_of_optimal_sizes.within.{number}",
            "the ratio at each budget",
            relation,
            sizes,
            mutant=relation.func(_FAIR / _BEST, 3, evaluate=False),
            parameters=(epsilon, _FAIR, _BEST),
        )
        for number, relation in enumerate(_within())
    ]
    ends = [
        comparison(f"ratio_of_optimal_sizes.end.{place}.{number}", relation, sizes[place])
        for place, low, high, order in _AT_THE_ENDS
        for number, relation in enumerate(_of_order(_FAIR / _BEST, low, high, order))
    ]
    return (
        lemma(
            "ratio_of_optimal_sizes",
            r"Both optimal sizes, certified for six budgets with $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$:",
            (
                *certified_sizes("ratio_of_optimal_sizes.dwork", "dwork"),
                *certified_sizes("ratio_of_optimal_sizes.optimal", "optimal"),
                *within,
                *ends,
            ),
            lines=(
                r"10^{1/4} < 10^{0.46} < m^*_{\mathrm{fair}}/m^*_{\mathrm{opt}} &< 10^{0.59} < 10^{3/4}",
                *(
                    rf"\varepsilon = {float(one[epsilon]):g}:\quad m^*_{{\mathrm{{fair}}}}/m^*_{{\mathrm{{opt}}}} = "
                    rf"{one[_FAIR]}/{one[_BEST]} &= {floor_to(Fraction(int(one[_FAIR]), int(one[_BEST])), 2)}\ldots"
                    for one in sizes
                ),
            ),
        ),
        cells_alone("ratio_of_limits.cells_dwork", "dwork"),
        cells_alone("ratio_of_limits.cells_optimal", "optimal"),
        lemma(
            "ratio_of_limits",
            r"As $\varepsilon \to 0$, $\varepsilon^2 m^*$ tends to its lower bound for either pair, as shares exist "
            r"with which the sizes do, and the two limits are in the ratio $8 : 2$.",
            (
                *size_limits("ratio_of_limits.dwork", "dwork"),
                *size_limits("ratio_of_limits.optimal", "optimal"),
                tends_to(
                    "ratio_of_limits.floor",
                    epsilon**2 * floor("optimal"),
                    epsilon,
                    sp.S.Zero,
                    2 * (sp.log(2) + LOGARITHM) / alpha**2,
                    at={alpha: ACCURACY, LOGARITHM: 1},
                ),
            ),
            (
                r"\varepsilon^2 m^*_{\mathrm{fair}} \to \tfrac{8}{\alpha^2} \log \tfrac2\beta,\quad "
                r"\varepsilon^2 m^*_{\mathrm{opt}} &\to \tfrac{2}{\alpha^2} \log \tfrac2\beta",
            ),
        ),
    )


def stated_ratios() -> tuple[str, ...]:
    """The ratios of both kinds of sizes, formally."""
    ratio = accuracy_terms("dwork").sizes[1] / accuracy_terms("optimal").sizes[1]
    sizes = _sizes()
    return (
        *symbolic(eq(sp.Limit(ratio, epsilon, 0), 4)),
        *symbolic(eq(sp.Derivative(ratio, epsilon), _SLOPE), gt(_ABOVE, 0)),
        *(text for one in _ORDERS for text in symbolic(*_of_order(*one))),
        *stated_certified_sizes("dwork"),
        *stated_certified_sizes("optimal"),
        *symbolic(*_within(), given=(one_of(sizes),)),
        *(
            text
            for place, low, high, order in _AT_THE_ENDS
            for text in symbolic(*_of_order(_FAIR / _BEST, low, high, order), given=(one_of([sizes[place]]),))
        ),
        *(
            text
            for pair in PAIRS
            for text in (*stated_cells_alone(pair), *stated_floor(pair), *stated_size_limits(pair))
        ),
        *symbolic(
            eq(
                sp.Limit(epsilon**2 * floor("optimal"), epsilon, 0),
                2 * (sp.log(2) + LOGARITHM) / alpha**2,
            )
        ),
    )
