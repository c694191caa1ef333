"""False statements about convex functions and functions with one hump: none may come out as proved."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.shapes import Convex, Hump
from pan_proofs.ledger.claim import Claim
from pan_proofs.ledger.lengths_and_limits import by_shape
from tests.ledger.false_lengths_and_limits import stated

v = sp.Symbol("v", real=True)
p, y = sp.symbols("p y", positive=True)
tenth, third, half = sp.Rational(1, 10), sp.Rational(1, 3), sp.Rational(1, 2)
CUMULANT = sp.log(1 - p + p * sp.exp(v)) - v * p
AT = {v: tenth, p: third}
TAIL, BOUND = 1 - sp.erf(y), sp.exp(-(y**2))
TOP, FACTOR = 1 / sp.sqrt(sp.pi), 2 * sp.exp(-(y**2))


def convex(smaller: sp.Expr, larger: sp.Expr, place: object = 0, at: dict = AT, given: tuple = (p < 1,)) -> Claim:
    """An inequality by convexity."""
    return stated(by_shape("s", "", Convex("s", smaller, larger, v, sp.sympify(place), at, half, given)))


def hump(smaller: sp.Expr, larger: sp.Expr, top: sp.Expr = TOP, factor: sp.Expr = FACTOR, **options) -> Claim:
    """An inequality between functions whose difference has one hump."""
    values = {"witness": tenth, "raised": half, **options}
    return stated(by_shape("s", "", Hump("s", smaller, larger, y, top, factor, **values)))


TRUE = {
    "the cumulant of a bit": lambda: convex(CUMULANT, v**2 / 8),
    "a tangent of the exponential": lambda: convex(1 + v, sp.exp(v)),
    "both tails of a normal variable": lambda: hump(TAIL, BOUND),
    "a hump": lambda: hump(sp.S.Zero, y * sp.exp(-y), sp.S.One, sp.exp(-y)),
}

FALSE = {
    "a constant that is too small": lambda: convex(CUMULANT, v**2 / 9),
    "the other way round": lambda: convex(v**2 / 8, CUMULANT),
    "another place": lambda: convex(CUMULANT, v**2 / 8, 1),
    "a line that is no tangent": lambda: convex(1 + 2 * v, sp.exp(v)),
    "a line above the tangent": lambda: convex(sp.Rational(11, 10) + v, sp.exp(v)),
    "a logarithm that is not defined everywhere": lambda: convex(sp.log(v), v - 1, 1, {v: sp.Rational(9, 10)}, ()),
    "a parameter that is too large": lambda: convex(CUMULANT, v**2 / 8, given=()),
    "conditions that contradict one another": lambda: convex(CUMULANT, v**2 / 9, given=(p < 1, p > 2)),
    "a witness outside of the conditions": lambda: convex(CUMULANT, v**2 / 8, at={v: tenth, p: sp.Integer(2)}),
    "a stronger statement that is true": lambda: convex(CUMULANT, v**2 / 8, at={v: sp.Integer(9), p: half}),
    "an absolute value, which has a bend": lambda: convex(sp.Abs(v) / 100, v**2, at={v: half}, given=()),
    "a start below zero": lambda: hump(TAIL + tenth, BOUND),
    "a smaller bound": lambda: hump(TAIL, BOUND * sp.Rational(9, 10)),
    "a valley in the place of a hump": lambda: hump(BOUND, TAIL),
    "a hump above zero, from below zero on": lambda: hump(tenth, y * sp.exp(-y), sp.S.One, sp.exp(-y)),
    "another top": lambda: hump(TAIL, BOUND, half),
    "another factor": lambda: hump(TAIL, BOUND, factor=sp.exp(-(y**2))),
    "a top and a factor with the wrong sign": lambda: hump(y * sp.exp(-y), sp.S.Zero, -sp.S.One, -sp.exp(-y)),
    "a stronger statement that is true, of a hump": lambda: hump(TAIL, BOUND, raised=sp.Rational(1, 1000)),
}
"""Name, and the claim."""
