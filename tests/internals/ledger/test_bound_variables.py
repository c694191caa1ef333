"""Integrals, sums, products and limits that sympy computes in another sense than they are stated in, or wrongly."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from pan_proofs.engines.growth import Growth
from pan_proofs.engines.second_opinion import contradiction
from pan_proofs.ledger import ProofVerdict, derive, derive_here, modules, registry
from pan_proofs.ledger.claim import Claim
from pan_proofs.ledger.steps import lemma
from tests.mutants.statements import false_lengths, false_steps
from tests.mutants.statements.false_steps import equated, stated
from tests.mutants.statements.reading import read

PLACE = "density.union_lemma"
z = sp.Symbol("z", positive=True)
v = sp.Symbol("v", negative=True)
r = sp.Symbol("r", real=True)
n, k = sp.symbols("n k", integer=True)
p = sp.Symbol("p", integer=True, positive=True)
e = sp.Symbol("e", even=True)
m = sp.Symbol("m", integer=True, nonnegative=True)
half = sp.Rational(1, 2)
quantity = sp.Symbol("Q")


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
    return stated(lemma("s", "", grows.discharge()))


def claimed(compute: object, value: object) -> Claim:
    """What sympy computes, and a value."""
    return equated(compute, sp.sympify(value))


REFUSED = {
    "a positive variable from -1": "claimed(lambda: integrate(Abs(z), (z, -1, 1)), 0)",
    "the root of a square from -2": "claimed(lambda: integrate(sqrt(z**2), (z, -2, 1)), -3 * half)",
    "a negative variable above 0": "claimed(lambda: integrate(Abs(v), (v, 0, 1)), -half)",
    "a positive index from -2": "claimed(lambda: summation(Abs(p), (p, -2, 2)), 0)",
    "a positive index and signs": "claimed(lambda: summation(sign(p), (p, -3, 3)), 7)",
    "an even index over all integers": "claimed(lambda: summation((-1)**e, (e, 0, 3)), 4)",
    "as many as the end says": "claimed(lambda: summation(1, (k, 0, n)), n + 1)",
    "the sum of the first integers": "claimed(lambda: summation(k, (k, 1, n)), n * (n + 1) / 2)",
    "a product turned around": "claimed(lambda: product(2, (k, 1, n)), 2**n)",
    "a jump at 0": "claimed(lambda: limit(Abs(r) / r, r, 0), 1)",
    "a jump at 1": "claimed(lambda: limit(floor(r), r, 1), 1)",
    "a sign at 0": "claimed(lambda: limit(sign(r), r, 0), 1)",
    "a positive variable to -1": "claimed(lambda: limit(Abs(z) / z, z, -1), 1)",
    "an integral in a sum": "claimed(lambda: Sum(Integral(Abs(z), (z, -1, 1)), (k, 1, 3)).doit(), 0)",
    "an error that the author catches": "claimed(quietly, 0)",
}

ELSEWHERE = {
    "an equality of what was computed before": "equated(x**2 - 1 + none(), (x - 1) * (x + 1))",
    "a stated value": "valued(lambda: Integer(3)**2, 9 + none())",
    "a claimed relation": "refuted(x <= 1 + none(), {x: 3 * half})",
    "the cases": "cases(lambda case: integrate(Abs(z), (z, -case, case)) == 0, lambda case: case < 3, range(1, 5))",
    "a quantity in a case": (
        "stated(related('s', '', '', quantity <= 0, [{quantity: none(), p: 1}], mutant=1 <= quantity, parameters=(p,)))"
    ),
    "a number that is compared": "stated(compared('s', '', none() <= 0))",
    "a bound": "bounded(2 * x + none(), x**2 + 1)",
    "a bound on a box": "boxed(x + none(), 3 * x / 2)",
    "a limit": "stated(lemma('s', '', tends_to('s', 1 / x + none(), x, oo, S(0))))",
    "an order of growth": "growing()",
    "a shape": "stated(hump(none(), w * exp(-w), S(1), exp(-w)))",
}

TRUE = {
    "the mean of a share": "claimed(lambda: integrate(z, (z, 0, 1)), half)",
    "a density": "claimed(lambda: integrate(exp(-z), (z, 0, oo)), 1)",
    "an end that is positive": "claimed(lambda: summation(k, (k, 1, p)), p * (p + 1) / 2)",
    "a sum that may be empty": "claimed(lambda: summation(m, (m, 0, p - 1)), p * (p - 1) / 2)",
    "a negative exponent": "claimed(lambda: integrate(z**(-half), (z, 0, 1)), 2)",
    "a slow series": "claimed(lambda: summation(1 / p**2, (p, 1, oo)), pi**2 / 6)",
    "a limit of one side, as a step of its own": "stated(lemma('s', '', tends_to('s', r + Abs(r) / r, r, S(0), S(1))))",
    "a limit of both sides": "claimed(lambda: limit(sin(r) / r, r, 0), 1)",
    "a limit at the end of the domain": "claimed(lambda: limit(log(1 + r) * (1 + r), r, -1), 0)",
}

NAMES = {**vars(false_lengths), **vars(false_steps)}
# The claim about a bound, and not the step.
bounded = false_steps.bounded


def said(text):
    """The derivation that a text describes."""
    return lambda: read(text, sys.modules[__name__])


@pytest.fixture
def derived(monkeypatch):
    """Derive a claim as one that is shipped."""

    def by_name(derivation):
        module = importlib.import_module(modules()[PLACE])
        monkeypatch.setitem(module.CLAIMS, PLACE, lambda: replace(derivation(), id=PLACE))
        return derive_here(PLACE)

    return by_name


@pytest.mark.parametrize("name", [*REFUSED, *ELSEWHERE])
def test_no_false_statement_about_a_bound_variable_is_proved(name, derived):
    derivation = said({**REFUSED, **ELSEWHERE}[name])
    assert derivation().verdict in (ProofVerdict.PROVED, ProofVerdict.PROVED_AMENDED)
    with pytest.raises(ValueError, match=r"declared as|never comes near|may end before|from the other side"):
        derived(derivation)
    assert derive([PLACE])[PLACE].verdict is ProofVerdict.UNDECIDED


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_about_a_bound_variable_stays_proved(name, derived):
    assert derived(said(TRUE[name])).verdict is ProofVerdict.PROVED


def test_what_a_module_computes_when_it_is_imported_is_looked_at(monkeypatch, tmp_path):
    package = tmp_path / "own_claims"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text(
        "import sympy as sp\nz = sp.Symbol('z', positive=True)\nNONE = sp.integrate(sp.Abs(z), (z, -1, 1))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "contents", lambda: (SimpleNamespace(claims="own_claims"),))
    try:
        with pytest.raises(ValueError, match="z is declared as something that its range is not"):
            modules.__wrapped__()
    finally:
        for name in ("own_claims", "own_claims.one"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("kind", "asked"),
    [(sp.Integral, lambda: sp.integrate(p * z, (z, 0, 1))), (sp.Sum, lambda: sp.summation(z, (p, 1, 3)))],
)
def test_a_wrong_answer_of_sympy_is_contradicted_by_numbers(kind, asked, derived, monkeypatch):
    right = kind.doit

    def derivation():
        return claimed(asked, asked())

    assert derived(derivation).verdict is ProofVerdict.PROVED
    monkeypatch.setattr(kind, "doit", lambda *given, **hints: 2 * right(*given, **hints))
    assert derivation().verdict is ProofVerdict.PROVED
    with pytest.raises(ValueError, match="which numbers contradict"):
        derived(derivation)


COEFFICIENTS = st.lists(st.fractions(-9, 9, max_denominator=9), min_size=1, max_size=4)
ENDS = st.integers(-4, 4)
CHANGES = st.fractions(Fraction(1, 100), 9, max_denominator=100)


@given(COEFFICIENTS, ENDS, st.integers(0, 5), CHANGES, st.sampled_from([sp.Integral, sp.Sum, sp.Product]))
def test_numbers_contradict_a_changed_value_and_no_true_one(coefficients, low, length, change, kind):
    variable = r if kind is sp.Integral else sp.Symbol("k", integer=True)
    function = sum(sp.Rational(one) * variable**power for power, one in enumerate(coefficients)) + z
    asked = kind(function, (variable, low, low + length))
    found = asked.doit()
    assert not contradiction(asked, found)
    assert contradiction(asked, found * (1 + sp.Rational(change)) + sp.Rational(change))


@pytest.mark.parametrize(
    "asked",
    [
        sp.Integral(1 / r, (r, -1, 2)),
        sp.Integral(1 / z, (z, 0, 1)),
        sp.Integral(sp.sin(z), (z, 0, sp.oo)),
        sp.Integral(sp.Function("f")(z), (z, 0, 1)),
        sp.Sum((-1) ** p, (p, 1, sp.oo)),
        sp.Sum(1 / p, (p, 1, sp.oo)),
        sp.Sum(p, (p, 1, 10**6)),
    ],
)
def test_numbers_say_nothing_where_they_may_be_wrong(asked):
    assert not contradiction(asked, sp.Integer(7))
