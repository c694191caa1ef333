"""False statements about vectors, sums of copies, signs by derivatives and growth: none may come out as proved."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.engines.growth import Growth
from pan_proofs.engines.independent_sums import moment_of_sum
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.lengths_and_limits import by_slopes, for_every_length, moment, of_order

n = sp.Symbol("n", nonnegative=True, integer=True)
M = sp.Symbol("M", positive=True, integer=True)
a, c, e, s, t = sp.symbols("A C E S T", real=True)
x, y, z = sp.symbols("x y z", real=True)
p, b = sp.symbols("p b", positive=True)
u = sp.Symbol("u", positive=True)
m = sp.Symbol("m", real=True)
half, tenth = sp.Rational(1, 2), sp.Rational(1, 10)
FAIR = {(Fraction(1),): Fraction(1, 2), (Fraction(-1),): Fraction(1, 2)}
SKEW = {(Fraction(2),): Fraction(1, 3), (Fraction(-1),): Fraction(2, 3)}


def stated(step: Step) -> Claim:
    """A claim that consists of one step."""
    part = Part(Role.PUBLISHED, "statement", "", (step,), no_formula="the steps are tested")
    return Claim("one.step", "one step", (Reference("here", "a test"),), "", (part,))


def inductive(relation: sp.Basic, entry: tuple[sp.Symbol, ...], running: dict, witness: tuple, **options) -> Claim:
    """An induction over the length of a vector."""
    return stated(for_every_length("s", "", Induction("s", relation, n, entry, running, witness, **options)))


SQUARES = {s: s + x, a: a + x**2}
PRODUCTS = {a: a + x**2, e: e + x * y, c: c + y**2}
NONNEGATIVE = {"along": (sp.Ge(a, 0), sp.Ge(c, 0))}


def squares(right: sp.Expr, witness: tuple = ((1,), (1,)), **options) -> Claim:
    """The square of a sum against a bound."""
    return inductive(sp.Le(s**2, right), (x,), SQUARES, witness, along=(sp.Ge(a, 0),), **options)


def laplace(powers: tuple[int, ...]) -> sp.Expr:
    """Moments of a Laplace variable."""
    return sp.S.Zero if powers[0] % 2 else b ** powers[0] * sp.factorial(powers[0])


def summed(order: int, right: sp.Expr, single: Callable = laplace, distribution: dict = FAIR, **values) -> Claim:
    """A moment of a sum of copies."""
    at = {M: sp.Integer(3), b: sp.S.One}
    return stated(moment("s", "", moment_of_sum("s", (order,), single, M, right, distribution, at), ("&",)))


def signed(expression: sp.Expr, variable: sp.Symbol = z, start: sp.Expr = sp.S.Zero, **options) -> Claim:
    """A sign by derivatives."""
    witness = options.pop("witness", {variable: start + half})
    raised = options.pop("raised", sp.Integer(10))
    return stated(by_slopes("s", "", Slopes("s", expression, variable, start, witness, raised, **options)))


def grown(quantity: sp.Expr, order: sp.Expr, least: int, most: int, finer: sp.Expr = 1 / u, first: int = 2) -> Claim:
    """An order of growth."""
    close = {u: sp.Integer(first) + tenth}
    growth = Growth(
        "s", quantity, order, sp.Integer(least), sp.Integer(most), u, sp.Integer(first), finer, u, close, sp.Integer(9)
    )
    return stated(of_order("s", "", growth))


def gain(count: sp.Expr) -> sp.Expr:
    """The gain of a record."""
    return count * sp.log(count) - (count - 1) * sp.log(count - 1)


def rest(order: int) -> sp.Expr:
    """What the terms of (1 + z) log(1 + z) up to an order leave."""
    terms = (sp.Rational((-1) ** k, k * (k - 1)) * z**k for k in range(2, order + 1))
    return (1 + z) * sp.log(1 + z) - z - sp.Add(*terms)


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "the square of a sum is below the sum of squares": ("lengths", lambda: squares(a)),
    "the square of a sum, one entry too few": ("lengths", lambda: squares((n - 1) * a)),
    "the square of a sum, half the constant": ("lengths", lambda: squares(n * a / 2)),
    "the product of sums without the sign of the sums": (
        "lengths",
        lambda: inductive(sp.Le(e**2, a * c), (x, y), PRODUCTS, ((1, 2), (2, 4))),
    ),
    "the product of sums with half the bound": (
        "lengths",
        lambda: inductive(sp.Le(e**2, a * c / 2), (x, y), PRODUCTS, ((1, 1), (1, -1)), **NONNEGATIVE),
    ),
    "the product of sums is at least their square": (
        "lengths",
        lambda: inductive(sp.Ge(e**2, a * c), (x, y), PRODUCTS, ((1, 2), (2, 4)), raised=half, **NONNEGATIVE),
    ),
    "inverse entries with the bound of the largest": (
        "lengths",
        lambda: inductive(
            sp.Le(s, n / p), (u,), {s: s + 1 / u}, ((1,), (1,)), parameters={p: sp.S.One}, conditions=(u <= p,)
        ),
    ),
    "inverse entries without a least one": (
        "lengths",
        lambda: inductive(sp.Le(s, n / p), (u,), {s: s + 1 / u}, ((1,), (1,)), parameters={p: sp.S.One}),
    ),
    "the sum of the first numbers of a length": (
        "lengths",
        lambda: inductive(sp.Eq(s, n * x, evaluate=False), (y,), {s: s + y}, ((1,),), parameters={x: sp.S.One}),
    ),
    "pairs of entries with the equal ones": (
        "lengths",
        lambda: inductive(
            sp.Eq(t, a * c, evaluate=False),
            (x, y),
            {a: a + x, c: c + y, t: t + a * y + c * x},
            ((1, 2), (3, 4)),
        ),
    ),
    "a count of entries that is one too large": (
        "lengths",
        lambda: inductive(sp.Eq(s, n + 1, evaluate=False), (x,), {s: s + 1}, ((1,), (1,))),
    ),
    "it starts from a length at which it is false": (
        "lengths",
        lambda: inductive(
            sp.Ge(s, 1), (u,), {s: s + u}, ((2,),), conditions=(u >= half,), least=1, raised=sp.Integer(2)
        ),
    ),
    "conditions that no entry meets": (
        "lengths",
        lambda: inductive(sp.Le(s, -n), (u,), {s: s + u}, ((1,),), conditions=(u <= -1,), raised=half),
    ),
    "the fourth moment without the pairs": ("copies", lambda: summed(4, 24 * M * b**4)),
    "the printed sixth moment": ("copies", lambda: summed(6, 240 * (M**3 + 2 * M) * b**6)),
    "the second moment, one copy too few": ("copies", lambda: summed(2, 2 * (M - 1) * b**2)),
    "the second moment with a square": ("copies", lambda: summed(2, 2 * M**2 * b**2)),
    "the fourth moment of normal variables": ("copies", lambda: summed(4, 12 * M**2 * b**4)),
    "the second moment in another scale": ("copies", lambda: summed(2, 2 * M * b)),
    "a mean that is forgotten": (
        "copies",
        lambda: summed(2, 2 * M, lambda powers: sp.Integer(powers[0]), {(Fraction(1),): Fraction(1)}),
    ),
    "a logarithm above its tangent": ("slopes", lambda: signed(sp.log(1 + z) - z)),
    "a logarithm above half its tangent": ("slopes", lambda: signed(sp.log(1 + z) - z / 2)),
    "a logarithm to base two below the tangent": ("slopes", lambda: signed(z * sp.Rational(7, 5) - 2 * sp.log(1 + z))),
    "the remainder has the next sign": ("slopes", lambda: signed(rest(4))),
    "the remainder after the fifth order is below u^6/31": ("slopes", lambda: signed(z**6 / 31 - rest(5))),
    "the remainder after the fifth order is below u^7": ("slopes", lambda: signed(z**7 - rest(5))),
    "the remainder after the fifth order is below u^6/6 for negative u": (
        "slopes",
        lambda: signed((z**6 / 6 - rest(5)).subs(z, -z), end=sp.S.One),
    ),
    "gains are largest at the ends": (
        "slopes",
        lambda: signed(
            gain(m - z) + gain(m + z) - 2 * gain(m),
            end=m - 1,
            conditions=(m > 1,),
            witness={z: half, m: sp.Integer(3)},
        ),
    ),
    "gains without the condition on the middle": (
        "slopes",
        lambda: signed(
            2 * gain(m) - gain(m - z) - gain(m + z), end=m, conditions=(m > 1,), witness={z: half, m: sp.Integer(3)}
        ),
    ),
    "a strict sign of the function zero": ("slopes", lambda: signed(z - z + 0 * z, strict=True)),
    "a pole inside the interval": ("slopes", lambda: signed(-1 / (z - 1))),
    "a value below zero at the start": ("slopes", lambda: signed(sp.log(1 + z) - tenth)),
    "a logarithm of a negative number": ("slopes", lambda: signed(sp.log(z - 1) ** 1, witness={z: sp.Integer(3)})),
    "the growth with too small a constant": (
        "growth",
        lambda: grown((2 * sp.log((u + 1) / 2) + 2) / u, sp.log(u) / u, 1, 2),
    ),
    "the growth with the order of its inverse": ("growth", lambda: grown(sp.log(u) / u, 1 / u, 1, 3, 1 / u**2)),
    "the growth with a square of the order": (
        "growth",
        lambda: grown(sp.log(u) / u, sp.log(u) / u**2, 1, 100, 1 / u**3),
    ),
    "the growth with too large a lower constant": (
        "growth",
        lambda: grown((sp.log(u) + 1) / u, sp.log(u) / u, 2, 3),
    ),
    "the growth from one on": ("growth", lambda: grown((sp.log(u) + 1) / u, sp.log(u) / u, 1, 3, first=1)),
    "an order that is not finer": (
        "growth",
        lambda: grown((sp.log(u) + 1) / u, sp.log(u) / u, 1, 3, sp.log(u) / u),
    ),
}

TRUE: dict[str, Callable[[], Claim]] = {
    "the square of a sum": lambda: squares(n * a),
    "Cauchy and Schwarz": lambda: inductive(sp.Le(e**2, a * c), (x, y), PRODUCTS, ((1, 2), (2, 4)), **NONNEGATIVE),
    "pairs of different entries": lambda: inductive(
        sp.Eq(t, a * c - e, evaluate=False),
        (x, y),
        {a: a + x, c: c + y, e: e + x * y, t: t + a * y + c * x},
        ((1, 2), (3, 4)),
    ),
    "inverse entries": lambda: inductive(
        sp.Le(s, n / p), (u,), {s: s + 1 / u}, ((1,), (1,)), parameters={p: sp.S.One}, conditions=(u >= p,)
    ),
    "from length two on": lambda: inductive(
        sp.Ge(s, 2), (u,), {s: s + u}, ((1,), (1,)), conditions=(u >= 1,), least=2, raised=half
    ),
    "the fourth moment": lambda: summed(4, 12 * (M**2 + M) * b**4),
    "the sixth moment": lambda: summed(6, 120 * M * (M + 1) * (M + 2) * b**6),
    "the third moment of skew variables": lambda: summed(
        3, 2 * M, lambda powers: sp.Integer({1: 0, 2: 2, 3: 2}[powers[0]]), SKEW
    ),
    "a logarithm below its tangent": lambda: signed(z - sp.log(1 + z), strict=True),
    "the remainder after the fifth order": lambda: signed(z**6 / 30 - rest(5)),
    "gains in the middle": lambda: signed(
        2 * gain(m) - gain(m - z) - gain(m + z), end=m - 1, conditions=(m > 1,), witness={z: half, m: sp.Integer(3)}
    ),
    "a gain rises from the first record on": lambda: signed(gain(z), start=sp.S.One, strict=True),
    "an order of growth": lambda: grown((sp.log(u) + 1) / u, sp.log(u) / u, 1, 3),
}
