"""The ledger as a LaTeX document: one file for each claim, and one that reads them all."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pan_proofs.ledger import Entry, figures
from pan_proofs.rendering.environment import environment
from pan_proofs.rendering.view import MEANINGS, chapters, tally

MAIN = "ledger.tex"
_SPECIAL = {"_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#"}


def write_document(entries: Mapping[str, Entry], folder: Path) -> tuple[Path, ...]:
    """Write the document; the same files, byte for byte, for the same answers of the engines.

    Parameters
    ----------
    entries
        The entries to print.
    folder
        Where; made if it is not there.

    Returns
    -------
    tuple of Path
        The document's main file first, then one file for each claim.

    Raises
    ------
    MissingEngine
        If jinja2 is not installed, with the extra that installs it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / MAIN]
    templates = _environment()
    (folder / MAIN).write_text(templates.get_template("ledger.tex.j2").render(_context(entries)))
    drawn = figures()
    for entry in entries.values():
        path = folder / f"{stem(entry.claim.id)}.tex"
        figure = drawn[entry.claim.id]().tikz() if entry.claim.id in drawn else ""
        path.write_text(templates.get_template("claim.tex.j2").render(entry=entry, claim=entry.claim, figure=figure))
        written.append(path)
    return tuple(written)


def stem(identifier: str) -> str:
    """A file's name for a claim."""
    return identifier.replace(".", "-").replace("_", "-")


def escaped(text: str) -> str:
    """Plain text for LaTeX, formulas between dollar signs left as they are."""
    pieces = text.split("$")
    for number in range(0, len(pieces), 2):
        pieces[number] = "".join(_SPECIAL.get(character, character) for character in pieces[number])
    return "$".join(pieces)


def breakable(identifier: str) -> str:
    """An id that may be broken at the end of a line."""
    return identifier.replace(".", r".\allowbreak{}").replace("_", r"\_\allowbreak{}")


def _context(entries: Mapping[str, Entry]) -> dict[str, Any]:
    present = {entry.verdict for entry in entries.values()}
    return {
        "chapters": chapters(entries),
        "count": len(entries),
        "tally": tally(entries.values()),
        "meanings": {verdict: meaning for verdict, meaning in MEANINGS.items() if verdict in present},
    }


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
    made.filters |= {"escaped": escaped, "breakable": breakable, "stem": stem}
    return made
