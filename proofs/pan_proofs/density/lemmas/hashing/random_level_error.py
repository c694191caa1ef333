"""Why the estimate of pan-private distinct sampling is biased given its level, and its error too large."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import sympy as sp

from pan_proofs.density.lemmas.hashing.distinct_sampling import (
    LISTINGS,
    Sampler,
    level_distribution,
    moments_given_level,
    streams,
)
from pan_proofs.density.lemmas.hashing.fixed_level import pair
from pan_proofs.engines.computations import comparison, computed_value
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt, ne
from pan_proofs.ledger.claim import Part, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon, m, present, t, universe
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, lemma

_level = sp.Symbol("ell", integer=True, nonnegative=True)
_gap = sp.Symbol("t", real=True)
_chance, _square = sp.Symbol("P(L = 1)"), sp.Symbol("q_1")
"""The probability of the level 1, and the mean square given it, in the example."""
_mean = sp.Symbol("E", real=True)

LevelDistribution = tuple[tuple[int, Fraction], ...]
"""Each level with its probability."""

Moments = tuple[tuple[Fraction, Fraction], ...]
"""For each level mean and mean square of the output without its noise, given that level."""


@cache
def two_users() -> tuple[tuple[LevelDistribution, Moments], ...]:
    """Two users, m = 2, no appearances: the level's distribution and the moments given it.

    Returns
    -------
    tuple
        The values for the two hash functions and the readings of the listing: one pair, if they agree.
    """
    found = []
    for listing in LISTINGS:
        sampler = Sampler(2, 2, listing=listing)
        for levels in sampler.hashes:
            distribution = sampler.state_distribution(levels, ())
            moments = moments_given_level(sampler, distribution)
            found.append(
                (
                    tuple(sorted(level_distribution(distribution).items())),
                    tuple(moments[level] for level in sorted(moments)),
                )
            )
    return tuple(dict.fromkeys(found))


def level_is_random() -> Part:
    """The level depends on the coins."""
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
    small = lemma(
        "small",
        r"For $e^\varepsilon = \frac32$, that is $t = \frac15$ and $p_{\mathrm{init}} = \frac25$:",
        (
            computed_value(
                "small",
                "the levels with their probabilities, by enumeration of Algorithm 3; the distributions that occur "
                "over both "
                "hash functions and all readings",
                lambda: tuple(dict.fromkeys(distribution for distribution, _ in two_users())),
                (((0, Fraction(21, 25)), (1, Fraction(4, 25))),),
            ),
            # A level that the stream determines has the probability 0 or 1.
            *counterexample(
                "small.determined",
                "",
                eq(_chance * (1 - _chance), 0),
                {_chance: dict(two_users()[0][0])[1]},
            ).obligations,
        ),
        lines=(r"P(L = 0) &= \tfrac{21}{25}", r"P(L = 1) &= \tfrac{4}{25}"),
    )
    never = enumerated(
        "never_fixed",
        r"For $m \le U$ the level is fixed for no stream at all. No user is ever added with positive probability, and "
        r"then $L = 0$; the first $m$ users are all added at first with positive probability, and then $L \ge 1$. "
        r"By enumeration,",
        "both L = 0 and L > 0 have positive probability, for m <= U <= 4, every hash function and every stream of at "
        "most two appearances",
        _level_distributions(),
        lambda distribution: _reaches(distribution, 1),
        mutant=lambda distribution: _reaches(distribution, 2),
        lines=(r"P(L = 0) > 0,\quad P(L \ge 1) &> 0",),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "the level is random",
        r"The level depends on the coins, for every stream and every $m \le U$. "
        r"In the formulas $P_0$ and $P_1$ are the probabilities of level $0$ and of a higher one, $n$ is the number "
        r"of appearances, $p = p_{\mathrm{init}} = 1 - p_{\mathrm{upd}}$ and $q = p_{\mathrm{upd}}$.",
        (chance, small, never),
        formal=(*symbolic(ne(_chance * (1 - _chance), 0)), *_stated_random_level()),
    )


def _stated_random_level() -> tuple[str, ...]:
    """Both levels are possible, since the coins may all show the one side, or the first m of them the other."""
    zero, more = sp.symbols("P_0 P_1", nonnegative=True)
    member, other = sp.symbols("p q", positive=True)
    coins = sp.Symbol("n", positive=True, integer=True)
    return symbolic(
        gt(zero, 0),
        gt(more, 0),
        given=(
            ge(zero, other**universe * member**coins),
            ge(more, member**m * other**coins),
        ),
    )


def _level_distributions() -> Iterator[dict[int, Fraction]]:
    """The distribution of the level for small universes and all m up to their size."""
    for users in (1, 2, 3, 4):
        for size in range(1, users + 1):
            sampler = Sampler(users, size)
            for stream in streams(users, 2):
                for levels in dict.fromkeys(sampler.hashes):
                    yield level_distribution(sampler.state_distribution(levels, stream))


def _reaches(distribution: dict[int, Fraction], least: int) -> bool:
    """Whether the level can be 0, and can be at least ``least``."""
    return distribution.get(0, 0) > 0 and any(chance > 0 for level, chance in distribution.items() if level >= least)


def biased_given_level() -> Part:
    """The estimate is biased, given the level."""
    before, _ = pair(t)
    lone = 2 * before * (1 - before) / (1 - before**2)  # mean number of members, given that not both were added

    def output(number: sp.Expr, level: int) -> sp.Expr:
        return (2**level * number / 2 - sp.Rational(1, 2) + t / 2) / t

    formulas = (-((1 - t) ** 2) / (2 * t * (3 - t)), (1 + t) / (2 * t))
    at_zero = equal_as(
        "at_level_zero",
        r"In the same example $d(\mathcal{S}_M) = 0$, whoever is in $M$. Given $L = 0$ not both users were added, and "
        r"the mean number of members is $2p_{\mathrm{init}}(1-p_{\mathrm{init}})/(1-p_{\mathrm{init}}^2)$. The bits "
        r"are not independent of one another any more. The noise has mean 0. So the bias is",
        (output(lone, 0), formulas[0]),
        r"\mathbb{E}[\tilde{d} \mid L = 0] = \frac1t \left(\frac{p_{\mathrm{init}}}{1 + p_{\mathrm{init}}} - "
        r"p_{\mathrm{init}}\right) &= -\frac{(1-t)^2}{2t(3-t)}",
    )
    at_one = equal_as(
        "at_level_one",
        r"This is negative. Given $L = 1$ the one user who qualifies is a member with certainty, and the bias is",
        (output(sp.Integer(1), 1), formulas[1]),
        r"\mathbb{E}[\tilde{d} \mid L = 1] = \frac1t \left(1 - \frac{1-t}{2}\right) &= \frac{1+t}{2t}",
    )
    numbers = (Fraction(-4, 7), Fraction(3))
    small = lemma(
        "conditional_means",
        r"For $e^\varepsilon = \frac32$, $t = \frac15$:",
        (
            computed_value(
                "conditional_means",
                "the means given L = 0 and L = 1, by enumeration of Algorithm 3; the pairs that occur over both hash "
                "functions and all readings",
                lambda: tuple(dict.fromkeys(tuple(mean for mean, _ in moments) for _, moments in two_users())),
                (numbers,),
            ),
            *(
                comparison(f"conditional_means.formula_{level}", eq(formula, number), {t: sp.Rational(1, 5)})
                for level, (formula, number) in enumerate(zip(formulas, numbers, strict=True))
            ),
            *(
                one
                for level, (mean, _) in enumerate(two_users()[0][1])
                for one in counterexample(
                    f"conditional_means.unbiased_{level}",
                    "",
                    eq(_mean, present),
                    {_mean: mean, present: 0},
                ).obligations
            ),
        ),
        lines=(
            r"\mathbb{E}[\tilde{d} \mid L = 0] = -\tfrac47 &\ne 0 = d(\mathcal{S}_M)",
            r"\mathbb{E}[\tilde{d} \mid L = 1] = 3 &\ne 0 = d(\mathcal{S}_M)",
        ),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "biased given the level",
        r"Given $L = \ell$ the estimate is biased for $d(\mathcal{S}_M)$. "
        r"In the formulas $E_0$ and $E_1$ are the biases of an example, given the levels $0$ "
        r"and $1$.",
        (at_zero, at_one, small),
        formal=(
            *symbolic(eq(sp.Symbol("E_0"), formulas[0])),
            *symbolic(eq(sp.Symbol("E_1"), formulas[1])),
            *symbolic(lt(formulas[0], 0), gt(formulas[1], 0), given=(t < 1,)),
        ),
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
    first = 2 ** (_level - 2) / (universe * t**2)
    second = 2 ** (2 * _level + 1) / (universe**2 * epsilon**2)
    small = lemma(
        "conditional_error",
        r"For $e^\varepsilon = \frac32$ and $L = 1$, without the noise's share on both sides:",
        (
            computed_value(
                "conditional_error",
                "the mean square given L = 1, by enumeration of Algorithm 3; the values that occur over both hash "
                "functions and all readings",
                lambda: tuple(dict.fromkeys(moments[1][1] for _, moments in two_users())),
                (Fraction(9),),
            ),
            comparison(
                "conditional_error.bound",
                eq(first, sp.Rational(25, 4)),
                {_level: 1, universe: 2, t: sp.Rational(1, 5)},
            ),
            *counterexample(
                "conditional_error.printed",
                "",
                le(_square + 2 * scale**2, (first + second).subs(t, sp.tanh(epsilon / 2))),
                {_square: two_users()[0][1][1][1], _level: 1, universe: 2, epsilon: sp.log(sp.Rational(3, 2))},
            ).obligations,
        ),
        lines=(r"9 &> \tfrac{25}{4}",),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "the bound given the level",
        r"Given $L = \ell$ the mean squared error exceeds the bound, in the example for $\ell = 1$ and every "
        r"$\varepsilon > 0$.",
        (noise, excess, small),
        formal=symbolic(
            gt(((1 + t) / (2 * t)) ** 2 + 2 * scale**2, first + second),
            given=(t < 1,),
            where={_level: 1, universe: 2},
        ),
    )
