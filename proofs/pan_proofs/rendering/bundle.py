"""A folder about one claim that opens without network: verdict, derivation, counterexamples, Coq sources, versions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pan_proofs.engines.obligation import Kind
from pan_proofs.ledger import Entry, Part
from pan_proofs.ledger.fingerprint import versions
from pan_proofs.ledger.theorems import source_files
from pan_proofs.rendering.document import write_document
from pan_proofs.rendering.plain import plain
from pan_proofs.rendering.site import PAGE, write_site
from pan_proofs.rendering.view import axioms, carried, departure, found_wrong, heading, named_theorems, short_source


def write_bundle(identifier: str, entries: Mapping[str, Entry], folder: Path) -> tuple[Path, ...]:
    """Write the folder; the same files, byte for byte, for the same answers of the same engines.

    Parameters
    ----------
    identifier
        The claim.
    entries
        The claim, and those on which it rests.
    folder
        The folder; made if it is not there.

    Returns
    -------
    tuple of Path
        The files; the first one tells what the others are.
    """
    entry = entries[identifier]
    folder.mkdir(parents=True, exist_ok=True)
    wrong = found_wrong(entry.claim)
    data: dict[str, Any] = {"verdict.json": entry.to_dict()}
    if wrong:
        data["witness.json"] = [_witness(part) for part in wrong]
    written = [write_site(entries, folder), *write_document(entries, folder / "latex")]
    for name, value in data.items():
        written.append(folder / name)
        written[-1].write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if any(part.theorems for one in entries.values() for part in one.claim.parts):
        (folder / "coq").mkdir(exist_ok=True)
        written += [Path(shutil.copyfile(path, folder / "coq" / path.name)) for path in source_files()]
    told = folder / "README.md"
    told.write_text("\n".join(_told(entry, bool(wrong), "coq" in {path.parent.name for path in written})) + "\n")
    return (told, *written)


def _witness(part: Part) -> dict[str, Any]:
    """What a part shows to be false, with the points at which engines found it so."""
    kinds = (Kind.COUNTEREXAMPLE, Kind.REFUTATION)
    return {
        "title": plain(part.title),
        "statement": plain(part.statement),
        "departs": part.departs,
        "counterexamples": [asdict(one) for one in part.obligations if one.kind in kinds],
    }


def _told(entry: Entry, wrong: bool, coq: bool) -> Iterator[str]:
    claim = entry.claim
    yield f"# {plain(claim.title)}"
    yield ""
    yield f"`{claim.id}` ({short_source(claim)}): **{entry.verdict}**{f', {entry.reason}' if entry.reason else ''}"
    yield ""
    yield plain(claim.statement)
    for part in claim.parts:
        said = " ".join(filter(None, (part.statement, departure(part))))
        yield ""
        yield f"- **{heading(part, claim)}: {plain(part.title)}** ({carried(part)}). {plain(said)}"
        for one in named_theorems(part):
            yield f"  Theorem `{one.name}` of `coq/{one.file}`; axioms: {axioms(one)}."
    yield ""
    yield "| file | content |"
    yield "|---|---|"
    yield f"| `{PAGE}` | the derivation, and those on which it rests; opens in a browser, without network |"
    yield "| `latex/` | the same for an article: `\\usepackage{panproof}` and `\\input` of a claim's file |"
    yield "| `verdict.json` | every question to an engine, with its answer |"
    if wrong:
        yield "| `witness.json` | what is false, with the points at which it is |"
    if coq:
        yield "| `coq/` | the Coq sources, and what Coq has recorded of them |"
    yield ""
    yield f"To derive it again: `panproof claims {claim.id} --again`."
    if coq:
        yield "To check the Coq sources again, in `coq/`: `coq_makefile -f _CoqProject -o Makefile && make`."
    yield ""
    yield f"Versions: {', '.join(f'{name} {version}' for name, version in versions().items())}."
