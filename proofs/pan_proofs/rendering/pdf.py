"""Typesetting of the document with the machine's own LaTeX."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

_PACKAGES = {
    "lmodern.sty": "lmodern",
    "tikz.sty": "texlive-pictures",
    "longtable.sty": "texlive-latex-base",
    "amsmath.sty": "texlive-latex-base",
    "booktabs.sty": "texlive-latex-recommended",
    "xcolor.sty": "texlive-latex-recommended",
    "microtype.sty": "texlive-latex-recommended",
}
_RUNS = 3
_VISIBLE = 2.0
"""Greatest width of an overfull part of a line, in points."""
_SECONDS = 300


class TypesettingError(RuntimeError):
    """The document could not be typeset; the message says what is missing."""


def typeset(main: Path) -> tuple[Path, tuple[str, ...]]:
    """Run pdflatex on a document until its references stand.

    Returns
    -------
    tuple
        The PDF, and the warnings of the last run that a reader would see: overfull lines, missing references.

    Raises
    ------
    TypesettingError
        If LaTeX or a package is missing, with the Debian package that has it, or if LaTeX stops.
    """
    program = shutil.which("pdflatex")
    if program is None:
        raise TypesettingError("--pdf needs pdflatex; install it with: apt-get install texlive-latex-base")
    # A fixed date, so that the same text gives the same PDF.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", main.name]
    for _ in range(_RUNS):
        result = subprocess.run(
            command, cwd=main.parent, env=environment, capture_output=True, timeout=_SECONDS, check=False
        )
        log = main.with_suffix(".log").read_text(errors="replace") if main.with_suffix(".log").exists() else ""
        if result.returncode:
            raise TypesettingError(_reason(log or result.stdout.decode(errors="replace")))
        if "Rerun to get" not in log and "rerunfilecheck Warning" not in log and "Table widths have changed" not in log:
            break
    return main.with_suffix(".pdf"), _warnings(log)


def _reason(log: str) -> str:
    missing = re.search(r"File `([^']+)' not found", log)
    if missing:
        name = missing.group(1)
        package = _PACKAGES.get(name, "texlive-latex-extra")
        return f"LaTeX has no {name}; install it with: apt-get install {package}"
    error = re.search(r"^! (.*?)\n(?:.*\n)*?l\.(\d+)", log, re.MULTILINE)
    return f"pdflatex stopped: {error.group(1)} (line {error.group(2)})" if error else "pdflatex stopped; see its log"


def _warnings(log: str) -> tuple[str, ...]:
    """Visible faults: overfull lines with their file, and references without a target."""
    found = []
    file = ""
    for line in log.splitlines():
        for opened in re.findall(r"\(\./([\w.-]+\.tex)", line):
            file = opened
        overfull = re.match(r"Overfull \\hbox \(([\d.]+)pt too wide\) (.*)", line)
        if overfull and float(overfull[1]) > _VISIBLE:
            found.append(f"{file}: a line is {float(overfull[1]):.0f} pt too wide, {overfull[2]}")
        if line.startswith("LaTeX Warning") and "undefined" in line:
            found.append(line.removeprefix("LaTeX Warning: "))
    return tuple(found)
