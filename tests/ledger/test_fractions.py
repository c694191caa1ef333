"""Fractions for the solvers: numerator over denominator is the expression, and neither has a fraction in it."""

from __future__ import annotations

import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines.inequalities import as_fraction, term

x, y = sp.symbols("x y", real=True)
POINT = {x: sp.Rational(7, 3), y: sp.Rational(-11, 5)}

leaves = st.sampled_from([x, y, 1 - x, y - 1, sp.Integer(2), sp.Rational(-1, 3)])
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, st.sampled_from([-2, -1, 2])).map(lambda pair: pair[0] ** pair[1] if pair[0] != 0 else x),
    ),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None)
@given(expressions)
def test_numerator_over_denominator_is_the_expression(expression):
    value = expression.xreplace(POINT)
    top, bottom = as_fraction(expression)
    assert not top.has(sp.Float)
    assert not bottom.has(sp.Float)
    assert all(power.exp.is_positive for power in (top.atoms(sp.Pow) | bottom.atoms(sp.Pow)))
    assert term(top)
    assert term(bottom)
    if value.is_finite:
        assert top.xreplace(POINT) == value * bottom.xreplace(POINT)


def test_denominators_that_differ_in_their_sign_are_one():
    assert as_fraction(x / (1 - y) + 1 / (y - 1)) == (1 - x, y - 1)
