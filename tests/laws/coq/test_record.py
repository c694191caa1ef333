"""The record of what Coq has checked is of the committed sources, and rests on the allowed axioms only."""

import json
import re

import check_coq as check
import pytest

from pan_proofs.ledger.registry import modules

RECORD = json.loads(check.RECORD.read_text())
THEOREMS = RECORD["theorems"]
LEFT_OUT = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjectures?|Unset|bypass_check)\b")


def test_the_record_is_of_these_sources():
    assert RECORD["digest"] == check.digest()
    assert [{**row, "statement": "", "axioms": []} for row in THEOREMS] == list(check.named())


def test_only_classical_reals_and_functional_extensionality_are_assumed():
    assert {axiom for row in THEOREMS for axiom in row["axioms"]} <= check.ALLOWED


def test_nothing_is_left_out_of_a_proof():
    for path in check.sources():
        assert not LEFT_OUT.findall(path.read_text()), path.name
    assert "-arg" not in (check.HERE / "_CoqProject").read_text().split()


@pytest.mark.parametrize(
    "text", ["Admitted.", "admit.", "Axiom a : False.", "Unset Guard Checking.", "#[bypass_check(guard)]", "Axioms a b"]
)
def test_a_proof_that_leaves_something_out_is_found(text):
    assert LEFT_OUT.search(f"Proof. {text}\nQed.")


def test_what_coq_was_told_not_to_check_counts_as_an_axiom():
    answer = "Axioms:\nf is assumed to be guarded.\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\n"
    assert check.axioms(answer) == ["Classical_Prop.classic", "f is assumed to be guarded."]
    assert check.axioms("Closed under the global context\n") == []


def test_theorems_name_claims_of_the_ledger_and_controls_name_theorems():
    about_claims = ("claim", "refutation")
    known = {row["theorem"] for row in THEOREMS if row["kind"] in about_claims}
    for row in THEOREMS:
        assert set(row["about"]) <= (set(modules()) if row["kind"] in about_claims else known), row["theorem"]
