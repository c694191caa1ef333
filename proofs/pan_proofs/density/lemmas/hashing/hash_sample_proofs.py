"""Parts of the judgement of the hash function: which users qualify at a level, and what that does to an estimate."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from pan_proofs.density.lemmas.hashing.hash_level_proofs import WIDTHS, bits
from pan_proofs.density.lemmas.hashing.linear_hash import (
    Integers,
    class_frequencies,
    every_stream,
    odd_level_table,
    qualifying_numbers,
    sampled_densities,
)
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.relations import eq, ne
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.display import displayed, equal_as
from pan_proofs.ledger.notation import density, universe
from pan_proofs.ledger.steps import counterexample, enumerated, equal, lemma

_level, _rest = sp.symbols("L r", integer=True, nonnegative=True)
_members, _classes = sp.symbols("n N", positive=True, integer=True)
_squares = sp.Symbol("q", nonnegative=True)
_pair = sp.Symbol(r"P(\{0, 2\})")
_least, _most, _mean = sp.symbols("S_least S_most S_mean")
"""The shares of three users that qualify."""
_users, _half = sp.symbols("U n", positive=True, integer=True)
_index = sp.Symbol("i", integer=True)


def exact_fraction() -> Part:
    """In a universe of 2^Q users the fraction is exact."""
    first = sp.Symbol("s", integer=True)
    count = sp.summation(1, (first, 0, 2 ** (bits - _level) - 1))
    counting = equal(
        "multiples",
        r"Level at least $L$ means that $2^L$ divides $h(u)$. $h$ is a bijection, so there are as many such users as "
        r"multiples $2^L s$ in $\{0, \ldots, 2^Q - 1\}$, those with $0 \le s < 2^{Q-L}$; over $U = 2^Q$:",
        r"\frac{1}{U} \left|\{u : \mathrm{hash}(u) \ge L\}\right|",
        count / 2**bits,
        2 ** (-_level),
    )
    listed = enumerated(
        "fraction_listed",
        r"By counting, for all functions with odd $a$ and all levels, $1 \le Q \le 8$.",
        "for every function with an odd multiplier 2^(Q-L) users qualify, 1 <= Q <= 8, 0 <= L <= Q",
        _widths_and_levels(),
        lambda case: qualifying_numbers(*case) == {2 ** (case[0] - case[1])},
        mutant=lambda case: qualifying_numbers(*case) == {2 ** (case[0] - case[1]) - 1},
        lines=(r"\left|\{u : \mathrm{hash}(u) \ge L\}\right| &= 2^{Q-L}",),
    )
    return Part(
        Role.PUBLISHED,
        "the fraction that qualifies",
        r"For $U = 2^Q$ and each hash function with odd $a$, exactly $2^{Q-L}$ users have a level of at least $L$.",
        (counting, listed),
        formal=symbolic(eq(count / 2**bits, 2 ** (-_level))),
    )


def _widths_and_levels() -> tuple[tuple[int, int], ...]:
    return tuple((width, level) for width in WIDTHS for level in range(width + 1))


def other_universes() -> Part:
    """In a universe of another size the fraction holds in expectation only."""
    step = lemma(
        "three_users",
        r"Algorithm 3 asks for $U \le 2^Q$ only. Let $U = 3$, $Q = 2$, $L = 1$. Of the users 0, 1, 2 either 0 and 2 "
        r"qualify, or 1 alone: a share of $\frac23$ or $\frac13$. Only the mean is $\frac12$.",
        (
            computed_value(
                "three_users",
                "the shares that occur, in order, and their mean, over all hash functions with Q = 2",
                lambda: (*_shares(2, 3, 1), _mean_share(2, 3, 1)),
                (Fraction(1, 3), Fraction(2, 3), Fraction(1, 2)),
                quantities=(_least, _most, _mean),
            ),
            *counterexample(
                "three_users.exact",
                "",
                eq(_members / universe, 2 ** (-_level)),
                {_members: 3 * _shares(2, 3, 1)[0], universe: 3, _level: 1},
            ).obligations,
        ),
        lines=(r"\tfrac13 < 2^{-L} &= \tfrac12 < \tfrac23",),
    )
    in_mean = enumerated(
        "mean_share",
        r"In general each user qualifies with probability $2^{-L}$, which then is the mean share. By counting for "
        r"$U \le 16$ and $Q = 4$:",
        "the mean share is 2^-L over all functions with Q = 4, 1 <= U <= 16, 0 <= L <= 4",
        ((users, level) for users in range(1, 17) for level in range(5)),
        lambda case: _mean_share(4, *case) == Fraction(1, 2 ** case[1]),
        # The distribution of one level, in place of all levels from it on.
        mutant=lambda case: _mean_share(4, *case) == Fraction(1, 2 ** (case[1] + 1)),
        lines=(r"\frac{1}{U}\, \mathbb{E}\left[|\{u : \mathrm{hash}(u) \ge L\}|\right] &= 2^{-L}",),
    )
    return Part(
        Role.READING,
        "universes whose size is no power of two",
        r"For other $U \le 2^Q$ the share is $2^{-L}$ in expectation only. "
        r"In the formulas $S_{\mathrm{least}}$, $S_{\mathrm{most}}$ and $S_{\mathrm{mean}}$ are "
        r"the least share, the largest one and the mean over the offsets, for $U = 3$ and $Q = "
        r"2$.",
        (step, in_mean, _inclusion("inclusion_in_mean")),
        formal=(
            *symbolic(
                ne(_least, 2 ** (-_level)),
                ne(_most, 2 ** (-_level)),
                eq(_mean, 2 ** (-_level)),
                where={_level: 1},
            ),
            *_stated_inclusion(),
        ),
        holds=False,
    )


def _shares(width: int, users: int, level: int) -> tuple[Fraction, ...]:
    """The shares of the users who qualify that occur, in order."""
    numbers = np.count_nonzero(odd_level_table(width)[:, :users] >= level, axis=1)
    return tuple(Fraction(int(number), users) for number in np.unique(numbers))


def _mean_share(width: int, users: int, level: int) -> Fraction:
    table = odd_level_table(width)[:, :users]
    return Fraction(int(np.count_nonzero(table >= level)), table.size)


def equally_likely() -> Part:
    """Every user is equally likely to qualify."""
    return Part(
        Role.PUBLISHED,
        "each user is equally likely",
        r"Each user qualifies with probability $2^{-L}$, $0 \le L \le Q$.",
        (_inclusion(),),
        formal=_stated_inclusion(),
    )


def _inclusion(name: str = "inclusion") -> Step:
    return displayed(
        equal(
            name,
            r"Sum the distribution of one level from $L$ on, with $Q = L + r$ for a whole number $r \ge 0$.",
            "",
            lambda: (
                sp.summation(sp.Rational(1, 2) ** (_index + 1), (_index, _level, _level + _rest - 1))
                + 2 ** (-_level - _rest)
            ),
            2 ** (-_level),
        ),
        r"P(\mathrm{hash}(u) \ge L) = \sum_{i=L}^{Q-1} 2^{-(i+1)} + 2^{-Q} &= 2^{-L}",
    )


def _stated_inclusion() -> tuple[str, ...]:
    """The probability with which a user qualifies, formally."""
    return symbolic(eq(sp.Symbol(r"P(\mathrm{hash}(u) \ge L)"), 2 ** (-_level)))


def not_every_subset() -> Part:
    """The users who qualify are not a uniformly random subset."""
    step = lemma(
        "two_subsets",
        r"Let $Q = 2$ and $L = 1$. Two of four users qualify. A uniformly random half would be each of the six pairs "
        r"with probability $\frac16$. But $h(u) = au + b$ with odd $a$ is even exactly if $u + b$ is: only $\{0, 2\}$ "
        r"and $\{1, 3\}$ occur, each with probability $\frac12$.",
        (
            computed_value(
                "two_subsets",
                "the sets of qualifying users that occur, with their probabilities, over all hash functions with Q = 2",
                _qualifying_sets,
                (((0, 2), Fraction(1, 2)), ((1, 3), Fraction(1, 2))),
            ),
            *counterexample(
                "two_subsets.uniform",
                "",
                eq(_pair, 1 / sp.binomial(_users, _half)),
                {_pair: dict(_qualifying_sets())[0, 2], _users: 4, _half: 2},
            ).obligations,
        ),
        lines=(r"P(\{0, 2\}) = \tfrac12 &\ne \tfrac16",),
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "not a uniformly random half",
        r"The users who remain after the level is raised are not a uniformly random half of those before.",
        (step,),
        formal=symbolic(ne(_pair, 1 / sp.binomial(_users, _half)), where={_users: 4, _half: 2}),
    )


def _qualifying_sets() -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    """The sets of users of at least level 1 that occur for Q = 2, each with its probability."""
    table = odd_level_table(2) >= 1
    sets = Counter(tuple(int(user) for user in np.flatnonzero(row)) for row in table)
    return tuple((one, Fraction(times, len(table))) for one, times in sorted(sets.items()))


def residue_class() -> Part:
    """The distribution of the sample, and the variance of its density."""
    return Part(
        Role.AMENDED,
        "a systematic sample",
        r"The users of level at least $L$ are one residue class modulo $2^L$, each of the $2^L$ classes with "
        r"probability $2^{-L}$. Let $U = 2^Q$, and $d_c$ the density of the stream within the class $c$. Then "
        r"$d(\mathcal{S}_M)$ is unbiased for $d = d(S)$, and its variance over the hash function is that of $d_c$ "
        r"over the classes. It may be $\frac14$ for any number $n = 2^{Q-L}$ of sampled users, or 0.",
        (_class_step(), *_variance_steps(), _variances_listed(), _even_users(), _first_half()),
        formal=symbolic(eq(sp.Symbol("Var"), _squares / _classes - density**2)),
    )


def _class_step() -> Step:
    return enumerated(
        "classes",
        r"Let $h(u)$ be divisible by $2^L$. By the first part $h(v)$ is divisible by $2^L$ too if and only if $u - v$ "
        r"is. So the set is a residue class. Adding 1 to every id and taking $a$ from $b$ leaves the values as they "
        r"are and moves the class by 1. As $b$ is uniform, all classes are equally likely. For $1 \le Q \le 8$ by "
        r"counting:",
        "each residue class modulo 2^L, and no other set, is that of the qualifying users with probability 2^-L, "
        "1 <= Q <= 8, 0 <= L <= Q",
        _widths_and_levels(),
        lambda case: class_frequencies(*case) == (Fraction(1, 2 ** case[1]),) * 2 ** case[1],
        mutant=lambda case: class_frequencies(*case) == (Fraction(1, 2 ** (case[1] + 1)),) * 2 ** case[1],
        lines=(r"P\left(\{u : \mathrm{hash}(u) \ge L\} = c + 2^L \mathbb{Z}\right) &= 2^{-L}",),
    )


def _variance_steps() -> tuple[Step, ...]:
    # Sums over the N classes c: sum d_c = N d and sum d_c^2 = q.
    single = 1 / _classes
    in_class, in_all = _members**2 * _squares, (_members * _classes * density) ** 2
    pairs = (single * in_class - single**2 * in_all) / _members**2
    spread = (_squares - 2 * density * (_classes * density) + _classes * density**2) / _classes
    variance = equal_as(
        "variance",
        r"Let $N = 2^L$ and $q = \sum_c d_c^2$. A user qualifies with probability $\frac1N$; two users do with "
        r"probability $\frac1N$ in the same class and 0 otherwise. The pairs of appearing users in one class number "
        r"$\sum_c (n d_c)^2 = n^2 q$, all pairs $(nNd)^2$. So $\frac{1}{n^2}$ times the variance of the number of "
        r"qualifying users who appear is as follows, and is the variance $\frac1N \sum_c (d_c - d)^2$ over the "
        r"classes.",
        (pairs, _squares / _classes - density**2, spread),
        r"\mathrm{Var}(d(\mathcal{S}_M)) &= \frac{1}{n^2} \left(\frac{n^2 q}{N} - \frac{(nNd)^2}{N^2}\right) = "
        r"\frac{q}{N} - d^2",
        r"&= \frac1N \left(q - 2d \cdot Nd + Nd^2\right) = \frac1N \sum_c (d_c - d)^2",
    )
    users = _members * _classes
    both = density * (density * users - 1) / (users - 1)
    simple = equal_as(
        "simple",
        r"For comparison: $n$ users sampled without replacement, by the probabilities that one and two draws are of "
        r"appearing users.",
        (
            (_members * (density - density**2) + _members * (_members - 1) * (both - density**2)) / _members**2,
            density * (1 - density) / _members * (users - _members) / (users - 1),
        ),
        r"\mathrm{Var}_{\mathrm{simple}}(d(\mathcal{S}_M)) &= \frac{d - d^2}{n} + \frac{n-1}{n} "
        r"\left(d\,\frac{dU-1}{U-1} - d^2\right)",
        r"&= \frac{d(1-d)}{n} \cdot \frac{U-n}{U-1}",
    )
    return variance, simple


def _variances_listed() -> Step:
    return enumerated(
        "variances_listed",
        r"Mean and variance by counting, for every set of appearing users and every hash function, $1 \le Q \le 4$.",
        "for every set of appearing users d(S_M) has the stated mean and variance over all functions, 1 <= Q <= 4, "
        "0 <= L <= Q",
        ((width, level) for width in range(1, 5) for level in range(width + 1)),
        lambda case: _variances_agree(*case, apart=True),
        # Classes of neighbouring ids, in place of residue classes.
        mutant=lambda case: _variances_agree(*case, apart=False),
        lines=(r"\mathbb{E}[d(\mathcal{S}_M)] &= d",),
    )


def _variances_agree(width: int, level: int, *, apart: bool) -> bool:
    """Mean and variance over the functions against those over the classes, in whole numbers.

    The users of a class lie ``2^level`` apart, or side by side.
    """
    streams = every_stream(2**width)
    hits = sampled_densities(width, level, streams)
    in_class: Integers = (
        streams.reshape(len(streams), -1, 2**level).sum(axis=1)
        if apart
        else streams.reshape(len(streams), 2**level, -1).sum(axis=2)
    )
    functions, classes = hits.shape[1], 2**level
    appeared = streams.sum(axis=1)
    mean = (hits.sum(axis=1) * classes == appeared * functions).all()
    # N sum_c (n d_c)^2 - (sum_c n d_c)^2, against the same over the functions.
    over_classes = classes * (in_class**2).sum(axis=1) - in_class.sum(axis=1) ** 2
    over_functions = functions * (hits**2).sum(axis=1) - hits.sum(axis=1) ** 2
    return bool(mean and (over_functions * classes**2 == over_classes * functions**2).all())


def _even_users() -> Step:
    def variance() -> sp.Expr:
        # Half of the N classes have density 1, half have density 0.
        one_class = sp.Symbol("c", integer=True)
        halves = ((sp.S.One, (one_class, 1, _classes / 2)), (sp.S.Zero, (one_class, _classes / 2 + 1, _classes)))
        first, second = (sum(sp.summation(value**power, where) for value, where in halves) for power in (1, 2))
        return (_squares / _classes - density**2).subs({_squares: second, density: first / _classes})

    return displayed(
        equal(
            "even_users",
            r"If just the users with even ids appear and $L \ge 1$, half of the classes have density 1 and half "
            r"density 0: the estimate $d(\mathcal{S}_M)$ is 0 or 1, whatever $n$ is. Sampling without replacement "
            r"would have $\frac{1}{4n} \cdot \frac{U-n}{U-1}$.",
            "",
            variance,
            sp.Rational(1, 4),
        ),
        r"\mathrm{Var}(d(\mathcal{S}_M)) = \frac{1}{N} \cdot \frac{N}{2} - \left(\frac12\right)^2 &= \frac14",
    )


def _first_half() -> Step:
    ids = np.arange(2**4)
    return enumerated(
        "first_half",
        r"If the first half of the ids appear and $L < Q$, each class has density $\frac12$, and the variance is 0. "
        r"Order in the ids decides; only ids assigned at random would make it that of sampling without replacement.",
        "the number of qualifying users who appear is n/2 for every function, Q = 4, 0 <= L < Q",
        range(4),
        lambda level: _half_appear(level, ids < 8),
        # The even ids, in place of the first half.
        mutant=lambda level: _half_appear(level, ids % 2 == 0),
        lines=(r"\mathrm{Var}(d(\mathcal{S}_M)) &= 0",),
    )


def _half_appear(level: int, appeared: NDArray[np.bool_]) -> bool:
    """Whether for every function half of the users of at least this level appear, for Q = 4."""
    numbers = sampled_densities(4, level, appeared.astype(np.int64)[None, :])[0]
    return bool((2 * numbers == 2 ** (4 - level)).all())
