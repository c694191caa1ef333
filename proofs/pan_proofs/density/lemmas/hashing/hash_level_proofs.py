"""Parts of the judgement of the hash function: the bijection, the distribution of one level, and that of two levels."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.hashing.linear_hash import (
    joint_level_distribution,
    joint_level_frequencies,
    level_distribution,
    level_frequencies,
    pair_probability,
)
from pan_proofs.engines.computations import computed_value, in_every_case
from pan_proofs.engines.relations import eq, ne
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import counterexample, enumerated, equal, lemma

WIDTHS = range(1, 9)
"""The exponents Q for which everything is gone through; for Q = 0 the source has no multiplier."""

bits, level, other, valuation = sp.symbols("Q i j k", integer=True, nonnegative=True)
_r, _s, _n, _y = sp.symbols("r s n y", integer=True)
_x = sp.Symbol("X", integer=True)
_multiplier = sp.Symbol("a", integer=True, positive=True)
_size = sp.Symbol("N", positive=True, integer=True)
_both, _one, _another = sp.symbols("P_uv P_u P_v")
"""The probabilities that both users have level 0, and that each has."""
_last = sp.Symbol(r"P(\mathrm{hash}(0) = Q)")


def levels_below_last() -> Part:
    """The distribution of one level, for every level but the last."""
    count = sp.summation(1, (_s, 0, 2 ** (bits - level - 1) - 1))
    distribution = equal(
        "count",
        r"For fixed $a$, adding a uniform $b$ makes $h(u)$ uniform on $\{0, \ldots, 2^Q-1\}$. For $i < Q$ the numbers "
        r"there with exactly $i$ trailing zeros are $2^i(2s+1)$ with $0 \le s < 2^{Q-i-1}$.",
        r"P(\mathrm{hash}(u) = i)",
        count / 2**bits,
        2 ** (-level - 1),
    )
    listed = enumerated(
        "levels_listed",
        r"Counting gives the same, for every user and all hash functions, $1 \le Q \le 8$; the last level included.",
        "every user has level i with the stated probability, over all functions with odd multipliers, 1 <= Q <= 8, "
        "0 <= i <= Q",
        ((width, one) for width in WIDTHS for one in range(width + 1)),
        lambda case: level_frequencies(*case) == {level_distribution(*case)},
        # As printed, also for the last level.
        mutant=lambda case: level_frequencies(*case) == {Fraction(1, 2 ** (case[1] + 1))},
        lines=(r"P(\mathrm{hash}(u) = i) &= 2^{-(i+1)},\ i < Q",),
    )
    return Part(
        Role.PUBLISHED,
        "levels below the last",
        r"For every user $u$ and every $i \in \{0, \ldots, Q-1\}$: $P(\mathrm{hash}(u) = i) = 2^{-(i+1)}$.",
        (distribution, listed),
        formal=symbolic(eq(count / 2**bits, 2 ** (-level - 1))),
    )


def last_level() -> Part:
    """The printed value for the last level is false."""
    printed = sp.summation(sp.Rational(1, 2) ** (level + 1), (level, 0, bits))
    total = equal(
        "printed_total",
        r"The printed values are no distribution on $\{0, \ldots, Q\}$, whatever is meant by the trailing zeros of 0.",
        r"\sum_{i=0}^{Q} 2^{-(i+1)}",
        printed,
        1 - 2 ** (-bits - 1),
    )
    against_one = counterexample(
        "not_one",
        r"With $Q = 1$ there are the levels 0 and 1, and their printed probabilities $\frac12$ and $\frac14$ do not "
        r"sum to 1.",
        eq(printed, 1),
        {bits: 1},
        lines=(r"\tfrac12 + \tfrac14 = \tfrac34 &\ne 1",),
    )
    by_hand = lemma(
        "one_bit",
        r"Indeed $Q = 1$ leaves $a = 1$ and $b \in \{0, 1\}$. User 0 has the value $b$, hence level 1 for $b = 0$.",
        (
            computed_value(
                "one_bit",
                "P(user 0 has level 1), over the two hash functions with Q = 1",
                _last_level_of_one_bit,
                Fraction(1, 2),
            ),
            *counterexample(
                "one_bit.printed",
                "",
                eq(_last, 2 ** (-bits - 1)),
                {_last: _last_level_of_one_bit(), bits: 1},
            ).obligations,
        ),
        lines=(r"P(\mathrm{hash}(0) = 1) = \tfrac12 &\ne \tfrac14 = 2^{-(Q+1)}",),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "the last level",
        r"For $i = Q$ the probability is not $2^{-(Q+1)}$.",
        (total, against_one, by_hand),
        formal=(
            *symbolic(ne(_last, 2 ** (-bits - 1)), where={bits: 1}),
            *symbolic(ne(1 - 2 ** (-bits - 1), 1)),
        ),
    )


def _last_level_of_one_bit() -> Fraction:
    return pair_probability(1, (0, 0), (1, 1))


def dependence() -> Part:
    """Levels of different users are not independent."""
    step = lemma(
        "two_users",
        r"Let $Q = 1$: for $b = 0$ the users 0 and 1 have levels 1 and 0, for $b = 1$ levels 0 and 1. They never both "
        r"have level 0. For larger $Q$ the same holds for any two users with $u - v$ odd, of whose values one is even.",
        (
            computed_value(
                "two_users",
                "P(both have level 0), P(user 0 has level 0), P(user 1 has level 0), over all functions with Q = 1",
                _level_zero_of_one_bit,
                (Fraction(0), Fraction(1, 2), Fraction(1, 2)),
            ),
            *counterexample(
                "two_users.independent",
                "",
                eq(_both, _one * _another),
                dict(zip((_both, _one, _another), _level_zero_of_one_bit(), strict=True)),
            ).obligations,
        ),
        lines=(
            r"P(\mathrm{hash}(0) = 0,\ \mathrm{hash}(1) = 0) &= 0",
            r"P(\mathrm{hash}(0) = 0)\, P(\mathrm{hash}(1) = 0) &= \tfrac14",
        ),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "independence over users",
        r"The levels of different users are not independent, not even in pairs. "
        r"In the formula $P_{uv}$ is the probability that two users both have level $0$, and "
        r"$P_u$ and $P_v$ are those of one of them, for $Q = 1$.",
        (step,),
        formal=symbolic(ne(_both, _one * _another)),
    )


def _level_zero_of_one_bit() -> tuple[Fraction, ...]:
    """The probability of level 0 for the users 0 and 1 together, and for each of them."""
    return tuple(pair_probability(1, (one, another), (0, 0)) for one, another in ((0, 1), (0, 0), (1, 1)))


def amended_distributions() -> Part:
    """The true distribution of one level, and of two."""
    return Part(
        Role.AMENDED,
        "the distributions of one level and of two",
        r"Read the number of trailing zeros of 0 as $Q$. Then $P(\mathrm{hash}(u) = i) = 2^{-(i+1)}$ for $i < Q$, and "
        r"$2^{-Q}$ for $i = Q$. For $u \ne v$ let $k < Q$ be the number of trailing zeros of $|u-v|$. The levels of "
        r"$u$ and $v$ are both $i$ with probability $2^{-(i+1)}$, for each $i < k$. They are $k$ and $j$, and again "
        r"$j$ and $k$, with probability $P(\mathrm{hash}(u) = j)$, for each $j > k$. No other pair of levels occurs. "
        r"This holds for each odd $a$, for uniform $b$.",
        (_distribution_sums_to_one(), *_sums_of_valuations(), _joint_total(), _joint_listed()),
        formal=_stated_distributions(),
    )


def _stated_distributions() -> tuple[str, ...]:
    """The distribution of one level adds up to 1; which levels go together; and all pairs of levels add up to 1."""
    one = 2**level * (2 * _s + 1)
    difference = 2**valuation * (2 * _r + 1)
    return (
        *symbolic(eq(sp.Symbol(r"\sum_{i=0}^{Q} P(\mathrm{hash}(u) = i)"), 1)),
        *symbolic(
            eq(one + difference, 2**level * (2 * (_s + 2 ** (valuation - level - 1) * (2 * _r + 1)) + 1)),
            given=(level < valuation,),
        ),
        *symbolic(
            eq(2 ** (valuation + 1) * _s + difference, 2**valuation * (2 * (_s + _r) + 1)),
            eq(one.subs(level, valuation) + difference, 2 ** (valuation + 1) * (_s + _r + 1)),
        ),
        *symbolic(eq(2 * 2 ** (-valuation - 1) + 1 - 2 ** (-valuation), 1)),
    )


def _distribution_sums_to_one() -> Step:
    return equal(
        "distribution_total",
        r"Consider the last level: $h(u)$ is uniform on $2^Q$ numbers, of which only 0 has level $Q$. With the levels "
        r"below:",
        r"\sum_{i=0}^{Q-1} 2^{-(i+1)} + 2^{-Q}",
        lambda: sp.summation(sp.Rational(1, 2) ** (level + 1), (level, 0, bits - 1)) + 2 ** (-bits),
        sp.Integer(1),
    )


def _sums_of_valuations() -> tuple[Step, ...]:
    one = 2**level * (2 * _s + 1)
    difference = 2**valuation * (2 * _r + 1)
    j = sp.Symbol("j", integer=True)
    multiple = (2 * _n + 1) * 2**valuation * (2 * j + 1)
    return (
        equal(
            "difference",
            r"Two lemmas about valuations follow. We have $h(v) \equiv h(u) + a(v-u)$. For $a = 2n+1$ and $v - u = "
            r"2^k(2j+1)$ the product $a(v-u)$ is $2^k$ times an odd number $2r+1$ again.",
            r"a(v-u)",
            multiple,
            2**valuation * (2 * (2 * _n * j + _n + j) + 1),
        ),
        equal(
            "reduction",
            r"Reduction modulo $2^Q$ keeps valuations below $Q$: a multiple of $2^Q$ added to $2^i(2s+1)$, $i < Q$, "
            r"leaves $2^i$ times an odd number.",
            r"2^i(2s+1) + 2^Q n",
            one + 2**bits * _n,
            2**level * (2 * (_s + 2 ** (bits - level - 1) * _n) + 1),
        ),
        equal(
            "below",
            r"If $u$ has level $i < k$, then so has $v$. So $P(i, i) = P(\mathrm{hash}(u) = i)$, and $i$ goes with no "
            r"other level.",
            r"2^i(2s+1) + 2^k(2r+1)",
            one + difference,
            2**level * (2 * (_s + 2 ** (valuation - level - 1) * (2 * _r + 1)) + 1),
        ),
        equal(
            "above",
            r"If $u$ has a level $j > k$, then $h(u) = 2^{k+1}s$ for some $s$, and $v$ has level $k$. So $P(j, k) = "
            r"P(\mathrm{hash}(u) = j)$, and $j$ goes with no other level. Exchanging $u$ and $v$ gives $P(k, j)$.",
            r"2^{k+1}s + 2^k(2r+1)",
            2 ** (valuation + 1) * _s + difference,
            2**valuation * (2 * (_s + _r) + 1),
        ),
        equal(
            "same",
            r"If $u$ has level $k$, then $v$ has a level above $k$. So $P(k, k) = 0$.",
            r"2^k(2s+1) + 2^k(2r+1)",
            one.subs(level, valuation) + difference,
            2 ** (valuation + 1) * (_s + _r + 1),
        ),
    )


def _joint_total() -> Step:
    lower = sp.summation(sp.Rational(1, 2) ** (level + 1), (level, 0, valuation - 1))
    # There are Q - k - 1 levels between k and Q.
    between = sp.Symbol("m", integer=True, nonnegative=True)
    sum_between = sp.summation(sp.Rational(1, 2) ** (other + 1), (other, valuation + 1, valuation + between))
    upper = sum_between.subs(between, bits - valuation - 1) + 2 ** (-bits)
    return equal_as(
        "joint_total",
        r"Check: all pairs of levels together have probability 1.",
        (lower + 2 * upper, sp.S.One),
        r"\sum_{i<k} 2^{-(i+1)} + 2 \sum_{k<j<Q} 2^{-(j+1)} + 2 \cdot 2^{-Q} &= 1",
    )


def _joint_listed() -> Step:
    return lemma(
        "joint_listed",
        r"Counting gives the same, for $1 \le Q \le 8$: all odd $a$, all $b$, all pairs of users and of levels. With "
        r"$Q = 3$ and $k = 1$:",
        (
            in_every_case(
                "joint_listed",
                "all pairs of users with v - u = 2^k times an odd number (or 0, k = Q) have the levels i <= j with the "
                "stated probability, over all functions with odd multipliers, 1 <= Q <= 8, every k, i and j",
                ((width, *key, chances) for width in WIDTHS for key, chances in joint_level_frequencies(width).items()),
                _joint_as_stated,
                mutant=_joint_independent,
            ),
            computed_value(
                "joint_listed.example",
                "the pairs of levels that the users 0 and 2 have for Q = 3, with their probabilities",
                lambda: tuple(
                    (pair, chance)
                    for pair in product(range(4), range(4))
                    if (chance := pair_probability(3, (0, 2), pair))
                ),
                (
                    ((0, 0), Fraction(1, 2)),
                    ((1, 2), Fraction(1, 8)),
                    ((1, 3), Fraction(1, 8)),
                    ((2, 1), Fraction(1, 8)),
                    ((3, 1), Fraction(1, 8)),
                ),
            ),
        ),
        lines=tuple(
            rf"P{pair} &= \tfrac{{{chance.numerator}}}{{{chance.denominator}}}"
            for pair, chance in sorted(joint_level_distribution(3, 1).items())
        ),
    )


_Joint = tuple[int, int, int, int, set[Fraction]]
"""Q, the trailing zeros of the difference, the two levels, and the probabilities that occur."""


def _joint_as_stated(case: _Joint) -> bool:
    width, zeros, one, another, chances = case
    return chances == {joint_level_distribution(width, zeros).get((one, another), Fraction(0))}


def _joint_independent(case: _Joint) -> bool:
    width, _, one, another, chances = case
    return chances == {level_distribution(width, one) * level_distribution(width, another)}
