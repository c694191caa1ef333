"""Theorem 2.7 of the thesis: outputs drawn with weights that are exponential in a score."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.score_weights import (
    constant_sum,
    count,
    factor_of_weights,
    infinitely_many,
    monotone,
    opposite_scores,
    other_total,
    other_weight,
    sums,
    total,
    weight,
    without_two,
)
from pan_proofs.foundations.sums_over_terms import stated_weighted_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import at_most

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
                bound(),
                formal=symbolic(
                    le(weight / total, sp.exp(epsilon) * other_weight / other_total),
                    given=(
                        *(one > 0 for one in (weight, other_weight, total, other_total)),
                        weight <= sp.exp(epsilon / 2) * other_weight,
                        other_total <= sp.exp(epsilon / 2) * total,
                    ),
                    where={factor_of_weights: sp.exp(epsilon / 2)},
                ),
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
            Part(
                Role.READING,
                "without the factor 2 in the exponent",
                r"With the weights $e^{\varepsilon q/\Delta q}$ the theorem is false.",
                (without_two(),),
                formal=symbolic(
                    le(opposite_scores(x, sp.Integer(3)), x),
                    given=(ge(x, 1),),
                    refuted=True,
                ),
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


def weight_factor(name: str, text: str, twice: int = 2) -> Step:
    """The difference of the exponents of one output."""
    score, other, largest, budget = sp.symbols("q qprime Delta epsilon", real=True)
    return at_most(
        name,
        text,
        Inequality(
            f"exponential_mechanism.{name}",
            budget * score / (twice * largest) - budget * other / (twice * largest),
            budget / 2,
            (budget > 0, largest > 0, score - other <= largest, other - score <= largest),
            touching={score: 1, other: 0, largest: 1, budget: 1},
        ),
        lines=r"\frac{\varepsilon q}{2\Delta q} - \frac{\varepsilon q'}{2\Delta q} &\le \frac{\varepsilon}{2}",
    )


def bound() -> Steps:
    """One factor from the weight, one from the sum of the weights."""
    return (
        weight_factor(
            "exponents",
            r"The scores $q, q'$ of an output differ by at most $\Delta q$, so that with $s = e^{\varepsilon/2}$ the "
            r"weights satisfy $w \le s w'$ and $w' \le s w$:",
        ),
        sums("sum_of_weights", r"The sums of the weights satisfy $n' \le s n$, by induction over the outputs."),
        at_most(
            "two_factors",
            r"Both together:",
            Inequality(
                "exponential_mechanism.two_factors",
                weight / total,
                factor_of_weights**2 * other_weight / other_total,
                (
                    factor_of_weights >= 1,
                    weight > 0,
                    other_weight > 0,
                    total > 0,
                    other_total > 0,
                    weight <= factor_of_weights * other_weight,
                    other_total <= factor_of_weights * total,
                ),
                touching={weight: 2, other_weight: 1, total: 1, other_total: 2, factor_of_weights: 2},
            ),
            lines=r"w \le sw',\ n' \le sn &\implies \frac wn \le s^2\,\frac{w'}{n'}",
        ),
        equal_as(
            "square",
            r"The factor is the budget's.",
            (
                sp.Mul(sp.exp(epsilon / 2), sp.exp(epsilon / 2), evaluate=False),
                sp.exp(epsilon),
            ),
            r"s^2 = e^{\varepsilon/2} e^{\varepsilon/2} &= e^{\varepsilon}",
        ),
        sums_of_chances(),
    )


def sums_of_chances() -> Step:
    """Sets of outputs."""
    more, fewer, one, other, factor = sp.symbols("A Aprime p pprime x", real=True)
    return at_most(
        "sets_of_outputs",
        r"With $p, p'$ for the probabilities of an output, and $x = e^{\varepsilon}$, sets of outputs keep the factor.",
        Inequality(
            "exponential_mechanism.sets_of_outputs",
            more + one,
            factor * (fewer + other),
            (factor >= 1, fewer >= 0, other >= 0, more <= factor * fewer, one <= factor * other),
            touching={more: 2, fewer: 1, one: 2, other: 1, factor: 2},
        ),
        lines=r"A \le xA',\ p \le xp' &\implies A + p \le x\,(A' + p')",
    )


def approached() -> Steps:
    """Never attained, but approached."""
    ratio = opposite_scores(root)
    gap = root * (root**2 - 1) / (root + count - 1)
    return (
        at_most(
            "never_attained",
            r"An output's weight is part of both sums: $n = w + R$ and $n' = w' + R'$ with $R' \le sR$. For $s > 1$ "
            r"this leaves a gap.",
            Inequality(
                "exponential_mechanism.never_attained",
                weight * (other_weight + _other_rest),
                factor_of_weights**2 * other_weight * (weight + _rest),
                (
                    factor_of_weights > 1,
                    weight > 0,
                    other_weight > 0,
                    _rest >= 0,
                    _other_rest >= 0,
                    weight <= factor_of_weights * other_weight,
                    _other_rest <= factor_of_weights * _rest,
                ),
                strict=True,
                touching={weight: 1, other_weight: 1, _rest: 1, _other_rest: 1, factor_of_weights: 1},
            ),
            lines=r"\frac{w}{w + R} &< s^2\,\frac{w'}{w' + R'}",
        ),
        equal_as(
            "family",
            r"Let one output have the score $\Delta q$ for $D$ and $0$ for $D'$, and the other $N - 1$ the "
            r"opposite. For the first output,",
            (
                lambda: opposite_scores(root),
                root * (1 + (count - 1) * root) / (root + count - 1),
            ),
            r"\frac{s/(s + N - 1)}{1/(1 + (N-1)s)} &= \frac{s\,(1 + (N-1)s)}{s + N - 1}",
        ),
        equal_as(
            "family_gap",
            r"What is missing to $e^{\varepsilon} = s^2$ is positive,",
            (root**2 - ratio, gap),
            r"s^2 - \frac{s\,(1 + (N-1)s)}{s + N - 1} &= \frac{s\,(s^2 - 1)}{s + N - 1}",
        ),
        equal_as(
            "family_limit",
            r"The difference vanishes in the limit.",
            (
                lambda: sp.limit(ratio, count, sp.oo),
                root**2,
            ),
            r"\lim_{N \to \infty} \frac{s\,(1 + (N-1)s)}{s + N - 1} &= s^2",
        ),
    )


CLAIMS = {"thesis.exponential_mechanism": exponential_mechanism}
