"""Theorem 5.2 of the paper: the error of distinct sampling."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.hashing.distinct_sampling import (
    LISTINGS,
    PRINTED,
    Listing,
    Sampler,
    mean_estimate,
    streams,
)
from pan_proofs.density.lemmas.hashing.fixed_level import mean_square_steps, members, output_variance, unbiased_step
from pan_proofs.density.lemmas.hashing.random_level_error import biased_given_level, error_given_level, level_is_random
from pan_proofs.density.lemmas.hashing.random_level_mean import over_all_randomness
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.relations import eq, gt, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.notation import density, epsilon, t, universe
from pan_proofs.ledger.steps import counterexample, enumerated, equal, lemma

_level = sp.Symbol("ell", integer=True, nonnegative=True)
_means = sp.symbols("E_0 E_1")
"""The mean of the estimate of one user, without and with an appearance."""
_highest = sp.Symbol("L_largest")
_chance = sp.Symbol(r"P(|\mathcal{M}_{DS}| \ge m)")


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
            level_is_random(),
            biased_given_level(),
            error_given_level(),
            _fixed_beforehand(),
            over_all_randomness(),
            _size_one(),
            _never_full(),
            _listing(),
        ),
        remark=r"The amended statement on the random level has the density of the whole stream, not of the users who "
        r"happen to qualify. It bounds no variance: already at a fixed level the variance over the hash function can "
        r"be $\frac14$ for any sample size, see density.fm\_hash.",
    )


def _fixed_beforehand() -> Part:
    bound = 1 / (4 * members * t**2) + 2 / (members**2 * epsilon**2)
    substituted = equal(
        "substituted",
        r"With $U = 2^Q$ and $\ell \le Q$ there are $n = U/2^\ell$ qualifying users, whatever the hash function.",
        r"\frac{1}{4nt^2} + \frac{2}{n^2\varepsilon^2}",
        bound.subs(members, universe / 2**_level),
        2 ** (_level - 2) / (universe * t**2) + 2 ** (2 * _level + 1) / (universe**2 * epsilon**2),
    )
    return Part(
        Role.AMENDED,
        "a level fixed beforehand",
        r"Let the level $\ell$ be fixed before the coins are thrown, and never changed. Then the estimate is unbiased "
        r"for $d(\mathcal{S}_M)$, and its mean squared error is below the printed bound.",
        (unbiased_step(), *mean_square_steps(), substituted),
        formal=symbolic(lt(output_variance(members), bound)),
    )


def _size_one() -> Part:
    sampler = Sampler(1, 1)
    step = lemma(
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
    )
    return Part(
        Role.READING,
        "a sample of size one",
        r"For $m = 1$ the estimate is biased over all randomness as well, and the level may exceed $Q$. "
        r"In the formulas $E_0$ and $E_1$ are the means of the estimate where nobody and where "
        r"all have appeared, and $L_{\mathrm{largest}}$ is the largest level that occurs, for "
        r"$U = 1$ and $Q = 0$.",
        (step,),
        formal=symbolic(
            *(ne(mean, number) for number, mean in enumerate(_means)),
            gt(_highest, 0),
        ),
        holds=False,
    )


def _never_full() -> Part:
    step = enumerated(
        "never_full",
        r"If $m > U$, the sample never has $m$ members, and $L = 0$ throughout: it is then a level fixed beforehand, "
        r"and all users are kept. Enumeration with $U = 3$, $m = 4$:",
        "no level but 0 occurs, for every hash function and every stream of at most two appearances",
        product(dict.fromkeys(Sampler(3, 4).hashes), streams(3, 2)),
        lambda case: all(level == 0 for level, _ in Sampler(3, 4).state_distribution(*case)),
        # m = U.
        mutant=lambda case: all(level == 0 for level, _ in Sampler(3, 3).state_distribution(*case)),
        lines=(r"|\mathcal{M}_{DS}| \le U &< m",),
    )
    return Part(
        Role.READING,
        "samples larger than the universe",
        r"For $m > U = 2^Q$ the theorem holds as printed, with $\ell = 0$ and no sampling.",
        (step,),
        formal=symbolic(lt(output_variance(members), 1 / (4 * members * t**2) + 2 / (members**2 * epsilon**2))),
    )


def _listing() -> Part:
    step = lemma(
        "stays_full",
        r"Fullness is checked once. If all members have levels above $L$, all survive, and the sample stays full: with "
        r"$U = 4$, $m = 2$ and nobody appearing, if just the users 1 and 3 are added and have levels of at least 1. "
        r"Only if the check is repeated is the sample never full.",
        (
            computed_value(
                "stays_full",
                "P(the sample is full at the end), if it is checked once and if the check is repeated",
                lambda: tuple(map(_full, LISTINGS)),
                (Fraction(18, 625), Fraction(0)),
            ),
            *counterexample("stays_full.never", "", eq(_chance, 0), {_chance: lambda: _full(PRINTED)}).obligations,
        ),
        lines=(r"P(|\mathcal{M}_{DS}| \ge m) &> 0",),
    )
    return Part(
        Role.READING,
        "the sample has room again after the check",
        r"Read as: the sample is full at no time after the check. With the check made once, as printed, that is false.",
        (step,),
        formal=symbolic(gt(_chance, 0)),
        holds=False,
    )


@cache
def _full(listing: Listing) -> Fraction:
    """The probability of a full sample at the end, if nobody appears."""
    sampler = Sampler(4, 2, listing=listing)
    distribution = sampler.average_distribution(())
    return sum((chance for (_, (_, kept)), chance in distribution.items() if len(kept) >= sampler.size), Fraction(0))


CLAIMS = {"density.ppds_error": ppds_error}
