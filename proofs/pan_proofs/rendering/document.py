"""The ledger as LaTeX: a package, one file for each claim that any article can read, and a document of all."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pan_proofs.ledger import Entry, bibliography, contributions, figures
from pan_proofs.rendering import latex
from pan_proofs.rendering.citations import cited, places, titled
from pan_proofs.rendering.environment import environment
from pan_proofs.rendering.evidence import evidence
from pan_proofs.rendering.view import MEANINGS, capital, chapters, departure, named, repeated, tally

MAIN = "ledger.tex"
PACKAGE = "panproof.sty"


def write_document(entries: Mapping[str, Entry], folder: Path) -> tuple[Path, ...]:
    """Write the document; the same files, byte for byte, for the same answers of the engines.

    Parameters
    ----------
    entries
        The entries to print.
    folder
        The folder for the files; made if it is not there.

    Returns
    -------
    tuple of Path
        The document's main file first, then the package, then one file for each claim.

    Raises
    ------
    MissingEngine
        If jinja2 is not installed, with the extra that installs it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {identifier: draw() for identifier, draw in figures().items() if identifier in entries}
    texts = {
        MAIN: filled("ledger.tex.j2", **_context(entries)),
        PACKAGE: filled("panproof.sty.j2", tikz=bool(drawn)),
    }
    known = places(entry.claim for entry in entries.values())
    for identifier, entry in entries.items():
        texts[f"{latex.stem(identifier)}.tex"] = filled(
            "claim.tex.j2",
            entry=entry,
            claim=entry.claim,
            figure=drawn.get(identifier),
            places=known,
            before=repeated(entry.claim),
        )
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tuple(folder / name for name in texts)


def standalone(entry: Entry) -> str:
    """A document that reads the file of one claim, and says what was checked."""
    return filled("standalone.tex.j2", claim=entry.claim, **_common({entry.claim.id: entry}))


def _context(entries: Mapping[str, Entry]) -> dict[str, Any]:
    present = {entry.verdict for entry in entries.values()}
    return {
        **_common(entries),
        "chapters": chapters(entries),
        "count": len(entries),
        "tally": tally(entries.values()),
        "meanings": {verdict: meaning for verdict, meaning in MEANINGS.items() if verdict in present},
    }


def _common(entries: Mapping[str, Entry]) -> dict[str, Any]:
    claims = [entry.claim for entry in entries.values()]
    return {
        "evidence": evidence(claims),
        "families": [part for part in contributions(entries) if part.notation],
        "bibliography": {
            name: text for name, text in bibliography().items() if any(named(name, one) for one in claims)
        },
    }


def lower_first(title: str) -> str:
    """A title inside of a sentence: its article is written small."""
    return title[0].lower() + title[1:] if title.startswith(("The ", "A ", "An ", "Two ")) else title


def filled(template: str, **context: Any) -> str:
    """A document from its template."""
    return str(_environment().get_template(template).render(**context))


@cache
def _environment() -> Any:
    made = environment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        autoescape=False,
    )
    filters = (
        latex.breakable,
        capital,
        cited,
        departure,
        latex.escaped,
        latex.formulas,
        latex.in_line,
        latex.kind,
        latex.label,
        latex.linked_by,
        latex.lowered,
        lower_first,
        latex.numbered,
        latex.origin,
        latex.prose,
        latex.prose_counted,
        latex.stem,
        latex.unclosed,
        titled,
        latex.without_symbols,
    )
    made.filters |= {function.__name__: function for function in filters}
    return made
