"""The least relative error of any distinct counter whose users touch one private cell each, for any memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, compared, lemma

STATE = sp.Symbol("S", real=True)
"""The largest likelihood ratio of a value of a cell, above 1."""

TOTAL = sp.Symbol("T", positive=True)
"""Its logarithm."""

untouched = sp.Symbol("z", real=True)
"""The probability that a cell is untouched."""


def bit_information(ratio: sp.Expr = STATE, chance: sp.Expr = untouched) -> sp.Expr:
    """The information of the symmetric bit, over the square of the derivative of the probability ``chance``."""
    return (ratio - 1) ** 2 / ((chance + (1 - chance) * ratio) * (chance * ratio + 1 - chance))


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
    sign = bounded(
        "below",
        r"The right side is not negative.",
        le(sp.S.Zero, rest),
        *_within,
        lines=r"0 &\le \frac{(L - \frac1S)(S - L)}{(z + (1-z) L)(z + \frac{1-z}{S})(z + (1-z) S)}",
        raised=sp.Rational(1, 1000),
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
        (derivative, chorded, sign, averaged),
        formal=(
            *symbolic(ge(rest, 0), given=_within),
            *symbolic(eq(line - _square, rest)),
            *symbolic(eq(line.subs(_ratio, 1), bit_information())),
        ),
    )


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
    after, change = sp.symbols("D c", real=True)
    step = over_entries(
        "touches",
        r"Let $c_i = |M^{i+1} P_0(A) - M^i P_0(A)|$ for an event $A$ and $i \ge 1$. It is $0$: $M M P_0 = M P_0$, and "
        r"equal distributions stay equal under $M$. By the triangle inequality, for every number of touches,",
        le(after, 0),
        sp.Symbol("k", integer=True, nonnegative=True),
        {after: change},
        (change,),
        ((0,), (0,)),
        r"|M^k P_0(A) - M P_0(A)| &\le \sum_{i=1}^{k-1} c_i \le 0",
        (le(change, 0),),
        raised=sp.Rational(1, 2),
    )
    return derived(
        Role.PUBLISHED,
        "cells that are touched several times",
        r"Let every touch of a cell, by whichever user, draw its new value from the old one by one Markov kernel $M$, "
        r"and let the distribution not depend on the number of touches by one user: $M M P_0 = M P_0$. Then $M^k P_0 "
        r"= P_1$ "
        r"for all $k \ge 1$: the number of touches is not seen, and the two distributions $P_0$ and $P_1 = M P_0$ are "
        r"all.",
        step,
    )


_WHOLE = 10_000
_STEPS = tuple(sp.Rational(one, 10) for one in (10, 18, 32, 56))
_DECADES = 5
_LOADS = (*(step * 10**decade for decade in range(_DECADES) for step in _STEPS), sp.Integer(10**_DECADES))
"""Numbers of users over the least one of the range."""
_FIRST, _LAST = -3, 16
"""Between them lies the logarithm of the inverse of the load at the least number of users, where balls are asked."""

_place = sp.Symbol("t", real=True)
_slope = sp.Symbol("K", positive=True)
_load, _chance = sp.symbols("x z", real=True)
_weights = sp.symbols(f"w_1:{len(_LOADS) + 1}", nonnegative=True)


@dataclass(frozen=True)
class Limit:
    """The least error for a total.

    Attributes
    ----------
    total
        The total T.
    error
        The least error, times the root of the number of users, or of the number of cells.
    near
        A load, or a place, at which the information is near the bound.
    """

    total: sp.Rational
    error: sp.Rational
    near: sp.Rational

    @property
    def slope(self) -> sp.Rational:
        """The bound on the information of a cell."""
        return 1 / self.error**2

    @property
    def case(self) -> dict[sp.Symbol, sp.Expr]:
        """The parameters of the relation that balls decide."""
        return {TOTAL: self.total, _slope: self.slope}


@dataclass(frozen=True)
class RangeLimit(Limit):
    """The least error on a range of numbers of users, and the weights that show it.

    Attributes
    ----------
    decades
        The number of decades of the range.
    weights
        The weights of the numbers of users, in multiples of 1/10000.
    """

    decades: int
    weights: tuple[int, ...]

    @property
    def case(self) -> dict[sp.Symbol, sp.Expr]:
        """The parameters of the relation that balls decide."""
        padded = (*self.weights, *(0,) * (len(_LOADS) - len(self.weights)))
        weights = {name: sp.Rational(one, _WHOLE) for name, one in zip(_weights, padded, strict=True)}
        return {**super().case, **weights}


RANGE_LIMITS = tuple(
    RangeLimit(sp.Rational(total), sp.Rational(error), sp.Rational(near), decades, weights)
    for (total, error, near), decades, weights in (
        (
            ("1/2", "14.6", "2.74"),
            5,
            (1330, 0, 507, 480, 399, 482, 411, 445, 444, 451, 429, 434, 452, 445, 436, 422, 473, 383, 585, 0, 992),
        ),
        (
            ("1", "7.629", "3.684"),
            5,
            (1372, 0, 471, 501, 394, 478, 414, 441, 445, 449, 429, 433, 450, 445, 434, 424, 466, 395, 560, 0, 999),
        ),
        (
            ("2", "4.37", "2.432"),
            5,
            (1487, 0, 410, 506, 407, 464, 416, 435, 442, 447, 425, 430, 447, 441, 431, 422, 458, 412, 511, 0, 1009),
        ),
        (("1", "6.13", "1.511"), 3, (2116, 0, 726, 776, 605, 738, 640, 670, 711, 614, 862, 0, 1542)),
        (("1", "4.149", "1.958"), 1, (4563, 0, 1922, 0, 3515)),
    )
)
"""The totals and ranges for which numbers are stated."""


def weighted_information(weights: Sequence[sp.Expr], loads: Sequence[sp.Expr], place: sp.Symbol = _place) -> sp.Expr:
    """The weighted information of a cell on ``log n`` at several numbers of users, for the total ``TOTAL``.

    Parameters
    ----------
    weights
        The weights.
    loads
        The numbers of users over the least one.
    place
        Minus the logarithm of the load at the least number.
    """
    ratio = sp.exp(TOTAL)
    return sp.Add(
        *(
            weight * (load * sp.exp(-place)) ** 2 * chance**2 * bit_information(ratio, chance)
            for weight, load in zip(weights, loads, strict=True)
            for chance in [sp.exp(-load * sp.exp(-place))]
        )
    )


def certified_range_part() -> Part:
    """The weights, and the bound for every rate."""
    square = (sp.exp(TOTAL) - 1) ** 2
    far = (_load > 0, _chance > 0, le(_chance * (1 + _load / 2) ** 2, 1))
    most = sp.Integer(10**_DECADES)
    return Part(
        Role.PUBLISHED,
        "five ranges",
        r"Let the range of the numbers of users have $d$ decades, and let a counter have $W$ cells. At some number of "
        r"users of the range the information on $\log n$ is at most $\frac{W}{c^2}$, so that the standard deviation of "
        r"an unbiased estimate of $\log n$ is at least $\frac{c}{\sqrt W}$. Here $(T, d, c)$ is $(\frac12, 5, 14.6)$, "
        r"$(1, 5, 7.629)$, $(2, 5, 4.37)$, $(1, 3, 6.13)$ or $(1, 1, 4.149)$. With 65536 cells, which are 8 KiB, "
        r"this is more than $5.7\%$, $2.98\%$, $1.7\%$, $2.39\%$ and $1.62\%$.",
        (
            lemma(
                "weights",
                r"The numbers of users are $1$, $1.8$, $3.2$, $5.6$ times powers of ten times the least number. Their "
                r"weights are multiples of $\frac{1}{10000}$ with the sum $1$.",
                computed_value(
                    "range_floor.weights",
                    "the sums of the weights, and the numbers of weights, of each of the five ranges",
                    lambda: [[sum(one.weights), len(one.weights)] for one in RANGE_LIMITS],
                    [[_WHOLE, 4 * one.decades + 1] for one in RANGE_LIMITS],
                ),
            ),
            lemma(
                "every_rate",
                rf"Let a cell have the rate $f$, and let $x$ be $f$ times the least number of users. For "
                rf"${_FIRST} \le -\log x \le {_LAST}$ balls show that the weighted information of the cell, with the "
                r"bound of distinct.cell\_optimal for each number of users, is below $K = \frac{1}{c^2}$.",
                exceeds_on_box(
                    "range_floor.every_rate",
                    _slope - weighted_information(_weights, _LOADS),
                    sp.S.Zero,
                    {_place: (sp.Integer(_FIRST), sp.Integer(_LAST))},
                    [one.case for one in RANGE_LIMITS],
                    close=[{_place: one.near} for one in RANGE_LIMITS],
                    stronger=sp.Rational(1, 2_000),
                ),
                (r"h(f) = \sum_i w_i I(n_i f) &< K",),
            ),
            bounded(
                "large",
                r"For a larger $x$, every load is at least this one. With $z = e^{-x}$ and $e^{x/2} \ge 1 + "
                r"\frac x2$, the information of a cell is at most $x^2 z^2 (S-1)^2 \le 4 z (S-1)^2$, as the product "
                r"under it is at least $1$.",
                le(_load**2 * _chance**2, 4 * _chance),
                *far,
                lines=r"x^2 z^2 &\le 4 z",
            ),
            compared(
                "ends",
                rf"With $x \ge e^{{{-_FIRST}}}$ this is below $K$. For $x \le e^{{-{_LAST}}}$ every load is at most "
                rf"$10^{_DECADES}\,e^{{-{_LAST}}}$, and the information at most its square times $(S-1)^2$.",
                *(
                    lt(end * square.subs(TOTAL, one.total), one.slope)
                    for one in RANGE_LIMITS
                    for end in (4 * sp.exp(-sp.exp(-_FIRST)), (most * sp.exp(-_LAST)) ** 2)
                ),
                lines=(
                    rf"4\,e^{{-e^{{{-_FIRST}}}}} (S-1)^2 < K, &\quad 10^{{{2 * _DECADES}}} e^{{-{2 * _LAST}}} (S-1)^2 "
                    r"< K",
                ),
            ),
            compared(
                "eight_kibibytes",
                r"With the part before and $\mu = 0$ the information is at most $K W$ at one of the numbers. With $W = "
                r"256^2$ the least standard deviations are",
                *(gt(one.error / 256, percent) for one, percent in zip(RANGE_LIMITS, _percents(), strict=True)),
                lines=(r"\frac{c}{256} &> 0.057,\ 0.0298,\ 0.017,\ 0.0239,\ 0.0162",),
            ),
        ),
        no_formula="the relation that balls decide is a sum of 21 terms with weights, and says to a reader less than "
        "the sentence",
    )


def _percents() -> tuple[sp.Rational, ...]:
    return tuple(sp.Rational(one, 10_000) for one in (570, 298, 170, 239, 162))


_cells = sp.Symbol("W", integer=True, nonnegative=True)
_information, _loads = sp.symbols("I X", real=True)
_one_information, _one_load = sp.symbols("i f", real=True)
_users = sp.Symbol("n", positive=True)
_END = 8


LIMITS = tuple(
    Limit(*map(sp.Rational, one)) for one in (("1/2", "4.753", "0.49"), ("1", "2.507", "0.47"), ("2", "1.495", "0.38"))
)
"""The totals for which numbers are stated."""


def distinct_floor() -> Claim:
    """The bound for any number of cells, three numbers, and the number of users that is not random."""
    return Claim(
        id="distinct.floor",
        title="The least error of a distinct counter with private cells, for any memory",
        references=(Reference("here", "for the distinct counter"),),
        statement=r"Let each user touch one cell or none, by a public hash, and let the cells be as in "
        r"distinct.cell\_optimal for the total $T$, with any geometry, any number of cells and any alphabets. Let the "
        r"number of users be Poisson with mean $n$. Every unbiased estimate of $\log n$ has the standard deviation "
        r"$\frac{c(T)}{\sqrt n}$ or more, where $c(T)^{-2}$ is the largest value of "
        r"$\frac{x\,e^{-2x} (S-1)^2}{(e^{-x} + (1-e^{-x}) S)(e^{-x} S + 1 - e^{-x})}$, $S = e^T$. It is $c(1) \ge "
        r"2.507$, $c(\frac12) \ge 4.753$ and $c(2) \ge 1.495$. For counters with $W$ cells and a range of numbers of "
        r"users there is a bound by linear programming. On five decades and with $T = 1$ the standard deviation is "
        r"$\frac{7.629}{\sqrt W}$ or more at some number of users: no geometry of 8 KiB is better than $2.98\%$ on all "
        r"of such a range.",
        hypotheses=(
            r"$T > 0$",
            "all likelihood ratios of a touched and an untouched cell are between $e^{-T}$ and $e^T$",
            "the cells are independent given the touched ones",
        ),
        notation=(
            (
                "$I$, $I_j$, $x_j$",
                "information of all cells; that of the cell $j$, and the expected number of its users",
            ),
            ("$d$, $t$", "number of decades of a range; minus the logarithm of the load at its least number of users"),
            (r"$G$, $\mu$", r"numbers for which the line $G + \mu f$ is at least $h(f)$ for all rates"),
        ),
        silent=(
            r"The estimate may use all cells without noise: noise on the output makes the error larger.",
            r"Cells of two users, and cells that tell the number of users who touched them, are not covered.",
        ),
        uses=("distinct.cell_optimal", "distinct.error"),
        in_words=(
            (
                "all_cells",
                "given a Poisson number of users the cells are independent, so that the information of all is "
                "the sum of theirs; an estimate from all cells has at most this information",
            ),
            (
                "far",
                r"the two ranges of $x$ together are all $x > 0$",
            ),
            (
                "total_variance",
                r"given $N$ the estimate has the mean $N$ and the variance $v(N)$, so that its variance is the "
                r"sum of the mean of $v(N)$ and the variance of $N$, which is $n$",
            ),
            (
                "cells",
                "cells are independent, so that the information of all cells at a number of users is the sum of theirs",
            ),
        ),
        parts=(_any_memory(), _numbers(), _given_number(), _range_and_memory(), certified_range_part()),
        remark=r"For a number of users that is not random, $1$ is taken from $c(T)^2$, as the third part says.",
    )


def _product() -> sp.Expr:
    """The product of the probabilities of both values of the bit, times ``(1 + S)**2``."""
    return (untouched + (1 - untouched) * STATE) * (untouched * STATE + 1 - untouched)


def _any_memory() -> Part:
    variance = le(1 / (_slope * _users), 1 / _one_information)
    within = (_one_information > 0, le(_one_information, _slope * _users))
    all_cells = over_entries(
        "all_cells",
        r"Given a Poisson number of users, the cells are independent (distinct.error), and the information of all is "
        r"the sum of theirs. By distinct.cell\_optimal that of a cell depends on $x$ alone.",
        le(_information, _slope * _loads),
        _cells,
        {_information: _one_information, _loads: _one_load},
        (_one_information, _one_load),
        ((1, 1), (2, 2)),
        r"\sum_j I_j &\le K \sum_j x_j",
        (le(_one_information, _slope * _one_load),),
        at={_slope: sp.S.One},
    )
    return derived(
        Role.PUBLISHED,
        "any number of cells",
        r"If the information of each cell is at most $K x$, where $x$ is the expected number of users who touch it, "
        r"then that of all cells is at most $K n$, and the variance of $\log n$ at least $\frac{1}{K n}$.",
        all_cells,
        bounded(
            "least_variance",
            r"A user touches at most one cell, so that $\sum_j x_j \le n$. With the bound of Cramér and Rao "
            r"(distinct.error) the variance is at least $\frac{1}{I}$.",
            le(variance.lhs, variance.rhs),
            *within,
            lines=r"\frac{1}{K n} &\le \frac1I",
        ),
    )


def _numbers() -> Part:
    ratio, chance = sp.exp(TOTAL), sp.exp(-_load)
    apart = (_slope * _product() - _load * untouched**2 * (STATE - 1) ** 2).subs({STATE: ratio, untouched: chance})
    box = {_load: (sp.Integer(0), sp.Integer(_END))}
    cases = [one.case for one in LIMITS]
    chances = (STATE > 1, untouched >= 0, untouched <= 1)
    far = (_load > 0, untouched > 0, le(untouched * (1 + _load), 1))
    return Part(
        Role.PUBLISHED,
        "three numbers",
        r"For $x > 0$ the information of a cell is below $K x$, for $(T, K) = (\frac12, 4.753^{-2})$, $(1, "
        r"2.507^{-2})$ and $(2, 1.495^{-2})$.",
        (
            equal_as(
                "information",
                r"By distinct.cell\_optimal, with $z = e^{-x}$, the information of a cell is at most",
                (
                    lambda: _load**2 * untouched**2 * bit_information(),
                    _load**2 * untouched**2 * (STATE - 1) ** 2 / _product(),
                ),
                r"&\frac{x^2 z^2 (S-1)^2}{(z + (1-z) S)(z S + 1 - z)}",
            ),
            lemma(
                "near",
                rf"For $0 \le x \le {_END}$ balls show that the following is positive.",
                exceeds_on_box(
                    "floor.near",
                    apart,
                    sp.S.Zero,
                    box,
                    cases,
                    close=[{_load: one.near} for one in LIMITS],
                    stronger=sp.Rational(1, 100),
                ),
                (r"K\,(z + (1-z) S)(z S + 1 - z) - x z^2 (S-1)^2 &> 0",),
            ),
            bounded(
                "product",
                r"For larger $x$, the product is at least $1$.",
                le(sp.S.One, _product()),
                *chances,
                lines=r"1 &\le (z + (1-z) S)(z S + 1 - z)",
            ),
            bounded(
                "small",
                r"Also $x z \le 1$, since $e^x \ge 1 + x$, and so",
                le(_load * untouched**2, untouched),
                *far,
                lines=r"x z^2 &\le z",
            ),
            compared(
                "far",
                rf"With $z \le e^{{-{_END}}}$ the information is below $K x$ for each of the three.",
                *(lt(sp.exp(-_END) * (sp.exp(one.total) - 1) ** 2, one.slope) for one in LIMITS),
                lines=(rf"e^{{-{_END}}} (S-1)^2 &< K",),
            ),
        ),
        formal=(
            *symbolic(
                gt(apart, 0),
                given=(
                    ge(_load, 0),
                    le(_load, _END),
                    sp.Or(*(sp.And(*(eq(s, v) for s, v in case.items())) for case in cases)),
                ),
            ),
            *symbolic(ge(_product(), 1), given=chances),
            *symbolic(le(_load * untouched**2, untouched), given=far),
        ),
    )


def _given_number() -> Part:
    average = sp.Symbol("v", real=True)
    return derived(
        Role.PUBLISHED,
        "a number of users that is not random",
        r"Let an estimate be unbiased for every number of users, with the variance $v(n)$. Then the average of $v(N)$ "
        r"over a Poisson number $N$ with mean $n$ is at least $(c(T)^2 - 1)\,n$.",
        equal_as(
            "total_variance",
            r"Under the Poisson number the estimate is unbiased for $n$. Its variance is that of its mean, which "
            r"is $N$, and the average $v$ of $v(N)$. The information on $n$ is that on $\log n$ over $n^2$, and so "
            r"at most $\frac{K}{n}$. The variance is at least the inverse of this.",
            (lambda: 1 / (_slope * _users / _users**2), _users / _slope),
            r"v + n &\ge \frac{1}{K n / n^2} = \frac{n}{K}",
        ),
        bounded(
            "rest",
            r"So, with $K = c(T)^{-2}$,",
            le((1 / _slope - 1) * _users, average),
            le(_users, _slope * (average + _users)),
            average > 0,
            lines=r"\left(c(T)^2 - 1\right) n &\le v",
        ),
        only=("rest",),
    )


def _range_and_memory() -> Part:
    value, price, gains, shares, gain, share = sp.symbols("G mu H F h f", real=True)
    least, mixed, whole, one, weight = sp.symbols("a P Q i w", real=True)
    points = over_entries(
        "points",
        r"The least information $a$ at these numbers is at most their average.",
        ge(mixed, least * whole),
        sp.Symbol("k", integer=True, nonnegative=True),
        {mixed: weight * one, whole: weight},
        (one, weight),
        ((1, 1),),
        r"\sum_i w_i I(n_i) &\ge a \sum_i w_i = a",
        (weight >= 0, ge(one, least)),
        at={least: sp.S.One},
        weaker=sp.Rational(1001, 1000),
    )
    cells = over_entries(
        "cells",
        r"The average is the sum of $h(f_j)$ over the cells, and $\sum_j f_j \le 1$.",
        le(gains, value * _cells + price * shares),
        _cells,
        {gains: gain, shares: share},
        (gain, share),
        ((2, 1), (2, 1)),
        r"\sum_j h(f_j) &\le G W + \mu \sum_j f_j \le G W + \mu",
        (le(gain, value + price * share),),
        at={value: sp.S.One, price: sp.S.One},
    )
    return derived(
        Role.PUBLISHED,
        "a range and a memory",
        r"Let a counter have $W$ cells with the rates $f_j$, $\sum_j f_j \le 1$, and let $n_1, \ldots, n_k$ be numbers "
        r"of users with weights $w_i \ge 0$ of sum $1$. If $h(f) = \sum_i w_i I(n_i f) \le G + \mu f$ for all rates "
        r"$f$, with $\mu \ge 0$, then at one of these numbers the information is at most $G W + \mu$.",
        points,
        cells,
    )


CLAIMS = {"distinct.cell_optimal": distinct_cell_optimal, "distinct.floor": distinct_floor}
