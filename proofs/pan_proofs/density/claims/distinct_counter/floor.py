"""The least relative error of any distinct counter whose users touch one private cell each, for any memory."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from pan_proofs.density.lemmas.sharing.counter_information import STATE, TOTAL, bit_information, untouched
from pan_proofs.density.lemmas.sharing.range_floor import certified_range_part
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, compared, lemma

_load = sp.Symbol("x", real=True)
_slope = sp.Symbol("K", positive=True)
_cells = sp.Symbol("W", integer=True, nonnegative=True)
_information, _loads = sp.symbols("I X", real=True)
_one_information, _one_load = _ENTRY = sp.symbols("i f", real=True)
_users = sp.Symbol("n", positive=True)
_END = 8


@dataclass(frozen=True)
class Limit:
    """A total, the stated least error for it, and a load near which a cell tells most for its users."""

    total: sp.Rational
    error: sp.Rational
    load: sp.Rational

    @property
    def slope(self) -> sp.Rational:
        """The bound on the information of a cell for each user."""
        return 1 / self.error**2


LIMITS = (
    Limit(sp.Rational(1, 2), sp.Rational(4753, 1000), sp.Rational(49, 100)),
    Limit(sp.Integer(1), sp.Rational(2507, 1000), sp.Rational(47, 100)),
    Limit(sp.Integer(2), sp.Rational(1495, 1000), sp.Rational(38, 100)),
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
    running = {_information: _information + _one_information, _loads: _loads + _one_load}
    relation = le(_information, _slope * _loads)
    condition = le(_one_information, _slope * _one_load)
    inequality = Inequality(
        "floor.variance",
        1 / (_slope * _users),
        1 / _one_information,
        (_one_information > 0, le(_one_information, _slope * _users)),
        touching={_slope: 1, _users: 1, _one_information: 1},
    )
    return Part(
        Role.PUBLISHED,
        "any number of cells",
        r"If the information of each cell is at most $K x$, where $x$ is the expected number of users who touch it, "
        r"then that of all cells is at most $K n$, and the variance of $\log n$ at least $\frac{1}{K n}$.",
        (
            for_every_length(
                "all_cells",
                r"Given a Poisson number of users, the cells are independent (distinct.error), and the information of "
                r"all is the sum of theirs. By distinct.cell\_optimal that of a cell depends on $x$ alone.",
                Induction(
                    "floor.all_cells",
                    relation,
                    _cells,
                    _ENTRY,
                    running,
                    ((1, 1), (2, 2)),
                    {_slope: sp.Integer(1)},
                    (condition,),
                ),
                (r"\sum_j I_j &\le K \sum_j x_j",),
            ),
            at_most(
                "least_variance",
                r"A user touches at most one cell, so that $\sum_j x_j \le n$. With the bound of Cramér and Rao "
                r"(distinct.error) the variance is at least $\frac{1}{I}$.",
                inequality,
                (r"\frac{1}{K n} &\le \frac1I",),
            ),
        ),
        formal=(
            *symbolic(
                relation,
                given=(condition,),
                where={
                    _information: sum_over_entries(_one_information, _ENTRY, _cells),
                    _loads: sum_over_entries(_one_load, _ENTRY, _cells),
                },
            ),
            *symbolic(le(inequality.smaller, inequality.larger), given=inequality.hypotheses),
        ),
    )


def _numbers() -> Part:
    ratio, chance = sp.exp(TOTAL), sp.exp(-_load)
    apart = (_slope * _product() - _load * untouched**2 * (STATE - 1) ** 2).subs({STATE: ratio, untouched: chance})
    box = {_load: (sp.Integer(0), sp.Integer(_END))}
    cases = [{TOTAL: one.total, _slope: one.slope} for one in LIMITS]
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
                    close=[{_load: one.load} for one in LIMITS],
                    stronger=sp.Rational(1, 100),
                ),
                (r"K\,(z + (1-z) S)(z S + 1 - z) - x z^2 (S-1)^2 &> 0",),
            ),
            at_most(
                "product",
                r"For larger $x$, the product is at least $1$.",
                Inequality("floor.product", sp.S.One, _product(), chances, touching={untouched: 0, STATE: 1}),
                (r"1 &\le (z + (1-z) S)(z S + 1 - z)",),
            ),
            at_most(
                "small",
                r"Also $x z \le 1$, since $e^x \ge 1 + x$, and so",
                Inequality("floor.small", _load * untouched**2, untouched, far, touching={untouched: 0, _load: 1}),
                (r"x z^2 &\le z",),
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
    return Part(
        Role.PUBLISHED,
        "a number of users that is not random",
        r"Let an estimate be unbiased for every number of users, with the variance $v(n)$. Then the average of $v(N)$ "
        r"over a Poisson number $N$ with mean $n$ is at least $(c(T)^2 - 1)\,n$.",
        (
            equal_as(
                "total_variance",
                r"Under the Poisson number the estimate is unbiased for $n$. Its variance is that of its mean, which "
                r"is $N$, and the average $v$ of $v(N)$. The information on $n$ is that on $\log n$ over $n^2$, and so "
                r"at most $\frac{K}{n}$. The variance is at least the inverse of this.",
                (lambda: 1 / (_slope * _users / _users**2), _users / _slope),
                r"v + n &\ge \frac{1}{K n / n^2} = \frac{n}{K}",
            ),
            at_most(
                "rest",
                r"So, with $K = c(T)^{-2}$,",
                Inequality(
                    "floor.rest",
                    (1 / _slope - 1) * _users,
                    average,
                    (le(_users, _slope * (average + _users)), average > 0),
                    touching={_slope: sp.Rational(1, 2), _users: 1, average: 1},
                ),
                (r"\left(c(T)^2 - 1\right) n &\le v",),
            ),
        ),
        formal=symbolic(
            le((1 / _slope - 1) * _users, average),
            given=(le(_users, _slope * (average + _users)), average > 0),
        ),
    )


def _range_and_memory() -> Part:
    value, price, gains, shares = sp.symbols("G mu H F", real=True)
    gain, share = sp.symbols("h f", real=True)
    running = {gains: gains + gain, shares: shares + share}
    relation = le(gains, value * _cells + price * shares)
    condition = le(gain, value + price * share)
    least, mixed, whole = sp.symbols("a P Q", real=True)
    one, weight = sp.symbols("i w", real=True)
    averaged = ge(mixed, least * whole)
    of_a_point = (weight >= 0, ge(one, least))
    points = sp.Symbol("k", integer=True, nonnegative=True)
    return Part(
        Role.PUBLISHED,
        "a range and a memory",
        r"Let a counter have $W$ cells with the rates $f_j$, $\sum_j f_j \le 1$, and let $n_1, \ldots, n_k$ be numbers "
        r"of users with weights $w_i \ge 0$ of sum $1$. If $h(f) = \sum_i w_i I(n_i f) \le G + \mu f$ for all rates "
        r"$f$, with $\mu \ge 0$, then at one of these numbers the information is at most $G W + \mu$.",
        (
            for_every_length(
                "points",
                r"The least information $a$ at these numbers is at most their average.",
                Induction(
                    "floor.points",
                    averaged,
                    points,
                    (one, weight),
                    {mixed: mixed + weight * one, whole: whole + weight},
                    ((1, 1),),
                    {least: sp.Integer(1)},
                    of_a_point,
                    weaker=sp.Rational(1001, 1000),
                ),
                (r"\sum_i w_i I(n_i) &\ge a \sum_i w_i = a",),
            ),
            for_every_length(
                "cells",
                r"The average is the sum of $h(f_j)$ over the cells, and $\sum_j f_j \le 1$.",
                Induction(
                    "floor.cells",
                    relation,
                    _cells,
                    (gain, share),
                    running,
                    ((2, 1), (2, 1)),
                    {value: sp.Integer(1), price: sp.Integer(1)},
                    (condition,),
                ),
                (r"\sum_j h(f_j) &\le G W + \mu \sum_j f_j \le G W + \mu",),
            ),
        ),
        formal=(
            *symbolic(
                averaged,
                given=of_a_point,
                where={
                    mixed: sum_over_entries(weight * one, (one, weight), points),
                    whole: sum_over_entries(weight, (one, weight), points),
                },
            ),
            *symbolic(
                relation,
                given=(condition,),
                where={
                    gains: sum_over_entries(gain, (gain, share), _cells),
                    shares: sum_over_entries(share, (gain, share), _cells),
                },
            ),
        ),
    )


CLAIMS = {"distinct.floor": distinct_floor}
