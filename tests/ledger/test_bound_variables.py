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

from pan_proofs.engines.second_opinion import contradiction
from pan_proofs.ledger import ProofVerdict, derive, derive_here, modules, registry
from tests.ledger.false_bound_variables import ELSEWHERE, REFUSED, TRUE, claimed, p, r, z

PLACE = "density.union_lemma"


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
    derivation = {**REFUSED, **ELSEWHERE}[name]
    assert derivation().verdict in (ProofVerdict.PROVED, ProofVerdict.PROVED_AMENDED)
    with pytest.raises(ValueError, match=r"declared as|never comes near|may end before|from the other side"):
        derived(derivation)
    assert derive([PLACE])[PLACE].verdict is ProofVerdict.UNDECIDED


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_about_a_bound_variable_stays_proved(name, derived):
    assert derived(TRUE[name]).verdict is ProofVerdict.PROVED


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
