"""The ledger as one HTML page that needs nothing else: formulas as MathML, with search and a filter by verdict."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pan_proofs.engines.obligation import MissingEngine, load_engine
from pan_proofs.ledger import Entry, contributions, figures
from pan_proofs.rendering.environment import environment
from pan_proofs.rendering.evidence import evidence
from pan_proofs.rendering.view import MEANINGS, capital, chapters, tally

PAGE = "ledger.html"
_BAR = re.compile(r'<mo(?: stretchy="false")?>(?:\||&#x0007C;)</mo>')
_TEXT = {r"\%": "%", r"\_": "_", r"\&": "&", r"\#": "#", "~": "\u00a0", "``": "\u201c", "''": "\u201d", "--": "\u2013"}


def write_site(entries: Mapping[str, Entry], folder: Path) -> Path:
    """Write the page.

    Raises
    ------
    MissingEngine
        If jinja2 or latex2mathml is not installed, with the extra that installs them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    present = {entry.verdict for entry in entries.values()}
    page.write_text(
        _environment()
        .get_template("ledger.html.j2")
        .render(
            chapters=chapters(entries),
            families=[part for part in contributions(entries) if part.notation],
            count=len(entries),
            tally=tally(entries.values()),
            evidence=evidence(entry.claim for entry in entries.values()),
            meanings={verdict: meaning for verdict, meaning in MEANINGS.items() if verdict in present},
            figures={identifier: draw() for identifier, draw in figures().items() if identifier in entries},
        )
    )
    return page


def prose(text: str) -> str:
    """Prose with formulas between dollar signs as HTML."""
    pieces = text.split("$")
    for number, piece in enumerate(pieces):
        pieces[number] = mathml(piece) if number % 2 else _plain_html(piece)
    return "".join(pieces)


def display(lines: tuple[str, ...]) -> str:
    """Rows of an aligned display as a table with a column on each side of the relation."""
    rows = []
    for line in lines:
        left, _, right = line.partition("&")
        rows.append(f"<tr><td>{mathml(left, block=True)}</td><td>{mathml(right, block=True)}</td></tr>")
    return f'<div class="display"><table>{"".join(rows)}</table></div>'


@cache
def mathml(formula: str, *, block: bool = False) -> str:
    """A formula as MathML."""
    formula = formula.strip()
    if not formula:
        return ""
    converter = load_engine("latex2mathml.converter")
    # Sizes of delimiters are MathML's own affair.
    plain = re.sub(r"\\(bigl|bigr|Bigl|Bigr|biggl|biggr|Biggl|Biggr|big|Big)\b", "", formula)
    converted = converter.convert(plain.replace(r"\tfrac", r"\frac").replace(r"\dfrac", r"\frac"))
    style = ' displaystyle="true"' if block else ""
    return _BAR.sub(r'<mo lspace="0" rspace="0" stretchy="false">|</mo>', converted).replace(' display="inline"', style)


def _plain_html(text: str) -> str:
    for command, character in _TEXT.items():
        text = text.replace(command, character)
    return html.escape(text, quote=False)


@cache
def _environment() -> Any:
    made = environment(autoescape=True)
    made.filters |= {
        "capital": capital,
        "prose": lambda text: _safe(prose(text)),
        "display": lambda lines: _safe(display(lines)),
        "safe_svg": lambda figure: _safe(figure.svg()),
    }
    return made


def _safe(text: str) -> Any:
    try:
        from markupsafe import Markup
    except ImportError:
        raise MissingEngine("markupsafe is not installed; install it with: pip install 'panproof[proofs]'") from None
    return Markup(text)
