"""The LaTeX of the ledger: what it loads, what it numbers, and what its preface counts."""

import re
import shutil
import subprocess
from collections import Counter
from importlib.resources import files

import pytest

from pan_proofs.engines.obligation import Kind, Status
from pan_proofs.ledger.claim import Part, Role
from pan_proofs.ledger.contents import contents
from pan_proofs.rendering import write_document
from pan_proofs.rendering.document import standalone
from pan_proofs.rendering.evidence import evidence
from pan_proofs.rendering.latex import formula_in_sentence, numbered, prose, stem
from pan_proofs.rendering.latex_log import PACKAGES, again, reason, warnings
from pan_proofs.rendering.view import OURS, chapters, listed

TEMPLATES = {
    path.name: path.read_text()
    for path in (files("pan_proofs.rendering") / "templates").iterdir()
    if path.name.endswith((".tex.j2", ".sty.j2"))
}


def loaded():
    """The files that the templates load by name."""
    text = "\n".join(line for text in TEMPLATES.values() for line in text.splitlines() if not line.startswith("%"))
    for kind, names in re.findall(r"\\(usepackage|RequirePackage|documentclass)(?:\[[^]]*\])?\{([\w,]+)\}", text):
        yield from (f"{name}.{'cls' if kind == 'documentclass' else 'sty'}" for name in names.split(","))
    for name in re.findall(r"\\usetikzlibrary\{(\w+)\}", text):
        yield f"tikzlibrary{name}.code.tex"


@pytest.fixture(scope="module")
def written(entries, tmp_path_factory):
    folder = tmp_path_factory.mktemp("document")
    return {path.name: path.read_text() for path in write_document(entries, folder)}


def test_claims_that_prose_names_are_references(written):
    def outside_of_formulas(text):
        displays = r"\\begin\{panproofequation\}.*?\\end\{panproofequation\}|\\\[.*?\\\]"
        without = re.sub(displays, "", text, flags=re.DOTALL)
        without = re.sub(
            r"\\label\{[^}]*\}|\\begin\{tikzpicture\}.*?\\end\{tikzpicture\}", "", without, flags=re.DOTALL
        )
        return "".join(re.split(r"(?<!\\)\$", without)[::2])

    for name, text in written.items():
        if name.endswith(".tex") and name != "ledger.tex":
            body = "\n".join(line for line in outside_of_formulas(text).splitlines() if not line.startswith("%"))
            assert not re.search(r"(?<!\\)_", body), name
    assert r"\panproofref{turnstile" in written["turnstile-best-of-both.tex"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("By lemma.gaussian_tail $a_1$.", r"By \panproofnamed{lemma.\allowbreak{}gaussian\_\allowbreak{}tail}"),
        (r"See lemma.gaussian\_tail.", r"See \panproofnamed{lemma."),
        ("No claim.of_ours, e.g. $x_1$.", r"No claim.of\_ours, e.g. $x_1$."),
    ],
)
def test_an_id_in_prose_becomes_a_reference(text, shown):
    assert prose(text).startswith(shown)


def test_every_file_that_is_loaded_has_its_debian_package():
    assert {name for name in loaded() if name != "panproof.sty"} == set(PACKAGES)


@pytest.mark.skipif(not (shutil.which("dpkg") and shutil.which("kpsewhich")), reason="not a Debian with LaTeX")
def test_debian_has_each_file_in_the_package_that_the_message_names():
    for name, package in PACKAGES.items():
        path = subprocess.run(["kpsewhich", name], capture_output=True, text=True, check=True).stdout.strip()
        owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=True).stdout
        assert owner.partition(":")[0] == package, name


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("! LaTeX Error: File `tikz.sty' not found.\n", "apt-get install texlive-pictures"),
        ("./ledger.tex:9: LaTeX Error: File `pgfcore.sty' not found.\n", "apt-get install texlive-pictures"),
        ("! LaTeX Error: File `lmodern.sty' not found.\n", "apt-get install lmodern"),
        ("! Font T1/lmr/m/n/10=ec-lmr10 at 10.0pt not loadable: Metric (TFM) file not found.\n", "install lmodern"),
        ("!pdfTeX error: pdflatex (file ecrm1000): Font ecrm1000 at 600 not found\n", "apt-get install cm-super"),
        ("!pdfTeX error: pdflatex (file lm-ec.enc): cannot open encoding file for reading\n", "install lmodern"),
        ("! Font U/msa/m/n/10=msam10 at 10.0pt not loadable: Metric\n", "apt-get install texlive-base"),
        ("I can't find the format file `pdflatex.fmt'!\n", "apt-get install texlive-latex-base"),
        ("! Package babel Error: Unknown option `greek'. Either\n", "apt-get install texlive-lang-greek"),
        ("./a-b.tex:12: Undefined control sequence.\nl.12 \\foo\n", "stopped at line 12 of a-b.tex: Undefined control"),
        ("! Emergency stop.\n<*> a.tex\n", "pdflatex stopped: Emergency stop"),
        ("out of the ordinary\n\n", "pdflatex stopped: out of the ordinary"),
        ("", "pdflatex stopped: no message"),
    ],
)
def test_a_log_is_told_in_one_sentence(log, said):
    assert said in reason(log)
    assert "\n" not in reason(log)


def test_warnings_name_the_file_and_the_references_and_a_second_run_is_asked_for():
    log = (
        "(./a-b.tex\nOverfull \\hbox (9.1pt too wide) in paragraph at lines 2--4\n"
        "Overfull \\hbox (0.4pt too wide) in paragraph at lines 5--6\n"
        "Overfull \\vbox (240.3pt too high) has occurred while \\output is active []\n"
        "Overfull \\vbox (0.3pt too high) has occurred while \\output is active []\n"
        "LaTeX Warning: Reference `x' on page 1 undefined on input line 3.\n"
    )
    found = warnings(log)
    assert found == (
        "a-b.tex: a line is 9 pt too wide, in paragraph at lines 2--4",
        "a-b.tex: a page is 240 pt too high",
        "Reference `x' on page 1 undefined on input line 3.",
    )
    assert not again(log)
    assert again("LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.")


def test_each_statement_and_each_display_has_its_number_and_a_label_of_its_own(entries, written):
    labels = Counter()
    for identifier, entry in entries.items():
        text = written[f"{stem(identifier)}.tex"]
        parts = entry.claim.parts
        assert text.count(r"\begin{panproofclaim}") == 1
        assert text.count(r"\begin{panproofstatement}") == len(parts)
        assert text.count(r"\begin{panproofstep}") == sum(len(part.steps) for part in parts)
        displays = sum(bool(step.lines) for part in parts for step in part.steps)
        assert text.count(r"\begin{panproofequation}") == text.count(r"\label{") == displays
        labels.update(re.findall(r"\\label\{([^}]*)\}|\{(panproof-[\w-]+)\}$", text, re.MULTILINE))
        assert written["ledger.tex"].count(rf"\input{{{stem(identifier)}}}") == 1
    assert max(labels.values()) == 1


def test_a_display_has_one_number_and_ends_as_a_sentence():
    assert numbered((r"a &= b", r"&= c")) == "a &= b \\notag \\\\\n&= c."
    assert numbered((r"a &= b,",)) == "a &= b."
    assert numbered((r"a &= b.",)) == "a &= b."
    assert numbered((r"a &= 0.5\ldots",)) == r"a &= 0.5\ldots"


def test_assumptions_that_are_sentences_stay_sentences():
    assert listed(("$a > 0$", "the bits are fair.")) == "$a > 0$; the bits are fair."
    assert listed(("the bits are fair", "The sample is seen. It is fixed.")) == (
        "The bits are fair. The sample is seen. It is fixed."
    )


def test_steps_are_whole_sentences(entries):
    """A step begins a sentence, and ends it unless a display does."""
    begun = re.compile(r"[A-Z0-9$(\\`]")
    for identifier, entry in entries.items():
        for part in entry.claim.parts:
            assert begun.match(part.statement), (identifier, part.title)
            assert part.statement.rstrip("$").endswith((".", "?")), (identifier, part.title)
            for step in part.steps:
                assert begun.match(step.text), (identifier, step.name, step.text)
                assert step.lines or step.text.endswith("."), (identifier, step.name, step.text)
                assert not step.text.endswith(";"), (identifier, step.name, step.text)


def test_theorems_of_our_own_are_not_headed_as_published(entries, written):
    (own,) = (chapter for chapter in chapters(entries) if chapter.title == OURS)
    assert own.entries
    for entry in own.entries:
        text = written[f"{stem(entry.claim.id)}.tex"]
        assert "As published" not in text
        assert "Our own" in text
    assert "As published" in written["density-union-lemma.tex"]


def test_a_published_statement_in_our_own_reading_is_not_headed_as_published(entries, written):
    ours = {(name, part.title) for name, entry in entries.items() for part in entry.claim.parts if part.ours}
    assert ours == {
        ("density.dwork_accuracy", "the equivalences, and sizes that suffice"),
        ("density.optbern_accuracy", "the equivalence, and sizes that suffice"),
        ("thesis.laplace_accuracy", "the equivalence, and sizes that suffice"),
        ("density.tightest_beta", "what the minimum is like"),
    }
    for name, title in ours:
        text = written[f"{stem(name)}.tex"]
        assert f"In our reading, which no source prints: {title}" in text
        assert f"As published: {title}" not in text
    with pytest.raises(ValueError, match="only of a published statement"):
        Part(Role.AMENDED, "amended", "", (), ours=True, no_formula="the steps are tested")


def test_the_preface_counts_what_was_asked_and_answered(entries):
    claims = [entry.claim for entry in entries.values()]
    stored = [claim.to_dict() for claim in claims]
    counted = evidence(claims)
    parts = [part for claim in stored for part in claim["parts"]]
    kinds = Counter(one["kind"] for part in parts for step in part["steps"] for one in step["obligations"])
    assert sum(row.number for row in counted.questions) == (
        sum(kinds.values())
        - kinds[Kind.IDENTICAL]
        + sum(one.status is Status.DISCHARGED for claim in claims for part in claim.parts for one in part.links)
    )
    assert counted.open == 0
    assert counted.steps == sum(len(part["steps"]) for part in parts)
    assert counted.statements == len(parts)
    assert (counted.controlled, counted.inequalities) == tuple(
        sum(claim["controls"][place] for claim in stored) for place in (0, 1)
    )


def test_the_preface_says_what_an_absent_engine_left_open(monkeypatch):
    from pan_proofs.engines import inequalities
    from pan_proofs.engines.obligation import Answer
    from pan_proofs.ledger import derive

    monkeypatch.setattr(inequalities, "ask", lambda engine, script: Answer.SKIPPED)
    entry = derive(["density.union_lemma"], jobs=1)["density.union_lemma"]
    counted = evidence([entry.claim])
    assert counted.open == 3
    assert (counted.controlled, counted.inequalities) == (0, 3)
    text = standalone(entry)
    assert "Questions of the steps without the needed answer, or without the engine: 3." in text
    assert "Theorem" not in text


def test_the_frame_names_no_family():
    words = {word.lower() for part in contents() for word in (*part.subject.split(), *part.documents) if len(word) > 3}
    assert "density" in words
    for name, text in TEMPLATES.items():
        frame = re.sub(r"(?m)^%.*$", "", text)
        assert not words & set(re.findall(r"[a-z0-9]+", frame.lower())), name


def test_the_notation_and_the_works_are_those_of_the_claims(entries, written):
    assert r"\mathcal{S}" in written["ledger.tex"]
    assert "Hoeffding 1963" in written["ledger.tex"]
    lemma = standalone(entries["density.union_lemma"])
    assert "the stream of the sampled users" not in lemma
    assert "mean and scale of a Laplace" in lemma
    assert "Digalakis" in lemma
    assert "Hoeffding" not in lemma
    other = standalone(entries["density.dwork_error"])
    assert "the stream of the sampled users" in other
    assert "mean and scale of a Laplace" not in other


def test_an_equation_of_many_lines_is_a_display_that_holds_the_whole_formula():
    terms = " + ".join(f"{number} x^{{{number}}}" for number in range(100, 140))
    shown = formula_in_sentence(f"If $x > 0$, then ${terms} = {terms} - 1$.")
    assert shown.startswith(r"If $x > 0$, then \[\begin{aligned}")
    assert shown.endswith(r"- 1.\end{aligned}\]")
    again = shown.removeprefix("If $x > 0$, then ")
    for sign in (r"{}", r"\[\begin{aligned}", r"\end{aligned}\]", r"\\", r"\quad", "&", "\n", " "):
        again = again.replace(sign, "")
    assert again == f"{terms} = {terms} - 1.".replace(" ", "")


def test_a_short_equation_and_a_long_list_stay_in_their_sentence():
    listed = ", ".join(f"x_{{{number}}}" for number in range(200))
    for sentence in ("Then $x = y + 1$.", rf"Then $y = \max\{{{listed}\}}$."):
        assert "aligned" not in formula_in_sentence(sentence)
