"""Theorem 5.2 of the paper: the error of distinct sampling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import cast

import sympy as sp

from pan_proofs.density.claims.distinct_sampling.fixed_level import (
    BOUND,
    mean_square_steps,
    members,
    output_variance,
    unbiased_step,
)
from pan_proofs.density.lemmas.distinct_sampling import (
    READINGS,
    Sampler,
    mean_estimate,
    moments_given_level,
    streams,
)
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.relations import eq, ge, gt, le, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import density, epsilon, m, t, universe
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, equal, lemma

_level = sp.Symbol("ell", integer=True, nonnegative=True)
_FIFTH = {t: sp.Rational(1, 5)}
"""At ``t = 1/5`` is ``exp(epsilon) = 3/2``."""
_raised = sp.Symbol("P(L = 1)")
_means = sp.symbols("E_0 E_1")
"""The means of the estimate given the two levels; of one user, without and with an appearance."""
_highest = sp.Symbol("L_largest")
_full = sp.Symbol(r"P(|\mathcal{M}_{DS}| \ge m)")


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
        notation=(("$b_i$", "coin of the user $i$"), (r"$\mathcal{M}_{DS}$", "the set of members")),
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
            bounded(
                "excess",
                r"And $d(\mathcal{S}_M) = 0$. The bound has the first term $\frac{2^{-1}}{2t^2}$. Multiplied by $t^2$:",
                lt(sp.Rational(1, 4), ((1 + gap) / 2) ** 2),
                gap > 0,
                gap < 1,
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
    return Part(
        Role.AMENDED,
        "the random level",
        r"Let $m \ge 2$. Over the hash function and the coins together the estimate of Algorithm 3, with its random "
        r"level, is unbiased for the density $d(S)$ of the whole stream. It is so for any $U \le 2^Q$, since a raise "
        r"keeps either half of the users who qualify with probability $\frac12$ (density.fm\_hash).",
        (),
        theorems=("hash_to_halves", "hashed_unbiased", "sampling_unbiased"),
    )


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
