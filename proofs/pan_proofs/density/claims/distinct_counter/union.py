"""The union of two distinct counters with the same cells: the distribution of its table, and its loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import sympy as sp

from pan_proofs.density.claims.distinct_counter.floor import RANGE_LIMITS, STATE, bit_information, untouched
from pan_proofs.density.lemmas.joint_loss import E, p, p0, p1, q, r
from pan_proofs.density.lemmas.joint_loss import Setting as Region
from pan_proofs.density.lemmas.shared_observations import (
    Bits,
    Event,
    Look,
    Noise,
    Output,
    Pair,
    Setting,
    Touch,
)
from pan_proofs.engines.computations import computed_value, in_every_case
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.foundations.sums_over_terms import stated_single_term, stated_weighted_sums, weighted_sums
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, compared, lemma

Values = frozenset[tuple[int, int]]
"""Values of a pair of bits."""

VALUES: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (1, 0), (1, 1))
"""The values of a pair of bits."""


@dataclass(frozen=True)
class PairDistribution:
    """Two independent bits.

    Attributes
    ----------
    first, second
        The probabilities of a one.
    """

    first: sp.Expr
    second: sp.Expr

    def of(self, values: Values) -> sp.Expr:
        """The probability of a set of values."""
        bits = [(1 - chance, chance) for chance in (self.first, self.second)]
        return sp.sympify(sum(bits[0][one] * bits[1][other] for one, other in values))

    @property
    def any_one(self) -> sp.Expr:
        """The probability that one of the bits is a one."""
        return self.of(frozenset(VALUES) - {(0, 0)})


def final_distributions(*, seen: int) -> Mapping[Any, PairDistribution]:
    """The distributions of the bits in the end, by what was seen and whether each counter drew its bit again.

    Parameters
    ----------
    seen
        1 if the bit of the first counter was seen, 2 if both were.
    """
    distributions: dict[Any, PairDistribution] = {}
    for bits in product((0, 1), repeat=seen):
        for draws in product(("never", "drawn"), repeat=2):
            first = p if draws[0] == "drawn" else sp.Integer(bits[0])
            kept = sp.Integer(bits[1]) if seen == 2 else q
            distributions[(*bits, *draws)] = PairDistribution(first, p if draws[1] == "drawn" else kept)
    return distributions


def sets_of_values() -> tuple[Values, ...]:
    """All sets of values but the empty one and the whole."""
    return tuple(frozenset(one) for size in (1, 2, 3) for one in combinations(VALUES, size))


def differences(distributions: Mapping[Any, PairDistribution]) -> list[sp.Expr]:
    """All differences of the probabilities of a set, for two distributions with the same seen bits; each form once."""
    seen = len(next(iter(distributions))) - 2
    pairs = [(one, other) for one, other in product(distributions, repeat=2) if one[:seen] == other[:seen]]
    sets = sets_of_values()
    chances = {
        name: [sp.cancel(distribution.of(values)) for values in sets] for name, distribution in distributions.items()
    }
    # Most of them are the same before they are brought to one form.
    raw = {one - other for pair in pairs for one, other in zip(*(chances[name] for name in pair), strict=True)}
    return sorted({sp.cancel(one) for one in raw}, key=sp.default_sort_key)


def bounded(difference: sp.Expr, bound: sp.Expr) -> bool:
    """Whether a rational function of E is at most another for all ``E >= 1``, as the signs of coefficients tell.

    With ``E = 1 + h`` the numerator and the denominator of the rest must have no negative coefficient.
    """
    above = sp.Symbol("h", nonnegative=True)
    rest = sp.fraction(sp.cancel(sp.together((bound - difference).subs(E, 1 + above))))
    signs = [[one >= 0 for one in sp.Poly(part, above).all_coeffs()] for part in rest]
    return all(map(all, signs))


def loss_of_one() -> sp.Expr:
    """The exponential of the loss with an intrusion in one counter."""
    return E * (1 + E * r**2) / (1 + E)


def loss_of_both() -> sp.Expr:
    """The exponential of the loss with an intrusion in each counter."""
    return E**2 * (1 + (E**2 + 2 * E) * r**2) / (1 + E) ** 2


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


_ODDS, _RATE = Fraction(3, 2), Fraction(2)
_PAIR: Pair = (1 / (1 + _ODDS), _ODDS / (1 + _ODDS))
_share, _other, _bound, _square = sp.symbols("u v t y", real=True)


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
            ("$a$, $b$", "in the bound of the error: weights of a mixture"),
            (
                r"$\rho$; $a$, $b$, $c$, $d$",
                r"in a derivative: one of the numbers $\rho_c$, and constants, so that $a + b\rho$ and $c + d\rho$ are "
                "the densities for the two streams, but for a constant",
            ),
            (
                "$F$, $X$, $Y$, $a$, $x$, $y$",
                "in the step on mixtures: the factor, the two sums so far, and the weight and the densities of the "
                "next term",
            ),
            (
                "$h$, $g$",
                "joint densities of what is seen of all cells, and of the pair of bits of the cell $j$ alone",
            ),
            ("$s$, $s_j$", "the bits that are seen at the intrusions, and those of the cell $j$ among them"),
            (
                r"$w_s$, $\pi_s(n)$",
                "probability that the bits of the other cells are seen as in $s$, and that these cells then add $n$ to "
                "the counts",
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
            (
                "whole_runs",
                "of any number of draws of one cell between two neighbours only the last one has an influence "
                "on what is seen, and the bits of the other cells have one distribution in both streams; so the joint "
                "density is the mixture that is displayed, for every number of users, cells and levels",
            ),
        ),
        parts=(_ends(), _one_look(), _two_looks(), _all_users(), _table(), both_seen_part()),
        remark=r"The loss for one look is that of two releases of one counter. A user moves one cell from one count to "
        r"another, so that two counts change by one.",
    )


def _ends() -> Part:
    a, b, c, d = sp.symbols("a b c d", positive=True)
    rho = sp.Symbol("rho", positive=True)
    ratio = (a + b * rho) / (c + d * rho)
    return Part(
        Role.PUBLISHED,
        "the ends of the noise",
        r"A ratio of two likelihoods is largest where each of the four numbers $\rho_c = r^{|y_c| - |y_c - 1|}$ is "
        r"$r$ or $\frac1r$. If $\rho_c = r$ for the values $c$ of a set, which has the probability $u$ in one stream "
        r"and $v$ in the other, it is $\frac{1 + u\,(r^2 - 1)}{1 + v\,(r^2 - 1)}$.",
        (
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
            at_most(
                "difference",
                r"With $y = r^2 \ge 1$ and $u \le v + t$ the ratio is at most $1 + t\,(y - 1)$.",
                Inequality(
                    "union.difference",
                    1 + _share * (_square - 1),
                    (1 + _bound * (_square - 1)) * (1 + _other * (_square - 1)),
                    _of_shares(),
                    touching={_square: 1},
                ),
                (r"1 + u\,(y-1) &\le (1 + t\,(y-1))\,(1 + v\,(y-1))",),
            ),
        ),
        formal=symbolic(
            le(1 + _share * (_square - 1), (1 + _bound * (_square - 1)) * (1 + _other * (_square - 1))),
            given=_of_shares(),
        ),
    )


def _of_shares() -> tuple[sp.Basic, ...]:
    return (_square >= 1, _other >= 0, _bound >= 0, le(_share, _other + _bound))


def _one_look() -> Part:
    return Part(
        Role.PUBLISHED,
        "an intrusion in one counter",
        r"The ratio is at most $E\,(q + p\,r^2)$, and this is attained.",
        (
            lemma(
                "one_look",
                r"Let the bit of the first counter be seen as $s$. Its probability differs by a factor of at most "
                r"$\frac pq = E$. In the end the first bit is $s$ or drawn again, and the second has a one with "
                r"probability $q$ or $p$, independently. For each set of values the probabilities $u$ and $v$ of two "
                r"of these four distributions differ by at most $p$.",
                _shifts("one_look", 1, p),
                (r"u &\le v + p",),
            ),
            equal_as(
                "one_look_attained",
                r"It is attained: a $0$ is seen, the user then appears in $S$ in the first counter, and in $S'$ "
                r"appeared before the intrusion only. The set is that of the values with a one in the first counter.",
                (
                    lambda: p / q * (1 + final_distributions(seen=1)[0, "drawn", "never"].first * (r**2 - 1)),
                    E * (q + p * r**2),
                    loss_of_one(),
                ),
                r"\frac pq \left(1 + p\,(r^2 - 1)\right) &= E\,(q + p\,r^2)",
            ),
        ),
        formal=symbolic(eq(sp.Symbol("ratio"), loss_of_one())),
        theorems=("union_one_look", "union_one_attained"),
    )


def _shifts(name: str, seen: int, bound: sp.Expr) -> Obligation:
    """That the probability of a set of values changes by at most a bound, for every E."""
    return in_every_case(
        f"{name}.shifts",
        f"each difference of the probabilities of a set of values is at most {sp.sstr(bound)} for all E >= 1, as the "
        "coefficients in E - 1 show",
        differences(final_distributions(seen=seen)),
        lambda one: bounded(one, bound),
        mutant=lambda one: bounded(one, sp.Rational(99, 100) * bound),
    )


def _two_looks() -> Part:
    return Part(
        Role.PUBLISHED,
        "an intrusion in each counter",
        r"The ratio is at most $E^2\,(q^2 + (1 - q^2)\,r^2)$, and this is attained.",
        (
            lemma(
                "two_looks",
                r"Let both bits be seen. The probability of what is seen differs by a factor of at most $E^2$. In the "
                r"end each bit is as it was seen, or drawn again. The probabilities of a set of values differ by at "
                r"most $1 - q^2$.",
                _shifts("two_looks", 2, 1 - q**2),
                (r"u &\le v + 1 - q^2",),
            ),
            equal_as(
                "two_looks_attained",
                r"It is attained: two zeros are seen, the user then appears in $S$ in both counters, and in $S'$ "
                r"appeared in both before the intrusions only. The set is that of the values with a one.",
                (
                    lambda: (
                        (p / q) ** 2 * (1 + final_distributions(seen=2)[0, 0, "drawn", "drawn"].any_one * (r**2 - 1))
                    ),
                    E**2 * (q**2 + (1 - q**2) * r**2),
                    loss_of_both(),
                ),
                r"\frac{p^2}{q^2} \left(1 + (1 - q^2)(r^2 - 1)\right) &= E^2\,(q^2 + (1 - q^2)\,r^2)",
            ),
        ),
        formal=symbolic(eq(sp.Symbol("ratio"), loss_of_both())),
        theorems=("union_two_looks", "union_two_attained"),
    )


def _all_users() -> Part:
    within = Region("symmetric").hypotheses
    return Part(
        Role.PUBLISHED,
        "all users, cells and levels",
        r"With any number of users, cells and levels both losses are the same.",
        (
            weighted_sums(
                "mixture",
                r"A bound passes to mixtures. If $x_n \le F\,y_n$ for all $n$, then $\sum_n a_n x_n \le F \sum_n a_n "
                r"y_n$ for all weights $a_n \ge 0$. By induction: let $X \le F\,Y$ be the sums so far; one more term "
                r"keeps this. The same holds for integrals, so that a bound on a ratio of densities is one on the "
                r"probabilities of all events.",
            ),
            _whole_runs(),
        ),
        formal=tuple(
            text
            for loss in (loss_of_one(), loss_of_both())
            for text in (*stated_weighted_sums(loss, within), *stated_single_term(loss, within))
        ),
        theorems=("union_one_look", "union_two_looks", "union_one_attained", "union_two_attained"),
    )


def _whole_runs() -> Step:
    places = "all places of the looks among two moments, at E = 3/2 and r = 2"
    stated = {looks: _stated(looks) for looks in (1, 2)}
    return lemma(
        "whole_runs",
        r"Let the streams differ in a user with the cell $j$. Between two neighbours among the looks and the release "
        r"the last draw of a bit is left, by whomever. So touches of $j$ by others, which are in both streams, leave "
        r"two of the patterns of a user alone. The other cells have one distribution in both streams, and shift the "
        r"counts. So "
        r"the joint density is a mixture of shifts of that of one pair of bits. The whole mechanism, run in fractions "
        r"with one cell that others touch as well, and with two cells, gives these numbers.",
        (
            in_every_case(
                "whole_runs.pairs",
                f"no pair of streams exceeds the stated number, with one look and with two, {places}",
                ((ratio, looks) for looks in (1, 2) for cells in (1, 2) for ratio in _ratios(looks, cells)),
                lambda case: case[0] <= stated[case[1]],
                mutant=lambda case: case[0] < stated[case[1]],
            ),
            computed_value(
                "whole_runs.largest",
                f"the largest ratios with one cell, for one look and for two, {places}",
                lambda: [max(_ratios(looks, 1)) for looks in (1, 2)],
                [Fraction(21, 5), Fraction(198, 25)],
            ),
        ),
        (r"h(s, y) &= w_s \sum_n \pi_s(n)\, g(s_j, y - n)",),
    )


def _stated(looks: int) -> Fraction:
    high, low = _PAIR[1], _PAIR[0]
    if looks == 1:
        return _ODDS * (low + high * _RATE**2)
    return _ODDS**2 * (low**2 + (1 - low**2) * _RATE**2)


@cache
def _ratios(looks: int, cells: int) -> tuple[Fraction, ...]:
    """The cells of the first counter come first; others touch the first cell of both, and every further one."""

    def table(bits: Bits) -> tuple[int, ...]:
        pairs = list(zip(bits[:cells], bits[cells:], strict=True))
        return tuple(pairs.count(value) for value in VALUES)

    first, second = Look(tuple(range(cells))), Look(tuple(range(cells, 2 * cells)))
    schedule: tuple[Event, ...] = (first, Output(table)) if looks == 1 else (first, second, Output(table))
    own: tuple[Touch, ...] = (0, cells, (0, cells))
    # With two cells the streams are fewer: the other user touches the second cell of the first counter.
    others: tuple[Touch, ...] = (0, cells) if cells == 1 else (1,)
    moments = 2 if cells == 1 else 1
    noise = Noise(1 / _RATE, 1 / _RATE)
    return tuple(Setting(2 * cells, own, others, schedule).ratios(moments, _PAIR, noise, last=True, zero_sum=True))


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
    return Part(
        Role.PUBLISHED,
        "the distribution of the table",
        r"Let a cell be untouched in the first counter with probability $a$, in the second with probability $b$, and "
        r"in both with probability $z$, which the users of the union touch. Then both bits are one with probability "
        r"$(p_{\mathrm{upd}} - g a)(p_{\mathrm{upd}} - g b) + g^2 (z - a b)$, where $g = p_{\mathrm{upd}} - "
        r"p_{\mathrm{init}}$. So the table tells of the union.",
        (
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
        ),
        formal=symbolic(
            eq(
                sum(chance * pair[first] * pair[second] for (first, second), chance in distributions.items()),
                means[0] * means[1] + gap**2 * (neither - one * other),
            ),
        ),
    )


CLAIMS = {"distinct.union": distinct_union}
