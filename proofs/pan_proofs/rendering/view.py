"""The common parts of all renderings: the order of the chapters, names of roles and engines, a part's heading."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pan_proofs.engines.obligation import Kind, Obligation, Status
from pan_proofs.ledger import Claim, Entry, Part, ProofVerdict, Reference, Role, documents
from pan_proofs.ledger.statements import together
from pan_proofs.ledger.theorems import Theorem, theorems
from pan_proofs.ledger.verdicts import FROM_CITED

OURS = "Theorems and lemmas of our own"
"""The chapter of what no source states; it comes last."""

MEANINGS = {
    ProofVerdict.PROVED: "derived from the definitions; Coq or engines answered every question; prose is named",
    ProofVerdict.PROVED_FROM_CITED: "derived in the same way from a theorem of another source, which is named",
    ProofVerdict.PROVED_AMENDED: "false or loose as printed; the amended statement is derived",
    ProofVerdict.REFUTED: "false, with an exact counterexample; the true statement nearby has an entry of its own",
    ProofVerdict.CITED: "taken from elsewhere as it stands, and tested where it can be",
    ProofVerdict.UNDECIDED: "an engine was missing or a step was not discharged",
}

ENGINES = {
    "sympy": "SymPy",
    "flint": "FLINT",
    "z3": "z3",
    "cvc5": "cvc5",
    "enumeration": "enumeration",
    "python": "Python",
    "coq": "Coq",
}


class Carried(StrEnum):
    """What carries a statement of a judgement."""

    COQ = "checked end to end"
    COQ_AND_STEPS = "Coq and the steps beside"
    ENGINES = "engines from a stated formula"
    CASES = "enumeration"
    CITED = "cited"
    WORDS = "words from what engines found"
    OPEN = "not checked"


CARRIED = {
    Carried.COQ: "Coq has checked it, from the definition of the mechanism to the statement",
    Carried.COQ_AND_STEPS: "Coq has checked a part of it, from the mechanism, and the engines the steps beside",
    Carried.ENGINES: "engines found that it follows from formulas, to which the words of its steps lead",
    Carried.CASES: "each of finitely many cases was computed, up to the sizes that its steps name",
    Carried.CITED: "it is taken from another source",
    Carried.WORDS: "it has no formula; words lead to it from what engines found",
    Carried.OPEN: "Coq has not checked its theorems as they are, or an engine was missing",
}
"""Each of these in words."""

_SHORT = 80
"""The length of a text from which it is not printed twice in a claim."""
_HEADINGS = {
    Role.PUBLISHED: "As published",
    Role.COUNTEREXAMPLE: "False as published",
    Role.AMENDED: "True instead",
    Role.CITED: "Taken from elsewhere",
}


@dataclass(frozen=True)
class Chapter:
    """The claims that one document states first."""

    document: str
    title: str
    entries: tuple[Entry, ...]


def chapters(entries: Mapping[str, Entry]) -> tuple[Chapter, ...]:
    """The claims by the document in which they stand first."""
    return tuple(
        Chapter(document, title, chosen)
        for document, title in {**documents(), "here": OURS}.items()
        if (chosen := tuple(entry for entry in entries.values() if _document(entry.claim) == document))
    )


def heading(part: Part, claim: Claim) -> str:
    """The statement of a part, in a few words."""
    if part.role is Role.READING:
        return f"Under another reading it {'holds' if part.holds else 'fails'}"
    if part.role is Role.PUBLISHED and _document(claim) == "here":
        return "Statement"
    if part.ours:
        return "In our reading, which no source prints"
    return _HEADINGS[part.role]


def failing_readings(entry: Entry) -> str:
    """The number of readings under which a statement that is called proved fails; nothing if there is none."""
    failing = sum(not part.holds for part in entry.claim.parts)
    if not failing or entry.verdict not in (ProofVerdict.PROVED, *FROM_CITED, ProofVerdict.PROVED_AMENDED):
        return ""
    return f"{failing} other {'reading' if failing == 1 else 'readings'}"


def qualified(entry: Entry) -> str:
    """The verdict, with the number of readings under which the statement fails."""
    failing = failing_readings(entry)
    return f"{entry.verdict}, fails in {failing}" if failing else str(entry.verdict)


BY_PROSE = "by prose (steps, statements, no formula, arguments)"
"""The heading of the column that :func:`by_prose` fills."""


def by_prose(claim: Claim) -> str:
    """The number of steps that prose alone carries, of statements to which it leads, and of those without a formula.

    The last number is that of the arguments which words alone carry in steps that engines answer otherwise.
    """
    statements = sum(part.by_prose for part in claim.parts)
    plain = sum(without_formula(part) for part in claim.parts)
    parts = len(claim.parts)
    return f"{len(claim.prose)}/{len(claim.steps)}, {statements}/{parts}, {plain}/{parts}, {len(claim.in_words)}"


def prose_steps(claim: Claim) -> str:
    """The steps and the arguments that prose alone carries, and the parts in which it leads to the statement."""
    steps = ", ".join(claim.prose)
    open_ones = "; ".join(part.title for part in claim.parts if part.formal and not part.linked)
    plain = "; ".join(f"{part.title} ({part.no_formula})" for part in claim.parts if without_formula(part))
    words = "; ".join(f"in {step}: {argument}" for step, argument in claim.in_words)
    told = (
        f"the steps {steps}" if steps else "",
        f"from the steps to the formula: {open_ones}" if open_ones else "",
        f"from the steps to a statement without a formula: {plain}" if plain else "",
        words,
    )
    return "; ".join(filter(None, told))


def without_formula(part: Part) -> bool:
    """Whether neither a formula nor a theorem states a part."""
    return not part.formal and not part.theorems


def carried(part: Part) -> Carried:
    """What carries a statement."""
    asked = {engine for one in part.obligations if one.kind is not Kind.IDENTICAL for engine in one.engines}
    if not part.discharged:
        return Carried.OPEN
    # A part with steps or formulas of its own says more than its theorems do.
    if part.theorems and not part.formal:
        return Carried.COQ_AND_STEPS if part.steps else Carried.COQ
    if part.role is Role.CITED:
        return Carried.CITED
    if asked == {"enumeration"}:
        return Carried.CASES
    return Carried.ENGINES if part.formal else Carried.WORDS


def counted_by_carrier(claims: Iterable[Claim]) -> dict[Carried, int]:
    """The number of statements that each carries, those without any left out."""
    counted = Counter(carried(part) for claim in claims for part in claim.parts)
    return {one: counted[one] for one in Carried if counted[one]}


def named_theorems(part: Part) -> tuple[Theorem, ...]:
    """The theorems that a part names, as Coq has recorded them."""
    return tuple(found for name in part.theorems if (found := theorems().get(name)))


def axioms(theorem: Theorem) -> str:
    """The axioms of a theorem by their last names."""
    return ", ".join(name.rpartition(".")[2] for name in theorem.axioms) or "none"


def listing(theorem: Theorem, wide: int = 84) -> str:
    """The statement of a theorem, in rows that are not too wide."""
    rows = (
        textwrap.wrap(row, wide, subsequent_indent=" " * (len(row) - len(row.lstrip()) + 2))
        for row in theorem.statement.splitlines()
    )
    return "\n".join(row for some in rows for row in some)


def formal_statements(part: Part) -> tuple[str, ...]:
    """The formal statements of a part in LaTeX, generated from the formulas, each with what leads to it."""
    follows = [one.status is Status.DISCHARGED for one in part.links]
    return tuple(
        f"{said} [{end}]"
        for found, end in ((True, "the engines find that it follows"), (False, "by prose"))
        for said in together(one for one, by_engines in zip(part.formal, follows, strict=True) if by_engines is found)
    )


def repeated(claim: Claim) -> dict[str, tuple[int, int]]:
    """For the name of a step that says and displays what an earlier one does: the numbers of its part and of it."""
    first: dict[tuple[str, tuple[str, ...]], tuple[int, int]] = {}
    found: dict[str, tuple[int, int]] = {}
    for number, part in enumerate(claim.parts, 1):
        for place, step in enumerate(part.steps, 1):
            key = (step.text, step.lines)
            if key in first and len(step.text) >= _SHORT:
                found[step.name] = first[key]
            first.setdefault(key, (number, place))
    return found


def symbol_meanings(claim: Claim) -> str:
    """The symbols of a claim, each with its meaning."""
    return "; ".join(f"{symbol}: {meaning.rstrip('.')}" for symbol, meaning in claim.notation)


def engine_names(engines: Iterable[str]) -> str:
    """Engines as a reader knows them."""
    return ", ".join(ENGINES.get(engine, engine) for engine in engines)


def discharged_by(obligations: Iterable[Obligation]) -> str:
    """The engines that answered for a step: each set of engines once, with the number of several obligations.

    An expression that is written as it is stated is no question to an engine.
    """
    counted = Counter(obligation.engines for obligation in obligations if obligation.kind is not Kind.IDENTICAL)
    if not counted:
        return "by prose"
    if len(counted) == 1 and next(iter(counted.values())) < 3:
        return engine_names(next(iter(counted)))
    return "; ".join(f"{number} by {engine_names(engines)}" for engines, number in counted.items())


def short_source(claim: Claim) -> str:
    """The places of a statement in one line."""
    return "; ".join(place(reference) for reference in claim.references)


def named(work: str, claim: Claim) -> bool:
    """Whether a claim names a work: as the document of a reference, or in its texts."""
    texts = [claim.title, claim.statement, claim.remark, *claim.hypotheses, *claim.silent]
    texts += [text for reference in claim.references for text in (reference.place, reference.note)]
    texts += [text for part in claim.parts for text in (part.title, part.statement)]
    texts += [step.text for step in claim.steps]
    word = re.compile(rf"\b{re.escape(work)}\b")
    return work in (one.document for one in claim.references) or any(map(word.search, texts))


def place(reference: Reference) -> str:
    """One place."""
    return reference.place if reference.document == "here" else f"{reference.document}: {reference.place}"


def listed(items: Iterable[str]) -> str:
    """Several assumptions as one sentence, or as several if one of them is a sentence or more."""
    texts = [item.strip().rstrip(".") for item in items]
    sentences = any(". " in text or text[:1].isupper() for text in texts)
    if sentences:
        texts = [capital(text) for text in texts]
    return (". " if sentences else "; ").join(texts) + "."


def capital(text: str) -> str:
    """A text that begins a sentence."""
    return text[:1].upper() + text[1:]


def closed(title: str) -> str:
    """A title with the stop that ends it, unless it has one."""
    return title if title.endswith((".", "?", "!")) else f"{title}."


def tally(entries: Iterable[Entry]) -> str:
    """The number of claims with each verdict."""
    counted = Counter(entry.verdict for entry in entries)
    return ", ".join(f"{counted[verdict]} {verdict}" for verdict in ProofVerdict if counted[verdict])


def departure(part: Part) -> str:
    """For a reading that fails the words from which it departs, as a sentence in LaTeX; nothing for other parts."""
    return f"It departs from: {part.departs.rstrip('.')}." if part.departs else ""


def found_wrong(claim: Claim) -> tuple[Part, ...]:
    """The parts that show something printed, or another reading of it, to be false."""
    return tuple(part for part in claim.parts if part.role is Role.COUNTEREXAMPLE or not part.holds)


def _document(claim: Claim) -> str:
    return claim.references[0].document if claim.references else "here"
