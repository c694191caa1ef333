"""Why the estimate of distinct sampling is unbiased over all randomness, although its level is random."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, product

import sympy as sp

from pan_proofs.density.lemmas.hashing.distinct_sampling import (
    LISTINGS,
    Distribution,
    Levels,
    Sampler,
    State,
    mean_estimate,
    streams,
)
from pan_proofs.density.lemmas.hashing.fixed_level import pair
from pan_proofs.density.lemmas.hashing.linear_hash import (
    halves_equally_often,
    level_table,
    odd_multipliers,
    seen_classes,
)
from pan_proofs.density.lemmas.hashing.random_level_error import two_users
from pan_proofs.engines.computations import computed_value, in_every_case
from pan_proofs.engines.identities import equality
from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Part, Role, Step, symbolic
from pan_proofs.ledger.display import displayed, equal_as
from pan_proofs.ledger.notation import density, t, universe
from pan_proofs.ledger.steps import enumerated, equal, lemma

_level, _bits = sp.symbols("ell Q", integer=True, nonnegative=True)
_half = sp.Rational(1, 2)
_value, _chance = sp.symbols("V p", nonnegative=True)
_WIDTHS = range(1, 7)


def over_all_randomness() -> Part:
    """The mean over hash function and coins together is the density of the stream."""
    return Part(
        Role.AMENDED,
        "the random level",
        r"Let $m \ge 2$. Over the hash function and the coins together the estimate of Algorithm 3, with its random "
        r"level, is unbiased for the density $d(S)$ of the whole stream. It is so for any $U \le 2^Q$. Let $V_u = 2^L$ "
        r"for the users who qualify at the level $L$, $W_u = 2^L$ for the members, and both $0$ for others. A class is "
        r"halved in either way with the same probability; so a raised level keeps the mean of a $V_u = V$, and a coin "
        r"with the probability $p$ makes that of $W_u$ $p V$. The means add up to $d(S)$ at the end. That the listing "
        r"does nothing else, step by step, is an argument in words, and all small cases were enumerated.",
        (
            _offsets_of_a_class(),
            _next_class(),
            _classes_seen(),
            *_one_step(),
            _one_step_listed(),
            _coins_of_a_user(),
            _sum(),
            _means_listed(),
        ),
        formal=symbolic(
            eq(sp.Symbol(r"P(C_{\ell+1} = C' \mid a, C_0, \ldots, C_\ell)"), _half),
            eq(sp.Symbol(r"E[V_u' \mid V_u = V]"), _value),
            eq(sp.Symbol(r"E[W_u' \mid V_u = V]"), _chance * _value),
            eq(_mean_of_all(), density),
        ),
    )


def _offsets_of_a_class() -> Step:
    """The offsets of each class at a level, and at the next one."""
    s, r, n, c = sp.symbols("s r n c", integer=True)
    odd = 2 * n + 1
    value = odd * (c + 2**_level * r) - odd * c + 2**_level * s

    def number(exponent: sp.Expr) -> sp.Expr:
        return sp.summation(1, (s, 0, 2**exponent - 1))

    return lemma(
        "offsets_of_a_class",
        r"No engine checks the words of this step. Let $C_\ell$ be the set of users of level at least $\ell$, a "
        r"residue class modulo $2^\ell$ (density.fm\_hash). For fixed $a = 2n + 1$ it is the class of $c$ if and only "
        r"if $2^\ell$ divides $ac + b$, that is for the offsets $b \equiv -ac + 2^\ell s$ modulo $2^Q$, $0 \le s < "
        r"2^{Q-\ell}$. The user $c + 2^\ell r$ of this class then has the value below modulo $2^Q$, and for $\ell < "
        r"Q$ goes on to $C_{\ell+1}$ if and only if $r + s$ is even. So $C_{\ell+1}$ is one of the two halves of the "
        r"class, $r$ even or $r$ odd, each for $2^{Q-\ell-1}$ of the $2^{Q-\ell}$ offsets. As $C_\ell$ determines "
        r"$C_0, \ldots, C_{\ell-1}$, this is the distribution given all earlier classes.",
        (
            equality("offsets.value", value, 2**_level * (r + s + 2 * n * r)),
            computed_value(
                "offsets.offsets",
                "the number of the s with 0 <= s < 2^(Q - ell), by summation",
                lambda: number(_bits - _level),
                2 ** (_bits - _level),
                engine="sympy",
            ),
            equality("offsets.share", number(_bits - _level - 1) / number(_bits - _level), _half),
        ),
        lines=(
            r"a(c + 2^\ell r) - ac + 2^\ell s &= 2^\ell (r + s + 2nr)",
            r"P(C_{\ell+1} = C' \mid a, C_0, \ldots, C_\ell) = \frac{2^{Q-\ell-1}}{2^{Q-\ell}} &= \tfrac12",
        ),
    )


def _next_class() -> Step:
    return enumerated(
        "next_class",
        r"This is checked: for $1 \le Q \le 6$, every odd $a$, every $\ell < Q$ and every sequence $C_0, \ldots, "
        r"C_\ell$ the offsets are counted.",
        "the offsets with the same classes up to l number 2^(Q-l); half of them go on with either half of the class, "
        "for 1 <= Q <= 6, every odd a and every l < Q",
        (
            (width, multiplier, level)
            for width in _WIDTHS
            for multiplier in odd_multipliers(width)
            for level in range(width)
        ),
        lambda case: halves_equally_often(*case),
        # An even multiplier.
        mutant=lambda case: halves_equally_often(case[0], case[1] + 1, case[2]),
        lines=(r"\left|\{b : C_0, \ldots, C_\ell \text{ as given}\}\right| &= 2^{Q-\ell}",),
    )


def _classes_seen() -> Step:
    return enumerated(
        "classes_seen",
        r"No engine checks the words of this step. At level $\ell$ the listing asks of a user only whether it is in "
        r"$C_\ell$, and when it evicts, who of the members is in $C_{\ell+1}$; then the level is $\ell + 1$. So the "
        r"probability of a sequence of states that ends at level $\ell$ depends on the hash function through $C_0, "
        r"\ldots, C_\ell$ only. Given the sequence, the hash function is still uniform among those with these "
        r"classes, and by the above $C_{\ell+1}$ is either half of $C_\ell$ with probability $\frac12$. Whether the "
        r"level is raised is decided by the state before $C_{\ell+1}$ is looked at. This is checked for one step from "
        r"an arbitrary state, members being any subset of $C_L$: $2 \le U \le 4$ (so $Q \le 2$), $2 \le m \le 4$, "
        r"every hash function, user and reading.",
        "the probability of going from one state to another is the same for all hash functions with the same classes "
        "up to the later level, for every U, m, reading, state, classes seen, user and coin",
        _cases(),
        lambda case: _classes_decide(case, 0),
        # The classes up to the level before.
        mutant=lambda case: _classes_decide(case, 1),
        lines=(
            r"P(L', \mathcal{M}_{DS}' \mid L, \mathcal{M}_{DS}, h) &= "
            r"P(L', \mathcal{M}_{DS}' \mid L, \mathcal{M}_{DS}, C_0, \ldots, C_{L'})",
        ),
    )


def _classes_decide(case: _Case, fewer: int) -> bool:
    """Whether functions with the same classes up to ``fewer`` below the later level have the same probabilities."""
    chances: dict[tuple[State, bytes], set[Fraction]] = defaultdict(set)
    targets = case.targets
    for own, distribution in case.distributions:
        for level, kept in targets:
            seen = seen_classes(own, max(level - fewer, 0))
            chances[(level, kept), seen].add(distribution.get((level, kept), Fraction(0)))
    return all(len(found) == 1 for found in chances.values())


def _one_step() -> tuple[Step, ...]:
    raised = equal(
        "raise",
        r"No engine checks the words of this step. Let $V_u = 2^L$ if $u \in C_L$ and 0 otherwise, and $W_u = 2^L$ if "
        r"$u$ is a member and 0 otherwise; members are in $C_L$. If the level is raised, $V_u$ is doubled or becomes "
        r"0, each with probability $\frac12$ given all that happened before. So its conditional mean stays, and "
        r"likewise that of $W_u$. With $m \ge 2$ the level never exceeds $Q$: the class $C_Q$ has $2^{Q-Q} = 1$ user, "
        r"and never fills the sample.",
        "",
        lambda: _expectation({2 * _value: _half, sp.S.Zero: _half}),
        _value,
    )
    thrown = equal(
        "coin_of_user",
        r"No engine checks the words of this step. A coin of $u$ with probability $p$ of a member, the first one or "
        r"one for an appearance, is independent of $V_u$ and all before. It gives $W_u = V_u$ with probability $p$ "
        r"and $W_u = 0$ otherwise, whatever $W_u$ was. (If $V_u = 0$, both are 0, and no coin is needed.)",
        "",
        lambda: _expectation({_value: _chance, sp.S.Zero: 1 - _chance}),
        _chance * _value,
    )
    return (
        displayed(raised, r"\tfrac12 \cdot 2V + \tfrac12 \cdot 0 &= V"),
        displayed(thrown, r"\mathbb{E}[W_u \mid V_u = V] = p \cdot V + (1 - p) \cdot 0 &= pV"),
    )


def _expectation(distribution: Mapping[sp.Expr, sp.Expr]) -> sp.Expr:
    return sum(outcome * weight for outcome, weight in distribution.items())


def _one_step_listed() -> Step:
    return enumerated(
        "one_step",
        r"This is checked for one whole step of the listing, coin and check together, from an arbitrary state: given "
        r"the state and the classes seen so far, $2 \le U \le 4$, $2 \le m \le 4$, all hash functions with these "
        r"classes, and every reading of the listing. Each mean is linear in $p$, so that the two values $p = \frac25, "
        r"\frac35$ decide it for all $p$.",
        "the means of V_u and W_u stay for all users, but that of W_u becomes p V_u for the user of the step, and the "
        "level stays at most Q, for every U, m, reading, state, classes seen, user and coin",
        _cases(),
        lambda case: _means_stay(case, case.chance),
        # (1 - p) V_u in place of p V_u.
        mutant=lambda case: _means_stay(case, 1 - case.chance),
        lines=(
            r"\mathbb{E}[V_u' \mid L, \mathcal{M}_{DS}, C_0, \ldots, C_L] &= V_u",
            r"\mathbb{E}[W_u' \mid L, \mathcal{M}_{DS}, C_0, \ldots, C_L] &= p V_u \quad \text{for the user of the "
            r"step}",
            r"\mathbb{E}[W_u' \mid L, \mathcal{M}_{DS}, C_0, \ldots, C_L] &= W_u \quad \text{for all others}",
        ),
    )


@dataclass(frozen=True)
class _Case:
    """One step from one state, for all full hash functions with the same classes up to the state's level."""

    sampler: Sampler
    functions: Sequence[Levels]
    state: State
    user: int
    chance: Fraction

    @cached_property
    def distributions(self) -> Sequence[tuple[Levels, Distribution]]:
        """For each hash function the distribution of the state after the step."""
        start = {self.state: Fraction(1)}
        distributions = {
            own: self.sampler.step(start, own, self.user, self.chance) for own in dict.fromkeys(self.functions)
        }
        return [(own, distributions[own]) for own in self.functions]

    @property
    def targets(self) -> set[State]:
        """The states that some hash function leads to."""
        return {state for _, distribution in self.distributions for state in distribution}


def _cases() -> Iterator[_Case]:
    for users, size, listing in product((2, 3, 4), (2, 3, 4), LISTINGS):
        sampler = Sampler(users, size, listing=listing)
        functions = [tuple(row) for row in level_table(sampler.width, odd_multipliers(sampler.width)).tolist()]
        for level in range(sampler.width + 1):
            groups: dict[bytes, list[Levels]] = defaultdict(list)
            for own in functions:
                groups[seen_classes(own, level)].append(own)
            for group in groups.values():
                qualify = [user for user in range(users) if group[0][user] >= level]
                kept = chain.from_iterable(combinations(qualify, number) for number in range(len(qualify) + 1))
                for members, user, chance in product(kept, range(users), (sampler.before, sampler.after)):
                    yield _Case(sampler, group, (level, frozenset(members)), user, chance)


def _means_stay(case: _Case, factor: Fraction) -> bool:
    """Whether the means stay, but that of the user of the step becomes ``factor`` times its value."""
    level, members = case.state
    weight = Fraction(1, len(case.functions))
    users = range(case.sampler.users)
    values, weights = [Fraction(0) for _ in users], [Fraction(0) for _ in users]
    for own, distribution in case.distributions:
        for (later, kept), chance in distribution.items():
            if chance and later > case.sampler.width:
                return False
            for user in users:
                values[user] += weight * chance * 2**later * (own[user] >= later)
                weights[user] += weight * chance * 2**later * (user in kept)
    before = [2**level * (case.functions[0][user] >= level) for user in users]
    expected = [factor * before[user] if user == case.user else 2**level * (user in members) for user in users]
    return values == before and weights == expected


def _coins_of_a_user() -> Step:
    return enumerated(
        "coins_of_a_user",
        r"No engine checks the words of this step. At first $L = 0$ and $V_u = 1$, so that $\mathbb{E}[V_u] = 1$ at "
        r"all times. After each coin of $u$ $\mathbb{E}[W_u] = p\,\mathbb{E}[V_u] = p$ with the $p$ of this coin, and "
        r"it stays so until the next one: the last coin decides. This is checked for some streams with $U \le 4$, "
        r"over all hash functions and coins.",
        "the mean of W_u at the end is p_upd or p_init, for some U, m and streams, each reading and each user",
        _weights_at_the_end(),
        lambda case: case[0] == case[2 if case[3] else 1],
        # The first coin, in place of the last.
        mutant=lambda case: case[0] == case[1],
        lines=(
            r"\mathbb{E}[W_u] &= p_{\mathrm{upd}} \quad \text{if } u \text{ has appeared}",
            r"\mathbb{E}[W_u] &= p_{\mathrm{init}} \quad \text{if not}",
        ),
    )


def _weights_at_the_end() -> Iterator[tuple[Fraction, Fraction, Fraction, bool]]:
    """The mean of W_u at the end, the two probabilities of a member, and whether the user has appeared."""
    for users, size, stream in ((2, 2, (0, 0, 1)), (3, 2, (1, 2)), (3, 3, (0, 0)), (4, 2, (3, 1)), (4, 3, (2,))):
        for listing in LISTINGS:
            sampler = Sampler(users, size, listing=listing)
            distribution = sampler.average_distribution(stream)
            for user in range(users):
                mean = sum(
                    (c * 2**level for (_, (level, kept)), c in distribution.items() if user in kept), Fraction(0)
                )
                yield mean, sampler.before, sampler.after, user in stream


def _mean_of_all() -> sp.Expr:
    """The mean of the estimate, from the means of what the users contribute."""
    total = universe * density
    before, after = pair(t)
    return ((total * after + (universe - total) * before) / universe - _half + t / 2) / t


def _sum() -> Step:
    return equal_as(
        "sum",
        r"$2^L |\mathcal{M}_{DS}|$ is the sum of the $W_u$, of which $U d(S)$ are of users who have appeared. "
        r"Given the state the noise has mean 0, whatever its scale.",
        (_mean_of_all(), density),
        r"\mathbb{E}[\tilde{d}] = \frac1t \left(d(S)\, \frac{1+t}{2} + (1-d(S))\, \frac{1-t}{2} - "
        r"\frac{1-t}{2}\right) &= d(S)",
    )


def _means_listed() -> Step:
    return lemma(
        "means_listed",
        r"This is checked from beginning to end, by enumeration with $e^\varepsilon = \frac32$, $U \le 4$, $m \ge 2$, "
        r"every reading of the listing and every short stream. In the example above the two biases cancel:",
        (
            in_every_case(
                "means_listed",
                "the mean over all hash functions and coins is d(S), for every U, m, reading and short stream",
                _means(),
                lambda case: case[0] == Fraction(len(set(case[1])), case[2]),
                # Appearances are counted, in place of users.
                mutant=lambda case: case[0] == Fraction(len(case[1]), case[2]),
            ),
            computed_value(
                "means_listed.cancel",
                "the sum of P(L) times the mean given L; the values over both hash functions and all readings",
                lambda: tuple(
                    dict.fromkeys(
                        sum(
                            (chance * mean for (_, chance), (mean, _) in zip(distribution, moments, strict=True)),
                            Fraction(0),
                        )
                        for distribution, moments in two_users()
                    )
                ),
                (Fraction(0),),
            ),
        ),
        lines=(r"\tfrac{21}{25} \cdot \left(-\tfrac47\right) + \tfrac{4}{25} \cdot 3 &= 0",),
    )


def _means() -> Iterator[tuple[Fraction, tuple[int, ...], int]]:
    """The mean of the output, the stream, and U."""
    for users, sizes, longest in ((2, (2,), 3), (3, (2, 3), 2), (4, (2, 3), 2)):
        for size, listing in product(sizes, LISTINGS):
            sampler = Sampler(users, size, listing=listing)
            for stream in streams(users, longest):
                yield mean_estimate(sampler, stream), stream, users
