"""Weights exponential in a score: infinitely many outputs, and the factor 2 in the exponent."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, le
from pan_proofs.foundations.sums_over_terms import weighted_sums
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import at_most, counterexample, found

count = sp.Symbol("N", positive=True, integer=True)
"""Number of outputs."""
factor_of_weights = sp.Symbol("s", real=True)
"""``exp(epsilon/2)``."""
weight, other_weight = sp.symbols("w wprime", real=True)
"""An output's weight for the two datasets."""
total, other_total = sp.symbols("n nprime", real=True)
"""The sums of all weights."""


def chance(weight: sp.Expr, others: sp.Expr, outputs: sp.Expr = count) -> sp.Expr:
    """Probability of the first output, when all others have one weight."""
    return weight / (weight + (outputs - 1) * others)


def opposite_scores(factor: sp.Expr, outputs: sp.Expr = count) -> sp.Expr:
    """Ratio for the first output when its score falls by the sensitivity and all others rise by it.

    For D the first output has the score ``Delta q``, all others 0; for D' it is the other way round. ``factor`` is
    what the sensitivity multiplies a weight by.
    """
    return chance(factor, sp.S.One, outputs) / chance(sp.S.One, factor, outputs)


def sums(name: str, text: str) -> Step:
    """Sums keep a factor."""
    so_far, other = sp.symbols("A Aprime", real=True)
    return at_most(
        name,
        text,
        Inequality(
            f"exponential_mechanism.{name}",
            other + other_weight,
            factor_of_weights * (so_far + weight),
            (
                factor_of_weights >= 1,
                so_far >= 0,
                weight >= 0,
                other <= factor_of_weights * so_far,
                other_weight <= factor_of_weights * weight,
            ),
            touching={other: 2, so_far: 1, other_weight: 2, weight: 1, factor_of_weights: 2},
        ),
        lines=r"A' \le sA,\ w' \le sw &\implies A' + w' \le s\,(A + w)",
    )


def infinitely_many() -> Steps:
    """Partial sums and their limits."""
    number = sp.Symbol("k", positive=True, integer=True)
    return (
        weighted_sums(
            "partial_sums",
            r"Sums $X$ and $Y$ over finitely many outputs, and of finitely many values $x_i$, $y_i$ of the weights for "
            r"$D'$ and $D$ times measures $a_i$, keep the factor $F = s = e^{\varepsilon/2}$: $n' \le sn$; their "
            r"limits do as well. So $n'$ is finite if $n$ is, and exchanging the datasets, positive. The rest of the "
            r"proof does not change.",
        ),
        found(
            "no_sum",
            r"A sum that is not finite: countably many outputs with the constant score $0$.",
            f"the limit of the sum of the weights 1 of {count} outputs",
            lambda: sp.limit(sp.summation(sp.exp(epsilon * 0), (number, 1, count)), count, sp.oo),
            sp.oo,
            engine="sympy",
            lines=r"\lim_{N \to \infty} \sum_{k=1}^{N} e^{0} &= \infty",
        ),
    )


def without_two() -> Step:
    """Three outputs are enough."""
    three = opposite_scores(x, sp.Integer(3))
    return counterexample(
        "three_outputs",
        r"Take the scores above with $N = 3$. A weight now changes by $x = e^{\varepsilon}$; let $x = \frac32$. The "
        r"first output has the probabilities $\frac37$ and $\frac14$.",
        le(three, x),
        {x: sp.Rational(3, 2)},
        (ge(x, 1),),
        lines=r"\frac{3/7}{1/4} = \frac{12}{7} &> \frac32",
    )


def monotone() -> Steps:
    """Weights and their sum move the same way."""
    factor = sp.Symbol("x", real=True)
    signs = (factor >= 1, weight > 0, other_weight > 0, total > 0, other_total > 0)
    ordered = (
        weight <= other_weight,
        other_weight <= factor * weight,
        total <= other_total,
        other_total <= factor * total,
    )
    return (
        at_most(
            "monotone_removed",
            r"Let $D'$ be $D$ with a record more, and no score lower. With $x = e^{\varepsilon}$: $w \le w' \le xw$, "
            r"and the same for the sums, $n \le n' \le xn$. So the factor comes from one of them only,",
            Inequality(
                "exponential_mechanism.monotone_removed",
                weight / total,
                factor * other_weight / other_total,
                (*signs, *ordered),
                touching={weight: 1, other_weight: 1, total: 1, other_total: 2, factor: 2},
            ),
            lines=r"\frac wn &\le x\,\frac{w'}{n'}",
        ),
        at_most(
            "monotone_added",
            r"The other direction holds as well. If no score is higher, exchange the datasets.",
            Inequality(
                "exponential_mechanism.monotone_added",
                other_weight / other_total,
                factor * weight / total,
                (*signs, *ordered),
                touching={weight: 1, other_weight: 2, total: 1, other_total: 1, factor: 2},
            ),
            lines=r"\frac{w'}{n'} &\le x\,\frac wn",
        ),
    )


def constant_sum() -> Steps:
    """The Laplace density as an example."""
    distance = sp.Symbol("y", positive=True)
    largest = sp.Symbol("Delta", positive=True)
    at_distance = sp.exp(-epsilon * distance / (2 * largest))
    antiderivative = sp.integrate(at_distance, distance)
    scale = 2 * largest / epsilon

    def whole() -> sp.Expr:
        """The integral over both sides."""
        return 2 * (sp.limit(antiderivative, distance, sp.oo) - sp.limit(antiderivative, distance, 0, "+"))

    return (
        at_most(
            "one_factor",
            r"Only the factor of the weight is left.",
            Inequality(
                "exponential_mechanism.one_factor",
                weight / total,
                factor_of_weights * other_weight / total,
                (
                    factor_of_weights >= 1,
                    weight > 0,
                    other_weight > 0,
                    total > 0,
                    weight <= factor_of_weights * other_weight,
                ),
                touching={weight: 2, other_weight: 1, total: 1, factor_of_weights: 2},
            ),
            lines=r"w \le sw' &\implies \frac wn \le s\,\frac{w'}{n}",
        ),
        equal_as(
            "antiderivative",
            r"For the score $-|f(D) - y|$ the weight depends on the distance from $f(D)$ only. On one side, at the "
            r"distance $y$,",
            (
                lambda: sp.diff(antiderivative, distance),
                at_distance,
            ),
            r"\frac{d}{dy} \left[ -\frac{2\Delta}{\varepsilon}\,e^{-\varepsilon y/(2\Delta)} \right] &= "
            r"e^{-\varepsilon y/(2\Delta)}",
        ),
        equal_as(
            "normaliser",
            r"So the integral over both sides is",
            (
                whole,
                2 * scale,
            ),
            r"2 \int_0^\infty e^{-\varepsilon y/(2\Delta)}\,dy &= \frac{4\Delta}{\varepsilon}",
        ),
        equal_as(
            "is_laplace",
            r"This is so for every dataset, and the density is that of $\operatorname{Laplace}(f(D), b)$ with "
            r"$b = \frac{2\Delta}{\varepsilon}$, twice the scale of the Laplace mechanism.",
            (
                lambda: at_distance / whole(),
                sp.exp(-distance / scale) / (2 * scale),
            ),
            r"\frac{\varepsilon}{4\Delta}\,e^{-\varepsilon y/(2\Delta)} &= \frac{1}{2b}\,e^{-y/b}",
        ),
    )
