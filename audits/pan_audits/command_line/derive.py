"""``panproof derive``: the derivations as a document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pan_audits.command_line import names
from pan_audits.command_line.claims import INCONCLUSIVE, Again, derived
from pan_audits.command_line.options import Jobs, Json, print_json
from pan_audits.command_line.progress import spinner
from pan_audits.command_line.values import argument


def derive(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the files.")],
    identifiers: Annotated[
        list[str] | None,
        argument(parse=names.claim, metavar="[CLAIM]...", help="Ids of claims; by default all."),
    ] = None,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Also typeset the document, and each CLAIM as a PDF of its own, by pdflatex.")
    ] = False,
    as_json: Json = False,
    again: Again = False,
    jobs: Jobs = 2,
) -> None:
    r"""Write the derivations of claims as LaTeX, one file for each and a document of all, and as an HTML page.

    With panproof.sty an article reads the file of a claim by \input. The document ledger.tex reads all of them.
    With --pdf it becomes ledger.pdf, and each CLAIM that is named becomes a PDF of its own. The claims on which the
    selected ones rest are written too. If the engines give the same answers, the files are the same, byte for byte.

    Example: panproof derive density.union_lemma --out appendix --pdf

    This writes appendix/density-union-lemma.tex and .pdf, panproof.sty, ledger.tex, ledger.pdf and ledger.html.
    """
    from pan_promises.extras import require_extra

    require_extra("panproof derive", "proofs")
    from pan_audits.reports.folders import require_folder
    from pan_audits.reports.text import console
    from pan_promises.errors import InputError
    from pan_proofs.engines.obligation import MissingEngine
    from pan_proofs.ledger import ProofVerdict, resolve
    from pan_proofs.rendering import TypesettingError, standalone, typeset, typeset_text, write_document, write_site
    from pan_proofs.rendering.latex import stem
    from pan_proofs.rendering.pdf import require_latex
    from pan_proofs.rendering.view import tally

    # The derivations take minutes. A place that cannot be written is told before.
    require_folder(out)
    if pdf:
        try:
            require_latex()
        except TypesettingError as problem:
            raise InputError(str(problem)) from None
    entries = derived(identifiers or None, jobs=jobs, again=again)
    named = dict.fromkeys(map(resolve, identifiers or ()))
    printed: list[Path] = []
    warnings: list[str] = []
    try:
        written = [*write_document(entries, out), write_site(entries, out)]
        if pdf:
            with spinner("typesetting"):
                runs = [typeset(written[0])]
                runs += [typeset_text(standalone(entries[one]), out / f"{stem(one)}.pdf") for one in named]
            printed = [path for path, _ in runs]
            warnings = list(dict.fromkeys(warning for _, told in runs for warning in told))
    except OSError as problem:
        raise InputError(f"cannot write to {out}: {problem.strerror}") from None
    except (MissingEngine, TypesettingError) as problem:
        raise InputError(str(problem)) from None
    if as_json:
        verdicts = {name: str(entry.verdict) for name, entry in entries.items()}
        print_json({"verdicts": verdicts, "files": list(map(str, [*written, *printed])), "warnings": warnings})
    else:
        screen = console()
        screen.print(f"{len(entries)} claims: {tally(entries.values())}")
        for path in (*written[:2], *(out / f"{stem(one)}.tex" for one in named), written[-1], *printed):
            screen.print(f"written: {path}", soft_wrap=True)
        for warning in warnings:
            screen.print(f"warning: {warning}", style="yellow", soft_wrap=True)
    if any(entry.verdict is ProofVerdict.UNDECIDED for entry in entries.values()):
        raise typer.Exit(INCONCLUSIVE)
