"""Statements about vectors, sums of copies, signs by derivatives, growth and shapes: false ones, and true ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.growth import Growth
from pan_proofs.engines.independent_sums import moment_of_sum
from pan_proofs.engines.shapes import Convex, Hump
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.lengths_and_limits import by_shape, by_slopes, for_every_length, moment, of_order

n = sp.Symbol("n", nonnegative=True, integer=True)
M = sp.Symbol("M", positive=True, integer=True)
a, c, e, s, t = sp.symbols("A C E S T", real=True)
x, y, z = sp.symbols("x y z", real=True)
p, b = sp.symbols("p b", positive=True)
u, whole = sp.Symbol("u", positive=True), sp.Symbol("N", positive=True, integer=True)
m = sp.Symbol("m", real=True)
half, tenth = sp.Rational(1, 2), sp.Rational(1, 10)
FAIR = {(Fraction(1),): Fraction(1, 2), (Fraction(-1),): Fraction(1, 2)}
SKEW = {(Fraction(2),): Fraction(1, 3), (Fraction(-1),): Fraction(2, 3)}


def inductive(relation: sp.Basic, entry: tuple[sp.Symbol, ...], running: dict, witness: tuple, **options) -> Step:
    """An induction over the length of a vector."""
    return for_every_length("s", "", Induction("s", relation, n, entry, running, witness, **options))


SQUARES = {s: s + x, a: a + x**2}
PRODUCTS = {a: a + x**2, e: e + x * y, c: c + y**2}
NONNEGATIVE = {"along": (sp.Ge(a, 0), sp.Ge(c, 0))}


def squares(right: sp.Expr, witness: tuple = ((1,), (1,)), **options) -> Step:
    """The square of a sum against a bound."""
    return inductive(sp.Le(s**2, right), (x,), SQUARES, witness, along=(sp.Ge(a, 0),), **options)


def laplace(powers: tuple[int, ...]) -> sp.Expr:
    """Moments of a Laplace variable."""
    return sp.S.Zero if powers[0] % 2 else b ** powers[0] * sp.factorial(powers[0])


def summed(order: int, right: sp.Expr, single: Callable = laplace, distribution: dict = FAIR, **values) -> Step:
    """A moment of a sum of copies."""
    at = {M: sp.Integer(3), b: sp.S.One}
    return moment("s", "", moment_of_sum("s", (order,), single, M, right, distribution, at), ("&",))


def signed(expression: sp.Expr, variable: sp.Symbol = z, start: sp.Expr = sp.S.Zero, **options) -> Step:
    """A sign by derivatives."""
    witness = options.pop("witness", {variable: start + half})
    raised = options.pop("raised", sp.Integer(10))
    return by_slopes("s", "", Slopes("s", expression, variable, start, witness, raised, **options))


def grown(quantity: sp.Expr, order: sp.Expr, least: int, most: int, finer: sp.Expr = 1 / u, first: int = 2) -> Step:
    """An order of growth."""
    close = {u: sp.Integer(first) + tenth}
    growth = Growth(
        "s", quantity, order, sp.Integer(least), sp.Integer(most), u, sp.Integer(first), finer, u, close, sp.Integer(9)
    )
    return of_order("s", "", growth)


def gain(count: sp.Expr) -> sp.Expr:
    """The gain of a record."""
    return count * sp.log(count) - (count - 1) * sp.log(count - 1)


def rest(order: int) -> sp.Expr:
    """What the terms of (1 + z) log(1 + z) up to an order leave."""
    terms = (sp.Rational((-1) ** k, k * (k - 1)) * z**k for k in range(2, order + 1))
    return (1 + z) * sp.log(1 + z) - z - sp.Add(*terms)


v = sp.Symbol("v", real=True)
w = sp.Symbol("y", positive=True)
third = sp.Rational(1, 3)
CUMULANT = sp.log(1 - p + p * sp.exp(v)) - v * p
AT = {v: tenth, p: third}
TAIL, BOUND = 1 - sp.erf(w), sp.exp(-(w**2))
TOP, FACTOR = 1 / sp.sqrt(sp.pi), 2 * sp.exp(-(w**2))


def convex(smaller: sp.Expr, larger: sp.Expr, place: object = 0, at: dict = AT, given: tuple = (p < 1,)) -> Step:
    """An inequality by convexity."""
    return by_shape("s", "", Convex("s", smaller, larger, v, sp.sympify(place), at, half, given))


def hump(smaller: sp.Expr, larger: sp.Expr, top: sp.Expr = TOP, factor: sp.Expr = FACTOR, **options) -> Step:
    """An inequality between functions whose difference has one hump."""
    values = {"witness": tenth, "raised": half, **options}
    return by_shape("s", "", Hump("s", smaller, larger, w, top, factor, **values))


FALSE = {
    "lengths": {
        "the square of a sum is below the sum of squares": "squares(a)",
        "the square of a sum, one entry too few": "squares((n - 1) * a)",
        "the square of a sum, half the constant": "squares(n * a / 2)",
        "the product of sums without the sign of the sums": (
            "inductive(e**2 <= a * c, (x, y), PRODUCTS, ((1, 2), (2, 4)))"
        ),
        "the product of sums with half the bound": (
            "inductive(e**2 <= a * c / 2, (x, y), PRODUCTS, ((1, 1), (1, -1)), **NONNEGATIVE)"
        ),
        "the product of sums is at least their square": (
            "inductive(e**2 >= a * c, (x, y), PRODUCTS, ((1, 2), (2, 4)), raised=half, **NONNEGATIVE)"
        ),
        "inverse entries with the bound of the largest": (
            "inductive(s <= n / p, (u,), {s: s + 1 / u}, ((1,), (1,)), parameters={p: S(1)}, conditions=(u <= p,))"
        ),
        "inverse entries without a least one": (
            "inductive(s <= n / p, (u,), {s: s + 1 / u}, ((1,), (1,)), parameters={p: S(1)})"
        ),
        "the sum of the first numbers of a length": (
            "inductive(s == n * x, (y,), {s: s + y}, ((1,),), parameters={x: S(1)})"
        ),
        "pairs of entries with the equal ones": (
            "inductive(t == a * c, (x, y), {a: a + x, c: c + y, t: t + a * y + c * x}, ((1, 2), (3, 4)))"
        ),
        "a count of entries that is one too large": "inductive(s == n + 1, (x,), {s: s + 1}, ((1,), (1,)))",
        "it starts from a length at which it is false": (
            "inductive(s >= 1, (u,), {s: s + u}, ((2,),), conditions=(u >= half,), least=1, raised=S(2))"
        ),
        "conditions that no entry meets": (
            "inductive(s <= -n, (u,), {s: s + u}, ((1,),), conditions=(u <= -1,), raised=half)"
        ),
    },
    "copies": {
        "weights that do not add up": (
            "summed(2, M, lambda powers: Integer(powers[0] - 1), "
            "{(Fraction(1),): 1 / 2, (Fraction(-1),): 1 / 4, (Fraction(-1, 2),): 1 / 2})"
        ),
        "the fourth moment without the pairs": "summed(4, 24 * M * b**4)",
        "the printed sixth moment": "summed(6, 240 * (M**3 + 2 * M) * b**6)",
        "the second moment, one copy too few": "summed(2, 2 * (M - 1) * b**2)",
        "the second moment with a square": "summed(2, 2 * M**2 * b**2)",
        "the fourth moment of normal variables": "summed(4, 12 * M**2 * b**4)",
        "the second moment in another scale": "summed(2, 2 * M * b)",
        "a mean that is forgotten": (
            "summed(2, 2 * M, lambda powers: Integer(powers[0]), {(Fraction(1),): Fraction(1)})"
        ),
    },
    "slopes": {
        "a logarithm above its tangent": "signed(log(1 + z) - z)",
        "a logarithm above half its tangent": "signed(log(1 + z) - z / 2)",
        "a logarithm to base two below the tangent": "signed(z * (7 / 5) - 2 * log(1 + z))",
        "the remainder has the next sign": "signed(rest(4))",
        "the remainder after the fifth order is below u^6/31": "signed(z**6 / 31 - rest(5))",
        "the remainder after the fifth order is below u^7": "signed(z**7 - rest(5))",
        "the remainder after the fifth order is below u^6/6 for negative u": (
            "signed((z**6 / 6 - rest(5)).subs(z, -z), end=S(1))"
        ),
        "gains are largest at the ends": (
            "signed(gain(m - z) + gain(m + z) - 2 * gain(m), end=m - 1, conditions=(m > 1,), witness={z: half, "
            "m: S(3)})"
        ),
        "gains without the condition on the middle": (
            "signed(2 * gain(m) - gain(m - z) - gain(m + z), end=m, conditions=(m > 1,), witness={z: half, m: S(3)})"
        ),
        "a strict sign of the function zero": "signed(z - z + 0 * z, strict=True)",
        "a pole inside the interval": "signed(-1 / (z - 1))",
        "a value below zero at the start": "signed(log(1 + z) - tenth)",
        "a logarithm of a negative number": "signed(log(z - 1)**1, witness={z: S(3)})",
    },
    "growth": {
        "the growth with too small a constant": "grown((2 * log((u + 1) / 2) + 2) / u, log(u) / u, 1, 2)",
        "the growth with the order of its inverse": "grown(log(u) / u, 1 / u, 1, 3, 1 / u**2)",
        "the growth with a square of the order": "grown(log(u) / u, log(u) / u**2, 1, 100, 1 / u**3)",
        "the growth with too large a lower constant": "grown((log(u) + 1) / u, log(u) / u, 2, 3)",
        "the growth from one on": "grown((log(u) + 1) / u, log(u) / u, 1, 3, first=1)",
        "an order that is not finer": "grown((log(u) + 1) / u, log(u) / u, 1, 3, log(u) / u)",
    },
    "wrong constant": {
        "a constant that is too small, by shape": "convex(CUMULANT, v**2 / 9)",
        "a start below zero, by shape": "hump(TAIL + tenth, BOUND)",
        "a smaller bound, by shape": "hump(TAIL, BOUND * (9 / 10))",
    },
    "wrong sign": {
        "the other way round, by shape": "convex(v**2 / 8, CUMULANT)",
        "a valley in the place of a hump, by shape": "hump(BOUND, TAIL)",
        "a top and a factor with the wrong sign, by shape": "hump(w * exp(-w), S(0), -S(1), -exp(-w))",
    },
    "shape": {
        "another place, by shape": "convex(CUMULANT, v**2 / 8, 1)",
        "a line that is no tangent, by shape": "convex(1 + 2 * v, exp(v))",
        "a line above the tangent, by shape": "convex(11 / 10 + v, exp(v))",
        "conditions that contradict one another, by shape": "convex(CUMULANT, v**2 / 9, given=(p < 1, p > 2))",
        "a witness outside of the conditions, by shape": "convex(CUMULANT, v**2 / 8, at={v: tenth, p: S(2)})",
        "a stronger statement that is true, by shape": "convex(CUMULANT, v**2 / 8, at={v: S(9), p: half})",
        "an absolute value, which has a bend, by shape": "convex(Abs(v) / 100, v**2, at={v: half}, given=())",
        "a hump above zero, from below zero on, by shape": "hump(tenth, w * exp(-w), S(1), exp(-w))",
        "another top, by shape": "hump(TAIL, BOUND, half)",
        "another factor, by shape": "hump(TAIL, BOUND, factor=exp(-w**2))",
        "a stronger statement that is true, of a hump, by shape": "hump(TAIL, BOUND, raised=1 / 1000)",
    },
    "missing hypothesis": {
        "a logarithm that is not defined everywhere, by shape": "convex(log(v), v - 1, 1, {v: 9 / 10}, ())",
        "a parameter that is too large, by shape": "convex(CUMULANT, v**2 / 8, given=())",
    },
}

TRUE = {
    "the second moment of signs": "summed(2, M, lambda powers: Integer(powers[0] - 1))",
    "the square of a sum": "squares(n * a)",
    "Cauchy and Schwarz": "inductive(e**2 <= a * c, (x, y), PRODUCTS, ((1, 2), (2, 4)), **NONNEGATIVE)",
    "pairs of different entries": (
        "inductive(t == a * c - e, (x, y), {a: a + x, c: c + y, e: e + x * y, t: t + a * y + c * x}, ((1, 2), (3, 4)))"
    ),
    "inverse entries": (
        "inductive(s <= n / p, (u,), {s: s + 1 / u}, ((1,), (1,)), parameters={p: S(1)}, conditions=(u >= p,))"
    ),
    "from length two on": (
        "inductive(s >= 2, (u,), {s: s + u}, ((1,), (1,)), conditions=(u >= 1,), least=2, raised=half)"
    ),
    "the fourth moment": "summed(4, 12 * (M**2 + M) * b**4)",
    "the sixth moment": "summed(6, 120 * M * (M + 1) * (M + 2) * b**6)",
    "the third moment of skew variables": (
        "summed(3, 2 * M, lambda powers: Integer({1: 0, 2: 2, 3: 2}[powers[0]]), SKEW)"
    ),
    "a logarithm below its tangent": "signed(z - log(1 + z), strict=True)",
    "the remainder after the fifth order": "signed(z**6 / 30 - rest(5))",
    "gains in the middle": (
        "signed(2 * gain(m) - gain(m - z) - gain(m + z), end=m - 1, conditions=(m > 1,), witness={z: half, m: S(3)})"
    ),
    "a gain rises from the first record on": "signed(gain(z), start=S(1), strict=True)",
    "an order of growth": "grown((log(u) + 1) / u, log(u) / u, 1, 3)",
    "the cumulant of a bit": "convex(CUMULANT, v**2 / 8)",
    "a tangent of the exponential": "convex(1 + v, exp(v))",
    "both tails of a normal variable": "hump(TAIL, BOUND)",
    "a hump": "hump(S(0), w * exp(-w), S(1), exp(-w))",
}

REFUSED = {
    "declare it real, and nothing else": ["inductive(u >= 0, (x,), {u: u + x}, ((1,),))"],
    "unknown symbols": ["inductive(s <= n, (x,), {s: s + x}, ((1,),), conditions=(x <= s,))"],
    "may not depend on z": ["signed(-1 / (z - 1), witness={z: S(2)}, conditions=(z != 1,))"],
    "declare u real": ["signed(u**2 - u, u, S(-1))", "signed(u**2 - u, u, -half)"],
    "declare N real": ["signed(whole**2 - whole, whole, witness={whole: S(1)})"],
    "no": ["signed(floor(z) - z)", "signed(Piecewise((0, z < 1), (-5, True)))", "signed(Abs(z - 1) - 1)"],
    "whose means are 0": ["summed(2, 2 * M, distribution={(Fraction(1),): Fraction(1)})"],
    "s: ": [
        "by_shape('s', '', Convex('s', CUMULANT, v**2 / 8, p, S(0), {p: half, v: half}, half))",
        "by_shape('s', '', Convex('s', CUMULANT, v**2 / 8, v, S(0), {p: half, v: half}, half, (v > 0,)))",
        "by_shape('s', '', Convex('s', CUMULANT, v**2 / 8, v, S(0), {p: half, v: half}, S(0)))",
        "by_shape('s', '', Hump('s', TAIL, BOUND, w, TOP, FACTOR, half, -half))",
        "hump(floor(w), w + 1)",
        "hump(1 / w, w + 1)",
        "hump(TAIL * p, BOUND)",
    ],
}
