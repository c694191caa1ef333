"""Vectors, sums of copies, signs by derivatives and growth: nothing false is proved, and nothing true falls."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines.independent_sums import moment_of_sum, sum_moment
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger import ProofVerdict
from tests.ledger.false_lengths_and_limits import FAIR, FALSE, TRUE, M, a, n, s, summed, u, x, z

small = st.integers(-3, 3)


@pytest.mark.parametrize("name", TRUE)
def test_every_true_statement_is_proved(name):
    claim = TRUE[name]()
    assert claim.verdict is ProofVerdict.PROVED, [
        one for one in claim.obligations[0].checks if one.answer != one.expected
    ]


def test_each_engine_is_attacked():
    assert min(Counter(kind for kind, _ in FALSE.values()).values()) >= 6


@given(small, small, small, st.lists(st.fractions(-3, 3, max_denominator=4), min_size=0, max_size=4))
@settings(max_examples=40, deadline=None)
def test_what_an_induction_proves_holds_for_vectors(square, product, squares, vector):
    relation = sp.Ge(square * s**2 + product * n * a + squares * a, 0, evaluate=False)
    if relation.lhs == 0:
        return
    induction = Induction(
        "s", relation, n, (x,), {s: s + x, a: a + x**2}, ((1,), (1,)), along=(sp.Ge(a, 0),), raised=sp.Integer(100)
    )
    proved = all(check.answer in (check.expected, "unknown") for check in induction.discharge().checks)
    values = induction.values([(sp.Rational(one),) for one in vector])
    assert not proved or relation.lhs.xreplace(values) >= 0


@given(small, small, small, st.fractions(Fraction(1, 50), 20))
@settings(max_examples=40, deadline=None)
def test_what_derivatives_prove_holds_at_points(constant, linear, logarithm, point):
    expression = constant + linear * z + logarithm * (1 + z) * sp.log(1 + z)
    slopes = Slopes("s", expression, z, sp.S.Zero, {z: sp.Rational(1, 7)}, sp.Integer(10**6))
    proved = str(slopes.discharge().status) == "discharged"
    assert not proved or expression.subs(z, sp.Rational(point)).evalf(30) >= 0


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=3, unique=True), st.integers(0, 3), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_moments_of_sums_are_those_of_enumeration(values, copies, order):
    distribution = dict.fromkeys(values, Fraction(1, len(values)))
    sums = {0: Fraction(1)}
    for _ in range(copies):
        longer: dict[int, Fraction] = {}
        for total, weight in sums.items():
            for value, chance in distribution.items():
                longer[total + value] = longer.get(total + value, Fraction(0)) + weight * chance
        sums = longer
    exact = sum(weight * total**order for total, weight in sums.items())

    def single(powers):
        return sp.Rational(sum((chance * value ** powers[0] for value, chance in distribution.items()), Fraction(0)))

    assert sum_moment((order,), single, sp.Integer(copies)) == sp.Rational(exact)


def test_a_sum_has_no_sign_that_is_not_proved():
    positive = sp.Symbol("S", positive=True)
    with pytest.raises(ValueError, match="declare it real, and nothing else"):
        Induction("s", sp.Ge(positive, 0, evaluate=False), n, (x,), {positive: positive + x}, ((1,),)).discharge()


def test_a_condition_on_sums_is_refused():
    with pytest.raises(ValueError, match="unknown symbols"):
        Induction("s", sp.Le(s, n), n, (x,), {s: s + x}, ((1,),), conditions=(x <= s,)).discharge()


def test_a_condition_on_the_variable_is_refused():
    with pytest.raises(ValueError, match="may not depend on z"):
        Slopes(
            "s", -1 / (z - 1), z, sp.S.Zero, {z: sp.Integer(2)}, sp.S.One, conditions=(sp.Ne(z, 1, evaluate=False),)
        ).discharge()


@pytest.mark.parametrize("start", [-1, sp.Rational(-1, 2)])
def test_a_positive_variable_starts_from_zero_on(start):
    with pytest.raises(ValueError, match="declare u real"):
        Slopes("s", u**2 - u, u, sp.sympify(start), {u: sp.S.One}, sp.S.One).discharge()


def test_whole_numbers_do_not_make_an_interval():
    whole = sp.Symbol("k", positive=True, integer=True)
    with pytest.raises(ValueError, match="declare k real"):
        Slopes("s", whole**2 - whole, whole, sp.S.Zero, {whole: sp.S.One}, sp.S.One).discharge()


@pytest.mark.parametrize("expression", [sp.floor(z) - z, sp.Piecewise((0, z < 1), (-5, True)), sp.Abs(z - 1) - 1])
def test_other_functions_are_refused(expression):
    with pytest.raises(TypeError):
        Slopes("s", expression, z, sp.S.Zero, {z: sp.Rational(1, 2)}, sp.S.One).discharge()


def test_a_control_with_another_mean_is_refused():
    with pytest.raises(ValueError, match="whose means are 0"):
        summed(2, 2 * M, distribution={(Fraction(1),): Fraction(1)})


def test_a_distribution_that_is_no_distribution_is_found():
    distribution = {(Fraction(1),): Fraction(1, 2), (Fraction(-1),): Fraction(1, 4), (Fraction(-1, 2),): Fraction(1, 2)}
    made = moment_of_sum("s", (2,), lambda powers: sp.Integer(powers[0] - 1), M, M, distribution, {M: sp.Integer(3)})
    assert str(made.status) == "failed"
    assert str(moment_of_sum("s", (2,), lambda powers: sp.Integer(powers[0] - 1), M, M, FAIR, {M: 3}).status) == (
        "discharged"
    )
