"""Texts of the ledger as LaTeX: escapes, labels, and sentences that stand in a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pan_proofs.engines.obligation import Status
from pan_proofs.ledger import Claim, Part, ProofVerdict, Role, modules
from pan_proofs.ledger.statements import together
from pan_proofs.rendering.folding import LINE, folded, nested, unfolded, width
from pan_proofs.rendering.rows import with_tables
from pan_proofs.rendering.view import capital, discharged_by, formal_statements, place, without_formula

_IDENTIFIER = re.compile(r"\b[a-z]+(?:\\?_[a-z]+)*\.[a-z]+(?:\\?_[a-z0-9]+)*\b")
_FIRST_POWER = re.compile(r"\^(?:\{1\}|1(?![0-9/]))")
_PARAGRAPH = 240
"""The width, in digits, from which on a formula of a sentence is a display."""
_SHORT_SIDE = 20
"""The width, in digits, up to which the other side of an equation stands in the row of the first."""
_OF_A_FORMULA = re.compile(r"In (?:the|both)(?: \w+)? formulas?\b")
"""The beginning of a sentence about the symbols of a formula, which an erratum does not have."""
_SPECIAL = {"_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#"}


def stem(identifier: str) -> str:
    """A file's name for a claim."""
    return identifier.replace(".", "-").replace("_", "-")


def label(identifier: str) -> str:
    """The label of a claim; without a colon, which some languages of babel make active."""
    return f"panproof-{stem(identifier)}"


def escaped(text: str) -> str:
    """Plain text for LaTeX, formulas between dollar signs left as they are."""
    pieces = text.split("$")
    for number in range(0, len(pieces), 2):
        pieces[number] = "".join(_SPECIAL.get(character, character) for character in pieces[number])
    return "$".join(pieces)


def prose(text: str) -> str:
    """Prose with formulas in which claims are named: outside of formulas an id becomes a reference to its claim."""
    pieces = text.split("$")
    for number in range(0, len(pieces), 2):
        pieces[number] = _IDENTIFIER.sub(_reference, pieces[number])
    return "$".join(pieces)


def _reference(found: re.Match[str]) -> str:
    identifier = found[0].replace("\\_", "_")
    if identifier not in modules():
        return found[0].replace("\\_", "_").replace("_", r"\_")
    return rf"\panproofnamed{{{breakable(identifier)}}}{{{label(identifier)}}}"


def breakable(identifier: str) -> str:
    """An id that may be broken at the end of a line."""
    return identifier.replace(".", r".\allowbreak{}").replace("_", r"\_\allowbreak{}")


def unclosed(title: str) -> str:
    """A title without a stop, where one follows."""
    return title.removesuffix(".")


def lowered(verdict: ProofVerdict, between: str) -> str:
    """The name of a verdict in lower case."""
    return str(verdict).lower().replace("_", between)


def origin(claim: Claim, *, notes: bool = False) -> str:
    """The places of a statement, each document once, or that it is our own; notes on the places in brackets."""
    own = claim.references[0].document == "here" if claim.references else True
    told: list[str] = []
    document = ""
    for reference in claim.references:
        said = reference.place if reference.document == document else place(reference)
        told.append(f"{said} ({reference.note})" if notes and reference.note else said)
        document = reference.document
    return capital(": ".join(filter(None, ("our own" if own else "", "; ".join(told)))))


def kind(part: Part) -> str:
    """The word for a statement of a judgement: a theorem has derived steps."""
    return "Theorem" if part.role is not Role.CITED and part.discharged else "Statement"


def linked_by(part: Part) -> str:
    """The engines that found that a statement follows from its steps, or that prose leads there."""
    return discharged_by(part.links) if part.linked else "by~prose"


def formulas(part: Part) -> tuple[str, ...]:
    """The formal statements of a part; what leads to each is told only where it differs among them.

    Elsewhere the mark behind the statement tells it of all.
    """
    alike = len({one.status is Status.DISCHARGED for one in part.links}) == 1
    shown = together(part.formal) if alike else formal_statements(part)
    return tuple(formula_in_sentence(one) for one in shown)


def formula_in_sentence(text: str) -> str:
    """A sentence whose long formulas TeX can break; one of many lines is a display."""
    pieces = text.split("$")
    for number in range(1, len(pieces), 2):
        formula = pieces[number]
        style = r"\displaystyle " if nested(formula) else ""
        parts = tuple(with_tables(formula))
        # No line ends inside of a list.
        plain = not style and r"\{" not in formula and not any(table for _, table in parts)
        if plain and width(formula) > _PARAGRAPH:
            # The sign that follows belongs to the last row.
            stop = pieces[number + 1][:1]
            stop, pieces[number + 1] = (
                (stop, pieces[number + 1][1:]) if stop in (",", ".") else ("", pieces[number + 1])
            )
            left, equal, right = formula.partition(" = ")
            sides = (left, equal + right) if equal and width(left) > _SHORT_SIDE else (formula,)
            rows = " \\\\\n".join(row for side in sides for row in folded([f"&{side}"]))
            pieces[number] = rf"$\begin{{aligned}}{rows}{stop}\end{{aligned}}$"
        else:
            pieces[number] = f"{style}{''.join(part if table else unfolded(part) for part, table in parts)}"
    return (
        "$".join(pieces)
        .replace(r"$$\begin{aligned}", r"\[\begin{aligned}")
        .replace(r"\end{aligned}$$", r"\end{aligned}\]")
    )


def prose_counted(claim: Claim) -> str:
    """The share of prose in a judgement, as a sentence about prose; nothing if there is none."""
    unlinked = sum(part.by_prose for part in claim.parts)
    steps = f"carries {len(claim.prose)} of {len(claim.steps)} steps" if claim.prose else ""
    plain = sum(map(without_formula, claim.parts))
    without = f", of which {plain} {'has' if plain == 1 else 'have'} no formula" if plain else ""
    statements = f"leads from the steps to {unlinked} of {len(claim.parts)} statements{without}" if unlinked else ""
    told = ", and ".join(filter(None, (steps, statements)))
    numbered_steps = {
        step.name: rf"Step~{place} of {kind(part)}~\ref{{{label(claim.id)}-{number}}}"
        for number, part in enumerate(claim.parts, 1)
        for place, step in enumerate(part.steps, 1)
    }
    words = [f"{numbered_steps[step]}: {capital(argument.rstrip('.'))}." for step, argument in claim.in_words]
    several = "arguments" if len(words) > 1 else "argument"
    listed = f"{'It also carries' if told else 'It carries'} {len(words)} {several}. {' '.join(words)}" if words else ""
    return " ".join(filter(None, (f"It {told}." if told else "", listed)))


def without_symbols(statement: str) -> str:
    """A statement without its sentences about the symbols of the formula, which is not displayed."""
    return " ".join(one for one in _sentences(statement) if not _OF_A_FORMULA.match(one))


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text; a stop within a formula ends none."""
    start, formula = 0, False
    for at, character in enumerate(text):
        formula ^= character == "$"
        if character == "." and not formula and re.match(r" [A-Z$(\\]|$", text[at + 1 :]):
            yield text[start : at + 1].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()


def in_line(rows: Sequence[str]) -> str:
    """The rows of an aligned display within a sentence that ends with them; empty for those that need a display."""
    formula = ""
    for row in map(str.strip, rows):
        formula += (" " if row.startswith("&") else r",\ " if formula else "") + row.replace("&", " ", 1)
    if nested(formula) or width(formula) > LINE:
        return ""
    style = r"\displaystyle " if r"\text" in formula else ""
    return f"${style}{unfolded(_FIRST_POWER.sub('', formula).strip().rstrip(',;.'))}$."


def numbered(rows: Sequence[str]) -> str:
    r"""The rows of an aligned display, folded to the page.

    They have one number, in the last row, and the stop that ends the sentence.
    """
    *before, last = (_FIRST_POWER.sub("", row).rstrip() for row in folded(rows))
    closed = last if last.endswith((".", "?", r"\ldots", r"\cdots")) else f"{last.rstrip(',;')}."
    return "\n".join([*(rf"{row} \notag \\" for row in before), closed])
