"""``panproof claims``: the ledger, derivations, and the documents that hold them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pan_audits.cli import names
from pan_audits.cli.options import Jobs, Json
from pan_audits.cli.output import print_json, require_writable, write_text
from pan_audits.cli.progress import spinner
from pan_audits.cli.values import argument, words

if TYPE_CHECKING:
    from rich.console import Console

    from pan_proofs.ledger import Entry

INCONCLUSIVE = 3

_SECONDS_OF_SILENCE = 10.0
"""Where there is no terminal, the progress is a line after this time."""

_STYLES = {
    "PROVED": "bold green",
    "PROVED_FROM_CITED": "bold blue",
    "PROVED_AMENDED": "bold yellow",
    "REFUTED": "bold red",
    "CITED": "bold blue",
    "UNDECIDED": "bold",
}


def _verdict(text: str, name: str) -> str:
    from pan_proofs.ledger import ProofVerdict

    return str(names.one_of(ProofVerdict)(text.upper(), name))


def claims(
    identifiers: Annotated[
        list[str] | None,
        argument(parse=names.claim, metavar="[CLAIM]...", help="Ids of claims; by default all, as a table."),
    ] = None,
    as_json: Json = False,
    verdict: Annotated[
        str | None,
        words("--verdict", parse=_verdict, help="Only claims with this verdict, for instance REFUTED."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Also write the ledger as a Markdown page.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Folder for LaTeX, one file for each claim, and an HTML page."),
    ] = None,
    pdf: Annotated[
        bool,
        typer.Option("--pdf", help="With --out: typeset the document, and each CLAIM as a PDF, by pdflatex."),
    ] = False,
    bundle: Annotated[
        Path | None,
        typer.Option(
            "--bundle",
            metavar="DIR",
            help="Folder for one CLAIM: verdict, derivation, counterexamples, Coq sources, versions and command.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Derive again, also when a derivation from the same inputs is stored.")
    ] = False,
    jobs: Jobs = 2,
) -> None:
    r"""Show every judged statement of the sources with its verdict, or the whole derivation of some.

    A verdict follows from the answers of the engines. If the engine of a step is not installed, the claim is UNDECIDED
    and the exit code is 3.

    --out writes the derivations as documents. With panproof.sty an article reads the file of a claim by \input. The
    document ledger.tex reads all of them. With --pdf it becomes ledger.pdf, and each CLAIM that is named becomes a
    PDF of its own. If all claims are written, each source gets an erratum, erratum-NAME.tex: what is stated, what
    shows it to be false, what holds instead, and its price. The claims on which the selected ones rest are written
    too. If the engines give the same answers, the files are the same, byte for byte.

    --bundle makes one folder about one claim, which opens without network; its README.md tells what the files are.

    Example: panproof claims density.tanh_optimality

    Example: panproof claims density.union_lemma --out appendix --pdf

    This writes appendix/density-union-lemma.tex and .pdf, panproof.sty, ledger.tex, ledger.pdf and ledger.html.
    """
    from pan_promises.extras import require_extra

    require_extra("panproof claims", "proofs")
    from pan_audits.reports.text import console
    from pan_promises.errors import InputError
    from pan_proofs.ledger import ProofVerdict, experiments
    from pan_proofs.rendering import ledger_page

    if page is not None and identifiers:
        raise InputError("--page writes the whole ledger; give it without ids")
    if pdf and out is None:
        raise InputError("--pdf typesets the documents: give --out, their folder")
    if bundle is not None and len(identifiers or ()) != 1:
        raise InputError("--bundle is a folder about one claim: give its id")
    require_writable(page)
    for folder in filter(None, (out, bundle)):
        _require_place(folder, pdf=pdf)
    entries = derived(identifiers or None, jobs=jobs, again=again)
    if page is not None:
        write_text(page, ledger_page(entries))
    shown = {name: one for name, one in entries.items() if verdict is None or one.verdict == verdict}
    if identifiers:
        from pan_proofs.ledger import resolve

        chosen = {resolve(identifier) for identifier in identifiers}
        shown = {name: entry for name, entry in shown.items() if name in chosen}
    written = _Written() if out is None else _write(entries, identifiers or (), out, pdf=pdf)
    if bundle is not None:
        written = _bundled(next(iter(chosen)), entries, bundle, written)
    if as_json:
        files = {} if not written.all else {"files": list(map(str, written.all)), "warnings": list(written.warnings)}
        print_json({"claims": [entry.to_dict() for entry in shown.values()], **files})
    elif written.all:
        _tell(written, entries, console())
    elif identifiers:
        for entry in shown.values():
            _show(entry, console())
        if not shown:
            console().print(f"none of the {len(chosen)} claims has the verdict {verdict}")
    else:
        _table(shown, console())
        console().print(
            f"Experiments, judged by python -m experiments reproduce: {', '.join(experiments())}", style="dim"
        )
    if any(entry.verdict is ProofVerdict.UNDECIDED for entry in shown.values()):
        raise typer.Exit(INCONCLUSIVE)


@dataclass(frozen=True)
class _Written:
    """The files with the derivations; those that a reader is told about first."""

    told: tuple[Path, ...] = ()
    all: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()


def _require_place(out: Path, *, pdf: bool) -> None:
    """Raise :class:`InputError` for a folder that cannot be written, or a missing pdflatex, before all work."""
    from pan_audits.reports.pages import require_folder
    from pan_promises.errors import InputError
    from pan_proofs.rendering import TypesettingError
    from pan_proofs.rendering.pdf import require_latex

    require_folder(out)
    if pdf:
        try:
            require_latex()
        except TypesettingError as problem:
            raise InputError(str(problem)) from None


def _write(entries: dict[str, Entry], identifiers: Sequence[str], out: Path, *, pdf: bool) -> _Written:
    """Write the derivations as LaTeX and as an HTML page, and typeset them."""
    from pan_promises.errors import InputError
    from pan_proofs.engines.obligation import MissingEngine
    from pan_proofs.ledger import resolve
    from pan_proofs.rendering import (
        TypesettingError,
        standalone,
        typeset,
        typeset_text,
        write_document,
        write_errata,
        write_site,
    )
    from pan_proofs.rendering.latex import stem

    named = dict.fromkeys(map(resolve, identifiers))
    runs = []
    try:
        written = [*write_document(entries, out), write_site(entries, out)]
        errata = write_errata(entries, out)
        if pdf:
            with spinner("typesetting"):
                runs = [typeset(one) for one in (written[0], *errata)]
                runs += [typeset_text(standalone(entries[one]), out / f"{stem(one)}.pdf") for one in named]
    except OSError as problem:
        raise InputError(f"cannot write to {out}: {problem.strerror}") from None
    except (MissingEngine, TypesettingError) as problem:
        raise InputError(str(problem)) from None
    printed = [path for path, _ in runs]
    warnings = dict.fromkeys(warning for _, told in runs for warning in told)
    told = (*written[:2], *(out / f"{stem(one)}.tex" for one in named), *errata, written[-1], *printed)
    return _Written(told, (*written, *errata, *printed), tuple(warnings))


def _bundled(identifier: str, entries: dict[str, Entry], folder: Path, before: _Written) -> _Written:
    """Write the folder about one claim, beside the files that were written before."""
    from pan_promises.errors import InputError
    from pan_proofs.engines.obligation import MissingEngine
    from pan_proofs.rendering import write_bundle

    try:
        files = write_bundle(identifier, entries, folder)
    except OSError as problem:
        raise InputError(f"cannot write to {folder}: {problem.strerror}") from None
    except MissingEngine as problem:
        raise InputError(str(problem)) from None
    return _Written((*before.told, files[0]), (*before.all, *files), before.warnings)


def _tell(written: _Written, entries: Mapping[str, Entry], screen: Console) -> None:
    """Print the numbers of verdicts, and the files."""
    from pan_proofs.rendering.view import tally

    screen.print(f"{len(entries)} claims: {tally(entries.values())}")
    for path in written.told:
        screen.print(f"written: {path}", soft_wrap=True)
    for warning in written.warnings:
        screen.print(f"warning: {warning}", style="yellow", soft_wrap=True)


def derived(identifiers: list[str] | None, *, jobs: int, again: bool) -> dict[str, Entry]:
    """Derive claims, and the claims on which they rest; :class:`InputError` for an unknown id."""
    from pan_audits.reports.text import console
    from pan_proofs.ledger import default_store, derive, modules

    with spinner("deriving") as say:
        done, told, start = 0, 0.0, time.monotonic()
        of = "" if identifiers else f" of {len(modules())}"

        def count(identifier: str) -> None:
            nonlocal done, told
            done += 1
            text = f"{done}{of} claims derived, {identifier}"
            passed = time.monotonic() - start
            if say is not None:
                say(text)
            elif passed - told > _SECONDS_OF_SILENCE:
                told = passed
                console(stderr=True).print(f"deriving: {text}", soft_wrap=True)

        return derive(identifiers, jobs=jobs, store=default_store(), again=again, on_done=count)


def _table(entries: Mapping[str, Entry], screen: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    from pan_proofs.rendering.view import BY_PROSE, by_prose, engine_names, failing_readings, short_source, tally

    screen.print(f"{len(entries)} claims: {tally(entries.values())}")
    columns = ("verdict", "claim", "source", "engines", "controls", BY_PROSE, "fails in")
    table = Table(*columns, box=None, pad_edge=False)
    for entry in entries.values():
        done, inequalities = entry.claim.controls
        skipped = f" (skipped: {engine_names(entry.claim.skipped)})" if entry.claim.skipped else ""
        table.add_row(
            Text(entry.verdict, style=_STYLES[entry.verdict]),
            entry.claim.id,
            short_source(entry.claim),
            engine_names(entry.claim.engines) + skipped,
            f"{done}/{inequalities}" if inequalities else "-",
            by_prose(entry.claim),
            failing_readings(entry),
        )
    screen.print(table)


def _show(entry: Entry, screen: Console) -> None:
    from rich.padding import Padding
    from rich.text import Text

    screen.print(Text.assemble((entry.verdict, _STYLES[entry.verdict]), f"  {entry.claim.id}"))
    for style, indent, text in _lines(entry):
        # Wrapped lines keep their indentation on a terminal; a pipe gets whole lines.
        if screen.is_terminal and text:
            screen.print(Padding(Text(text, style=style), (0, 0, 0, indent), expand=False))
        else:
            screen.print(Text(" " * indent + text))
    screen.print()


def _lines(entry: Entry) -> Iterator[tuple[str, int, str]]:
    from pan_proofs.rendering import plain
    from pan_proofs.rendering.view import (
        axioms,
        carried,
        departure,
        discharged_by,
        formal_statements,
        heading,
        listing,
        named_theorems,
        prose_steps,
        short_source,
        symbol_meanings,
    )

    claim = entry.claim
    yield "bold", 0, f"{plain(claim.title)}  ({short_source(claim)})"
    if entry.reason:
        yield "bold", 0, f"undecided: {entry.reason}"
    yield "italic", 0, plain(claim.statement)
    details: dict[str, Any] = {
        "assumed": "; ".join(map(plain, claim.hypotheses)),
        "needed, not stated": "; ".join(map(plain, claim.silent)),
        "symbols": plain(symbol_meanings(claim)),
        "rests on": ", ".join(claim.uses),
        "true instead": claim.nearby,
        "note": "; ".join(map(plain, entry.notes)),
        "by prose alone": plain(prose_steps(claim)),
    }
    for label, text in details.items():
        if text:
            yield "", 0, f"{label}: {text}"
    for part in claim.parts:
        yield "", 0, ""
        yield "bold", 0, f"{heading(part, claim)}: {plain(part.title)}"
        yield "", 0, plain(" ".join(filter(None, (part.statement, departure(part)))))
        for formal in formal_statements(part):
            yield "", 2, f"as a formula: {plain(formal)}"
        if part.no_formula:
            yield "", 2, f"no formula: {plain(part.no_formula)}"
        yield "", 2, f"carried by: {carried(part)}"
        for theorem in named_theorems(part):
            yield "", 2, f"Coq: {theorem.name} of {theorem.file}; axioms: {axioms(theorem)}"
            for row in listing(theorem).splitlines():
                yield "cyan", 6, row
        for number, step in enumerate(part.steps, 1):
            yield "", 2, f"{number}. {plain(step.text)}"
            for line in step.lines:
                yield "cyan", 6, plain(f"${line}$")
            yield "dim", 5, f"[{discharged_by(step.obligations)}]"
    if claim.remark:
        yield "", 0, ""
        yield "", 0, f"remark: {plain(claim.remark)}"
