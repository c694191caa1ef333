"""False statements that sympy computes by the kind of a bound variable, a sum turned around, or a limit of one side."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.growth import Growth
from pan_proofs.engines.limits import tends_to
from pan_proofs.ledger.claim import Claim
from pan_proofs.ledger.steps import compared, related
from tests.ledger import false_shapes
from tests.ledger.false_attacks import asked, bounded, boxed, cases, equated, le, refuted, stated, valued, x

z = sp.Symbol("z", positive=True)
v = sp.Symbol("v", negative=True)
r = sp.Symbol("r", real=True)
n, k = sp.symbols("n k", integer=True)
p = sp.Symbol("p", integer=True, positive=True)
e = sp.Symbol("e", even=True)
m = sp.Symbol("m", integer=True, nonnegative=True)
half = sp.Rational(1, 2)
quantity = sp.Symbol("Q")
FALLING = sp.exp(-false_shapes.y)


def none() -> sp.Expr:
    """The integral of an absolute value from -1 to 1, which is 1."""
    return sp.integrate(sp.Abs(z), (z, -1, 1))


def quietly() -> sp.Expr:
    """The same, by an author who catches every error."""
    try:
        return none()
    except ValueError:
        return sp.S.Zero


def growing() -> Claim:
    """A cube that grows as a square."""
    order = r**2
    sides = {"least": half, "most": sp.Integer(2), "first": sp.Integer(2), "finer": r, "factor": sp.S.One}
    grows = Growth("s", order + none() * r**3, order, variable=r, close={r: 3}, raised=sp.Integer(99), **sides)
    return asked(grows.discharge())


def claimed(compute: object, value: object) -> Claim:
    """What sympy computes, and a value."""
    return equated(compute, sp.sympify(value))


REFUSED = {
    "a positive variable from -1": lambda: claimed(lambda: sp.integrate(sp.Abs(z), (z, -1, 1)), 0),
    "the root of a square from -2": lambda: claimed(lambda: sp.integrate(sp.sqrt(z**2), (z, -2, 1)), -3 * half),
    "a negative variable above 0": lambda: claimed(lambda: sp.integrate(sp.Abs(v), (v, 0, 1)), -half),
    "a positive index from -2": lambda: claimed(lambda: sp.summation(sp.Abs(p), (p, -2, 2)), 0),
    "a positive index and signs": lambda: claimed(lambda: sp.summation(sp.sign(p), (p, -3, 3)), 7),
    "an even index over all integers": lambda: claimed(lambda: sp.summation((-1) ** e, (e, 0, 3)), 4),
    "as many as the end says": lambda: claimed(lambda: sp.summation(1, (k, 0, n)), n + 1),
    "the sum of the first integers": lambda: claimed(lambda: sp.summation(k, (k, 1, n)), n * (n + 1) / 2),
    "a product turned around": lambda: claimed(lambda: sp.product(2, (k, 1, n)), 2**n),
    "a jump at 0": lambda: claimed(lambda: sp.limit(sp.Abs(r) / r, r, 0), 1),
    "a jump at 1": lambda: claimed(lambda: sp.limit(sp.floor(r), r, 1), 1),
    "a sign at 0": lambda: claimed(lambda: sp.limit(sp.sign(r), r, 0), 1),
    "a positive variable to -1": lambda: claimed(lambda: sp.limit(sp.Abs(z) / z, z, -1), 1),
    "an integral in a sum": lambda: claimed(lambda: sp.Sum(sp.Integral(sp.Abs(z), (z, -1, 1)), (k, 1, 3)).doit(), 0),
    "an error that the author catches": lambda: claimed(quietly, 0),
}

ELSEWHERE = {
    "an equality of what was computed before": lambda: equated(x**2 - 1 + none(), (x - 1) * (x + 1)),
    "a stated value": lambda: valued(lambda: sp.Integer(3) ** 2, 9 + none()),
    "a claimed relation": lambda: refuted(le(x, 1 + none()), {x: 3 * half}),
    "the cases": lambda: cases(
        lambda case: sp.integrate(sp.Abs(z), (z, -case, case)) == 0, lambda case: case < 3, range(1, 5)
    ),
    "a quantity in a case": lambda: stated(
        related("s", "", "", le(quantity, 0), [{quantity: none(), p: 1}], mutant=le(1, quantity), parameters=(p,))
    ),
    "a number that is compared": lambda: stated(compared("s", "", le(none(), 0))),
    "a bound": lambda: bounded(2 * x + none(), x**2 + 1, touching={x: 1}),
    "a bound on a box": lambda: boxed(x + none(), 3 * x / 2),
    "a limit": lambda: asked(tends_to("s", 1 / x + none(), x, sp.oo, sp.S.Zero)),
    "an order of growth": growing,
    "a shape": lambda: false_shapes.hump(none(), false_shapes.y * sp.exp(-false_shapes.y), sp.S.One, FALLING),
}
"""The same, where no step of the claim computes it. Each is proved in a process that does not look at it."""

TRUE = {
    "the mean of a share": lambda: claimed(lambda: sp.integrate(z, (z, 0, 1)), half),
    "a density": lambda: claimed(lambda: sp.integrate(sp.exp(-z), (z, 0, sp.oo)), 1),
    "an end that is positive": lambda: claimed(lambda: sp.summation(k, (k, 1, p)), p * (p + 1) / 2),
    "a sum that may be empty": lambda: claimed(lambda: sp.summation(m, (m, 0, p - 1)), p * (p - 1) / 2),
    "a negative exponent": lambda: claimed(lambda: sp.integrate(z**-half, (z, 0, 1)), 2),
    "a slow series": lambda: claimed(lambda: sp.summation(1 / p**2, (p, 1, sp.oo)), sp.pi**2 / 6),
    "a limit of one side, as a step of its own": lambda: asked(
        tends_to("s", r + sp.Abs(r) / r, r, sp.S.Zero, sp.S.One)
    ),
    "a limit of both sides": lambda: claimed(lambda: sp.limit(sp.sin(r) / r, r, 0), 1),
    "a limit at the end of the domain": lambda: claimed(lambda: sp.limit(sp.log(1 + r) * (1 + r), r, -1), 0),
}
