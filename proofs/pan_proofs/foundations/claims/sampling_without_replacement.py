"""Hoeffding's inequality for a population of zeros and ones that is sampled without replacement."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb

import sympy as sp

from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.relations import ge, le
from pan_proofs.engines.vectors import Induction
from pan_proofs.foundations.exact_tails import Distribution, Tail, exponential_moment, hypergeometric, tails
from pan_proofs.foundations.hoeffding_bound import (
    centred_moment,
    count,
    deviation,
    exponent,
    probability,
    tilt,
    two_sided,
)
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import enumerated, equal, implied, lemma

_POPULATIONS = 12
_BASES = (Fraction(1, 5), Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), Fraction(2), Fraction(7))

_tail_probability = sp.Symbol("P_tail", nonnegative=True)
_z = sp.Symbol("z", real=True)
_u = sp.Symbol("u", real=True)


def without_replacement() -> Claim:
    """The same bound for the number of ones in a sample without replacement."""
    return Claim(
        id="lemma.hoeffding_without_replacement",
        title="Hoeffding's inequality for sampling without replacement",
        references=(
            Reference("here", "Hoeffding 1963, theorem 4, for populations of zeros and ones; proved here for those"),
        ),
        statement=r"Let $m \le U$ users be sampled without replacement from $U$, of which a share $d$ has appeared, "
        r"and let $d(\mathcal{S}_M)$ be the share of the sample that has. Then for all $s > 0$: "
        r"$P(|d(\mathcal{S}_M) - d| \ge s) \le 2e^{-2ms^2}$, and each side without the factor $2$.",
        hypotheses=(r"$1 \le m \le U$", r"all samples of $m$ users are equally likely", r"$s > 0$"),
        uses=("lemma.hoeffding",),
        parts=(
            derived(
                Role.PUBLISHED,
                "moments are at most those of independent draws",
                r"Let $X_i$ tell whether the $i$-th user of the sample has appeared, and $X = \sum_i X_i$. For all "
                r"$y > 0$: $E\,y^X \le (1 - d + dy)^m$, the value for independent draws. In the formulas $A$ and $B$ "
                r"are the probability that a set of draws has all appeared, and its value for independent draws; $S$ "
                r"and $V$ are the sums over the sets, with the coefficients $c_j = (y-1)^{|J|}$.",
                *_moments(),
                _tested_moments(),
                only=(
                    "one_more_draw",
                    "all_of_a_set",
                    "term_by_term",
                    "below_one",
                ),
            ),
            Part(
                Role.PUBLISHED,
                "the tail",
                r"The inequality of the lemma: with $y = e^\lambda$ everything after the moment generating function "
                r"is as for independent bits. In the formula $P_{\mathrm{tail}}$ is the probability on the left.",
                (_same_start(), _tested_populations()),
                formal=symbolic(
                    sp.Le(_tail_probability, two_sided(count, deviation)),
                    given=(sp.Le(_tail_probability, 2 * sp.exp(exponent()[0])),),
                    where={tilt: exponent()[1]},
                ),
            ),
        ),
        remark=r"Hoeffding's theorem says the same of any population and any convex function; only populations of "
        r"zeros and ones are needed, for which the proof is short.",
    )


def _moments() -> Steps:
    y = sp.Symbol("y", real=True, nonzero=True)
    i, ones, users = sp.symbols("i D U", real=True)
    done, bound = sp.symbols("A B", real=True)
    ladder = implied(
        "one_more_draw",
        r"Given that $i$ drawn users have all appeared, $D = dU$ of the $U$ users having appeared, the next one has "
        r"with probability $\frac{D-i}{U-i}$, which is at most $d$:",
        le((ones - i) / (users - i), ones / users),
        i >= 0,
        users > i,
        ones >= 0,
        ones <= users,
    )
    induction = implied(
        "all_of_a_set",
        r"All sets $J$ of draws of one size are equally likely to have all appeared, so that the first $|J|$ draws "
        r"may be looked at. By induction the probability is $A \le B = d^{|J|}$: one more draw multiplies $A$ by "
        r"$z \le u$, $u = d$, or makes it $0$ when none of those who have appeared is left.",
        le(done * _z, bound * _u),
        done >= 0,
        done <= bound,
        _z >= 0,
        _z <= _u,
        _u <= 1,
    )
    two = sp.expand((1 + (y - 1) * sp.Symbol("X_1", real=True)) * (1 + (y - 1) * sp.Symbol("X_2", real=True)))
    share = sp.Symbol("d", positive=True)
    return (
        enumerated(
            "bit_power",
            r"As $X_i \in \{0, 1\}$, $y^{X_i} = 1 + (y-1)X_i$.",
            "y^X = 1 + (y-1) X for both values of the bit",
            (0, 1),
            lambda bit: bool(sp.expand(1 + (y - 1) * bit) == y**bit),
            mutant=lambda bit: bool(sp.expand(1 + y * bit) == y**bit),
            lines=r"y^X = \prod_i (1 + (y-1)X_i) &= \sum_J (y-1)^{|J|} \prod_{i \in J} X_i",
        ),
        equal(
            "expansion",
            r"The product is multiplied out over the sets $J$ of draws; for two draws:",
            r"y^{X_1+X_2}",
            (1 + (y - 1) * sp.Symbol("X_1", real=True)) * (1 + (y - 1) * sp.Symbol("X_2", real=True)),
            two,
            lines=r"(1+(y-1)X_1)(1+(y-1)X_2) &= 1 + (y-1)(X_1+X_2) + (y-1)^2X_1X_2",
        ),
        ladder,
        induction,
        for_every_length(
            "term_by_term",
            r"For $y \ge 1$ every term of $E\,y^X = \sum_J (y-1)^{|J|} P(X_i = 1\ \forall i \in J)$ is therefore at "
            r"most that of $\sum_J (y-1)^{|J|} d^{|J|} = (1 + (y-1)d)^m$. By induction over the number of sets, so are "
            r"the sums.",
            _term_by_term(),
            lines=r"y \ge 1 &\implies E\,y^X \le (1-d+dy)^m",
        ),
        equal(
            "below_one",
            r"For $y < 1$ count those who have not appeared, $m - X$, to the base $1/y > 1$: their share is $1-d$, and "
            r"$y^X = y^m (1/y)^{m-X}$. Factor by factor:",
            r"y\left(1 - (1-d) + (1-d)/y\right)",
            y * (1 - (1 - share) + (1 - share) / y),
            1 - share + share * y,
            lines=r"y\left(1 - (1-d) + (1-d)/y\right) &= d y - d + 1",
        ),
    )


def _term_by_term() -> Induction:
    """Sums with coefficients that are not negative, of terms of which each is at most the other."""
    total, largest = sp.symbols("S V", real=True)
    coefficient, done, bound = sp.symbols("c a b", real=True)
    return Induction(
        "without_replacement.term_by_term",
        sp.Le(total, largest, evaluate=False),
        sp.Symbol("k", nonnegative=True, integer=True),
        (coefficient, done, bound),
        {total: total + coefficient * done, largest: largest + coefficient * bound},
        ((1, 1, 1), (2, 0, 0)),
        conditions=(ge(coefficient, 0), sp.Le(done, bound, evaluate=False)),
    )


def _tested_moments() -> Step:
    def counted(sample: tuple[int, int, int], left: int) -> Distribution:
        users, ones, draws = sample
        return {
            value: Fraction(comb(ones, value) * comb(left, draws - value), comb(users, draws))
            for value in hypergeometric(*sample)
        }

    def moments(case: tuple[tuple[int, int, int], Fraction]) -> tuple[Fraction, Fraction]:
        (users, ones, draws), base = case
        single = 1 + (base - 1) * Fraction(ones, users)
        return exponential_moment(hypergeometric(users, ones, draws), base), single**draws

    return lemma(
        "tested_moments",
        rf"This is tested in fractions: every population of up to ${_POPULATIONS}$ users and every sample size, six "
        rf"values of "
        r"$y$; the distribution that comes of drawing one by one is the hypergeometric one.",
        (
            in_every_case(
                "tested_moments.distributions",
                "the distribution that comes of drawing one by one is the hypergeometric one",
                _samples(),
                lambda sample: hypergeometric(*sample) == counted(sample, sample[0] - sample[1]),
                mutant=lambda sample: hypergeometric(*sample) == counted(sample, sample[0]),
            ),
            in_every_case(
                "tested_moments.moments",
                "exact moments are at most those of independent draws",
                product(_samples(), _BASES),
                lambda case: operator.le(*moments(case)),
                mutant=lambda case: operator.lt(*moments(case)),
            ),
        ),
    )


def _samples() -> Iterator[tuple[int, int, int]]:
    """The number of users, of those who have appeared, and of draws."""
    for users in range(1, _POPULATIONS + 1):
        yield from product((users,), range(users + 1), range(1, users + 1))


def _same_start() -> Step:
    mean_form = sp.exp(-tilt * probability) * (1 - probability + probability * sp.exp(tilt))
    return equal(
        "same_start",
        r"At $y = e^\lambda$, and centred, each of the $m$ factors is the moment generating function of one bit with "
        r"$p = d$, for which the bound $e^{\lambda^2/8}$ was shown; Markov's inequality and $\lambda = 4s$ do the "
        r"rest. For the other side $\lambda < 0$ serves, that is $y < 1$.",
        r"e^{-\lambda p}(1 - p + p e^\lambda)",
        mean_form,
        centred_moment(),
    )


def _tested_populations() -> Step:
    return enumerated(
        "tested_tails",
        rf"The tails themselves are tested in fractions, for every population of up to ${_POPULATIONS}$ users, every "
        rf"sample "
        r"size and every deviation that occurs.",
        "exact tails are at most a lower bound of exp(-2 m s^2)",
        _small_tails(),
        lambda tail: tail.below(2),
        mutant=lambda tail: tail.below(3),
    )


def _small_tails() -> Iterator[Tail]:
    for users, ones, draws in _samples():
        yield from tails(hypergeometric(users, ones, draws), Fraction(draws * ones, users), draws)


CLAIMS = {"lemma.hoeffding_without_replacement": without_replacement}
