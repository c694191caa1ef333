"""Lemmas A.1 and A.2: tails of a normal variable, and of the largest of several."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, compared, counterexample, enumerated, found

_sigma, _least = sp.symbols("sigma lambda", positive=True)
_variance, _most = sp.symbols("v V", positive=True)
_one, _more, _tail = sp.symbols("P Q E", nonnegative=True)
_number = sp.Symbol("m", positive=True)
_level = sp.Symbol("y", real=True)
_chance, _bound = sp.symbols("p B", nonnegative=True)

_variables = sp.Symbol("m", positive=True, integer=True)
_WITHOUT = le(1 - sp.erf(_least / sp.sqrt(2)) ** _variables, 2 * sp.exp(-(_least**2) / 2))
"""The probability for independent standard normal variables is at most the bound for one."""
_TAILS = (sp.Ge(_number, 1), sp.Le(_more, _number * _one), sp.Le(_one, _tail))


def gaussian_max() -> Claim:
    """Both lemmas with a factor to spare, for dependent variables and smaller variances too."""
    return Claim(
        id="turnstile.gaussian_max",
        title="The largest of several normal variables",
        references=(
            Reference("turnstile", "Lemma A.1, appendix A", "the formula is lost"),
            Reference("turnstile", "Lemma A.2, appendix A", "the formula is lost"),
        ),
        statement=r"For $R \sim N(0, \sigma^2)$: $P(|R| > \lambda) \le 2 e^{-\lambda^2 / (2 \sigma^2)}$. For $R_1, "
        r"\ldots, R_m \sim N(0, \sigma^2)$: $P(\max_j |R_j| > \lambda) \le 2 m e^{-\lambda^2 / (2 \sigma^2)}$.",
        notation=(
            ("$v$, $V$", "variance of one variable, and a bound on it"),
            ("$p$, $B$", r"probability that the largest exceeds $\lambda$, and the bound for one variable"),
        ),
        hypotheses=(r"$\lambda > 0$ and $\sigma > 0$",),
        silent=(
            "the lost formulas are read as the usual ones",
            r"section 3 uses the second for dependent variables whose variances are at most $\sigma^2$",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "without the factor 2",
                r"Both bounds hold with half the right side, for any dependence, and for variances of at most "
                r"$\sigma^2$.",
                tails(),
                formal=symbolic(le(_more, 2 * _number * _tail), given=_TAILS),
            ),
            Part(
                Role.READING,
                "without the number of variables",
                r"The bound for one variable does not hold for the largest of several.",
                without_number(),
                formal=symbolic(_WITHOUT, refuted=True),
                holds=False,
                departs=r"$P(\max_j |R_j| > \lambda) \le 2 m e^{-\lambda^2 / (2 \sigma^2)}$",
            ),
        ),
        uses=("lemma.gaussian_tail",),
    )


def tails() -> Steps:
    """Scaling, smaller variances, and the union bound."""
    place = sp.Symbol("s", positive=True)
    return (
        equal_as(
            "scaled",
            r"Integrating the density of $R$ beyond $\lambda$ on both sides gives the tail of a standard normal "
            r"variable at $\lambda / \sigma$, which is at most $e^{-\lambda^2 / (2 \sigma^2)}$.",
            (
                lambda: (
                    2
                    * sp.integrate(
                        sp.exp(-(place**2) / (2 * _sigma**2)) / sp.sqrt(2 * sp.pi * _sigma**2), (place, _least, sp.oo)
                    )
                ),
                1 - sp.erf(_least / (_sigma * sp.sqrt(2))),
            ),
            r"P(|R| > \lambda) &= 2 \int_\lambda^\infty \frac{e^{-r^2/(2 \sigma^2)}}{\sqrt{2 \pi \sigma^2}}\,dr "
            r"= 1 - \operatorname{erf}\Bigl(\frac{\lambda}{\sqrt2\,\sigma}\Bigr)",
        ),
        at_most(
            "smaller_variance",
            r"A smaller variance $v \le V$ gives a smaller exponent.",
            Inequality(
                "gaussian_max.variance",
                -(_least**2) / (2 * _variance),
                -(_least**2) / (2 * _most),
                (sp.Le(_variance, _most),),
                weaker=sp.Rational(1001, 1000),
            ),
        ),
        at_most(
            "union",
            r"Let $P \le E = e^{-\lambda^2/(2 \sigma^2)}$ be the largest tail of one variable. The probability $Q$ "
            r"that one of $m$ exceeds $\lambda$ is at most the sum of the tails, whatever their dependence.",
            Inequality(
                "gaussian_max.union",
                _more,
                2 * _number * _tail,
                _TAILS,
                gap=sp.Rational(1, 2),
                weaker=sp.Rational(1, 3),
            ),
            lines=r"Q \le m P \le m E &\le 2 m E",
        ),
        enumerated(
            "union_of_events",
            r"The union bound is enumerated over the events of a space of four equal outcomes.",
            "pairs of subsets of 4 equally likely outcomes: the probability of the union is at most the sum",
            product(range(16), repeat=2),
            lambda case: _share(case[0] | case[1]) <= _share(case[0]) + _share(case[1]),
            mutant=lambda case: _share(case[0] | case[1]) <= max(_share(case[0]), _share(case[1])),
        ),
        found(
            "use",
            r"The value at which the bound with the factor $2$ is $0.01$, as section 3 needs it:",
            r"the solution of 2 m exp(-y) = 1/100",
            lambda: sp.solve(2 * _number * sp.exp(-_level) - sp.Rational(1, 100), _level)[0],
            sp.log(200 * _number),
            engine="sympy",
            lines=r"\frac{\lambda^2}{2 \sigma^2} &= \log(200 m)",
        ),
    )


def _share(outcomes: int) -> Fraction:
    """The probability of a set of outcomes, given by bits."""
    return Fraction(outcomes.bit_count(), 4)


def without_number() -> Steps:
    """Ten independent variables."""
    tail = 1 - sp.erf(2 / sp.sqrt(2))
    return (
        counterexample(
            "ten_variables",
            r"Ten independent standard normal variables, $\lambda = 2$: the largest exceeds $2$ in absolute value with "
            r"probability $1 - \operatorname{erf}(\sqrt 2)^{10}$, about $0.37$.",
            le(_chance, _bound),
            {_chance: lambda: 1 - (1 - tail) ** 10, _bound: lambda: 2 * sp.exp(-2)},
        ),
        counterexample(
            "ten_variables_by_formula",
            r"For $m$ independent standard normal variables the probability is $1 - \operatorname{erf}(\lambda / "
            r"\sqrt2)^m$, the left side here.",
            _WITHOUT,
            {_variables: sp.Integer(10), _least: sp.Integer(2)},
        ),
        compared(
            "with_number",
            r"With the number of variables the bound holds.",
            le(1 - (1 - tail) ** 10, 20 * sp.exp(-2)),
        ),
    )


CLAIMS = {"turnstile.gaussian_max": gaussian_max}
