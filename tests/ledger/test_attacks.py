"""The kernel is attacked: no false statement is proved or refuted, no true one falls, and nothing is made by hand."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import pan_proofs
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation
from pan_proofs.ledger import ProofVerdict, Role, settle
from pan_proofs.ledger.claim import Part
from pan_proofs.ledger.derive import notes
from pan_proofs.ledger.steps import enumerated, found
from pan_proofs.rendering.latex import prose_counted
from pan_proofs.rendering.view import by_prose
from tests.ledger.false_attacks import FALSE, equated, refuted, stated, x
from tests.ledger.true_statements import TRUE

PACKAGE = Path(pan_proofs.__file__).parent
KERNEL = ("engines", "ledger")


@pytest.mark.parametrize("name", TRUE)
def test_every_true_statement_has_its_verdict(name):
    expected = ProofVerdict.PROVED_AMENDED if name.startswith("counterexample") else ProofVerdict.PROVED
    assert TRUE[name]().verdict is expected, TRUE[name]().obligations


def test_a_statement_without_formula_needs_a_reason():
    (part,) = equated((x + 1) ** 2, x**2 + 2 * x + 1).parts
    claim = equated((x + 1) ** 2, x**2 + 2 * x + 1)
    assert claim.verdict is ProofVerdict.PROVED
    for nothing in ("", "  "):
        silent = replace(claim, parts=(replace(part, no_formula=nothing),))
        assert silent.verdict is ProofVerdict.UNDECIDED
        assert settle(silent, {silent.id: silent})[1].endswith("nor a reason why it has none: a part")
    with pytest.raises(ValueError, match="a formula, and a reason why it has none"):
        replace(part, formal=("Eq(x, x)",))


def test_an_argument_in_words_belongs_to_a_step():
    claim = equated((x + 1) ** 2, x**2 + 2 * x + 1)
    assert replace(claim, in_words=(("s", "a reason"),)).in_words
    with pytest.raises(ValueError, match="words carry an argument of t, which is no step"):
        replace(claim, in_words=(("t", "a reason"),))


def test_arguments_in_words_are_counted_and_named_with_their_theorem():
    claim = equated((x + 1) ** 2, x**2 + 2 * x + 1)
    assert by_prose(claim) == "0/1, 1/1, 1/1, 0"
    told = replace(claim, in_words=(("s", "a reason."),))
    assert by_prose(told) == "0/1, 1/1, 1/1, 1"
    assert prose_counted(told).endswith(r"carries 1 argument. Step~1 of Theorem~\ref{panproof-a-b-1}: A reason.")


def test_a_claim_whose_runs_stand_for_all_sizes_says_so(entries):
    """A mechanism that is run on short streams shows nothing of longer ones: the claim names the argument that does."""
    claims = [entry.claim for entry in entries.values()]
    run = [one for one in claims if "whole_runs" in {step.name for step in one.steps}]
    assert len(run) >= 8
    assert [one.id for one in run if not one.in_words] == []
    assert len([one for one in run if "whole_runs" in dict(one.in_words)]) >= 7


def test_there_are_enough_of_them():
    assert len(FALSE) >= 40
    assert len(TRUE) >= 40
    assert len(Counter(kind for kind, _ in FALSE.values())) >= 9


def test_an_obligation_cannot_be_made_by_hand():
    held = (Check("it holds", "sympy", Answer.HOLDS, Answer.HOLDS),)
    with pytest.raises(TypeError, match="cannot be made by hand"):
        Obligation("one", "P = NP", held, Kind.VALUE)
    (made,) = equated((x + 1) ** 2, x**2 + 2 * x + 1).obligations
    with pytest.raises(TypeError, match="cannot be made by hand"):
        replace(made, statement="P = NP")


@pytest.mark.parametrize("truth", [[False], 1, None, "True"])
def test_a_condition_is_true_or_false(truth):
    with pytest.raises(TypeError, match="True or False"):
        enumerated("outcome", "", "is it?", [0], lambda case: truth, mutant=lambda case: False)


def test_a_truth_value_is_no_value_of_a_computation():
    with pytest.raises(TypeError, match="a truth value is no value"):
        found("outcome", "", "is it?", lambda: 1 + 1 == 2, True)


def test_no_derivation_uses_what_only_the_kernel_may():
    """Minting, and the kinds and answers of which checks are made, stand in the kernel alone."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in (*KERNEL, "rendering"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = {alias.name for alias in node.names} if isinstance(node, (ast.Import, ast.ImportFrom)) else set()
            assert not names & {"minted", "_MINTING", "Check", "Answer", "Kind"}, f"{path}: {sorted(names)}"


def renamed(claim, name, **fields):
    return replace(claim, id=name, **fields)


def test_what_rests_on_a_cited_claim_is_proved_from_it_and_so_is_what_rests_on_that():
    proof = equated((x + 1) ** 2, x**2 + 2 * x + 1)
    cited = renamed(stated(*proof.parts[0].steps, role=Role.CITED), "a.cited")
    first = renamed(proof, "a.first", uses=("a.cited",))
    second = renamed(proof, "a.second", uses=("a.first",))
    claims = {one.id: one for one in (cited, first, second)}
    assert [settle(one, claims)[0] for one in claims.values()] == [
        ProofVerdict.CITED,
        ProofVerdict.PROVED_FROM_CITED,
        ProofVerdict.PROVED_FROM_CITED,
    ]
    assert notes(first, claims) == ("it rests on a.cited, which is CITED",)
    assert notes(second, claims) == ("it rests on a.first, which is PROVED_FROM_CITED",)


def test_the_version_of_an_amended_claim_that_is_used_is_named():
    amended = renamed(TRUE["counterexample: a number"](), "a.amended")
    user = renamed(equated((x + 1) ** 2, x**2 + 2 * x + 1), "a.user", uses=("a.amended",))
    claims = {one.id: one for one in (amended, user)}
    assert settle(user, claims) == (ProofVerdict.PROVED, "")
    assert notes(user, claims) == ("it uses a.amended as amended (true)",)


def test_a_reading_that_fails_is_noted_beside_the_verdict_only_if_it_names_what_it_departs_from():
    proof = replace(equated((x + 1) ** 2, x**2 + 2 * x + 1), hypotheses=("$x$ is at most 2",))
    reading = Part(
        Role.READING,
        "for all x",
        "",
        refuted(x <= 2, {x: 3}).parts[0].steps,
        holds=False,
        no_formula="the steps are tested",
    )
    both = replace(proof, parts=(*proof.parts, reading))
    assert both.verdict is ProofVerdict.UNDECIDED
    assert replace(both, parts=(*both.parts, replace(proof.parts[0], role=Role.AMENDED))).verdict is (
        ProofVerdict.PROVED_AMENDED
    )
    apart = replace(proof, parts=(*proof.parts, replace(reading, departs="at most 2")))
    assert apart.verdict is ProofVerdict.PROVED
    assert notes(apart, {}) == ("it fails under another reading: for all x",)
    with pytest.raises(ValueError, match="neither the statement nor an assumption says"):
        replace(both, parts=(*proof.parts, replace(reading, departs="at most 3")))
