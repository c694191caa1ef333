"""Theorem 2.1 of the paper: randomized response with two fair coins."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.quantities import one_of
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.foundations.finite_mechanisms import (
    FAIR,
    Dataset,
    Distribution,
    distribution_of_coins,
    largest_ratio,
    privacy_factor,
    probability,
)
from pan_proofs.foundations.sums_over_terms import weighted_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.notation import x
from pan_proofs.ledger.steps import counterexample, enumerated, equal, found, related

_MOST_USERS = 4
_HEADS = 1

_one, _other = sp.symbols("P Pprime", nonnegative=True)
_kept, _kept_by_formula = sp.symbols("P_listing P_formula")
"""The probability that a bit is reported as it is, by the listing and by the formula."""
_bit = sp.Symbol("v", integer=True, nonnegative=True)
_ratios = sp.symbols("R_listing R_formula")
"""The largest ratios of the probabilities of one report."""
_largest = sp.Symbol("R")
"""The largest ratio of the probabilities of one output, over all adjacent datasets of a number of users."""
_users = sp.Symbol("U", positive=True, integer=True)
_two_reports, _other_two_reports = sp.Symbol(r"P(|\tilde D| = 2)"), sp.Symbol(r"P(|\tilde D'| = 2)")
_more, _fewer = sp.symbols("A Aprime", nonnegative=True)


def listing(bit: int) -> Distribution:
    """The thesis' listing: on heads of the first coin the second one is reported, else the bit."""
    return distribution_of_coins(lambda first, second: second if first == _HEADS else bit, FAIR, FAIR)


def formula(bit: int) -> Distribution:
    """The paper's formula: ``v AND b1`` plus ``b2 AND (1 - b1)``."""
    return distribution_of_coins(lambda b1, b2: (bit & b1) + (b2 & (1 - b1)), FAIR, FAIR)


def responses(bits: Dataset) -> Distribution:
    """The distribution of all responses, in order."""
    return distribution_of_coins(lambda *outputs: outputs, *(listing(bit) for bit in bits))


def unordered(bits: Dataset) -> Distribution:
    """The same without the order."""
    return distribution_of_coins(lambda *outputs: tuple(sorted(outputs)), *(listing(bit) for bit in bits))


def randomized_response() -> Claim:
    """The loss is log 3 for one user and for any number, if the number of users is fixed."""
    return Claim(
        id="density.randomized_response",
        title="Randomized response with two fair coins",
        references=(
            Reference("paper", "Theorem 2.1, section 2.1.3", "by a formula in two vectors of bits"),
            Reference("thesis", "Theorem 2.5, section 2.2.1", "by a listing with two coins for each record"),
        ),
        statement=r"Each user reports the true bit if a fair coin shows tails, and the outcome of a second fair coin "
        r"otherwise. The vector of reports is $\log 3$-differentially private.",
        notation=(
            ("$b_1$, $b_2$", "fair coins of the formula, one of each for every user"),
            ("$o$, $v$, $v'$", "a report, and two values of a user's bit"),
            (
                r"$P_{\mathrm{listing}}$, $P_{\mathrm{formula}}$",
                "probability of the true bit by the listing, and by the formula",
            ),
            (r"$R_{\mathrm{listing}}$, $R_{\mathrm{formula}}$", "largest ratio by the listing, and by the formula"),
            (
                "$A$, $p$; $A'$, $p'$",
                "probabilities of a set of outputs and of one output more, for $D$; the same for $D'$",
            ),
        ),
        hypotheses=("each record is one bit", "all coins are fair and independent"),
        silent=(
            "adjacent datasets have one record for each user of the same fixed universe and differ in one bit (bounded "
            "adjacency); the paper's setting has this, the theorem of the thesis does not say so",
            "the adversary sees the reports and not the coins",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "one user",
                r"A bit $v$ is reported as it is with probability $\frac34$. The listing and the formula have the same "
                r"distribution, and the largest ratio is $3$.",
                one_user(),
                formal=(
                    *symbolic(
                        eq(_kept, sp.Rational(3, 4)),
                        eq(_kept_by_formula, _kept),
                        given=(one_of({_bit: bit} for bit in (0, 1)),),
                    ),
                    *symbolic(*(eq(one, 3) for one in _ratios)),
                ),
            ),
            Part(
                Role.PUBLISHED,
                "any number of users",
                r"For adjacent $D, D'$ with any number $U$ of users: $P(\tilde D \in O) \le 3\,P(\tilde D' \in O)$ for "
                r"all sets $O$ of outputs, and there is an output with equality. So $\log 3$ is the exact loss.",
                many_users(),
                formal=symbolic(
                    le(_more + _one, 3 * (_fewer + _other)),
                    given=(_more <= 3 * _fewer, _one <= 3 * _other),
                ),
            ),
            Part(
                Role.READING,
                "reports without their order",
                r"If the reports are collected without their order, the loss is still $\log 3$ for every number of "
                r"users, and not less.",
                without_order(),
                formal=(
                    *symbolic(
                        le(_more + _one, 3 * (_fewer + _other)),
                        given=(_more <= 3 * _fewer, _one <= 3 * _other),
                    ),
                    *symbolic(eq(_all_ones(), 3)),
                    *symbolic(
                        eq(_largest, 3),
                        given=(one_of({_users: users} for users in range(1, _MOST_USERS + 1)),),
                    ),
                ),
            ),
            Part(
                Role.READING,
                "a user's record is added or removed",
                r"If adjacent datasets differ by one whole record, the number of reports differs, and no $\varepsilon$ "
                r"is large enough.",
                (another_length(),),
                formal=symbolic(gt(_two_reports, x * _other_two_reports)),
                holds=False,
                departs="differ in one bit (bounded adjacency)",
            ),
        ),
        uses=("thesis.post_processing",),
    )


def one_user() -> Steps:
    """The four conditional probabilities."""
    return (
        related(
            "listing",
            r"The four outcomes of the two coins, for both bits: the report is the bit in three of the four.",
            "the probability that the bit is reported, for both bits, from 4 outcomes of the coins each",
            eq(_kept, sp.Rational(3, 4)),
            ({_kept: listing(bit)[bit], _bit: bit} for bit in (0, 1)),
            mutant=eq(_kept, sp.Rational(2, 3)),
            parameters=(_bit,),
            lines=r"P(\tilde v = v) = \tfrac12 + \tfrac12\cdot\tfrac12 &= \tfrac34",
        ),
        enumerated(
            "formula",
            r"The formula $\tilde v = v \odot b_1 + b_2 \odot (1 - b_1)$ reports the bit when $b_1 = 1$, where the "
            r"listing does so on tails; the coin is fair, so the distribution is the same.",
            "both bits, 4 values of (b1, b2) each: the distribution is that of the listing",
            (0, 1),
            lambda bit: formula(bit) == listing(bit),
            # The second term without its factor 1 - b1.
            mutant=lambda bit: distribution_of_coins(lambda b1, b2: (bit & b1) + b2, FAIR, FAIR) == listing(bit),
            lines=r"\tilde v &= v \odot b_1 + b_2 \odot (1 - b_1)",
        ),
        related(
            "same_distribution",
            r"So by the formula, too, the report is the bit with the same probability.",
            "the probabilities that the bit is reported by formula and by listing, for both bits",
            eq(_kept_by_formula, _kept),
            ({_kept_by_formula: formula(bit)[bit], _kept: listing(bit)[bit], _bit: bit} for bit in (0, 1)),
            mutant=eq(_kept_by_formula, 1 - _kept),
            parameters=(_bit,),
        ),
        found(
            "one_ratio",
            r"Each report is three times as likely for one bit as for the other.",
            "largest ratio of the probabilities of one report, both directions, for each procedure",
            lambda: (largest_ratio(listing(0), listing(1)), largest_ratio(formula(0), formula(1))),
            (Fraction(3), Fraction(3)),
            quantities=_ratios,
            lines=r"\max_{o, v, v'} \frac{P(\tilde v = o \,|\, v)}{P(\tilde v = o \,|\, v')} = \frac{3/4}{1/4} &= 3",
        ),
    )


def many_users() -> Steps:
    """Independent users: all factors but one cancel."""
    rest = sp.Symbol("R", positive=True)

    def ratio(bit: int, other: int) -> sp.Expr:
        """Of the probabilities of the report 1 for two bits, with those of the other users."""
        return (rest * sp.sympify(listing(bit)[1])) / (rest * sp.sympify(listing(other)[1]))

    return (
        equal(
            "others_cancel",
            r"Let $D, D'$ differ in the bit of user $t$ only, and let $R$ be the product of the probabilities of "
            r"the other users' reports, which is positive and the same for both. If $t$'s report is the bit in "
            r"$D$,",
            "",
            lambda: ratio(1, 0),
            sp.Integer(3),
            lines=r"\frac{P(\tilde D = o)}{P(\tilde D' = o)} = \frac{R \cdot 3/4}{R \cdot 1/4} &= 3",
        ),
        equal(
            "others_cancel_back",
            r"Otherwise it is the inverse. So each output has the ratio $3$ or $\frac13$, and $3$ is attained.",
            "",
            lambda: ratio(0, 1),
            sp.Rational(1, 3),
            lines=r"\frac{P(\tilde D = o)}{P(\tilde D' = o)} = \frac{R \cdot 1/4}{R \cdot 3/4} &= \frac13",
        ),
        weighted_sums(
            "sets_of_outputs",
            r"A set of outputs has no larger ratio than its elements. With $x$ and $y$ for the probabilities of one, "
            r"$a = 1$, $F = 3$, and the sums $X$ and $Y$ before it:",
        ),
        small_universes(
            "enumerated", "All pairs in small universes and all outputs are enumerated, coin by coin.", responses
        ),
    )


def small_universes(name: str, text: str, mechanism: Callable[[Dataset], Distribution]) -> Step:
    """The largest ratio in universes of 1 to 4 users: that of log 3 in each."""

    def factor(users: int) -> Fraction | float:
        pairs = (
            (bits, (*bits[:user], 1 - bits[user], *bits[user + 1 :]))
            for bits in itertools.product((0, 1), repeat=users)
            for user in range(users)
        )
        return privacy_factor(mechanism, pairs)

    return related(
        name,
        text,
        f"the largest ratio over all datasets and all users, for each number of users from 1 to {_MOST_USERS}",
        eq(_largest, 3),
        ({_users: users, _largest: factor(users)} for users in range(1, _MOST_USERS + 1)),
        mutant=eq(_largest, 2),
        parameters=(_users,),
    )


def _all_ones() -> sp.Expr:
    """The ratio of the output that is all ones, if all bits are one and if one of them is zero."""
    kept, changed = (sp.Rational(*listing(bit)[1].as_integer_ratio()) for bit in (1, 0))
    return kept**_users / (kept ** (_users - 1) * changed)


def without_order() -> Steps:
    """Collecting the reports is post-processing; all ones attains the bound."""
    return (
        equal(
            "all_ones",
            r"Forgetting the order is post-processing, which adds no loss. Let all bits of $D$ be one, and let one "
            r"bit of $D'$ be zero. The output that is all ones has the ratio $3$.",
            "",
            _all_ones(),
            sp.Integer(3),
            lines=r"\frac{P(\tilde D = 1 \cdots 1)}{P(\tilde D' = 1 \cdots 1)} = "
            r"\frac{(3/4)^U}{(3/4)^{U-1} \cdot 1/4} &= 3",
        ),
        small_universes("enumerated_without_order", "Small universes are enumerated again.", unordered),
    )


def another_length() -> Step:
    """An explicit event that tells the number of users."""

    def chance(bits: Dataset) -> Fraction:
        return probability(responses(bits), lambda reports: len(reports) == 2)

    return counterexample(
        "length",
        r"Let $D$ have two records, and $D'$ one of them. The event is that there are two reports; "
        r"$x = e^{\varepsilon}$ may be any number.",
        le(_two_reports, x * _other_two_reports),
        {_two_reports: lambda: chance((1, 1)), _other_two_reports: lambda: chance((1,)), x: sp.Integer(10) ** 9},
        (ge(x, 1),),
        free=(x,),
        lines=r"P(|\tilde D| = 2) = 1 &> e^{\varepsilon} \cdot P(|\tilde D'| = 2) = 0",
    )


CLAIMS = {"density.randomized_response": randomized_response}
