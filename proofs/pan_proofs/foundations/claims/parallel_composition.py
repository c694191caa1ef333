"""Theorem 2.3 of the thesis: mechanisms on the parts of a partition of the data."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.foundations.finite_mechanisms import (
    Dataset,
    Distribution,
    biased,
    bounded_pairs,
    distribution_of_coins,
    privacy_factor,
    probability,
)
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.notation import x
from pan_proofs.ledger.steps import counterexample, equal, found, implied

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
        counterexample(
            "alternating",
            r"Let both mechanisms report the sum of their parts with geometric noise of the same "
            r"$x = e^{\varepsilon}$; with records $0$ or $1$ each is $\varepsilon$-differentially private for "
            r"unbounded adjacency. Let $D = (1, 0, 1)$, and $D' = (0, 1)$ without its first record. The sums of "
            r"the parts are $(2, 0)$ for $D$ and $(0, 1)$ for $D'$. For $x = \frac32$ the output $(2, 0)$ has",
            le(odd_and_even[0], x * odd_and_even[1]),
            {odd_and_even[0]: lambda: chance((1, 0, 1)), odd_and_even[1]: lambda: chance((0, 1)), x: at},
            (ge(x, 1),),
            lines=r"P(\mathcal{A}(D) = (2, 0)) = \tfrac{1}{25} &> "
            r"\tfrac32\,P(\mathcal{A}(D') = (2, 0)) = \tfrac32 \cdot \tfrac{1}{25} \cdot \tfrac{8}{27}",
        ),
        equal(
            "alternating_longer",
            r"Alternating ones and zeros, $2n + 1$ records with the sums $(n+1, 0)$, become $(0, n)$ without the "
            r"first record, and the output $(n+1, 0)$ has the ratio",
            "",
            long_ratio,
            x ** (2 * pairs + 1),
            lines=r"\frac{P(\mathcal{A}(D) = (n+1, 0))}{P(\mathcal{A}(D') = (n+1, 0))} = x^{n+1} x^{n} &= "
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
        counterexample(
            "sizes_together",
            r"Let the records with the value $1$ be the first part, $D = (1)$ and $D' = (2)$. The sizes are $(1, "
            r"0)$ and $(0, 1)$; $x = e^{\varepsilon}$ may be any number.",
            le(moved_sizes[0], x * moved_sizes[1]),
            {moved_sizes[0]: lambda: chance((1,)), moved_sizes[1]: lambda: chance((2,)), x: sp.Integer(10) ** 9},
            (ge(x, 1),),
            free=(x,),
            lines=r"P(\mathcal{A}(D) = (1, 0)) = 1 &> e^{\varepsilon} \cdot P(\mathcal{A}(D') = (1, 0)) = 0",
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
        implied(
            "three_cases",
            r"A record that changes within part $i$ costs at most $x_i^2$, by way of the part without it. One that "
            r"moves from the first part to the second is removed from $D_1$ and added to $D_2$: $x_1 x_2$. With $c_1$ "
            r"for the cost and $M = \max\{x_1, x_2\}$:",
            le(within, largest**2),
            *is_largest,
            cases,
        ),
        equal(
            "within_attained",
            r"Let $\mathcal{A}_1$ report how many records it has of each of two values, with geometric noise on "
            r"both numbers. One record of the first value, changed to the second, has at the output $(1, 0)$",
            "",
            cells,
            factors[0] ** 2,
            lines=r"\frac{x_1^{-|1-1|} x_1^{-|0-0|}}{x_1^{-|1-0|} x_1^{-|0-1|}} &= x_1^2",
        ),
        implied(
            "milder_cases",
            r"If changing a record within part $i$ costs at most $x_i$, the cost $c_2$ is at most $x_1 x_2$.",
            le(across, one * two),
            one >= 1,
            two >= 1,
            milder,
        ),
        equal(
            "moved_attained",
            r"Sizes with geometric noise are private for both adjacencies. For $D = (1)$, $D' = (2)$ the output "
            r"$(1, 0)$ has",
            "",
            moved,
            factors[0] * factors[1],
            lines=r"\frac{P(\mathcal{A}(D) = (1, 0))}{P(\mathcal{A}(D') = (1, 0))} &= x_1 x_2",
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

    return counterexample(
        "both_changed",
        r"Let each part be one bit, and each mechanism report it truly with probability $\frac{x}{1+x} = \frac35$. "
        r"Both bits change.",
        le(both_bits[0], x * both_bits[1]),
        {both_bits[0]: lambda: responses((0, 0))[0, 0], both_bits[1]: lambda: responses((1, 1))[0, 0], x: budget},
        (ge(x, 1),),
        lines=r"P(\mathcal{A}(0, 0) = (0, 0)) = \tfrac{9}{25} &> "
        r"\tfrac32\,P(\mathcal{A}(1, 1) = (0, 0)) = \tfrac32 \cdot \tfrac{4}{25}",
    )


_one, _other = sp.symbols("P Pprime", nonnegative=True)
_first, _second, _other_first, _other_second = sp.symbols("P_1 P_2 Pprime_1 Pprime_2", nonnegative=True)


def parallel_composition() -> Claim:
    """The theorem for unbounded adjacency, and what other adjacencies and partitions leave of it."""
    return Claim(
        id="thesis.parallel_composition",
        title="Parallel composition",
        references=(Reference("thesis", "Theorem 2.3, section 2.1", "with the discussion that follows it"),),
        statement=r"Let $D_1, D_2$ partition the dataset $D$. If $\mathcal{A}_1$ is $\varepsilon_1$- and "
        r"$\mathcal{A}_2$ is $\varepsilon_2$-differentially private, then $(\mathcal{A}_1(D_1), \mathcal{A}_2(D_2))$ "
        r"is $\max\{\varepsilon_1, \varepsilon_2\}$-differentially private. This fails for bounded adjacency. It holds "
        r"if adjacency is considered for each part separately.",
        notation=(
            (r"$\mathcal{A}$", r"the pair $(\mathcal{A}_1, \mathcal{A}_2)$, each on its part"),
            ("$D_i$", "part $i$ of $D$"),
            ("$R$", "largest ratio of one mechanism alone when the value of a record changes"),
            (
                r"$\mathrm{ratio}$, $\mathrm{ratio}_1$, $\mathrm{ratio}_2$",
                "ratios at the named outputs; the index is the part of the record",
            ),
            (
                r"$\mathrm{ratio}_{\mathrm{within}}$, $\mathrm{ratio}_{\mathrm{moved}}$",
                "ratios for a record that changes within its part, and for one that moves",
            ),
        ),
        hypotheses=(
            r"$D_1 \cup D_2 = D$ and $D_1 \cap D_2 = \emptyset$",
            r"$\mathcal{A}_i$ is $\varepsilon_i$-differentially private",
        ),
        silent=(
            "in the theorem itself adjacent datasets differ by adding or removing one record",
            "the part of a record depends on this record alone, not on the other records or its position",
            "the coins of the two mechanisms are independent",
            "adjacency considered for each part separately means that one part changes at a time, each mechanism "
            "protecting its own; if both parts may change at once the bound is false, which a part of its own shows",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "adding or removing a record",
                r"For unbounded adjacency and a partition that looks at each record alone, the loss is at most "
                r"$\max\{\varepsilon_1, \varepsilon_2\}$. "
                r"In the formula $P$ and $P'$ are the probabilities of an event for $D$ and $D'$, and "
                r"$x_i = e^{\varepsilon_i}$.",
                unbounded(),
                formal=_stated_maximum(),
            ),
            Part(
                Role.PUBLISHED,
                "the maximum is attained",
                r"Let both mechanisms report the number of records of their parts with geometric noise, $P(Z_i = z) = "
                r"\frac{x_i - 1}{x_i + 1}\,x_i^{-|z|}$. The loss is $\max\{\varepsilon_1, \varepsilon_2\}$. In the "
                r"formulas $P$ and $P'$ are the probabilities of an event for $D$ and $D'$, and $x_i = "
                r"e^{\varepsilon_i}$.",
                attained(),
                formal=(
                    *symbolic(*(eq(sp.Symbol(f"ratio_{number}"), one) for number, one in enumerate(factors, 1))),
                    *_stated_maximum(),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "it fails for bounded adjacency",
                r"For bounded adjacency of $D$, that is, when the value of a record changes, the bound does not hold: "
                r"both mechanisms can be $0$-differentially private and the pair not $\varepsilon$-differentially "
                r"private for any $\varepsilon$.",
                bounded(),
                formal=symbolic(eq(size_ratio, 1), gt(moved_sizes[0], x * moved_sizes[1])),
            ),
            Part(
                Role.PUBLISHED,
                "it holds when each mechanism protects its own part",
                r"Let adjacency be considered for each part separately: $D$ and $D'$ have the same second part and "
                r"first parts that are adjacent, or the same first part and second parts that are adjacent. If "
                r"$\mathcal{A}_i$ is $\varepsilon_i$-differentially private for the adjacency of its part, bounded or "
                r"not, the loss of the pair is at most $\max\{\varepsilon_1, \varepsilon_2\}$. "
                r"In the formula $P$ and $P'$ are the probabilities of an event for $D$ and $D'$, and "
                r"$x_i = e^{\varepsilon_i}$.",
                (
                    covered(
                        "one_part",
                        r"One part is the same for $D$ and $D'$, and the mechanism of this part has the same "
                        r"distribution for "
                        r"both. So the factor is $x_1$ or $x_2$ again, at most $M = \max\{x_1, x_2\}$.",
                    ),
                ),
                formal=_stated_maximum(),
            ),
            Part(
                Role.READING,
                "adjacency for each part separately, both parts at once",
                r"If $D_1, D_1'$ are adjacent and $D_2, D_2'$ are as well, the theorem is false: the loss is "
                r"$\varepsilon_1 + \varepsilon_2$ at most, and this is attained.",
                (both_parts(),),
                formal=(
                    *symbolic(
                        gt(both_bits[0], x * both_bits[1]),
                        eq(both_bits[0], x**2 * both_bits[1]),
                        where={x: sp.Rational(3, 2)},
                    ),
                    *symbolic(
                        le(_first * _second, sp.Mul(*factors) * _other_first * _other_second),
                        given=(_first <= factors[0] * _other_first, _second <= factors[1] * _other_second),
                    ),
                ),
                holds=False,
                departs="one part changes at a time, each mechanism protecting its own",
            ),
            Part(
                Role.READING,
                "a partition that depends on the other records",
                r"If records go to the parts by their position, odd or even, the theorem is false for unbounded "
                r"adjacency as well, and no fixed multiple of $\varepsilon$ is enough.",
                positions(),
                formal=(
                    *symbolic(gt(odd_and_even[0], x * odd_and_even[1]), where={x: sp.Rational(3, 2)}),
                    *symbolic(eq(sp.Symbol("ratio"), x ** (2 * pairs + 1))),
                ),
                holds=False,
                departs="the part of a record depends on this record alone, not on the other records or its position",
            ),
            Part(
                Role.READING,
                "changing a record, with mechanisms that are private for adding and removing",
                r"If $\mathcal{A}_i$ is $\varepsilon_i$-differentially private for unbounded adjacency, the loss of "
                r"the pair for bounded adjacency is at most $2\max\{\varepsilon_1, \varepsilon_2\}$, and "
                r"$\varepsilon_1 + \varepsilon_2$ if $\mathcal{A}_i$ is $\varepsilon_i$-differentially private for "
                r"both adjacencies. Both bounds are attained; $\max\{\varepsilon_1, \varepsilon_2\}$ is not enough.",
                changed_record(),
                formal=_stated_changed_record(),
                holds=False,
                departs="in the theorem itself adjacent datasets differ by adding or removing one record",
            ),
        ),
        uses=("thesis.sequential_composition", "thesis.group_privacy", "thesis.unbounded_to_bounded"),
    )


def _stated_maximum() -> tuple[str, ...]:
    """A factor of one of the two mechanisms is at most the larger one, formally."""
    return symbolic(
        le(_one, sp.Max(*factors) * _other),
        given=((_one <= factors[0] * _other) | (_one <= factors[1] * _other),),
    )


def _stated_changed_record() -> tuple[str, ...]:
    """The two bounds, that they are attained, and that the maximum is not enough."""
    (one, two), (within, across) = real_factors, changes
    double = sp.Eq(within, one**2) | sp.Eq(within, two**2) | sp.Eq(within, one * two)
    single = sp.Eq(across, one) | sp.Eq(across, two) | sp.Eq(across, one * two)
    return (
        *symbolic(le(within, sp.Max(one, two) ** 2), given=(one >= 1, two >= 1, double)),
        *symbolic(le(across, one * two), given=(one >= 1, two >= 1, single)),
        *symbolic(
            eq(sp.Symbol("ratio_within"), factors[0] ** 2),
            eq(sp.Symbol("ratio_moved"), sp.Mul(*factors)),
        ),
        *symbolic(gt(one * two, sp.Max(one, two)), given=(one > 1, two > 1)),
    )


def covered(name: str, text: str) -> Step:
    """A factor of one of the two mechanisms is at most the larger one."""
    left, right = sp.symbols("P Q", real=True)
    one, two = real_factors
    return implied(
        name,
        text,
        le(left, largest * right),
        *is_largest,
        right >= 0,
        left >= 0,
        (left <= one * right) | (left <= two * right),
    )


def unbounded() -> Steps:
    """One part is the same for both datasets."""
    budget = sp.Symbol("varepsilon_1", positive=True)
    return (
        equal(
            "other_part",
            r"Let $D'$ have one record more than $D$, or one less. As its part depends on this record alone, all "
            r"other records are in the same parts for both. If it is in the first part, $D_1, D_1'$ are adjacent "
            r"and $D_2 = D_2'$, so that $\mathcal{A}_2$ has the same distribution for both: for this pair the "
            r"budgets of "
            r"the two mechanisms are $\varepsilon_1$ and $0$, and add up (sequential composition).",
            "",
            sp.Mul(sp.exp(budget), sp.exp(0, evaluate=False), evaluate=False),
            sp.exp(budget),
            lines=r"e^{\varepsilon_1} \cdot e^{0} &= x_1",
        ),
        covered(
            "either_part",
            r"If it is in the second part the factor is $x_2$. For an event $O$ of pairs of outputs, with the "
            r"probability $P$ for $D$ and $Q$ for $D'$, and with $M = \max\{x_1, x_2\}$:",
        ),
    )


def attained_ratio(output: tuple[int, int], value: int) -> sp.Expr:
    """Ratio of the probabilities of an output for one record of the given value, and for none."""
    return joint(output, (value,), by_value, len) / joint(output, (), by_value, len)


def attained() -> Steps:
    """A record in either part."""
    return tuple(
        equal(
            f"attained_{number}",
            rf"Let $D$ be one record of part ${number}$, and $D'$ empty. The ratio of the true sizes as output is",
            "",
            partial(attained_ratio, output, value),
            factors[number - 1],
            lines=rf"\frac{{P(\mathcal{{A}}(D) = {output})}}{{P(\mathcal{{A}}(D') = {output})}} &= x_{number}",
        )
        for number, value, output in ((1, 1, (1, 0)), (2, 2, (0, 1)))
    )


CLAIMS = {"thesis.parallel_composition": parallel_composition}
