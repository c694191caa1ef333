"""The kinds of steps: what is false, or not asked of an engine, is not discharged."""

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines import Status
from pan_proofs.inequalities import Inequality
from pan_proofs.ledger.identities import identity_checks
from pan_proofs.ledger.steps import at_most, below_on_box, computed, counterexample, equal

x, y = sp.symbols("x y", positive=True)
real = sp.Symbol("r", real=True)
one = {x: (sp.Rational(1, 10), sp.Integer(1))}


def status(step):
    (obligation,) = step.obligations
    return obligation.status


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((x + y) ** 3, x**3 + 3 * x**2 * y + 3 * x * y**2 + y**3),
        (sp.tanh(x / 2), (sp.exp(x) - 1) / (sp.exp(x) + 1)),
        (1 / (4 * sp.sinh(x / 2) ** 2), sp.exp(x) / (sp.exp(x) - 1) ** 2),
        (sp.log(x / y), sp.log(x) - sp.log(y)),
        (sp.sqrt(2 * x) ** 3, 2 * x * sp.sqrt(2) * sp.sqrt(x)),
        (2 ** (x + 1), 2 * 2**x),
    ],
)
def test_an_identity_is_discharged_by_two_engines(left, right):
    (obligation,) = equal("identity", "", "", left, right).obligations
    assert obligation.status is Status.DISCHARGED
    assert {"sympy", "flint"} <= set(obligation.engines)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((x + y) ** 2, x**2 + y**2),
        (sp.tanh(x), (sp.exp(x) - 1) / (sp.exp(x) + 1)),
        (sp.log(x * y), sp.log(x) * sp.log(y)),
        (sp.Abs(real), real),
        (sp.sqrt(real**2), real),
        (x, x + sp.Rational(1, 10**30)),
        (sp.exp(x), 1 + x + x**2 / 2 + x**3 / 6),
    ],
)
def test_a_false_identity_is_not_discharged(left, right):
    (obligation,) = equal("identity", "", "", left, right).obligations
    assert obligation.status is not Status.DISCHARGED


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=6, max_size=6), st.integers(1, 5))
def test_an_identity_that_is_off_by_anything_is_not_discharged(coefficients, off):
    a, b, c, d, e, f = coefficients
    left = (a * x + b * y + c) * (d * x + e * y + f) / (1 + x)
    right = sp.expand((a * x + b * y + c) * (d * x + e * y + f)) / (1 + x)
    assert all(check.answer is check.expected for check in identity_checks(left, right))
    assert not all(check.answer is check.expected for check in identity_checks(left, right + sp.Rational(off, 7**20)))


def test_a_chain_needs_what_was_computed_and_what_is_stated():
    with pytest.raises(ValueError, match="two expressions"):
        equal("alone", "", "x", x)


def test_a_bound_is_touched_only_at_a_point_of_its_region():
    inside = Inequality("square", 2 * x * y, x**2 + y**2, (x > 0, y > 0, y < x), touching={x: 1, y: 1})
    outside = Inequality("square", 2 * x * y, x**2 + y**2, (x > 0, y > 0, y < x), touching={x: -1, y: -1})
    assert status(at_most("inside", "", inside)) is Status.DISCHARGED
    assert status(at_most("outside", "", outside)) is Status.FAILED


def test_a_bound_with_contradictory_hypotheses_is_not_discharged():
    empty = Inequality("empty", x, x - 1, (x > 1, x < 0), touching={x: 0})
    assert status(at_most("empty", "", empty)) is Status.FAILED


def test_a_bound_that_is_not_tight_is_not_discharged_with_a_gap_of_none():
    loose = Inequality("loose", x, 2 * x, (x > 0,), gap=sp.Rational(1, 4), weaker=sp.Rational(1, 3))
    assert status(at_most("loose", "", loose)) is Status.FAILED


def test_a_strict_bound_on_a_box_is_decided_by_balls():
    below = below_on_box("tanh", "", sp.tanh(x), x, one, closest={x: sp.Rational(1, 10)})
    assert status(below) is Status.DISCHARGED


@pytest.mark.parametrize(
    ("smaller", "larger", "closest"),
    [
        (x, sp.tanh(x), sp.Rational(1, 10)),
        (x, x, sp.Rational(1, 2)),
        (sp.tanh(x), x, sp.Integer(2)),
        (sp.tanh(x), 100 * x, sp.Rational(1, 10)),
    ],
    ids=["false", "equal", "the point is outside", "far from tight"],
)
def test_a_bound_on_a_box_that_is_false_or_without_its_controls_is_not_discharged(smaller, larger, closest):
    assert status(below_on_box("box", "", smaller, larger, one, closest={x: closest})) is not Status.DISCHARGED


def test_a_counterexample_is_exact_and_satisfies_the_hypotheses():
    claimed = sp.Le(sp.tanh(x), x / 2, evaluate=False)
    small = (sp.Lt(x, 1, evaluate=False),)
    assert status(counterexample("is one", "", claimed, {x: sp.Rational(1, 2)}, small)) is Status.DISCHARGED
    assert status(counterexample("is none", "", claimed, {x: sp.Integer(3)})) is Status.FAILED
    assert status(counterexample("is outside", "", claimed, {x: sp.Rational(3, 2)}, small)) is Status.FAILED
    with pytest.raises(ValueError, match="exact"):
        counterexample("is rounded", "", claimed, {x: 0.5})


def test_equal_sides_refute_only_a_strict_relation():
    at = {x: sp.Integer(1)}
    assert status(counterexample("strict", "", sp.Lt(x, 1, evaluate=False), at)) is Status.DISCHARGED
    assert status(counterexample("weak", "", sp.Le(x, 1, evaluate=False), at)) is Status.FAILED


def test_a_computation_can_fail():
    assert status(computed("sum", "", "1 + 1 = 3", sum([1, 1]) == 3)) is Status.FAILED
