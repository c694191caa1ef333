"""False statements about convex functions and functions with one hump: none may come out as proved."""

from __future__ import annotations

from collections.abc import Callable

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

FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "a constant that is too small, by shape": ("wrong constant", lambda: convex(CUMULANT, v**2 / 9)),
    "the other way round, by shape": ("wrong sign", lambda: convex(v**2 / 8, CUMULANT)),
    "another place, by shape": ("shape", lambda: convex(CUMULANT, v**2 / 8, 1)),
    "a line that is no tangent, by shape": ("shape", lambda: convex(1 + 2 * v, sp.exp(v))),
    "a line above the tangent, by shape": ("shape", lambda: convex(sp.Rational(11, 10) + v, sp.exp(v))),
    "a logarithm that is not defined everywhere, by shape": (
        "missing hypothesis",
        lambda: convex(sp.log(v), v - 1, 1, {v: sp.Rational(9, 10)}, ()),
    ),
    "a parameter that is too large, by shape": ("missing hypothesis", lambda: convex(CUMULANT, v**2 / 8, given=())),
    "conditions that contradict one another, by shape": (
        "shape",
        lambda: convex(CUMULANT, v**2 / 9, given=(p < 1, p > 2)),
    ),
    "a witness outside of the conditions, by shape": (
        "shape",
        lambda: convex(CUMULANT, v**2 / 8, at={v: tenth, p: sp.Integer(2)}),
    ),
    "a stronger statement that is true, by shape": (
        "shape",
        lambda: convex(CUMULANT, v**2 / 8, at={v: sp.Integer(9), p: half}),
    ),
    "an absolute value, which has a bend, by shape": (
        "shape",
        lambda: convex(sp.Abs(v) / 100, v**2, at={v: half}, given=()),
    ),
    "a start below zero, by shape": ("wrong constant", lambda: hump(TAIL + tenth, BOUND)),
    "a smaller bound, by shape": ("wrong constant", lambda: hump(TAIL, BOUND * sp.Rational(9, 10))),
    "a valley in the place of a hump, by shape": ("wrong sign", lambda: hump(BOUND, TAIL)),
    "a hump above zero, from below zero on, by shape": (
        "shape",
        lambda: hump(tenth, y * sp.exp(-y), sp.S.One, sp.exp(-y)),
    ),
    "another top, by shape": ("shape", lambda: hump(TAIL, BOUND, half)),
    "another factor, by shape": ("shape", lambda: hump(TAIL, BOUND, factor=sp.exp(-(y**2)))),
    "a top and a factor with the wrong sign, by shape": (
        "wrong sign",
        lambda: hump(y * sp.exp(-y), sp.S.Zero, -sp.S.One, -sp.exp(-y)),
    ),
    "a stronger statement that is true, of a hump, by shape": (
        "shape",
        lambda: hump(TAIL, BOUND, raised=sp.Rational(1, 1000)),
    ),
}
"""Name, kind of the error, and the claim."""
