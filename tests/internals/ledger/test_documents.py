"""The documents of the ledger: what they number, count, cite and load; no text of a claim is lost or doubled."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from importlib.resources import files

import pytest

from pan_proofs.engines.obligation import Kind, Status
from pan_proofs.ledger import ProofVerdict, documents
from pan_proofs.ledger.claim import Claim, Part, Reference, Role
from pan_proofs.ledger.contents import contents
from pan_proofs.rendering import plain, typeset_text, write_document, write_errata
from pan_proofs.rendering.citations import judged_by, places
from pan_proofs.rendering.document import standalone
from pan_proofs.rendering.evidence import evidence
from pan_proofs.rendering.latex import stem, without_symbols
from pan_proofs.rendering.latex_log import PACKAGES, again, reason, warnings
from pan_proofs.rendering.view import formal_statements

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
        without = re.sub(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", "", without, flags=re.DOTALL)
        without = re.sub(
            r"\\label\{[^}]*\}|\\begin\{tikzpicture\}.*?\\end\{tikzpicture\}", "", without, flags=re.DOTALL
        )
        return "".join(re.split(r"(?<!\\)\$", without)[::2])

    for name, text in written.items():
        if name.endswith(".tex") and name != "ledger.tex":
            body = "\n".join(line for line in outside_of_formulas(text).splitlines() if not line.startswith("%"))
            assert not re.search(r"(?<!\\)_", body), name
    assert r"\panproofref{turnstile" in written["turnstile-best-of-both.tex"]


def test_every_file_that_is_loaded_has_its_debian_package():
    assert {name for name in loaded() if name != "panproof.sty"} == set(PACKAGES)


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
    asked = [one for part in parts for step in part["steps"] for one in step["obligations"]]
    kinds = Counter(one["kind"] for one in (*asked, *(one for part in parts for one in part["checked"])))
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


_LAYOUT = {"left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "quad", "qquad", "displaystyle"}
_WRAPPERS = {"mathrm", "operatorname", "text"}
"""Commands of which only what they wrap is to be seen."""


@pytest.fixture(scope="module")
def texts(entries):
    return list(_texts(entries))


def _texts(entries):
    for entry in entries.values():
        claim = entry.claim
        yield from (claim.title, claim.statement, claim.remark, *claim.hypotheses, *claim.silent)
        yield from (text for entry in claim.notation for text in entry)
        for part in claim.parts:
            yield from (part.title, part.statement, *formal_statements(part))
            for step in part.steps:
                yield step.text
                yield from (f"${line}$" for line in step.lines)


def test_no_command_that_the_claims_use_is_lost_in_plain_text(texts):
    used = {name for text in texts for name in re.findall(r"\\([A-Za-z]+)", text)}
    lost = {name for name in used - _LAYOUT - _WRAPPERS if plain(rf"$a \{name}{{b}} c$") == plain("$a {b} c$")}
    assert lost == set()


def test_dollar_signs_come_in_pairs_and_lines_are_aligned_once(entries, texts):
    assert [text for text in texts if text.count("$") % 2] == []
    lines = [
        line for entry in entries.values() for part in entry.claim.parts for step in part.steps for line in step.lines
    ]
    assert [line for line in lines if line.count("&") != 1] == []


def test_nothing_in_the_ledger_names_this_machine_or_its_makers(texts):
    for text in texts:
        assert not re.search(r"/(work|home|tmp|usr)/|https?://|localhost", text), text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"$\frac{1}{2}\tanh\frac{\varepsilon}{2}$", "1/2 tanh ε/2"),
        (r"$\frac{a+b}{2 c}$", "(a+b)/(2 c)"),
        (r"$e^{-2 m \alpha^2}$", "e^(-2 m α^2)"),
        (r"$\binom{n}{k} \le \sqrt{2}$", "C(n, k) ≤ √(2)"),
        (r"$\sqrt[4]{T_{1} + 1} \ne \sqrt{T}$", "(T_1 + 1)^(1/4) ≠ √(T)"),
        (r"$p \iff q$", "p ⟺ q"),
        (r"$\coth\eta - 1$", "coth η- 1"),
        (r"$a \ne b \implies c$", "a ≠ b ⟹ c"),
    ],
)
def test_formulas_can_be_read_in_plain_text(formula, text):
    assert plain(formula).replace(" ", "") == text.replace(" ", "")


def claim(identifier, *references, parts=()):
    return Claim(identifier, "A test", references, "It holds.", tuple(parts))


ONE = claim("test.one", Reference("paper", "Theorem 3.1, section 3 and appendix A"), Reference("thesis", "Theorem 4.1"))
TWO = claim("test.two", Reference("thesis", "Definition 4.4 and Lemmas 4.3, 4.4 and A.1, section 4"))
OURS = claim("test.ours", Reference("here", "a lemma"))
KNOWN = places((ONE, TWO, OURS))


@pytest.mark.parametrize(
    ("name", "after", "by", "found"),
    [
        ("Theorem 3.1", ".", TWO, ""),
        ("Theorem 4.1", ".", TWO, "test.one"),
        ("Theorem 3.1", " of the paper.", TWO, "test.one"),
        ("Theorem 3.1", " of the paper.", OURS, "test.one"),
        ("Lemma 4.3", ".", TWO, ""),
        ("Lemma 4.3", ".", ONE, "test.two"),
        ("Theorem 4.1", " of the lecture.", OURS, ""),
        ("Theorem 9.9", ".", ONE, ""),
    ],
)
def test_the_document_is_that_of_the_claim_or_the_one_that_is_named(name, after, by, found):
    assert judged_by(name, after, by, KNOWN) == found


def test_a_claim_about_the_statement_comes_before_one_about_its_proof():
    proof = claim("test.proof", Reference("thesis", "proof of Theorem 4.1, section 4"))
    both = claim("test.both", Reference("thesis", "Theorems 4.1 and 4.2 and their proofs, section 4"))
    assert places((proof,))["thesis", "Theorem 4.1"] == "test.proof"
    assert places((proof, both, ONE)) == places((ONE,)) | {("thesis", "Theorem 4.2"): "test.both"}


def test_no_claim_of_the_ledger_prints_a_long_text_twice(entries, written):
    for identifier in entries:
        steps = re.findall(
            r"\\begin\{panproofstep\}\{\d+\}\{[^}]*\}\n(.*?)\\end\{panproofstep\}",
            written[f"{stem(identifier)}.tex"],
            re.DOTALL,
        )
        bodies = [
            re.sub(r"\\label\{[^}]*\}", "", one) for one in steps if len(one) > 300 and not one.startswith("As in step")
        ]
        assert len(set(bodies)) == len(bodies), identifier


def test_each_source_has_an_erratum_with_every_false_statement_its_counterexample_and_what_holds_instead(
    entries, written, tmp_path
):
    write_document(entries, tmp_path)
    errata = {path.stem.removeprefix("erratum-"): path for path in write_errata(entries, tmp_path)}
    assert list(errata) == list(documents())
    for name, path in errata.items():
        text = path.read_text()
        for entry in entries.values():
            claim = entry.claim
            wrong = entry.verdict in (ProofVerdict.REFUTED, ProofVerdict.PROVED_AMENDED)
            told = rf"\label{{panproof-{stem(claim.id)}}}" in text
            assert told == (wrong and claim.references[0].document == name), claim.id
            if told:
                section = re.split(r"\\(?:sub)?section\*?\{", text.split(rf"\label{{panproof-{stem(claim.id)}}}")[1])[0]
                shown = [part for part in claim.parts if part.role is Role.COUNTEREXAMPLE]
                assert section.count("{False: ") == len(shown) > 0
                assert "{True instead: " in section, claim.id
                assert not {theorem for part in shown for theorem in part.theorems} - set(
                    re.findall(r"\\texttt\{(\w+)\} \(", section.replace(r"\allowbreak{}", "").replace(r"\_", "_"))
                ), claim.id
        assert text.index(r"\section{Why the argument fails}") < text.index(r"\section{What to use instead")
        if shutil.which("pdflatex"):
            # Without compression of its objects the pages of a PDF can be counted.
            pdf, faults = typeset_text(r"\pdfobjcompresslevel=0 " + text, path.with_suffix(".pdf"))
            assert faults == ()
            assert 2 < len(re.findall(rb"/Type /Page\b", pdf.read_bytes())) <= 10


def test_a_statement_without_its_formula_loses_what_is_said_about_the_symbols_alone():
    said = r"It is $0.5 x$. In the formulas $x = 1.5$. In the last formula $y$ is $2$. (So it is.)"
    assert without_symbols(said) == "It is $0.5 x$. (So it is.)"
    assert without_symbols("In the formation $x$ grows.") == "In the formation $x$ grows."


def test_a_selection_of_claims_is_no_erratum(entries, tmp_path):
    few = {name: entry for name, entry in entries.items() if name.startswith("density.dwork")}
    assert write_errata(few, tmp_path) == ()
