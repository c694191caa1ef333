"""Mechanisms on the parts of a partition: other partitions and adjacencies than those of parallel composition."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, le
from pan_proofs.foundations.finite_mechanisms import (
    Dataset,
    Distribution,
    biased,
    bounded_pairs,
    distribution_of_coins,
    privacy_factor,
    probability,
)
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.display import displayed, equal_as
from pan_proofs.ledger.notation import x
from pan_proofs.ledger.steps import at_most, counterexample, found

factors = sp.symbols("x_1 x_2", positive=True)
"""Exponentials of the two budgets."""
real_factors = sp.symbols("x_1 x_2", real=True)
"""The same for the solvers, which get their signs as hypotheses."""
largest = sp.Symbol("M", real=True)
"""Their maximum."""
is_largest = (
    real_factors[0] >= 1,
    real_factors[1] >= 1,
    largest >= real_factors[0],
    largest >= real_factors[1],
    sp.Eq(largest, real_factors[0]) | sp.Eq(largest, real_factors[1]),
)
"""The conditions for the maximum."""

changes = sp.symbols("c_1 c_2", real=True)
"""The factors of a changed record, in each of the two situations."""
pairs = sp.Symbol("n", positive=True, integer=True)
"""Half of the number of records but one."""
odd_and_even = (sp.Symbol(r"P(\mathcal{A}(D) = (2, 0))"), sp.Symbol(r"P(\mathcal{A}(D') = (2, 0))"))
size_ratio = sp.Symbol("R")
"""The largest ratio of the probabilities of one size, over changes of a record."""
moved_sizes = (sp.Symbol(r"P(\mathcal{A}(D) = (1, 0))"), sp.Symbol(r"P(\mathcal{A}(D') = (1, 0))"))
both_bits = (sp.Symbol(r"P(\mathcal{A}(0, 0) = (0, 0))"), sp.Symbol(r"P(\mathcal{A}(1, 1) = (0, 0))"))
_VALUES = (1, 2)
_MOST = 4


def by_value(data: Dataset) -> tuple[Dataset, Dataset]:
    """A partition that looks at each record alone: the records with value 1, and the others."""
    return tuple(value for value in data if value == 1), tuple(value for value in data if value != 1)


def by_position(data: Dataset) -> tuple[Dataset, Dataset]:
    """A partition that looks at the other records too: odd and even positions."""
    return data[::2], data[1::2]


def sizes(data: Dataset) -> Distribution:
    """Both mechanisms report the number of records of their parts, without noise."""
    return distribution_of_coins(lambda: tuple(len(part) for part in by_value(data)))


def geometric(at: int, statistic: int, factor: sp.Expr) -> sp.Expr:
    """Probability of an output of two-sided geometric noise on an integer."""
    return (factor - 1) / (factor + 1) * factor ** (-sp.Abs(at - statistic))


def joint(
    output: tuple[int, int],
    data: Dataset,
    partition: Callable[[Dataset], tuple[Dataset, Dataset]],
    statistic: Callable[[Dataset], int],
    both: tuple[sp.Expr, sp.Expr] = factors,
) -> sp.Expr:
    """Probability of a pair of outputs: a statistic of each part, with independent geometric noise."""
    parts = partition(data)
    return sp.Mul(
        *(geometric(at, statistic(part), factor) for at, part, factor in zip(output, parts, both, strict=True))
    )


def positions() -> Steps:
    """Removing the first record moves all others to the other part."""
    at = sp.Rational(3, 2)

    def chance(data: Dataset) -> sp.Expr:
        return joint((2, 0), data, by_position, sum, (at, at))

    long_ratio = (
        geometric(pairs + 1, pairs + 1, x) * geometric(0, 0, x) / geometric(pairs + 1, 0, x) / geometric(0, pairs, x)
    )
    return (
        displayed(
            counterexample(
                "alternating",
                r"Let both mechanisms report the sum of their parts with geometric noise of the same "
                r"$x = e^{\varepsilon}$; with records $0$ or $1$ each is $\varepsilon$-differentially private for "
                r"unbounded adjacency. Let $D = (1, 0, 1)$, and $D' = (0, 1)$ without its first record. The sums of "
                r"the parts are $(2, 0)$ for $D$ and $(0, 1)$ for $D'$. For $x = \frac32$ the output $(2, 0)$ has",
                le(odd_and_even[0], x * odd_and_even[1]),
                {odd_and_even[0]: lambda: chance((1, 0, 1)), odd_and_even[1]: lambda: chance((0, 1)), x: at},
                (ge(x, 1),),
            ),
            r"P(\mathcal{A}(D) = (2, 0)) = \tfrac{1}{25} &> "
            r"\tfrac32\,P(\mathcal{A}(D') = (2, 0)) = \tfrac32 \cdot \tfrac{1}{25} \cdot \tfrac{8}{27}",
        ),
        equal_as(
            "alternating_longer",
            r"Alternating ones and zeros, $2n + 1$ records with the sums $(n+1, 0)$, become $(0, n)$ without the "
            r"first record, and the output $(n+1, 0)$ has the ratio",
            (
                long_ratio,
                x ** (2 * pairs + 1),
            ),
            r"\frac{P(\mathcal{A}(D) = (n+1, 0))}{P(\mathcal{A}(D') = (n+1, 0))} = x^{n+1} x^{n} &= "
            r"e^{(2n+1)\varepsilon}",
        ),
    )


def bounded() -> Steps:
    """A record that moves from one part to the other is seen in the sizes."""

    def chance(data: Dataset) -> Fraction:
        return probability(sizes(data), lambda counts: counts == (1, 0))

    return (
        found(
            "sizes_alone",
            r"Let both mechanisms report the number of records of their part, without noise. Changing a record of a "
            r"part does not change its size: each is $0$-differentially private.",
            f"the largest ratio over bounded pairs of up to {_MOST} records with {len(_VALUES)} values",
            lambda: privacy_factor(
                lambda part: distribution_of_coins(lambda: len(part)), bounded_pairs(_VALUES, _MOST)
            ),
            Fraction(1),
            quantities=(size_ratio,),
            lines=r"\mathcal{A}_i(D_i) &= |D_i|",
        ),
        displayed(
            counterexample(
                "sizes_together",
                r"Let the records with the value $1$ be the first part, $D = (1)$ and $D' = (2)$. The sizes are $(1, "
                r"0)$ and $(0, 1)$; $x = e^{\varepsilon}$ may be any number.",
                le(moved_sizes[0], x * moved_sizes[1]),
                {moved_sizes[0]: lambda: chance((1,)), moved_sizes[1]: lambda: chance((2,)), x: sp.Integer(10) ** 9},
                (ge(x, 1),),
                free=(x,),
            ),
            r"P(\mathcal{A}(D) = (1, 0)) = 1 &> e^{\varepsilon} \cdot P(\mathcal{A}(D') = (1, 0)) = 0",
        ),
    )


def changed_record() -> Steps:
    """Within a part, or from one part to the other."""
    one, two = real_factors
    within, across = changes
    cases = sp.Eq(within, one**2) | sp.Eq(within, two**2) | sp.Eq(within, one * two)
    milder = sp.Eq(across, one) | sp.Eq(across, two) | sp.Eq(across, one * two)

    def moved() -> sp.Expr:
        return joint((1, 0), (1,), by_value, len) / joint((1, 0), (2,), by_value, len)

    def cells() -> sp.Expr:
        # Two values of the first part, each with a cell of its own and noise of its own.
        return sp.Mul(*(geometric(at, at, factors[0]) / geometric(at, 1 - at, factors[0]) for at in (1, 0)))

    return (
        at_most(
            "three_cases",
            r"A record that changes within part $i$ costs at most $x_i^2$, by way of the part without it. One that "
            r"moves from the first part to the second is removed from $D_1$ and added to $D_2$: $x_1 x_2$.",
            Inequality(
                "parallel_composition.three_cases",
                within,
                largest**2,
                (*is_largest, cases),
                touching={within: 9, one: 3, two: 2, largest: 3},
            ),
            lines=r"\{x_1^2,\ x_2^2,\ x_1 x_2\} &\le \max\{x_1, x_2\}^2",
        ),
        equal_as(
            "within_attained",
            r"Let $\mathcal{A}_1$ report how many records it has of each of two values, with geometric noise on "
            r"both numbers. One record of the first value, changed to the second, has at the output $(1, 0)$",
            (
                cells,
                factors[0] ** 2,
            ),
            r"\frac{x_1^{-|1-1|} x_1^{-|0-0|}}{x_1^{-|1-0|} x_1^{-|0-1|}} &= x_1^2",
        ),
        at_most(
            "milder_cases",
            r"If changing a record within part $i$ costs at most $x_i$, what remains is $x_1 x_2$.",
            Inequality(
                "parallel_composition.milder_cases",
                across,
                one * two,
                (one >= 1, two >= 1, milder),
                touching={across: 6, one: 3, two: 2},
            ),
            lines=r"\{x_1,\ x_2,\ x_1 x_2\} &\le x_1 x_2",
        ),
        equal_as(
            "moved_attained",
            r"Sizes with geometric noise are private for both adjacencies. For $D = (1)$, $D' = (2)$ the output "
            r"$(1, 0)$ has",
            (
                moved,
                factors[0] * factors[1],
            ),
            r"\frac{P(\mathcal{A}(D) = (1, 0))}{P(\mathcal{A}(D') = (1, 0))} &= x_1 x_2",
        ),
        counterexample(
            "maximum_exceeded",
            r"With $x_1 = x_2 = \frac32$ this is more than the maximum.",
            le(moved().subs({factors[0]: x, factors[1]: x}), x),
            {x: sp.Rational(3, 2)},
            (ge(x, 1),),
            lines=r"x_1 x_2 = \tfrac94 &> \max\{x_1, x_2\} = \tfrac32",
        ),
    )


def both_parts() -> Step:
    """Two randomized responses to two bits that both change."""
    budget = Fraction(3, 2)

    def responses(bits: Dataset) -> Distribution:
        return distribution_of_coins(lambda one, two: (bits[0] ^ one, bits[1] ^ two), biased(budget), biased(budget))

    return displayed(
        counterexample(
            "both_changed",
            r"Let each part be one bit, and each mechanism report it truly with probability $\frac{x}{1+x} = \frac35$. "
            r"Both bits change.",
            le(both_bits[0], x * both_bits[1]),
            {both_bits[0]: lambda: responses((0, 0))[0, 0], both_bits[1]: lambda: responses((1, 1))[0, 0], x: budget},
            (ge(x, 1),),
        ),
        r"P(\mathcal{A}(0, 0) = (0, 0)) = \tfrac{9}{25} &> "
        r"\tfrac32\,P(\mathcal{A}(1, 1) = (0, 0)) = \tfrac32 \cdot \tfrac{4}{25}",
    )
