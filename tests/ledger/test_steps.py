"""The kinds of steps: what is false, or not asked of an engine, is not discharged."""

import operator
from functools import cache, partial

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines import balls
from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Answer, Check, Kind, Status, minted
from pan_proofs.ledger.steps import at_most, below_on_box, counterexample, equal, found

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
        (sp.sqrt(2 * x + 2) ** 3, 2 * (x + 1) * sp.sqrt(2) * sp.sqrt(x + 1)),
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
    assert status(found("sum", "", "1 + 1", lambda: sum((1, 1)), 3)) is Status.FAILED


whole = sp.Symbol("n", positive=True, integer=True)
namesake = sp.Symbol("x", real=True)


@pytest.mark.parametrize(
    "claimed",
    [
        (sp.Ge(whole, 1, evaluate=False), {whole: sp.Rational(1, 2)}),
        (sp.Gt(sp.exp(x), 1, evaluate=False), {x: sp.Integer(-1)}),
    ],
)
def test_a_counterexample_must_be_what_the_symbol_stands_for(claimed):
    relation, values = claimed
    assert status(counterexample("kind", "", relation, values)) is Status.FAILED


@pytest.mark.parametrize(
    ("symbol", "value", "expected"),
    [
        # 3.58...: sympy does not tell that it is no integer; a ball does.
        (whole, sp.log(12) / sp.log(2), Status.FAILED),
        # Exactly 3, which neither tells.
        (whole, sp.log(8, evaluate=False) / sp.log(2, evaluate=False), Status.UNDECIDED),
        (x, sp.log(12) / sp.log(2) - 3, Status.DISCHARGED),
        (x, 3 - sp.log(12) / sp.log(2), Status.FAILED),
    ],
    ids=["no integer", "undecided", "positive", "negative"],
)
def test_a_value_whose_kind_is_not_told_is_decided_by_balls_or_left_open(symbol, value, expected):
    claimed = sp.Lt(symbol + 5, 1, evaluate=False)
    assert status(counterexample("kind", "", claimed, {symbol: value})) is expected


def test_a_counterexample_needs_a_value_for_every_symbol():
    with pytest.raises(ValueError, match="needs values"):
        counterexample("half", "", sp.Le(x, y, evaluate=False), {x: sp.Integer(1)})


def test_a_hypothesis_that_follows_from_a_symbol_s_kind_is_satisfied():
    refuted = counterexample("kind", "", sp.Le(x, 1, evaluate=False), {x: sp.Integer(2)}, (x > 0,))
    assert status(refuted) is Status.DISCHARGED


@pytest.mark.parametrize(
    "step",
    [
        lambda: equal("names", "", "", x - namesake, sp.Integer(0)),
        lambda: counterexample("names", "", sp.Le(x, namesake, evaluate=False), {x: 2, namesake: 1}),
        lambda: below_on_box("names", "", x, namesake, {**one, namesake: (2, 3)}, closest={x: 1, namesake: 2}),
        lambda: at_most("names", "", Inequality("names", x, namesake, (), touching={x: 1, namesake: 1})),
    ],
    ids=["equal", "counterexample", "below_on_box", "at_most"],
)
def test_two_symbols_of_one_name_are_refused(step):
    with pytest.raises(ValueError, match="same name"):
        step()


@pytest.mark.parametrize("sides", [(sp.sqrt(sp.exp(2 * sp.I * x)), sp.exp(sp.I * x)), (0.5 * x, x / 2)])
def test_complex_numbers_and_floats_are_refused(sides):
    with pytest.raises(ValueError, match="exact real"):
        equal("refused", "", "", *sides)


def test_symbols_that_may_be_complex_are_refused():
    with pytest.raises(ValueError, match="complex"):
        equal("refused", "", "", sp.sqrt(sp.Symbol("z") ** 2), sp.Symbol("z"))


def test_a_bound_whose_sides_divide_by_zero_is_not_discharged():
    a, b = sp.symbols("a b", real=True)
    bound = Inequality("undefined", 1 / a - b**2, 1 / a, (a >= -1, a <= 1), touching={a: 1, b: 0})
    assert status(at_most("undefined", "", bound)) is Status.FAILED


@pytest.mark.parametrize("function", [sp.log(real), 1 / real, sp.sqrt(real)])
def test_a_bound_on_a_box_must_be_defined_all_over_it(function, monkeypatch):
    # No piece has the pole at its centre, so that the search ends by its limit.
    monkeypatch.setattr(balls, "_PIECES", 300)
    box = {real: (sp.Integer(-1), sp.Integer(4))}
    step = below_on_box("undefined", "", function, function + 1, box, closest={real: sp.Integer(4)})
    assert status(step) is Status.FAILED


def test_a_control_that_strengthens_nothing_does_not_count():
    gap = Inequality("gap", x, 3 * x, (x > 0, x < 1), gap=sp.Integer(2))
    assert status(at_most("gap", "", gap)) is not Status.DISCHARGED
    with pytest.raises(ValueError, match="strengthen"):
        Inequality("weaker", x, 3 * x, (x > 0, x < 1), weaker=sp.Integer(-1), touching={x: 0}).discharge()


def test_a_lower_bound_of_zero_is_strengthened_by_raising_it():
    bound = Inequality("positive", sp.Integer(0), x, (x > 0,), strict=True, raised=sp.Integer(1), touching={x: 0})
    assert status(at_most("positive", "", bound)) is Status.DISCHARGED
    with pytest.raises(ValueError, match="strengthen"):
        Inequality("positive", sp.Integer(0), x, (x > 0,), raised=sp.Integer(0), touching={x: 0}).discharge()


def test_a_touching_point_that_leaves_symbols_open_must_be_possible():
    a, b = sp.symbols("a b", real=True)
    open_point = Inequality("open", a, a + b, (a > 0, b >= 0, a + b < 1), touching={b: 0})
    impossible = Inequality("impossible", a, a + b, (a > 2, b >= 0, a + 3 * b < 1), touching={b: 0})
    assert status(at_most("open", "", open_point)) is Status.DISCHARGED
    assert status(at_most("impossible", "", impossible)) is Status.FAILED


def test_the_same_words_asked_twice_are_two_questions():
    asked = [Check("again", "sympy", Answer.HOLDS, answer) for answer in (Answer.HOLDS, Answer.UNKNOWN)]
    assert minted("twice", "", asked, Kind.VALUE).status is Status.UNDECIDED


def test_digits_before_dots_are_cut_off_and_not_rounded():
    (line,) = counterexample("digits", "", sp.Le(sp.pi + x, 3, evaluate=False), {x: sp.sqrt(2) / 10**6}).lines
    assert r"3.141\ldots" in line


TABLE, THREE = {"three": (3,)}, 3


class Held:
    """An object with the value as an attribute."""

    three = 3


def looked_up():
    """Functions that return a value that stands somewhere."""
    local = 3
    return {
        "a constant": lambda: 3,
        "a folded constant": lambda: 1 + 2,
        "a tuple": lambda: (3, 3),
        "a variable of the module": lambda: THREE,
        "a variable outside": lambda: local,
        "an attribute": lambda: Held.three,
        "an entry": lambda: TABLE["three"][0],
        "a function with its argument": partial(lambda value: value, 3),
    }


@pytest.mark.parametrize("name", looked_up())
def test_a_computation_does_not_look_its_value_up(name):
    value = looked_up()[name]
    for step in (lambda: found("s", "", "a value", value, value()), lambda: equal("s", "", "", value, sp.S(value()))):
        with pytest.raises(ValueError, match="looks a value up and returns it"):
            step()


@pytest.mark.parametrize(
    "compute",
    [
        lambda: len(TABLE) + 2,
        lambda: max(TABLE["three"]),
        lambda: next(one for one in TABLE["three"]),
        partial(max, 2, 3),
        partial(operator.add, 1, 2),
        cache(lambda: THREE + 0),
    ],
)
def test_a_computation_may_use_tables_and_functions(compute):
    assert status(found("s", "", "a value", compute, 3)) is Status.DISCHARGED
