"""Laws of the engines at random: what they prove holds for listed cases, and they prove it exactly where it holds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines.entailment import contradictory, entailment
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.independent_sums import sum_moment
from pan_proofs.engines.inequalities import as_fraction, term
from pan_proofs.engines.matrices import exact_matrix, positive_definite
from pan_proofs.engines.obligation import Answer, MissingEngine, Status
from pan_proofs.engines.points import common_point
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.tree_sums import TreeSum
from pan_proofs.engines.vectors import Induction
from pan_proofs.engines.walks import Machine, bounded_for_every_length, most_to_come, reachable
from pan_proofs.engines.word_sums import _compiled, bounded_sums
from tests.mutants.statements.false_lengths import a, n, s, x, z
from tests.mutants.statements.false_matrices import UNIT
from tests.mutants.statements.false_words import BITS, DEFINED, T, fallen, flipped, last_bit, word
from tests.mutants.statements.reading import ge, le

few = settings(max_examples=25, deadline=None)
some = settings(max_examples=40, deadline=None)
small = st.integers(-3, 3)
numbers = st.integers(-4, 4)
half = sp.Rational(1, 2)
STATES = range(3)
UNIT3 = sp.eye(3).tolist()


@given(small, small, small, st.lists(st.fractions(-3, 3, max_denominator=4), min_size=0, max_size=4))
@settings(max_examples=40, deadline=None)
def test_what_an_induction_proves_holds_for_vectors(square, product, squares, vector):
    relation = ge(square * s**2 + product * n * a + squares * a, 0)
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


@st.composite
def machines(draw):
    """A machine with three states and two letters, some of which are refused."""
    table = {
        (state, bit): draw(st.none() | st.tuples(st.sampled_from(STATES), st.integers(-3, 3)))
        for state in STATES
        for bit in BITS
    }
    if all(table[0, bit] is None for bit in BITS):
        table[0, 0] = (0, 0)
    return Machine(0, BITS, lambda state, bit: table[state, bit])


def totals(machine, length):
    return [machine.run(word)[1] for word in machine.words(length) if machine.run(word) is not None]


@some
@given(machines())
def test_a_potential_bounds_all_words_and_is_attained_by_short_ones(machine):
    potential = most_to_come(machine, reachable(machine))
    longest = 7
    attained = max(max(totals(machine, length), default=0) for length in range(longest + 1))
    if potential is not None:
        # Without a cycle that adds, a word that adds the most visits each state once.
        assert potential[0] == attained
    else:
        # A cycle of at most three letters adds at least 1 each time.
        far = max(max(totals(machine, length), default=0) for length in range(11))
        assert far > 0


@some
@given(machines(), st.lists(st.integers(-3, 3), min_size=9, max_size=9))
def test_the_greatest_sum_is_that_of_all_words(machine, costs):
    def cost(before, after):
        return costs[3 * before + after]

    def by_listing(word):
        at = [machine.run(word[:place])[0] for place in range(len(word) + 1)]
        total, size = 0, 1
        while size <= len(word):
            total += sum(cost(at[start], at[start + size]) for start in range(0, len(word), size))
            size *= 2
        return total

    tree = TreeSum(machine, cost)
    for height in range(4):
        sums = [by_listing(word) for word in machine.words(2**height) if machine.run(word) is not None]
        if sums:
            assert tree.greatest(height) == max(sums)
        else:
            with pytest.raises(ValueError, match="is allowed"):
                tree.greatest(height)


@some
@given(machines(), st.integers(-4, 4))
def test_a_bound_is_discharged_exactly_if_all_words_keep_it_and_one_attains_it(machine, bound):
    obligation = bounded_for_every_length(
        "s",
        "a bound",
        machine,
        bound,
        by_definition=lambda word: machine.run(word)[1],
        allowed=lambda word: machine.run(word) is not None,
        up_to=6,
    )
    # Words of up to 10 letters show a cycle that adds: each of its turns is three letters at most.
    largest = max(max(totals(machine, length), default=-99) for length in range(1, 11))
    if obligation.status is Status.DISCHARGED:
        assert largest == bound
    else:
        assert largest != bound or most_to_come(machine, reachable(machine)) is None


def test_what_is_shown_of_every_length_says_for_which_quantities():
    """A definition that differs on words that nothing draws is not noticed, so that the statement names the limit."""

    def differs(word):
        return word[-1] if len(word) < 5 else 2

    def differs_far(word):
        return word[-1] if len(word) < 1000 else 2

    for definition, status in ((differs, Status.FAILED), (differs_far, Status.DISCHARGED)):
        obligation = bounded_for_every_length("s", "a bound", last_bit, 1, by_definition=definition, up_to=4)
        assert obligation.status is status
        assert obligation.statement == "a bound (for every length, if 2 states are enough to know what a letter adds)"


@some
@given(st.integers(-2, 2), st.integers(-2, 2), st.integers(-1, 1), st.integers(-2, 2))
def test_a_bound_of_sums_is_discharged_exactly_if_all_words_keep_it_and_one_attains_it(first, second, each, constant):
    excess = first * flipped + second * fallen + each * T
    obligation = bounded_sums("s", le(excess, constant), word, by_definition=DEFINED, up_to=4)
    listed = [excess.xreplace(word.of(vectors)) for vectors in word.up_to(8)]
    # Bits have cycles of one and of two letters: what grows shows it within eight.
    largest, short = max(listed), max(listed[: 2 + 4 + 8 + 16])
    assert (obligation.status is Status.DISCHARGED) == (largest == constant == short)


@few
@given(st.lists(st.integers(-3, 3), min_size=4, max_size=4))
def test_parts_are_evaluated_as_sympy_evaluates_them(entries):
    i = sp.Symbol("i", integer=True)
    u, v = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("u", "v"))
    table = dict(zip((u[i], v[i], u[i - 1], v[i - 1]), map(sp.Integer, entries), strict=True))
    parts = (
        sp.Abs(u[i] - v[i - 1]) * sp.Min(1, v[i] ** 2) - 3 * sp.Max(u[i - 1], v[i]),
        sp.Eq(u[i] * (v[i] - 2), v[i - 1], evaluate=False),
        sp.Le(u[i] - v[i], 2 * u[i - 1], evaluate=False),
    )
    for part in parts:
        found = _compiled(part, i, (u, v))(*entries)
        assert type(found) is (bool if part.is_Relational else int)
        assert found == part.xreplace(table)


def squares(size):
    return st.lists(st.lists(numbers, min_size=size, max_size=size), min_size=size, max_size=size)


def gram(rows):
    matrix = sp.Matrix(rows)
    return (matrix * matrix.T + sp.eye(matrix.rows)).tolist()


@few
@given(squares(3))
def test_definiteness_agrees_with_eigenvalues(rows):
    symmetric = (np.array(rows) + np.array(rows).T).tolist()
    least = min(np.linalg.eigvalsh(np.array(symmetric, dtype=float)))
    if abs(least) > 1e-6:
        discharged = positive_definite("s", symmetric).status is Status.DISCHARGED
        assert discharged == (least > 0)


@few
@given(squares(3), squares(2), st.lists(numbers, min_size=2, max_size=2))
def test_the_loss_agrees_with_numpy_and_is_quadratic(noise, factor, change):
    covariance = gram(noise)
    rows = [*factor, [1, 0]]
    observation = GaussianObservation(rows, UNIT3, covariance)
    shift = np.array(rows, dtype=float) @ np.array(change, dtype=float)
    expected = shift @ np.linalg.solve(np.array(covariance, dtype=float), shift) / 2
    found = observation.loss(change)
    assert float(found) == pytest.approx(expected)
    assert observation.loss([2 * one for one in change]) == 4 * found
    assert gaussian_loss("s", observation, change, found).status is Status.DISCHARGED
    assert gaussian_loss("s", observation, change, found + half).status is Status.FAILED


@few
@given(squares(3), squares(3), st.lists(numbers, min_size=3, max_size=3))
def test_an_invertible_map_of_the_output_keeps_the_loss_and_a_part_of_it_has_no_more(noise, transform, change):
    covariance, change = gram(noise), tuple(change)
    matrix = exact_matrix(transform)
    whole = GaussianObservation(UNIT3, UNIT3, covariance).loss(change)
    mapped = GaussianObservation(matrix.tolist(), matrix.tolist(), covariance).loss(change)
    assert mapped <= whole
    if matrix.det() != 0:
        assert mapped == whole
    assert GaussianObservation(UNIT3[:2], UNIT3[:2], covariance).loss(change) <= whole


def test_without_flint_nothing_is_discharged(monkeypatch):
    from pan_proofs.engines import gaussian_observations, identities, matrices

    def absent(name):
        raise MissingEngine(name)

    for module in (gaussian_observations, matrices, identities):
        monkeypatch.setattr(module, "load_engine", absent)
    assert positive_definite("s", UNIT).skipped == ("flint",)
    assert "flint" in gaussian_loss("s", GaussianObservation(UNIT, UNIT, UNIT), (1, 0), half).skipped


u, v = sp.symbols("x y", real=True)
POINT = {u: sp.Rational(7, 3), v: sp.Rational(-11, 5)}
leaves = st.sampled_from([u, v, 1 - u, v - 1, sp.Integer(2), sp.Rational(-1, 3)])
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, st.sampled_from([-2, -1, 2])).map(lambda pair: pair[0] ** pair[1] if pair[0] != 0 else u),
    ),
    max_leaves=6,
)


@some
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


p = sp.Symbol("p", positive=True)
whole = sp.Symbol("n", integer=True, positive=True)
found = sp.Symbol("P")

POSSIBLE = {
    "an interval": (sp.Gt(u, 0), sp.Lt(u, 1)),
    "an equation": (sp.Eq(v, 2 * u + p, evaluate=False), sp.Gt(v, p)),
    "a function": (sp.Lt(sp.exp(-p), sp.Rational(9, 10)),),
    "a quantity with its value": (sp.Eq(found, sp.exp(-2) / 2, evaluate=False), sp.Lt(found, 1)),
    "whole numbers": (sp.Ge(whole, 2), sp.Le(whole, 4)),
    "an implication": (sp.Implies(sp.Eq(u, 1), sp.Lt(v, 0), evaluate=False), sp.Gt(v, 0)),
    "one of two": (sp.Or(sp.Lt(u, -1), sp.Gt(u, 1)),),
    "bounds of bounds": (sp.Le(p, sp.exp(-1000 * whole), evaluate=False), sp.Gt(v, 10**9), sp.Le(whole, p * 10**999)),
    "an equation to be solved": (sp.Eq(p * v + u, 1000 * p + 77, evaluate=False), sp.Gt(v, 50)),
    "one of several equations": (sp.Or(sp.Eq(whole, 997), sp.Eq(whole, 998)), sp.Eq(u * 7, whole, evaluate=False)),
    "a far whole number": (sp.Ge(whole, 10**6 * sp.log(2)),),
}
IMPOSSIBLE = {
    "an interval without points": (sp.Gt(u, 1), sp.Lt(u, 0)),
    "a sign that sympy knows": (sp.Lt(u, 0, evaluate=False), sp.Gt(u, p)),
    "a value of another sign": (sp.Eq(p, -v, evaluate=False), sp.Gt(v, 0)),
    "a value that is no whole number": (sp.Eq(2 * whole, 3, evaluate=False),),
    "a fraction for a whole number": (sp.Eq(whole, sp.Rational(3, 2), evaluate=False),),
    "two values of a quantity": (sp.Eq(found, 1, evaluate=False), sp.Eq(found, 2, evaluate=False)),
    "a relation of equal sides": (sp.Lt(u, u, evaluate=False),),
    "the exponential below its tangent": (sp.Lt(sp.exp(p), 1 + p),),
    "an implication": (sp.Implies(sp.Gt(p, 0, evaluate=False), sp.Lt(v, 0), evaluate=False), sp.Gt(v, 0)),
    "bounds in a circle": (sp.Lt(p, v), sp.Lt(v, p)),
    "an equation without a positive solution": (sp.Eq(p + whole, 0, evaluate=False),),
    "a whole number between two others": (sp.Gt(whole, 1), sp.Lt(whole, 2)),
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


def test_a_power_that_is_too_long_for_a_solver_is_no_question_to_it():
    high = sp.Gt(u ** (10**30), v, evaluate=False)
    with pytest.raises(ValueError, match="power above 1000"):
        term(high.lhs)
    assert [check.answer for check in entailment("q", (high, sp.Gt(v, 1)), (), sp.Gt(v, 0))] == [Answer.UNKNOWN]
    assert term(u**1000).count("x") == 1000
