"""Theorems of Coq in claims: only what Coq has checked, of the sources as they are, carries a statement."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pan_proofs.engines.obligation import Answer, Check, Kind, minted
from pan_proofs.ledger import Claim, Entry, Part, ProofVerdict, Reference, Role, Step, Store, settle
from pan_proofs.ledger import theorems as coq
from pan_proofs.rendering import ledger_page, plain, standalone, write_bundle, write_document
from pan_proofs.rendering.view import Carried, carried

ABOUT = "density.union_lemma"
REALS = "ClassicalDedekindReals.sig_forall_dec"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two theorems, a control and one that rests on something else, as Coq would have recorded them."""
    (tmp_path / "_CoqProject").write_text("-Q . Pan\nA.v\n")
    (tmp_path / "A.v").write_text("Theorem one : True. Proof. exact I. Qed.\n")
    rows = [
        {"theorem": "one", "kind": "claim", "axioms": [REALS], "statement": "forall m : nat,\nm <= m"},
        {"theorem": "two", "kind": "claim", "axioms": []},
        {"theorem": "against", "kind": "refutation", "axioms": []},
        {"theorem": "control", "kind": "mutant", "axioms": []},
        {"theorem": "assumed", "kind": "claim", "axioms": ["A.assumed"]},
        {"theorem": "elsewhere", "kind": "claim", "axioms": [], "about": ["lecture.unbiased"]},
    ]
    record = {
        "coq": "8.16.1",
        "digest": coq.digest(tmp_path),
        "theorems": [{"file": "A.v", "about": [ABOUT], **row} for row in rows],
    }
    (tmp_path / "checked.json").write_text(json.dumps(record))
    monkeypatch.setattr(coq, "FOLDERS", (tmp_path,))
    return tmp_path


def claim(*parts):
    return coq.with_theorems(Claim(ABOUT, "A title", (Reference("here", "a place"),), "It holds.", parts))


def part(*names, role=Role.PUBLISHED, **fields):
    return Part(role, "a part", "It holds.", fields.pop("steps", ()), theorems=names, **fields)


def step(answer=Answer.HOLDS):
    checks = (Check("it holds", "sympy", Answer.HOLDS, answer),)
    return Step("s", "It holds.", (), (minted("o", "o", checks, Kind.VALUE),))


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([part("one")], ProofVerdict.PROVED),
        ([part("one", "two", steps=(step(),))], ProofVerdict.PROVED),
        ([part("one", steps=(step(Answer.FAILS),))], ProofVerdict.UNDECIDED),
        ([part("assumed")], ProofVerdict.UNDECIDED),
        ([part("one", "assumed")], ProofVerdict.UNDECIDED),
        ([part("one", formal=("Eq(x, x)",))], ProofVerdict.UNDECIDED),
        ([part("one"), part(steps=(step(),))], ProofVerdict.UNDECIDED),
        ([part("against")], ProofVerdict.UNDECIDED),
        ([part("one", "against")], ProofVerdict.PROVED),
        ([part("against", role=Role.COUNTEREXAMPLE), part("one", role=Role.AMENDED)], ProofVerdict.PROVED_AMENDED),
        ([part("one", role=Role.COUNTEREXAMPLE), part("one", role=Role.AMENDED)], ProofVerdict.UNDECIDED),
        ([part("one"), part("against", role=Role.READING, holds=False, departs="holds")], ProofVerdict.PROVED),
        ([part("one"), part("one", role=Role.READING, holds=False, departs="holds")], ProofVerdict.UNDECIDED),
    ],
)
def test_a_theorem_carries_its_part_and_nothing_else(folder, parts, verdict):
    found = claim(*parts)
    assert found.verdict is verdict
    assert Claim.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none", "theorem none, which Coq has not recorded"),
        ("elsewhere", "elsewhere, which A.v does not say is about it"),
        ("control", "control, which A.v does not say is about it"),
    ],
)
def test_a_claim_names_only_theorems_about_it(folder, name, said):
    with pytest.raises(ValueError, match=said):
        claim(part("one", name))


@pytest.mark.parametrize("change", ["text", "name", "order"])
def test_after_a_change_of_the_sources_nothing_is_checked(folder, change):
    made = claim(part("one"))
    assert (made.verdict, carried(made.parts[0])) == (ProofVerdict.PROVED, Carried.COQ)
    (folder / "B.v").write_text((folder / "A.v").read_text())
    if change == "text":
        (folder / "A.v").write_text("Theorem one : False. Admitted.\n")
    elif change == "name":
        (folder / "_CoqProject").write_text("-Q . Pan\nB.v\n")
    else:
        (folder / "_CoqProject").write_text("-Q . Pan\nA.v\nB.v\n")
    stale = claim(part("one"))
    assert (stale.verdict, carried(stale.parts[0])) == (ProofVerdict.UNDECIDED, Carried.OPEN)
    assert settle(stale, {})[1] == "not discharged: one"


def test_without_the_sources_no_theorem_is_known(monkeypatch, tmp_path):
    monkeypatch.setattr(coq, "FOLDERS", (tmp_path,))
    with pytest.raises(ValueError, match="not recorded"):
        claim(part("one"))


def test_a_stored_claim_is_asked_anew_and_a_derivation_cannot_answer_itself(folder, tmp_path):
    store = Store(tmp_path / "kept")
    made = claim(part("one"))
    store.keep(made, "k" * 64)
    assert store.load(ABOUT, "k" * 64).verdict is ProofVerdict.PROVED
    (folder / "A.v").write_text("Theorem one : False. Admitted.\n")
    assert store.load(ABOUT, "k" * 64).verdict is ProofVerdict.UNDECIDED
    assert coq.with_theorems(made).verdict is ProofVerdict.UNDECIDED
    (folder / "checked.json").write_text(json.dumps({"coq": "", "digest": coq.digest(folder), "theorems": []}))
    assert store.load(ABOUT, "k" * 64) is None


def test_answers_for_other_theorems_do_not_count(folder):
    (made,) = claim(part("one")).parts
    assert made.discharged
    assert not replace(made, theorems=("one", "two")).discharged
    assert not replace(made, checked=()).discharged


def test_readers_see_the_theorem_with_its_file_its_axioms_and_its_statement(folder, tmp_path):
    made = claim(part("one", "two"))
    entry = Entry(made, made.verdict, "", 0.0)
    shown = {ABOUT: entry}
    page = ledger_page(shown)
    assert "- 1 **checked end to end**: " in page
    assert f"**`one`** (A.v; axioms: sig_forall_dec): `{ABOUT}`." in page
    assert "```coq\nforall m : nat,\nm <= m\n```" in page
    assert "by prose; 0 statements have no formula" in page
    *_, text = (path.read_text() for path in write_document(shown, tmp_path / "out"))
    assert r"\panprooftheorem{one}{A.v}{sig\_forall\_dec}{checked end to end}" in text
    assert "\\begin{verbatim}\nforall m : nat,\nm <= m\n\\end{verbatim}" in text
    assert "whether Coq has checked a theorem" in plain(standalone(entry))
    told, *files = write_bundle(ABOUT, shown, tmp_path / "bundle")
    assert "Theorem `one` of `coq/A.v`; axioms: sig_forall_dec." in told.read_text()
    sources = {path.name: path.read_bytes() for path in files if path.parent.name == "coq"}
    assert sources == {name: (folder / name).read_bytes() for name in ("A.v", "_CoqProject", "checked.json")}


def test_the_digest_is_the_one_that_make_coq_records():
    import check_coq

    assert coq.digest(check_coq.HERE) == check_coq.digest()
    assert coq.ALLOWED == check_coq.ALLOWED
    assert {one.kind for one in coq.theorems().values()} == {None, Kind.THEOREM, Kind.REFUTATION}
