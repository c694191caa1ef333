"""The union of two distinct counters with the same cells: the distribution of its table, and its loss."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.claims.distinct_counter.floor import RANGE_LIMITS, STATE, bit_information, untouched
from pan_proofs.density.lemmas.joint_loss import E, p0, p1, r
from pan_proofs.engines.relations import gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import bounded, compared

_load, _gap = sp.symbols("x g", real=True)
_one, _two = sp.symbols("a b", real=True)
_most = sp.Symbol("F", real=True)
_values = sp.symbols("pi_1:5", positive=True)
_rests = sp.symbols("k_1:5", real=True)
_SIGNS = (1, -1, -1, 1)
_share = sp.Symbol("u", real=True)


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
    return derived(
        Role.PUBLISHED,
        "the least error with both states seen",
        r"Let the states of both counters be seen, let $T$ be the promised loss, and let the numbers of users be "
        r"Poisson numbers. Let the numbers of users of both counters even be known. Then every release that is made "
        r"from both bitmaps has, for each pair of cells, at most $\frac{(E-1)^2 (E^2+1)^2}{(E+1)^4}$ times the "
        r"information on $\log n$ of the symmetric bit in distinct.cell\_optimal, with $E = e^{T/2}$. For $T = 1$, 8 "
        r"KiB and five decades the standard deviation for the union is more than $8.6\%$ at some number of users.",
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
        bounded(
            "each_value",
            r"Every $\pi_c$ is a mixture of products of two of the numbers $q$ and $p = E q$: with weights $a$ for "
            r"$p q$ and $b$ for $p^2$ it is at least $q^2$. So $\sum_c \frac{1}{\pi_c} \le \frac{4}{q^2}$.",
            le(sp.S.One, (1 - _one - _two) + _one * E + _two * E**2),
            *weights,
            lines=r"1 &\le (1 - a - b) + a E + b E^2",
        ),
        bounded(
            "bit",
            r"With $S = e^T$ the symmetric bit has the information $x^2 z^2 (S-1)^2$ over this product.",
            le((STATE - 1) ** 2 / bit_information(), (STATE + 1) ** 2 / 4),
            *between,
            lines=r"(z + (1-z) S)(z S + 1 - z) &\le \frac{(S+1)^2}{4}",
        ),
        bounded(
            "largest_odds",
            r"With $g = \frac{E-1}{E+1}$ and $q = \frac{1}{1+E}$ the number $\frac{g^2}{q}$ grows with $E$.",
            le(grows[0], grows[1]),
            *ordered,
            lines=r"\frac{(E-1)^2}{E+1} &\le \frac{(F-1)^2}{F+1} \qquad (1 \le E \le F)",
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
        only=(
            "bit",
            "largest_odds",
        ),
    )


def distinct_union() -> Claim:
    """The ratio of one pair of cells, both losses, and the distribution of the table."""
    return Claim(
        id="distinct.union",
        title="The union of two distinct counters",
        references=(Reference("here", "for two distinct counters that saw overlapping users"),),
        statement=r"Let two distinct counters have the same cells and levels, so that a user has the same cell in "
        r"both. All bits are drawn independently, from $\operatorname{Bernoulli}(\frac{1}{1+E})$ at first and from "
        r"$\operatorname{Bernoulli}(\frac{E}{1+E})$ at each appearance of a user in this counter, $E = "
        r"e^{\varepsilon_1} > 1$. In the end the two bitmaps are brought together. For each level and each of the four "
        r"values of a pair of bits, the number of cells with this value is released with noise, and nothing else. The "
        r"noise of a level has the distribution $P(N = x) \propto r^{-|x_1| - |x_2| - |x_3| - |x_4|}$, $r > 1$, on "
        r"whole "
        r"numbers with $x_1 + x_2 + x_3 + x_4 = 0$. With $p = \frac{E}{1+E}$ and $q = 1 - p$, the joint privacy loss, "
        r"user-level, of all released counts and of one intrusion in one of the counters is exactly "
        r"$\log\left(E\,(q + p\,r^2)\right)$. With one intrusion in each counter it is exactly "
        r"$\log\left(E^2\,(q^2 + (1 - q^2)\,r^2)\right)$. "
        r"For any other pair of probabilities the loss is the largest of finitely many ratios. They are those for the "
        r"patterns of a user's appearances, the seen bits, and the sets of counts at which a number $\rho_c$ is $r$. "
        r"If both states are seen, no release has a small error: with a loss of $1$ for both and 8 KiB it is above "
        r"$8.6\%$ for the union at some number of users of five decades.",
        hypotheses=(
            r"$\varepsilon_1 > 0$, $r > 1$",
            "all draws and all noise are independent",
            "cells, levels and the time of the release do not depend on the streams",
        ),
        notation=(
            (
                r"$z$, $x$, $g$",
                r"probability that a cell is untouched in both counters, its negative logarithm, and $p - q$",
            ),
            ("$a$, $b$; $F$", "in the bound of the error: weights of a mixture; a number that is at least $E$"),
            (
                r"$\rho$; $a$, $b$, $c$, $d$",
                r"in a derivative: one of the numbers $\rho_c$, and constants, so that $a + b\rho$ and $c + d\rho$ are "
                "the densities for the two streams, but for a constant",
            ),
        ),
        silent=(
            r"The intrusions come before the release, after which both states are erased.",
            r"Streams are adjacent if they differ in the appearances of one user in both counters.",
            r"Where the bitmaps are brought together they are seen by nobody.",
            r"Coq has four independent noises on the numbers. Noise whose sum is zero, on numbers whose sum is public, "
            r"has the same weights but for a constant",
        ),
        uses=("distinct.joint_privacy", "distinct.order_free", "distinct.cell_optimal", "distinct.floor"),
        in_words=(
            (
                "monotone",
                "a quotient that is monotone in each of the four numbers is largest where each of them is at an "
                "end of its range",
            ),
        ),
        parts=(_ends(), *_losses(), _table(), both_seen_part()),
        remark=r"The loss for one look is that of two releases of one counter. A user moves one cell from one count to "
        r"another, so that two counts change by one.",
    )


def _ends() -> Part:
    a, b, c, d = sp.symbols("a b c d", positive=True)
    rho = sp.Symbol("rho", positive=True)
    ratio = (a + b * rho) / (c + d * rho)
    return derived(
        Role.PUBLISHED,
        "the ends of the noise",
        r"A ratio of two likelihoods is largest where each of the four numbers $\rho_c = r^{|y_c| - |y_c - 1|}$ is "
        r"$r$ or $\frac1r$. If $\rho_c = r$ for the values $c$ of a set, which has the probability $u$ in one stream "
        r"and $v$ in the other, it is $\frac{1 + u\,(r^2 - 1)}{1 + v\,(r^2 - 1)}$.",
        equal_as(
            "monotone",
            r"Let a user have a cell that nobody else touches, and let $y_c$ be the released counts without the "
            r"other cells, so that their sum is $1$. If the pair of bits has the value $c$ in the end, the noise "
            r"is $y$ with $y_c - 1$ in the place of $y_c$. With the probabilities $\pi_c$ of the values, the "
            r"density is $\sum_c \pi_c \rho_c$ times a constant. In each $\rho_c$ the ratio of two such sums is "
            r"monotone: its derivative is a constant over a square. With the sum $1$ every set of one, two or "
            r"three of the $\rho_c$ can be $r$. With none and with all the ratio is $1$.",
            (lambda: sp.simplify(sp.diff(ratio, rho)), (b * c - a * d) / (c + d * rho) ** 2),
            r"\frac{\partial}{\partial \rho} \frac{a + b\rho}{c + d\rho} &= \frac{b c - a d}{(c + d\rho)^2}",
        ),
        equal_as(
            "at_the_ends",
            r"Where $\rho_c = r$ on a set of probability $u$, and $\frac1r$ elsewhere,",
            (lambda: (_share * r + (1 - _share) / r) * r, 1 + _share * (r**2 - 1)),
            r"r \left(u\,r + (1-u)\,\tfrac1r\right) &= 1 + u\,(r^2 - 1)",
        ),
        only=("at_the_ends",),
    )


def _losses() -> tuple[Part, ...]:
    """Both losses, for any number of users, cells and levels."""
    rows = (
        (
            "an intrusion in one counter",
            r"The largest ratio is $E\,(q + p\,r^2)$, for any number of users, cells and levels. It is attained: a $0$ "
            r"is seen, the user then appears in $S$ in the first counter, and in $S'$ appeared before the intrusion "
            r"only.",
            ("union_one_look", "union_one_attained"),
        ),
        (
            "an intrusion in each counter",
            r"The largest ratio is $E^2\,(q^2 + (1 - q^2)\,r^2)$, for any number of users, cells and levels. It is "
            r"attained: two zeros are seen, the user then appears in $S$ in both counters, and in $S'$ appeared in "
            r"both before the intrusions only.",
            ("union_two_looks", "union_two_attained"),
        ),
    )
    return tuple(Part(Role.PUBLISHED, title, statement, (), theorems=theorems) for title, statement, theorems in rows)


def _table() -> Part:
    neither, one, other = sp.symbols("z a b", real=True)
    distributions = {(0, 0): neither, (0, 1): one - neither, (1, 0): other - neither, (1, 1): 1 - one - other + neither}
    pair = (p0, p1)

    def both_ones() -> sp.Expr:
        return sum(chance * pair[first] * pair[second] for (first, second), chance in distributions.items())

    def whole() -> sp.Expr:
        return sp.expand(sum(distributions.values()))

    gap = p1 - p0
    means = (p1 - gap * one, p1 - gap * other)
    return derived(
        Role.PUBLISHED,
        "the distribution of the table",
        r"Let a cell be untouched in the first counter with probability $a$, in the second with probability $b$, and "
        r"in both with probability $z$, which the users of the union touch. Then both bits are one with probability "
        r"$(p_{\mathrm{upd}} - g a)(p_{\mathrm{upd}} - g b) + g^2 (z - a b)$, where $g = p_{\mathrm{upd}} - "
        r"p_{\mathrm{init}}$. So the table tells of the union.",
        equal_as(
            "whole",
            r"The cell is touched in neither, in one or in both counters, with the probabilities $z$, $a - z$, "
            r"$b - z$ and $1 - a - b + z$, whose sum is",
            (whole, sp.S.One),
            r"z + (a - z) + (b - z) + (1 - a - b + z) &= 1",
        ),
        equal_as(
            "both_ones",
            r"Given this, both bits are independent (distinct.order\_free).",
            (both_ones, means[0] * means[1] + gap**2 * (neither - one * other)),
            r"P(1, 1) &= (p_{\mathrm{upd}} - g a)(p_{\mathrm{upd}} - g b) + g^2 (z - a b)",
        ),
        only=("both_ones",),
    )


CLAIMS = {"distinct.union": distinct_union}
