"""Statements about least values, limits, derivatives, sums of exponentials, paths, bends and names: false and true."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.exponentials import falling_sum, widest_term
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import derivative_is, tends_to
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.shapes import Convex
from pan_proofs.ledger.steps import equal, lemma

u, v, w = sp.symbols("u v w", real=True)
x, y, z, c = sp.symbols("x y z c", positive=True)
n = sp.Symbol("n", positive=True, integer=True)
k = sp.Symbol("k", positive=True, integer=True)
square = {u: (sp.S.Zero, sp.S.One), v: (sp.S.Zero, sp.S.One)}
third, half = sp.Rational(1, 3), sp.Rational(1, 2)
BOWL = (u - third) ** 2 + (v - third) ** 2 + c
nearby = {u: sp.Rational(1, 4), v: sp.Rational(1, 4)}


def least(
    expression: sp.Expr,
    bound: object,
    box: dict = square,
    cases: tuple = ({c: 1},),
    close: dict = nearby,
    stronger: sp.Expr = half,
) -> Obligation:
    """A lower bound on a box."""
    closest = tuple(close for _ in cases)
    return exceeds_on_box("s", expression, sp.sympify(bound), box, cases, close=closest, stronger=stronger)


def limit(expression: sp.Expr, place: object, value: object, side: str = "+", **more: object) -> Obligation:
    return tends_to("s", expression, x, sp.sympify(place), sp.sympify(value), side=side, **more)


def slope(expression: sp.Expr, value: sp.Expr, variable: sp.Symbol = x) -> Obligation:
    return derivative_is("s", expression, variable, value)


def widest(factor: sp.Expr, rest: sp.Expr, smaller: sp.Expr = u, hypotheses: tuple = (u >= 0, u <= 1)) -> Obligation:
    share = Inequality("s", smaller, sp.S.One, hypotheses)
    return widest_term("s", factor, x, share, rest, y)


def falls(factor: sp.Expr, rate: sp.Expr, hypotheses: tuple = (u > 0,)) -> Obligation:
    positive = Inequality("s", sp.S.Zero, rate, hypotheses, strict=True, raised=sp.S.One)
    return falling_sum("s", ((factor, positive),), k, v)


bowl = lemma("bowl", "", exceeds_on_box("bowl", BOWL, half, square, ({c: 1}, {c: 2}), close=(nearby,) * 2, stronger=2))
corner = lemma(
    "corner",
    "",
    exceeds_on_box("corner", c - u * v, -half, square, ({c: 1}, {c: 2}), close=({u: 1, v: 1},) * 2, stronger=2),
)
unit = lemma("unit", "", tends_to("unit", (sp.exp(x) - 1) / x, x, sp.S.Zero, sp.S.One))
speed = lemma("speed", "", derivative_is("speed", x**3 * y, x, 3 * x**2 * y))
sums = lemma("sums", "", widest_term("sums", sp.Integer(2), x, Inequality("s", u, sp.S.One, (u <= 1,)), y, c))
inside = tuple(one for share in (u, v) for one in (share >= 0, share <= 1))
of_cases = sp.Or(sp.Eq(c, 1), sp.Eq(c, 2))


def bent(smaller: sp.Expr) -> Obligation:
    """Below a parabola, where the slope jumps at 0."""
    return Convex("s", smaller, v**2, v, sp.S.Zero, {v: half}, half, ()).discharge()


scaled = lemma("scaled", "", tends_to("scaled", sp.exp(x) * y, x, sp.S.Zero, y, at={y: 2}))
pole = lemma("pole", "", tends_to("pole", x * y / (x + y - 1), x, sp.S.Zero, sp.S.Zero, at={y: 2}))
path = lemma("path", "", tends_to("path", y / x, x, sp.S.Zero, sp.S.One, under={y: sp.tanh(x)}))
jump = lemma("jump", "", tends_to("jump", sp.Abs(x - 1) / (x - 1), x, sp.S.One, sp.S.One))
identity = equal("square", "", "", (x + 1) ** 2, x**2 + 2 * x + 1)

FALSE = {
    "wrong constant": {
        "above the least value": "least(BOWL, 1001 / 1000)",
        "another limit": "limit((exp(x) - 1) / x, 0, 2)",
    },
    "strict": {
        "the least value itself": "least(BOWL, 1)",
    },
    "range": {
        "true in one case only": "least(BOWL, 9 / 10, cases=({c: 1}, {c: half}))",
        "true at the middle only": "least(u + v - u * v, third)",
        "a slope that points out of the box": "least(-u, -half, {u: (S(0), S(1))}, ({},), {u: S(1)}, S(1))",
        "a limit that grows": "limit(1 / x, 0, 0)",
    },
    "undefined": {
        "a pole inside": "least(1 / (u - third), -100, {u: (S(0), S(1))}, ({},), {u: 0}, S(99))",
    },
    "control": {
        "a stronger statement that is true": "least(BOWL, half, stronger=1 / 100)",
        "a point outside of the box": "least(BOWL, half, close={u: -2, v: 0}, stronger=S(99))",
    },
    "wrong sign": {
        "the limit from the other side": "limit(Abs(x - 1) / (x - 1), 1, 1, '-')",
        "another derivative": "slope(exp(-x * y), y * exp(-x * y))",
        "a negative factor": "falls(-S(2), u)",
    },
    "wrong variable": {
        "the derivative of another variable": "slope(exp(-x * y), -x * exp(-x * y))",
    },
    "missing hypothesis": {
        "a rest of no sign": "widest(S(2), v)",
        "a factor of no sign": "widest(v, y)",
        "a share without a bound": "widest(S(2), y, hypotheses=(u >= 0,))",
        "a rate of no sign": "falls(S(2), u, (u > -1,))",
        "a sign that is not known": "of_one_sign('s', '', u - 1, shown=True)",
    },
    "links": {
        "another case": "link(BOWL > half, bowl, given=(*inside, Or(c == 1, c == third)))",
        "outside of the box": "link(c - u * v > -half, corner, given=(u >= 0, v >= 0, Or(c == 1, c == 2)))",
        "no case": "link(BOWL > half, bowl, given=inside)",
        "a limit from the other side": "link(Limit((exp(x) - 1) / x, x, 0, '-') == 1, unit)",
        "a limit at another place": "link(Limit((exp(x) - 1) / x, x, 1) == 1, unit)",
        "another limit, as a formula": "link(Limit((exp(x) - 1) / x, x, 0) == 2, unit)",
        "the function for its limit": "link((exp(x) - 1) / x == 1, unit)",
        "the derivative along another symbol": "link(Derivative(x**3 * y, y) == 3 * x**2 * y, speed)",
        "the function for its derivative": "link(x**3 * y == 3 * x**2 * y, speed)",
        "a value where the derivative is taken": "link(Derivative(x**3 * y, x) == 3 * y, speed, where={x: S(1)})",
        "a term without the bound of the share": "link(2 * exp(-x) < c, sums, given=(2 * exp(-x * u) + y <= c,))",
        "a term of a sum without its rest": "link(2 * exp(-x) < c, sums, given=(u <= 1, 2 * exp(-x * u) <= c))",
        "a derivative in which a factor is the variable": (
            "link(Derivative(x**3 * y, x) == 3 * x**2 * y, speed, where={y: x})"
        ),
        "a second derivative from the first": "link(Derivative(x**3 * y, x, 2) == 3 * x**2 * y, speed)",
        "a limit in which a factor is the variable": "link(Limit(exp(x) * y, x, 0) == y, scaled, where={y: 1 / x})",
        "a limit where its denominator vanishes": "link(Limit(x * y / (x + y - 1), x, 0) == 0, pole, where={y: S(1)})",
        "a limit whose condition is not stated": "link(Limit(x * y / (x + y - 1), x, 0) == 0, pole)",
        "a limit on a path for all paths": "link(Limit(y / x, x, 0) == 1, path)",
        "a limit on another path": "link(Limit(tanh(x)**2 / x, x, 0) == 1, path)",
        "a limit from both sides of a jump": "link(Limit(Abs(x - 1) / (x - 1), x, 1, '+-') == 1, jump)",
        "names that define each other": "link(u < v, identity, where={u: v + 1, v: u + 1})",
        "a name that is defined by two others in a circle": (
            "link(u < 0, identity, where={u: v + 1, v: w + 1, w: u + 1})"
        ),
        "a maximum of three below that of two": "link(Max(x, y, z) <= Max(x, y), identity)",
        "a factorial without its last factor": "link(factorial(n) == n * factorial(n), identity)",
        "an exponential below zero": "link(exp(-x) < 0, identity)",
        "a whole part that is the number": "link(floor(x) == x, identity)",
        "a sum of numbers without the last": (
            "link(Sum(n, (n, 1, Symbol('m', positive=True, integer=True))) == 0, identity)"
        ),
    },
    "bend": {
        "the slope of a cube root at zero": "slope(cbrt(u), cbrt(u) / (3 * u), u)",
        "the slope of a power with the variable above": "slope(u**u, u**u, u)",
        "a corner below a parabola": "bent(Max(v, 0) / 100)",
        "an exponential of a bend below a parabola": "bent(exp(Abs(v) / 100) - 1)",
    },
    "box": {
        "a logarithm that is not defined on half of the box": (
            "least(log(u - half), -100, {u: (S(0), S(1))}, ({},), {u: half}, S(999))"
        ),
    },
}

TRUE = {
    "a bowl": "least(BOWL, 999 / 1000)",
    "a bowl in two cases": "least(BOWL, c - 1 / 100, cases=({c: 1}, {c: exp(1)}))",
    "a slope": "least(exp(u), half, {u: (S(0), S(1))}, ({},), {u: S(0)}, S(1))",
    "the limit of a slope": "limit((exp(x) - 1) / x, 0, 1)",
    "a limit from below": "limit(1 / (1 - x * y), half, 1 / (1 - y / 2), '-', at={y: 1})",
    "a limit on a path": "limit(log(1 + y) / y, 0, 1, under={y: x**2})",
    "a derivative": "slope(exp(-x * y), -y * exp(-x * y))",
    "the widest term": "widest(S(2), y)",
    "a falling term": "falls(S(2), u)",
    "the cases of another function": "link(c - u * v > -half, corner, given=(*inside, of_cases))",
    "the cases of a bowl": "link(BOWL > half, bowl, given=(*inside, of_cases))",
    "a limit as it was shown": "link(Limit((exp(x) - 1) / x, x, 0) == 1, unit)",
    "a derivative as it was shown": "link(Derivative(x**3 * y, x) == 3 * x**2 * y, speed)",
    "a value of another symbol": "link(Derivative(x**3 * y, x) == 3 * x**2 * y, speed, where={y: S(2)})",
    "a term as it was shown": "link(2 * exp(-x) < c, sums, given=(u <= 1, 2 * exp(-x * u) + y <= c))",
    "a limit times a number": "link(Limit(exp(x) * y, x, 0) == y, scaled)",
    "a limit where it exists": "link(Limit(x * y / (x + y - 1), x, 0) == 0, pole, given=(y - 1 != 0,))",
}

REFUSED = {
    "no ball": [
        "limit(sin(1 / x), 0, 0)",
        "limit(floor(x), 1, 1, '-')",
        "limit(ceiling(x), 1, 1)",
    ],
    "s: ": [
        "least(BOWL, half, cases=())",
        "exceeds_on_box('s', BOWL, half, square, ({c: 1},), close=(), stronger=half)",
        "least(BOWL, half, cases=({},))",
        "least(BOWL, half, cases=({c: 1, u: 0},))",
        "least(BOWL, half, cases=({c: 0.5},))",
        "least(BOWL, half, stronger=S(0))",
    ],
    "without x": [
        "limit(1 + x, 0, 1 + x)",
    ],
    "at most 1": [
        "widest_term('s', half, x, Inequality('s', u, S(2), (u <= 2,)), x, c)",
    ],
    "0 < rate": [
        "falling_sum('s', ((half, Inequality('s', S(0), u, (u >= 0,), raised=half)),), k, v)",
    ],
}
