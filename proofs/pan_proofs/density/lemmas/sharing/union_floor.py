"""The least error of the union of two distinct counters whose states are both seen, for every release of their bits."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.intrusions.several_releases import E
from pan_proofs.density.lemmas.sharing.counter_information import STATE, bit_information, untouched
from pan_proofs.density.lemmas.sharing.range_floor import RANGE_LIMITS
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import gt, le
from pan_proofs.ledger.claim import Part, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, compared

_load, _gap = sp.symbols("x g", real=True)
_one, _two = sp.symbols("a b", real=True)
_most = sp.Symbol("F", real=True)
_values = sp.symbols("pi_1:5", positive=True)
_rests = sp.symbols("k_1:5", real=True)
_SIGNS = (1, -1, -1, 1)


def factor(odds: sp.Expr = E) -> sp.Expr:
    """The bound on the information of a pair of cells over that of the symmetric bit for the total of both states."""
    return (odds - 1) ** 2 * (odds**2 + 1) ** 2 / (odds + 1) ** 4


def both_seen_part() -> Part:
    """The information of a pair of cells on the number of users of the union."""
    gap = (E - 1) / (E + 1)
    distribution = [rest + sign * _gap**2 * untouched for rest, sign in zip(_rests, _SIGNS, strict=True)]
    weights = (_one >= 0, _two >= 0, le(_one + _two, 1), E >= 1)
    between = (STATE > 1, untouched >= 0, untouched <= 1)
    ordered = (E >= 1, _most >= E)
    grows = [(one - 1) ** 2 / (one + 1) for one in (E, _most)]
    (limit,) = [one for one in RANGE_LIMITS if one.total == 1 and one.decades == 5]
    return Part(
        Role.PUBLISHED,
        "the least error with both states seen",
        r"Let the states of both counters be seen, let $T$ be the promised loss, and let the numbers of users be "
        r"Poisson numbers. Let the numbers of users of both counters even be known. Then every release that is made "
        r"from both bitmaps has, for each pair of cells, at most $\frac{(E-1)^2 (E^2+1)^2}{(E+1)^4}$ times the "
        r"information on $\log n$ of the symmetric bit in distinct.cell\_optimal, with $E = e^{T/2}$. For $T = 1$, 8 "
        r"KiB and five decades the standard deviation for the union is more than $8.6\%$ at some number of users.",
        (
            equal_as(
                "information",
                r"The states alone lose $2 \log E$, so that $E \le e^{T/2}$. With known numbers of users of both "
                r"counters only $z = e^{-x}$ depends on the number $n$ of users of the union, and $\pm g^2 z$ is a "
                r"part of the probability $\pi_c$ of each value. The derivative of $z$ in $\log n$ is $-x z$. So a "
                r"pair of cells has the information, of which no release has more,",
                (
                    lambda: sum(
                        (sp.diff(one, untouched) * -_load * untouched) ** 2 / value
                        for one, value in zip(distribution, _values, strict=True)
                    ),
                    _gap**4 * _load**2 * untouched**2 * sum(1 / value for value in _values),
                ),
                r"\sum_c \frac{(g^2 x z)^2}{\pi_c} &= g^4 x^2 z^2 \sum_c \frac{1}{\pi_c}",
            ),
            at_most(
                "each_value",
                r"Every $\pi_c$ is a mixture of products of two of the numbers $q$ and $p = E q$: with weights $a$ for "
                r"$p q$ and $b$ for $p^2$ it is at least $q^2$. So $\sum_c \frac{1}{\pi_c} \le \frac{4}{q^2}$.",
                Inequality(
                    "union_floor.each_value",
                    sp.S.One,
                    (1 - _one - _two) + _one * E + _two * E**2,
                    weights,
                    touching={_one: 0, _two: 0, E: 2},
                ),
                (r"1 &\le (1 - a - b) + a E + b E^2",),
            ),
            at_most(
                "bit",
                r"With $S = e^T$ the symmetric bit has the information $x^2 z^2 (S-1)^2$ over this product.",
                Inequality(
                    "union_floor.bit",
                    (STATE - 1) ** 2 / bit_information(),
                    (STATE + 1) ** 2 / 4,
                    between,
                    touching={untouched: sp.Rational(1, 2), STATE: 2},
                ),
                (r"(z + (1-z) S)(z S + 1 - z) &\le \frac{(S+1)^2}{4}",),
            ),
            at_most(
                "largest_odds",
                r"With $g = \frac{E-1}{E+1}$ and $q = \frac{1}{1+E}$ the number $\frac{g^2}{q}$ grows with $E$.",
                Inequality("union_floor.largest_odds", grows[0], grows[1], ordered, touching={E: 2, _most: 2}),
                (r"\frac{(E-1)^2}{E+1} &\le \frac{(F-1)^2}{F+1} \qquad (1 \le E \le F)",),
            ),
            equal_as(
                "factor",
                r"So the quotient of both informations is at most, with $E = e^{T/2}$ and $S = E^2$,",
                (lambda: 4 * gap**4 * (1 + E) ** 2 * (E**2 + 1) ** 2 / 4 / (E**2 - 1) ** 2, factor()),
                r"\frac{4 g^4}{q^2} \cdot \frac{(S+1)^2}{4 (S-1)^2} &= \frac{(E-1)^2 (E^2+1)^2}{(E+1)^4}",
            ),
            compared(
                "eight_kibibytes_of_both",
                r"For $T = 1$ and 65536 cells the least standard deviation of distinct.floor on five decades is "
                r"$\frac{7.629}{256}$. Over the root of this factor it is more than $8.6\%$.",
                gt((limit.error / 256) ** 2, sp.Rational(86, 1000) ** 2 * factor(sp.exp(sp.Rational(1, 2)))),
                lines=(r"\left(\frac{7.629}{256}\right)^2 &> 0.086^2\, \frac{(\sqrt e-1)^2 (e+1)^2}{(\sqrt e+1)^4}",),
            ),
        ),
        formal=(
            *symbolic(le(*grows), given=ordered),
            *symbolic(le((STATE - 1) ** 2 / bit_information(), (STATE + 1) ** 2 / 4), given=between),
        ),
    )
