"""Why the estimate of pan-private distinct sampling is biased given its level, and its error too large."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.hashing.distinct_sampling import (
    LISTINGS,
    Sampler,
    level_law,
    moments_given_level,
    streams,
)
from pan_proofs.density.lemmas.hashing.fixed_level import pair
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Part, Role
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, t, universe
from pan_proofs.ledger.steps import at_most, computed, equal

_level = sp.Symbol("ell", integer=True, nonnegative=True)
_gap = sp.Symbol("t", real=True)


def two_users() -> tuple[Fraction, Fraction, dict[int, tuple[Fraction, Fraction]], bool]:
    """Two users, m = 2, no appearances: the level's law and the moments given it, and whether all readings agree."""
    found = []
    for listing in LISTINGS:
        sampler = Sampler(2, 2, listing=listing)
        for levels in sampler.hashes:
            law = sampler.state_law(levels, ())
            found.append((level_law(law), moments_given_level(sampler, law)))
    level, moments = found[0]
    return level[0], level[1], moments, all(one == found[0] for one in found) and set(level) == {0, 1}


def level_is_random() -> Part:
    """The level depends on the coins."""
    zero, one, _, same = two_users()
    before, _ = pair(t)
    chance = equal(
        "full",
        r"Let $U = m = 2$, so $Q = 1$, and let nobody appear. One user has level 0, the other level 1. Both are added "
        r"at first with probability $p_{\mathrm{init}}^2$; then the sample is full, the user of level 0 is evicted, "
        r"and $L = 1$. In all other cases $L = 0$. With $p_{\mathrm{init}} = \frac{1-t}{2}$:",
        r"P(L = 1)",
        before**2,
        (1 - t) ** 2 / 4,
    )
    small = computed(
        "small",
        r"For $e^\varepsilon = \frac32$, that is $t = \frac15$ and $p_{\mathrm{init}} = \frac25$:",
        f"P(L = 0) = {zero}, P(L = 1) = {one}, by enumeration of Algorithm 3, for both hash functions and each reading",
        same and one == Fraction(4, 25) and zero == 1 - one,
        lines=(r"P(L = 0) &= \tfrac{21}{25}", r"P(L = 1) &= \tfrac{4}{25}"),
    )
    cases, random = 0, True
    for users in (1, 2, 3, 4):
        for size in range(1, users + 1):
            sampler = Sampler(users, size)
            for stream in streams(users, 2):
                for levels in dict.fromkeys(sampler.hashes):
                    law = level_law(sampler.state_law(levels, stream))
                    random &= law.get(0, 0) > 0 and sum(chance for level, chance in law.items() if level) > 0
                    cases += 1
    never = computed(
        "never_fixed",
        r"For $m \le U$ the level is fixed for no stream at all. No user is ever added with positive probability, and "
        r"then $L = 0$; the first $m$ users are all added at first with positive probability, and then $L \ge 1$. "
        r"Enumeration:",
        f"both L = 0 and L > 0 have positive probability, in {cases} cases of m <= U <= 4, hash function and stream of "
        "at most two appearances",
        random,
        lines=(r"P(L = 0) > 0,\quad P(L \ge 1) &> 0",),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "the level is random",
        r"The level depends on the coins, for every stream and every $m \le U$.",
        (chance, small, never),
    )


def biased_given_level() -> Part:
    """The estimate is biased, given the level."""
    before, _ = pair(t)
    _, _, moments, same = two_users()
    lone = 2 * before * (1 - before) / (1 - before**2)  # mean number of members, given that not both were added

    def output(number: sp.Expr, level: int) -> sp.Expr:
        return (2**level * number / 2 - sp.Rational(1, 2) + t / 2) / t

    at_zero = equal_as(
        "at_level_zero",
        r"In the same example $d(\mathcal{S}_M) = 0$, whoever is in $M$. Given $L = 0$ not both users were added, and "
        r"the mean number of members is $2p_{\mathrm{init}}(1-p_{\mathrm{init}})/(1-p_{\mathrm{init}}^2)$. The bits "
        r"are not independent of one another any more. The noise has mean 0. So the bias is",
        (output(lone, 0), -((1 - t) ** 2) / (2 * t * (3 - t))),
        r"\mathbb{E}[\tilde{d} \mid L = 0] = \frac1t \left(\frac{p_{\mathrm{init}}}{1 + p_{\mathrm{init}}} - "
        r"p_{\mathrm{init}}\right) &= -\frac{(1-t)^2}{2t(3-t)}",
    )
    at_one = equal_as(
        "at_level_one",
        r"which is negative. Given $L = 1$ the one user who qualifies is a member with certainty, and the bias is",
        (output(sp.Integer(1), 1), (1 + t) / (2 * t)),
        r"\mathbb{E}[\tilde{d} \mid L = 1] = \frac1t \left(1 - \frac{1-t}{2}\right) &= \frac{1+t}{2t}",
    )
    numbers = {level: mean for level, (mean, _) in moments.items()}
    formulas = [sp.Rational(1, 5), -((1 - t) ** 2) / (2 * t * (3 - t)), (1 + t) / (2 * t)]
    agree = all(
        formulas[level + 1].subs(t, formulas[0]) == sp.Rational(*numbers[level].as_integer_ratio()) for level in (0, 1)
    )
    small = computed(
        "conditional_means",
        r"For $e^\varepsilon = \frac32$, $t = \frac15$:",
        f"the means given L are {numbers[0]} and {numbers[1]}, by enumeration of Algorithm 3 and by the formulas",
        same and agree and numbers == {0: Fraction(-4, 7), 1: Fraction(3)},
        lines=(
            r"\mathbb{E}[\tilde{d} \mid L = 0] = -\tfrac47 &\ne 0 = d(\mathcal{S}_M)",
            r"\mathbb{E}[\tilde{d} \mid L = 1] = 3 &\ne 0 = d(\mathcal{S}_M)",
        ),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "biased given the level",
        r"Given $L = \ell$ the estimate is biased for $d(\mathcal{S}_M)$.",
        (at_zero, at_one, small),
    )


def error_given_level() -> Part:
    """The mean squared error exceeds the bound, given the level."""
    scale = 2**_level / (epsilon * universe)
    noise = equal(
        "noise",
        r"The noise adds $2b^2$ to the mean squared error, $b = \frac{2^\ell}{\varepsilon U}$. That is the second "
        r"term of the bound, so that the first terms are to be compared.",
        r"2b^2",
        2 * scale**2,
        2 ** (2 * _level + 1) / (universe**2 * epsilon**2),
    )
    _, after = pair(_gap)
    square, bound = after**2, sp.Rational(1, 2) / 2
    excess = at_most(
        "excess",
        r"In the same example the output without noise is $\frac{1+t}{2t}$ given $L = 1$, with certainty, and "
        r"$d(\mathcal{S}_M) = 0$. The bound has the first term $\frac{2^{-1}}{2t^2}$. Multiplied by $t^2$:",
        Inequality("ppds_error.excess", bound, square, (_gap > 0, _gap < 1), strict=True, touching={_gap: 0}),
        lines=(r"\frac14 &< \left(\frac{1+t}{2}\right)^2",),
    )
    _, _, moments, same = two_users()
    second = moments[1][1]
    small = computed(
        "conditional_error",
        r"For $e^\varepsilon = \frac32$ and $L = 1$, without the noise's share on both sides:",
        f"the mean square given L = 1 is {second}, by enumeration of Algorithm 3; the bound is "
        f"{Fraction(1, 2) / 2 / Fraction(1, 25)}",
        same and second == 9 and Fraction(1, 2) / 2 / Fraction(1, 25) == Fraction(25, 4),
        lines=(r"9 &> \tfrac{25}{4}",),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "the bound given the level",
        r"Given $L = \ell$ the mean squared error exceeds the bound, in the example for $\ell = 1$ and every "
        r"$\varepsilon > 0$.",
        (noise, excess, small),
    )
