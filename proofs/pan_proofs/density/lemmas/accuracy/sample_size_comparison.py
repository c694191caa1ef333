"""Optimal sample sizes compared: of the two pairs of bits, and with the sizes that are not optimised."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms
from pan_proofs.density.lemmas.accuracy.tightest_bound import sample_size, suffices
from pan_proofs.engines.computations import comparison, in_every_case, together
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.foundations.displayed_steps import equality, floor_to
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import alpha, beta, epsilon
from pan_proofs.ledger.steps import at_most, compared, counterexample, found, lemma

BUDGETS = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5), Fraction(1, 2))
"""Budgets at which sizes are certified."""
ACCURACY, FAILURE = Fraction(1, 10), Fraction(1, 20)
"""Alpha and beta for which sizes are certified."""

FLOOR = 8 * sp.log(2 / beta) / (epsilon * alpha) ** 2
"""A size that the optimal one exceeds."""

_tanh = sp.tanh(epsilon / 2)


def ratio_of_sizes() -> tuple[Step, ...]:
    """The sizes for the cells of the two pairs: their ratio, its limit and its monotony."""
    short = 16 * _tanh**2 / epsilon**2
    above = sp.sinh(epsilon) - epsilon
    at_half = short.subs(epsilon, sp.Rational(1, 2))
    return (
        equality(
            "ratio_of_sizes",
            r"Divide the two sizes for the cells at equal shares.",
            r"\frac{8}{\varepsilon^2} \cdot 2t^2",
            lambda: accuracy_terms("dwork").sizes[1] / accuracy_terms("optimal").sizes[1],
            short,
            lines=(r"\frac{8}{\varepsilon^2} \cdot 2t^2 &= \frac{16t^2}{\varepsilon^2}",),
        ),
        found(
            "ratio_at_zero",
            r"Its limit:",
            "the limit of the ratio at 0",
            lambda: sp.limit(short, epsilon, 0),
            sp.Integer(4),
            engine="sympy",
            lines=(r"\lim_{\varepsilon \to 0} 16t^2/\varepsilon^2 &= 4",),
        ),
        equality(
            "decreasing_slope",
            r"It decreases with the ratio of $t$ to $\varepsilon$, whose derivative has the sign of "
            r"$\varepsilon - \sinh\varepsilon$:",
            r"\frac{d}{d\varepsilon}\frac{t}{\varepsilon}",
            sp.diff(_tanh / epsilon, epsilon),
            -above / (2 * epsilon**2 * sp.cosh(epsilon / 2) ** 2),
            lines=(
                r"\frac{d}{d\varepsilon}\frac{t}{\varepsilon} &= "
                r"\frac{\varepsilon - \sinh\varepsilon}{2\varepsilon^2\cosh^2(\varepsilon/2)}",
            ),
        ),
        equality(
            "sinh_at_zero",
            r"The difference vanishes at $0$,",
            r"\sinh 0 - 0",
            lambda: above.subs(epsilon, 0),
            sp.Integer(0),
        ),
        equality(
            "sinh_grows",
            r"The difference grows:",
            r"\frac{d}{d\varepsilon}(\sinh\varepsilon - \varepsilon)",
            lambda: sp.diff(above, epsilon),
            2 * sp.sinh(epsilon / 2) ** 2,
        ),
        compared(
            "ratio_at_half",
            r"At the end of the range:",
            sp.Gt(at_half, sp.Rational(383, 100), evaluate=False),
            sp.Lt(at_half, sp.Rational(384, 100), evaluate=False),
            sp.Gt(at_half, 10 ** sp.Rational(58, 100), evaluate=False),
            sp.Lt(4, 10 ** sp.Rational(61, 100), evaluate=False),
            sp.Gt(4, 10 ** sp.Rational(60, 100), evaluate=False),
            lines=(r"10^{0.58} < 16t^2/\varepsilon^2 &\le 4 < 10^{0.61}",),
        ),
    )


def ratio_of_optimal_sizes() -> Step:
    """The ratio of the certified optimal sizes."""

    def sizes(eps: Fraction) -> tuple[int, int]:
        fair, best = (sample_size(eps, ACCURACY, FAILURE, pair).size for pair in ("dwork", "optimal"))
        return fair, best

    def ratio(eps: Fraction) -> Fraction:
        return Fraction(*sizes(eps))

    first, last = (sp.sympify(ratio(eps)) for eps in (BUDGETS[0], BUDGETS[-1]))
    return lemma(
        "ratio_of_optimal_sizes",
        r"Both optimal sizes, certified for six budgets with $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$:",
        (
            certified_sizes("ratio_of_optimal_sizes.sizes", "dwork", "optimal"),
            in_every_case(
                "ratio_of_optimal_sizes.falls",
                "the ratio of the two sizes falls from one budget to the next",
                tuple(pairwise(BUDGETS)),
                lambda pair: ratio(pair[1]) < ratio(pair[0]),
                # Not by a tenth each time.
                mutant=lambda pair: 10 * ratio(pair[1]) < 9 * ratio(pair[0]),
            ),
            # In whole numbers; so the ratio is 10^0.5 to the nearest half order.
            in_every_case(
                "ratio_of_optimal_sizes.within",
                "10^0.46 < ratio < 10^0.59 at each budget",
                BUDGETS,
                lambda eps: 10**25 < 10**46 < ratio(eps) ** 100 < 10**59 < 10**75,
                mutant=lambda eps: 10**25 < 10**46 < ratio(eps) ** 100 < 10**58 < 10**75,
            ),
            together(
                "ratio_of_optimal_sizes.ends",
                "the first ratio is between 3.8 and 3.9 and above 10^0.58, the last between 2.9 and 3 and below "
                "10^0.48",
                *(
                    comparison(f"ratio_of_optimal_sizes.ends.{number}", relation)
                    for number, relation in enumerate(
                        (
                            sp.Gt(first, sp.Rational(38, 10), evaluate=False),
                            sp.Lt(first, sp.Rational(39, 10), evaluate=False),
                            sp.Gt(first**100, sp.Integer(10) ** 58, evaluate=False),
                            sp.Gt(last, sp.Rational(29, 10), evaluate=False),
                            sp.Lt(last, 3, evaluate=False),
                            sp.Lt(last**100, sp.Integer(10) ** 48, evaluate=False),
                        )
                    )
                ),
            ),
        ),
        lines=(
            r"10^{1/4} < 10^{0.46} < m^*_{\mathrm{fair}}/m^*_{\mathrm{opt}} &< 10^{0.59} < 10^{3/4}",
            *(
                rf"\varepsilon = {float(eps):g}:\quad m^*_{{\mathrm{{fair}}}}/m^*_{{\mathrm{{opt}}}} = {one}/{other} "
                rf"&= {floor_to(Fraction(one, other), 2)}\ldots"
                for eps in BUDGETS
                for one, other in (sizes(eps),)
            ),
        ),
    )


def certified_sizes(name: str, *pairs: str, budgets: Sequence[Fraction] = BUDGETS) -> Obligation:
    """The obligation that the optimal sizes of pairs of bits are enough, and that one user less is not."""

    def least(case: tuple[str, Fraction]) -> bool:
        pair, eps = case
        return sample_size(eps, ACCURACY, FAILURE, pair).certified

    def less_is_enough(case: tuple[str, Fraction]) -> bool:
        pair, eps = case
        return suffices(sample_size(eps, ACCURACY, FAILURE, pair).size - 1, eps, ACCURACY, FAILURE, pair)

    return in_every_case(
        name,
        "by balls, at m* the bound is at most beta for the shares found, and at m* - 1 it exceeds beta for all shares",
        tuple(product(pairs, budgets)),
        least,
        mutant=less_is_enough,
    )


def no_order_of_magnitude() -> Step:
    """The lower bound alone is too large for a factor of ten, from a third on."""
    return counterexample(
        "a_third",
        r"By the lower bound it suffices that $16\log\frac1\beta \le 10\log\frac2\beta$; the ratio of the logarithms "
        r"falls as $\beta$ grows, as is shown below, and at $\beta = \frac13$:",
        sp.Lt(10 * FLOOR, 128 * sp.log(1 / beta) / (epsilon * alpha) ** 2, evaluate=False),
        {beta: sp.Rational(1, 3), epsilon: sp.Rational(1, 2), alpha: sp.Rational(1, 10)},
        lines=(r"10 \cdot 8\log 6 = 143.3\ldots &> 140.6\ldots = 128\log 3",),
    )


def at_a_half() -> Step:
    """A certified size that is more than a tenth of the lecture's."""
    budget = Fraction(1, 2)
    size = sample_size(budget, ACCURACY, FAILURE).size
    lecture = 128 * sp.log(20) / sp.Rational(1, 20) ** 2
    return lemma(
        "at_a_half",
        r"At $\varepsilon = \frac12$, $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$, with the certified $m^*$:",
        (
            certified_sizes("at_a_half.size", "dwork", budgets=(budget,)),
            comparison("at_a_half.tenfold", sp.Gt(10 * size, 153382, evaluate=False)),
            comparison("at_a_half.lecture", sp.Gt(153382, lecture, evaluate=False)),
        ),
        lines=(rf"10 m^* = {10 * size} &> 153382 > 128 \cdot 400 \log 20",),
    )


def factors() -> tuple[Step, ...]:
    """The largest factors by which the optimal size can be smaller."""
    small, large = sp.symbols("l_1 l_2", real=True)
    two = sp.Symbol("l", real=True)
    lecture = sp.log(1 / beta) / (epsilon * alpha) ** 2
    return (
        equality(
            "factor_128",
            r"Divide by the lower bound, which is the limit.",
            "",
            lambda: 128 * lecture / FLOOR,
            16 * sp.log(1 / beta) / sp.log(2 / beta),
            lines=(
                r"128\log\tfrac1\beta \,/\, \left(8\log\tfrac2\beta\right) &= 16\,\tfrac{\log(1/\beta)}{\log(2/\beta)}",
            ),
        ),
        equality(
            "factor_200",
            r"And for the lecture's own constant:",
            "",
            lambda: 200 * lecture / FLOOR,
            25 * sp.log(1 / beta) / sp.log(2 / beta),
            lines=(
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
    relations = []
    for eps in BUDGETS:
        size = sample_size(eps, ACCURACY, FAILURE).size
        lecture = sp.log(20) / (sp.sympify(eps) / 10) ** 2 / size
        relations += [
            sp.Gt(128 * lecture, sp.Rational(92, 10), evaluate=False),
            sp.Lt(128 * lecture, sp.Rational(125, 10), evaluate=False),
            sp.Gt(200 * lecture, 14, evaluate=False),
            sp.Lt(200 * lecture, 20, evaluate=False),
        ]
    return lemma(
        "factors_at_examples",
        r"The factors at the budgets of the table:",
        together(
            "factors_at_examples",
            f"9.2 < 128 log(20)/(eps alpha)^2/m* < 12.5 and 14 < 200 log(20)/(eps alpha)^2/m* < 20 at {len(BUDGETS)} "
            f"budgets",
            *(comparison(f"factors_at_examples.{number}", one) for number, one in enumerate(relations)),
        ),
        lines=(
            r"9.2 < \tfrac{128}{\varepsilon^2\alpha^2 m^*}\log 20 &< 12.5",
            r"14 < \tfrac{200}{\varepsilon^2\alpha^2 m^*}\log 20 &< 20",
        ),
    )
