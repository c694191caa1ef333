"""False or unsupported statements by what claims on tables use: sums, programs, logarithms, limits, moments, runs."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.identities import equality
from pan_proofs.engines.independent_sums import moment_of_sum
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.matrices import inverse, positive_definite_where
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.quantities import related_in_every_case
from pan_proofs.engines.shapes import Convex
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.steps import counterexample
from tests.ledger.kernel_questions import eq, follows, half, holds, le, limits, lt, x, y

n, m = sp.symbols("n m", integer=True, nonnegative=True)
size = sp.Symbol("N", integer=True, positive=True)
a, b, f, p, r, s, t, w = sp.symbols("a b f p r s t w", real=True)
total, other, mean, price = sp.symbols("T U A G", real=True)
Q, R = sp.symbols("Q R")
third, ONES = sp.Rational(1, 3), {r: 1, s: 1}
place = sp.Symbol("i", integer=True, positive=True)
entries = sp.IndexedBase(f)

bounded = Induction("sum", le(total, x * n), n, (f,), {total: total + f}, ((1,),), {x: 1}, (le(f, x),)).discharge()
"""A sum of n entries that are at most x is at most x n."""

weighted = Induction(
    "average",
    sp.Ge(mean, a * other, evaluate=False),
    n,
    (f, w),
    {mean: mean + w * f, other: other + w},
    ((1, 1),),
    {a: 1},
    (sp.Ge(w, 0, evaluate=False), sp.Ge(f, a, evaluate=False)),
    weaker=sp.Rational(1001, 1000),
).discharge()
"""A mean with weights that are not negative is at least the least entry, times the sum of the weights."""

gibbs = Inequality("gibbs", p - r, p * t, (p > 0, r > 0, p * t >= p - r), touching={p: half, r: half, t: 0}).discharge()
fading = tends_to("fading", sp.log(x) / x, x, sp.oo, 0)
seen = related_in_every_case(
    "seen", "a listing", eq(Q, 2 * size), [{Q: 2, size: 1}, {Q: 4, size: 2}], mutant=eq(Q, size), parameters=(size,)
)
run = counterexample("run", "", le(Q, R), {Q: lambda: Fraction(2), R: lambda: Fraction(1)}).obligations[0]


def total_of(term: sp.Expr, first: object = 1, last: object = n) -> dict[sp.Symbol, sp.Sum]:
    """The total as a sum over places from a first one to a last one."""
    return {total: sp.Sum(term, (place, first, last))}


AT_MOST = le(total, x * n)


def entry_at_most(where: dict, *given: sp.Basic, claimed: sp.Basic = AT_MOST) -> bool:
    """Whether a bound of a sum follows from the bound of its entries."""
    return follows(claimed, by=bounded, given=given or (le(f, x),), where=where)


def averaged(claimed: sp.Basic, *given: sp.Basic) -> bool:
    where = {mean: sum_over_entries(w * f, (f, w), n), other: sum_over_entries(w, (f, w), n)}
    return follows(claimed, by=weighted, given=given, where=where)


def second_moment(stated: sp.Expr) -> bool:
    """Whether the second moment of a sum of N bits of probability p is as stated."""
    distribution = {(Fraction(1),): Fraction(1, 3), (Fraction(0),): Fraction(2, 3)}
    at = {size: sp.Integer(3), p: third}
    return holds(moment_of_sum("square", (2,), lambda powers: p, size, stated, distribution, at))


def convex(smaller: sp.Expr, larger: sp.Expr) -> Obligation:
    return Convex("shape", smaller, larger, r, sp.Integer(0), {r: 1}, sp.Integer(9)).discharge()


def slopes(expression: sp.Expr, start: sp.Expr) -> Obligation:
    return Slopes("slopes", expression, r, start, {r: start + half}, sp.Integer(9)).discharge()


def lost(noise: list, change: tuple, stated: sp.Expr, *given: sp.Basic) -> bool:
    observed = GaussianObservation([[1, 0], [0, 1]], [[1, 0], [0, 1]], noise)
    return holds(gaussian_loss("loss", observed, change, stated, hypotheses=given))


FALSE_TABLES = {
    # sums over an index
    "sums: one entry more": ("sums", lambda: entry_at_most(total_of(entries[place], last=n + 1))),
    "sums: an entry before the first one": ("sums", lambda: entry_at_most(total_of(entries[place], first=0))),
    "sums: another number of entries": ("sums", lambda: entry_at_most(total_of(entries[place], last=m))),
    "sums: the next entries": ("sums", lambda: entry_at_most(total_of(entries[place + 1]))),
    "sums: the first entry, each time": ("sums", lambda: entry_at_most(total_of(entries[1]), le(entries[2], x))),
    "sums: squares": ("sums", lambda: entry_at_most(total_of(entries[place] ** 2))),
    "sums: from the end to the start": ("sums", lambda: entry_at_most({total: sp.Sum(entries[place], (place, n, 1))})),
    "sums: twice, over two places": (
        "sums",
        lambda: entry_at_most({total: sp.Sum(entries[place], (place, 1, n), (sp.Symbol("j", integer=True), 1, n))}),
    ),
    "sums: without the bound of an entry": ("sums", lambda: entry_at_most(total_of(entries[place]), le(x, y))),
    "sums: strictly below": ("sums", lambda: entry_at_most(total_of(entries[place]), claimed=lt(total, x * n))),
    "sums: an upper bound as a lower one": (
        "sums",
        lambda: entry_at_most(total_of(entries[place]), claimed=sp.Ge(total, x * n, evaluate=False)),
    ),
    # linear programs: weights and prices
    "program: weights of both signs": (
        "programs",
        lambda: averaged(sp.Ge(mean, a * other, evaluate=False), sp.Ge(f, a, evaluate=False)),
    ),
    "program: the sum of the weights is left out": (
        "programs",
        lambda: averaged(sp.Ge(mean, a, evaluate=False), sp.Ge(w, 0, evaluate=False), sp.Ge(f, a, evaluate=False)),
    ),
    "program: a price of any sign": (
        "programs",
        lambda: follows(le(total, price + r), given=(le(total, price + r * s), le(s, 1))),
    ),
    "program: the dual bound of another program": (
        "programs",
        lambda: follows(le(a * s + b * t, 3), given=(le(s + t, 1), le(a, 3), le(b, 3))),
    ),
    # entropies and logarithms
    "entropy: masses that differ": ("logarithms", lambda: follows(sp.Ge(p * t, 0), by=gibbs, given=gibbs_given())),
    "entropy: half of the curvature": ("logarithms", lambda: holds(convex(sp.log(1 + r**2), r**2 / 2))),
    "entropy: below zero beyond one": ("logarithms", lambda: holds(slopes(-r * sp.log(r), sp.Integer(1)))),
    "entropy: the logarithm of a product of two negative numbers": (
        "logarithms",
        lambda: holds(equality("e", sp.log(a * b), sp.log(a) + sp.log(b))),
    ),
    "entropy: the base is forgotten": ("logarithms", lambda: holds(equality("e", sp.log(x) / sp.log(2), sp.log(x)))),
    "entropy: a remainder of the wrong sign": (
        "logarithms",
        lambda: holds(slopes(sp.log(1 + r) - r + r**2 / 2 - r**3 / 3, sp.Integer(0))),
    ),
    # limits and growth
    "limit: at the other end": ("limits", lambda: follows(eq(sp.Limit(sp.log(x) / x, x, 0, "+"), 0), by=fading)),
    "limit: as a value": ("limits", lambda: follows(eq(sp.log(x) / x, 0), by=fading)),
    "limit: as a bound": ("limits", lambda: follows(le(sp.log(x) / x, 0), by=fading)),
    "limit: of another quotient": (
        "limits",
        lambda: follows(eq(sp.Limit(sp.log(x) ** 2 / x, x, sp.oo, "-"), 0), by=fading),
    ),
    "limit: of a quotient whose coefficient may vanish": (
        "limits",
        lambda: limits(
            (r * x + 1) / (s * x + 1), sp.oo, r / s, tends_to("l", (r * x + 1) / (s * x + 1), x, sp.oo, r / s, at=ONES)
        ),
    ),
    "limit: with one more term": (
        "limits",
        lambda: follows(eq(sp.Limit(sp.log(x) / x + r, x, sp.oo, "-"), 0), by=fading),
    ),
    # moments of counts
    "moment: right for up to four copies": (
        "moments",
        lambda: second_moment(
            size * p + size * (size - 1) * p**2 + size * (size - 1) * (size - 2) * (size - 3) * (size - 4) * p
        ),
    ),
    "moment: of ordered pairs with themselves": ("moments", lambda: second_moment(size * p + size**2 * p**2)),
    # listings and runs
    "listing: all numbers of users": ("runs", lambda: follows(eq(Q, 2 * size), by=seen)),
    "listing: a number that was not listed": ("runs", lambda: follows(eq(Q, 6), by=seen, given=(eq(size, 3),))),
    "run: the quantities exchanged": ("runs", lambda: follows(lt(Q, R), by=run)),
    "run: against all data": ("runs", lambda: follows(sp.Gt(Q, R + 1, evaluate=False), by=run)),
    "run: equal to what is refuted": ("runs", lambda: follows(le(Q, R), by=run)),
    # matrices
    "matrix: an inverse where the determinant vanishes": (
        "matrices",
        lambda: holds(inverse("i", [[x, 1], [1, 1 / x]], [[1, -x], [-1 / x, 1]])),
    ),
    "matrix: definite, under conditions on another symbol": (
        "matrices",
        lambda: holds(positive_definite_where("d", [[1, r], [r, 1]], (s > -1, s < 1), (s > -2,))),
    ),
    "matrix: a loss with the noise of the other output": (
        "matrices",
        lambda: lost([[x, 0], [0, y]], (1, 0), 1 / (2 * y)),
    ),
    "matrix: a loss with a correlation at its end": (
        "matrices",
        lambda: lost([[1, r], [r, 1]], (1, 1), 1 / (1 + r), r >= 0, r <= 1),
    ),
}
"""Name, kind, and whether it holds."""


def gibbs_given() -> tuple[sp.Basic, ...]:
    """The conditions of the inequality of Gibbs for one value."""
    return (p > 0, r > 0, sp.Ge(p * t, p - r, evaluate=False))


TRUE_TABLES = {
    "sums: as shown": lambda: entry_at_most(total_of(entries[place])),
    "sums: a larger bound": lambda: follows(
        le(total, x * n), by=bounded, given=(le(f, x),), where=total_of(entries[place])
    ),
    "program: an average": lambda: averaged(
        sp.Ge(mean, a * other, evaluate=False), sp.Ge(w, 0, evaluate=False), sp.Ge(f, a, evaluate=False)
    ),
    "program: a price that is not negative": lambda: follows(
        le(total, price + r), given=(le(total, price + r * s), le(s, 1), r >= 0)
    ),
    "entropy: one value": lambda: follows(le(p - r, p * t), by=gibbs, given=gibbs_given()),
    "entropy: the logarithm of a product": lambda: holds(equality("e", sp.log(x * y), sp.log(x) + sp.log(y))),
    "limit: as shown": lambda: follows(eq(sp.Limit(sp.log(x) / x, x, sp.oo), 0), by=fading),
    "moment: the second one": lambda: second_moment(size * p + size * (size - 1) * p**2),
    "listing: the numbers that were listed": lambda: follows(
        eq(Q, 2 * size), by=seen, given=(sp.Or(sp.Eq(size, 1), sp.Eq(size, 2)),)
    ),
    "run: as it was": lambda: follows(sp.Gt(Q, R, evaluate=False), by=run),
    "matrix: a loss with a correlation": lambda: lost([[1, r], [r, 1]], (1, 1), 1 / (1 + r), r >= 0, r < 1),
}
"""Name, and whether it holds."""
