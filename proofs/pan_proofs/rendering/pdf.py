"""Typesetting with the machine's own LaTeX; its auxiliary files stay in a folder that is removed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from pan_proofs.rendering.latex_log import again, reason, warnings

_RUNS = 4
_SECONDS = 300


class TypesettingError(RuntimeError):
    """The document could not be typeset; the message says what is missing."""


def require_latex() -> str:
    """The program pdflatex; :class:`TypesettingError` if it is missing, with the Debian package that has it."""
    program = shutil.which("pdflatex")
    if program is None:
        raise TypesettingError("--pdf needs pdflatex; install it with: apt-get install texlive-latex-base")
    return program


def typeset(main: Path) -> tuple[Path, tuple[str, ...]]:
    """Run pdflatex on a document until its references stand.

    Parameters
    ----------
    main
        The document. The PDF is written beside it, and no other file.

    Returns
    -------
    tuple
        The PDF, and the warnings of the last run that a reader would see: overfull lines, missing references.

    Raises
    ------
    TypesettingError
        If LaTeX or a package is missing, with the Debian package that has it, or if LaTeX stops.
    """
    return typeset_text(main.read_text(encoding="utf-8"), main.with_suffix(".pdf"))


def typeset_text(text: str, pdf: Path) -> tuple[Path, tuple[str, ...]]:
    """As :func:`typeset`, for the text of a document that reads files of the PDF's folder."""
    program = require_latex()
    # A PDF of an earlier run would not be one of these files.
    pdf.unlink(missing_ok=True)
    with TemporaryDirectory(prefix="panproof-") as made:
        # The document is read from the folder of its auxiliary files: its name may be that of a claim's file.
        source = Path(made) / "source" / "document.tex"
        built = Path(made) / "built"
        source.parent.mkdir()
        built.mkdir()
        source.write_text(text, encoding="utf-8")
        log = _run(program, source, built, pdf)
        shutil.copyfile(built / pdf.name, pdf)
    return pdf, warnings(log)


def _run(program: str, source: Path, built: Path, pdf: Path) -> str:
    fixed = {
        # A fixed date, so that the same text gives the same PDF.
        "SOURCE_DATE_EPOCH": "0",
        "FORCE_SOURCE_DATE": "1",
        # Long lines, so that the log can be read.
        "max_print_line": "1000",
        # The list of fonts that are missing; without a place for it, it would stand beside the PDF.
        "MISSFONT_LOG": str(built / "missfont.log"),
    }
    command = [
        program,
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-file-line-error",
        "-no-shell-escape",
        f"-output-directory={built}",
        f"-jobname={pdf.stem}",
        str(source),
    ]
    log = ""
    for _ in range(_RUNS):
        try:
            result = subprocess.run(
                command,
                cwd=pdf.parent,
                env={**os.environ, **fixed},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TypesettingError(f"pdflatex did not end within {_SECONDS} s") from None
        written = built / f"{pdf.stem}.log"
        log = written.read_text(errors="replace") if written.exists() else result.stdout.decode(errors="replace")
        log = log.replace(str(source), f"{pdf.stem}.tex")
        if result.returncode:
            raise TypesettingError(reason(log))
        if not again(log):
            break
    return log
