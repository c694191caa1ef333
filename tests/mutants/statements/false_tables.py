"""False or unsupported statements by what claims on tables use: sums, programs, logarithms, limits, moments, runs."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.independent_sums import moment_of_sum
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.quantities import related_in_every_case
from pan_proofs.engines.shapes import Convex
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.steps import counterexample
from tests.mutants.statements import false_kernel
from tests.mutants.statements.false_kernel import follows, half, x
from tests.mutants.statements.reading import eq, ge, le

n, m = sp.symbols("n m", integer=True, nonnegative=True)
size = sp.Symbol("N", integer=True, positive=True)
a, b, f, p, r, s, t, w = sp.symbols("a b f p r s t w", real=True)
total, other, mean, price = sp.symbols("T U A G", real=True)
Q, R = sp.symbols("Q R")
y, limits = false_kernel.y, false_kernel.limits
third, ONES = sp.Rational(1, 3), {r: 1, s: 1}
place = sp.Symbol("i", integer=True, positive=True)
entries = sp.IndexedBase(f)

bounded = Induction("sum", le(total, x * n), n, (f,), {total: total + f}, ((1,),), {x: 1}, (le(f, x),)).discharge()
"""A sum of n entries that are at most x is at most x n."""

weighted = Induction(
    "average",
    ge(mean, a * other),
    n,
    (f, w),
    {mean: mean + w * f, other: other + w},
    ((1, 1),),
    {a: 1},
    (ge(w, 0), ge(f, a)),
    weaker=sp.Rational(1001, 1000),
).discharge()
"""A mean with weights that are not negative is at least the least entry, times the sum of the weights."""

gibbs = Inequality("gibbs", p - r, p * t, (p > 0, r > 0, p * t >= p - r)).discharge()
fading = tends_to("fading", sp.log(x) / x, x, sp.oo, 0)
seen = related_in_every_case(
    "seen", "a listing", eq(Q, 2 * size), [{Q: 2, size: 1}, {Q: 4, size: 2}], mutant=eq(Q, size), parameters=(size,)
)
run = counterexample("run", "", le(Q, R), {Q: lambda: Fraction(2), R: lambda: Fraction(1)}).obligations[0]


def total_of(term: sp.Expr, first: object = 1, last: object = n) -> dict[sp.Symbol, sp.Sum]:
    """The total as a sum over places from a first one to a last one."""
    return {total: sp.Sum(term, (place, first, last))}


AT_MOST = le(total, x * n)


def entry_at_most(where: dict, *given: sp.Basic, claimed: sp.Basic = AT_MOST) -> object:
    """A bound of a sum, from the bound of its entries."""
    return follows(claimed, by=bounded, given=given or (le(f, x),), where=where)


def averaged(claimed: sp.Basic, *given: sp.Basic) -> object:
    where = {mean: sum_over_entries(w * f, (f, w), n), other: sum_over_entries(w, (f, w), n)}
    return follows(claimed, by=weighted, given=given, where=where)


def second_moment(stated: sp.Expr) -> object:
    """The second moment of a sum of N bits of probability p."""
    distribution = {(Fraction(1),): Fraction(1, 3), (Fraction(0),): Fraction(2, 3)}
    at = {size: sp.Integer(3), p: third}
    return moment_of_sum("square", (2,), lambda powers: p, size, stated, distribution, at)


def convex(smaller: sp.Expr, larger: sp.Expr) -> Obligation:
    return Convex("shape", smaller, larger, r, sp.Integer(0), {r: 1}, sp.Integer(9)).discharge()


def slopes(expression: sp.Expr, start: sp.Expr) -> Obligation:
    return Slopes("slopes", expression, r, start, {r: start + half}, sp.Integer(9)).discharge()


def lost(noise: list, change: tuple, stated: sp.Expr, *given: sp.Basic) -> object:
    observed = GaussianObservation([[1, 0], [0, 1]], [[1, 0], [0, 1]], noise)
    return gaussian_loss("loss", observed, change, stated, hypotheses=given)


GIBBS = (p > 0, r > 0, ge(p * t, p - r))
"""The conditions of the inequality of Gibbs for one value."""

FALSE = {
    "sums": {
        "sums: one entry more": "entry_at_most(total_of(entries[place], last=n + 1))",
        "sums: an entry before the first one": "entry_at_most(total_of(entries[place], first=0))",
        "sums: another number of entries": "entry_at_most(total_of(entries[place], last=m))",
        "sums: the next entries": "entry_at_most(total_of(entries[place + 1]))",
        "sums: the first entry, each time": "entry_at_most(total_of(entries[1]), entries[2] <= x)",
        "sums: squares": "entry_at_most(total_of(entries[place]**2))",
        "sums: from the end to the start": "entry_at_most({total: Sum(entries[place], (place, n, 1))})",
        "sums: twice, over two places": (
            "entry_at_most({total: Sum(entries[place], (place, 1, n), (Symbol('j', integer=True), 1, n))})"
        ),
        "sums: without the bound of an entry": "entry_at_most(total_of(entries[place]), x <= y)",
        "sums: strictly below": "entry_at_most(total_of(entries[place]), claimed=total < x * n)",
        "sums: an upper bound as a lower one": "entry_at_most(total_of(entries[place]), claimed=total >= x * n)",
    },
    "programs": {
        "program: weights of both signs": "averaged(mean >= a * other, f >= a)",
        "program: the sum of the weights is left out": "averaged(mean >= a, w >= 0, f >= a)",
        "program: a price of any sign": "follows(total <= price + r, given=(total <= price + r * s, s <= 1))",
        "program: the dual bound of another program": "follows(a * s + b * t <= 3, given=(s + t <= 1, a <= 3, b <= 3))",
    },
    "logarithms": {
        "entropy: masses that differ": "follows(p * t >= 0, by=gibbs, given=GIBBS)",
        "entropy: half of the curvature": "convex(log(1 + r**2), r**2 / 2)",
        "entropy: below zero beyond one": "slopes(-r * log(r), S(1))",
        "entropy: the logarithm of a product of two negative numbers": "equality('e', log(a * b), log(a) + log(b))",
        "entropy: the base is forgotten": "equality('e', log(x) / log(2), log(x))",
        "entropy: a remainder of the wrong sign": "slopes(log(1 + r) - r + r**2 / 2 - r**3 / 3, S(0))",
    },
    "limits": {
        "limit: at the other end": "follows(Limit(log(x) / x, x, 0, '+') == 0, by=fading)",
        "limit: as a value": "follows(log(x) / x == 0, by=fading)",
        "limit: as a bound": "follows(log(x) / x <= 0, by=fading)",
        "limit: of another quotient": "follows(Limit(log(x)**2 / x, x, oo, '-') == 0, by=fading)",
        "limit: of a quotient whose coefficient may vanish": (
            "limits((r * x + 1) / (s * x + 1), oo, r / s, tends_to('l', (r * x + 1) / (s * x + 1), x, oo, r / "
            "s, at=ONES))"
        ),
        "limit: with one more term": "follows(Limit(log(x) / x + r, x, oo, '-') == 0, by=fading)",
    },
    "moments": {
        "moment: right for up to four copies": (
            "second_moment(size * p + size * (size - 1) * p**2 + size * (size - 1) * (size - 2) * (size - 3) * "
            "(size - 4) * p)"
        ),
        "moment: of ordered pairs with themselves": "second_moment(size * p + size**2 * p**2)",
    },
    "runs": {
        "listing: all numbers of users": "follows(Q == 2 * size, by=seen)",
        "listing: a number that was not listed": "follows(Q == 6, by=seen, given=(size == 3,))",
        "run: the quantities exchanged": "follows(Q < R, by=run)",
        "run: against all data": "follows(Q > R + 1, by=run)",
        "run: equal to what is refuted": "follows(Q <= R, by=run)",
    },
    "matrices": {
        "matrix: an inverse where the determinant vanishes": (
            "inverse('i', [[x, 1], [1, 1 / x]], [[1, -x], [-1 / x, 1]])"
        ),
        "matrix: definite, under conditions on another symbol": (
            "positive_definite_where('d', [[1, r], [r, 1]], (s > -1, s < 1), (s > -2,))"
        ),
        "matrix: a loss with the noise of the other output": "lost([[x, 0], [0, y]], (1, 0), 1 / (2 * y))",
        "matrix: a loss with a correlation at its end": "lost([[1, r], [r, 1]], (1, 1), 1 / (1 + r), r >= 0, r <= 1)",
    },
}

TRUE = {
    "sums: as shown": "entry_at_most(total_of(entries[place]))",
    "sums: a larger bound": "follows(total <= x * n, by=bounded, given=(f <= x,), where=total_of(entries[place]))",
    "program: an average": "averaged(mean >= a * other, w >= 0, f >= a)",
    "program: a price that is not negative": (
        "follows(total <= price + r, given=(total <= price + r * s, s <= 1, r >= 0))"
    ),
    "entropy: one value": "follows(p - r <= p * t, by=gibbs, given=GIBBS)",
    "entropy: the logarithm of a product": "equality('e', log(x * y), log(x) + log(y))",
    "limit: as shown": "follows(Limit(log(x) / x, x, oo) == 0, by=fading)",
    "moment: the second one": "second_moment(size * p + size * (size - 1) * p**2)",
    "listing: the numbers that were listed": "follows(Q == 2 * size, by=seen, given=(Or(size == 1, size == 2),))",
    "run: as it was": "follows(Q > R, by=run)",
    "matrix: a loss with a correlation": "lost([[1, r], [r, 1]], (1, 1), 1 / (1 + r), r >= 0, r < 1)",
}
