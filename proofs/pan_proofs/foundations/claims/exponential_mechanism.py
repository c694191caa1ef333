"""Theorem 2.7 of the thesis: outputs drawn with weights that are exponential in a score."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.sums_over_terms import stated_weighted_sums, weighted_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import counterexample, equal, found, implied

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
        implied(
            "monotone_removed",
            r"Let $D'$ be $D$ with a record more, and no score lower. With $x = e^{\varepsilon}$: $w \le w' \le xw$, "
            r"and the same for the sums, $n \le n' \le xn$. So the factor comes from one of them only,",
            le(weight / total, factor * other_weight / other_total),
            *signs,
            *ordered,
        ),
        implied(
            "monotone_added",
            r"The other direction holds as well. If no score is higher, exchange the datasets.",
            le(other_weight / other_total, factor * weight / total),
            *signs,
            *ordered,
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
        implied(
            "one_factor",
            r"Only the factor of the weight is left.",
            le(weight / total, factor_of_weights * other_weight / total),
            factor_of_weights >= 1,
            weight > 0,
            other_weight > 0,
            total > 0,
            weight <= factor_of_weights * other_weight,
        ),
        equal(
            "antiderivative",
            r"For the score $-|f(D) - y|$ the weight depends on the distance from $f(D)$ only. On one side, at the "
            r"distance $y$,",
            "",
            lambda: sp.diff(antiderivative, distance),
            at_distance,
            lines=r"\frac{d}{dy} \left[ -\frac{2\Delta}{\varepsilon}\,e^{-\varepsilon y/(2\Delta)} \right] &= "
            r"e^{-\varepsilon y/(2\Delta)}",
        ),
        equal(
            "normaliser",
            r"So the integral over both sides is",
            "",
            whole,
            2 * scale,
            lines=r"2 \int_0^\infty e^{-\varepsilon y/(2\Delta)}\,dy &= \frac{4\Delta}{\varepsilon}",
        ),
        equal(
            "is_laplace",
            r"This is so for every dataset, and the density is that of $\operatorname{Laplace}(f(D), b)$ with "
            r"$b = \frac{2\Delta}{\varepsilon}$, twice the scale of the Laplace mechanism.",
            "",
            lambda: at_distance / whole(),
            sp.exp(-distance / scale) / (2 * scale),
            lines=r"\frac{\varepsilon}{4\Delta}\,e^{-\varepsilon y/(2\Delta)} &= \frac{1}{2b}\,e^{-y/b}",
        ),
    )


root = sp.Symbol("s", positive=True)
"""``exp(epsilon/2)``."""

_rest, _other_rest = sp.symbols("R Rprime", real=True)


def exponential_mechanism() -> Claim:
    """The bound, how close it comes, and what becomes of the factor 2."""
    return Claim(
        id="thesis.exponential_mechanism",
        title="The exponential mechanism",
        references=(Reference("thesis", "Theorem 2.7, section 2.2.3"),),
        statement=r"Draw an output $o$ with probability proportional to $e^{\varepsilon q(D, o)/(2\Delta q)}$, where "
        r"$\Delta q = \max_o \max |q(D, o) - q(D', o)|$ over adjacent pairs. This is $\varepsilon$-differentially "
        r"private.",
        notation=(
            ("$A$, $A'$", "sums so far of the weights, or probabilities, of outputs, for $D$ and for $D'$"),
            (
                "$a$, $x$, $y$; $k$",
                "measure of one set of outputs more, with its weights for $D'$ and $D$; number of an output",
            ),
            (r"$\mathrm{density}$", "density of the output at the distance $y$ from $f(D)$"),
        ),
        hypotheses=(r"$|q(D, o) - q(D', o)| \le \Delta q$ for all outputs $o$ and adjacent $D, D'$",),
        silent=(
            r"$0 < \Delta q < \infty$, $\varepsilon > 0$",
            r"the sum of the weights is finite; with finitely many outputs it always is",
            "adjacency is either of the two; the sensitivity is that of the one chosen",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the bound, for any finite number of outputs",
                r"Let $w, n$ be an output's weight and the sum of all weights for $D$, and $w', n'$ the same for $D'$. "
                r"Then $\frac wn \le e^{\varepsilon} \frac{w'}{n'}$, and sets of outputs keep this.",
                (
                    weighted_sums(
                        "sets_of_outputs",
                        r"Coq has the ratio of one output; sets of outputs keep it. With $x$ and $y$ for the "
                        r"probabilities of an output for $D$ and for $D'$, $a = 1$ and $F = e^{\varepsilon}$:",
                    ),
                ),
                formal=stated_weighted_sums(sp.exp(epsilon)),
                theorems=("exponential_private",),
            ),
            Part(
                Role.PUBLISHED,
                "the bound is approached",
                r"With finitely many outputs the ratio is less than $e^{\varepsilon}$, always. With $N$ outputs and "
                r"the scores below it tends to $e^{\varepsilon}$ as $N \to \infty$, so that no smaller budget holds "
                r"for all $N$.",
                approached(),
                formal=_stated_approach(),
            ),
            Part(
                Role.READING,
                "infinitely many outputs",
                r"If the weights are summed, or integrated over a base measure, to something finite and positive for "
                r"one dataset, they are for every adjacent one, and the theorem holds. If not, there is no such "
                r"mechanism.",
                infinitely_many(),
                formal=(
                    *stated_weighted_sums(sp.exp(epsilon / 2)),
                    *symbolic(
                        le(weight / total, sp.exp(epsilon) * other_weight / other_total),
                        given=(
                            *(one > 0 for one in (weight, other_weight, total, other_total)),
                            weight <= sp.exp(epsilon / 2) * other_weight,
                            other_total <= sp.exp(epsilon / 2) * total,
                        ),
                    ),
                ),
            ),
            derived(
                Role.READING,
                "without the factor 2 in the exponent",
                r"With the weights $e^{\varepsilon q/\Delta q}$ the theorem is false.",
                without_two(),
                holds=False,
                departs=r"$e^{\varepsilon q(D, o)/(2\Delta q)}$",
            ),
            Part(
                Role.READING,
                "without the factor 2, for monotone scores",
                r"If adding a record never lowers a score (or never raises one), the weights $e^{\varepsilon q/\Delta "
                r"q}$ are $\varepsilon$-differentially private for unbounded adjacency.",
                monotone(),
                formal=_stated_monotone(),
            ),
            Part(
                Role.READING,
                "a sum of weights that does not depend on the data",
                r"Then the loss is at most $\frac\varepsilon2$: half of the budget is not used. This is so for "
                r"$q(D, y) = -|f(D) - y|$ on the real line, which gives the Laplace mechanism with twice its scale.",
                constant_sum(),
                formal=_stated_constant_sum(),
            ),
        ),
        uses=("density.laplace_mechanism",),
        remark=r"The thesis notes that the Laplace mechanism is an instance of this one (the sentence names the "
        r"Laplace mechanism twice). It is, if the score is $-|f(D) - y|$ and $2\varepsilon$ stands for $\varepsilon$ "
        r"in the exponent.",
    )


def _stated_approach() -> tuple[str, ...]:
    """The ratio of an output is less than ``s**2``, and that of the example exceeds every smaller number."""
    factor = sp.exp(epsilon / 2)
    below = lt(weight / (weight + _rest), factor**2 * other_weight / (other_weight + _other_rest))
    within = (
        weight > 0,
        other_weight > 0,
        _rest >= 0,
        _other_rest >= 0,
        weight <= factor * other_weight,
        _other_rest <= factor * _rest,
    )
    number = sp.Symbol("K", positive=True)
    beyond = gt(count, root * (root**2 - 1) / (root**2 - number))
    return (
        *symbolic(below, given=within),
        *symbolic(lt(opposite_scores(root), root**2), given=(root > 1, count >= 1)),
        *symbolic(gt(opposite_scores(root), number), given=(root > 1, number < root**2, beyond)),
    )


def _stated_monotone() -> tuple[str, ...]:
    """Both ratios, for scores that only rise when a record is added."""
    factor = sp.exp(epsilon)
    return symbolic(
        le(weight / total, factor * other_weight / other_total),
        le(other_weight / other_total, factor * weight / total),
        given=(
            *(one > 0 for one in (weight, other_weight, total, other_total)),
            weight <= other_weight,
            other_weight <= factor * weight,
            total <= other_total,
            other_total <= factor * total,
        ),
    )


def _stated_constant_sum() -> tuple[str, ...]:
    """One factor only is left, and the density is that of a Laplace variable of twice the scale."""
    distance, largest = sp.symbols("y Delta", positive=True)
    normalised = sp.exp(-epsilon * distance / (2 * largest)) * epsilon / (4 * largest)
    return (
        *symbolic(
            le(weight / total, sp.exp(epsilon / 2) * other_weight / total),
            given=(weight > 0, other_weight > 0, total > 0, weight <= sp.exp(epsilon / 2) * other_weight),
        ),
        *symbolic(eq(sp.Symbol("density"), normalised)),
    )


def approached() -> Steps:
    """Never attained, but approached."""
    ratio = opposite_scores(root)
    gap = root * (root**2 - 1) / (root + count - 1)
    return (
        implied(
            "never_attained",
            r"An output's weight is part of both sums: $n = w + R$ and $n' = w' + R'$ with $R' \le sR$. For $s > 1$ "
            r"this leaves a gap.",
            lt(weight * (other_weight + _other_rest), factor_of_weights**2 * other_weight * (weight + _rest)),
            factor_of_weights > 1,
            weight > 0,
            other_weight > 0,
            _rest >= 0,
            _other_rest >= 0,
            weight <= factor_of_weights * other_weight,
            _other_rest <= factor_of_weights * _rest,
        ),
        equal(
            "family",
            r"Let one output have the score $\Delta q$ for $D$ and $0$ for $D'$, and the other $N - 1$ the "
            r"opposite. For the first output,",
            "",
            lambda: opposite_scores(root),
            root * (1 + (count - 1) * root) / (root + count - 1),
            lines=r"\frac{s/(s + N - 1)}{1/(1 + (N-1)s)} &= \frac{s\,(1 + (N-1)s)}{s + N - 1}",
        ),
        equal(
            "family_gap",
            r"What is missing to $e^{\varepsilon} = s^2$ is positive,",
            "",
            root**2 - ratio,
            gap,
            lines=r"s^2 - \frac{s\,(1 + (N-1)s)}{s + N - 1} &= \frac{s\,(s^2 - 1)}{s + N - 1}",
        ),
        equal(
            "family_limit",
            r"The difference vanishes in the limit.",
            "",
            lambda: sp.limit(ratio, count, sp.oo),
            root**2,
            lines=r"\lim_{N \to \infty} \frac{s\,(1 + (N-1)s)}{s + N - 1} &= s^2",
        ),
    )


CLAIMS = {"thesis.exponential_mechanism": exponential_mechanism}
