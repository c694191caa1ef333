"""From the whole mechanism to one user: the steps that every joint loss of this package rests on."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.intrusions.whole_mechanism import Pair, Stream, ratios_over_streams, seen
from pan_proofs.density.lemmas.losses.joint_loss_proofs import monotone
from pan_proofs.density.lemmas.losses.observations import Pattern, Phase, Sight, Update, p0, p1, patterns, shift, sight
from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.foundations.sums_over_terms import stated_single_term, stated_weighted_sums, weighted_sums
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.display import displayed
from pan_proofs.ledger.steps import enumerated, equal, lemma

RATES = (Fraction(3, 2), Fraction(3))
"""Values of ``r`` at which the whole mechanism is run."""

PAIRS = ((Fraction(1, 5), Fraction(2, 5)), (Fraction(2, 5), Fraction(3, 5)), (Fraction(1, 2), Fraction(5, 6)))
"""Pairs of probabilities at which it is run: with a sum below 1, of 1, and above 1."""

IN_WORDS = (
    (
        "likelihoods",
        "of the appearances of one user only two facts matter: whether there is one before the intrusion, and whether "
        "there is one after it",
    ),
    ("monotone", r"a quotient that is monotone in $\rho$ is largest at an end of the range of $\rho$"),
    (
        "other_users",
        "the bits of different users are independent, and those of the others have one distribution in both streams; "
        "so the "
        "joint density is the mixture that is displayed, for every number of users",
    ),
    (
        "attained",
        "if no other sampled user appears after the intrusion, the seen bits of the others are their last ones, and "
        "the mixture has one term",
    ),
)
"""The arguments on the way from the whole mechanism to one user that words alone carry, by the name of the step."""


def two_draws(pattern: Pattern) -> Mapping[tuple[int, int], sp.Expr]:
    """The joint distribution of the bit at the intrusion and the bit at the end, by following the draws."""
    before, after = (None if update is Update.NONE else {Update.INSERT: p1}.get(update, p0) for update in pattern)
    distribution: dict[tuple[int, int], sp.Expr] = {}
    for first, chance in ((1, p0 if before is None else before), (0, 1 - (p0 if before is None else before))):
        if after is None:
            distribution[first, first] = chance
        else:
            distribution |= {(first, 1): chance * after, (first, 0): chance * (1 - after)}
    return distribution


def from_draws(pattern: Pattern, bit: int) -> sp.Expr:
    """Density of the seen bit and the output, over ``f(y)``, as a sum over the draws."""
    distribution = two_draws(pattern)
    return sp.sympify(
        sum(chance * (shift if final else 1) for (first, final), chance in distribution.items() if first == bit)
    )


def likelihoods() -> Step:
    """The density of the seen bit and the output for the four patterns, from the draws."""
    obligations: list[Obligation] = []
    for pattern, bit in product(patterns(2, deletions=True), (0, 1)):
        density = sight((Phase(p0, p1), Phase(p0, p1)), pattern, (bit,)).density(shift)
        name = f"likelihood.{'.'.join(pattern)}.{bit}"
        obligations += equal(name, "", "", partial(from_draws, pattern, bit), density).obligations
    return lemma(
        "likelihoods",
        r"Let $m = 1$, and let $f$ be the density of the noise in units of one bit, so that the output has the "
        r"density $f(y - b)$ if the final bit is $b$; put $\rho = f(y-1)/f(y)$. Of a stream only this matters: "
        r"whether the user appears before the intrusion, and whether they appear after it. A bit that is not drawn "
        r"again is counted as it was seen. The joint density of the seen bit $b$ and the output $y$, over $f(y)$, is "
        r"for the patterns (none, none), (none, after), (before, none), (before, after) in this order",
        obligations,
        lines=(
            r"b = 0:\quad & q_0,\quad q_0 (q_1 + p_1\rho),\quad q_1,\quad q_1 (q_1 + p_1\rho)",
            r"b = 1:\quad & p_0\rho,\quad p_0 (q_1 + p_1\rho),\quad p_1\rho,\quad p_1 (q_1 + p_1\rho)",
        ),
    )


def ends_suffice() -> Step:
    """Every ratio is monotone in rho."""
    (chance, other_chance) = sp.symbols("c C", positive=True)
    (one, other_one) = sp.symbols("a A", nonnegative=True)
    ratio = Sight(chance, one).density(shift) / Sight(other_chance, other_one).density(shift)
    stated = chance * (one - other_one) / (other_chance * (1 - other_one + other_one * shift) ** 2)
    derivative = equal("derivative", "", "", lambda: sp.diff(ratio, shift), stated)
    return lemma(
        "monotone",
        r"Every ratio of two of these is $\frac{c\,(1 - a + a\rho)}{C\,(1 - A + A\rho)}$ with constants $c, C > 0$ and "
        r"$a, A \in [0, 1]$. Its derivative in $\rho$ is a constant over a square: the ratio is monotone, and largest "
        r"at an end of the range of $\rho$.",
        (*derivative.obligations, monotone()),
        lines=(
            r"\frac{\partial}{\partial\rho} \frac{c\,(1-a+a\rho)}{C\,(1-A+A\rho)} &= "
            r"\frac{c\,(a - A)}{C\,(1 - A + A\rho)^2}",
        ),
    )


def mixture(name: str = "mixture") -> Step:
    """A mixture of pairs within a ratio is within it, for every number of pairs."""
    return weighted_sums(
        name,
        r"A bound passes to mixtures. If $x_n \le F\,y_n$ for all $n$, then $\sum_n a_n x_n \le F \sum_n a_n y_n$ for "
        r"all weights $a_n \ge 0$. By induction: let $X \le F\,Y$ be the sums so far; one more term keeps this. The "
        r"same holds for integrals, so that a bound on a ratio of densities is one on the probabilities of all events.",
    )


def stated_mixture(ratio: sp.Expr, *given: sp.Basic) -> tuple[str, ...]:
    """That a mixture of any number of pairs has at most the ratio of its terms, and one of a single term has it.

    Parameters
    ----------
    ratio
        The largest ratio of the two densities for one user.
    *given
        Conditions on its symbols.
    """
    return (*stated_weighted_sums(ratio, given), *stated_single_term(ratio, given))


def other_users() -> Step:
    """The joint density with other users is a mixture of shifted densities of one user; run on small streams."""
    streams: tuple[Stream, ...] = (
        (None, (0, True), (1, True)),
        ((1, True), (0, True), (1, True)),
        ((0, True), (1, True), (0, True)),
    )
    return enumerated(
        "other_users",
        r"Let there be many users. Fix the sample; it is drawn without regard to the stream. Let $u$ be the user in "
        r"whom the streams differ. If $u$ is not sampled, nothing that is seen depends on it. Otherwise let $w_c$ be "
        r"the probability that the bits of the other sampled users are seen as $c$, and $\pi_c(n)$ the probability, "
        r"given this, that $n$ of these users have a one at the end. Both are the same for both streams, and "
        r"independent of the bits of $u$. With $g$ the density for $u$ alone, the joint density is a mixture of "
        r"shifts of $g$.",
        "the distribution of all bits at the intrusion and the number of ones at the end, found by running the "
        "mechanism on "
        "three streams of two users, factorises like this for every moment of the intrusion and three pairs",
        product(streams, range(4), PAIRS),
        lambda case: _factorises(*case),
        # Without the shift by the ones of the other user.
        mutant=lambda case: _factorises(*case, shifted=False),
        lines=(r"h(c, b, y) &= w_c \sum_n \pi_c(n)\, g(b, y - n)",),
    )


def whole_runs() -> Step:
    """The largest ratio over all small streams is that of one user."""
    runs = [(*size, pair, rate) for size, pair, rate in product(((3, 1), (2, 2), (2, 3)), PAIRS, RATES)]
    places = f"up to 3 moments and 3 users, at {len(PAIRS)} pairs of probabilities and r = {', '.join(map(str, RATES))}"
    return lemma(
        "whole_runs",
        r"The whole mechanism, run in fractions with geometric noise on every adjacent pair of short streams and for "
        r"every moment of the intrusion, gives the stated number each time, with one, two and three users.",
        (
            in_every_case(
                "whole_runs.pairs",
                f"no pair of streams with an intrusion exceeds the stated number, {places}",
                ((ratio, closed_form(*run[2:])) for run in runs for ratio in _ratios(*run)),
                lambda case: case[0] <= case[1],
                mutant=lambda case: case[0] < case[1],
            ),
            in_every_case(
                "whole_runs.largest",
                f"the largest ratio of all pairs of streams is the stated number, {places}",
                runs,
                lambda run: max(_ratios(*run)) == closed_form(*run[2:]),
                # The first of the two numbers alone.
                mutant=lambda run: max(_ratios(*run)) == _two_ratios(*run[2:])[0],
            ),
        ),
        lines=(
            r"\max_{S, S', i}\ \max_{c, b, y} \frac{h(c, b, y)}{h'(c, b, y)} &= \max\{B(q_1 + p_1 r),\ A(p_1 + q_1 "
            r"r)\}",
        ),
    )


def closed_form(pair: tuple[Fraction, Fraction], rate: Fraction) -> Fraction:
    """``max{B (q1 + p1 r), A (p1 + q1 r)}`` in fractions."""
    return max(_two_ratios(pair, rate))


def _two_ratios(pair: tuple[Fraction, Fraction], rate: Fraction) -> tuple[Fraction, Fraction]:
    (low, high), (no, yes) = pair, (1 - pair[1], pair[1])
    return (1 - low) / no * (no + yes * rate), high / low * (yes + no * rate)


@cache
def _ratios(moments: int, users: int, pair: Pair, rate: Fraction) -> tuple[Fraction, ...]:
    return tuple(ratios_over_streams(moments, users, pair, rate))


def laplace_limits() -> Step:
    """Laplace noise: rho lies between ``exp(-eta)`` and ``exp(eta)``, which it takes beyond the two places."""
    place, width = sp.Symbol("y", real=True), sp.Symbol("w", positive=True)
    scale, excess = sp.Symbol("s", positive=True), sp.Symbol("h", nonnegative=True)
    ratio = sp.exp(-sp.Abs(place - width) / scale + sp.Abs(place) / scale)
    above = equal("above", "", "", ratio.subs(place, width + excess), sp.exp(width / scale))
    below = equal("below", "", "", ratio.subs(place, -excess), sp.exp(-width / scale))
    # Between 0 and w, y = w h/(1 + h) covers the interval.
    inside = width * excess / (1 + excess)
    between = equal(
        "between",
        "",
        "",
        sp.exp(-(width - inside) / scale + inside / scale),
        sp.exp(width / scale * (excess - 1) / (excess + 1)),
    )
    obligations = [one for step in (above, below, between) for one in step.obligations]
    return lemma(
        "laplace_limits",
        r"Laplace noise of scale $s$, with one bit of weight $w$ in the output: let $\eta = w/s$. Above both centres "
        r"$\rho = e^\eta$, below both $\rho = e^{-\eta}$, and between them, at $y = w\frac{h}{1+h}$, it is "
        r"$e^{\eta (h-1)/(h+1)}$. So $r = e^\eta$, and both ends are taken.",
        obligations,
        lines=(r"\frac{f(y - w)}{f(y)} = e^{(|y| - |y - w|)/s} &\in [e^{-\eta}, e^\eta]",),
    )


def geometric_limits() -> Step:
    """Two-sided geometric noise on the integers: rho takes its two ends, and no other value."""
    up, down = sp.symbols("u v", positive=True)
    k = sp.Symbol("k", integer=True, positive=True)
    above = equal("above", "", "", up ** (k - 1) / up**k, 1 / up)
    below = equal("below", "", "", down**k / down ** (k - 1), down)
    return displayed(
        lemma(
            "geometric_limits",
            r"Integer noise with $P(N = k)$ proportional to $u^k$ for $k \ge 0$ and to $v^{-k}$ for $k \le 0$, where "
            r"$0 < u, v < 1$: at every count $\rho$ is one of two numbers. For $u = v = 1/r$ these are $r$ and $1/r$.",
            [*above.obligations, *below.obligations],
        ),
        r"\frac{P(N = k-1)}{P(N = k)} &= \frac{1}{u} \quad (k \ge 1)",
        r"\frac{P(N = k-1)}{P(N = k)} &= v \quad (k \le 0)",
    )


def stated_limits() -> tuple[str, ...]:
    """The largest ratio of two densities one bit apart, which is attained, and the two ratios on the integers."""
    place = sp.Symbol("y", real=True)
    width, spread = sp.symbols("w s", positive=True)
    rate = sp.Symbol("r", positive=True)
    count = sp.Symbol("k", integer=True, positive=True)
    apart = (sp.Abs(place) - sp.Abs(place - width)) / spread
    return (
        *symbolic(
            le(sp.exp(apart), sp.exp(width / spread)),
            ge(sp.exp(apart), sp.exp(-width / spread)),
        ),
        *symbolic(eq(sp.exp(apart), sp.exp(width / spread)), given=(ge(place, width),)),
        *symbolic(eq(sp.exp(apart), sp.exp(-width / spread)), given=(le(place, 0),)),
        *symbolic(
            eq(rate ** (1 - count) / rate ** (-count), rate),
            eq(rate ** (-count) / rate ** (1 - count), 1 / rate),
        ),
    )


def _factorises(stream: Stream, look: int, pair: Pair, *, shifted: bool = True) -> bool:
    """Whether the distribution with two users is a mixture of that of user 0 alone, shifted by what user 1 adds.

    Parameters
    ----------
    shifted
        Whether the ones of user 1 are added.
    """
    both = seen(stream, look, 2, pair)
    alone = seen(tuple(one if one and one[0] == 0 else None for one in stream), look, 1, pair)
    others = seen(tuple((0, one[1]) if one and one[0] == 1 else None for one in stream), look, 1, pair)
    mixed: dict[tuple[tuple[int, ...], int], Fraction] = {}
    for ((b,), own), chance in alone.items():
        for ((c,), rest), weight in others.items():
            key = ((b, c), own + rest * shifted)
            mixed[key] = mixed.get(key, Fraction(0)) + chance * weight
    return mixed == dict(both)
