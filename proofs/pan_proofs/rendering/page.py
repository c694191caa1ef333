"""The ledger as a Markdown page: the verdicts, then the errors found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pan_proofs.ledger import Entry, ProofVerdict, Role, experiments
from pan_proofs.rendering.evidence import evidence
from pan_proofs.rendering.plain import plain
from pan_proofs.rendering.view import (
    BY_PROSE,
    CARRIED,
    MEANINGS,
    axioms,
    by_prose,
    chapters,
    counted_by_carrier,
    departure,
    engine_names,
    found_wrong,
    heading,
    listing,
    named_theorems,
    qualified,
    short_source,
    tally,
)


def ledger_page(entries: Mapping[str, Entry]) -> str:
    """The whole page; the same text for the same answers of the engines."""
    return "\n".join(_lines(entries)) + "\n"


def _lines(entries: Mapping[str, Entry]) -> Iterator[str]:
    yield "# The ledger"
    yield ""
    yield "The verdicts on all judged statements. `make ledger` generates this page."
    yield "`panproof claims ID` shows a derivation, and `panproof claims --out DIR --pdf` prints all of them."
    yield ""
    yield f"{len(entries)} entries: {tally(entries.values())}."
    yield ""
    for verdict, meaning in MEANINGS.items():
        if any(entry.verdict is verdict for entry in entries.values()):
            yield f"- **{verdict}**: {meaning}."
    yield ""
    yield "Controls: the number of inequalities of a claim with all three controls (the hypotheses can be met, the"
    yield "bound is attained or its gap is known, a stronger statement is refuted)."
    yield ""
    yield "By prose: of the steps those of which no engine was asked anything; of the parts those in which no engine"
    yield "found that the statement follows from the steps, and among them those whose statement has no formula, about"
    yield "which no engine was asked. The last number counts the arguments that words alone carry in steps about which"
    yield "engines were asked something else. `panproof claims ID` names all of them."
    yield ""
    yield "A formula is about the values at which both of its sides are defined."
    told = evidence(entry.claim for entry in entries.values())
    yield ""
    yield "What carries the statements, part by part:"
    yield ""
    for carrier, number in counted_by_carrier(entry.claim for entry in entries.values()).items():
        yield f"- {number} **{carrier}**: {CARRIED[carrier]}."
    yield ""
    yield (
        f"In all: {told.prose_steps} of {told.steps} steps and {told.unlinked} of {told.statements} statements by "
        f"prose; {told.without_formula} statements have no formula, for a reason that stands beside each. Words alone "
        f"carry {told.in_words} arguments of steps about which engines were asked something else."
    )
    for chapter in chapters(entries):
        yield ""
        yield f"## {chapter.title}"
        yield ""
        yield f"| statement | source | verdict | engines | controls | {BY_PROSE} |"
        yield "|---|---|---|---|---|---:|"
        for entry in chapter.entries:
            claim = entry.claim
            done, inequalities = claim.controls
            controls = f"{done} of {inequalities}" if inequalities else "none needed"
            engines = engine_names(claim.engines)
            yield (
                f"| `{claim.id}` | {short_source(claim)} | {qualified(entry)} | {engines} | {controls} "
                f"| {by_prose(claim)} |"
            )
    yield ""
    yield (
        "`python -m experiments reproduce ID` judges the experiments by runs. Their ids: "
        + ", ".join(f"`{one}`" for one in experiments())
        + "."
    )
    yield from _theorems(entries)
    yield ""
    yield "## Errors found"
    yield ""
    yield "What is false as printed, and what fails in another reading. A reading that departs from words of the"
    yield "statement or of its assumptions, which are named, decides no verdict. Every other reading that fails does."
    for entry in entries.values():
        parts = found_wrong(entry.claim)
        if parts and entry.verdict is not ProofVerdict.UNDECIDED:
            yield ""
            yield f"**{entry.claim.title}** (`{entry.claim.id}`, {short_source(entry.claim)})"
            yield ""
            for part in parts:
                named = "" if part.role is Role.COUNTEREXAMPLE else f"{heading(part, entry.claim)}, "
                away = f" {plain(departure(part))}" if part.departs else ""
                yield f"- {named}{plain(part.title)}: {plain(part.statement)}{away}"
            true = [part for part in entry.claim.parts if part.role is Role.AMENDED]
            for part in true:
                yield f"- True instead: {plain(part.statement)}"
            if entry.claim.nearby:
                yield f"- True instead: `{entry.claim.nearby}`: {plain(entries[entry.claim.nearby].claim.statement)}"


def _theorems(entries: Mapping[str, Entry]) -> Iterator[str]:
    """The theorems that claims name, each with its claims, its axioms and its statement."""
    named = {
        theorem.name: theorem
        for entry in entries.values()
        for part in entry.claim.parts
        for theorem in named_theorems(part)
    }
    if not named:
        return
    yield ""
    yield "## Checked by Coq"
    for name in sorted(named):
        theorem = named[name]
        claims = [one for one, entry in entries.items() for part in entry.claim.parts if name in part.theorems]
        told = "" if theorem.current else " Not checked: its sources have changed since; run `make coq`."
        yield ""
        about = ", ".join(f"`{one}`" for one in dict.fromkeys(claims))
        yield f"**`{name}`** ({theorem.file}; axioms: {axioms(theorem)}): {about}.{told}"
        if theorem.statement:
            yield ""
            yield "```coq"
            yield listing(theorem, 110)
            yield "```"
