"""Formal statements as sentences: nothing is left out, and each variable has its domain."""

import re

import pytest
import sympy as sp

from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.sentences import conditions, formula
from pan_proofs.ledger.statements import Statement, symbolic, together
from pan_proofs.ledger.steps import counterexample

a, b, c, p, q = sp.symbols("a b c p q", real=True)
n = sp.Symbol("n", integer=True, positive=True)
T = sp.Symbol("T", integer=True, positive=True)
TERMS = [a**power + b for power in range(2, 24)]


def at_most(smaller, larger):
    return sp.Le(smaller, larger, evaluate=False)


def test_terms_with_one_upper_bound_are_a_maximum_and_none_is_left_out():
    said = formula(sp.And(*(at_most(term, a * b) for term in TERMS)))
    assert said.startswith(r"\max\{")
    assert said.endswith(r"\} \leq a b")
    assert said.count(r"\leq") == 1
    assert all(sp.latex(term) in said for term in TERMS)
    assert said.count(", ") == len(TERMS) - 1


def test_terms_with_one_lower_bound_are_a_minimum():
    assert formula(sp.And(*(sp.Lt(a * b, term, evaluate=False) for term in TERMS))).startswith(r"a b < \min\{")


def test_strict_bounds_and_others_are_apart():
    said = formula(sp.And(at_most(a, b * c), sp.Lt(b, b * c, evaluate=False), at_most(c + 1, b * c)))
    assert said == r"\max\{a, c + 1\} \leq b c \;\wedge\; b < b c"


def test_conjuncts_with_nothing_in_common_are_all_shown():
    relations = [sp.Eq(sp.Symbol(f"y_{number}"), number**3 + 7 * a, evaluate=False) for number in range(40)]
    said = formula(sp.And(*relations))
    assert said.count("=") == 40
    assert said.count(r"\wedge") == 39


def test_the_parts_of_other_combinations_are_all_shown():
    cases = [at_most(term, number) for number, term in enumerate(TERMS)]
    assert formula(sp.Or(*cases)).count(r"\leq") == len(TERMS)
    both = sp.Implies(sp.And(*cases), sp.Or(*cases), evaluate=False)
    assert formula(both).count(r"\leq") == 2 * len(TERMS)


def test_two_bounds_of_one_side_are_a_chain():
    assert formula(sp.And(sp.Gt(a * b, 0), at_most(a * b, 1))) == r"0 < a b \leq 1"


@pytest.mark.parametrize(
    ("variables", "given", "told"),
    [
        ((a, b), (sp.Gt(a, 1), sp.Gt(b, 1)), ("a, b > 1",)),
        ((p, q), (sp.Gt(p, 0), sp.Lt(p, q), sp.Lt(q, 1)), ("0 < p < q < 1",)),
        ((p, q), (sp.Ge(p, 0), sp.Le(p, 1), sp.Ge(q, 0), sp.Le(q, 1)), (r"0 \leq p, q \leq 1",)),
        ((a, n), (sp.Ge(n, 2),), (r"a \in \mathbb{R}", r"n \in \{1, 2, \ldots\}", r"n \geq 2")),
        ((sp.Symbol("e", positive=True),), (), ("e > 0",)),
        ((sp.Symbol("e", positive=True),), (sp.Symbol("e", positive=True) > 1,), ("e > 1",)),
        ((sp.Symbol("e", positive=True),), (sp.Symbol("e", positive=True) < 1,), ("0 < e < 1",)),
        ((a, b), (sp.Lt(a, b),), (r"a, b \in \mathbb{R}", "a < b")),
        ((n,), (sp.Or(sp.Eq(n, 2), sp.Eq(n, 5)),), (r"n \in \{2, 5\}",)),
        ((a, b), (sp.Or(sp.Eq(a, 0), sp.Eq(a, 1)), sp.Or(sp.Eq(b, 0), sp.Eq(b, 1))), (r"a, b \in \{0, 1\}",)),
        ((a,), (sp.Ne(a, 0), sp.Gt(a**2, 1)), (r"a \in \mathbb{R}", r"a \neq 0", "a^{2} > 1")),
    ],
)
def test_domains_and_bounds(variables, given, told):
    assert conditions(variables, given) == told


def test_bounds_in_a_circle_are_all_shown():
    told = conditions((a, b), (at_most(a, b), at_most(b, a)))
    assert told == (r"a, b \in \mathbb{R}", r"a \leq b \leq a")


def test_the_entries_of_a_vector_have_their_places():
    x, i = sp.IndexedBase(sp.Symbol("x", integer=True)), sp.Symbol("i", integer=True)
    total = sp.Symbol("S", real=True)
    bits = sp.Or(sp.Eq(x[i], 0, evaluate=False), sp.Eq(x[i], 1, evaluate=False), evaluate=False)
    grows = sp.Ge(x[i], x[i - 1], evaluate=False)
    where = {total: sp.Sum(x[i], (i, 1, T))}
    (text,) = symbolic(at_most(total, T), given=(bits, grows), where=where)
    said = Statement.read(text).latex()
    assert r"for $i = 1, \ldots, T$, ${x}_{i} \in \{0, 1\}$, and for $i = 2, \ldots, T$, ${x}_{i} \geq" in said
    (text,) = symbolic(at_most(total, T), given=(bits, grows, sp.Eq(x[0], 0, evaluate=False)), where=where)
    assert "i = 2" not in Statement.read(text).latex()


def test_conclusions_with_the_same_assumptions_are_one_sentence():
    texts = symbolic(sp.Lt(a, b), sp.Gt(b, a**2), given=(sp.Gt(a, 0), sp.Lt(a, b / 2)))
    (said,) = together(texts)
    assert said.count("If ") == 1
    assert said.endswith("then $a < b$; $b > a^{2}$.")
    other = symbolic(sp.Lt(a, c), given=(sp.Gt(a, 0),))
    assert len(together([*texts, *other])) == 2


def test_of_refuted_statements_each_is_a_sentence():
    texts = symbolic(sp.Lt(a, b), sp.Gt(b, a**2), given=(sp.Gt(a, 0),), refuted=True)
    assert [said[:16] for said in together(texts)] == ["It is false that"] * 2


def test_parentheses_grow_around_fractions_alone():
    said = formula(sp.Lt((a + 1) * (b + c), sp.exp(a) * (b / (c + 1) + 1)))
    assert "(a + 1)" in said
    assert r"\bigl(\frac{b}{c + 1} + 1\bigr)" in said
    assert r"\left" not in said


def test_a_sum_begins_with_a_term_without_a_minus():
    assert tex(b - a) == "b - a"
    assert tex(1 - a) == "1 - a"
    assert tex(-a - b) == "- a - b"


def test_among_fractions_a_number_comes_first():
    assert tex(a / 4 + sp.Rational(1, 2)) == r"\frac{1}{2} + \frac{a}{4}"
    assert tex(a / 2 - sp.Rational(1, 2)) == r"\frac{a}{2} - \frac{1}{2}"
    assert tex(2 * a + 1) == "2 a + 1"


def test_two_signs_do_not_stand_side_by_side():
    one = -((b - 1) ** 2) / ((b - b * c + c) * (b * c - c + 1))
    assert "- -" not in tex(a - one)
    assert tex(a - one).startswith("a + ")
    terms = sp.Add(a, sp.Mul(-1, b, c + a - 1, evaluate=False), evaluate=False)
    assert tex(terms) == r"a - b \left(a + c - 1\right)"
    assert tex(a * sp.log(a) - (a - 1) * sp.log(a - 1)).count("a - 1") == 2


def test_a_minus_before_a_fraction_goes_into_a_difference():
    assert tex(-1 / (a**2 - 1)) == r"\frac{1}{1 - a^{2}}"
    assert tex(-(a + b - 1) / (b - a + 1)) == r"\frac{1 - a - b}{b - a + 1}"
    assert tex(-(a + b) / c) == r"- \frac{a + b}{c}"
    assert tex(-a * (1 - b) / (3 - c)) == r"- \frac{a \left(1 - b\right)}{3 - c}"


def test_the_square_of_a_share_less_one_is_that_of_what_is_left():
    share = sp.Symbol("delta_1", positive=True)
    assert tex((share - 1) ** 2) == r"\left(1 - \delta_{1}\right)^{2}"
    assert tex((a - 1) ** 2) == r"\left(a - 1\right)^{2}"


def test_fractions_of_hundreds_are_decimals_if_they_end():
    assert tex(sp.Rational(6321, 10000)) == "0.6321"
    assert tex(10 ** sp.Rational(117, 200)) == "10^{0.585}"
    assert tex(sp.Rational(1, 3)) == r"\frac{1}{3}"
    assert tex(sp.Rational(63, 256)) == r"\frac{63}{256}"


def test_integers_that_end_in_many_zeros_are_powers_of_ten():
    assert tex(sp.Integer(-40000)) == "-40000"
    assert tex(sp.Integer(8 * 10**32)) == r"8 \cdot 10^{32}"
    assert tex(sp.Rational(1, 10**9)) == r"\frac{1}{10^{9}}"
    assert tex(sp.Integer(10**9) ** a) == r"\left(10^{9}\right)^{a}"


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (sp.Rational(2, 3), r"\frac{2}{3} &> 0"),
        (sp.Rational(2149, 17), r"\frac{2149}{17} = 126.4\ldots &> 0"),
        (402 * sp.sqrt(2) * 200, r"80400 \sqrt{2} = 113702.7\ldots &> 0"),
        (sp.Rational(140737488355328, 125), r"= 1.125\ldots \cdot 10^{12} &> 0"),
        (sp.Integer(2298519552), r"\quad 2298519552 &> 0"),
        (sp.E, r"e = 2.718\ldots &> 0"),
        (sp.Rational(10077696, 100000), r"100.77696 &> 0"),
        (sp.Rational(1, 1250000), r"\frac{1}{1250000} = 8 \cdot 10^{-7} &> 0"),
        (sp.Rational(1, 3 * 10**6), r"\frac{1}{3000000} = 3.333\ldots \cdot 10^{-7} &> 0"),
    ],
)
def test_decimals_are_cut_off_and_short_fractions_have_none(value, digits):
    step = counterexample("name", "A text.", sp.Le(a, 0, evaluate=False), {a: value})
    assert step.lines[0].endswith(digits)


def test_no_formal_statement_of_the_ledger_is_cut_short(entries):
    """Each side of each relation of a conclusion is displayed, and each assumption has its sign."""
    signs = re.compile(r"\\leq|\\geq|<|>|=|\\neq|\\in\b")
    for name, entry in entries.items():
        for part in entry.claim.parts:
            for text in part.formal:
                (said,) = together((text,))
                assert not re.search(r"\d+ more\b", said), name
                assert "for ," not in said, (name, said)
                assert said.endswith("."), name
                assert signs.search(said), (name, said)
