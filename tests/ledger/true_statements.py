"""True statements by every public function that makes a step or an obligation: the kernel refutes none of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.engines import computations
from pan_proofs.engines.identities import equality
from tests.ledger.false_attacks import (
    asked,
    bounded,
    boxed,
    cases,
    compared,
    equated,
    half,
    k,
    le,
    n,
    r,
    refuted,
    stated,
    third,
    unit,
    valued,
    x,
    y,
)

TRUE = {
    "equality: a square": lambda: equated((x + 1) ** 2, x**2 + 2 * x + 1),
    "equality: hyperbolic": lambda: equated(sp.tanh(x / 2), (sp.exp(x) - 1) / (sp.exp(x) + 1)),
    "equality: of a double argument": lambda: equated(sp.sinh(2 * x), 2 * sp.sinh(x) * sp.cosh(x)),
    "equality: logarithms": lambda: equated(sp.log(x * y), sp.log(x) + sp.log(y)),
    "equality: roots": lambda: equated((sp.sqrt(x) + 1) ** 2, x + 2 * sp.sqrt(x) + 1),
    "equality: powers": lambda: equated(2 ** (n + 1) - 2**n, 2**n),
    "equality: a fraction": lambda: equated(1 / x - 1 / (x + 1), 1 / (x * (x + 1))),
    "equality: odds": lambda: equated(sp.exp(x) / (1 + sp.exp(x)), 1 / (1 + sp.exp(-x))),
    "equality: a real square": lambda: equated((r - 1) * (r + 1), r**2 - 1),
    "equality: a computed limit": lambda: equated(lambda: sp.limit((1 + 1 / x) ** x, x, sp.oo), sp.E),
    "equality: a computed sum": lambda: equated(lambda: sp.summation(k, (k, 1, n)), n * (n + 1) / 2),
    "equality: a computed integral": lambda: equated(lambda: sp.integrate(sp.exp(-y), (y, 0, sp.oo)), sp.Integer(1)),
    "obligation: a telescope": lambda: asked(equality("s", 1 / n - 1 / (n + 1), 1 / (n * (n + 1)))),
    "obligation: two of them": lambda: asked(
        equality("s", (x + y) * x, x**2 + x * y), equality("t", -(-x * y + 1), x * y - 1)
    ),
    "comparison: e": lambda: stated(compared("s", "", le(sp.E, sp.Rational(2719, 1000)))),
    "comparison: pi between": lambda: stated(compared("s", "", le(3, sp.pi), le(sp.pi, sp.Rational(22, 7)))),
    "comparison: exactly equal fractions": lambda: stated(compared("s", "", le(third + sp.Rational(1, 6), half))),
    "comparison: at a point": lambda: asked(
        computations.comparison("s", le(x**2, 2), {x: sp.sqrt(2) - sp.Rational(1, 10**9)})
    ),
    "bound: of means": lambda: bounded(2 * x, x**2 + 1, x > 0, touching={x: 1}),
    "bound: strict": lambda: bounded(2 * x, x**2 + 1, x > 1, strict=True, touching={x: 1}),
    "bound: with a gap": lambda: bounded(x, 3 * x, x >= 1, gap=half, weaker=sp.Rational(1, 4)),
    "bound: of integers": lambda: bounded(n, n**2, n >= 1, touching={n: 1}),
    "bound: of two integers": lambda: bounded(n + k, n * k + 1, n >= 1, k >= 1, touching={n: 1, k: 3}),
    "bound: a fraction": lambda: bounded(x / (1 + x), x, x > 0, touching={x: 0}),
    "bound: not negative": lambda: bounded(0, (x - 1) ** 2, x > 0, touching={x: 1}, raised=half),
    "box: the tangent of the exponential": lambda: boxed(1 + x, sp.exp(x), weaker=Fraction(1, 2)),
    "box: hyperbolic": lambda: boxed(sp.tanh(x), x, weaker=Fraction(1, 2)),
    "box: logarithms": lambda: boxed(sp.log(1 + x), x, weaker=Fraction(1, 2)),
    "positive on a box": lambda: asked(computations.positive_everywhere("s", sp.exp(x) - 1 - x, unit)),
    "sign: positive terms": lambda: asked(computations.of_one_sign("s", "", x + y, x * y)),
    "sign: a square": lambda: asked(computations.of_one_sign("s", "", (r - 1) ** 2, strict=False)),
    "free of a symbol": lambda: asked(computations.free_of("s", "", sp.diff(x * y, y), y)),
    "several as one": lambda: asked(
        computations.together("s", "", equality("t", x * (y + 1), x * y + x), computations.comparison("u", le(2, sp.E)))
    ),
    "cases: squares": lambda: cases(lambda case: case**2 >= case, lambda case: case**2 > case),
    "cases: pairs": lambda: cases(
        lambda pair: (pair[0] + pair[1]) ** 2 == pair[0] ** 2 + 2 * pair[0] * pair[1] + pair[1] ** 2,
        lambda pair: (pair[0] + pair[1]) ** 2 == pair[0] ** 2 + pair[1] ** 2,
        product(range(4), repeat=2),
    ),
    "value: a sum": lambda: valued(lambda: sum(range(5)), 10),
    "value: a fraction": lambda: valued(lambda: Fraction(1, 3) + Fraction(1, 6), Fraction(1, 2)),
    "value: several": lambda: valued(lambda: (sp.oo, sp.limit(1 / x, x, sp.oo)), (sp.oo, sp.S.Zero), engine="sympy"),
    "counterexample: a number": lambda: refuted(le(x, 2), {x: 3}),
    "counterexample: an integer": lambda: refuted(le(n**2, 2 * n), {n: 3}, le(n, 4)),
    "counterexample: irrational": lambda: refuted(le(x**2, 2), {x: sp.sqrt(2) + sp.Rational(1, 10**20)}),
    "counterexample: a run": lambda: refuted(le(x, half), {x: lambda: Fraction(2, 3)}),
    "counterexample: to a strict relation": lambda: refuted(sp.Lt(x, 1, evaluate=False), {x: 1}),
    "counterexample: to an equation": lambda: refuted(sp.Eq(x**2, x, evaluate=False), {x: 2}),
}
"""The claim of each."""
