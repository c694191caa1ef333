"""Theorem 5.2 of the paper: the error of distinct sampling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import chain, combinations, product
from typing import cast

import sympy as sp

from pan_proofs.density.claims.distinct_sampling.fixed_level import (
    BOUND,
    PAIR,
    mean_square_steps,
    members,
    output_variance,
    unbiased_step,
)
from pan_proofs.density.lemmas.hashing.distinct_sampling import (
    READINGS,
    Distribution,
    Levels,
    Sampler,
    State,
    halves_equally_often,
    hash_functions,
    mean_estimate,
    moments_given_level,
    odd_multipliers,
    seen_classes,
    streams,
)
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import density, epsilon, m, t, universe
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, lemma

_level, _bits = sp.symbols("ell Q", integer=True, nonnegative=True)
_half, _FIFTH = sp.Rational(1, 2), {t: sp.Rational(1, 5)}
"""At ``t = 1/5`` is ``exp(epsilon) = 3/2``."""
_raised = sp.Symbol("P(L = 1)")
_means = sp.symbols("E_0 E_1")
"""The means of the estimate given the two levels; of one user, without and with an appearance."""
_highest = sp.Symbol("L_largest")
_full = sp.Symbol(r"P(|\mathcal{M}_{DS}| \ge m)")
_value, _chance = sp.symbols("V p", nonnegative=True)


def ppds_error() -> Claim:
    """The theorem, and the sentence before it."""
    return Claim(
        id="density.ppds_error",
        title="Error of pan-private distinct sampling",
        references=(Reference("paper", "Theorem 5.2, section 5.2"),),
        statement=r"The level $L$ is determined by the stream. For fixed $L = \ell$ the estimate of Algorithm 3 is "
        r"unbiased for $d(\mathcal{S}_M)$, where $M$ are the $U/2^\ell$ users with $\mathrm{hash}(u) \ge \ell$, and "
        r"its mean squared error is at most $\frac{2^{\ell-2}}{U t^2} + \frac{2^{2\ell+1}}{U^2\varepsilon^2}$, $t = "
        r"\tanh(\varepsilon/2)$.",
        notation=(
            ("$b_i$", "coin of the user $i$"),
            ("$C'$", r"either half of the class $C_\ell$"),
            ("$h$", "the hash function"),
        ),
        hypotheses=(r"$\varepsilon > 0$",),
        silent=(
            r"$m \le U$; otherwise there is no sampling.",
            r"$U$ is a power of two; otherwise the number of qualifying users is $U/2^\ell$ in expectation only.",
            r"$\ell \le Q$: the listing lets $L$ exceed $Q$ if $m = 1$, and then no user qualifies.",
            r"Fullness is checked once after the turn of a user outside of the sample, as printed. The "
            r"counterexamples, and the amended statement on the random level, are the same if the check is repeated "
            r"until there is room.",
        ),
        uses=("density.fm_hash", "distinct_sampling.fixed_level"),
        parts=(
            _level_is_random(),
            _biased_given_level(),
            _error_given_level(),
            _fixed_beforehand(),
            _over_all_randomness(),
            _size_one(),
            _never_full(),
            _listing(),
        ),
        remark=r"The amended statement on the random level has the density of the whole stream, not of the users who "
        r"happen to qualify. It bounds no variance: already at a fixed level the variance over the hash function can "
        r"be $\frac14$ for any sample size, see density.fm\_hash.",
    )


@cache
def _given_level() -> Mapping[int, tuple[sp.Expr, ...]]:
    """Two users, m = 2, nobody appears: the probability of each level, and the moments of the output given it.

    As formulas in t, from the listing; both hash functions and all readings give the same.
    """
    ratio = cast("Fraction", (1 + t) / (1 - t))
    found = []
    for repeated in READINGS:
        sampler = Sampler(2, 2, ratio, repeated)
        for levels in sampler.hashes:
            moments = moments_given_level(sampler, sampler.state_distribution(levels, ()))
            found.append({level: tuple(map(sp.factor, one)) for level, one in moments.items()})
    if any(one != found[0] for one in found):
        raise ValueError("the hash functions or the readings of the listing differ")
    return found[0]


def _mean_given(level: int) -> sp.Expr:
    return _given_level()[level][1]


def _level_is_random() -> Part:
    zero, more = sp.symbols("P_0 P_1", nonnegative=True)
    member, other = sp.symbols("p q", positive=True)
    coins = sp.Symbol("n", positive=True, integer=True)
    determined = eq(_raised * (1 - _raised), 0)
    return Part(
        Role.COUNTEREXAMPLE,
        "the level is random",
        r"The level depends on the coins, for every stream and every $m \le U$. "
        r"In the formulas $P_0$ and $P_1$ are the probabilities of level $0$ and of a higher one, $n$ is the number "
        r"of appearances, $p = p_{\mathrm{init}} = 1 - p_{\mathrm{upd}}$ and $q = p_{\mathrm{upd}}$.",
        (
            equal(
                "full",
                r"Let $U = m = 2$, so $Q = 1$, and let nobody appear. One user has level 0, the other level 1. Both "
                r"are added at first with probability $p_{\mathrm{init}}^2$; then the sample is full, the user of "
                r"level 0 is evicted, and $L = 1$. In all other cases $L = 0$. With $p_{\mathrm{init}} = "
                r"\frac{1-t}{2}$:",
                r"P(L = 1)",
                lambda: _given_level()[1][0],
                (1 - t) ** 2 / 4,
            ),
            counterexample(
                "small",
                r"A level that the stream determines has the probability 0 or 1. For $e^\varepsilon = \frac32$, that "
                r"is $t = \frac15$ and $p_{\mathrm{init}} = \frac25$:",
                determined,
                {_raised: lambda: _given_level()[1][0].subs(_FIFTH)},
                lines=(r"P(L = 1) &= \tfrac{4}{25}",),
            ),
            enumerated(
                "never_fixed",
                r"For $m \le U$ the level is fixed for no stream at all. No user is ever added with positive "
                r"probability, and then $L = 0$; the first $m$ users are all added at first with positive probability, "
                r"and then $L \ge 1$. By enumeration,",
                "both L = 0 and L > 0 have positive probability, for m <= U <= 4, every hash function and every stream "
                "of at most two appearances",
                _possible_levels(),
                lambda levels: min(levels) == 0 < max(levels),
                mutant=lambda levels: min(levels) == 0 and max(levels) > 1,
                lines=(r"P(L = 0) > 0,\quad P(L \ge 1) &> 0",),
            ),
        ),
        formal=(
            *symbolic(ne(*determined.args)),
            *symbolic(
                gt(zero, 0),
                gt(more, 0),
                given=(ge(zero, other**universe * member**coins), ge(more, member**m * other**coins)),
            ),
        ),
    )


def _possible_levels() -> Iterator[set[int]]:
    """The levels of positive probability, for small universes and all m up to their size."""
    for users in range(1, 5):
        for size in range(1, users + 1):
            sampler = Sampler(users, size)
            for stream, levels in product(streams(users, 2), dict.fromkeys(sampler.hashes)):
                yield {state[0] for state, chance in sampler.state_distribution(levels, stream).items() if chance}


def _biased_given_level() -> Part:
    formulas = (-((1 - t) ** 2) / (2 * t * (3 - t)), (1 + t) / (2 * t))
    texts = (
        r"In the same example $d(\mathcal{S}_M) = 0$, whoever is in $M$. Given $L = 0$ not both users were added, and "
        r"the mean number of members is $2p_{\mathrm{init}}(1-p_{\mathrm{init}})/(1-p_{\mathrm{init}}^2)$. The bits "
        r"are not independent of one another any more. The noise has mean 0. So the bias is",
        r"This is negative. Given $L = 1$ the one user who qualifies is a member with certainty, and the bias is",
    )
    return Part(
        Role.COUNTEREXAMPLE,
        "biased given the level",
        r"Given $L = \ell$ the estimate is biased for $d(\mathcal{S}_M)$. "
        r"In the formulas $E_0$ and $E_1$ are the biases of an example, given the levels $0$ "
        r"and $1$.",
        (
            *(
                equal(
                    f"at_level_{level}",
                    text,
                    rf"\mathbb{{E}}[\tilde{{d}} \mid L = {level}]",
                    partial(_mean_given, level),
                    formula,
                )
                for level, (text, formula) in enumerate(zip(texts, formulas, strict=True))
            ),
            *(
                counterexample(
                    f"conditional_mean_{level}",
                    r"For $e^\varepsilon = \frac32$, $t = \frac15$:",
                    eq(formula, 0),
                    _FIFTH,
                    lines=(rf"\mathbb{{E}}[\tilde{{d}} \mid L = {level}] = {number} &\ne 0 = d(\mathcal{{S}}_M)",),
                )
                for level, (formula, number) in enumerate(zip(formulas, (r"-\tfrac47", "3"), strict=True))
            ),
        ),
        formal=(
            *symbolic(*(eq(mean, formula) for mean, formula in zip(_means, formulas, strict=True))),
            *symbolic(lt(formulas[0], 0), gt(formulas[1], 0), given=(t < 1,)),
        ),
    )


def _error_given_level() -> Part:
    gap = sp.Symbol("t", real=True)
    scale = 2**_level / (epsilon * universe)
    first = 2 ** (_level - 2) / (universe * t**2)
    second = 2 ** (2 * _level + 1) / (universe**2 * epsilon**2)
    square = ((1 + t) / (2 * t)) ** 2
    example = {_level: 1, universe: 2}
    return Part(
        Role.COUNTEREXAMPLE,
        "the bound given the level",
        r"Given $L = \ell$ the mean squared error exceeds the bound, in the example for $\ell = 1$ and every "
        r"$\varepsilon > 0$.",
        (
            equal(
                "noise",
                r"The noise adds $2b^2$ to the mean squared error, $b = \frac{2^\ell}{\varepsilon U}$. That is the "
                r"second term of the bound, so that the first terms are to be compared.",
                r"2b^2",
                2 * scale**2,
                second,
            ),
            equal(
                "square",
                r"In the same example the mean square of the output without noise is, given $L = 1$,",
                r"\mathbb{E}[\tilde{d}^2 \mid L = 1]",
                lambda: _given_level()[1][2],
                square,
            ),
            at_most(
                "excess",
                r"And $d(\mathcal{S}_M) = 0$. The bound has the first term $\frac{2^{-1}}{2t^2}$. Multiplied by $t^2$:",
                Inequality(
                    "ppds_error.excess",
                    sp.Rational(1, 4),
                    ((1 + gap) / 2) ** 2,
                    (gap > 0, gap < 1),
                    strict=True,
                    touching={gap: 0},
                ),
            ),
            counterexample(
                "conditional_error",
                r"For $e^\varepsilon = \frac32$ and $L = 1$, without the noise's share on both sides:",
                le(square + 2 * scale**2, first + second),
                {**_FIFTH, **example, epsilon: sp.log(sp.Rational(3, 2))},
                lines=(r"9 &> \tfrac{25}{4}",),
            ),
        ),
        formal=symbolic(gt(square + 2 * scale**2, first + second), given=(t < 1,), where=example),
    )


def _fixed_beforehand() -> Part:
    return Part(
        Role.AMENDED,
        "a level fixed beforehand",
        r"Let the level $\ell$ be fixed before the coins are thrown, and never changed. Then the estimate is unbiased "
        r"for $d(\mathcal{S}_M)$, and its mean squared error is below the printed bound.",
        (
            unbiased_step(),
            *mean_square_steps(),
            equal(
                "substituted",
                r"With $U = 2^Q$ and $\ell \le Q$ there are $n = U/2^\ell$ qualifying users, whatever the hash "
                r"function.",
                r"\frac{1}{4nt^2} + \frac{2}{n^2\varepsilon^2}",
                BOUND.subs(members, universe / 2**_level),
                2 ** (_level - 2) / (universe * t**2) + 2 ** (2 * _level + 1) / (universe**2 * epsilon**2),
            ),
        ),
        formal=symbolic(lt(output_variance(members), BOUND)),
    )


def _over_all_randomness() -> Part:
    total = universe * density
    before, after = PAIR
    mean_of_all = ((total * after + (universe - total) * before) / universe - before) / t
    raised = {2 * _value: _half, sp.S.Zero: _half}
    thrown = {_value: _chance, sp.S.Zero: 1 - _chance}
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
            enumerated(
                "next_class",
                r"This is checked: for $1 \le Q \le 5$, every odd $a$, every $\ell < Q$ and every sequence $C_0, "
                r"\ldots, C_\ell$ the offsets are counted.",
                "the offsets with the same classes up to l number 2^(Q-l); half of them go on with either half of the "
                "class, for 1 <= Q <= 5, every odd a and every l < Q",
                (
                    (width, odd, level)
                    for width in range(1, 6)
                    for odd in odd_multipliers(width)
                    for level in range(width)
                ),
                lambda case: halves_equally_often(*case),
                # An even multiplier.
                mutant=lambda case: halves_equally_often(case[0], case[1] + 1, case[2]),
                lines=(r"\left|\{b : C_0, \ldots, C_\ell \text{ as given}\}\right| &= 2^{Q-\ell}",),
            ),
            enumerated(
                "classes_seen",
                r"No engine checks the words of this step. At level $\ell$ the listing asks of a user only whether it "
                r"is in $C_\ell$, and when it evicts, who of the members is in $C_{\ell+1}$; then the level is $\ell + "
                r"1$. So the probability of a sequence of states that ends at level $\ell$ depends on the hash "
                r"function through $C_0, \ldots, C_\ell$ only. Given the sequence, the hash function is still uniform "
                r"among those with these classes, and by the above $C_{\ell+1}$ is either half of $C_\ell$ with "
                r"probability $\frac12$. Whether the level is raised is decided by the state before $C_{\ell+1}$ is "
                r"looked at. This is checked for one step from an arbitrary state, members being any subset of $C_L$: "
                r"$2 \le U \le 4$ (so $Q \le 2$), $2 \le m \le 4$, every hash function, user and reading.",
                "the probability of going from one state to another is the same for all hash functions with the same "
                "classes up to the later level, for every U, m, reading, state, classes seen, user and coin",
                _cases(),
                lambda case: _classes_decide(case, 0),
                # The classes up to the level before.
                mutant=lambda case: _classes_decide(case, 1),
                lines=(
                    r"P(L', \mathcal{M}_{DS}' \mid L, \mathcal{M}_{DS}, h) &= "
                    r"P(L', \mathcal{M}_{DS}' \mid L, \mathcal{M}_{DS}, C_0, \ldots, C_{L'})",
                ),
            ),
            equal_as(
                "raise",
                r"No engine checks the words of this step. Let $V_u = 2^L$ if $u \in C_L$ and 0 otherwise, and $W_u = "
                r"2^L$ if $u$ is a member and 0 otherwise; members are in $C_L$. If the level is raised, $V_u$ is "
                r"doubled or becomes 0, each with probability $\frac12$ given all that happened before. So its "
                r"conditional mean stays, and likewise that of $W_u$. With $m \ge 2$ the level never exceeds $Q$: the "
                r"class $C_Q$ has $2^{Q-Q} = 1$ user, and never fills the sample.",
                (lambda: _expectation(raised), _value),
                r"\tfrac12 \cdot 2V + \tfrac12 \cdot 0 &= V",
            ),
            equal_as(
                "coin_of_user",
                r"No engine checks the words of this step. A coin of $u$ with probability $p$ of a member, the first "
                r"one or one for an appearance, is independent of $V_u$ and all before. It gives $W_u = V_u$ with "
                r"probability $p$ and $W_u = 0$ otherwise, whatever $W_u$ was. (If $V_u = 0$, both are 0, and no coin "
                r"is needed.)",
                (lambda: _expectation(thrown), _chance * _value),
                r"\mathbb{E}[W_u \mid V_u = V] = p \cdot V + (1 - p) \cdot 0 &= pV",
            ),
            enumerated(
                "one_step",
                r"This is checked for one whole step of the listing, coin and check together, from an arbitrary state: "
                r"given the state and the classes seen so far, $2 \le U \le 4$, $2 \le m \le 4$, all hash functions "
                r"with these classes, and every reading of the listing. Each mean is linear in $p$, so that the two "
                r"values $p = \frac25, \frac35$ decide it for all $p$.",
                "the means of V_u and W_u stay for all users, but that of W_u becomes p V_u for the user of the step, "
                "and the level stays at most Q, for every U, m, reading, state, classes seen, user and coin",
                _cases(),
                lambda case: _means_stay(case, case.chance),
                # (1 - p) V_u in place of p V_u.
                mutant=lambda case: _means_stay(case, 1 - case.chance),
                lines=(
                    r"\mathbb{E}[V_u' \mid L, \mathcal{M}_{DS}, C_0, \ldots, C_L] &= V_u",
                    r"\mathbb{E}[W_u' \mid L, \mathcal{M}_{DS}, C_0, \ldots, C_L] &= p V_u \quad \text{for the user of "
                    r"the step}",
                    r"\mathbb{E}[W_u' \mid L, \mathcal{M}_{DS}, C_0, \ldots, C_L] &= W_u \quad \text{for all others}",
                ),
            ),
            equal_as(
                "sum",
                r"At first $L = 0$ and $V_u = 1$, so that $\mathbb{E}[V_u] = 1$ at all times. After each coin of $u$ "
                r"$\mathbb{E}[W_u] = p\,\mathbb{E}[V_u] = p$ with the $p$ of this coin, and it stays so until the next "
                r"one: the last coin decides. $2^L |\mathcal{M}_{DS}|$ is the sum of the $W_u$, of which $U d(S)$ are "
                r"of users who have appeared. Given the state the noise has mean 0, whatever its scale.",
                (mean_of_all, density),
                r"\mathbb{E}[\tilde{d}] = \frac1t \left(d(S)\, \frac{1+t}{2} + (1-d(S))\, \frac{1-t}{2} - "
                r"\frac{1-t}{2}\right) &= d(S)",
            ),
            enumerated(
                "means_listed",
                r"This is checked from beginning to end, by enumeration with $e^\varepsilon = \frac32$, $U \le 4$, $m "
                r"\ge 2$, every reading of the listing and every short stream. In the example above the two biases "
                r"cancel:",
                "the mean over all hash functions and coins is d(S), for every U, m, reading and short stream",
                _means_of_streams(),
                lambda case: case[0] == Fraction(len(set(case[1])), case[2]),
                # Appearances are counted, in place of users.
                mutant=lambda case: case[0] == Fraction(len(case[1]), case[2]),
                lines=(r"\tfrac{21}{25} \cdot \left(-\tfrac47\right) + \tfrac{4}{25} \cdot 3 &= 0",),
            ),
        ),
        formal=symbolic(
            eq(sp.Symbol(r"P(C_{\ell+1} = C' \mid a, C_0, \ldots, C_\ell)"), _half),
            eq(sp.Symbol(r"E[V_u' \mid V_u = V]"), _value),
            eq(sp.Symbol(r"E[W_u' \mid V_u = V]"), _chance * _value),
            eq(mean_of_all, density),
        ),
    )


def _offsets_of_a_class() -> Step:
    s, r, n, c = sp.symbols("s r n c", integer=True)
    odd = 2 * n + 1
    value = odd * (c + 2**_level * r) - odd * c + 2**_level * s
    offsets, next_offsets = (sp.summation(1, (s, 0, 2**one - 1)) for one in (_bits - _level, _bits - _level - 1))
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
            equality("offsets.share", next_offsets / offsets, _half),
        ),
        lines=(
            r"a(c + 2^\ell r) - ac + 2^\ell s &= 2^\ell (r + s + 2nr)",
            r"P(C_{\ell+1} = C' \mid a, C_0, \ldots, C_\ell) = \frac{2^{Q-\ell-1}}{2^{Q-\ell}} &= \tfrac12",
        ),
    )


def _expectation(distribution: Mapping[sp.Expr, sp.Expr]) -> sp.Expr:
    return sum(outcome * weight for outcome, weight in distribution.items())


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
        return [(own, self.sampler.step(start, own, self.user, self.chance)) for own in self.functions]


def _cases() -> Iterator[_Case]:
    for users, size, repeated in product((2, 3, 4), (2, 3, 4), READINGS):
        sampler = Sampler(users, size, repeated=repeated)
        for level in range(sampler.width + 1):
            groups: dict[Levels, list[Levels]] = defaultdict(list)
            for own in hash_functions(sampler.width, 2**sampler.width):
                groups[seen_classes(own, level)].append(own)
            for group in groups.values():
                qualify = [user for user in range(users) if group[0][user] >= level]
                kept = chain.from_iterable(combinations(qualify, number) for number in range(len(qualify) + 1))
                for chosen, user, chance in product(kept, range(users), (sampler.before, sampler.after)):
                    yield _Case(sampler, group, (level, frozenset(chosen)), user, chance)


def _classes_decide(case: _Case, fewer: int) -> bool:
    """Whether functions with the same classes up to ``fewer`` below the later level have the same probabilities."""
    chances: dict[tuple[State, Levels], set[Fraction]] = defaultdict(set)
    targets = {state for _, distribution in case.distributions for state in distribution}
    for (own, distribution), state in product(case.distributions, targets):
        seen = seen_classes(own, max(state[0] - fewer, 0))
        chances[state, seen].add(distribution.get(state, Fraction(0)))
    return all(len(found) == 1 for found in chances.values())


def _means_stay(case: _Case, factor: Fraction) -> bool:
    """Whether the means stay, but that of the user of the step becomes ``factor`` times its value."""
    level, chosen = case.state
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
    expected = [factor * before[user] if user == case.user else 2**level * (user in chosen) for user in users]
    return values == before and weights == expected


def _means_of_streams() -> Iterator[tuple[Fraction, tuple[int, ...], int]]:
    """The mean of the output, the stream, and U."""
    for users, sizes, longest in ((2, (2,), 3), (3, (2, 3), 2), (4, (2, 3), 2)):
        for size, repeated in product(sizes, READINGS):
            sampler = Sampler(users, size, repeated=repeated)
            for stream in streams(users, longest):
                yield mean_estimate(sampler, stream), stream, users


def _size_one() -> Part:
    sampler = Sampler(1, 1)
    return Part(
        Role.READING,
        "a sample of size one",
        r"For $m = 1$ the estimate is biased over all randomness as well, and the level may exceed $Q$. "
        r"In the formulas $E_0$ and $E_1$ are the means of the estimate where nobody and where "
        r"all have appeared, and $L_{\mathrm{largest}}$ is the largest level that occurs, for "
        r"$U = 1$ and $Q = 0$.",
        (
            lemma(
                "size_one",
                r"Let $U = m = 1$, so $Q = 0$. The user is evicted whenever added, so that the output is "
                r"$-\frac{1-t}{2t}$ plus noise, which is $-2$ for $t = \frac15$. And $L = 1 > Q$ is possible.",
                (
                    computed_value(
                        "size_one",
                        "the mean for d(S) = 0 and for d(S) = 1, and the largest level",
                        lambda: (
                            *(mean_estimate(sampler, stream) for stream in ((), (0,))),
                            max(level for level, _ in sampler.state_distribution((0,), ())),
                        ),
                        (Fraction(-2), Fraction(-2), 1),
                        quantities=(*_means, _highest),
                    ),
                    *(
                        one
                        for number, stream in enumerate(((), (0,)))
                        for one in counterexample(
                            f"size_one.unbiased_{number}",
                            "",
                            eq(_means[number], density),
                            {_means[number]: mean_estimate(sampler, stream), density: number},
                        ).obligations
                    ),
                ),
                lines=(r"\mathbb{E}[\tilde{d}] = -2 &\notin \{0, 1\}",),
            ),
        ),
        formal=symbolic(*(ne(mean, number) for number, mean in enumerate(_means)), gt(_highest, 0)),
        holds=False,
    )


def _never_full() -> Part:
    return Part(
        Role.READING,
        "samples larger than the universe",
        r"For $m > U = 2^Q$ the theorem holds as printed, with $\ell = 0$ and no sampling.",
        (
            enumerated(
                "never_full",
                r"If $m > U$, the sample never has $m$ members, and $L = 0$ throughout: it is then a level fixed "
                r"beforehand, and all users are kept. Enumeration with $U = 3$, $m = 4$:",
                "no level but 0 occurs, for every hash function and every stream of at most two appearances",
                product(dict.fromkeys(Sampler(3, 4).hashes), streams(3, 2)),
                lambda case: all(level == 0 for level, _ in Sampler(3, 4).state_distribution(*case)),
                # m = U.
                mutant=lambda case: all(level == 0 for level, _ in Sampler(3, 3).state_distribution(*case)),
                lines=(r"|\mathcal{M}_{DS}| \le U &< m",),
            ),
        ),
        formal=symbolic(lt(output_variance(members), BOUND)),
    )


def _listing() -> Part:
    return Part(
        Role.READING,
        "the sample has room again after the check",
        r"Read as: the sample is full at no time after the check. With the check made once, as printed, that is false.",
        (
            counterexample(
                "stays_full",
                r"Fullness is checked once. If all members have levels above $L$, all survive, and the sample stays "
                r"full: with $U = 4$, $m = 2$ and nobody appearing, if just the users 1 and 3 are added and have "
                r"levels of at least 1. Only if the check is repeated is the sample never full.",
                eq(_full, 0),
                {_full: _chance_of_a_full_sample},
                lines=(r"P(|\mathcal{M}_{DS}| \ge m) &> 0",),
            ),
        ),
        formal=symbolic(gt(_full, 0)),
        holds=False,
    )


def _chance_of_a_full_sample() -> Fraction:
    states = Sampler(4, 2).average_distribution(())
    return sum((chance for (_, kept), chance in states.items() if len(kept) >= 2), Fraction(0))


CLAIMS = {"density.ppds_error": ppds_error}
