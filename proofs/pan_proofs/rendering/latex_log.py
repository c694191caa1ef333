"""The log of pdflatex in sentences: what is missing, with the Debian package that has it, and visible faults."""

from __future__ import annotations

import re

PACKAGES = {
    "article.cls": "texlive-latex-base",
    "fontenc.sty": "texlive-latex-base",
    "inputenc.sty": "texlive-latex-base",
    "amsmath.sty": "texlive-latex-base",
    "array.sty": "texlive-latex-base",
    "geometry.sty": "texlive-latex-base",
    "hyperref.sty": "texlive-latex-base",
    "longtable.sty": "texlive-latex-base",
    "amsfonts.sty": "texlive-base",
    "booktabs.sty": "texlive-latex-recommended",
    "microtype.sty": "texlive-latex-recommended",
    "xcolor.sty": "texlive-latex-recommended",
    "lmodern.sty": "lmodern",
    "tikz.sty": "texlive-pictures",
    "tikzlibrarybabel.code.tex": "texlive-pictures",
}
"""The Debian package of each file that the document and panproof.sty load."""

_OTHERS = (
    (r"(pgf|tikz).*", "texlive-pictures"),
    (r"(ec-|rm-|lm-)?lm[a-z]*\d*.*|lm-.*\.enc|[a-z0-9]*lm[a-z]*\.(fd|def|map)", "lmodern"),
    (r"(ec|tc)[a-z]{2}\d+|sf[a-z]{2}\d+.*|cm-super.*", "cm-super"),
    (r"(cm|ms[ab]m|eu[fsr]m|line|lcircle)[a-z]*\d+.*", "texlive-base"),
    (r"pdflatex\.fmt", "texlive-latex-base"),
)
"""Further files and fonts by their names."""
_MISSING = (
    r"File `([^']+)' not found",
    r"Font \S+=(\S+) .*not loadable",
    r"\(file ([^)]+)\): (?:cannot open|Font \S+ at \d+ not found)",
    r"can't find the format file `([^']+)'",
    r"I couldn't open file name `([^']+)'",
    r"I can't find file `([^']+)'",
)
_LANGUAGE = r"Package babel Error: Unknown option [`'](\w+)'"
_VISIBLE = 2.0
"""Greatest size of what runs over a line or a page, in points."""
_AGAIN = ("Rerun to get", "rerunfilecheck Warning", "Table widths have changed")


def reason(log: str) -> str:
    """The decisive fault of a run that stopped, in one sentence."""
    for pattern in _MISSING:
        if missing := re.search(pattern, log):
            return _install(missing.group(1))
    if language := re.search(_LANGUAGE, log):
        return _install(f"{language.group(1)}.ldf", f"texlive-lang-{language.group(1)}")
    # With the option -file-line-error an error begins with its file and line.
    error = re.search(r"^(?:\./)?([^\s:]+):(\d+): (.+)$", log, re.MULTILINE)
    if error:
        return f"pdflatex stopped at line {error.group(2)} of {error.group(1)}: {error.group(3).rstrip('.')}"
    error = re.search(r"^! (.+)$", log, re.MULTILINE)
    last = error.group(1) if error else next(filter(None, map(str.strip, reversed(log.splitlines()))), "no message")
    return f"pdflatex stopped: {last.rstrip('.')}"


def again(log: str) -> bool:
    """Whether pdflatex asks to be run again."""
    return any(words in log for words in _AGAIN)


def warnings(log: str) -> tuple[str, ...]:
    """Visible faults: overfull lines and pages with their file, and every warning of LaTeX itself."""
    found = []
    file = ""
    for line in log.splitlines():
        for opened in re.findall(r"\((?:\./)?([\w.-]+\.tex)", line):
            file = opened
        overfull = re.match(r"Overfull \\hbox \(([\d.]+)pt too wide\) (.*)", line)
        if overfull and float(overfull[1]) > _VISIBLE:
            found.append(f"{file}: a line is {float(overfull[1]):.0f} pt too wide, {overfull[2]}")
        page = re.match(r"Overfull \\vbox \(([\d.]+)pt too high\)", line)
        if page and float(page[1]) > _VISIBLE:
            found.append(f"{file}: a page is {float(page[1]):.0f} pt too high")
        if line.startswith("LaTeX Warning"):
            found.append(line.removeprefix("LaTeX Warning: "))
    return tuple(found)


def _install(name: str, package: str = "") -> str:
    package = package or PACKAGES.get(name, "")
    package = package or next((where for pattern, where in _OTHERS if re.fullmatch(pattern, name)), "")
    if package:
        return f"LaTeX has no {name}; install it with: apt-get install {package}"
    return f"LaTeX has no {name}; `apt-file search {name}` names the package that has it"
