"""The erratum of a source: each statement that is false as printed, a counterexample, and what holds instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pan_proofs.engines.obligation import Kind
from pan_proofs.ledger import Claim, Entry, Part, Role, Step, bibliography, documents, errata
from pan_proofs.ledger.theorems import theorems
from pan_proofs.rendering.document import filled

_DISPLAYED = 6
"""The number of rows of a counterexample's display from which it is left to the claim."""


@dataclass(frozen=True)
class WrongStatement:
    """A statement that is false as printed, with what holds instead."""

    entry: Entry
    place: str
    counterexamples: tuple[tuple[Part, Step | None], ...]
    instead: tuple[Part, ...]
    nearby: Claim | None
    theorems: tuple[tuple[str, str], ...]


def write_errata(entries: Mapping[str, Entry], folder: Path) -> tuple[Path, ...]:
    """Write the erratum of each source whose statements are all there: ``erratum-<source>.tex``.

    Parameters
    ----------
    entries
        The entries of the ledger.
    folder
        The folder of the document, which has the package ``panproof.sty``.
    """
    written = []
    for document, words in errata().items():
        stated = [entry for entry in entries.values() if _places(entry.claim, document)]
        # A selection of claims is no judgement of a source.
        if not stated or not _whole(document, entries):
            continue
        path = folder / f"erratum-{document}.tex"
        first = [one for one in stated if one.claim.references[0].document == document]
        context = {
            "document": document,
            "title": documents()[document],
            "work": bibliography().get(document, ""),
            "words": words,
            "holding": [(one, _places(one.claim, document)) for one in stated if not _is_false(one.claim)],
            "wrong": [_false(one, document, entries) for one in first if _is_false(one.claim)],
            "elsewhere": [one for one in stated if one not in first and _is_false(one.claim)],
            "readings": {one.claim: failing for one in first if (failing := tuple(filter(_fails, one.claim.parts)))},
        }
        path.write_text(filled("erratum.tex.j2", **context), encoding="utf-8")
        written.append(path)
    return tuple(written)


def _places(claim: Claim, document: str) -> str:
    """The places of a statement in a source."""
    return "; ".join(one.place for one in claim.references if one.document == document)


def _whole(document: str, entries: Mapping[str, Entry]) -> bool:
    from pan_proofs.ledger.contents import contents

    return all(one in entries for part in contents() if document in part.documents for one in part.statements)


def _is_false(claim: Claim) -> bool:
    return any(part.role is Role.COUNTEREXAMPLE for part in claim.parts)


def _fails(part: Part) -> bool:
    """Whether it is a reading that fails and that the words of the source allow."""
    return not part.holds and not part.departs


def _false(entry: Entry, document: str, entries: Mapping[str, Entry]) -> WrongStatement:
    claim = entry.claim
    nearby = entries[claim.nearby].claim if claim.nearby else None
    return WrongStatement(
        entry,
        _places(entry.claim, document),
        tuple(
            # One worked example suffices where the statement is mended in its place.
            (part, _worked(part.steps) if nearby or number == 0 else None)
            for number, part in enumerate(part for part in claim.parts if part.role is Role.COUNTEREXAMPLE)
        ),
        tuple(part for part in claim.parts if part.role is Role.AMENDED),
        nearby,
        tuple(_named(claim)) + (tuple(_named(nearby)) if nearby else ()),
    )


def _worked(steps: Iterable[Step]) -> Step | None:
    """The step that works an example by hand; else the first one with a display."""
    shown = [step for step in steps if step.lines and len(step.lines) < _DISPLAYED]
    by_example = [step for step in shown if any(one.kind is Kind.COUNTEREXAMPLE for one in step.obligations)]
    return next(iter((*by_example, *shown)), None)


def _named(claim: Claim) -> Iterable[tuple[str, str]]:
    """The theorems of Coq that a claim names, with their files."""
    for name in dict.fromkeys(one for part in claim.parts for one in part.theorems):
        if name in theorems():
            yield name, theorems()[name].file
