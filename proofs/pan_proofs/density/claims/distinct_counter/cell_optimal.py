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
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, lemma

_ratio = sp.Symbol("L", real=True)
_within = (STATE > 1, sp.Ge(STATE * _ratio, 1, evaluate=False), _ratio <= STATE, untouched >= 0, untouched <= 1)
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
        statement=r"Let a cell have values in any measurable set, with the law $P_0$ if it is untouched and $P_1$ if "
        r"it is touched, and let $dP_1/dP_0$ be between $1/S$ and $S$, $S = e^T$. Let it be untouched with probability "
        r"$z = e^{-x}$, where $x$ is the expected number of users who touch it, proportional to the number $n$ of "
        r"users. The Fisher information of its value on $\log n$ is at most $x^2 z^2 "
        r"\frac{(S-1)^2}{(z + (1-z) S)(z S + 1 - z)}$, for every $x > 0$. The bit with "
        r"$p_{\mathrm{init}} = \frac{1}{1+S}$ and $p_{\mathrm{upd}} = \frac{S}{1+S}$ attains this for every $x$.",
        hypotheses=(
            r"$T > 0$, and $\frac1S \le dP_1/dP_0 \le S$ almost everywhere",
            "all that touched the cell is one fact: whether a user did",
        ),
        notation=(
            ("$b$", "a value of the bit, $0$ or $1$"),
            (r"$I_{\mathrm{bit}}$", "information of the symmetric bit, divided by $x^2 z^2$"),
        ),
        silent=("A cell that tells how often it was touched has more than two laws, and is not covered.",),
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
        parts=(_of_any_cell(), _of_the_bit()),
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
            *symbolic(sp.Ge(rest, 0, evaluate=False), given=_within),
            *symbolic(sp.Eq(line - _square, rest, evaluate=False)),
            *symbolic(sp.Eq(line.subs(_ratio, 1), bit_information(), evaluate=False)),
        ),
    )


def _many_values() -> Step:
    laws = _private_laws()
    return lemma(
        "many_values",
        r"Cells with three values, with all laws on a grid that keep the ratios, tell no more than the bit.",
        (
            in_every_case(
                "many_values.bounded",
                f"the information of a cell with three values is at most that of the bit, for {len(laws)} pairs of "
                "laws at S = 2 and three values of z",
                product(laws, (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))),
                lambda case: information_of(*case[0], case[1]) <= _bit(case[1]),
                mutant=lambda case: information_of(*case[0], case[1]) <= Fraction(9, 10) * _bit(case[1]),
            ),
        ),
    )


def _bit(chance: Fraction) -> Fraction:
    factor = Fraction(2)
    pair = [(1 - one, one) for one in (1 / (1 + factor), factor / (1 + factor))]
    return information_of(pair[0], pair[1], chance)


def _private_laws() -> list[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    """All pairs of laws on three values, multiples of 1/9, with ratios between 1/2 and 2."""
    parts = [Fraction(one, 9) for one in range(1, 8)]
    laws = [(one, other, 1 - one - other) for one, other in product(parts, repeat=2) if one + other < 1]
    return [
        (absent, present)
        for absent, present in product(laws, repeat=2)
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
            sp.Eq(sp.Symbol("I_bit"), bit_information(), evaluate=False),
            where={STATE: sp.exp(TOTAL)},
        ),
    )


CLAIMS = {"distinct.cell_optimal": distinct_cell_optimal}
