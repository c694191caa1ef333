"""``panproof derive``: files for an article, PDFs, and nothing else in the folder."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pan_proofs.rendering import TypesettingError, standalone, typeset, typeset_text, write_document
from pan_proofs.rendering.latex import stem

LEMMA = "density.union_lemma"
FIGURE = "density.tanh_optimality"
RESTING = "density.dwork_accuracy"
"""It rests on other claims."""

with_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


@pytest.fixture
def panproof(panproof, ledger_store, monkeypatch):
    """With the session's derivations, so that no test derives a claim again."""
    monkeypatch.setenv("PANPROOF_CACHE", str(ledger_store.folder))
    return panproof


@pytest.fixture
def folder(panproof, tmp_path):
    """The files of three claims, and of those on which they rest."""
    made = tmp_path / "appendix"
    assert panproof("claims", LEMMA, FIGURE, RESTING, "--out", made).code == 0
    return made


def names(folder):
    return {path.name for path in folder.iterdir()}


def log_of(folder, text):
    """The log of an article in its own folder that finds the package in another; it must be typeset."""
    article = folder.parent / "article"
    article.mkdir(exist_ok=True)
    (article / "article.tex").write_text(text)
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "article.tex"]
    environment = {**os.environ, "TEXINPUTS": f"{folder}:", "max_print_line": "1000"}
    for _ in range(3):
        done = subprocess.run(words, cwd=article, env=environment, capture_output=True, check=False)
        log = (article / "article.log").read_text(errors="replace")
        assert done.returncode == 0, log[-2000:]
    return log


def article(*claims, kind="{article}", packages="", body=""):
    read = "\n".join(rf"\input{{{claim}}}" for claim in claims)
    return (
        rf"\documentclass{kind}{packages}\usepackage{{panproof}}\begin{{document}}"
        rf"\section{{One}}{body} {read} \section{{Two}} The end.\end{{document}}"
    )


def faults(log):
    return [line for line in log.splitlines() if "Warning" in line or line.startswith("Overfull")]


@with_latex
@pytest.mark.more
@pytest.mark.parametrize(
    ("kind", "packages"),
    [
        ("{article}", ""),
        ("[leqno,fleqn]{article}", ""),
        ("{article}", r"\usepackage{hyperref}"),
        ("{article}", r"\usepackage{amsmath,amsthm,amssymb,microtype,hyperref,cleveref}"),
        ("{amsart}", ""),
        ("{amsart}", r"\usepackage{hyperref}"),
        ("{scrartcl}", r"\usepackage[T1]{fontenc}\usepackage{lmodern}"),
    ],
)
def test_any_article_takes_the_claims_by_input(folder, kind, packages):
    assert faults(log_of(folder, article("density-union-lemma", "density-tanh-optimality", "density-dwork-accuracy",
                                         kind=kind, packages=packages))) == []  # fmt: skip


@with_latex
def test_a_claim_that_the_article_does_not_hold_is_named_by_its_id(folder):
    """The width of the printed reference is that of the id, and grows where the article holds the claim."""
    measured = (
        r"\setbox0\hbox{\panproofref{a.b}{panproof-a-b}}\setbox2\hbox{\texttt{a.b}}"
        r"\typeout{absent: \ifdim\wd0=\wd2 id\else other\fi}"
        r"\setbox0\hbox{\panproofref{a.b}{panproof-density-union-lemma}}"
        r"\typeout{present: \ifdim\wd0>\wd2 number\else other\fi}"
    )
    log = log_of(folder, article("density-union-lemma", body=measured))
    assert "absent: id" in log
    assert "present: number" in log
    assert faults(log) == []
    assert "There were undefined references" in log_of(folder, article(body=r"\ref{panproof-a-b}"))


@with_latex
def test_the_package_leaves_the_layout_of_the_article_alone(folder):
    lengths = r"\the\textwidth\the\textheight\the\parskip\the\parindent\the\emergencystretch\the\jot"
    meanings = r"\meaning\section\meaning\label\meaning\ref\meaning\proof\meaning\enumerate\meaning\maketitle"
    shown = rf"{lengths}|\interdisplaylinepenalty=\the\interdisplaylinepenalty|{meanings}"
    article = (
        rf"\documentclass{{article}}\usepackage{{amsmath}}\typeout{{before: {shown}}}\usepackage{{panproof}}"
        rf"\typeout{{before: {shown}}}\begin{{document}}\typeout{{within: {shown}}}"
        rf"\input{{density-dwork-accuracy}}\typeout{{within: {shown}}}\end{{document}}"
    )
    log = log_of(folder, article)
    for place in ("before", "within"):
        told = [line for line in log.splitlines() if line.startswith(f"{place}: ")]
        assert len(told) == 2
        assert told[0] == told[1]


def test_every_name_of_the_package_begins_with_panproof(folder):
    text = (folder / "panproof.sty").read_text()
    defined = re.findall(
        r"\\(?:re)?new(?:command|environment|counter)\*?\{\\?(\w+)\}|\\(?:def|let|gdef)\\(\w+)|\\setlength\{\\(\w+)\}",
        text,
    )
    found = {"".join(groups).removeprefix("the") for groups in defined}
    assert len(found) > 12
    assert {name for name in found if not name.startswith("panproof")} == set()
    assert set(re.findall(r"\\RequirePackage\{([^}]*)\}", text)) == {"amsmath", "amsfonts", "tikz"}


def test_tikz_is_loaded_only_where_a_claim_has_a_figure(folder, panproof, tmp_path):
    panproof("claims", LEMMA, "--out", tmp_path / "plain")
    assert "tikz" not in (tmp_path / "plain" / "panproof.sty").read_text()
    assert "tikz" in (folder / "panproof.sty").read_text()


@with_latex
def test_a_figure_is_left_out_where_tikz_is_not_loaded(folder, panproof, tmp_path):
    panproof("claims", LEMMA, "--out", tmp_path / "plain")
    shutil.copy(folder / "density-tanh-optimality.tex", tmp_path / "plain")
    assert faults(log_of(tmp_path / "plain", article("density-tanh-optimality"))) == []


@pytest.mark.more
@with_latex
def test_each_claim_that_is_named_becomes_a_pdf_and_no_auxiliary_file_is_left(panproof, tmp_path):
    out = tmp_path / "appendix"
    document = json.loads(panproof("claims", "thesis.union_lemma", "--out", out, "--pdf", "--json").out)
    assert document["warnings"] == []
    written = {"ledger.tex", "ledger.pdf", "ledger.html", "panproof.sty"}
    assert names(out) == written | {"density-union-lemma.tex", "density-union-lemma.pdf"}
    assert {Path(name).name for name in document["files"]} == names(out)
    printed = {path.name: path.read_bytes() for path in out.glob("*.pdf")}
    assert all(text.startswith(b"%PDF") for text in printed.values())
    panproof("claims", LEMMA, "--out", tmp_path / "again", "--pdf")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").glob("*.pdf")} == printed


@with_latex
@pytest.mark.slow
def test_one_article_takes_every_claim_of_the_ledger_by_input(panproof, entries, tmp_path):
    """The text is as wide as that to which displays are folded."""
    folder = tmp_path / "appendix"
    assert panproof("claims", "--out", folder).code == 0
    packages = r"\usepackage[margin=27mm]{geometry}\usepackage[T1]{fontenc}\usepackage{lmodern,microtype,hyperref}"
    log = log_of(folder, article(*map(stem, entries), kind="[a4paper]{article}", packages=packages))
    assert faults(log) == []


@with_latex
@pytest.mark.slow
def test_every_claim_of_the_ledger_is_a_pdf_of_its_own_and_nothing_else_is_left(entries, tmp_path):
    write_document(entries, tmp_path)
    written = names(tmp_path)
    for identifier, entry in entries.items():
        pdf, warnings = typeset_text(standalone(entry), tmp_path / f"{stem(identifier)}.pdf")
        assert warnings == (), identifier
        assert pdf.read_bytes().startswith(b"%PDF")
    assert names(tmp_path) == written | {f"{stem(identifier)}.pdf" for identifier in entries}


@with_latex
@pytest.mark.slow
def test_the_whole_document_is_typeset_without_warnings(entries, tmp_path):
    main, *_ = write_document(entries, tmp_path)
    pdf, warnings = typeset(main)
    assert warnings == ()
    assert pdf.read_bytes().startswith(b"%PDF")


def test_without_latex_the_package_is_named(panproof, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = panproof("claims", LEMMA, "--out", tmp_path / "out", "--pdf").one_sentence()
    assert "apt-get install texlive-latex-base" in said


@with_latex
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            r"\begin{document} One." + "\n" + r"\undefinedcommand \end{document}",
            "line 2 of main.tex: Undefined control",
        ),
        (r"\usepackage{nosuchpackage}\begin{document}\end{document}", "nosuchpackage.sty; `apt-file search"),
        (r"\usepackage[nosuchtongue]{babel}\begin{document}A\end{document}", "texlive-lang-nosuchtongue"),
        (r"\font\lost=ecxx1000 \begin{document}\lost A\end{document}", "no ecxx1000; install .* cm-super"),
        (r"\begin{document}\input{lost-claim}\end{document}", "no lost-claim"),
        (r"\begin{document} No end.", "pdflatex stopped: "),
    ],
)
def test_a_failure_is_told_in_one_sentence_and_leaves_no_file(tmp_path, body, said):
    main = tmp_path / "main.tex"
    main.write_text(rf"\documentclass{{article}}{body}")
    (tmp_path / "main.pdf").write_text("of an earlier run")
    with pytest.raises(TypesettingError, match=said) as failure:
        typeset(main)
    assert "\n" not in str(failure.value)
    assert names(tmp_path) == {"main.tex"}


@with_latex
def test_a_fault_in_a_claim_s_file_is_one_sentence_of_the_command(panproof, monkeypatch, tmp_path):
    from pan_proofs.rendering import document

    filled = document._filled
    begun = r"\begin{panproofclaim}"
    monkeypatch.setattr(
        document, "_filled", lambda *words, **more: filled(*words, **more).replace(begun, r"\lost" + begun)
    )
    said = panproof("claims", LEMMA, "--out", tmp_path / "out", "--pdf").one_sentence()
    assert "pdflatex stopped at line 2 of density-union-lemma.tex: Undefined control sequence" in said
    assert not {name for name in names(tmp_path / "out") if name.endswith((".aux", ".log", ".out", ".toc", ".pdf"))}
