"""The tightest of the paper's bounds on the probability of error, as the minimum over two shares."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_statements import stated_total
from pan_proofs.density.lemmas.accuracy.accuracy_steps import decreasing, plain, rates
from pan_proofs.density.lemmas.accuracy.accuracy_terms import PAIRS, accuracy_terms, rate, total_bound
from pan_proofs.density.lemmas.accuracy.tightest_bound import Minimum, tightest_beta
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.displayed_steps import ceiling_to, equality, floor_to
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.notation import alpha, delta_1, delta_2, epsilon, m, tex
from pan_proofs.ledger.steps import at_most, counterexample, enumerated

SIZE = 5000
"""The size of the sample in the experiments on the probability of error."""
BUDGETS = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 2))
"""Budgets at which the minimum is enclosed, for ``alpha = 1/10``."""

_accuracy = Fraction(1, 10)
_error = sp.Symbol("p_error", nonnegative=True)
_objective = (
    2 * sp.exp(-2 * m * alpha**2 * (1 - delta_1) ** 2)
    + 2 * sp.exp(-m * epsilon**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2 / 8)
    + sp.exp(-epsilon * alpha * m * delta_1 * delta_2)
)
_TERMS = sp.symbols("T_1 T_2 T_3", real=True)
"""The three terms of the sum."""
_ON_AN_EDGE = (*(one >= 0 for one in _TERMS), sp.Or(_TERMS[0] >= 2, _TERMS[1] >= 2, _TERMS[2] >= 1))
_NAMES = {"dwork": "fair first bit", "optimal": "optimal pair"}


def tightest() -> Claim:
    """That the minimum is a valid bound, what it is, and where it says nothing."""
    return Claim(
        id="density.tightest_beta",
        title="The tightest bound on the probability of error",
        references=(
            Reference("paper", "section 3.1, after Theorem 3.3"),
            Reference("thesis", "section 4.2.2, after Theorem 4.3"),
        ),
        statement=r"For fixed $\varepsilon$, $\alpha$, $m$ the tightest bound on $P(|\tilde d - d(\mathcal{S})| \ge "
        r"\alpha)$ is the minimum over $0 \le \delta_1, \delta_2 \le 1$ of $\beta(\delta_1, \delta_2) = "
        r"2e^{-2m\alpha^2(1-\delta_1)^2} + 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2} + "
        r"e^{-\varepsilon\alpha m\delta_1\delta_2}$.",
        hypotheses=(r"$0 < \varepsilon \le \frac12$", r"$\alpha > 0$"),
        silent=(
            r"the shares were in the open interval when the bound was derived, and are in the closed one here",
            r"$m$ is an integer and $m \le U$",
            r"tightest among the bounds of this form: the probability itself may be much smaller",
        ),
        uses=("density.union_lemma", "lemma.hoeffding", "lemma.hoeffding_without_replacement"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the minimum is a valid bound",
                r"For both estimators the probability $p_{\mathrm{error}} = P(|\tilde d - d(\mathcal{S})| \ge \alpha)$ "
                r"is at most the sum of the three terms $T_1$, $T_2$, $T_3$, for all shares in the closed square. "
                r"Within the square the terms bound $p_1$, $p_2$ and $p_3$. On each edge the first or the second term "
                r"is $2$, or the third is $1$, so that the sum is at least $1$. The sum is continuous: the minimum "
                r"exists, and it bounds the probability.",
                (*_objectives(), *_edges()),
                formal=_stated_bound(),
            ),
            Part(
                Role.PUBLISHED,
                "what the minimum is like",
                r"A minimum below $1$ is attained within the square, where the two equations below hold, for either "
                r"estimator. It decreases with $m$. The table encloses it by branch and bound for "
                rf"$m = {SIZE}$, $\alpha = \frac{{1}}{{10}}$.",
                (
                    *_stationary("dwork"),
                    *_stationary("optimal"),
                    *decreasing(
                        "dwork", r"Each term $c\,e^{-rm}$ decreases in $m$ for fixed shares, and so does the minimum."
                    ),
                    rates("optimal", "rates_optimal", r"The rates of the optimal pair are positive as well."),
                    *(_enclosed(pair) for pair in PAIRS),
                ),
                ours=True,
            ),
            Part(
                Role.READING,
                "as a bound that says something",
                r"The minimum exceeds $1$ whenever $m \le \frac{8\log 2}{\varepsilon^2\alpha^2}$, and for the optimal "
                r"pair whenever $m \le \frac{\log 2}{2t^2\alpha^2}$. "
                rf"At $\alpha = \frac{{1}}{{10}}$ and the experiments' ${SIZE}$ users it exceeds $1$ for "
                r"$\varepsilon \le \frac15$, for both estimators.",
                (*_floor("dwork"), *_floor("optimal"), _says_nothing(), *_trivial()),
                holds=False,
            ),
        ),
    )


def _stated_bound() -> tuple[str, ...]:
    """The bound for shares within the square, for either pair, and that the sum is at least 1 on an edge."""
    third = sp.Symbol("p_3", nonnegative=True)
    return (
        *(text for pair in PAIRS for text in stated_total(pair, _error, third)),
        *symbolic(sp.Le(1, sum(_TERMS), evaluate=False), given=_ON_AN_EDGE),
    )


def _objectives() -> tuple[Step, ...]:
    other = accuracy_terms("optimal")
    return (
        equality(
            "objective",
            r"For $\delta_1, \delta_2$ in the open interval the accuracy theorem gives the sum of its three bounds,",
            r"\beta(\delta_1,\delta_2)",
            lambda: total_bound(accuracy_terms("dwork")),
            _objective,
            lines=(
                r"\beta(\delta_1,\delta_2) &= 2e^{-2m\alpha^2(1-\delta_1)^2} "
                r"+ 2e^{-\frac18 m\varepsilon^2\alpha^2\delta_1^2(1-\delta_2)^2}",
                r"&\quad + e^{-\varepsilon\alpha m\delta_1\delta_2}",
            ),
        ),
        equality(
            "objective_of_the_optimal_pair",
            r"For the optimal pair $t^2 = \tanh^2(\varepsilon/2)$ stands in the place of $\varepsilon^2/16$.",
            "",
            lambda: rate(other.cells)[1],
            rate(accuracy_terms("dwork").cells)[1] * 16 * sp.tanh(epsilon / 2) ** 2 / epsilon**2,
            lines=(r"\tfrac18\varepsilon^2 = 2 \left(\tfrac{\varepsilon}{4}\right)^2 &\to 2t^2",),
        ),
    )


def _edges() -> tuple[Step, ...]:
    """On each edge one of the three positive terms is at least 1."""
    steps = []
    for name, symbol, value, kind in (
        ("delta_1_at_1", delta_1, 1, "sampling"),
        ("delta_1_at_0", delta_1, 0, "cells"),
        ("delta_2_at_1", delta_2, 1, "cells"),
        ("delta_2_at_0", delta_2, 0, "noise"),
    ):
        term, other = (getattr(accuracy_terms(pair), kind) for pair in ("dwork", "optimal"))
        least = sp.Integer(1) if kind == "noise" else sp.Integer(2)
        steps.append(
            equality(
                name,
                rf"On the edge ${tex(symbol)} = {value}$ one term, of either estimator, is ${least}$: the sum exceeds "
                rf"$1$.",
                rf"{tex(term)}\Big|_{{{tex(symbol)} = {value}}}",
                partial(term.subs, symbol, value),
                partial(other.subs, symbol, value),
                least,
            )
        )
    first, second, third = _TERMS
    steps.append(
        at_most(
            "edges_exceed_one",
            r"So at every point of the closed square the value is at least the probability; it is continuous there, "
            r"and has a minimum.",
            Inequality(
                "tightest_beta.edges",
                sp.Integer(1),
                sum(_TERMS),
                _ON_AN_EDGE,
                touching={first: 0, second: 0, third: 1},
            ),
            lines=(r"1 &\le \beta(\delta_1, \delta_2) \quad\text{on the edges}",),
        )
    )
    return tuple(steps)


def _stationary(pair: str) -> tuple[Step, ...]:
    terms = accuracy_terms(pair)
    gap, square = terms.gap, {"dwork": r"\tfrac14 m\varepsilon^2", "optimal": r"4mt^2"}[pair]
    whole = total_bound(terms)
    first, second, third = terms.sampling, terms.cells, terms.noise
    along_1 = (
        4 * m * alpha**2 * (1 - delta_1) * first
        - 4 * m * gap**2 * alpha**2 * delta_1 * (1 - delta_2) ** 2 * second
        - epsilon * alpha * m * delta_2 * third
    )
    along_2 = 4 * m * gap**2 * alpha**2 * delta_1**2 * (1 - delta_2) * second - epsilon * alpha * m * delta_1 * third
    return (
        equality(
            f"slope_1_{pair}",
            r"With $T_1, T_2, T_3$ the three terms, both slopes vanish at a minimum within the square "
            rf"({_NAMES[pair]}):",
            "",
            sp.diff(whole, delta_1),
            along_1,
            lines=(
                rf"0 = 4m\alpha^2(1-\delta_1)T_1 &- {square}\alpha^2\delta_1(1-\delta_2)^2 T_2 "
                r"- \varepsilon\alpha m\delta_2 T_3",
            ),
        ),
        equality(
            f"slope_2_{pair}",
            r"The other slope is",
            "",
            sp.diff(whole, delta_2),
            along_2,
            lines=(rf"0 = {square}\alpha^2\delta_1^2(1-\delta_2)T_2 &- \varepsilon\alpha m\delta_1 T_3",),
        ),
    )


def _enclosed(pair: str) -> Step:

    def narrow(eps: Fraction, reach: Fraction) -> bool:
        one = _minimum(eps, pair)
        return 0 <= one.high - one.low <= Fraction(1, 10**9) and all(
            abs(end - round(share, 5)) < reach for ends, share in zip(one.hull, one.shares, strict=True) for end in ends
        )

    return enumerated(
        f"enclosed_{pair}",
        rf"The {_NAMES[pair]}: the minimum, to $10^{{-9}}$; every minimiser is within $10^{{-4}}$ of the shares as "
        rf"printed.",
        f"branch and bound with balls encloses minimum and minimisers for m = {SIZE}, alpha = 1/10 at each budget",
        BUDGETS,
        lambda eps: narrow(eps, Fraction(1, 10**4)),
        mutant=lambda eps: narrow(eps, Fraction(1, 10**6)),
        lines=tuple(_row(eps, _minimum(eps, pair)) for eps in BUDGETS),
    )


@cache
def _minimum(eps: Fraction, pair: str) -> Minimum:
    return tightest_beta(SIZE, eps, _accuracy, pair)


def _row(eps: Fraction, found: Minimum) -> str:
    first, second = (f"{float(round(share, 5)):.5f}" for share in found.shares)
    ends = rf"{floor_to(found.low, 7)} \le \min\beta &\le {ceiling_to(found.high, 7)}"
    return rf"\varepsilon = {float(eps):g}:\quad {ends},\quad \delta_1 \approx {first},\ \delta_2 \approx {second}"


def _floor(pair: str) -> tuple[Step, ...]:
    bound = accuracy_terms(pair).cells
    widest = bound.subs({delta_1: 1, delta_2: 0})
    size = sp.solve(sp.Eq(rate(widest)[1] * sp.Symbol("y"), sp.log(2)), sp.Symbol("y"))[0]
    first, second = plain[delta_1], plain[delta_2]
    return (
        at_most(
            f"shares_at_most_one_{pair}",
            r"Take the second term alone, with the largest exponent that the shares allow.",
            Inequality(
                f"tightest_beta.shares_{pair}",
                first**2 * (1 - second) ** 2,
                sp.Integer(1),
                (first >= 0, first <= 1, second >= 0, second <= 1),
                touching={first: 1, second: 0},
            ),
        ),
        equality(
            f"floor_{pair}",
            rf"This term is $1$ at the size $m = {tex(size)}$, and larger below; the other terms are positive. "
            rf"({_NAMES[pair].capitalize()}.)",
            tex(widest),
            lambda: widest.subs(m, size),
            sp.Integer(1),
        ),
    )


def _says_nothing() -> Step:
    floor = 8 * sp.log(2) / (epsilon * alpha) ** 2
    return counterexample(
        "experiments_below_the_floor",
        rf"For the fair first bit at $\varepsilon \le \frac15$, $\alpha = \frac{{1}}{{10}}$, ${SIZE}$ users are below "
        rf"it.",
        sp.Ge(m, floor, evaluate=False),
        {m: SIZE, epsilon: sp.Rational(1, 5), alpha: _accuracy},
        (sp.Lt(m, 13862, evaluate=False), sp.Lt(13862, floor, evaluate=False)),
        lines=(rf"{SIZE} &< 13862 < \tfrac{{8\log 2}}{{\varepsilon^2\alpha^2}}",),
    )


def _trivial() -> tuple[Step, ...]:
    grows = equality(
        "grows_with_epsilon",
        r"The rates of the second and the third term grow with $\varepsilon$, that of the optimal pair with $t$; so "
        r"the minimum decreases with $\varepsilon$, and $\varepsilon = \frac15$ is the best case.",
        r"\frac{dt}{d\varepsilon}",
        sp.diff(sp.tanh(epsilon / 2), epsilon),
        1 / (2 * sp.cosh(epsilon / 2) ** 2),
    )
    return (grows, *(_exceeds_one(pair) for pair in PAIRS))


def _exceeds_one(pair: str) -> Step:
    return enumerated(
        f"trivial_{pair}",
        rf"The {_NAMES[pair]} at $\varepsilon = \frac15$, by branch and bound:",
        f"the minimum for m = {SIZE}, epsilon = 1/5, alpha = 1/10 exceeds 1",
        (Fraction(1, 5),),
        lambda eps: _minimum(eps, pair).low > 1,
        # At 1/2 it is below 1.
        mutant=lambda eps: _minimum(eps * Fraction(5, 2), pair).low > 1,
        lines=(rf"\min\beta \ge {floor_to(_minimum(Fraction(1, 5), pair).low, 4)} &> 1",),
    )


CLAIMS = {"density.tightest_beta": tightest}
