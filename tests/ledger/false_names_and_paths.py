"""False statements by names that depend on a variable or on each other, paths of limits, and functions with bends."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from pan_proofs.engines.limits import derivative_is, tends_to
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.shapes import Convex
from pan_proofs.ledger.claim import Claim
from pan_proofs.ledger.lengths_and_limits import by_shape
from pan_proofs.ledger.steps import equal, lemma
from tests.ledger.false_attacks import stated
from tests.ledger.link_statements import eq, le, link, lt

u, v, w = sp.symbols("u v w", real=True)
x, y, z = sp.symbols("x y z", positive=True)
n = sp.Symbol("n", positive=True, integer=True)
unit = {u: (sp.S.Zero, sp.S.One)}
half = sp.Rational(1, 2)


def slope(function: sp.Expr, value: sp.Expr) -> Claim:
    return stated(lemma("s", "", derivative_is("s", function, u, value)))


def limit(function: sp.Expr, place: object, value: object, side: str = "+") -> Claim:
    return stated(lemma("s", "", tends_to("s", function, x, sp.sympify(place), sp.sympify(value), side=side)))


def least(function: sp.Expr, bound: object, box: dict, close: object) -> Claim:
    found = exceeds_on_box("s", function, sp.sympify(bound), box, ({},), close=({u: close},), stronger=sp.Integer(999))
    return stated(lemma("s", "", found))


def bent(smaller: sp.Expr) -> Claim:
    """Below a parabola, where the slope jumps at 0."""
    return stated(by_shape("s", "", Convex("s", smaller, v**2, v, sp.S.Zero, {v: half}, half, ())))


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "the slope of an absolute value at its bend": ("bend", lambda: slope(sp.Abs(u), sp.sign(u))),
    "the slope of a maximum at its bend": ("bend", lambda: slope(sp.Max(u, 0), sp.Heaviside(u))),
    "a step has the slope zero": ("bend", lambda: slope(sp.floor(u), sp.S.Zero)),
    "the slope of a cube root at zero": ("bend", lambda: slope(sp.cbrt(u), sp.cbrt(u) / (3 * u))),
    "the slope of a logarithm of any number": ("bend", lambda: slope(sp.log(u), 1 / u)),
    "the slope of a power with the variable above": ("bend", lambda: slope(u**u, u**u)),
    "a logarithm that is not defined on half of the box": ("box", lambda: least(sp.log(u - half), -100, unit, half)),
    "a box whose sides are exchanged": ("box", lambda: least(u, -1, {u: (sp.S.One, sp.S.Zero)}, half)),
    "a corner below a parabola": ("bend", lambda: bent(sp.Max(v, 0) / 100)),
    "an exponential of a bend below a parabola": ("bend", lambda: bent(sp.exp(sp.Abs(v) / 100) - 1)),
}

REFUSED: dict[str, Callable[[], Claim]] = {
    "a limit that oscillates": lambda: limit(sp.sin(1 / x), 0, 0),
    "a limit of a step from below": lambda: limit(sp.floor(x), 1, 1, "-"),
    "a limit of a step from above": lambda: limit(sp.ceiling(x), 1, 1),
}
"""Functions of which balls know nothing: nothing is asked about them."""

speed = lemma("speed", "", derivative_is("speed", x**3 * y, x, 3 * x**2 * y))
scaled = lemma("scaled", "", tends_to("scaled", sp.exp(x) * y, x, sp.S.Zero, y, at={y: 2}))
pole = lemma("pole", "", tends_to("pole", x * y / (x + y - 1), x, sp.S.Zero, sp.S.Zero, at={y: 2}))
path = lemma("path", "", tends_to("path", y / x, x, sp.S.Zero, sp.S.One, under={y: sp.tanh(x)}))
jump = lemma("jump", "", tends_to("jump", sp.Abs(x - 1) / (x - 1), x, sp.S.One, sp.S.One))
square = equal("square", "", "", (x + 1) ** 2, x**2 + 2 * x + 1)

TRUE_LINKS: dict[str, Callable[[], tuple]] = {
    "a limit times a number": lambda: link(eq(sp.Limit(sp.exp(x) * y, x, 0), y), scaled),
    "a limit where it exists": lambda: link(
        eq(sp.Limit(x * y / (x + y - 1), x, 0), 0), pole, given=(sp.Ne(y - 1, 0, evaluate=False),)
    ),
}

FALSE_LINKS: dict[str, Callable[[], tuple]] = {
    "a derivative in which a factor is the variable": lambda: link(
        eq(sp.Derivative(x**3 * y, x), 3 * x**2 * y), speed, where={y: x}
    ),
    "a second derivative from the first": lambda: link(eq(sp.Derivative(x**3 * y, x, 2), 3 * x**2 * y), speed),
    "a limit in which a factor is the variable": lambda: link(
        eq(sp.Limit(sp.exp(x) * y, x, 0), y), scaled, where={y: 1 / x}
    ),
    "a limit where its denominator vanishes": lambda: link(
        eq(sp.Limit(x * y / (x + y - 1), x, 0), 0), pole, where={y: sp.S.One}
    ),
    "a limit whose condition is not stated": lambda: link(eq(sp.Limit(x * y / (x + y - 1), x, 0), 0), pole),
    "a limit on a path for all paths": lambda: link(eq(sp.Limit(y / x, x, 0), 1), path),
    "a limit on another path": lambda: link(eq(sp.Limit(sp.tanh(x) ** 2 / x, x, 0), 1), path),
    "a limit from both sides of a jump": lambda: link(eq(sp.Limit(sp.Abs(x - 1) / (x - 1), x, 1, "+-"), 1), jump),
    "names that define each other": lambda: link(lt(u, v), square, where={u: v + 1, v: u + 1}),
    "a name that is defined by two others in a circle": lambda: link(
        lt(u, 0), square, where={u: v + 1, v: w + 1, w: u + 1}
    ),
    "a maximum of three below that of two": lambda: link(le(sp.Max(x, y, z), sp.Max(x, y)), square),
    "a factorial without its last factor": lambda: link(eq(sp.factorial(n), n * sp.factorial(n)), square),
    "an exponential below zero": lambda: link(lt(sp.exp(-x), 0), square),
    "a whole part that is the number": lambda: link(eq(sp.floor(x), x), square),
    "a sum of numbers without the last": lambda: link(
        eq(sp.Sum(n, (n, 1, sp.Symbol("m", positive=True, integer=True))), 0), square
    ),
}
