"""The kernel proves nothing that was made by hand, looked up, or believed, and no formula that does not follow."""

from __future__ import annotations

import ast
import importlib
import operator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import pan_proofs
from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, Status, minted
from pan_proofs.ledger import ProofVerdict, Role, derive, derive_here, modules, settle
from pan_proofs.ledger.claim import Claim, Part, Step
from pan_proofs.ledger.derive import notes
from pan_proofs.ledger.registry import _with_links
from pan_proofs.ledger.statements import symbolic
from pan_proofs.ledger.steps import counterexample, equal, found
from tests.mutants.statements.false_steps import SQUARE, claimed, part, refuted, stated, x, y
from tests.mutants.statements.reading import eq, holds, le, lt

PACKAGE = Path(pan_proofs.__file__).parent
SHOWN = eq((x + 1) ** 2, x**2 + 2 * x + 1)
HELD = (Check("P = NP", "sympy", Answer.HOLDS, Answer.HOLDS),)


def formal(role, stated_, *steps, **more):
    return _with_links(Part(role, "a part", "", steps or (SQUARE,), formal=symbolic(stated_, **more)))


def test_a_formula_that_does_not_follow_from_the_steps_is_not_proved():
    shown, other = formal(Role.PUBLISHED, SHOWN), formal(Role.PUBLISHED, lt(x, 0))
    assert claimed(shown).verdict is ProofVerdict.PROVED
    claim = claimed(shown, other)
    assert claim.verdict is ProofVerdict.UNDECIDED
    assert settle(claim, {claim.id: claim})[1] == "a formula is not found to follow from the steps: a part"


@pytest.mark.parametrize(
    ("refuted", "verdict"), [(le(x, 2), ProofVerdict.PROVED_AMENDED), (le(x, x + 1), ProofVerdict.UNDECIDED)]
)
def test_a_true_formula_is_not_refuted_by_a_counterexample_to_another_one(refuted, verdict):
    step = counterexample("false", "", le(x, 2), {x: 3})
    made = claimed(formal(Role.COUNTEREXAMPLE, refuted, step, refuted=True), formal(Role.AMENDED, SHOWN))
    assert made.verdict is verdict


def test_two_statements_of_a_part_cannot_give_one_name_to_two_quantities():
    quantity = sp.Symbol("Q")
    both = symbolic(eq(quantity, x**2 + 4 * x + 4), eq(quantity, x**2 + 2 * x + 1))
    made = _with_links(Part(Role.PUBLISHED, "a part", "", (SQUARE,), formal=both))
    assert not any(one.status is Status.DISCHARGED for one in made.links)


class Believed(Claim):
    """A claim with a verdict of its author's own."""

    @property
    def verdict(self) -> ProofVerdict:
        return ProofVerdict.PROVED


class Granted(Obligation):
    """An obligation that no engine was asked."""

    def __post_init__(self) -> None:
        """It does not ask where it is made."""


@pytest.mark.parametrize(
    "derivation",
    [
        lambda: Believed("density.union_lemma", "", (), "", ()),
        lambda: replace(
            stated(Step("s", "", (), (Granted("o", "P = NP", HELD, Kind.VALUE),))), id="density.union_lemma"
        ),
    ],
)
def test_a_class_of_the_authors_own_ends_a_derivation(monkeypatch, derivation):
    module = importlib.import_module(modules()["density.union_lemma"])
    monkeypatch.setitem(module.CLAIMS, "density.union_lemma", derivation)
    with pytest.raises(TypeError, match="as the ledger knows it"):
        derive_here("density.union_lemma")
    assert derive(["density.union_lemma"])["density.union_lemma"].verdict is ProofVerdict.UNDECIDED


def test_an_obligation_cannot_be_made_by_hand():
    with pytest.raises(TypeError, match="cannot be made by hand"):
        Obligation("one", "P = NP", HELD, Kind.VALUE)
    (made,) = SQUARE.obligations
    with pytest.raises(TypeError, match="cannot be made by hand"):
        replace(made, statement="P = NP")


def test_no_derivation_uses_what_only_the_kernel_may():
    """Minting, and the kinds and answers of which checks are made, stand in the kernel alone."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in ("engines", "ledger", "rendering"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = {alias.name for alias in node.names} if isinstance(node, (ast.Import, ast.ImportFrom)) else set()
            assert not names & {"minted", "_MINTING", "Check", "Answer", "Kind"}, f"{path}: {sorted(names)}"


def test_the_same_words_asked_twice_are_two_questions():
    asked = [Check("again", "sympy", Answer.HOLDS, answer) for answer in (Answer.HOLDS, Answer.UNKNOWN)]
    assert minted("twice", "", asked, Kind.VALUE).status is Status.UNDECIDED


TABLE, THREE = {"three": (3,)}, 3


class Held:
    """An object with the value as an attribute."""

    three = 3


@pytest.mark.parametrize(
    "value",
    [
        lambda: 3,
        lambda: 1 + 2,
        lambda: (3, 3),
        lambda: THREE,
        lambda: Held.three,
        lambda: TABLE["three"][0],
        partial(lambda value: value, 3),
        (lambda local: lambda: local)(3),
    ],
)
def test_a_computation_does_not_look_its_value_up(value):
    for step in (lambda: found("s", "", "a value", value, value()), lambda: equal("s", "", "", value, sp.S(value()))):
        with pytest.raises(ValueError, match="looks a value up and returns it"):
            step()


@pytest.mark.parametrize(
    "compute",
    [
        lambda: len(TABLE) + 2,
        lambda: next(one for one in TABLE["three"]),
        partial(operator.add, 1, 2),
        cache(lambda: THREE + 0),
    ],
)
def test_a_computation_may_use_tables_and_functions(compute):
    assert holds(found("s", "", "a value", compute, 3))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=6, max_size=6), st.integers(1, 5))
def test_an_identity_that_is_off_by_anything_is_not_discharged(coefficients, off):
    a, b, c, d, e, f = coefficients
    left = (a * x + b * y + c) * (d * x + e * y + f) / (1 + x)
    right = sp.expand((a * x + b * y + c) * (d * x + e * y + f)) / (1 + x)
    assert all(check.answer is check.expected for check in identity_checks(left, right))
    assert not all(check.answer is check.expected for check in identity_checks(left, right + sp.Rational(off, 7**20)))


def test_a_statement_without_formula_needs_a_reason():
    for nothing in ("", "  "):
        silent = claimed(replace(part(Role.PUBLISHED, SQUARE), no_formula=nothing))
        assert silent.verdict is ProofVerdict.UNDECIDED
        assert settle(silent, {silent.id: silent})[1].endswith("nor a reason why it has none: a part")


def test_a_claim_whose_runs_stand_for_all_sizes_says_so(entries):
    """A mechanism that is run on short streams shows nothing of longer ones: the claim names the argument that does."""
    run = [one.claim for one in entries.values() if "runs" in {step.name for step in one.claim.steps}]
    assert run
    assert [one.id for one in run if not one.in_words] == []


def test_what_rests_on_a_cited_claim_is_proved_from_it_and_so_is_what_rests_on_that():
    cited = replace(stated(SQUARE, role=Role.CITED), id="a.cited")
    first = replace(stated(SQUARE), id="a.first", uses=("a.cited",))
    second = replace(stated(SQUARE), id="a.second", uses=("a.first",))
    claims = {one.id: one for one in (cited, first, second)}
    from_cited = ProofVerdict.PROVED_FROM_CITED
    assert [settle(one, claims)[0] for one in claims.values()] == [ProofVerdict.CITED, from_cited, from_cited]
    assert notes(second, claims) == ("it rests on a.first, which is PROVED_FROM_CITED",)


def test_a_reading_that_fails_stands_beside_a_proof_only_if_it_names_what_it_departs_from():
    (false, _) = refuted(le(x, 2), {x: 3}).parts
    reading = part(Role.READING, *false.steps, holds=False, title="for all x")
    proof = part(Role.PUBLISHED, SQUARE)
    assert claimed(proof, reading).verdict is ProofVerdict.UNDECIDED
    hypotheses = ("$x$ is at most 2",)
    apart = claimed(proof, replace(reading, departs="at most 2"), hypotheses=hypotheses)
    assert apart.verdict is ProofVerdict.PROVED
    assert notes(apart, {}) == ("it fails under another reading: for all x",)
    with pytest.raises(ValueError, match="neither the statement nor an assumption says"):
        claimed(proof, replace(reading, departs="at most 3"), hypotheses=hypotheses)
