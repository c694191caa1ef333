"""Formulas for readers: words stand upright, entries have an index, and no two symbols look alike."""

import re

import pytest
import sympy as sp

from pan_proofs.density.sources import STATEMENTS
from pan_proofs.engines.vectors import sum_over_entries
from pan_proofs.ledger.notation import p_init, p_upd, tex
from pan_proofs.ledger.statements import Statement, symbolic, together
from pan_proofs.rendering.rows import with_tables

NAMES = {
    "E_d_hat": r"E[\hat{d}]",
    "Var_b": r"\mathrm{Var}(b_i)",
    "p_error": r"p_{\mathrm{error}}",
    "ratio": r"\mathrm{ratio}",
    "ratio_within": r"\mathrm{ratio}_{\mathrm{within}}",
    "epsilon_actual": r"\varepsilon_{\mathrm{actual}}",
    "P_uv": "P_{uv}",
    "x_1": "x_{1}",
    "alpha": r"\alpha",
    "fprime": "{f}'",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_word_in_a_name_is_upright(name):
    assert tex(sp.Symbol(name)) == NAMES[name]


def test_a_list_shows_fractions_of_many_digits_as_decimals():
    x, y = sp.Symbol("x", positive=True), sp.Symbol("y", real=True)
    (listed,) = symbolic(y > x, given=(sp.Or(sp.Eq(x, sp.Rational(8147931, 10**7)), sp.Eq(x, sp.Rational(1, 3007))),))
    assert r"x \in \{\frac{1}{3007}, 0.8147931\}" in Statement.read(listed).latex()


def test_a_long_list_of_rows_is_a_table_in_which_a_fixed_symbol_does_not_stand():
    x, y, z = sp.symbols("x y z", positive=True)
    rows = [(sp.Rational(1, 10), sp.Rational(n, 123456789), sp.Integer(n)) for n in (7, 11, 13, 17, 19, 23, 29, 31)]
    cases = sp.Or(*(sp.And(*map(sp.Eq, (x, y, z), row)) for row in rows))
    (listed,) = symbolic(sp.Gt(x + y, z, evaluate=False), given=(cases,))
    (told,) = (one for one in Statement.read(listed).latex().split("$")[1::2] if r"\in \{" in one)
    assert told.startswith(r"x = \frac{1}{10}, (y, z) \in \{(\frac{7}{123456789}, 7), ")
    (before, _), (table, is_table), (after, _) = with_tables(told)
    assert before == r"x = \frac{1}{10}, "
    assert is_table
    assert r"y & z \\ \hline 7/123456789 & 7 \\ 11/123456789 & 11 \\ 13/123456789 & 13 \\" in table
    assert after == ""


def test_a_list_that_fits_in_a_line_has_a_line_for_each_symbol():
    (_, _), (table, is_table), _ = with_tables(r"(x, y) \in \{(1000, 2000), (3000, 4000), (5000, 6000), (7000, 8000)\}")
    assert is_table
    assert r"{c|cccc} x & 1000 & 3000 & 5000 & 7000 \\ y & 2000 & 4000 & 6000 & 8000 \end{array}" in table
    assert "a column of" in table


def test_a_short_list_of_rows_stays_in_its_line():
    assert [*with_tables(r"(x, y) \in \{(1, 2), (3, 4), (5, 6)\}")] == [
        (r"(x, y) \in \{(1, 2), (3, 4), (5, 6)\}", False)
    ]


def test_signs_that_cancel_are_not_shown():
    r = sp.Symbol("r", positive=True)
    assert tex((p_init - 1) / (p_upd - 1)) == tex((1 - p_init) / (1 - p_upd))
    assert tex(-r * (p_init - 1) / (p_upd - 1) / (p_upd * r - p_upd - r)).count("-") == 3
    assert "1.0" not in tex(-r / (p_upd * r - p_upd - r))
    assert tex((sp.Symbol("p0", real=True) - 1) / (p_upd - 1)) == tex((1 - p_init) / (1 - p_upd))
    assert tex((p_init - 1) / r) == r"- \frac{1 - p_{\mathrm{init}}}{r}"
    assert tex(1 / (p_init - 1)) == r"- \frac{1}{1 - p_{\mathrm{init}}}"
    assert tex((-r - 2) ** 2 / (r - 3)) == tex((r + 2) ** 2 / (r - 3))


def test_the_terms_of_a_long_set_are_a_table():
    terms = [rf"\frac{{a_{n}}}{{b, {n}}}" for n in range(13)]
    (before, _), (table, is_table), (after, _) = with_tables(rf"\max\{{{', '.join(terms)}\}} \leq x, \min\{{a, b\}}")
    assert (before.split()[-1], is_table, after) == (r"\max", True, r" \leq x, \min\{a, b\}")
    assert all(one in table for one in terms)
    assert table.count("&") + table.count(r" \\ ") == 12
    assert table.count(r" \\ ") == 2


def test_the_remainder_of_a_sum_has_the_sum_in_parentheses():
    a, b = sp.symbols("a b", integer=True, positive=True)
    assert tex(sp.Mod(a + b, 4)) == r"\left(a + b\right) \bmod 4"
    assert tex(sp.Mod(a, 4) + b) == r"b + \left(a \bmod 4\right)"
    assert tex(sp.Mod(a, 4) ** 2) == r"\left(a \bmod 4\right)^{2}"


@pytest.fixture(scope="module")
def statements(entries):
    """The statements of all parts that have a formula, as text and read back from it, with the claim's id."""
    return [
        (name, text, Statement.read(text))
        for name, entry in entries.items()
        for part in entry.claim.parts
        for text in part.formal
    ]


def test_formulas_of_the_ledger_can_be_read_back(statements):
    assert len(statements) >= len(STATEMENTS) // 2
    assert all(isinstance(statement.conclusion, sp.Basic) for _, _, statement in statements)


def test_no_formula_of_the_ledger_has_a_word_as_a_product_of_letters(statements):
    upright = re.compile(r"\\(?:mathrm|text|operatorname|mathbb|mathcal|mathbf)\{[^}]*\}|\\[a-zA-Z]+")
    for name, text, _ in statements:
        (said,) = together((text,))
        formulas = [upright.sub(" ", one) for one in said.split("$")[1::2]]
        assert not any(re.search(r"[a-zA-Z]{3,}", one) for one in formulas), (name, said)


def test_no_formula_of_the_ledger_says_that_a_thing_is_itself(statements):
    for name, _, statement in statements:
        left, *right = statement.conclusion.args
        assert right != [left], name


def test_two_symbols_of_one_name_are_refused_if_both_are_shown():
    one, other = sp.Symbol("x", positive=True), sp.Symbol("x", real=True)
    with pytest.raises(ValueError, match="two symbols of the same name"):
        symbolic(sp.Le(one, other + 1, evaluate=False))
    with pytest.raises(ValueError, match="two symbols of the same name"):
        symbolic(sp.Le(one, 1, evaluate=False), given=(sp.Ge(other, 2, evaluate=False),))
    # A name that stands in no formula only tells at which value the steps are used.
    assert symbolic(sp.Le(one, 1, evaluate=False), where={other: one})


def test_an_assumption_about_the_entries_of_a_vector_shows_their_index():
    entry, total = sp.symbols("a S", real=True)
    length = sp.Symbol("n", integer=True, nonnegative=True)
    (text,) = symbolic(
        sp.Ge(total, 0, evaluate=False),
        given=(sp.Ge(entry, 0, evaluate=False),),
        where={total: sum_over_entries(entry, (entry,), length)},
    )
    said = Statement.read(text).latex()
    assert r"${a}_{i} \geq 0$" in said
    assert r"$a \geq 0$" not in said
