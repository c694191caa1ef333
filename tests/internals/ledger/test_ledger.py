"""The ledger as a whole: complete, decided, up to date, and honest about engines that were not there."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest
import sympy as sp

from pan_proofs.density.contents import ALIASES, STATEMENTS
from pan_proofs.engines import obligation as engines
from pan_proofs.engines.obligation import Answer, Check, Kind, MissingEngine, Status, minted
from pan_proofs.ledger import ProofVerdict, Role, Store, derive, modules, resolve, settle
from pan_proofs.ledger.claim import Claim, Part, Reference, Step
from pan_proofs.rendering import ledger_page

ROOT = Path(__file__).parents[3]


def part(role=Role.PUBLISHED, answer=Answer.HOLDS, *, steps=1):
    checks = (Check("it holds", "sympy", Answer.HOLDS, answer),)
    kind = Kind.COUNTEREXAMPLE if role is Role.COUNTEREXAMPLE else Kind.VALUE
    made = tuple(Step(f"s{i}", "", (), (minted("o", "o", checks, kind),)) for i in range(steps))
    return Part(role, "", "", made, no_formula="the steps are tested")


def claim(*parts, **fields):
    return Claim("a.b", "", (Reference("here", ""),), "", parts, **fields)


def test_every_statement_of_the_sources_has_an_entry_with_a_verdict(entries):
    assert set(STATEMENTS) <= set(entries)
    undecided = {name: entry.reason for name, entry in entries.items() if entry.verdict is ProofVerdict.UNDECIDED}
    assert not undecided


def test_every_name_of_another_source_leads_to_an_entry_that_refers_to_it(entries):
    for alias, identifier in ALIASES.items():
        document = alias.partition(".")[0]
        assert document in {reference.document for reference in entries[identifier].claim.references}, alias


def test_every_claim_is_checked_by_two_engines_with_all_controls_and_survives_being_stored(entries):
    for name, entry in entries.items():
        claim = entry.claim
        for obligation in claim.obligations:
            if any(check.question == "the difference has the normal form 0" for check in obligation.checks):
                assert "flint" in obligation.engines, f"{name}: {obligation}"
        assert claim.parts
        assert all(one.theorems or not all(step.prose for step in one.steps) for one in claim.parts), name
        done, inequalities = claim.controls
        assert done == inequalities, name
        if entry.verdict is ProofVerdict.REFUTED:
            assert entries[resolve(claim.nearby)].verdict is ProofVerdict.PROVED, name
        if entry.verdict is ProofVerdict.PROVED_AMENDED:
            assert any(one.role is Role.AMENDED for one in claim.parts), name
        assert Claim.from_dict(claim.to_dict()) == claim


def test_the_ledger_page_is_up_to_date(entries):
    page = ROOT / "proofs" / "LEDGER.md"
    assert page.read_text() == ledger_page(entries), "the page is stale: run `make ledger`"


def test_without_the_solvers_what_they_would_have_checked_is_skipped_and_nothing_is_proved(monkeypatch):
    from pan_proofs.engines import inequalities
    from pan_proofs.ledger import derive_here

    def absent(engine, script):
        return Answer.SKIPPED

    monkeypatch.setattr(inequalities, "ask", absent)
    derived = derive_here("density.union_lemma")
    assert derived.verdict is ProofVerdict.UNDECIDED
    assert set(derived.skipped) == {"z3", "cvc5"}
    verdict, reason = settle(derived, {})
    assert verdict is ProofVerdict.UNDECIDED
    assert "not installed: z3, cvc5" in reason
    assert engines.SOLVERS == ("z3", "cvc5")


def test_without_flint_no_equality_is_proved(monkeypatch):
    from pan_proofs.engines import identities
    from pan_proofs.ledger.steps import equal

    def absent(name):
        raise MissingEngine(name)

    monkeypatch.setattr(identities, "load_engine", absent)
    monkeypatch.setattr(identities, "enclosure", lambda *arguments: absent("flint"))
    x = sp.Symbol("x", real=True)
    (obligation,) = equal("square", "", "", (x + 1) ** 2, x**2 + 2 * x + 1).obligations
    assert obligation.status is Status.SKIPPED
    assert obligation.skipped == ("flint",)


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (claim(part()), ProofVerdict.PROVED),
        (claim(part(answer=Answer.FAILS)), ProofVerdict.UNDECIDED),
        (claim(part(answer=Answer.UNKNOWN)), ProofVerdict.UNDECIDED),
        (claim(part(answer=Answer.SKIPPED)), ProofVerdict.UNDECIDED),
        (claim(part(steps=0)), ProofVerdict.UNDECIDED),
        (claim(), ProofVerdict.UNDECIDED),
        (claim(part(Role.READING)), ProofVerdict.UNDECIDED),
        (claim(part(), part(Role.READING, Answer.FAILS)), ProofVerdict.UNDECIDED),
        (claim(part(Role.COUNTEREXAMPLE)), ProofVerdict.UNDECIDED),
        (claim(part(Role.COUNTEREXAMPLE), part(Role.AMENDED)), ProofVerdict.PROVED_AMENDED),
        (claim(part(), part(Role.COUNTEREXAMPLE), part(Role.AMENDED, Answer.FAILS)), ProofVerdict.UNDECIDED),
        (claim(part(Role.COUNTEREXAMPLE), nearby="a.c"), ProofVerdict.REFUTED),
        (claim(part(Role.COUNTEREXAMPLE, Answer.FAILS), nearby="a.c"), ProofVerdict.UNDECIDED),
        (claim(part(Role.CITED)), ProofVerdict.CITED),
        (claim(part(Role.CITED), part(Role.COUNTEREXAMPLE)), ProofVerdict.UNDECIDED),
        (claim(part(), part(Role.AMENDED)), ProofVerdict.UNDECIDED),
    ],
)
def test_the_verdict_follows_from_the_answers(made, verdict):
    assert made.verdict is verdict


def test_a_claim_falls_with_what_it_rests_on(entries):
    name, entry = next((name, entry) for name, entry in entries.items() if entry.claim.uses)
    broken = {other: one.claim for other, one in entries.items()}
    used = resolve(entry.claim.uses[0])
    broken[used] = replace(broken[used], parts=(part(answer=Answer.FAILS),))
    verdict, reason = settle(broken[name], broken)
    assert verdict is ProofVerdict.UNDECIDED
    assert used in reason


@pytest.mark.parametrize("name", ["density.union_lemma", "lecture.unbiased", "thesis.total_variance"])
def test_claims_that_rest_on_one_another_are_undecided_and_so_is_what_rests_on_them(name):
    one = replace(claim(part()), id="density.union_lemma", uses=("lecture.unbiased",))
    other = replace(claim(part()), id="lecture.unbiased", uses=("density.union_lemma",))
    above = replace(claim(part()), id="thesis.total_variance", uses=("lecture.unbiased",))
    claims = {made.id: made for made in (one, other, above)}
    verdict, reason = settle(claims[name], claims)
    assert verdict is ProofVerdict.UNDECIDED
    assert "claims rest on one another: " in reason


def test_a_derivation_that_stops_is_undecided_and_the_others_go_on(monkeypatch):
    module = importlib.import_module(modules()["density.union_lemma"])

    def stops():
        raise ZeroDivisionError("a step divides by zero")

    monkeypatch.setitem(module.CLAIMS, "density.union_lemma", stops)
    found = derive(["density.union_lemma", "thesis.total_variance"])
    assert found["density.union_lemma"].verdict is ProofVerdict.UNDECIDED
    assert "a step divides by zero" in found["density.union_lemma"].reason
    assert found["thesis.total_variance"].verdict is ProofVerdict.PROVED


def test_what_was_derived_is_found_again_until_its_inputs_change(tmp_path, monkeypatch):
    module = importlib.import_module("pan_proofs.ledger.derive")
    store = Store(tmp_path / "kept")
    first = derive(["density.union_lemma"], store=store)["density.union_lemma"]
    again = derive(["density.union_lemma"], store=store)["density.union_lemma"]
    assert first.seconds > 0
    assert again.seconds == 0
    assert again.claim == first.claim
    assert derive(["density.union_lemma"], store=store, again=True)["density.union_lemma"].seconds > 0
    monkeypatch.setattr(module, "fingerprint", lambda name: "f" * 64)
    assert derive(["density.union_lemma"], store=store)["density.union_lemma"].seconds > 0
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_a_kept_claim_that_cannot_be_read_is_derived_again(tmp_path):
    store = Store(tmp_path)
    derive(["density.union_lemma"], store=store)
    (kept,) = tmp_path.iterdir()
    kept.write_text("{")
    assert derive(["density.union_lemma"], store=store)["density.union_lemma"].verdict is ProofVerdict.PROVED


def test_the_fingerprint_follows_imports_and_nothing_else():
    from pan_proofs.ledger.fingerprint import _closure, fingerprint

    inputs = _closure(modules()["density.union_lemma"])
    assert {
        "pan_proofs.engines.inequalities",
        "pan_proofs.engines.obligation",
        "pan_proofs.engines.identities",
    } <= inputs
    assert not any("rendering" in name or name.startswith("pan_audits") for name in inputs)
    assert fingerprint("pan_proofs.foundations.claims.union_lemma") != fingerprint(
        "pan_proofs.foundations.claims.total_variance"
    )


def test_a_kept_claim_of_another_name_is_not_taken(tmp_path):
    store = Store(tmp_path)
    kept = derive(["density.union_lemma"], store=store)["density.union_lemma"].claim
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text().replace('"density.union_lemma"', '"lecture.unbiased"'))
    assert store.load(kept.id, path.stem.rpartition("-")[2]) is None


def test_a_claim_that_rests_on_none_is_undecided():
    verdict, reason = settle(replace(claim(part()), uses=("density.nothing",)), {})
    assert verdict is ProofVerdict.UNDECIDED
    assert "not in the ledger" in reason


def test_only_another_reading_can_fail():
    with pytest.raises(ValueError, match="only another reading"):
        Part(Role.PUBLISHED, "", "", (), holds=False, no_formula="the steps are tested")


def test_an_unknown_id_is_answered_with_those_that_look_alike():
    from pan_proofs.ledger import UnknownClaim

    with pytest.raises(UnknownClaim, match=r"density\.union_lemma"):
        derive(["density.union_lema"])
