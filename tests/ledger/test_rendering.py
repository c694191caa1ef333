"""The output for readers: no part of a formula is lost on a terminal or a page."""

import re

import pytest

from pan_proofs.rendering import plain
from pan_proofs.rendering.latex import escaped, stem
from pan_proofs.rendering.site import display, mathml, prose, write_site
from pan_proofs.rendering.view import formal_statements

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


def test_text_for_the_document_is_escaped_outside_of_formulas():
    assert escaped("100 % of a_b & $x_1 & 5$") == r"100 \% of a\_b \& $x_1 & 5$"
    assert stem("density.dwork_error") == "density-dwork-error"


def test_the_page_escapes_what_is_no_formula():
    assert prose("a < b & $x < y$").startswith("a &lt; b &amp; <math")


def test_a_display_has_a_row_for_each_line_and_a_cell_on_each_side():
    table = display((r"a &= b", r"&\le c"))
    assert table.count("<tr>") == 2
    assert table.count("<td>") == 4
    assert mathml("") == ""


def test_the_page_has_the_symbols_of_the_families_and_of_each_claim(entries, tmp_path):
    page = write_site(entries, tmp_path).read_text()
    for subject in ("density estimation", "distinct elements in turnstile streams", "private Bayesian networks"):
        assert f"<summary>Notation: {subject}</summary>" in page
    assert page.count("<b>Symbols.</b>") == sum(bool(entry.claim.notation) for entry in entries.values())
    assert "number of rises of a truncated vector" in page
