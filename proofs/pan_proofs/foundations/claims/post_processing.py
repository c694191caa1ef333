"""Theorem 2.1 of the thesis: what is computed from a private output is as private."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.relations import ge, gt, le, lt
from pan_proofs.engines.vectors import Induction
from pan_proofs.foundations.finite_mechanisms import (
    FAIR,
    Distribution,
    biased,
    distribution_of_coins,
    largest_ratio,
    probability,
)
from pan_proofs.foundations.sums_over_terms import factor, stated_weighted_sums, weighted_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.notation import epsilon, x
from pan_proofs.ledger.steps import counterexample, equal, found, implied


def expectations() -> Steps:
    """The lemma on functions of the output, for outputs of any kind."""
    level, steps = sp.symbols("k n", real=True)
    mean, mean_low, other_mean, other_low = sp.symbols("G L Gprime Lprime", real=True)
    whole = sp.Symbol("n", positive=True, integer=True)
    limit = sp.Symbol("Gprime", nonnegative=True)
    value = sp.Symbol("g", real=True)
    return (
        implied(
            "steps_below",
            r"Let $0 \le g \le 1$ and $g_n = \frac1n \lfloor ng \rfloor$, which is $\frac1n$ times the number of "
            r"$k \in \{1, \ldots, n\}$ with $g \ge \frac kn$. With $k = \lfloor ng \rfloor$, it is not above $g$,",
            le(level / steps, value),
            steps >= 1,
            level >= 0,
            value <= 1,
            level <= steps * value,
            steps * value < level + 1,
        ),
        implied(
            "steps_close",
            r"It is less than $\frac1n$ below $g$.",
            lt(value, level / steps + 1 / steps),
            steps >= 1,
            level >= 0,
            value <= 1,
            level <= steps * value,
            steps * value < level + 1,
        ),
        weighted_sums(
            "levels_added",
            r"The expectation of $g_n$ is $\frac1n \sum_{k=1}^n P(g \ge \frac kn)$, a sum of probabilities of events "
            r"of the output with the weights $\frac1n$. Each is at most $F = e^{\varepsilon}$ times that for $D'$, and "
            r"by induction so is the sum.",
        ),
        implied(
            "steps_refined",
            r"Write $G, G'$ for the expectations of $g$ and $L, L'$ for those of $g_n$. Then",
            le(mean, x * other_mean + 1 / steps),
            x >= 1,
            steps >= 1,
            mean <= mean_low + 1 / steps,
            mean_low <= x * other_low,
            other_low <= other_mean,
            other_low >= 0,
        ),
        equal(
            "steps_gone",
            r"This holds for every $n$, and hence $G \le xG'$.",
            "",
            lambda: sp.limit(x * limit + 1 / whole, whole, sp.oo),
            x * limit,
            lines=r"G \le \lim_{n \to \infty} \left(xG' + \tfrac1n\right) &= xG'",
        ),
    )


BUDGET = Fraction(3, 2)
"""``exp(epsilon)`` in the examples."""

_one, _other = sp.symbols("P Pprime", nonnegative=True)
_undone, _other_undone = sp.Symbol(r"P(\phi(\mathcal{A}(1)) = 1)"), sp.Symbol(r"P(\phi(\mathcal{A}(0)) = 1)")
_more, _fewer, _value = sp.symbols("A Aprime g", nonnegative=True)
_sum, _other_sum = sp.symbols("S Sprime")


_p, _q, _weight, _excess = _OUTPUT = sp.symbols("x y g d", nonnegative=True)
_all, _all_other, _all_excess = sp.symbols("X Y Delta", real=True)
_outputs = sp.Symbol("n", integer=True, nonnegative=True)
_SUMS = {_all: _weight * _p, _all_other: _weight * _q, _all_excess: _excess}
_EXCEEDS = (le(_weight, 1), le(_p, factor * _q + _excess))
_WITH_DELTA = le(_all, factor * _all_other + _all_excess)


def with_delta() -> Step:
    """Weights up to 1 keep the factor and add no more than the excess."""
    return for_every_length(
        "with_delta",
        r"A weight $g \le 1$ makes no excess $d$ larger, so that the sums over the outputs keep the relation.",
        Induction(
            "post_processing.with_delta",
            _WITH_DELTA,
            _outputs,
            _OUTPUT,
            {one: one + term for one, term in _SUMS.items()},
            ((3, 1, 1, 1),),
            {factor: sp.Integer(2)},
            _EXCEEDS,
        ),
        r"X + g x &\le F\,(Y + g y) + \Delta + d",
    )


def response(bit: int) -> Distribution:
    """One bit, flipped by a biased coin."""
    return distribution_of_coins(lambda coin: bit ^ coin, biased(BUDGET))


def unflipped(bit: int) -> Distribution:
    """The same, followed by a map that flips by the very same coin."""
    return distribution_of_coins(lambda coin: (bit ^ coin) ^ coin, biased(BUDGET))


def flipped_again(bit: int) -> Distribution:
    """The same, followed by a map that flips by a coin of its own."""
    return distribution_of_coins(lambda coin, own: (bit ^ coin) ^ own, biased(BUDGET), FAIR)


def post_processing() -> Claim:
    """The theorem for outputs of any kind, and that the map's coins must be its own."""
    return Claim(
        id="thesis.post_processing",
        title="Post-processing",
        references=(Reference("thesis", "Theorem 2.1, section 2.1", "the proof is left to a textbook"),),
        statement=r"If $\mathcal{A}$ is $\varepsilon$-differentially private and $\phi$ is a randomized map of its "
        r"output, then $\phi(\mathcal{A})$ is $\varepsilon$-differentially private.",
        notation=(
            (
                "$X$, $Y$, $a$, $x$, $y$",
                "sums so far for $D$ and for $D'$, and the weight and the two probabilities of one output more",
            ),
            ("$p$, $p'$", "probabilities of one event more, for $D$ and for $D'$"),
        ),
        hypotheses=(r"$P(\mathcal{A}(D) \in O) \le e^{\varepsilon} P(\mathcal{A}(D') \in O)$ for all events $O$",),
        silent=(
            r"the coins of $\phi$ are independent of those of $\mathcal{A}$, and $\phi$ sees nothing of the data but "
            r"the output",
            r"$\phi$ is measurable: $P(\phi(o) \in O')$ is a measurable function of $o$",
            "adjacency is any relation",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "finitely or countably many outputs",
                r"Let $g(o) = P(\phi(o) \in O')$. Since the coins of $\phi$ are its own, "
                r"$P(\phi(\mathcal{A}(D)) \in O') = \sum_o P(\mathcal{A}(D) = o)\,g(o)$, which is at most "
                r"$e^{\varepsilon}$ times that for $D'$.",
                (
                    weighted_sums(
                        "terms_added",
                        r"Each probability $x_o$ is at most $F = e^{\varepsilon}$ times $y_o$, that for $D'$, and "
                        r"$a_o = g(o) \ge 0$ does not depend on the data. By induction over the outputs the sums keep "
                        r"the factor, and so do limits of sums.",
                    ),
                ),
                formal=stated_weighted_sums(sp.exp(epsilon)),
            ),
            Part(
                Role.PUBLISHED,
                "outputs of any kind",
                r"For every measurable $g$ with values in $[0, 1]$: $E\,g(\mathcal{A}(D)) \le e^{\varepsilon} "
                r"E\,g(\mathcal{A}(D'))$. With $g(o) = P(\phi(o) \in O')$ this is the theorem. No smaller factor "
                r"would do: $\phi(o) = o$ changes nothing. In the formula $P$ and $P'$ are the probabilities of one "
                r"event more, with the value $g$, and $A$ and $A'$ the sums before it; $x = e^{\varepsilon}$.",
                expectations(),
                formal=symbolic(
                    le(_sum, x * _other_sum),
                    given=(_more <= x * _fewer, _one <= x * _other, _value <= 1),
                    where={_sum: _more + _value * _one, _other_sum: _fewer + _value * _other},
                ),
            ),
            derived(
                Role.READING,
                "an epsilon and a delta",
                r"The thesis names $(\varepsilon, \delta)$-differential privacy as a relaxation. For it the theorem "
                r"holds "
                r"with the same $\delta$: the terms $d_o = \max(0, P(\mathcal{A}(D) = o) - e^{\varepsilon} "
                r"P(\mathcal{A}(D') = o))$ add up to $\Delta$, the part of the distribution of $\mathcal{A}(D)$ that "
                r"exceeds, "
                r"and "
                r"this is at most $\delta$. In the formula $x_i$ and $y_i$ are the probabilities of the outputs, $g_i$ "
                r"those of the event after the map, and $F = e^{\varepsilon}$.",
                with_delta(),
            ),
            Part(
                Role.READING,
                "the map shares a coin with the mechanism",
                r"If $\phi$ may use the coins of $\mathcal{A}$, the theorem is false: it can undo the noise.",
                shared_coin(),
                formal=symbolic(
                    gt(_undone, x * _other_undone),
                    where={x: sp.Rational(BUDGET.numerator, BUDGET.denominator)},
                ),
                holds=False,
                departs=r"the coins of $\phi$ are independent of those of $\mathcal{A}$",
            ),
        ),
    )


def shared_coin() -> Steps:
    """A flipped bit, flipped back."""

    def chance(bit: int) -> Fraction:
        return probability(unflipped(bit), lambda reported: reported == 1)

    return (
        found(
            "private_before",
            r"Let $D$ be one bit and $\mathcal{A}(D) = D \oplus c$, where $P(c = 0) = \frac{x}{1+x}$ and $x = "
            r"\frac32$. The budget is $\log x$ exactly, and a further flip by a fair coin of its own leaves no loss at "
            r"all.",
            "the largest ratio over 2 outputs for each bit, before and after another flip by a fair coin",
            lambda: (largest_ratio(response(0), response(1)), largest_ratio(flipped_again(0), flipped_again(1))),
            (Fraction(3, 2), Fraction(1)),
            lines=r"\frac{P(\mathcal{A}(1) = 1)}{P(\mathcal{A}(0) = 1)} &= \frac32",
        ),
        counterexample(
            "undone",
            r"The map $\phi(o) = o \oplus c$ with the same $c$ returns $D$.",
            le(_undone, x * _other_undone),
            {_undone: lambda: chance(1), _other_undone: lambda: chance(0), x: BUDGET},
            (ge(x, 1),),
            lines=r"P(\phi(\mathcal{A}(1)) = 1) = 1 &> \tfrac32 \cdot P(\phi(\mathcal{A}(0)) = 1) = 0",
        ),
    )


CLAIMS = {"thesis.post_processing": post_processing}
