"""Sums over the entries of words: bounds at every length against lists of all words, and the statements about them."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_proofs.engines.obligation import Kind, Status
from pan_proofs.engines.word_sums import Words, _compiled, bounded_sums
from pan_proofs.ledger.claim import ProofVerdict
from pan_proofs.ledger.linking import linked
from pan_proofs.ledger.statements import Statement, about
from tests.ledger.false_word_sums import (
    BITS,
    BROKEN,
    DEFINED,
    FALSE,
    FALSE_LINKS,
    SUMS,
    TRUE_LINKS,
    T,
    bound,
    broken,
    changed,
    eq,
    fallen,
    flipped,
    from_zero,
    i,
    le,
    word,
    x,
)

some = settings(max_examples=40, deadline=None)


def status(made):
    formal, step = made
    return {linked("link", text, step.obligations).status for text in formal}


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_have_no_verdict(name):
    assert FALSE[name][1]().verdict is ProofVerdict.UNDECIDED


@pytest.mark.parametrize("name", FALSE_LINKS)
def test_what_does_not_follow_is_not_linked(name):
    assert Status.DISCHARGED not in status(FALSE_LINKS[name]())


@pytest.mark.parametrize("name", TRUE_LINKS)
def test_what_follows_is_linked(name):
    assert status(TRUE_LINKS[name]()) == {Status.DISCHARGED}


def test_true_statements_are_discharged():
    for one in (
        bound(le(flipped, 2 * fallen + 1)),
        bound(eq(2 * changed - 2 * flipped, sp.Integer(2)), starting_with_one()),
    ):
        assert one.status is Status.DISCHARGED
        assert one.kind is Kind.INDUCTION
    assert broken(BROKEN, ((0, 1, 0, 1),)).kind is Kind.COUNTEREXAMPLE


def starting_with_one():
    """A first entry 0 is refused: from 0 on the vector rises at once."""
    rule = sp.Ge(x[i] + x[i - 1], 1, evaluate=False)
    return Words(T, i, (x,), from_zero.sums, {x: BITS}, (rule,), (0,))


@some
@given(st.integers(-2, 2), st.integers(-2, 2), st.integers(-1, 1), st.integers(-2, 2))
def test_a_bound_is_discharged_exactly_if_all_words_keep_it_and_one_attains_it(first, second, each, constant):
    excess = first * flipped + second * fallen + each * T
    obligation = bounded_sums("s", le(excess, constant), word, by_definition=DEFINED, up_to=4)
    listed = [excess.xreplace(word.of(vectors)) for vectors in word.up_to(8)]
    # Bits have cycles of one and of two letters: what grows shows it within eight.
    largest, short = max(listed), max(listed[: 2 + 4 + 8 + 16])
    assert (obligation.status is Status.DISCHARGED) == (largest == constant == short)


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


def test_fractions_and_other_functions_are_left_to_sympy():
    i, u = sp.Symbol("i", integer=True), sp.IndexedBase(sp.Symbol("u", integer=True))
    for part in (u[i] / 2, 1 / u[i], sp.Mod(u[i], 2), sp.Or(sp.Eq(u[i], 0), sp.Eq(u[i], 1)), i * u[i]):
        assert _compiled(part, i, (u,)) is None


def test_a_statement_shows_the_sums_and_the_values_of_the_entries():
    text = about(word, le(flipped, T - 1))[0]
    assert Statement.read(text).latex() == (
        r"If $T \in \{1, 2, \ldots\}$, and for $i = 1, \ldots, T$, ${x}_{i} \in \{0, 1\}$, then $W \leq T - 1$, "
        r"where $W = \sum_{i=2}^{T} \left|{{x}_{i - 1} - {x}_{i}}\right|$."
    )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"sums": {sp.Symbol("W", integer=True): SUMS[flipped]}}, "real"),
        ({"sums": {flipped: sp.Sum(x[i] - x[i - 1], (i, 1, T))}}, "no sum over"),
        ({"sums": {flipped: sp.Sum(x[i] * sp.Symbol("z"), (i, 1, T))}}, "other symbols"),
        ({"rules": (sp.Le(x[i - 2], x[i], evaluate=False),)}, "other symbols"),
        ({"length": sp.Symbol("T", integer=True)}, "no sum over"),
    ],
)
def test_words_of_another_form_are_refused(changes, told):
    fields = {"length": T, "place": i, "entries": (x,), "sums": SUMS, "values": {x: BITS}, **changes}
    with pytest.raises(ValueError, match=told):
        Words(**fields)


@pytest.mark.parametrize(
    "relation", [le(flipped**2, T), le(sp.sqrt(2) * flipped, T), sp.Ne(flipped, T, evaluate=False)]
)
def test_a_relation_that_a_machine_cannot_add_up_is_refused(relation):
    with pytest.raises((ValueError, sp.PolynomialError)):
        bound(relation)
