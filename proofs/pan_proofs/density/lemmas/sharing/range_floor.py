"""The least error of a distinct counter on a range of numbers of users, by certified weights of its numbers of users.

The weights are a solution of the dual of a linear programme, rounded to multiples of 1/10000. Nothing of the programme
is trusted: balls bound the weighted information of a cell for every rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from pan_proofs.density.lemmas.sharing.counter_information import TOTAL, bit_information
from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.relations import gt, le, lt
from pan_proofs.ledger.claim import Part, Role
from pan_proofs.ledger.steps import at_most, compared, lemma

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
class RangeLimit:
    """A total, a range, the least error on it times the root of the number of cells, and the weights that show it.

    Attributes
    ----------
    total
        The total T.
    decades
        The number of decades of the range.
    error
        The least error times the root of the number of cells.
    weights
        The weights of the numbers of users, in multiples of 1/10000.
    near
        A place at which the weighted information is near the bound.
    """

    total: sp.Rational
    decades: int
    error: sp.Rational
    weights: tuple[int, ...]
    near: sp.Rational

    @property
    def slope(self) -> sp.Rational:
        """The bound on the weighted information of a cell."""
        return 1 / self.error**2

    @property
    def case(self) -> dict[sp.Symbol, sp.Expr]:
        """The parameters of the relation that balls decide."""
        padded = (*self.weights, *(0,) * (len(_LOADS) - len(self.weights)))
        weights = {name: sp.Rational(one, _WHOLE) for name, one in zip(_weights, padded, strict=True)}
        return {TOTAL: self.total, _slope: self.slope, **weights}


RANGE_LIMITS = (
    RangeLimit(
        sp.Rational(1, 2),
        5,
        sp.Rational(146, 10),
        (1330, 0, 507, 480, 399, 482, 411, 445, 444, 451, 429, 434, 452, 445, 436, 422, 473, 383, 585, 0, 992),
        sp.Rational(274, 100),
    ),
    RangeLimit(
        sp.Integer(1),
        5,
        sp.Rational(7629, 1000),
        (1372, 0, 471, 501, 394, 478, 414, 441, 445, 449, 429, 433, 450, 445, 434, 424, 466, 395, 560, 0, 999),
        sp.Rational(3684, 1000),
    ),
    RangeLimit(
        sp.Integer(2),
        5,
        sp.Rational(437, 100),
        (1487, 0, 410, 506, 407, 464, 416, 435, 442, 447, 425, 430, 447, 441, 431, 422, 458, 412, 511, 0, 1009),
        sp.Rational(2432, 1000),
    ),
    RangeLimit(
        sp.Integer(1),
        3,
        sp.Rational(613, 100),
        (2116, 0, 726, 776, 605, 738, 640, 670, 711, 614, 862, 0, 1542),
        sp.Rational(1511, 1000),
    ),
    RangeLimit(sp.Integer(1), 1, sp.Rational(4149, 1000), (4563, 0, 1922, 0, 3515), sp.Rational(1958, 1000)),
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
            at_most(
                "large",
                r"For a larger $x$, every load is at least this one. With $z = e^{-x}$ and $e^{x/2} \ge 1 + "
                r"\frac x2$, the information of a cell is at most $x^2 z^2 (S-1)^2 \le 4 z (S-1)^2$, as the product "
                r"under it is at least $1$.",
                Inequality(
                    "range_floor.large", _load**2 * _chance**2, 4 * _chance, far, touching={_chance: 0, _load: 2}
                ),
                (r"x^2 z^2 &\le 4 z",),
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
