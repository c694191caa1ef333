"""No cell of any alphabet tells more of the number of users than a symmetric bit within the same likelihood ratios."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.sharing.counter_information import (
    STATE,
    TOTAL,
    bit_information,
    information_of,
    untouched,
)
from pan_proofs.engines.computations import in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, lemma

_ratio = sp.Symbol("L", real=True)
_within = (STATE > 1, ge(STATE * _ratio, 1), _ratio <= STATE, untouched >= 0, untouched <= 1)
_mixed = untouched + (1 - untouched) * _ratio
_square = (_ratio - 1) ** 2 / _mixed
_low, _high = (untouched + (1 - untouched) / STATE, untouched + (1 - untouched) * STATE)


def chord() -> sp.Expr:
    """The line through the two ends of the square over the mixture, as a function of the ratio."""
    ends = [_square.subs(_ratio, end) for end in (1 / STATE, STATE)]
    return sp.factor(ends[0] + (ends[1] - ends[0]) / (STATE - 1 / STATE) * (_ratio - 1 / STATE))


def distinct_cell_optimal() -> Claim:
    """The bound of any cell, and the bit that attains it."""
    return Claim(
        id="distinct.cell_optimal",
        title="The most informative cell of a distinct counter",
        references=(Reference("here", "for the distinct counter"),),
        statement=r"Let a cell have values in any measurable set, with the distribution $P_0$ if it is untouched and "
        r"$P_1$ if it is touched, and let $dP_1/dP_0$ be between $1/S$ and $S$, $S = e^T$. Let it be untouched with "
        r"probability $z = e^{-x}$, where $x$ is the expected number of users who touch it, proportional to the number "
        r"$n$ of users. The Fisher information of its value on $\log n$ is at most $x^2 z^2 "
        r"\frac{(S-1)^2}{(z + (1-z) S)(z S + 1 - z)}$, for every $x > 0$. The bit with "
        r"$p_{\mathrm{init}} = \frac{1}{1+S}$ and $p_{\mathrm{upd}} = \frac{S}{1+S}$ attains this for every $x$. Cells "
        r"that are touched again by other users are covered, if each touch of a cell changes its value by one random "
        r"rule, and a second touch by one user leaves the distribution as it is: the distribution is then $P_1$ after "
        r"any number of "
        r"touches.",
        hypotheses=(
            r"$T > 0$, and $\frac1S \le dP_1/dP_0 \le S$ almost everywhere",
            "the distribution of a cell depends on one fact only: whether a user touched it",
        ),
        notation=(
            ("$b$", "a value of the bit, $0$ or $1$"),
            (
                "$A$; $i$; $c_i$",
                "an event of the value of a cell; a number of touches; a difference of two probabilities",
            ),
            (r"$I_{\mathrm{bit}}$", "information of the symmetric bit, divided by $x^2 z^2$"),
        ),
        silent=(
            "A cell whose distribution tells how many of its users came, by a rule that depends on the user, has more "
            "than two "
            "distributions, and is not covered.",
        ),
        in_words=(
            (
                "information",
                "the derivative of the density exists and may be taken inside the expectation, since the "
                r"density is linear in $z$; so the information is the expectation that is stated",
            ),
            (
                "below",
                "a function that lies below its chord has an expectation that is not greater than that of the chord",
            ),
        ),
        parts=(_of_any_cell(), _of_the_bit(), _repeated_touches()),
        remark=r"So a counter whose users touch one cell each gains nothing from cells with more values.",
    )


def _of_any_cell() -> Part:
    derivative = equal_as(
        "information",
        r"Let $L = dP_1/dP_0$. The value has the density $z + (1-z) L$ with respect to $P_0$. With $z = e^{-x}$, where "
        r"$x$ is proportional to $n$, the derivative of $z$ in $\log n$ is $-x z$. So the information, the "
        r"expectation of the squared derivative of the logarithm of the density, is "
        r"$x^2 z^2\, E_0\left[\frac{(L-1)^2}{z + (1-z) L}\right]$.",
        (
            lambda: sp.diff(_mixed, untouched) ** 2 / _mixed,
            _square,
        ),
        r"\frac{1}{z + (1-z) L} \left(\frac{\partial (z + (1-z) L)}{\partial z}\right)^2 &= "
        r"\frac{(L-1)^2}{z + (1-z) L}",
    )
    line = chord()
    rest = (_ratio - 1 / STATE) * (STATE - _ratio) / (_mixed * _low * _high)
    chorded = equal_as(
        "chord",
        r"This function of $L$ lies below its chord $c(L)$ between $\frac1S$ and $S$.",
        (line - _square, rest),
        r"c(L) - \frac{(L-1)^2}{z + (1-z) L} &= \frac{(L - \frac1S)(S - L)}{(z + (1-z) L)(z + \frac{1-z}{S})"
        r"(z + (1-z) S)}",
    )
    sign = at_most(
        "below",
        r"The right side is not negative.",
        Inequality(
            "cell_optimal.below", sp.S.Zero, rest, _within, touching={_ratio: 2, STATE: 2}, raised=sp.Rational(1, 1000)
        ),
        (r"0 &\le \frac{(L - \frac1S)(S - L)}{(z + (1-z) L)(z + \frac{1-z}{S})(z + (1-z) S)}",),
    )
    averaged = equal_as(
        "averaged",
        r"The chord is linear, and $E_0[L] = 1$. So the expectation of the chord is its value at $1$, the same for "
        r"every cell.",
        (
            lambda: expectation(sp.expand(line), (_ratio,), {_ratio: sp.S.One}),
            bit_information(),
        ),
        r"E_0[c(L)] = c(1) &= \frac{(S-1)^2}{(z + (1-z) S)(z S + 1 - z)}",
    )
    return Part(
        Role.PUBLISHED,
        "the information of any cell",
        r"$E_0\left[\frac{(L-1)^2}{z + (1-z) L}\right] \le \frac{(S-1)^2}{(z + (1-z) S)(z S + 1 - z)}$.",
        (derivative, chorded, sign, averaged, _many_values()),
        formal=(
            *symbolic(ge(rest, 0), given=_within),
            *symbolic(eq(line - _square, rest)),
            *symbolic(eq(line.subs(_ratio, 1), bit_information())),
        ),
    )


def _many_values() -> Step:
    distributions = _private_distributions()
    return lemma(
        "many_values",
        r"Cells with three values, with all distributions on a grid that keep the ratios, tell no more than the bit.",
        (
            in_every_case(
                "many_values.bounded",
                f"the information of a cell with three values is at most that of the bit, for {len(distributions)} "
                f"pairs of "
                "distributions at S = 2 and three values of z",
                product(distributions, (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))),
                lambda case: information_of(*case[0], case[1]) <= _bit(case[1]),
                mutant=lambda case: information_of(*case[0], case[1]) <= Fraction(9, 10) * _bit(case[1]),
            ),
        ),
    )


def _bit(chance: Fraction) -> Fraction:
    factor = Fraction(2)
    pair = [(1 - one, one) for one in (1 / (1 + factor), factor / (1 + factor))]
    return information_of(pair[0], pair[1], chance)


def _private_distributions() -> list[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    """All pairs of distributions on three values, multiples of 1/9, with ratios between 1/2 and 2."""
    parts = [Fraction(one, 9) for one in range(1, 8)]
    distributions = [(one, other, 1 - one - other) for one, other in product(parts, repeat=2) if one + other < 1]
    return [
        (absent, present)
        for absent, present in product(distributions, repeat=2)
        if all(q <= 2 * p and p <= 2 * q for p, q in zip(absent, present, strict=True))
    ]


def _of_the_bit() -> Part:
    absent, present = 1 / (1 + STATE), STATE / (1 + STATE)

    def computed() -> sp.Expr:
        pairs = ((absent, present), (1 - absent, 1 - present))
        return sum((after - before) ** 2 / (untouched * before + (1 - untouched) * after) for before, after in pairs)

    return Part(
        Role.PUBLISHED,
        "the symmetric bit",
        r"The symmetric bit attains the bound for every $z$.",
        (
            equal_as(
                "attained",
                r"The bit has two values, with the ratios $S$ and $\frac1S$. From the definition,",
                (computed, bit_information()),
                r"\sum_{b} \frac{(P_1(b) - P_0(b))^2}{z P_0(b) + (1-z) P_1(b)} &= "
                r"\frac{(S-1)^2}{(z + (1-z) S)(z S + 1 - z)}",
            ),
        ),
        formal=symbolic(
            eq(sp.Symbol("I_bit"), bit_information()),
            where={STATE: sp.exp(TOTAL)},
        ),
    )


def _repeated_touches() -> Part:
    touches = sp.Symbol("k", integer=True, nonnegative=True)
    after, change = sp.symbols("D c", real=True)
    stays = le(change, 0)
    relation = le(after, 0)
    return Part(
        Role.PUBLISHED,
        "cells that are touched several times",
        r"Let every touch of a cell, by whichever user, draw its new value from the old one by one Markov kernel $M$, "
        r"and let the distribution not depend on the number of touches by one user: $M M P_0 = M P_0$. Then $M^k P_0 "
        r"= P_1$ "
        r"for all $k \ge 1$: the number of touches is not seen, and the two distributions $P_0$ and $P_1 = M P_0$ are "
        r"all.",
        (
            for_every_length(
                "touches",
                r"Let $c_i = |M^{i+1} P_0(A) - M^i P_0(A)|$ for an event $A$ and $i \ge 1$. It is $0$: $M M P_0 = M "
                r"P_0$, and equal distributions stay equal under $M$. By the triangle inequality, for every number of "
                r"touches,",
                Induction(
                    "cell_optimal.touches",
                    relation,
                    touches,
                    (change,),
                    {after: after + change},
                    ((0,), (0,)),
                    {},
                    (stays,),
                    raised=sp.Rational(1, 2),
                ),
                (r"|M^k P_0(A) - M P_0(A)| &\le \sum_{i=1}^{k-1} c_i \le 0",),
            ),
            lemma(
                "kernels",
                r"All kernels on two values with probabilities on a grid, and all first distributions on it: where a "
                r"second "
                r"touch changes nothing, a third and a fourth change nothing either.",
                (
                    in_every_case(
                        "cell_optimal.kernels",
                        "the distribution after three and four touches is that after one, or a second touch changes "
                        "the distribution",
                        _kernels(),
                        lambda case: _touched(*case, 2) != _touched(*case, 1) or _forgets(case),
                        # Whether or not a second touch changes the distribution.
                        mutant=_forgets,
                    ),
                ),
            ),
        ),
        formal=symbolic(
            relation,
            given=(stays,),
            where={after: sum_over_entries(change, (change,), touches)},
        ),
    )


def _kernels() -> list[tuple[tuple[Fraction, Fraction], Fraction]]:
    """The probabilities of a one after a zero and after a one, and at first."""
    grid = [Fraction(part, 4) for part in range(5)]
    return [((zero, one), first) for zero, one, first in product(grid, repeat=3)]


def _touched(kernel: tuple[Fraction, Fraction], first: Fraction, touches: int) -> Fraction:
    """The probability of a one after some touches."""
    chance = first
    for _ in range(touches):
        chance = (1 - chance) * kernel[0] + chance * kernel[1]
    return chance


def _forgets(case: tuple[tuple[Fraction, Fraction], Fraction]) -> bool:
    return all(_touched(*case, touches) == _touched(*case, 1) for touches in (3, 4))


CLAIMS = {"distinct.cell_optimal": distinct_cell_optimal}
