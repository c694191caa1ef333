"""The optimal sample size: the least for which the tightest bound is small enough."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.accuracy_terms import (
    ACCURACY,
    BUDGETS,
    FAILURE,
    LIMITS,
    LOGARITHM,
    OF_PAIR,
    PAIRS,
    PATH,
    SECOND,
    STEP,
    accuracy_terms,
    cells_alone,
    certified_sizes,
    decreasing,
    floor,
    goals_add_up,
    rate,
    rates,
    sample_size,
    size_limits,
    stated_cells_alone,
    stated_certified_sizes,
    stated_floor,
    stated_size_limits,
)
from pan_proofs.engines.computations import comparison
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.quantities import one_of, related_in_every_case
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m, tex, universe
from pan_proofs.ledger.steps import bounded, compared, counterexample, equal, lemma

FLOOR = 8 * sp.log(2 / beta) / (epsilon * alpha) ** 2
"""A size that the optimal one exceeds."""

_at_a_half = {epsilon: sp.Rational(1, 2), alpha: sp.Rational(1, 10), beta: sp.Rational(1, 20)}
_LECTURE = 128 * sp.log(1 / beta) / (epsilon * alpha) ** 2
_typical = {alpha: ACCURACY, beta: FAILURE, delta_4: Fraction(1, 3)}
_TENFOLD = gt(10 * m, _LECTURE)
_THIRD = gt(80 * sp.log(2), 48 * sp.log(3))


def optimal_sample_size() -> Claim:
    """The optimum, its dependence on epsilon, and the number of users that it needs."""
    return Claim(
        id="density.optimal_sample_size",
        title="The optimal sample size",
        references=(
            Reference("paper", "section 3.2 and figure 1"),
            Reference("thesis", "section 4.2.3 and figure 4.1", "adds a comparison with the lecture's sample size"),
        ),
        statement=r"For fixed $\varepsilon$, $\alpha$, $\beta$ the optimal sample size $m^*$ is the minimum of "
        r"$\max(m_1, m_2, m_3)$ over $0 \le \delta_i \le 1$, $\delta_3 + \delta_4 \le 1$: the least that achieves the "
        r"accuracy by these bounds. (Thesis: it is smaller by more than an order of magnitude than the lecture's "
        r"$\frac{128}{\varepsilon^2\alpha^2}\log\frac1\beta$.)",
        notation=(
            ("$r_1$, $r_2$, $r_3$", r"rates $r$ of the three bounds $c\,e^{-rm}$"),
            ("$l_1$, $l_2$", r"two values of $\log\frac1\beta$"),
            (
                "$m_1$, $m_2$, $m_3$; $T_1$, $T_2$, $T_3$",
                "sizes and bounds for the three sources of error, as in density.dwork_accuracy",
            ),
            ("$c$, $r$", r"factor and rate of a bound $c\,e^{-rm}$"),
        ),
        hypotheses=(r"$0 < \varepsilon \le \frac12$", r"$\alpha > 0$, $0 < \beta < 1$"),
        silent=(
            r"$m$ is an integer: the optimum is rounded up",
            r"on the edges $\delta_i \in \{0, 1\}$ or $\delta_3 + \delta_4 = 1$ one of the sizes is infinite; the "
            r"minimum is taken in the open region",
            r"$m^* \le U$",
            r"accuracy and failure probability of the figures are not given in what is left of them; the comparison "
            r"with the lecture, which rests on a figure, is therefore judged as a statement for all $\alpha$ and "
            r"$\beta$",
        ),
        uses=("density.dwork_accuracy", "density.tightest_beta", "lecture.accuracy"),
        parts=(
            Part(
                Role.PUBLISHED,
                "what is minimised",
                r"At given $\delta_1, \delta_2$ in the open interval there are $\delta_3, \delta_4$ with "
                r"$\max(m_1,m_2,m_3) \le m$ just if $\beta(\delta_1,\delta_2) \le \beta$ at $m$. So $m^*$, rounded up, "
                r"is the least $m$ for which the tightest bound is at most $\beta$; all larger ones will do as well. "
                r"At the optimum the three sizes are equal.",
                (
                    goals_add_up(),
                    *_shares_exist("dwork"),
                    *_shares_exist("optimal"),
                    _rest_is_enough(),
                    *decreasing("dwork"),
                    rates("optimal", "rates_optimal", r"So are those of the optimal pair."),
                ),
                formal=symbolic(
                    sp.Eq(accuracy_terms("dwork").sizes[0], m), where={delta_3: accuracy_terms("dwork").sampling / beta}
                ),
            ),
            Part(
                Role.PUBLISHED,
                "its dependence on the budget",
                r"$\frac{8}{\varepsilon^2\alpha^2}\log\frac2\beta < m^*$, and $\varepsilon^2 m^* \to "
                r"\frac{8}{\alpha^2}\log\frac2\beta$ as $\varepsilon \to 0$. For the optimal pair "
                r"$\frac{1}{2t^2\alpha^2}\log\frac2\beta < m^*$ and $\varepsilon^2 m^* \to "
                r"\frac{2}{\alpha^2}\log\frac2\beta$: a quarter.",
                (*(cells_alone(f"floor_{pair}", pair) for pair in PAIRS), *map(_limit, PAIRS)),
                formal=tuple(
                    text
                    for pair in PAIRS
                    for text in (*stated_cells_alone(pair), *stated_floor(pair), *stated_size_limits(pair))
                ),
            ),
            Part(
                Role.PUBLISHED,
                "its values",
                r"The table has $m^*$ for $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$: the bound is at most "
                r"$\beta$ at $m^*$, and exceeds it for all shares at $m^* - 1$.",
                tuple(_certified(pair) for pair in PAIRS),
                formal=tuple(text for pair in PAIRS for text in stated_certified_sizes(pair)),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "an order of magnitude below the lecture",
                r"For $\beta \ge \frac13$ no $\varepsilon$ and $\alpha$ make $m^*$ smaller than "
                r"$\frac{128}{\varepsilon^2\alpha^2}\log\frac1\beta$ by a factor of $10$; nor is it for "
                r"$\varepsilon = \frac12$, $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$.",
                (*_no_order_of_magnitude(), _size_at_a_half()),
                formal=_stated_no_order_of_magnitude(),
            ),
            Part(
                Role.AMENDED,
                "how far below the lecture",
                r"$\frac{128}{\varepsilon^2\alpha^2}\log\frac1\beta$ is less than "
                r"$16\,\frac{\log(1/\beta)}{\log(2/\beta)}$ times $m^*$, and the lecture's "
                r"$\frac{200}{\varepsilon^2\alpha^2}\log\frac1\beta$ less than "
                r"$25\,\frac{\log(1/\beta)}{\log(2/\beta)}$ times, both approached as $\varepsilon \to 0$. For "
                r"$\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$ and the budgets of the table the factors are "
                r"between $9.2$ and $12.5$, and between $14$ and $20$. In the formulas $L = \log \frac1\beta$, and $q "
                r"\to 0$ is a share that follows $\varepsilon$.",
                (*_larger(), _factors_at_examples()),
                formal=_stated_factors(),
            ),
            Part(
                Role.READING,
                "for the universe of the experiments",
                r"Read as: so many users can be sampled. That is false for $U = 10^5$, $\alpha = \varepsilon = "
                r"\frac{1}{10}$ and every $\beta \le \frac12$: $m^* > 110\,903$. With all users sampled there is no "
                r"$p_1$, one may take $\delta_1 = 1$, and the tightest bound on the probability of error is between "
                r"$0.57$ and $0.59$.",
                (*_too_many(), *_everybody()),
                formal=(*_stated_too_many(), *_stated_everybody()),
                holds=False,
            ),
        ),
    )


def _shares_exist(pair: str) -> tuple[Step, ...]:
    terms = accuracy_terms(pair)
    rest = {delta_3: terms.sampling / beta, delta_4: terms.cells / beta}

    def third() -> sp.Expr:
        return sp.log(1 / terms.noise) / rate(terms.noise)[1]

    return tuple(
        equal(f"share_{number}_{pair}", text, f"m_{number}", size, m, lines=(rf"m_{number} &= m",))
        for number, text, size in (
            (
                1,
                r"Conversely let $T_1 + T_2 + T_3 \le \beta$ for the three terms at $m$. With $\delta_3 = T_1/\beta$ "
                r"and "
                rf"$\delta_4 = T_2/\beta$ the first size is $m$ ({OF_PAIR[pair]}).",
                terms.sizes[0].subs(rest),
            ),
            (2, r"So is the second size.", terms.sizes[1].subs(rest)),
            (3, r"The third would be $m$ at $1-\delta_3-\delta_4 = T_3/\beta$.", third),
        )
    )


def _rest_is_enough() -> Step:
    a, b, c, total = sp.symbols("T_1 T_2 T_3 beta", real=True)
    return bounded(
        "rest_is_enough",
        r"What is left for the third is not less than that; it is positive, so that $\delta_3 + \delta_4 < 1$. At the "
        r"least real $m$ the sum is $\beta$, since it is continuous in $m$, and all three sizes are $m$.",
        le(c, total - a - b),
        a > 0,
        b > 0,
        c > 0,
        a + b + c <= total,
        lines=r"T_3/\beta &\le 1 - \delta_3 - \delta_4",
    )


def _limit(pair: str) -> Step:
    """At ``1 - delta_1 = q``, ``delta_2 = q^2``, ``epsilon = q^4`` only the cells' size grows like ``1/epsilon^2``."""
    second, least = (LIMITS[pair] * sp.log(2 / one) / alpha**2 for one in (beta * delta_4, beta))
    return lemma(
        f"limit_{pair}",
        rf"With $\varepsilon = q^4$, $\delta_1 = 1-q$, $\delta_2 = q^2$ and fixed $\delta_3, \delta_4$ the "
        rf"first and the third size are of smaller order as $q \to 0$; $\delta_4 < 1$ is arbitrary, and at $1$ "
        rf"the limit of the second is that of the lower bound. ({OF_PAIR[pair].capitalize()}.)",
        size_limits(f"limit_{pair}", pair),
        lines=(rf"\varepsilon^2 m_2 &\to {tex(second)}", rf"\varepsilon^2 m^* &\to {tex(least)}"),
    )


def _certified(pair: str) -> Step:
    sizes = {eps: sample_size(eps, ACCURACY, FAILURE, pair).size for eps in BUDGETS}
    return lemma(
        f"sizes_{pair}",
        rf"The {OF_PAIR[pair]}:",
        certified_sizes(f"sizes_{pair}", pair),
        lines=tuple(rf"\varepsilon = {float(eps):g}:\quad m^* &= {size}" for eps, size in sizes.items()),
    )


_tenth = sp.Rational(1, 10)
_ALL = {epsilon: _tenth, alpha: _tenth, m: sp.Integer(10**5)}
_SHARE = sp.Rational(3, 500)


def _rest() -> sp.Expr:
    """The terms of the cells and of the noise where the whole distance is left to them."""
    terms = accuracy_terms("dwork")
    return (terms.cells + terms.noise).xreplace({delta_1: sp.S.One, delta_2: SECOND})


def _too_many() -> tuple[Step, ...]:
    return (
        counterexample(
            "too_many",
            r"$U = 10^5$ and $\varepsilon = \alpha = \frac{1}{10}$: the lower bound decreases in $\beta$, and at "
            r"$\beta = \frac12$ it exceeds $U$.",
            le(FLOOR, universe),
            {universe: 10**5, epsilon: _tenth, alpha: _tenth, beta: sp.Rational(1, 2)},
            lines=(r"m^* > \tfrac{8}{\varepsilon^2\alpha^2}\log 4 = 110903.5\ldots &> 10^5 = U",),
        ),
        compared(
            "at_every_failure",
            r"For every $\beta = e^{-L} \le \frac12$ it is $m^* > 80\,000 (\log 2 + L)$ with $L \ge \log 2$, and",
            gt(160_000 * sp.log(2), 110_903),
            lines=(r"160\,000 \log 2 &> 110\,903",),
        ),
    )


def _stated_too_many() -> tuple[str, ...]:
    return _stated_from_cells(
        gt(m, 110_903),
        given=(sp.Ge(LOGARITHM, sp.log(2)), sp.Eq(epsilon, _tenth), sp.Eq(alpha, _tenth)),
    )


def _everybody() -> tuple[Step, ...]:
    return (
        lemma(
            "everybody",
            r"With $m = U$ the two remaining terms at $\delta_1 = 1$, $\delta_2 = \frac{3}{500}$:",
            comparison("everybody", lt(_rest(), sp.Rational(59, 100)), {**_ALL, SECOND: _SHARE}),
            lines=(r"2e^{-\frac54(1-\delta_2)^2} + e^{-1000\delta_2} &< 0.59",),
        ),
        lemma(
            "everybody_at_best",
            r"No share makes it smaller than",
            exceeds_on_box(
                "everybody_at_best",
                _rest(),
                sp.Rational(57, 100),
                {SECOND: (sp.S.Zero, sp.S.One)},
                (_ALL,),
                close=({SECOND: _SHARE},),
                stronger=sp.Rational(2, 100),
            ),
            lines=(r"2e^{-\frac54} &> 0.57",),
        ),
    )


def _stated_everybody() -> tuple[str, ...]:
    return (
        *symbolic(lt(_rest(), sp.Rational(59, 100)), given=(one_of([{**_ALL, SECOND: _SHARE}]),)),
        *symbolic(
            gt(_rest(), sp.Rational(57, 100)),
            given=(sp.Ge(SECOND, 0), sp.Le(SECOND, 1), one_of([_ALL])),
        ),
    )


# Compared with the sizes that are not optimised.


def _stated_from_cells(*conclusions: sp.Basic, given: Sequence[sp.Basic] = ()) -> tuple[str, ...]:
    """Formally: what follows from the lower bound of the size."""
    return symbolic(*conclusions, given=(gt(m, floor("dwork")), *given))


def _no_order_of_magnitude() -> tuple[Step, ...]:
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
    return point, larger


def _size_at_a_half() -> Step:
    """A certified size that is more than a tenth of the lecture's."""
    budget = Fraction(1, 2)
    size = sample_size(budget, ACCURACY, FAILURE).size
    return lemma(
        "at_a_half",
        r"At $\varepsilon = \frac12$, $\alpha = \frac{1}{10}$, $\beta = \frac{1}{20}$, with the certified $m^*$:",
        (comparison("at_a_half.tenfold", _TENFOLD, {m: size, **_at_a_half}),),
        lines=(rf"10 m^* = {10 * size} &> 153382 > 128 \cdot 400 \log 20",),
    )


def _larger() -> tuple[Step, ...]:
    """The largest factors by which the optimal size can be smaller."""
    small, large = sp.symbols("l_1 l_2", real=True)
    two = sp.Symbol("l", real=True)
    return (
        lemma(
            "factors_approached",
            r"Divide by the lower bound, which is the limit: on the path on which $\varepsilon^2 m^*$ tends to it, "
            r"both factors tend to their bounds.",
            (
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
        bounded(
            "factor_falls",
            r"The ratio falls as $\beta$ grows: with $l = \log 2$ and $l_1 \le l_2$ two values of $\log\frac1\beta$,",
            le(small / (two + small), large / (two + large)),
            two > 0,
            small > 0,
            small <= large,
        ),
    )


def _factors_at_examples() -> Step:
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


def _stated_no_order_of_magnitude() -> tuple[str, ...]:
    """Formally: the size for every ``beta`` from a third on, and the certified one at a half."""
    return (
        *_stated_from_cells(
            gt(10 * m, 128 * LOGARITHM / (epsilon * alpha) ** 2),
            given=(sp.Le(LOGARITHM, sp.log(3)),),
        ),
        *symbolic(_TENFOLD, given=(one_of([{m: sample_size(BUDGETS[-1], ACCURACY, FAILURE).size, **_at_a_half}]),)),
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


def _stated_factors() -> tuple[str, ...]:
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
        *_stated_from_cells(*larger),
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


CLAIMS = {"density.optimal_sample_size": optimal_sample_size}
