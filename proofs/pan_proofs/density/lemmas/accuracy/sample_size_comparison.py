"""Optimal sample sizes compared: of the two pairs of bits, and with the sizes that are not optimised."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms
from pan_proofs.density.lemmas.accuracy.tightest_bound import sample_size
from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.displayed_steps import by_balls, equality, floor_to
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import alpha, beta, epsilon
from pan_proofs.ledger.steps import at_most, computed, counterexample

BUDGETS = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5), Fraction(1, 2))
"""Budgets at which sizes are certified."""
ACCURACY, FAILURE = Fraction(1, 10), Fraction(1, 20)
"""Alpha and beta for which sizes are certified."""

FLOOR = 8 * sp.log(2 / beta) / (epsilon * alpha) ** 2
"""A size that the optimal one exceeds."""

_tanh = sp.tanh(epsilon / 2)


def ratio_of_sizes() -> tuple[Step, ...]:
    """The sizes for the cells of the two pairs: their ratio, its limit and its monotony."""
    ratio = accuracy_terms("dwork").sizes[1] / accuracy_terms("optimal").sizes[1]
    short = 16 * _tanh**2 / epsilon**2
    above = sp.sinh(epsilon) - epsilon
    return (
        equality(
            "ratio_of_sizes",
            r"Divide the two sizes for the cells at equal shares.",
            r"\frac{8}{\varepsilon^2} \cdot 2t^2",
            ratio,
            short,
            lines=(r"\frac{8}{\varepsilon^2} \cdot 2t^2 &= \frac{16t^2}{\varepsilon^2}",),
        ),
        computed(
            "ratio_at_zero",
            r"Its limit:",
            "the limit of the ratio at 0 is 4",
            bool(sp.limit(short, epsilon, 0) == 4),
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
            "sinh_at_zero", r"The difference vanishes at $0$,", r"\sinh 0 - 0", above.subs(epsilon, 0), sp.Integer(0)
        ),
        equality(
            "sinh_grows",
            r"and grows:",
            r"\frac{d}{d\varepsilon}(\sinh\varepsilon - \varepsilon)",
            sp.diff(above, epsilon),
            2 * sp.sinh(epsilon / 2) ** 2,
        ),
        by_balls(
            "ratio_at_half",
            r"At the end of the range:",
            "16 tanh(1/4)^2 * 4 is between 3.83 and 3.84, and 10^0.58 is below it",
            lambda: all(
                bool(enclosure(value) > 0)
                for at_half in (short.subs(epsilon, sp.Rational(1, 2)),)
                for value in (
                    at_half - sp.Rational(383, 100),
                    sp.Rational(384, 100) - at_half,
                    at_half - 10 ** sp.Rational(58, 100),
                    10 ** sp.Rational(61, 100) - 4,
                    4 - 10 ** sp.Rational(60, 100),
                )
            ),
            lines=(r"10^{0.58} < 16t^2/\varepsilon^2 &\le 4 < 10^{0.61}",),
        ),
    )


def ratio_of_optimal_sizes() -> Step:
    """The ratio of the certified optimal sizes."""
    sizes = {}

    def certified() -> bool:
        for eps in BUDGETS:
            sizes[eps] = [sample_size(eps, ACCURACY, FAILURE, pair) for pair in ("dwork", "optimal")]
        ratios = [Fraction(one.size, other.size) for one, other in sizes.values()]
        falls = all(later < earlier for earlier, later in pairwise(ratios))
        # 10^0.46 < ratio < 10^0.59, in whole numbers, and so to the nearest half order 10^0.5.
        within = all(10**25 < 10**46 < ratio**100 < 10**59 < 10**75 for ratio in ratios)
        within = within and ratios[0] ** 100 > 10**58 and ratios[-1] ** 100 < 10**48
        ends = Fraction(38, 10) < ratios[0] < Fraction(39, 10) and Fraction(29, 10) < ratios[-1] < 3
        return falls and within and ends and all(one.certified for pair in sizes.values() for one in pair)

    step = by_balls(
        "ratio_of_optimal_sizes",
        r"Both optimal sizes, certified for six budgets with $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$:",
        f"the sizes are enough, one user less is not; ratios between 10^0.46 and 10^0.59, at {len(BUDGETS)} budgets",
        certified,
    )
    lines = [r"10^{1/4} < 10^{0.46} < m^*_{\mathrm{fair}}/m^*_{\mathrm{opt}} &< 10^{0.59} < 10^{3/4}"]
    lines += [
        rf"\varepsilon = {float(eps):g}:\quad m^*_{{\mathrm{{fair}}}}/m^*_{{\mathrm{{opt}}}} = {one.size}/{other.size} "
        rf"&= {floor_to(Fraction(one.size, other.size), 2)}\ldots"
        for eps, (one, other) in sizes.items()
    ]
    return replace(step, lines=tuple(lines))


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
    found: list[int] = []

    def below_ten() -> bool:
        one = sample_size(Fraction(1, 2), ACCURACY, FAILURE)
        found.append(one.size)
        lecture = 128 * sp.log(20) / sp.Rational(1, 20) ** 2
        return one.certified and 10 * one.size > 153382 and bool(enclosure(153382 - lecture) > 0)

    step = by_balls(
        "at_a_half",
        r"At $\varepsilon = \frac12$, $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$, with the certified $m^*$:",
        "10 m* exceeds 153382, which exceeds 128 log(20) * 400",
        below_ten,
    )
    return replace(step, lines=tuple(rf"10 m^* = {10 * size} &> 153382 > 128 \cdot 400 \log 20" for size in found))


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
            128 * lecture / FLOOR,
            16 * sp.log(1 / beta) / sp.log(2 / beta),
            lines=(
                r"128\log\tfrac1\beta \,/\, \left(8\log\tfrac2\beta\right) &= 16\,\tfrac{\log(1/\beta)}{\log(2/\beta)}",
            ),
        ),
        equality(
            "factor_200",
            r"And for the lecture's own constant:",
            "",
            200 * lecture / FLOOR,
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

    def between() -> bool:
        held = True
        for eps in BUDGETS:
            size = sample_size(eps, ACCURACY, FAILURE).size
            lecture = sp.log(20) / (sp.Rational(eps.numerator, eps.denominator) / 10) ** 2 / size
            held = held and bool(enclosure(128 * lecture - sp.Rational(92, 10)) > 0)
            held = held and bool(enclosure(128 * lecture - sp.Rational(125, 10)) < 0)
            held = held and bool(enclosure(200 * lecture - 14) > 0) and bool(enclosure(200 * lecture - 20) < 0)
        return held

    return by_balls(
        "factors_at_examples",
        r"The factors at the budgets of the table:",
        f"9.2 < 128 log(20)/(eps alpha)^2/m* < 12.5 and 14 < 200 log(20)/(eps alpha)^2/m* < 20 at {len(BUDGETS)} "
        f"budgets",
        between,
        lines=(
            r"9.2 < \tfrac{128}{\varepsilon^2\alpha^2 m^*}\log 20 &< 12.5",
            r"14 < \tfrac{200}{\varepsilon^2\alpha^2 m^*}\log 20 &< 20",
        ),
    )
