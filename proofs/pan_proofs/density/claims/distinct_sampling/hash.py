"""The hash function of distinct sampling, section 5.1 of the paper."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import sympy as sp

from pan_proofs.density.lemmas.distinct_sampling import (
    hash_functions,
    joint_level_distribution,
    level_distribution,
    pair_law,
    trailing_zeros,
)
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.relations import eq, ge, le, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import density, universe
from pan_proofs.ledger.steps import counterexample, enumerated, equal, lemma, related

_WIDTHS = range(1, 6)
"""The exponents Q for which everything is gone through; for Q = 0 the source has no multiplier."""
_MOST = 8

bits, level, other, valuation = sp.symbols("Q i j k", integer=True, nonnegative=True)
_least, _rest = sp.symbols("L r", integer=True, nonnegative=True)
_r, _s, _n, _index = sp.symbols("r s n i", integer=True)
_multiplier = sp.Symbol("a", integer=True, positive=True)
_offset = sp.Symbol("b", integer=True, nonnegative=True)
_size = sp.Symbol("N", positive=True, integer=True)
_half, _quarter = sp.Rational(1, 2), sp.Rational(1, 4)
_both, _one, _another = sp.symbols("P_uv P_u P_v")
"""The probabilities that both users have level 0, and that each has."""
_last = sp.Symbol(r"P(\mathrm{hash}(0) = Q)")
_members, _classes = sp.symbols("n N", positive=True, integer=True)
_squares = sp.Symbol("q", nonnegative=True)
_pair = sp.Symbol(r"P(\{0, 2\})")
_shares = sp.symbols("S_least S_most S_mean")
"""The shares of three users that qualify."""
_users, _sample = sp.symbols("U n", positive=True, integer=True)
_sets = sp.Symbol("n_S")
_ratio = sp.Symbol("C", positive=True)


def fm_hash() -> Claim:
    """The hash function as printed, part by part."""
    return Claim(
        id="density.fm_hash",
        title="The hash function of distinct sampling",
        references=(Reference("paper", "section 5.1"),),
        statement=r"Let $U = 2^Q$, $h(u) = (au + b) \bmod 2^Q$ with $a$ odd and $b$ uniform, and $\mathrm{hash}(u)$ "
        r"the number of trailing zeros of $h(u)$. Then $h$ is a bijection; $P(\mathrm{hash}(u) = i) = 2^{-(i+1)}$ for "
        r"every $i \in \{0, \ldots, Q\}$, independently over users; a fraction $2^{-L}$ of the users has a level of "
        r"at least $L$; and these are a uniform sample. To store the ids of a set of users explicitly needs $O(U)$ "
        r"space.",
        notation=(
            (r"$\mathrm{Var}_{\mathrm{simple}}$", "variance for a sample drawn without replacement"),
            (r"$X$, $y$; $j$, $n$, $r$, $s$", r"whole numbers"),
        ),
        hypotheses=(
            r"$U = 2^Q$, $Q \ge 1$",
            r"$a$ uniform on the odd numbers below $2^Q$, $b$ uniform on $\{0, \ldots, 2^Q-1\}$, independent",
        ),
        silent=(
            r"The trailing zeros of 0 are not defined. That they are $Q$ is our convention, as the levels of the "
            r"source go up to $Q$. The bijection and the sum of the printed values do not depend on it. The "
            r"distribution below "
            r"the level $Q$, the dependence of two levels and the users of level at least $L$ need only that they are "
            r"not fewer than $Q$. The probability of the level $Q$ in the counterexample with $Q = 1$, and the amended "
            r"distributions of one level and of two where the level $Q$ occurs, with their enumerations, need that "
            r"they are "
            r"$Q$.",
            r"$Q \ge 1$: for $Q = 0$ there is no multiplier among $1, \ldots, 2^Q - 1$.",
            r"User ids are integers; they only matter modulo $2^Q$.",
            r"Algorithm 3 asks only for $U \le 2^Q$; the fraction is then judged in a part of its own.",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "an odd multiplier gives a bijection",
                r"For every $Q \ge 1$, every odd $a$ and every $b$, $h(u) = (au + b) \bmod 2^Q$ permutes $\{0, \ldots, "
                r"2^Q-1\}$.",
                (),
                theorems=("injective", "onto"),
            ),
            _levels_below_last(),
            _last_level(),
            _dependence(),
            _amended_distributions(),
            _other_hash_functions(),
            _exact_fraction(),
            _other_universes(),
            Part(
                Role.PUBLISHED,
                "each user is equally likely",
                r"Each user qualifies with probability $2^{-L}$, $0 \le L \le Q$.",
                (_inclusion(),),
                formal=_stated_inclusion(),
                theorems=("offsets",),
            ),
            _not_every_subset(),
            _residue_class(),
            _space_of_ids(),
            _as_a_list(),
        ),
        remark=r"The multiplier does not matter for any of this: with $a = 1$ the qualifying users are a residue "
        r"class as well. Where ids are assigned in an order that goes with behaviour, the ids should first be "
        r"permuted at random.",
    )


def _levels_below_last() -> Part:
    count = sp.summation(1, (_s, 0, 2 ** (bits - level - 1) - 1)) / 2**bits
    return derived(
        Role.PUBLISHED,
        "levels below the last",
        r"For every user $u$ and every $i \in \{0, \ldots, Q-1\}$: $P(\mathrm{hash}(u) = i) = 2^{-(i+1)}$.",
        equal(
            "count",
            r"For fixed $a$, adding a uniform $b$ makes $h(u)$ uniform on $\{0, \ldots, 2^Q-1\}$. For $i < Q$ the "
            r"numbers there with exactly $i$ trailing zeros are $2^i(2s+1)$ with $0 \le s < 2^{Q-i-1}$.",
            r"P(\mathrm{hash}(u) = i)",
            count,
            2 ** (-level - 1),
        ),
    )


def _last_level() -> Part:
    return Part(
        Role.COUNTEREXAMPLE,
        "the last level",
        r"For $i = Q$ the probability is not $2^{-(Q+1)}$.",
        (
            equal(
                "printed_total",
                r"The printed values are no distribution on $\{0, \ldots, Q\}$, whatever is meant by the trailing "
                r"zeros of 0.",
                r"\sum_{i=0}^{Q} 2^{-(i+1)}",
                lambda: sp.summation(_half ** (level + 1), (level, 0, bits)),
                1 - 2 ** (-bits - 1),
            ),
            counterexample(
                "one_bit",
                r"Indeed $Q = 1$ leaves $a = 1$ and $b \in \{0, 1\}$. User 0 has the value $b$, hence level 1 for "
                r"$b = 0$.",
                eq(_last, 2 ** (-bits - 1)),
                {_last: lambda: pair_law(1, 0, 0)[1, 1], bits: 1},
                lines=(r"P(\mathrm{hash}(0) = 1) = \tfrac12 &\ne \tfrac14 = 2^{-(Q+1)}",),
            ),
        ),
        formal=(
            *symbolic(ne(_last, 2 ** (-bits - 1)), where={bits: 1}),
            *symbolic(ne(1 - 2 ** (-bits - 1), 1)),
        ),
    )


def _dependence() -> Part:
    pairs = {_both: (0, 1), _one: (0, 0), _another: (1, 1)}
    return derived(
        Role.COUNTEREXAMPLE,
        "independence over users",
        r"The levels of different users are not independent, not even in pairs. "
        r"In the formula $P_{uv}$ is the probability that two users both have level $0$, and "
        r"$P_u$ and $P_v$ are those of one of them, for $Q = 1$.",
        counterexample(
            "two_users",
            r"Let $Q = 1$: for $b = 0$ the users 0 and 1 have levels 1 and 0, for $b = 1$ levels 0 and 1. They "
            r"never both have level 0. For larger $Q$ the same holds for any two users with $u - v$ odd, of whose "
            r"values one is even.",
            eq(_both, _one * _another),
            {chance: pair_law(1, *pair).get((0, 0), Fraction(0)) for chance, pair in pairs.items()},
            lines=(
                r"P(\mathrm{hash}(0) = 0,\ \mathrm{hash}(1) = 0) &= 0",
                r"P(\mathrm{hash}(0) = 0)\, P(\mathrm{hash}(1) = 0) &= \tfrac14",
            ),
        ),
    )


def _amended_distributions() -> Part:
    one, difference = 2**level * (2 * _s + 1), 2**valuation * (2 * _r + 1)
    j = sp.Symbol("j", integer=True)
    below, above, same = (
        (one + difference, 2**level * (2 * (_s + 2 ** (valuation - level - 1) * (2 * _r + 1)) + 1)),
        (2 ** (valuation + 1) * _s + difference, 2**valuation * (2 * (_s + _r) + 1)),
        (one.subs(level, valuation) + difference, 2 ** (valuation + 1) * (_s + _r + 1)),
    )
    rows = (
        (
            "difference",
            r"Two lemmas about valuations follow. We have $h(v) \equiv h(u) + a(v-u)$. For $a = 2n+1$ and $v - u = "
            r"2^k(2j+1)$ the product $a(v-u)$ is $2^k$ times an odd number $2r+1$ again.",
            r"a(v-u)",
            ((2 * _n + 1) * 2**valuation * (2 * j + 1), 2**valuation * (2 * (2 * _n * j + _n + j) + 1)),
        ),
        (
            "reduction",
            r"Reduction modulo $2^Q$ keeps valuations below $Q$: a multiple of $2^Q$ added to $2^i(2s+1)$, $i < Q$, "
            r"leaves $2^i$ times an odd number.",
            r"2^i(2s+1) + 2^Q n",
            (one + 2**bits * _n, 2**level * (2 * (_s + 2 ** (bits - level - 1) * _n) + 1)),
        ),
        (
            "below",
            r"If $u$ has level $i < k$, then so has $v$. So $P(i, i) = P(\mathrm{hash}(u) = i)$, and $i$ goes with no "
            r"other level.",
            r"2^i(2s+1) + 2^k(2r+1)",
            below,
        ),
        (
            "above",
            r"If $u$ has a level $j > k$, then $h(u) = 2^{k+1}s$ for some $s$, and $v$ has level $k$. So $P(j, k) = "
            r"P(\mathrm{hash}(u) = j)$, and $j$ goes with no other level. Exchanging $u$ and $v$ gives $P(k, j)$.",
            r"2^{k+1}s + 2^k(2r+1)",
            above,
        ),
        (
            "same",
            r"If $u$ has level $k$, then $v$ has a level above $k$. So $P(k, k) = 0$.",
            r"2^k(2s+1) + 2^k(2r+1)",
            same,
        ),
    )
    lower = sp.summation(_half ** (level + 1), (level, 0, valuation - 1))
    # There are Q - k - 1 levels between k and Q.
    between = sp.Symbol("m", integer=True, nonnegative=True)
    upper = sp.summation(_half ** (other + 1), (other, valuation + 1, valuation + between))
    return Part(
        Role.AMENDED,
        "the distributions of one level and of two",
        r"Read the number of trailing zeros of 0 as $Q$. Then $P(\mathrm{hash}(u) = i) = 2^{-(i+1)}$ for $i < Q$, and "
        r"$2^{-Q}$ for $i = Q$. For $u \ne v$ let $k < Q$ be the number of trailing zeros of $|u-v|$. The levels of "
        r"$u$ and $v$ are both $i$ with probability $2^{-(i+1)}$, for each $i < k$. They are $k$ and $j$, and again "
        r"$j$ and $k$, with probability $P(\mathrm{hash}(u) = j)$, for each $j > k$. No other pair of levels occurs. "
        r"This holds for each odd $a$, for uniform $b$.",
        (
            equal(
                "distribution_total",
                r"Consider the last level: $h(u)$ is uniform on $2^Q$ numbers, of which only 0 has level $Q$. With the "
                r"levels below:",
                r"\sum_{i=0}^{Q-1} 2^{-(i+1)} + 2^{-Q}",
                lambda: sp.summation(_half ** (level + 1), (level, 0, bits - 1)) + 2 ** (-bits),
                sp.S.One,
            ),
            *(equal(name, text, left, *sides) for name, text, left, sides in rows),
            equal_as(
                "joint_total",
                r"Check: all pairs of levels together have probability 1.",
                (lower + 2 * (upper.subs(between, bits - valuation - 1) + 2 ** (-bits)), sp.S.One),
                r"\sum_{i<k} 2^{-(i+1)} + 2 \sum_{k<j<Q} 2^{-(j+1)} + 2 \cdot 2^{-Q} &= 1",
            ),
            enumerated(
                "joint_listed",
                r"Counting gives the same, for $1 \le Q \le 5$: all odd $a$, all $b$, all pairs of users (also of a "
                r"user and itself) and of levels.",
                "all pairs of users with v - u = 2^k times an odd number (or 0, k = Q) have their levels with the "
                "stated probabilities, over all functions with odd multipliers, 1 <= Q <= 5",
                ((width, *pair) for width in _WIDTHS for pair in product(range(2**width), repeat=2)),
                lambda case: pair_law(*case) == joint_level_distribution(case[0], _apart(*case)),
                # As if the levels were independent.
                mutant=lambda case: pair_law(*case) == _independent(case[0]),
            ),
        ),
        formal=(
            *symbolic(eq(sp.Symbol(r"\sum_{i=0}^{Q} P(\mathrm{hash}(u) = i)"), 1)),
            *symbolic(eq(*below), given=(level < valuation,)),
            *symbolic(eq(*above), eq(*same), eq(2 * 2 ** (-valuation - 1) + 1 - 2 ** (-valuation), 1)),
        ),
    )


def _apart(width: int, one: int, other: int) -> int:
    return trailing_zeros(abs(one - other), width)


def _independent(width: int) -> dict[tuple[int, int], Fraction]:
    chances = [level_distribution(width, one) for one in range(width + 1)]
    return {(one, two): chances[one] * chances[two] for one, two in product(range(width + 1), repeat=2)}


def _other_hash_functions() -> Part:
    same = ne(sp.Mod(_offset, 4), sp.Mod(2 * _multiplier + _offset, 4))
    below = _quarter - 1 / (4 * (_size - 1))
    chances = (
        (
            "even",
            r"Nor are the levels independent. Let $N = 2^Q$ and $u - v$ odd. For odd $a$ one of the two values is "
            r"even. For the $N/2 - 1$ even $a$ the two values have the same parity, and are odd for half of the $b$.",
            (_size / 2 - 1) / (_size - 1) * _half,
        ),
        (
            "permutations",
            r"A uniformly random permutation in place of $h$ has the same defect: the two users need two different "
            r"ones of the $N/2$ odd values. With any bijection only one user has level $Q$.",
            (_size / 2) * (_size / 2 - 1) / (_size * (_size - 1)),
        ),
    )
    return Part(
        Role.READING,
        "other hash functions",
        r"With a multiplier that may be even $h$ need not be a bijection; and the levels of two users are independent "
        r"neither then nor for a uniformly random permutation.",
        (
            counterexample(
                "even_collides",
                r"The multiplier is first said to be uniform on $\{1, \ldots, 2^Q-1\}$. An even one is no bijection: "
                r"with $Q = 2$ and $a = 2$ the users 0 and 2 have the same value $b$.",
                same,
                {_multiplier: 2, _offset: 0},
                lines=(r"h(2) = (4 + b) \bmod 4 &= b = h(0)",),
            ),
            *(equal(f"{name}_pairs", text, r"P(0, 0)", chance, below) for name, text, chance in chances),
            *(
                counterexample(
                    f"{name}_dependent",
                    r"For $N = 4$:",
                    eq(chance, _quarter),
                    {_size: 4},
                    lines=(r"P(0, 0) = \frac{4/2 - 1}{2(4 - 1)} = \tfrac16 &\ne \tfrac14",),
                )
                for name, _, chance in chances
            ),
        ),
        formal=(
            *symbolic(same, refuted=True),
            *symbolic(*(lt(chance, _quarter) for *_, chance in chances), given=(ge(_size, 2),)),
        ),
        holds=False,
    )


def _exact_fraction() -> Part:
    count = sp.summation(1, (_s, 0, 2 ** (bits - _least) - 1)) / 2**bits
    return derived(
        Role.PUBLISHED,
        "the fraction that qualifies",
        r"For $U = 2^Q$ and each hash function with odd $a$, exactly $2^{Q-L}$ users have a level of at least $L$.",
        equal(
            "multiples",
            r"Level at least $L$ means that $2^L$ divides $h(u)$. $h$ is a bijection, so there are as many such "
            r"users as multiples $2^L s$ in $\{0, \ldots, 2^Q - 1\}$, those with $0 \le s < 2^{Q-L}$; over $U = "
            r"2^Q$:",
            r"\frac{1}{U} \left|\{u : \mathrm{hash}(u) \ge L\}\right|",
            count,
            2 ** (-_least),
        ),
        theorems=("injective", "onto"),
    )


def _other_universes() -> Part:
    fraction = 2 ** (-_least)
    return Part(
        Role.READING,
        "universes whose size is no power of two",
        r"For other $U \le 2^Q$ the share is $2^{-L}$ in expectation only. "
        r"In the formulas $S_{\mathrm{least}}$, $S_{\mathrm{most}}$ and $S_{\mathrm{mean}}$ are "
        r"the least share, the largest one and the mean over the offsets, for $U = 3$ and $Q = "
        r"2$.",
        (
            lemma(
                "three_users",
                r"Algorithm 3 asks for $U \le 2^Q$ only. Let $U = 3$, $Q = 2$, $L = 1$. Of the users 0, 1, 2 either 0 "
                r"and 2 qualify, or 1 alone: a share of $\frac23$ or $\frac13$. Only the mean is $\frac12$.",
                (
                    computed_value(
                        "three_users",
                        "the least share, the largest and the mean, over all hash functions with Q = 2",
                        _shares_of_three,
                        (Fraction(1, 3), Fraction(2, 3), Fraction(1, 2)),
                        quantities=_shares,
                    ),
                    *counterexample(
                        "three_users.exact",
                        "",
                        eq(_members / universe, fraction),
                        {_members: 3 * _shares_of_three()[0], universe: 3, _least: 1},
                    ).obligations,
                ),
                lines=(r"\tfrac13 < 2^{-L} &= \tfrac12 < \tfrac23",),
            ),
            _inclusion("inclusion_in_mean"),
        ),
        formal=(
            *symbolic(*(ne(share, fraction) for share in _shares[:2]), eq(_shares[2], fraction), where={_least: 1}),
            *_stated_inclusion(),
        ),
        holds=False,
    )


def _shares_of_three() -> tuple[Fraction, Fraction, Fraction]:
    shares = [Fraction(sum(own >= 1 for own in levels), 3) for levels in hash_functions(2, 3)]
    return min(shares), max(shares), sum(shares, Fraction(0)) / len(shares)


def _inclusion(name: str = "inclusion") -> Step:
    return equal_as(
        name,
        r"Sum the distribution of one level from $L$ on, with $Q = L + r$ for a whole number $r \ge 0$.",
        (
            lambda: sp.summation(_half ** (_index + 1), (_index, _least, _least + _rest - 1)) + 2 ** (-_least - _rest),
            2 ** (-_least),
        ),
        r"P(\mathrm{hash}(u) \ge L) = \sum_{i=L}^{Q-1} 2^{-(i+1)} + 2^{-Q} &= 2^{-L}",
    )


def _stated_inclusion() -> tuple[str, ...]:
    return symbolic(eq(sp.Symbol(r"P(\mathrm{hash}(u) \ge L)"), 2 ** (-_least)))


def _not_every_subset() -> Part:
    uniform = 1 / sp.binomial(_users, _sample)
    return derived(
        Role.COUNTEREXAMPLE,
        "not a uniformly random half",
        r"The users who remain after the level is raised are not a uniformly random half of those before.",
        counterexample(
            "two_subsets",
            r"Let $Q = 2$ and $L = 1$. Two of four users qualify. A uniformly random half would be each of the six "
            r"pairs with probability $\frac16$. But $h(u) = au + b$ with odd $a$ is even exactly if $u + b$ is: "
            r"only $\{0, 2\}$ and $\{1, 3\}$ occur, each with probability $\frac12$.",
            eq(_pair, uniform),
            {_pair: _chance_of_even_users, _users: 4, _sample: 2},
            lines=(r"P(\{0, 2\}) = \tfrac12 &\ne \tfrac16",),
        ),
    )


def _chance_of_even_users() -> Fraction:
    sets = Counter(tuple(user for user in range(4) if levels[user] >= 1) for levels in hash_functions(2, 4))
    return Fraction(sets[0, 2], sets.total())


def _residue_class() -> Part:
    # Sums over the N classes c: sum d_c = N d and sum d_c^2 = q.
    in_class, in_all = _members**2 * _squares, (_members * _classes * density) ** 2
    variance = _squares / _classes - density**2
    users = _members * _classes
    both = density * (density * users - 1) / (users - 1)
    return Part(
        Role.AMENDED,
        "a systematic sample",
        r"The users of level at least $L$ are one residue class modulo $2^L$, each of the $2^L$ classes with "
        r"probability $2^{-L}$. Let $U = 2^Q$, and $d_c$ the density of the stream within the class $c$. Then "
        r"$d(\mathcal{S}_M)$ is unbiased for $d = d(S)$, and its variance over the hash function is that of $d_c$ "
        r"over the classes. It may be $\frac14$ for any number $n = 2^{Q-L}$ of sampled users, or 0.",
        (
            equal_as(
                "variance",
                r"The users are one class, and each class is equally likely, as $b$ is uniform. Let $N = 2^L$ and $q = "
                r"\sum_c d_c^2$. A user qualifies with probability $\frac1N$; two users do with probability $\frac1N$ "
                r"in the same class and 0 otherwise. The pairs of appearing users in one class number $\sum_c (n "
                r"d_c)^2 = n^2 q$, all pairs $(nNd)^2$. So $\frac{1}{n^2}$ times the variance of the number of "
                r"qualifying users who appear is as follows, and is the variance $\frac1N \sum_c (d_c - d)^2$ over the "
                r"classes.",
                (
                    (in_class / _classes - in_all / _classes**2) / _members**2,
                    variance,
                    (_squares - 2 * density * (_classes * density) + _classes * density**2) / _classes,
                ),
                r"\mathrm{Var}(d(\mathcal{S}_M)) &= \frac{1}{n^2} \left(\frac{n^2 q}{N} - \frac{(nNd)^2}{N^2}\right) = "
                r"\frac{q}{N} - d^2",
                r"&= \frac1N \left(q - 2d \cdot Nd + Nd^2\right) = \frac1N \sum_c (d_c - d)^2",
            ),
            equal_as(
                "simple",
                r"For comparison: $n$ users sampled without replacement, by the probabilities that one and two draws "
                r"are of appearing users.",
                (
                    (_members * (density - density**2) + _members * (_members - 1) * (both - density**2)) / _members**2,
                    density * (1 - density) / _members * (users - _members) / (users - 1),
                ),
                r"\mathrm{Var}_{\mathrm{simple}}(d(\mathcal{S}_M)) &= \frac{d - d^2}{n} + \frac{n-1}{n} "
                r"\left(d\,\frac{dU-1}{U-1} - d^2\right)",
                r"&= \frac{d(1-d)}{n} \cdot \frac{U-n}{U-1}",
            ),
            *(
                equal(name, text, r"\mathrm{Var}(d(\mathcal{S}_M))", partial(variance.subs, q), stated)
                for name, text, q, stated in (
                    (
                        "even_users",
                        r"If just the users with even ids appear and $L \ge 1$, half of the classes have density 1 and "
                        r"half density 0: the estimate $d(\mathcal{S}_M)$ is 0 or 1, whatever $n$ is. Sampling without "
                        r"replacement would have $\frac{1}{4n} \cdot \frac{U-n}{U-1}$.",
                        {_squares: _classes / 2, density: _half},
                        _quarter,
                    ),
                    (
                        "first_half",
                        r"If the first half of the ids appear and $L < Q$, each class has density $\frac12$. Order in "
                        r"the ids decides; only ids assigned at random would make it that of sampling without "
                        r"replacement.",
                        {_squares: _classes / 4, density: _half},
                        sp.S.Zero,
                    ),
                )
            ),
        ),
        formal=symbolic(eq(sp.Symbol("Var"), variance)),
        theorems=("one_class", "offsets"),
    )


def _space_of_ids() -> Part:
    stated = eq(_sets, 2**universe)
    return derived(
        Role.PUBLISHED,
        "the space of a set of ids",
        r"There are $2^U$ sets of users: one user more doubles their number. So $U$ bits, one for each user, store "
        r"any of "
        r"them, and no fewer bits tell all of them apart. The key of the hash function takes $2 Q = 2 \log_2 U$ bits. "
        r"In the formula $n_S$ is the number of sets of up to eight users, by listing.",
        related(
            "sets_of_users",
            r"All sets of up to eight users are listed.",
            "the number of sets of users",
            stated,
            [{universe: users, _sets: number_of_sets(users)} for users in range(1, _MOST + 1)],
            mutant=eq(_sets, universe**2),
            parameters=(universe,),
            lines=(r"n_S &= 2^U",),
        ),
        equal(
            "one_user_more",
            r"Each set is with or without one user more.",
            "",
            2**universe + 2**universe,
            2 ** (universe + 1),
        ),
        only=("sets_of_users",),
    )


def number_of_sets(users: int) -> int:
    """The number of sets of users, by listing."""
    return sum(len(list(combinations(range(users), size))) for size in range(users + 1))


def _as_a_list() -> Part:
    linear = le(universe * sp.log(universe) / sp.log(2), _ratio * universe)
    return derived(
        Role.READING,
        "the space of a list of ids, in bits",
        r"A list of all ids takes $U \log_2 U$ bits. That is $O(U)$ numbers and not $O(U)$ bits: no constant $C$ is "
        r"large "
        r"enough.",
        counterexample(
            "list_of_ids",
            r"For example $C = 9$ and $U = 2^{10}$:",
            linear,
            {universe: sp.Integer(1024), _ratio: sp.Integer(9)},
        ),
        holds=False,
    )


CLAIMS = {"density.fm_hash": fm_hash}
