"""``panproof claims``: verdicts first, whole derivations, and documents for an article."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pan_proofs.engines.obligation import Answer
from pan_proofs.ledger import derive, modules
from pan_proofs.rendering import TypesettingError, document, typeset, write_document
from pan_proofs.rendering.latex import stem
from pan_proofs.rendering.site import write_site

LEMMA = "density.union_lemma"
FIGURE = "density.tanh_optimality"
RESTING = "density.dwork_accuracy"
"""It rests on other claims."""
FEW = (LEMMA, FIGURE, RESTING, "density.dwork_error", "density.insert_delete")

with_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


@pytest.fixture
def panproof(panproof, ledger_store, monkeypatch):
    """With the derivations of the session, so that no test derives a claim again."""
    monkeypatch.setenv("PANPROOF_CACHE", str(ledger_store.folder))
    return panproof


@pytest.fixture
def few(monkeypatch, ledger_store):
    """A ledger of a few claims, and those on which they rest."""
    entries = derive(FEW, store=ledger_store)
    module = importlib.import_module("pan_proofs.ledger.derive")
    monkeypatch.setattr(module, "modules", lambda: {name: modules()[name] for name in entries})
    return entries


def test_the_table_and_the_json_have_every_claim(panproof, few):
    outcome = panproof("claims")
    assert (outcome.code, outcome.err) == (0, "")
    first, *rows = outcome.out.splitlines()
    assert first.startswith(f"{len(few)} claims: ")
    shown = {row.split()[1]: row.split()[0] for row in rows[1:] if len(row.split()) > 2}
    assert {name: str(entry.verdict) for name, entry in few.items()}.items() <= shown.items()
    assert "density.figure_4" in outcome.out
    document = json.loads(panproof("claims --json").out)["claims"]
    assert [one["id"] for one in document] == list(few)
    steps = [step for one in document for part in one["parts"] for step in part["steps"]]
    assert all(check["engine"] for step in steps for one in step["obligations"] for check in one["checks"])
    chosen = json.loads(panproof("claims --verdict refuted --json").out)["claims"]
    assert [one["id"] for one in chosen] == [name for name, entry in few.items() if entry.verdict == "REFUTED"] != []


def test_one_claim_is_shown_with_its_whole_derivation(panproof, few):
    outcome = panproof(f"claims {FIGURE}")
    claim = few[FIGURE].claim
    assert outcome.out.startswith(f"{claim.verdict}  {FIGURE}\n")
    assert len(re.findall(r"^\s+\d+\. ", outcome.out, re.MULTILINE)) == sum(len(part.steps) for part in claim.parts)
    assert "z3, cvc5" in outcome.out
    assert not re.search(r"\\frac|\$| $", outcome.out, re.MULTILINE)
    assert panproof("claims thesis.union_lemma").out == panproof(f"claims {LEMMA}").out


def test_without_an_engine_a_claim_is_undecided_and_the_exit_code_says_so(panproof, monkeypatch, tmp_path):
    from pan_proofs.engines import inequalities

    monkeypatch.setenv("PANPROOF_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr(inequalities, "ask", lambda engine, script: Answer.SKIPPED)
    outcome = panproof(f"claims {LEMMA} --jobs 1")
    assert outcome.code == 3
    assert outcome.out.startswith("UNDECIDED")
    assert "engines not installed: z3, cvc5" in outcome.out
    assert not (tmp_path / "empty").exists()


class _Page(HTMLParser):
    """Collects what the page would fetch, its ids, and whether all that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.fetched, self.ids, self.targets, self.open = [], [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.fetched += [v for k, v in values.items() if k in ("src", "href") and v and not v.startswith("#")]
        self.ids += [values["id"]] if "id" in values else []
        self.targets += [values["href"][1:]] if values.get("href", "").startswith("#") else []
        if tag not in ("meta", "input", "link", "br", "circle", "polygon", "polyline", "mspace"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


@pytest.mark.slow
def test_the_page_needs_no_network_and_all_its_links_lead_somewhere(entries, tmp_path):
    text = write_site(entries, tmp_path).read_text()
    page = _Page()
    page.feed(text)
    assert (page.fetched, page.open) == ([], [])
    assert len(set(page.ids)) == len(page.ids)
    assert {*page.targets, *entries} <= set(page.ids)
    assert "<math" in text
    shown = re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(r"\$|\\[A-Za-z]+", shown), "commands of LaTeX are left on the page"


@pytest.fixture
def folder(panproof, tmp_path):
    """The files of three claims, and of those on which they rest."""
    assert panproof(f"claims {LEMMA} {FIGURE} {RESTING} --out {tmp_path}/appendix").code == 0
    return tmp_path / "appendix"


def log_of(folder, *claims, kind="{article}", packages="", body=""):
    """The log of an article in its own folder that finds the package in another; it must be typeset."""
    place = folder.parent / "article"
    place.mkdir(exist_ok=True)
    read = "\n".join(rf"\input{{{claim}}}" for claim in claims)
    (place / "article.tex").write_text(
        rf"\documentclass{kind}{packages}\usepackage{{panproof}}\begin{{document}}"
        rf"\section{{One}}{body} {read} \section{{Two}} The end.\end{{document}}"
    )
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "article.tex"]
    environment = {**os.environ, "TEXINPUTS": f"{folder}:", "max_print_line": "1000"}
    for _ in range(3):
        done = subprocess.run(words, cwd=place, env=environment, capture_output=True, check=False)
        log = (place / "article.log").read_text(errors="replace")
        assert done.returncode == 0, log[-2000:]
    return log


def faults(log):
    return [line for line in log.splitlines() if "Warning" in line or line.startswith("Overfull")]


@with_latex
@pytest.mark.more
@pytest.mark.parametrize(
    ("kind", "packages"),
    [
        ("[leqno,fleqn]{article}", ""),
        ("{article}", r"\usepackage{amsmath,amsthm,amssymb,microtype,hyperref,cleveref}"),
        ("{amsart}", r"\usepackage{hyperref}"),
    ],
)
def test_any_article_takes_the_claims_by_input(folder, kind, packages):
    assert faults(log_of(folder, *map(stem, (LEMMA, FIGURE, RESTING)), kind=kind, packages=packages)) == []


@with_latex
def test_a_claim_that_the_article_does_not_hold_is_named_by_its_id(folder):
    """The width of the printed reference is that of the id, and grows where the article holds the claim."""
    measured = (
        r"\setbox0\hbox{\panproofref{a.b}{panproof-a-b}}\setbox2\hbox{\texttt{a.b}}"
        r"\typeout{absent: \ifdim\wd0=\wd2 id\else other\fi}"
        r"\setbox0\hbox{\panproofref{a.b}{panproof-density-union-lemma}}"
        r"\typeout{present: \ifdim\wd0>\wd2 number\else other\fi}"
    )
    log = log_of(folder, stem(LEMMA), body=measured)
    assert "absent: id" in log
    assert "present: number" in log
    assert faults(log) == []
    assert "There were undefined references" in log_of(folder, body=r"\ref{panproof-a-b}")


def test_every_name_of_the_package_begins_with_panproof(folder):
    text = (folder / "panproof.sty").read_text()
    defined = re.findall(
        r"\\(?:re)?new(?:command|environment|counter)\*?\{\\?(\w+)\}|\\(?:def|let|gdef)\\(\w+)|\\setlength\{\\(\w+)\}",
        text,
    )
    found = {"".join(groups).removeprefix("the") for groups in defined}
    assert len(found) > 12
    assert all(name.startswith("panproof") for name in found)
    assert set(re.findall(r"\\RequirePackage\{([^}]*)\}", text)) == {"amsmath", "amsfonts", "tikz"}


@pytest.mark.more
@with_latex
def test_each_claim_that_is_named_becomes_a_pdf_and_no_auxiliary_file_is_left(panproof, tmp_path):
    out = tmp_path / "appendix"
    document = json.loads(panproof(f"claims thesis.union_lemma --pdf --json --out {out}").out)
    assert document["warnings"] == []
    written = {"ledger.tex", "ledger.pdf", "ledger.html", "panproof.sty"}
    assert {path.name for path in out.iterdir()} == written | {f"{stem(LEMMA)}.{kind}" for kind in ("tex", "pdf")}
    assert {Path(name).parent for name in document["files"]} == {out}
    printed = {path.name: path.read_bytes() for path in out.iterdir()}
    assert printed["ledger.pdf"].startswith(b"%PDF")
    panproof(f"claims {LEMMA} --pdf --out {tmp_path}/again")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == printed


@with_latex
@pytest.mark.slow
def test_one_article_and_the_whole_document_take_every_claim(panproof, entries, tmp_path):
    """The text is as wide as that to which displays are folded."""
    assert panproof(f"claims --out {tmp_path}/appendix").code == 0
    packages = r"\usepackage[margin=27mm]{geometry}\usepackage[T1]{fontenc}\usepackage{lmodern,microtype,hyperref}"
    log = log_of(tmp_path / "appendix", *map(stem, entries), kind="[a4paper]{article}", packages=packages)
    assert faults(log) == []
    main, *_ = write_document(entries, tmp_path)
    pdf, warnings = typeset(main)
    assert warnings == ()
    assert pdf.read_bytes().startswith(b"%PDF")


@with_latex
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("\\begin{document} One.\n\\undefinedcommand \\end{document}", "line 2 of main.tex: Undefined control"),
        (r"\usepackage{nosuchpackage}\begin{document}\end{document}", "nosuchpackage.sty; `apt-file search"),
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
    assert list(tmp_path.iterdir()) == [main]


@with_latex
def test_a_fault_in_a_claim_s_file_is_one_sentence_of_the_command(panproof, monkeypatch, tmp_path):
    filled, begun = document.filled, r"\begin{panproofclaim}"
    monkeypatch.setattr(
        document, "filled", lambda *words, **more: filled(*words, **more).replace(begun, r"\lost" + begun)
    )
    said = panproof(f"claims {LEMMA} --pdf --out {tmp_path}/out").one_sentence()
    assert "pdflatex stopped at line 2 of density-union-lemma.tex: Undefined control sequence" in said
    kept = {path.suffix for path in (tmp_path / "out").iterdir()}
    assert not kept & {".aux", ".log", ".out", ".toc", ".pdf"}


def test_a_long_derivation_tells_its_progress_where_there_is_no_terminal(panproof, few, monkeypatch):
    monkeypatch.setattr("pan_audits.cli.claims._SECONDS_OF_SILENCE", -1.0)
    outcome = panproof("claims --json")
    assert outcome.err.splitlines()[0].startswith("deriving: 1 of ")
    assert len(outcome.err.splitlines()) == len(few)


def test_a_bundle_is_one_folder_that_opens_without_network_and_is_the_same_every_time(panproof, few, tmp_path):
    refuted = "density.insert_delete"
    outcome = panproof(f"claims {refuted} --bundle {tmp_path}/one")
    assert outcome.code == 0
    assert f"written: {tmp_path}/one/README.md" in outcome.out
    told = (tmp_path / "one" / "README.md").read_text()
    assert "**REFUTED**" in told
    assert f"`panproof claims {refuted} --again`" in told
    assert "sympy 1." in told
    assert not re.search(r"\$|\\frac|/tmp", told)
    verdict = json.loads((tmp_path / "one" / "verdict.json").read_text())
    assert (verdict["id"], verdict["verdict"]) == (refuted, "REFUTED")
    witness = json.loads((tmp_path / "one" / "witness.json").read_text())
    assert all(part["counterexamples"] for part in witness)
    page = _Page()
    page.feed((tmp_path / "one" / "ledger.html").read_text())
    assert page.fetched == []
    assert {refuted, few[refuted].claim.nearby} <= set(page.ids)
    assert (tmp_path / "one" / "latex" / f"{stem(refuted)}.tex").exists()
    document = json.loads(panproof(f"claims {refuted} --bundle {tmp_path}/two --json").out)
    assert len(document["claims"]) == 1
    files = {Path(name).relative_to(tmp_path / "two") for name in document["files"]}
    assert files == {path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()}
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in files)


@pytest.mark.parametrize("claims", ["", f"{LEMMA} {FIGURE}"])
def test_a_bundle_is_about_one_claim(panproof, tmp_path, claims):
    said = panproof(f"claims {claims} --bundle {tmp_path}/out").one_sentence()
    assert "--bundle is a folder about one claim" in said
    assert not (tmp_path / "out").exists()
