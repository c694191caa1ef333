"""Lemma 4.1 of the thesis, and the paper's form of it: the variance of a variable given two events."""

from __future__ import annotations

from collections.abc import Mapping, Set
from fractions import Fraction
from functools import partial

import sympy as sp

from pan_proofs.engines.relations import eq, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.steps import counterexample, equal, found

chances = sp.symbols("P_A P_B", positive=True)
"""Probabilities of the two events."""
first_sums = sp.symbols("u_A u_B", real=True)
"""Expectations of b on each event: ``E[b; A]`` and ``E[b; B]``."""
second_sums = sp.symbols("v_A v_B", real=True)
"""Expectations of the square on each event."""

PARTITION = {chances[1]: 1 - chances[0]}
"""The hypothesis on the probabilities."""


def variance() -> sp.Expr:
    """The variance if the events partition: what each of them contributes to the two moments adds up."""
    return sum(second_sums) - sum(first_sums) ** 2


def conditional_means() -> tuple[sp.Expr, ...]:
    """``E[b|A]`` and ``E[b|B]``, by definition."""
    return tuple(total / chance for total, chance in zip(first_sums, chances, strict=True))


def conditional_variances() -> tuple[sp.Expr, ...]:
    """``var(b|A)`` and ``var(b|B)``, by definition."""
    return tuple(
        total / chance - mean**2 for total, chance, mean in zip(second_sums, chances, conditional_means(), strict=True)
    )


def thesis_form(cross: int = -2) -> sp.Expr:
    """The right side in the thesis; ``cross`` is the factor of its last term."""
    means = conditional_means()
    within = sum(one * chance for one, chance in zip(conditional_variances(), chances, strict=True))
    between = sum(mean**2 * (1 - chance) * chance for mean, chance in zip(means, chances, strict=True))
    return within + between + cross * sp.Mul(*means, *chances)


def paper_form() -> sp.Expr:
    """The right side in the paper."""
    first, second = conditional_means()
    within = sum(one * chance for one, chance in zip(conditional_variances(), chances, strict=True))
    return within + (first - second) ** 2 * sp.Mul(*chances)


def total_variance() -> Claim:
    """Both forms, and that the events must partition."""
    return Claim(
        id="thesis.total_variance",
        title="The law of total variance for two events",
        references=(
            Reference("thesis", "Lemma 4.1, section 4.2.2"),
            Reference("paper", "appendix A, proof of Theorem 3.2", "with the square of the difference of the means"),
        ),
        statement=r"If the events $A$ and $B$ partition the outcomes, then $\operatorname{var}(b) = "
        r"\operatorname{var}(b|A)P(A) + \operatorname{var}(b|B)P(B) + E[b|A]^2(1-P(A))P(A) + E[b|B]^2(1-P(B))P(B) - "
        r"2E[b|A]P(A)E[b|B]P(B)$. In the paper $B$ is the complement of $A$, and the last three terms are "
        r"$(E[b|A] - E[b|B])^2 P(A)P(B)$.",
        notation=(
            ("$P_A$, $P_B$", "probabilities of $A$ and $B$"),
            (
                r"$\operatorname{var}_{\mathrm{overlap}}$, $\Sigma_{\mathrm{overlap}}$, $\mathrm{overlap}$",
                "variance and printed sum, for events that overlap",
            ),
            (r"$\Sigma_{\mathrm{gap}}$, $\mathrm{gap}$", "the same, for events that can both fail to happen"),
            (r"$\Sigma_{\mathrm{missed}}$, $\mathrm{missed}$", "the same, if only outcomes with $b = 0$ are missed"),
        ),
        hypotheses=(r"$A$ and $B$ are disjoint, and one of them always happens",),
        silent=(
            r"$E[b^2]$ is finite",
            r"$0 < P(A) < 1$; otherwise one of the conditional moments does not exist, and its terms are to be read as "
            r"$0$",
            r"$A$ and $B$ are events of the probability space; they need not be functions of $b$",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "both forms",
                r"Both right sides equal the variance, for every distribution of $b$ with a second moment. "
                r"In the formulas $u_A$ and $v_A$ are the expectations of $b$ and $b^2$ on the event "
                r"$A$, and $u_B$ and $v_B$ those on $B$.",
                both_forms(),
                formal=symbolic(
                    eq(variance(), thesis_form()),
                    eq(variance(), paper_form().subs(PARTITION)),
                ),
            ),
            Part(
                Role.READING,
                "events that do not partition",
                r"If the events overlap, or if both can fail to happen, the equality of the thesis is false in "
                r"general. Outcomes with $b = 0$ may be missed: they contribute nothing to either moment.",
                (not_a_partition("overlap", {0, 1}, {1, 2}), not_a_partition("gap", {0}, {2}), zero_missed()),
                formal=symbolic(
                    ne(*_named("overlap")),
                    ne(*_named("gap")),
                    eq(*_named("missed")),
                ),
                holds=False,
                departs="$A$ and $B$ are disjoint, and one of them always happens",
            ),
        ),
        remark=r"Where the distribution is applied, $A$ is the event that a user of the sample has appeared. For a "
        r"fixed stream its probability is that of a user drawn at random from the sample: the variance is that of the "
        r"bit of a random user. For each single user $A$ has probability $0$ or $1$.",
    )


def both_forms() -> Steps:
    """From what each event contributes to the moments to both right sides."""
    last_three = thesis_form() - sum(one * chance for one, chance in zip(conditional_variances(), chances, strict=True))
    first, second = conditional_means()
    gap = (first - second) ** 2 * sp.Mul(*chances)
    return (
        equal(
            "thesis_form",
            r"Let $u_A, u_B$ and $v_A, v_B$ be the expectations of $b$ and of $b^2$ on the two events, so that "
            r"$E[b|A] = \frac{u_A}{P_A}$ and $\operatorname{var}(b|A) = \frac{v_A}{P_A} - \frac{u_A^2}{P_A^2}$. As "
            r"the events partition, $E[b] = u_A + u_B$ and $E[b^2] = v_A + v_B$.",
            "",
            variance(),
            thesis_form(),
            lines=(
                r"\operatorname{var}(b) &= v_A + v_B - (u_A + u_B)^2",
                r"&= \left(\tfrac{v_A}{P_A} - \tfrac{u_A^2}{P_A^2}\right)P_A"
                r" + \left(\tfrac{v_B}{P_B} - \tfrac{u_B^2}{P_B^2}\right)P_B",
                r"&\quad + \tfrac{u_A^2}{P_A^2}(1-P_A)P_A + \tfrac{u_B^2}{P_B^2}(1-P_B)P_B"
                r" - 2\,\tfrac{u_A}{P_A}P_A\,\tfrac{u_B}{P_B}P_B",
            ),
        ),
        equal(
            "square",
            r"As moreover $P_B = 1 - P_A$, the last three terms are a square,",
            "",
            last_three.subs(PARTITION),
            gap.subs(PARTITION),
            lines=r"\tfrac{u_A^2}{P_A^2} P_B P_A + \tfrac{u_B^2}{P_B^2} P_A P_B - 2 u_A u_B &= "
            r"\left(\tfrac{u_A}{P_A} - \tfrac{u_B}{P_B}\right)^2 P_A P_B",
        ),
        equal(
            "paper_form",
            r"So the paper's form is the same.",
            "",
            variance(),
            paper_form().subs(PARTITION),
            lines=r"\operatorname{var}(b) &= \operatorname{var}(b|A)P_A + \operatorname{var}(b|B)P_B"
            r" + (E[b|A] - E[b|B])^2 P_A P_B",
        ),
    )


def sides(distribution: Mapping[int, Fraction], first: Set[int], second: Set[int]) -> tuple[Fraction, Fraction]:
    """The variance of a finite distribution, and the right side of the thesis for two sets of its values."""

    def contribution(power: int, event: Set[int]) -> Fraction:
        return sum((distribution[value] * value**power for value in event), Fraction(0))

    values = {
        symbol: sp.sympify(contribution(power, event))
        for power, symbols in enumerate((chances, first_sums, second_sums))
        for symbol, event in zip(symbols, (first, second), strict=True)
    }
    printed = thesis_form().subs(values)
    every = set(distribution)
    return contribution(2, every) - contribution(1, every) ** 2, Fraction(int(printed.p), int(printed.q))


def _side(number: int, distribution: Mapping[int, Fraction], first: Set[int], second: Set[int]) -> Fraction:
    return sides(distribution, first, second)[number]


def _named(case: str) -> tuple[sp.Symbol, sp.Symbol]:
    """The variance of b and the printed sum for a pair of events."""
    return sp.Symbol(rf"\operatorname{{var}}_{{\mathrm{{{case}}}}}(b)"), sp.Symbol(rf"\Sigma_{{\mathrm{{{case}}}}}")


def not_a_partition(name: str, first: Set[int], second: Set[int]) -> Step:
    """A counterexample: b uniform on 0, 1, 2 and two sets of its values."""
    distribution = {value: Fraction(1, 3) for value in range(3)}
    left, right = sides(distribution, first, second)
    names = [rf"\{{{', '.join(map(str, sorted(event)))}\}}" for event in (first, second)]
    return counterexample(
        name,
        rf"Let $b$ be uniform on $\{{0, 1, 2\}}$, $A = \{{b \in {names[0]}\}}$ and $B = \{{b \in {names[1]}\}}$. The "
        r"variance is on the left, the printed sum on the right.",
        eq(*_named(name)),
        {symbol: partial(_side, number, distribution, first, second) for number, symbol in enumerate(_named(name))},
        lines=rf"\tfrac{{{left.numerator}}}{{{left.denominator}}} &\neq "
        rf"\tfrac{{{right.numerator}}}{{{right.denominator}}}",
    )


def zero_missed() -> Step:
    """Both events fail to happen only where b vanishes."""
    return found(
        "zero_missed",
        r"Let $A = \{b = 1\}$ and $B = \{b = 2\}$ for the same $b$. The variance is on the left, the printed sum on "
        r"the right; they are equal.",
        "the variance and the printed sum",
        lambda: sides({value: Fraction(1, 3) for value in range(3)}, {1}, {2}),
        (Fraction(2, 3), Fraction(2, 3)),
        quantities=_named("missed"),
        lines=r"\operatorname{var}(b) = \tfrac53 - 1^2 = \tfrac23 &= 0 \cdot \tfrac13 + 0 \cdot \tfrac13 + "
        r"1 \cdot \tfrac23 \cdot \tfrac13 + 4 \cdot \tfrac23 \cdot \tfrac13 - 2 \cdot \tfrac13 \cdot "
        r"\tfrac23",
    )


CLAIMS = {"thesis.total_variance": total_variance}
