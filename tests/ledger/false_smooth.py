"""False statements about least values, limits, derivatives and sums of exponentials, and the true ones beside them."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from pan_proofs.engines.computations import of_one_sign
from pan_proofs.engines.exponentials import falling_sum, widest_term
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import derivative_is, tends_to
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.obligation import Obligation
from pan_proofs.ledger.claim import Claim
from pan_proofs.ledger.steps import lemma
from tests.ledger.false_attacks import stated
from tests.ledger.link_statements import eq, link

u, v = sp.symbols("u v", real=True)
x, y, c = sp.symbols("x y c", positive=True)
k = sp.Symbol("k", positive=True, integer=True)
square = {u: (sp.S.Zero, sp.S.One), v: (sp.S.Zero, sp.S.One)}
third, half = sp.Rational(1, 3), sp.Rational(1, 2)
BOWL = (u - third) ** 2 + (v - third) ** 2 + c
nearby = {u: sp.Rational(1, 4), v: sp.Rational(1, 4)}


def told(obligation: Obligation) -> Claim:
    return stated(lemma("s", "", obligation))


def least(
    expression: sp.Expr,
    bound: object,
    box: dict = square,
    cases: tuple = ({c: 1},),
    close: dict = nearby,
    stronger: sp.Expr = half,
) -> Claim:
    """A lower bound on a box."""
    closest = tuple(close for _ in cases)
    return told(exceeds_on_box("s", expression, sp.sympify(bound), box, cases, close=closest, stronger=stronger))


def limit(expression: sp.Expr, place: object, value: object, side: str = "+", **more: object) -> Claim:
    return told(tends_to("s", expression, x, sp.sympify(place), sp.sympify(value), side=side, **more))


def slope(expression: sp.Expr, value: sp.Expr) -> Claim:
    return told(derivative_is("s", expression, x, value))


def widest(factor: sp.Expr, rest: sp.Expr, smaller: sp.Expr = u, hypotheses: tuple = (u >= 0, u <= 1)) -> Claim:
    share = Inequality("s", smaller, sp.S.One, hypotheses, touching={u: 1})
    return told(widest_term("s", factor, x, share, rest, y))


def falls(factor: sp.Expr, rate: sp.Expr, hypotheses: tuple = (u > 0,)) -> Claim:
    positive = Inequality("s", sp.S.Zero, rate, hypotheses, strict=True, raised=sp.S.One, touching={u: 0})
    return told(falling_sum("s", ((factor, positive),), k, v))


TRUE: dict[str, Callable[[], Claim]] = {
    "a bowl": lambda: least(BOWL, sp.Rational(999, 1000)),
    "a bowl in two cases": lambda: least(BOWL, c - sp.Rational(1, 100), cases=({c: 1}, {c: sp.exp(1)})),
    "a slope": lambda: least(sp.exp(u), half, {u: (sp.S.Zero, sp.S.One)}, ({},), {u: sp.S.Zero}, sp.S.One),
    "the limit of a slope": lambda: limit((sp.exp(x) - 1) / x, 0, 1),
    "a limit from below": lambda: limit(1 / (1 - x * y), half, 1 / (1 - y / 2), "-", at={y: 1}),
    "a limit on a path": lambda: limit(sp.log(1 + y) / y, 0, 1, under={y: x**2}),
    "a derivative": lambda: slope(sp.exp(-x * y), -y * sp.exp(-x * y)),
    "the widest term": lambda: widest(sp.Integer(2), y),
    "a falling term": lambda: falls(sp.Integer(2), u),
}

FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "above the least value": ("wrong constant", lambda: least(BOWL, sp.Rational(1001, 1000))),
    "the least value itself": ("strict", lambda: least(BOWL, 1)),
    "true in one case only": ("range", lambda: least(BOWL, sp.Rational(9, 10), cases=({c: 1}, {c: half}))),
    "true at the middle only": ("range", lambda: least(u + v - u * v, third)),
    "a slope that points out of the box": (
        "range",
        lambda: least(-u, -half, {u: (sp.S.Zero, sp.S.One)}, ({},), {u: sp.S.One}, sp.S.One),
    ),
    "a pole inside": (
        "undefined",
        lambda: least(1 / (u - third), -100, {u: (sp.S.Zero, sp.S.One)}, ({},), {u: 0}, sp.Integer(99)),
    ),
    "a stronger statement that is true": ("control", lambda: least(BOWL, half, stronger=sp.Rational(1, 100))),
    "a point outside of the box": ("control", lambda: least(BOWL, half, close={u: -2, v: 0}, stronger=sp.Integer(99))),
    "another limit": ("wrong constant", lambda: limit((sp.exp(x) - 1) / x, 0, 2)),
    "the limit from the other side": ("wrong sign", lambda: limit(sp.Abs(x - 1) / (x - 1), 1, 1, "-")),
    "a limit that grows": ("range", lambda: limit(1 / x, 0, 0)),
    "another derivative": ("wrong sign", lambda: slope(sp.exp(-x * y), y * sp.exp(-x * y))),
    "the derivative of another variable": ("wrong variable", lambda: slope(sp.exp(-x * y), -x * sp.exp(-x * y))),
    "a rest of no sign": ("missing hypothesis", lambda: widest(sp.Integer(2), v)),
    "a factor of no sign": ("missing hypothesis", lambda: widest(v, y)),
    "a share without a bound": ("missing hypothesis", lambda: widest(sp.Integer(2), y, hypotheses=(u >= 0,))),
    "a rate of no sign": ("missing hypothesis", lambda: falls(sp.Integer(2), u, (u > -1,))),
    "a negative factor": ("wrong sign", lambda: falls(-sp.Integer(2), u)),
    "a sign that is not known": ("missing hypothesis", lambda: told(of_one_sign("s", "", u - 1, shown=True))),
}

bowl = lemma("bowl", "", exceeds_on_box("bowl", BOWL, half, square, ({c: 1}, {c: 2}), close=(nearby,) * 2, stronger=2))
corner = lemma(
    "corner",
    "",
    exceeds_on_box("corner", c - u * v, -half, square, ({c: 1}, {c: 2}), close=({u: 1, v: 1},) * 2, stronger=2),
)
unit = lemma("unit", "", tends_to("unit", (sp.exp(x) - 1) / x, x, sp.S.Zero, sp.S.One))
speed = lemma("speed", "", derivative_is("speed", x**3 * y, x, 3 * x**2 * y))
sums = lemma(
    "sums", "", widest_term("sums", sp.Integer(2), x, Inequality("s", u, sp.S.One, (u <= 1,), touching={u: 1}), y, c)
)
inside = tuple(one for share in (u, v) for one in (share >= 0, share <= 1))
of_cases = sp.Or(sp.Eq(c, 1), sp.Eq(c, 2))


def gt(left: object, right: object) -> sp.Basic:
    return sp.Gt(left, right, evaluate=False)


TRUE_LINKS = {
    "the cases of another function": lambda: link(gt(c - u * v, -half), corner, given=(*inside, of_cases)),
    "the cases of a bowl": lambda: link(gt(BOWL, half), bowl, given=(*inside, of_cases)),
    "a limit as it was shown": lambda: link(eq(sp.Limit((sp.exp(x) - 1) / x, x, 0), 1), unit),
    "a derivative as it was shown": lambda: link(eq(sp.Derivative(x**3 * y, x), 3 * x**2 * y), speed),
    "a value of another symbol": lambda: link(
        eq(sp.Derivative(x**3 * y, x), 3 * x**2 * y), speed, where={y: sp.Integer(2)}
    ),
    "a term as it was shown": lambda: link(
        sp.Lt(2 * sp.exp(-x), c, evaluate=False),
        sums,
        given=(u <= 1, sp.Le(2 * sp.exp(-x * u) + y, c, evaluate=False)),
    ),
}

FALSE_LINKS = {
    "another case": lambda: link(gt(BOWL, half), bowl, given=(*inside, sp.Or(sp.Eq(c, 1), sp.Eq(c, third)))),
    "outside of the box": lambda: link(
        gt(c - u * v, -half), corner, given=(u >= 0, v >= 0, sp.Or(sp.Eq(c, 1), sp.Eq(c, 2)))
    ),
    "no case": lambda: link(gt(BOWL, half), bowl, given=inside),
    "a limit from the other side": lambda: link(eq(sp.Limit((sp.exp(x) - 1) / x, x, 0, "-"), 1), unit),
    "a limit at another place": lambda: link(eq(sp.Limit((sp.exp(x) - 1) / x, x, 1), 1), unit),
    "another limit": lambda: link(eq(sp.Limit((sp.exp(x) - 1) / x, x, 0), 2), unit),
    "the function for its limit": lambda: link(eq((sp.exp(x) - 1) / x, 1), unit),
    "the derivative along another symbol": lambda: link(eq(sp.Derivative(x**3 * y, y), 3 * x**2 * y), speed),
    "the function for its derivative": lambda: link(eq(x**3 * y, 3 * x**2 * y), speed),
    "a value where the derivative is taken": lambda: link(
        eq(sp.Derivative(x**3 * y, x), 3 * y), speed, where={x: sp.Integer(1)}
    ),
    "a term without the bound of the share": lambda: link(
        sp.Lt(2 * sp.exp(-x), c, evaluate=False), sums, given=(sp.Le(2 * sp.exp(-x * u) + y, c, evaluate=False),)
    ),
    "a term of a sum without its rest": lambda: link(
        sp.Lt(2 * sp.exp(-x), c, evaluate=False), sums, given=(u <= 1, sp.Le(2 * sp.exp(-x * u), c, evaluate=False))
    ),
}
