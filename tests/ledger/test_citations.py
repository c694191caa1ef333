"""Statements of a source have the number of the claim that judges them, and no claim prints a text twice."""

from __future__ import annotations

import re

import pytest

from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.rendering import write_document
from pan_proofs.rendering.citations import cited, judged_by, places, titled
from pan_proofs.rendering.latex import stem
from pan_proofs.rendering.view import repeated

LONG = "This text is long enough that a reader would not want to read all of it once more in the same claim."


def claim(identifier, *references, parts=()):
    return Claim(identifier, "A test", references, "It holds.", tuple(parts))


ONE = claim("test.one", Reference("paper", "Theorem 3.1, section 3 and appendix A"), Reference("thesis", "Theorem 4.1"))
TWO = claim("test.two", Reference("thesis", "Definition 4.4 and Lemmas 4.3, 4.4 and A.1, section 4"))
OURS = claim("test.ours", Reference("here", "a lemma"))
KNOWN = places((ONE, TWO, OURS))


def test_numbered_statements_are_found_in_the_places_of_claims():
    assert KNOWN == {
        ("paper", "Theorem 3.1"): "test.one",
        ("thesis", "Theorem 4.1"): "test.one",
        ("thesis", "Definition 4.4"): "test.two",
        ("thesis", "Lemma 4.3"): "test.two",
        ("thesis", "Lemma 4.4"): "test.two",
        ("thesis", "Lemma A.1"): "test.two",
    }


@pytest.mark.parametrize(
    ("name", "after", "by", "found"),
    [
        ("Theorem 3.1", ".", TWO, ""),
        ("Theorem 4.1", ".", TWO, "test.one"),
        ("Theorem 3.1", " of the paper.", TWO, "test.one"),
        ("Theorem 3.1", " of the paper.", OURS, "test.one"),
        ("Lemma 4.3", ".", TWO, ""),
        ("Lemma 4.3", ".", ONE, "test.two"),
        ("Theorem 4.1", " of the lecture.", OURS, ""),
        ("Theorem 9.9", ".", ONE, ""),
    ],
)
def test_the_document_is_that_of_the_claim_or_the_one_that_is_named(name, after, by, found):
    assert judged_by(name, after, by, KNOWN) == found


def test_a_statement_that_another_claim_judges_has_its_number():
    assert cited("By Lemma 4.3 it holds, as $L$.", ONE, KNOWN) == (
        r"By \panproofcited{Lemma~4.3}{panproof-test-two} it holds, as $L$."
    )
    assert cited("By Theorem 3.1 it holds.", ONE, KNOWN) == "By Theorem 3.1 it holds."
    assert cited("$\\text{Lemma 4.3}$ and Lemma 4.35", ONE, KNOWN) == "$\\text{Lemma 4.3}$ and Lemma 4.35"


def test_a_title_names_the_document_of_a_statement():
    assert titled("small budgets (Lemma 4.6)", TWO) == "small budgets (thesis: Lemma 4.6)"
    assert titled("with a delta (item 1 of Lemma 5.3)", TWO) == "with a delta (thesis: item 1 of Lemma 5.3)"
    assert titled("as in Lemma 4.6 of the paper", TWO) == "as in Lemma 4.6 of the paper"
    assert titled("Lemma 4.6", OURS) == "Lemma 4.6"

    assert titled("the proof of Lemma 4.6", TWO) == "the proof of Lemma 4.6"


def test_a_claim_about_the_statement_comes_before_one_about_its_proof():
    proof = claim("test.proof", Reference("thesis", "proof of Theorem 4.1, section 4"))
    both = claim("test.both", Reference("thesis", "Theorems 4.1 and 4.2 and their proofs, section 4"))
    assert places((proof,))["thesis", "Theorem 4.1"] == "test.proof"
    assert places((proof, both, ONE)) == places((ONE,)) | {("thesis", "Theorem 4.2"): "test.both"}


def test_a_text_is_printed_once_in_a_claim():
    first, again, other = (Step(name, LONG, ("a &= b",), ()) for name in ("first", "again", "other"))
    short = (Step("short", "So it holds.", (), ()), Step("short_again", "So it holds.", (), ()))
    parts = (
        Part(Role.PUBLISHED, "one", "It holds.", (short[0], first)),
        Part(Role.PUBLISHED, "two", "It holds.", (again, Step("rows", LONG, ("a &= c",), ()), short[1])),
    )
    assert repeated(claim("test.three", parts=parts)) == {"again": (1, 2)}
    assert other.text == LONG


@pytest.fixture(scope="module")
def written(entries, tmp_path_factory):
    folder = tmp_path_factory.mktemp("document")
    return {path.name: path.read_text() for path in write_document(entries, folder)}


def test_no_claim_of_the_ledger_prints_a_long_text_twice(entries, written):
    for identifier in entries:
        steps = re.findall(
            r"\\begin\{panproofstep\}\{\d+\}\{[^}]*\}\n(.*?)\\end\{panproofstep\}",
            written[f"{stem(identifier)}.tex"],
            re.DOTALL,
        )
        bodies = [
            re.sub(r"\\label\{[^}]*\}", "", one) for one in steps if len(one) > 300 and not one.startswith("As in step")
        ]
        assert len(set(bodies)) == len(bodies), identifier


def test_titles_and_texts_of_the_ledger_name_documents_and_claims(written):
    assert "turnstile: Lemma 4.6" in written["turnstile-event-lower-bound.tex"]
    assert r"\panproofcited{Lemma~A.2}{panproof-turnstile-gaussian-max}" in written["turnstile-given-flippancy.tex"]
    for name, text in written.items():
        for title in re.findall(r"\\begin\{panproofstatement\}\{\w+\}\{(.*)\}\{", text):
            for found in re.finditer(r"\((?:Lemma|Theorem|Corollary|Definition) [\dA-Z][\d.]*\)", title):
                pytest.fail(f"{name}: the title {title!r} names {found[0]} without its document")
