"""Points at which conditions hold."""

from __future__ import annotations

import pytest
import sympy as sp

from pan_proofs.engines.entailment import contradictory
from pan_proofs.engines.points import common_point

x, y = sp.symbols("x y", real=True)
p = sp.Symbol("p", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
found = sp.Symbol("P")

POSSIBLE = {
    "an interval": (sp.Gt(x, 0), sp.Lt(x, 1)),
    "an equation": (sp.Eq(y, 2 * x + p, evaluate=False), sp.Gt(y, p)),
    "a function": (sp.Lt(sp.exp(-p), sp.Rational(9, 10)),),
    "a quantity with its value": (sp.Eq(found, sp.exp(-2) / 2, evaluate=False), sp.Lt(found, 1)),
    "whole numbers": (sp.Ge(n, 2), sp.Le(n, 4)),
    "an implication": (sp.Implies(sp.Eq(x, 1), sp.Lt(y, 0), evaluate=False), sp.Gt(y, 0)),
    "one of two": (sp.Or(sp.Lt(x, -1), sp.Gt(x, 1)),),
    "bounds of bounds": (sp.Le(p, sp.exp(-1000 * n), evaluate=False), sp.Gt(y, 10**9), sp.Le(n, p * 10**999)),
    "an equation to be solved": (sp.Eq(p * y + x, 1000 * p + 77, evaluate=False), sp.Gt(y, 50)),
    "one of several equations": (sp.Or(sp.Eq(n, 997), sp.Eq(n, 998)), sp.Eq(x * 7, n, evaluate=False)),
    "a far whole number": (sp.Ge(n, 10**6 * sp.log(2)),),
}
IMPOSSIBLE = {
    "an interval without points": (sp.Gt(x, 1), sp.Lt(x, 0)),
    "a sign that sympy knows": (sp.Lt(x, 0, evaluate=False), sp.Gt(x, p)),
    "a value of another sign": (sp.Eq(p, -y, evaluate=False), sp.Gt(y, 0)),
    "a value that is no whole number": (sp.Eq(2 * n, 3, evaluate=False),),
    "a fraction for a whole number": (sp.Eq(n, sp.Rational(3, 2), evaluate=False),),
    "two values of a quantity": (sp.Eq(found, 1, evaluate=False), sp.Eq(found, 2, evaluate=False)),
    "a relation of equal sides": (sp.Lt(x, x, evaluate=False),),
    "the exponential below its tangent": (sp.Lt(sp.exp(p), 1 + p),),
    "an implication": (sp.Implies(sp.Gt(p, 0, evaluate=False), sp.Lt(y, 0), evaluate=False), sp.Gt(y, 0)),
    "bounds in a circle": (sp.Lt(p, y), sp.Lt(y, p)),
    "an equation without a positive solution": (sp.Eq(p + n, 0, evaluate=False),),
    "a whole number between two others": (sp.Gt(n, 1), sp.Lt(n, 2)),
    "neither of two": (sp.Or(sp.Lt(p, -1, evaluate=False), sp.Lt(p, -2, evaluate=False)),),
}


@pytest.mark.parametrize("conditions", POSSIBLE.values(), ids=POSSIBLE)
def test_conditions_that_a_point_satisfies_are_not_contradictory(conditions):
    point = common_point(conditions)
    assert point is not None
    assert all(one.subs(point) == sp.true for one in conditions)
    assert not contradictory(conditions)


@pytest.mark.parametrize("conditions", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_no_point_is_found_where_there_is_none(conditions):
    assert common_point(conditions) is None


@pytest.mark.parametrize("name", ["an interval without points", "a sign that sympy knows", "two values of a quantity"])
def test_solvers_decide_where_no_point_is_found(name):
    assert contradictory(IMPOSSIBLE[name])


def test_an_expression_without_balls_has_no_point():
    assert common_point((sp.Gt(sp.Function("f")(x), 0),)) is None
