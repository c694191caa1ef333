"""The erratum of a source: its main errors worked by hand, and every other correction in the order of the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pan_proofs.engines.obligation import Kind
from pan_proofs.ledger import Claim, Entry, Part, ProofVerdict, Role, Step, bibliography, documents, errata
from pan_proofs.ledger.contents import contents
from pan_proofs.rendering.document import filled
from pan_proofs.rendering.latex import in_line
from pan_proofs.rendering.view import named_theorems

_DISPLAYED = 6
"""The number of rows of a counterexample's display from which it is left to the claim."""


@dataclass(frozen=True)
class WrongStatement:
    """A statement that is false as printed, with what holds instead."""

    entry: Entry
    place: str
    main: bool
    counterexamples: tuple[tuple[Part, Step | None], ...]
    instead: tuple[Part, ...]
    nearby: Claim | None
    theorems: tuple[tuple[str, str], ...]
    readings: tuple[Part, ...]


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
        first = [one for one in stated if one.claim.references[0].document == document]
        wrong = [
            _wrong(one, document, entries, main=one.claim.id in words.main) for one in first if _is_false(one.claim)
        ]
        context = {
            "title": documents()[document],
            "work": bibliography().get(document, ""),
            "words": words,
            "holding": [
                (one, _places(one.claim, document))
                for one in stated
                if not _is_false(one.claim) and one.verdict is not ProofVerdict.CITED
            ],
            "wrong": wrong,
            "elsewhere": [
                (one, _places(one.claim, document)) for one in stated if one not in first and _is_false(one.claim)
            ],
            "readings": [
                (one, failing)
                for one in first
                if not _is_false(one.claim) and (failing := tuple(filter(_fails, one.claim.parts)))
            ],
        }
        path = folder / f"erratum-{document}.tex"
        path.write_text(filled("erratum.tex.j2", **context), encoding="utf-8")
        written.append(path)
    return tuple(written)


def _places(claim: Claim, document: str) -> str:
    """The places of a statement in a source."""
    return "; ".join(one.place for one in claim.references if one.document == document)


def _whole(document: str, entries: Mapping[str, Entry]) -> bool:
    return all(one in entries for part in contents() if document in part.documents for one in part.statements)


def _is_false(claim: Claim) -> bool:
    return any(part.role is Role.COUNTEREXAMPLE for part in claim.parts)


def _fails(part: Part) -> bool:
    """Whether it is a reading that fails and that the words of the source allow."""
    return not part.holds and not part.departs


def _wrong(entry: Entry, document: str, entries: Mapping[str, Entry], *, main: bool) -> WrongStatement:
    claim = entry.claim
    nearby = entries[claim.nearby].claim if claim.nearby else None
    false = [part for part in claim.parts if part.role is Role.COUNTEREXAMPLE]
    theorems = {
        theorem.name: theorem.file
        for one in (claim, *([nearby] if nearby else []))
        for part in one.parts
        for theorem in named_theorems(part)
    }
    return WrongStatement(
        entry,
        _places(claim, document),
        main,
        # One worked example suffices where the statement is mended in its place.
        tuple((part, _worked(part.steps, main) if main or number == 0 else None) for number, part in enumerate(false)),
        tuple(part for part in claim.parts if part.role is Role.AMENDED),
        nearby,
        tuple(theorems.items()),
        tuple(filter(_fails, claim.parts)),
    )


def _worked(steps: Iterable[Step], main: bool) -> Step | None:
    """The step that works an example by hand, else the first one with a display; in a list one that fits a line."""
    shown = [step for step in steps if step.lines and (len(step.lines) < _DISPLAYED if main else in_line(step.lines))]
    by_example = [step for step in shown if any(one.kind is Kind.COUNTEREXAMPLE for one in step.obligations)]
    return next(iter((*by_example, *shown)), None)
