"""Numbered statements of a source that prose names, each with the claim that judges it; titles with the document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pan_proofs.ledger import Claim

_KINDS = "Theorem|Lemma|Corollary|Claim|Definition|Remark"
_NUMBER = r"(?:\d+|[A-Z](?=\.))(?:\.\d+)*"
_END = r"(?!\w|\.\d)"
_NAMED = re.compile(rf"\b({_KINDS})[ ~]({_NUMBER}){_END}")
_LISTED = re.compile(rf"\b({_KINDS}|Lemmas|Theorems|Definitions)[ ~]({_NUMBER}(?:(?:,| and|, and) {_NUMBER})*)")
_BESIDE = re.compile(r"\b(?:proofs? of|after|before) $")
_IN_TITLE = re.compile(rf"(?<!\w )(?:item \d+ of )?\b(?:{_KINDS}) {_NUMBER}{_END}(?! of )")

Places = Mapping[tuple[str, str], str]
"""For a document and a numbered statement in it the claim that judges it."""


def places(claims: Iterable[Claim]) -> Places:
    """The claims by the numbered statements that they judge.

    Of several claims about a statement the first one is taken whose source is the statement itself, and not its proof
    or the text after it; and before it one that judges fewer statements.
    """
    found: dict[tuple[str, str], tuple[tuple[bool, int], str]] = {}
    for claim in claims:
        for reference in claim.references:
            named = [
                (f"{'Lemma' if listed[1] == 'Lemmas' else listed[1].removesuffix('s')} {number}", listed.start())
                for listed in _LISTED.finditer(reference.place)
                for number in re.findall(_NUMBER, listed[2])
            ]
            for name, start in named:
                rank = (bool(_BESIDE.search(reference.place[:start])), len(named))
                place = (reference.document, name)
                if place not in found or rank < found[place][0]:
                    found[place] = (rank, claim.id)
    return {place: identifier for place, (_, identifier) in found.items()}


def judged_by(name: str, after: str, claim: Claim, known: Places) -> str:
    """The id of the claim that judges a numbered statement which a claim names; empty for its own and unknown ones.

    Parameters
    ----------
    name
        As ``"Lemma 2.9"``.
    after
        The text behind it, which may name the document.
    claim
        The claim that names it; without a named document its own documents are meant.
    known
        From :func:`places`.
    """
    documents = {document for document, _ in known}
    told = re.match(r"(?: and [\w.]+)? of the (\w+)", after)
    meant = [told[1]] if told and told[1] in documents else [one.document for one in claim.references]
    found = next((known[document, name] for document in meant if (document, name) in known), "")
    return "" if found == claim.id else found


def titled(title: str, claim: Claim) -> str:
    """A title in which each numbered statement that stands by itself has the document that it is of."""
    document = claim.references[0].document if claim.references else "here"
    if document == "here":
        return title
    return _IN_TITLE.sub(lambda found: f"{document}: {found[0]}", title)


def cited(text: str, claim: Claim, known: Places) -> str:
    """LaTeX in which each numbered statement that another claim judges has the number of this claim."""
    from pan_proofs.rendering.latex import label

    def with_claim(found: re.Match[str], piece: str) -> str:
        identifier = judged_by(f"{found[1]} {found[2]}", piece[found.end() :], claim, known)
        return rf"\panproofcited{{{found[1]}~{found[2]}}}{{{label(identifier)}}}" if identifier else found[0]

    pieces = text.split("$")
    for number in range(0, len(pieces), 2):
        piece = pieces[number]
        pieces[number] = _NAMED.sub(lambda found, piece=piece: with_claim(found, piece), piece)  # type: ignore[misc]
    return "$".join(pieces)
