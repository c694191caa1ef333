"""Why a level that depends on the data reveals the users of pan-private distinct sampling, without bound."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import sympy as sp

from pan_proofs.density.lemmas.hashing.distinct_sampling import LISTINGS, Sampler, level_distribution
from pan_proofs.density.lemmas.hashing.random_level_formulas import (
    EMPTY,
    IN_RANGE,
    LEFT_ALONE,
    MEMBER,
    RAISED,
    appearances,
    at_most_times,
    breaks,
    broken,
    empty,
    left_alone,
    member,
    raised,
    seen_ratio,
    stated_no_bound,
)
from pan_proofs.density.lemmas.losses.unbounded_losses import distinct_sampling_is_unbounded
from pan_proofs.engines.computations import comparison, computed_value, in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import m, universe, x
from pan_proofs.ledger.steps import at_most, compared, counterexample, enumerated, lemma

_before, _after = 1 / (1 + x), x / (1 + x)
_y = sp.Symbol("y", real=True)
_more, _less = sp.symbols("P_1 P_2", nonnegative=True)
_BUDGET = sp.Rational(3, 2)
"""``exp(epsilon)`` in the examples."""


def two_users_at_level_zero() -> Part:
    """The example with two users, by hand."""
    none, one, two = (_left_alone(count)[0] for count in range(3))
    step = lemma(
        "two_users",
        r"Let $U = m = 2$, so $Q = 1$, and $e^\varepsilon = \frac32$, so $p_{\mathrm{init}} = \frac25$, "
        r"$p_{\mathrm{upd}} = \frac35$. Let the adversary see $L = 0$ and the member $v$ alone. Without appearances "
        r"this means that $v$ was added at first and the other user $u$ was not, $\frac25 \cdot \frac35$. If $u$ "
        r"appears, it means in addition that $u$ was not added then: with both users the sample would be full, and $L$ "
        r"would rise for good. One appearance already breaks $2\varepsilon$:",
        (
            computed_value(
                "two_users",
                "P(L = 0, v alone) after 0, 1, 2 appearances of u, by enumeration; the values that occur over both "
                "hash functions, both users and all readings",
                lambda: tuple(_left_alone(count) for count in range(3)),
                ((Fraction(6, 25),), (Fraction(12, 125),), (Fraction(24, 625),)),
            ),
            _exceeds("two_users.one", 2, none, one),
            _exceeds("two_users.two", 2, none, two),
            *left_alone(),
            *breaks("two_users.formula", at_most_times(2, LEFT_ALONE, rises=False)),
        ),
        lines=(
            r"\frac{P(L = 0,\ \mathcal{M}_{DS} = \{v\} \mid \text{no appearance})}"
            r"{P(L = 0,\ \mathcal{M}_{DS} = \{v\} \mid \text{one})} = \frac{6/25}{12/125} = \frac52 "
            r"&> \frac94 = e^{2\varepsilon}",
            r"\frac{P(L = 0,\ \mathcal{M}_{DS} = \{v\} \mid \text{no appearance})}"
            r"{P(L = 0,\ \mathcal{M}_{DS} = \{v\} \mid \text{two})} = \frac{6/25}{24/625} = \frac{25}{4} "
            r"&> \frac94 = e^{2\varepsilon}",
        ),
    )
    terms = 1 + sp.Rational(1, 2) + sp.Rational(1, 8)
    inside = compared(
        "range",
        r"This $\varepsilon$ is in the range of the theorem: $e^{1/2} > 1 + \frac12 + \frac18 > \frac32$.",
        gt(sp.exp(sp.Rational(1, 2)), terms),
        gt(terms, _BUDGET),
        lines=(r"\varepsilon = \log \tfrac32 &< \tfrac12",),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "two users",
        r"The state alone is not $2\varepsilon$-differentially private, not even for a single appearance. Pan-privacy "
        r"bounds every event of state and output, and so those of the state alone.",
        (step, inside),
        formal=broken(at_most_times(2, LEFT_ALONE, rises=False)),
    )


@cache
def _left_alone(count: int) -> tuple[Fraction, ...]:
    """For two users, ``P(L = 0, v alone)`` after some appearances of the other user: the values that occur."""
    return tuple(
        dict.fromkeys(
            Sampler(2, 2, listing=listing).state_distribution(levels, (user,) * count)[0, frozenset({1 - user})]
            for listing in LISTINGS
            for levels in Sampler(2, 2).hashes
            for user in range(2)
        )
    )


def _exceeds(name: str, times: int, more: Fraction, less: Fraction) -> Obligation:
    """The obligation that two probabilities refute a loss of at most ``times`` epsilon, for the example's epsilon."""
    claimed = le(_more, x**times * _less)
    return counterexample(name, "", claimed, {_more: more, _less: less, x: _BUDGET}, IN_RANGE).obligations[0]


def one_user() -> Part:
    """The smallest case, where membership reveals nothing and the level everything."""
    none, one = (_empty(count)[0] for count in range(2))
    step = lemma(
        "one_user",
        r"Let $U = m = 1$ and $e^\varepsilon = \frac32$. Then $Q = 0$; the source has no multiplier for this, and "
        r"every user has level 0. The user is evicted whenever added, so that the sample is always empty and "
        r"membership reveals nothing: all that is learnt, is learnt from the level.",
        (
            computed_value(
                "one_user",
                "P(L = 0, the sample is empty) and P(L = 1, the sample is empty) after 0, 1, 2 appearances, which sum "
                "to 1; the pairs that occur over all readings",
                lambda: tuple(_empty(count) for count in range(3)),
                (
                    ((Fraction(3, 5), Fraction(2, 5)),),
                    ((Fraction(6, 25), Fraction(19, 25)),),
                    ((Fraction(12, 125), Fraction(113, 125)),),
                ),
            ),
            _exceeds("one_user.level_zero", 2, none[0], one[0]),
            comparison(
                "one_user.level_one",
                gt(_more, x * _less),
                {_more: one[1], _less: none[1], x: _BUDGET},
            ),
            *empty(),
            *breaks("one_user.formula", at_most_times(2, EMPTY, rises=False)),
        ),
        lines=(
            r"\frac{P(L = 0 \mid \text{no appearance})}{P(L = 0 \mid \text{one})} = \frac{3/5}{6/25} = \frac52 "
            r"&> \frac94 = e^{2\varepsilon}",
            r"\frac{P(L = 1 \mid \text{one})}{P(L = 1 \mid \text{no appearance})} = \frac{19/25}{2/5} = \frac{19}{10} "
            r"&> \frac32 = e^{\varepsilon}",
        ),
    )
    return Part(
        Role.READING,
        "one user",
        r"In the degenerate case $U = m = 1$ the theorem is false as well, by the level alone.",
        (step,),
        formal=broken(at_most_times(2, EMPTY, rises=False)),
        holds=False,
    )


@cache
def _empty(count: int) -> tuple[tuple[Fraction, ...], ...]:
    """For one user, the probabilities of an empty sample at the levels 0 and 1: the pairs that occur."""
    distributions = [Sampler(1, 1, listing=listing).state_distribution((0,), (0,) * count) for listing in LISTINGS]
    return tuple(
        dict.fromkeys(tuple(distribution[level, frozenset()] for level in (0, 1)) for distribution in distributions)
    )


def no_bound() -> Part:
    """The loss of the state exceeds every bound."""
    start, after = seen_ratio()
    ratio = equal_as(
        "ratio",
        r"Let $m \le U$, $B$ a set of $m - 1$ users, $u$ another one, and $E$ the event that $L = 0$ and "
        r"$\mathcal{M}_{DS} = B$. While $L = 0$ all users qualify, and $L$ never falls. Without appearances $E$ means "
        r"that just those in $B$ were added at first; they are too few to fill the sample. Let $u$ appear $k$ times. "
        r"Were $u$ ever added to $B$, the sample would be full, and $L$ would rise. So $E$ means in addition that $u$ "
        r"was not added $k$ times. With $x = e^\varepsilon$, $p_{\mathrm{init}} = \frac{1}{1+x}$ and "
        r"$p_{\mathrm{upd}} = \frac{x}{1+x}$:",
        (start / after, (1 + x) ** appearances),
        r"\frac{P(E \mid \text{no appearance})}{P(E \mid k)} = "
        r"\frac{p_{\mathrm{init}}^{m-1} (1-p_{\mathrm{init}})^{U-m+1}}"
        r"{p_{\mathrm{init}}^{m-1} (1-p_{\mathrm{init}})^{U-m+1} (1-p_{\mathrm{upd}})^k} &= (1+x)^k",
    )
    double = at_most(
        "twoappearances",
        r"Two appearances already break $2\varepsilon$, for every $\varepsilon > 0$. (One does if $x^2 < 1 + x$, so "
        r"for $x = \frac32$.) Divided by $x^2$ and with "
        r"$y = e^{-\varepsilon}$, the inequality $x^2 < (1+x)^2$ becomes:",
        Inequality("ppds.two", sp.Integer(1), (1 + _y) ** 2, (_y > 0, _y < 1), strict=True, touching={_y: 0}),
    )
    example = counterexample(
        "twoappearances_example",
        r"For instance, let $U = m = 2$ and $x = \frac32$. The probability of $E$ is $\frac{6}{25}$ without "
        r"appearances, and $\frac{24}{625}$ with two.",
        le(start, x**2 * after),
        {universe: 2, m: 2, appearances: 2, x: _BUDGET},
        IN_RANGE,
        lines=(r"\tfrac{6}{25} &> \tfrac94 \cdot \tfrac{24}{625}",),
    )
    unbounded = lemma(
        "unbounded",
        r"Many appearances break every bound.",
        distinct_sampling_is_unbounded(),
        lines=(r"(1+x)^k &\to \infty \quad (k \to \infty)",),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "no bound at all",
        r"For all $m \le U$ and all $\varepsilon > 0$ the loss of the state alone exceeds every bound, and "
        r"$2\varepsilon$ after two appearances. In the formulas $x = e^\varepsilon$ and $K$ is any bound.",
        (ratio, double, example, unbounded, _formula_listed()),
        formal=stated_no_bound(),
    )


def _formula_listed() -> Step:
    budget = Fraction(3, 2)
    return enumerated(
        "formula_listed",
        r"Enumeration of Algorithm 3 with $e^\varepsilon = \frac32$, $m \le U \le 4$, every hash function, every $B$, "
        r"$k \le 2$ and every reading of the listing confirms the ratio.",
        "the ratio is (5/2)^k for k = 1, 2, every m <= U <= 4, hash function, B and reading",
        _seen_without_the_user(),
        lambda seen: all(seen[0] == seen[k] * (1 + budget) ** k for k in (1, 2)),
        # The loss k epsilon.
        mutant=lambda seen: all(seen[0] == seen[k] * budget**k for k in (1, 2)),
        lines=(r"P(E \mid \text{no appearance}) &= \left(\tfrac52\right)^k P(E \mid k)",),
    )


def _seen_without_the_user() -> Iterator[tuple[Fraction, ...]]:
    """``P(E)`` without appearances, with one and with two, for small universes."""
    for users in range(1, 5):
        for size, listing in product(range(1, users + 1), LISTINGS):
            sampler = Sampler(users, size, listing=listing)
            for levels in dict.fromkeys(sampler.hashes):
                distributions = [sampler.state_distribution(levels, (0,) * count) for count in range(3)]
                for others in combinations(range(1, users), size - 1):
                    yield tuple(distribution[0, frozenset(others)] for distribution in distributions)


def seeing_the_level() -> Part:
    """The level reveals more than membership."""
    (none, with_none), (one, with_one) = (_raised(stream)[0] for stream in ((), (0,)))
    level_alone = lemma(
        "level_alone",
        r"Let $U = m = 2$, $e^\varepsilon = \frac32$; one user has level 0, the other, $w$, level 1. $L = 1$ as soon "
        r"as both were members, and then $w$ is left. Without appearances its probability is $\frac25 \cdot \frac25$. "
        r"With one appearance of the user of level 0 it is $1 - \frac{87}{125}$, see below. So the level alone reveals "
        r"more than $e^\varepsilon$ allows. And at $L = 1$ this user does not qualify, and never again will: in $(L, "
        r"\mathcal{M}_{DS}) = (1, \{w\})$ it has no trace but the level, and yet no perfect privacy.",
        (
            computed_value(
                "level_alone",
                "P(L = 1) and P(L = 1, w alone) without and with one appearance; the pairs over all readings",
                lambda: tuple(_raised(stream) for stream in ((), (0,))),
                (((Fraction(4, 25), Fraction(4, 25)),), ((Fraction(38, 125), Fraction(38, 125)),)),
            ),
            _exceeds("level_alone.level", 1, one, none),
            _exceeds("level_alone.state", 1, with_one, with_none),
            # Perfect privacy of a user who does not qualify.
            _exceeds("level_alone.perfect", 0, with_one, with_none),
            *raised(),
            *breaks("level_alone.formula", at_most_times(1, RAISED)),
            *breaks("level_alone.unequal", eq(*RAISED)),
        ),
        lines=(
            r"\frac{P(L = 1,\ \mathcal{M}_{DS} = \{w\} \mid \text{one})}"
            r"{P(L = 1,\ \mathcal{M}_{DS} = \{w\} \mid \text{no appearance})} = "
            r"\frac{38/125}{4/25} = \frac{19}{10} &> \frac32 > 1",
        ),
    )
    apart, joined = (_members_at_level_zero(stream)[0] for stream in ((), (1,)))
    membership = lemma(
        "membership",
        r"Nor do the displayed ratios hold if $L$ is fixed by looking at it. Let $U = m = 2$, $e^\varepsilon = "
        r"\frac32$, and consider the user $v$ of level 0. Without appearances $L = 0$ unless both are added, and $P(v "
        r"\in \mathcal{M}_{DS} \mid L = 0) = \frac{6/25}{21/25}$. With one appearance of $v$, $L = 0$ if the other "
        r"user is no member, or is one and $v$ was added neither time, $\frac35 + \frac25 \cdot \frac35 \cdot \frac25 "
        r"= \frac{87}{125}$; in the first case $v$ is a member with probability $\frac35$.",
        (
            computed_value(
                "membership",
                "P(v is a member, given L = 0) without and with an appearance; the values that occur over all readings",
                lambda: tuple(_members_at_level_zero(stream) for stream in ((), (1,))),
                ((Fraction(2, 7),), (Fraction(15, 29),)),
            ),
            _exceeds("membership.ratio", 1, joined, apart),
            *member(),
            *breaks("membership.formula", at_most_times(1, MEMBER)),
        ),
        lines=(
            r"\frac{P(v \in \mathcal{M}_{DS}(S) \mid L = 0)}{P(v \in \mathcal{M}_{DS}(S') \mid L = 0)} = "
            r"\frac{15/29}{2/7} = \frac{105}{58} &> \frac32 = e^\varepsilon",
        ),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "seeing the level",
        r"The level alone reveals more than $e^\varepsilon$ allows; users below the level have no perfect privacy; and "
        r"the ratios of membership are false given the level that is seen.",
        (level_alone, membership),
        formal=(
            *broken(at_most_times(1, RAISED)),
            *broken(eq(*RAISED)),
            *broken(at_most_times(1, MEMBER)),
        ),
    )


@cache
def _raised(stream: tuple[int, ...]) -> tuple[tuple[Fraction, Fraction], ...]:
    """For two users, ``P(L = 1)`` and ``P(L = 1, w alone)``: the pairs that occur."""
    # The user 0 of this hash function has level 0, the user 1 level 1.
    distributions = [Sampler(2, 2, listing=listing).state_distribution((0, 1), stream) for listing in LISTINGS]
    return tuple(
        dict.fromkeys(
            (level_distribution(distribution)[1], distribution[1, frozenset({1})]) for distribution in distributions
        )
    )


@cache
def _members_at_level_zero(stream: tuple[int, ...]) -> tuple[Fraction, ...]:
    """For two users, the probability that the user of level 0 is a member, given L = 0: the values that occur."""
    found = []
    for listing in LISTINGS:
        distribution = Sampler(2, 2, listing=listing).state_distribution((1, 0), stream)
        inside = sum(
            (chance for (level, members), chance in distribution.items() if level == 0 and 1 in members), Fraction(0)
        )
        found.append(inside / level_distribution(distribution)[0])
    return tuple(dict.fromkeys(found))


def appearances_replaced() -> Part:
    """The same for the other notion of adjacency."""
    outside = (1 - _before) ** (universe - m + 1)
    after = _before ** (m - 1) * outside * (1 - _after) ** appearances
    instead = _before ** (m - 2) * outside * _after
    general = equal_as(
        "replacement_ratio",
        r"Let the appearances of $u$ be those of some $w \in B$ instead, $m \ge 2$. Then $E$ means that the other $m "
        r"- 2$ users in $B$ were added at first, those outside were not, and $w$ is a member after the appearances:",
        (instead / after, x * (1 + x) ** appearances),
        r"\frac{P(E \mid k \text{ times } w)}{P(E \mid k \text{ times } u)} = "
        r"\frac{p_{\mathrm{upd}}}{p_{\mathrm{init}} (1-p_{\mathrm{upd}})^k} &= x(1+x)^k",
    )
    budget = Fraction(3, 2)
    small = lemma(
        "replacement_listed",
        r"This exceeds $x^2$ for $k = 1$. Enumeration with $e^\varepsilon = \frac32$, $2 \le m \le U \le 4$, $k \le "
        r"2$, every hash function and every reading of the listing confirms the ratio; for $k = 1$ it is",
        (
            in_every_case(
                "replacement_listed",
                "the ratio is 3/2 (5/2)^k for every 2 <= m <= U <= 4, k, hash function, B and reading",
                _seen_with_either_user(),
                lambda case: case[0] == case[1] * budget * (1 + budget) ** case[2],
                # The ratio without the factor 3/2.
                mutant=lambda case: case[0] == case[1] * (1 + budget) ** case[2],
            ),
            *counterexample(
                "replacement_listed.one",
                "",
                le(instead, x**2 * after),
                {universe: 2, m: 2, appearances: 1, x: _BUDGET},
                IN_RANGE,
            ).obligations,
        ),
        lines=(r"\tfrac32 \cdot \tfrac52 = \tfrac{15}{4} &> \tfrac94 = e^{2\varepsilon}",),
    )
    return Part(
        Role.READING,
        "appearances replaced",
        r"If streams are adjacent when one user's appearances become another user's, the theorem is false for all "
        r"$2 \le m \le U$.",
        (general, small),
        formal=symbolic(
            eq(instead / after, x * (1 + x) ** appearances),
            gt(x * (1 + x), x**2),
            given=(ge(m, 2), ge(universe, m), gt(x, 1)),
        ),
        holds=False,
    )


def _seen_with_either_user() -> Iterator[tuple[Fraction, Fraction, int]]:
    """``P(E)`` after k appearances of w and after as many of u, and k, for small universes."""
    for users in range(2, 5):
        for size, listing in product(range(2, users + 1), LISTINGS):
            sampler = Sampler(users, size, listing=listing)
            for levels, count in product(dict.fromkeys(sampler.hashes), (1, 2)):
                own, replaced = (sampler.state_distribution(levels, (user,) * count) for user in (0, 1))
                for more in combinations(range(2, users), size - 2):
                    event = (0, frozenset({1, *more}))
                    yield replaced[event], own[event], count
