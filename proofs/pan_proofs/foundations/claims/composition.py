"""Theorem 2.2 of the thesis: budgets add up when mechanisms with independent coins run on the same data."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.foundations.finite_mechanisms import (
    FAIR,
    Distribution,
    biased,
    distribution_of_coins,
    largest_ratio,
    probability,
)
from pan_proofs.foundations.sums_over_terms import added_losses, stated_added_losses
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.notation import x
from pan_proofs.ledger.steps import counterexample, enumerated, equal, found, implied

budgets = sp.symbols("varepsilon_1 varepsilon_2", positive=True)
"""The budgets of the two mechanisms."""
factors = sp.symbols("x_1 x_2", real=True)
"""Their exponentials."""

factors_of_bits = sp.symbols("x_1 x_2", positive=True)
"""The factors of two randomized responses."""

_one, _middle, _other = sp.symbols("P H Pprime", nonnegative=True)
_first, _second, _other_first, _other_second = sp.symbols("P_1 P_2 Pprime_1 Pprime_2", nonnegative=True)
_alone = sp.symbols("R_1 R_2")
"""The largest ratios of the probabilities of the output of each mechanism alone."""
_told, _other_told = (sp.Symbol(rf"P(\mathcal{{A}}_1({bit}) \oplus \mathcal{{A}}_2({bit}) = 1)") for bit in (1, 0))
_examples = (Fraction(3, 2), Fraction(2), Fraction(7, 3))


def responses(bit: int, first: Fraction, second: Fraction) -> Distribution:
    """Two randomized responses to one bit, with coins of their own."""
    return distribution_of_coins(lambda one, two: (bit ^ one, bit ^ two), biased(first), biased(second))


def adaptive(bit: int, first: Fraction, second: Fraction) -> Distribution:
    """The second response is to the bit, or to its opposite, as the first output tells."""
    return distribution_of_coins(lambda one, two: (bit ^ one, bit ^ two ^ (bit ^ one)), biased(first), biased(second))


def padded(bit: int) -> Distribution:
    """A fair coin, and the bit flipped by the same coin."""
    return distribution_of_coins(lambda coin: (coin, bit ^ coin), FAIR)


def marginal(distribution: Distribution, place: int) -> Distribution:
    """The distribution of one coordinate of the output."""
    found: Distribution = {}
    for output, chance in distribution.items():
        assert isinstance(output, tuple)
        found[output[place]] = found.get(output[place], Fraction(0)) + chance
    return found


def sequential_composition() -> Claim:
    """The theorem, its extension to adaptive mechanisms, and that coins may not be shared."""
    return Claim(
        id="thesis.sequential_composition",
        title="Sequential composition",
        references=(Reference("thesis", "Theorem 2.2, section 2.1", "the proof is left to a textbook"),),
        statement=r"If $\mathcal{A}_1$ is $\varepsilon_1$- and $\mathcal{A}_2$ is $\varepsilon_2$-differentially "
        r"private, then $(\mathcal{A}_1, \mathcal{A}_2)$ is $(\varepsilon_1 + \varepsilon_2)$-differentially private; "
        r"likewise for more than two.",
        notation=((r"$\mathrm{ratio}$", "largest ratio of the probabilities of a pair of outputs"),),
        hypotheses=(r"$\mathcal{A}_i$ is $\varepsilon_i$-differentially private for the same adjacency",),
        silent=(
            r"the coins of the two mechanisms are independent",
            r"events of pairs of outputs are measurable in the product space",
            r"in the thesis' setting $\mathcal{A}_2$ does not see the output of $\mathcal{A}_1$; it may, if it is "
            r"$\varepsilon_2$-differentially private for each value of that output",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "two mechanisms",
                r"For every event $O$ of pairs of outputs, $P((\mathcal{A}_1, \mathcal{A}_2)(D) \in O) \le "
                r"e^{\varepsilon_1 + \varepsilon_2} P((\mathcal{A}_1, \mathcal{A}_2)(D') \in O)$. "
                r"In the formula $P$ and $P'$ are these probabilities, and $H$ is that of "
                r"$\mathcal{A}_1(D)$ with $\mathcal{A}_2(D')$.",
                two_mechanisms(),
                formal=symbolic(
                    le(_one, sp.exp(sum(budgets)) * _other),
                    given=(_one <= sp.exp(budgets[1]) * _middle, _middle <= sp.exp(budgets[0]) * _other),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "more than two",
                r"For $k$ mechanisms the loss is at most $\varepsilon_1 + \ldots + \varepsilon_k$. "
                r"In the formula $l_i$ and $e_i$ are the losses and the budgets of the mechanisms, and "
                r"$L$ and $B$ their sums.",
                more_mechanisms(),
                formal=stated_added_losses(),
            ),
            Part(
                Role.PUBLISHED,
                "the sum is attained",
                r"Two randomized responses to the same bit have the loss $\varepsilon_1 + \varepsilon_2$ exactly.",
                attained(),
                formal=symbolic(eq(sp.Symbol("ratio"), factors_of_bits[0] * factors_of_bits[1])),
            ),
            Part(
                Role.READING,
                "the second mechanism sees the first output",
                r"If $\mathcal{A}_2(o, \cdot)$ is $\varepsilon_2$-differentially private for every output $o$ of "
                r"$\mathcal{A}_1$, the theorem holds as well. "
                r"In the formula $P_1$, $P_2$ and $P'_1$, $P'_2$ are the probabilities of the two "
                r"outputs for $D$ and $D'$.",
                adaptively(),
                formal=symbolic(
                    le(_first * _second, sp.exp(sum(budgets)) * _other_first * _other_second),
                    given=(
                        _first <= sp.exp(budgets[0]) * _other_first,
                        _second <= sp.exp(budgets[1]) * _other_second,
                    ),
                ),
            ),
            Part(
                Role.READING,
                "shared coins",
                r"If the mechanisms share coins, the theorem is false: each may be $0$-differentially private and the "
                r"pair tell the data. In the formulas $R_1$ and $R_2$ are the largest ratios of each mechanism.",
                shared_coins(),
                formal=symbolic(
                    *(eq(one, 1) for one in _alone),
                    gt(_told, x * _other_told),
                ),
                holds=False,
                departs="the coins of the two mechanisms are independent",
            ),
        ),
        uses=("thesis.post_processing",),
    )


def chained(name: str, text: str) -> Step:
    """The two factors multiply."""
    left, middle, right = sp.symbols("P H Q", real=True)
    return implied(
        name,
        text,
        le(left, factors[0] * factors[1] * right),
        factors[0] >= 1,
        factors[1] >= 1,
        right >= 0,
        middle >= 0,
        left >= 0,
        left <= factors[1] * middle,
        middle <= factors[0] * right,
    )


def two_mechanisms() -> Steps:
    """First the second output for each value of the first, then the first."""
    return (
        chained(
            "factors_multiply",
            r"For an output $o$ of the first mechanism let $g(o) = P((o, \mathcal{A}_2(D)) \in O)$, and $g'(o)$ the "
            r"same for $D'$: then $g \le x_2 g'$, $x_i = e^{\varepsilon_i}$. As the coins are independent, "
            r"$P = P((\mathcal{A}_1, \mathcal{A}_2)(D) \in O) = E\,g(\mathcal{A}_1(D))$. This is at most $x_2 H$ with "
            r"$H = E\,g'(\mathcal{A}_1(D))$, and $H \le x_1 Q$ with $Q = E\,g'(\mathcal{A}_1(D'))$, by the lemma on "
            r"functions of an output with values in $[0, 1]$ (post-processing). Last, $Q$ is the probability of $O$ "
            r"for $D'$.",
        ),
        equal(
            "budgets_add",
            r"In terms of the budgets,",
            "",
            sp.exp(budgets[0]) * sp.exp(budgets[1]),
            sp.exp(sum(budgets)),
            lines=r"x_1 x_2 = e^{\varepsilon_1} e^{\varepsilon_2} &= e^{\varepsilon_1 + \varepsilon_2}",
        ),
    )


def more_mechanisms() -> Steps:
    """One more mechanism, and all of them output by output."""
    so_far, last = sp.symbols("E varepsilon_k", positive=True)
    one_more = equal(
        "induction",
        r"By induction over the number of mechanisms: the first $k-1$ of them together are one mechanism with the "
        r"budget $E = \varepsilon_1 + \ldots + \varepsilon_{k-1}$, and its coins are independent of those of the "
        r"last one.",
        "",
        sp.exp(so_far) * sp.exp(last),
        sp.exp(so_far + last),
        lines=r"e^{E} e^{\varepsilon_k} &= e^{E + \varepsilon_k}",
    )
    outputs = added_losses(
        "losses_add",
        r"Output by output: the coins are independent, so that the logarithm of the ratio of the probabilities of all "
        r"$k$ outputs is the sum of the logarithms $\ell_i$ for the single outputs. Each is at most its budget $e_i$, "
        r"and so are the sums, for every $k$.",
    )
    return one_more, outputs


def attained() -> Steps:
    """Two randomized responses."""
    one, two = factors_of_bits
    honest, flipped = (one / (1 + one)) * (two / (1 + two)), (1 / (1 + one)) * (1 / (1 + two))

    def ratio(pair: tuple[Fraction, Fraction]) -> Fraction | float:
        return largest_ratio(responses(0, *pair), responses(1, *pair))

    return (
        equal(
            "two_responses",
            r"Let the data be one bit, and let the $i$-th response be this bit with probability "
            r"$\frac{x_i}{1+x_i}$. Both responses are the bit with the first probability below, both are not with "
            r"the second.",
            "",
            lambda: honest / flipped,
            one * two,
            lines=r"\frac{x_1}{1+x_1}\cdot\frac{x_2}{1+x_2} \Big/ \left(\frac{1}{1+x_1}\cdot\frac{1}{1+x_2}\right) "
            r"&= x_1 x_2",
        ),
        enumerated(
            "two_responses_enumerated",
            r"Going through the coins gives the same.",
            "pairs of factors, 4 outputs: the largest ratio is the product",
            product(_examples, _examples),
            lambda pair: ratio(pair) == pair[0] * pair[1],
            mutant=lambda pair: ratio(pair) == max(pair),
        ),
    )


def adaptively() -> Steps:
    """The same proof, since the second mechanism was looked at for each first output."""

    def ratio(pair: tuple[Fraction, Fraction]) -> Fraction | float:
        return largest_ratio(adaptive(0, *pair), adaptive(1, *pair))

    return (
        chained(
            "factors_multiply_adaptively",
            r"With $g(o) = P((o, \mathcal{A}_2(o, D)) \in O)$ nothing else changes: $g \le x_2 g'$ for each $o$.",
        ),
        enumerated(
            "adaptive_enumerated",
            r"An example: a second response that is flipped if the first output is $1$.",
            "pairs of factors, 4 outputs: no ratio above the product",
            product(_examples, _examples),
            lambda pair: ratio(pair) <= pair[0] * pair[1],
            mutant=lambda pair: ratio(pair) <= max(pair),
        ),
    )


def shared_coins() -> Steps:
    """The one-time pad."""

    def chance(bit: int) -> Fraction:
        return probability(padded(bit), lambda pair: pair[0] ^ pair[1] == 1)

    return (
        found(
            "each_alone",
            r"Let $c$ be a fair coin, $\mathcal{A}_1(D) = c$ and $\mathcal{A}_2(D) = D \oplus c$ for one bit $D$. Each "
            r"output alone is a fair coin for both values of the bit.",
            "the largest ratios of the two mechanisms, over 2 outputs of each",
            lambda: tuple(largest_ratio(marginal(padded(0), place), marginal(padded(1), place)) for place in (0, 1)),
            (Fraction(1), Fraction(1)),
            quantities=_alone,
            lines=r"P(\mathcal{A}_i(1) = o) = \tfrac12 &= P(\mathcal{A}_i(0) = o)",
        ),
        counterexample(
            "both_together",
            r"The two outputs together are the bit and its pad: their sum modulo $2$ is $D$, and "
            r"$\varepsilon_1 + \varepsilon_2 = 0$.",
            le(_told, x * _other_told),
            {_told: lambda: chance(1), _other_told: lambda: chance(0), x: sp.Integer(1)},
            (ge(x, 1),),
            free=(x,),
            lines=r"P(\mathcal{A}_1(1) \oplus \mathcal{A}_2(1) = 1) = 1 &> "
            r"e^0 \cdot P(\mathcal{A}_1(0) \oplus \mathcal{A}_2(0) = 1) = 0",
        ),
    )


CLAIMS = {"thesis.sequential_composition": sequential_composition}
