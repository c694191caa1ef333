"""Steps for the error of the estimate from truncated Laplace cells, against that from untruncated ones."""

from __future__ import annotations

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.real_cells.truncated_distributions import (
    closed_mean,
    closed_square,
    eta,
    mean,
    reach,
    user_variance,
    variance,
)
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.ladders import positive_ladder
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, counterexample, found, lemma

untruncated = 1 / (2 * eta**2)
"""The variance that one user adds without truncation: ``2/epsilon^2``."""
_square, _mean, _variance = sp.symbols("q n V", real=True)


def _region() -> tuple[Relational, ...]:
    return (
        _square > 0,
        _square <= 1,
        _mean > 0,
        _mean <= _square / 3,
        _variance >= 1 - 1 / (1 + _square / 6) ** 2,
    )


def stated_worse() -> tuple[str, ...]:
    """That the error is larger than without truncation, formally, given the bounds on the mean and the variance."""
    return symbolic(sp.Lt(1 / (2 * _square), _variance / (2 * _mean) ** 2), given=_region())


def example() -> tuple[Step, ...]:
    """The means and scale of Figure 4.6: the truncated cells make the better estimate."""
    return (
        equal_as(
            "same_variance",
            r"By reflection at $\frac12$ both truncated distributions have the same variance, $b^2 V$, and means at "
            r"the "
            r"distance $2 b \mu$. The mean of the cells, shifted and scaled, is unbiased, and each of $m$ users adds "
            r"$r/m^2$ to its variance.",
            (variance(sign=-1), variance()),
            r"r &= \frac{V}{(2 \mu)^2}",
        ),
        counterexample(
            "figure_means",
            r"Without truncation, $r = 2/\varepsilon^2 = 1/(2 \eta^2)$. Take the means $0.45$ and $0.55$ with $b = "
            r"1$, so that $\varepsilon = 0.1$, $\eta = \frac1{20}$ and $L = \frac12$.",
            sp.Ge(user_variance(), untruncated, evaluate=False),
            {eta: sp.Rational(1, 20), reach: sp.Rational(1, 2)},
            lines=(r"r = 139.9\ldots = \frac{1.399\ldots}{\varepsilon^2} &< \frac{2}{\varepsilon^2} = 200",),
        ),
    )


def stated_example() -> tuple[str, ...]:
    """That truncation need not raise the error, formally."""
    middle, square = sp.symbols("mu Q", real=True)
    return symbolic(
        sp.Lt((square - middle**2) / (2 * middle) ** 2, untruncated, evaluate=False),
        where={
            middle: closed_mean(),
            square: closed_square(),
            eta: sp.Rational(1, 20),
            reach: sp.Rational(1, 2),
        },
    )


def _second_moment() -> sp.Expr:
    """``E z^2/(E|z|)^2`` for the density proportional to ``exp(-|z|)`` on ``[-L, L]``."""
    z = sp.Symbol("z", real=True)
    mass, first, second = (sp.integrate(z**power * sp.exp(-z), (z, 0, reach)) for power in (0, 1, 2))
    return second * mass / first**2


_ends = (sp.Symbol(r"\lim_{L \to 0} R"), sp.Symbol(r"\lim_{L \to \infty} R"))


def stated_small_budget() -> tuple[str, ...]:
    """Both bounds of the ratio, which are its limits."""
    return (
        *symbolic(
            sp.Lt(_second_moment(), 2, evaluate=False), sp.Gt(_second_moment(), sp.Rational(4, 3), evaluate=False)
        ),
        *symbolic(
            *(sp.Eq(end, value, evaluate=False) for end, value in zip(_ends, (sp.Rational(4, 3), 2), strict=True))
        ),
    )


def small_budget() -> tuple[Step, ...]:
    """For a fixed scale and a small budget truncation helps, by a factor between 2/3 and 1."""
    limit = sp.limit(sp.together(user_variance() / (untruncated / 2)), eta, 0, "+")
    ratio = _second_moment()
    growth = sp.exp(reach)
    quartic = 2 * growth**2 + growth * (-3 * reach**2 + 2 * reach - 4) + 2 - 2 * reach - reach**2
    rungs = (
        quartic,
        4 * growth**2 - growth * (3 * reach**2 + 4 * reach + 2) - 2 - 2 * reach,
        8 * growth**2 - growth * (3 * reach**2 + 10 * reach + 6) - 2,
        16 * growth - 3 * reach**2 - 16 * reach - 16,
        16 * growth - 6 * reach - 16,
        16 * growth - 6,
        16 * growth,
    )
    first = growth - 1 - reach
    one = sp.Integer(1)
    return (
        equal_as(
            "limit",
            r"Let $b$ be fixed and $\varepsilon \to 0$. Then $\varepsilon^2 r$ tends to the ratio $R$ of moments of "
            r"the density proportional to $e^{-|z|}$ on $[-L, L]$.",
            (limit, ratio),
            r"\varepsilon^2 r \to R(L) = \frac{E z^2}{(E |z|)^2} &= "
            r"\frac{(2 - (L^2 + 2L + 2)\, w)(1 - w)}{(1 - (1 + L)\, w)^2}",
        ),
        equal_as(
            "below_two",
            r"It is less than $2$. Multiplied by $(e^L - 1 - L)^2$ the difference is",
            ((2 - ratio) * first**2, reach * growth * ((reach - 2) + (reach + 2) * _tail())),
            r"(2 - R)(e^L - 1 - L)^2 &= L e^L \left(L - 2 + (L + 2) e^{-L}\right),",
        ),
        lemma(
            "below_two_sign",
            r"The last factor is positive: it vanishes at $0$ with its derivative, and its second derivative is "
            r"$L e^{-L}$.",
            positive_ladder(
                "truncated.below_two",
                reach,
                (reach - 2 + (reach + 2) * _tail(), 1 - (reach + 1) * _tail(), reach * _tail()),
                (one, one),
            ),
            lines=(r"L - 2 + (L + 2) e^{-L} &> 0",),
        ),
        equal_as(
            "above_four_thirds",
            r"It is more than $\frac43$. In the same way",
            ((3 * ratio - 4) * first**2, quartic),
            r"(3 R - 4)(e^L - 1 - L)^2 &= 2 e^{2L} + e^L (-3 L^2 + 2 L - 4) + 2 - 2L - L^2.",
        ),
        lemma(
            "above_four_thirds_sign",
            r"This vanishes at $0$ with its first two derivatives; the third is $e^L (16 e^L - 3 L^2 - 16 L - 16)$, "
            r"whose second factor vanishes at $0$ with its derivative and has the second derivative $16 e^L - 6 > 0$.",
            positive_ladder("truncated.above_four_thirds", reach, rungs, (one, one, growth, one, one, one)),
            lines=(r"\tfrac43 < R(L) &< 2",),
        ),
        lemma(
            "ends",
            r"Both bounds are approached: $\frac43$ for $L \to 0$, the uniform density, and $2$ for $L \to \infty$, no "
            r"truncation.",
            (
                computed_value(
                    "ends.uniform",
                    "the limit of R for L to 0",
                    lambda: sp.limit(ratio, reach, 0, "+"),
                    sp.Rational(4, 3),
                    engine="sympy",
                    quantities=_ends[:1],
                ),
                computed_value(
                    "ends.untruncated",
                    "the limit of R for L to infinity",
                    lambda: sp.limit(ratio, reach, sp.oo),
                    sp.Integer(2),
                    engine="sympy",
                    quantities=_ends[1:],
                ),
            ),
            lines=(r"R(0) = \tfrac43,\quad R(\infty) &= 2",),
        ),
    )


def means_at_the_ends() -> tuple[Step, ...]:
    """With the means at 0 and 1 truncation makes the estimate worse."""
    at_end = {reach: eta}
    cosh, sinh = sp.cosh(eta), sp.sinh(eta)
    return (
        equal_as(
            "end_mean",
            r"Let the means be $0$ and $1$, that is $b = 1/\varepsilon$ and $L = \eta$.",
            (mean().subs(at_end), eta * cosh / sinh - 1),
            r"\mu &= \eta \coth \eta - 1",
        ),
        equal_as(
            "end_variance",
            r"The variance in the unit of $b$ is",
            (variance().subs(at_end), 1 - eta**2 / sinh**2),
            r"V &= 1 - \frac{\eta^2}{\sinh^2 \eta}",
        ),
        lemma(
            "mean_bound",
            r"The mean is less than $\frac13 \eta^2$,",
            positive_ladder(
                "truncated.mean",
                eta,
                ((1 + eta**2 / 3) * sinh - eta * cosh, eta * cosh - sinh, sinh),
                (eta / 3, eta),
            ),
            lines=(r"\eta \cosh \eta &< (1 + \tfrac13 \eta^2) \sinh \eta",),
        ),
        lemma(
            "variance_bound",
            r"Moreover $V$ is more than $1 - (1 + \frac16 \eta^2)^{-2}$, by the series of $\sinh$.",
            positive_ladder(
                "truncated.variance",
                eta,
                (sinh - eta - eta**3 / 6, cosh - 1 - eta**2 / 2, sinh - eta, cosh - 1, sinh),
                (sp.Integer(1),) * 4,
            ),
            lines=(r"\sinh \eta &> \eta + \tfrac16 \eta^3",),
        ),
        at_most(
            "worse",
            r"So for $\eta \le 1$, that is $\varepsilon \le 2$, with $q = \eta^2$ and $n = \mu$:",
            Inequality(
                "truncated.worse",
                2 * _mean**2,
                _square * _variance,
                (*_region(),),
                strict=True,
                gap=sp.Rational(21, 25),
                weaker=sp.Rational(4, 5),
            ),
            lines=(r"\frac{2}{\varepsilon^2} < r \iff 2 n^2 &< q V",),
        ),
        found(
            "three",
            r"For $\varepsilon \to 0$ the error is half as large again as without truncation.",
            "the limit of epsilon^2 V/(2 mu)^2",
            lambda: sp.limit(((1 - eta**2 / sinh**2) / (eta * cosh / sinh - 1) ** 2) * eta**2, eta, 0, "+"),
            sp.Integer(3),
            engine="sympy",
            lines=(r"\varepsilon^2 r &\to 3",),
        ),
    )


def _tail() -> sp.Expr:
    return sp.exp(-reach)
