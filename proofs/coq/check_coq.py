"""Compile the Coq proofs, ask for their axioms, check them once more with coqchk, and record the answers and tables."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import coq_tables

HERE = Path(__file__).resolve().parent
RECORD, PAGE = HERE / "checked.json", HERE / "CHECKED.md"
ALLOWED = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "Classical_Prop.classic",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
"""Classical real numbers and functional extensionality."""
_MISSING = "coqc is missing: install coq and libcoq-coquelicot from Debian (apt-get install coq libcoq-coquelicot)"
_OPEN = "From Coq Require Import Reals List.\nImport ListNotations.\nOpen Scope R_scope.\nSet Printing Width 110.\n"
_NAMED = re.compile(
    r"^\(\*\* (claim|refutation|mutant|instance): ([\w., ]+) \*\)\n(?:Theorem|Corollary|Lemma|Example) (\w+)", re.M
)
_UNCHECKED = re.compile(r"^(?=\S).*(?:is assumed to be|relies on|impredicative|unsafe|rewrite rule|Theory:)")
"""What Coq says, without a type, of a check that was switched off: of recursion, of positivity or of universes."""


class Row(TypedDict):
    """A theorem: what it is about, its statement as Coq prints it, and the axioms it rests on."""

    theorem: str
    file: str
    kind: str
    about: list[str]
    statement: str
    axioms: list[str]


def sources() -> list[Path]:
    """The files of the project, in the order of _CoqProject."""
    return [HERE / line for line in (HERE / "_CoqProject").read_text().split() if line.endswith(".v")]


def digest() -> str:
    """The SHA-256 of all sources, names included."""
    found = hashlib.sha256()
    for path in [HERE / "_CoqProject", *sources()]:
        text = path.read_bytes()
        found.update(f"{path.name} {len(text)}\n".encode() + text)
    return found.hexdigest()


def named() -> Iterator[Row]:
    """The theorems that name a claim, and the controls that name a theorem. What Coq answers is left empty."""
    for path in sources():
        for kind, about, theorem in _NAMED.findall(path.read_text()):
            yield Row(theorem=theorem, file=path.name, kind=kind, about=about.split(", "), statement="", axioms=[])


def compile_all() -> None:
    """Compile what changed, on two cores."""
    _run("coq_makefile", "-f", "_CoqProject", "-o", "Makefile.coq")
    _run("make", "--no-print-directory", "-f", "Makefile.coq", "-j2")


def answered() -> list[Row]:
    """The named theorems, with what Check and Print Assumptions print."""
    rows = list(named())
    modules = " ".join(path.stem for path in sources())
    asked = "".join(
        f'Redirect "{number}.type" Check Pan.{theorem}.\nRedirect "{number}" Print Assumptions Pan.{theorem}.\n'
        for number, theorem in enumerate(f"{Path(row['file']).stem}.{row['theorem']}" for row in rows)
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Asked.v").write_text(f"{_OPEN}From Pan Require Import {modules}.\n{asked}")
        _run("coqc", "-Q", str(HERE), "Pan", "Asked.v", cwd=Path(folder))
        for number, row in enumerate(rows):
            row["statement"] = _statement((Path(folder) / f"{number}.type.out").read_text())
            row["axioms"] = axioms((Path(folder) / f"{number}.out").read_text())
    return rows


def axioms(answer: str) -> list[str]:
    """The names in an answer to Print Assumptions, and whole lines where Coq was told not to check something."""
    listed = answer.partition("Axioms:\n")[2]
    unchecked = (line for line in answer.splitlines() if _UNCHECKED.search(line))
    return sorted({*re.findall(r"^([A-Za-z_][\w.']*)(?= :|$)", listed, re.M), *unchecked})


def _statement(answer: str) -> str:
    text = answer.partition("\n     : ")[2]
    return textwrap.dedent("       " + text).strip()


def _run(*command: str, cwd: Path = HERE) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def _page(rows: list[Row], version: str, found: str) -> str:
    lines = [
        "# What Coq has checked",
        "",
        f"Coq {version}; `coqchk` has checked the compiled files once more. SHA-256 of the sources: `{found}`.",
        "Axioms: classical real numbers and functional extensionality (`classic` and `sig_*` are of the former).",
        "A mutant is a stronger statement whose negation is proved. An instance is computed, so that a theorem is not",
        "empty. This page is made by `make coq`.",
        "",
        "| theorem | file | about | axioms |",
        "|---|---|---|---|",
    ]
    for row in rows:
        about = ", ".join(f"`{name}`" for name in row["about"])
        kind = "" if row["kind"] == "claim" else f"{row['kind']} of "
        axioms = ", ".join(name.rpartition(".")[2] for name in row["axioms"]) or "none"
        lines.append(f"| `{row['theorem']}` | {row['file']} | {kind}{about} | {axioms} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Check all, and write the record."""
    if not shutil.which("coqc"):
        print(_MISSING, file=sys.stderr)
        sys.exit(2)
    compile_all()
    rows = answered()
    _run("coqchk", "-silent", "-Q", ".", "Pan", *(f"Pan.{path.stem}" for path in sources()))
    coq_tables.write()
    version = _run("coqc", "--print-version").split()[0]
    record = {"coq": version, "digest": digest(), "theorems": rows}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    PAGE.write_text(_page(rows, version, digest()))
    print(f"{len(rows)} theorems and controls: {PAGE}")


if __name__ == "__main__":
    main()
