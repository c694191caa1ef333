"""False statements that sympy computes by the kind of a bound variable, a sum turned around, or a limit of one side."""

from __future__ import annotations

import sympy as sp

from pan_proofs.ledger.claim import Claim
from tests.ledger.false_attacks import equated

z = sp.Symbol("z", positive=True)
v = sp.Symbol("v", negative=True)
r = sp.Symbol("r", real=True)
n, k = sp.symbols("n k", integer=True)
p = sp.Symbol("p", integer=True, positive=True)
e = sp.Symbol("e", even=True)
m = sp.Symbol("m", integer=True, nonnegative=True)
half = sp.Rational(1, 2)


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
}

TRUE = {
    "the mean of a share": lambda: claimed(lambda: sp.integrate(z, (z, 0, 1)), half),
    "a density": lambda: claimed(lambda: sp.integrate(sp.exp(-z), (z, 0, sp.oo)), 1),
    "an end that is positive": lambda: claimed(lambda: sp.summation(k, (k, 1, p)), p * (p + 1) / 2),
    "a sum that may be empty": lambda: claimed(lambda: sp.summation(m, (m, 0, p - 1)), p * (p - 1) / 2),
    "a limit of both sides": lambda: claimed(lambda: sp.limit(sp.sin(r) / r, r, 0), 1),
    "a limit at the end of the domain": lambda: claimed(lambda: sp.limit(sp.log(1 + r) * (1 + r), r, -1), 0),
}
