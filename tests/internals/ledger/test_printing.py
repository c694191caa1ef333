"""Formulas for readers: their values, terms, domains and assumptions are those of what is stated, and none is lost."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.contents import Contents
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.registry import contributions
from pan_proofs.ledger.sentences import conditions, formula
from pan_proofs.ledger.statements import Statement, symbolic, together
from pan_proofs.ledger.steps import counterexample
from pan_proofs.ledger.symbols import displayed, symbols, undefined
from pan_proofs.rendering.folding import LINE, folded, width
from tests.internals.ledger.displays import Unreadable, agree, equations, names
from tests.mutants.statements.reading import le, lt

A, B, C, share = sp.symbols("a b c delta_1", positive=True)
AT = {A: Fraction(3, 7), B: Fraction(11, 5), C: Fraction(13, 4), share: Fraction(2, 9)}
_LETTERS = {"a": A, "b": B, "c": C, r"\delta_{1}": share}
_TOKEN = re.compile(r"\\frac|\\cdot|\\delta_\{1\}|\d+(?:\.\d+)?|[abc]|[-+(){}^]")


class Reader:
    """The value of a formula in LaTeX: sums, products side by side, fractions and whole powers."""

    def __init__(self, text: str) -> None:
        plain = re.sub(r"\\(?:left|right|bigl|bigr)(?![a-zA-Z])", "", text)
        self.tokens = _TOKEN.findall(plain)
        assert "".join(self.tokens) == "".join(plain.split()), f"no such formula: {text}"
        self.at = 0

    def read(self) -> Fraction:
        found = self.total()
        assert self.at == len(self.tokens)
        return found

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token: str) -> None:
        assert self.next() == token, (self.tokens, self.at)
        self.at += 1

    def total(self) -> Fraction:
        sign = 1
        if self.next() == "-":
            self.take("-")
            sign = -1
        found = sign * self.product()
        while self.next() in ("+", "-"):
            sign = 1 if self.next() == "+" else -1
            self.take(self.next())
            # A second sign is no term.
            found += sign * self.product()
        return found

    def product(self) -> Fraction:
        found = self.power()
        while self.next() not in ("", "+", "-", ")", "}"):
            if self.next() == r"\cdot":
                self.take(r"\cdot")
            found *= self.power()
        return found

    def power(self) -> Fraction:
        base = self.atom()
        if self.next() != "^":
            return base
        self.take("^")
        exponent = self.group()
        assert exponent.denominator == 1
        return base ** int(exponent)

    def atom(self) -> Fraction:
        token = self.next()
        if token == "(":
            return self.between("(", ")")
        if token == "{":
            return self.group()
        self.take(token)
        if token == r"\frac":
            top = self.group()
            return top / self.group()
        if token in _LETTERS:
            return AT[_LETTERS[token]]
        return Fraction(token)

    def group(self) -> Fraction:
        return self.between("{", "}")

    def between(self, start: str, end: str) -> Fraction:
        self.take(start)
        found = self.total()
        self.take(end)
        return found


def _value(expression: sp.Expr) -> Fraction:
    exact = sp.Rational(expression.subs({symbol: sp.Rational(one) for symbol, one in AT.items()}))
    return Fraction(int(exact.p), int(exact.q))


_leaves = st.sampled_from([A, B, C, share, *map(sp.Integer, (-2, -1, 1, 2, 3)), sp.Rational(1, 2), sp.Rational(-3, 4)])
_expressions = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(lambda pair: sp.Mul(-1, *pair, evaluate=False)),
        st.tuples(inner, inner).map(lambda pair: sp.Add(*pair, evaluate=False)),
        st.tuples(inner, inner).filter(lambda pair: pair[1] != 0).map(lambda pair: pair[0] / pair[1]),
        st.tuples(inner, st.sampled_from([-2, -1, 2, 3]))
        .filter(lambda pair: pair[0] != 0)
        .map(lambda pair: pair[0] ** pair[1]),
    ),
    max_leaves=9,
)


@given(_expressions)
def test_a_printed_expression_has_its_value(expression):
    try:
        value = _value(expression)
    except (TypeError, ValueError, ZeroDivisionError):
        assume(False)
    assert Reader(tex(expression)).read() == value, tex(expression)


@given(_expressions, _expressions)
def test_the_sides_of_a_printed_relation_have_their_values(left, right):
    stated = lt(left, right)
    try:
        values = [_value(side) for side in (left, right)]
    except (TypeError, ValueError, ZeroDivisionError):
        assume(False)
    shown = re.split(r" < ", formula(stated))
    assert [Reader(side).read() for side in shown] == values


a, b, p, q = sp.symbols("a b p q", real=True)
n, T = sp.symbols("n T", integer=True, positive=True)
TERMS = [a**power + b for power in range(2, 24)]


def test_terms_with_one_upper_bound_are_a_maximum_and_none_is_left_out():
    said = formula(sp.And(*(le(term, a * b) for term in TERMS)))
    assert said.startswith(r"\max\{")
    assert said.endswith(r"\} \leq a b")
    assert said.count(r"\leq") == 1
    assert all(sp.latex(term) in said for term in TERMS)
    assert said.count(", ") == len(TERMS) - 1


def test_the_parts_of_other_combinations_are_all_shown():
    cases = [le(term, number) for number, term in enumerate(TERMS)]
    assert formula(sp.Or(*cases)).count(r"\leq") == len(TERMS)
    both = sp.Implies(sp.And(*cases), sp.Or(*cases), evaluate=False)
    assert formula(both).count(r"\leq") == 2 * len(TERMS)


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
    told = conditions((a, b), (le(a, b), le(b, a)))
    assert told == (r"a, b \in \mathbb{R}", r"a \leq b \leq a")


def test_the_entries_of_a_vector_have_their_places():
    x, i = sp.IndexedBase(sp.Symbol("x", integer=True)), sp.Symbol("i", integer=True)
    total = sp.Symbol("S", real=True)
    bits = sp.Or(sp.Eq(x[i], 0, evaluate=False), sp.Eq(x[i], 1, evaluate=False), evaluate=False)
    grows = sp.Ge(x[i], x[i - 1], evaluate=False)
    where = {total: sp.Sum(x[i], (i, 1, T))}
    (text,) = symbolic(le(total, T), given=(bits, grows), where=where)
    said = Statement.read(text).latex()
    assert r"for $i = 1, \ldots, T$, ${x}_{i} \in \{0, 1\}$, and for $i = 2, \ldots, T$, ${x}_{i} \geq" in said
    (text,) = symbolic(le(total, T), given=(bits, grows, sp.Eq(x[0], 0, evaluate=False)), where=where)
    assert "i = 2" not in Statement.read(text).latex()


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


def test_formulas_of_the_ledger_are_whole_and_have_no_word_as_a_product_of_letters(entries):
    signs = re.compile(r"\\leq|\\geq|<|>|=|\\neq|\\in\b")
    upright = re.compile(r"\\(?:mathrm|text|operatorname|mathbb|mathcal|mathbf)\{[^}]*\}|\\[a-zA-Z]+")
    formal = [(name, text) for name, entry in entries.items() for part in entry.claim.parts for text in part.formal]
    assert len(formal) > 600
    for name, text in formal:
        (said,) = together((text,))
        assert "for ," not in said, (name, said)
        assert said.endswith("."), (name, said)
        assert signs.search(said), (name, said)
        formulas = [upright.sub(" ", one) for one in said.split("$")[1::2]]
        assert not any(re.search(r"[a-zA-Z]{3,}", one) for one in formulas), (name, said)
        left, *right = Statement.read(text).conclusion.args
        assert right != [left], name


def test_two_symbols_of_one_name_are_refused_if_both_are_shown():
    one, other = sp.Symbol("x", positive=True), sp.Symbol("x", real=True)
    with pytest.raises(ValueError, match="two symbols of the same name"):
        symbolic(sp.Le(one, other + 1, evaluate=False))
    with pytest.raises(ValueError, match="two symbols of the same name"):
        symbolic(sp.Le(one, 1, evaluate=False), given=(sp.Ge(other, 2, evaluate=False),))
    # A name that stands in no formula only tells at which value the steps are used.
    assert symbolic(sp.Le(one, 1, evaluate=False), where={other: one})


LONG = sp.latex(sp.expand((A + 2 * B + 3) ** 7))


def content(formula):
    """A formula without what only the layout needs."""
    return re.sub(r"\\quad|\{\}|&|\s|\\big[lr]|\\left|\\right", "", formula)


@pytest.mark.parametrize("left", ["f", LONG[:0], r"g \left(x\right)"])
def test_a_long_sum_is_folded_before_its_signs(left):
    rows = folded([f"{left} &= {LONG}", f"&= {LONG}"])
    assert len(rows) > 4
    assert all(width(row) <= LINE + 6 for row in rows)
    assert all(row.count("{") == row.count("}") and row.count("&") == 1 for row in rows)
    assert content("".join(rows)) == content(f"{left} &= {LONG}&= {LONG}")


def test_no_row_ends_inside_braces_or_after_a_sign():
    formula = rf"\sqrt{{{LONG}}} + 2 \cdot {LONG} = -{LONG}"
    for row in folded([f"&{formula}"]):
        assert row.count("{") == row.count("}")
        assert not row.rstrip().endswith(("+", "-", "=", r"\cdot"))


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        (r"x + y &\le 2", ("x", "y")),
        (r"x_1 = x_i", ("x_{1}", "x_*", "i")),
        (r"{x}_{i - 1} + {x}_{i}", ("x_*", "i")),
        (r"p_{\mathrm{init}} < p_U", (r"p_{\mathrm{init}}", "p_{U}")),
        (r"\varepsilon^\ast \ne \varepsilon^2", (r"\varepsilon^\ast", r"\varepsilon")),
        (r"f'_1 + f_1'", ("f_{1}'",)),
        (r"{P}' - P", ("P'", "P")),
        (r"\frac{d}{dy} \left[ e^{-y} \right]", ("y", "e")),
        (r"\int_0^L g\,dz", ("L", "g", "z")),
        (r"\operatorname{var}(b) \quad\text{at } m", ("b", "m")),
        (r"\mathrm{ratio}_{\mathrm{within}}", (r"\mathrm{ratio}_{\mathrm{within}}",)),
        (r"d(\mathcal{S}_M) \hat d", ("d", r"\mathcal{S}_{M}", r"\hat{d}")),
    ],
)
def test_the_symbols_of_a_formula(formula, found):
    assert symbols(formula) == found


def claim(text="Let $x > 0$.", rows=(r"x &\le \eta",), formal=(), notation=()):
    step = Step("only", text, tuple(rows), ())
    part = Part(Role.PUBLISHED, "a part", "It holds.", (step,), formal=tuple(formal))
    return Claim("test.symbols", "A test", (Reference("here", "a test"),), "It holds.", (part,), notation=notation)


TABLE = Contents("somewhere", notation=((r"$\eta$, $\eta_i$", "a weight"),))


def test_a_symbol_that_nothing_defines_is_found_with_its_place():
    assert displayed(claim()) == {"x": "step only", r"\eta": "step only"}
    assert undefined(claim(), ()) == {r"\eta": "step only"}
    assert undefined(claim(notation=((r"$\eta$", "a weight"),)), ()) == {}
    assert undefined(claim(), (TABLE,)) == {}
    assert undefined(claim(text=r"Let $x > 0$ and $\eta = 2x$."), ()) == {}


def test_an_index_or_a_prime_needs_no_entry_of_its_own():
    rows = (r"x &\le \eta_3 + \eta'",)
    assert undefined(claim(rows=rows), (TABLE,)) == {}
    assert undefined(claim(rows=(r"x &\le \zeta_3",)), (TABLE,)) == {r"\zeta_{3}": "step only"}


@pytest.mark.parametrize(
    "row",
    [
        r"\sum_{j=0}^{2} j &= 3",
        r"\int_0^1 2 u\,du &= 1",
        r"\lim_{n \to \infty} \frac1n &= 0",
        r"\lim_{\eta \to 0} \eta &= 0",
    ],
)
def test_what_the_display_itself_binds_needs_no_definition(row):
    assert undefined(claim(rows=(row,)), ()) == {}


def test_every_symbol_that_a_claim_of_the_ledger_displays_is_defined(entries):
    missing = {
        name: found for name, entry in entries.items() if (found := undefined(entry.claim, contributions([name])))
    }
    told = "; ".join(
        f"{name} displays {', '.join(f'{symbol} ({place})' for symbol, place in found.items())}"
        for name, found in missing.items()
    )
    assert not missing, (
        f"symbols without a definition: {told}. Say what they are in the text of the step, in `notation` of the Claim, "
        "or, if several claims share them, in the notation of the family's Contents"
    )


def test_both_sides_of_a_displayed_equation_have_the_same_numbers(entries):
    compared, families = 0, set()
    for claim in (entry.claim for entry in entries.values()):
        for step in claim.steps:
            for one, other in equations(step.lines):
                with suppress(Unreadable):
                    # With other symbols on one side the other side is their name, or has a name for them.
                    if names(one) == names(other):
                        assert agree(one, other), f"{claim.id}: {step.name}: {one} = {other}"
                        compared += 1
                        families.add(claim.id.partition(".")[0])
    assert compared > 250, compared
    assert families >= {"density", "thesis", "bayesnet", "turnstile", "lecture"}


@pytest.mark.parametrize(
    ("row", "right"),
    [
        (r"\frac{x^{2}}{x} &= x", True),
        (r"\frac{x^{-|n|}}{x} &= x", None),
        (r"(x + 1)^2 &= x^2 + 2 x + 1", True),
        (r"(x + 1)^2 &= x^2 + x + 1", False),
        (r"\log{\left(x \right)}^{2} &= \log{\left(x \right)} \log x", True),
        (r"e^{- a_1} e^{a_1 + b'} &= e^{b'}", True),
        (r"e^{- a_1} e^{a_1 + b'} &= e^{2 b'}", False),
        (r"\tfrac12 + \sqrt{2} &= 1.914\ldots > 1", True),
        (r"\tfrac12 + \sqrt{2} &= 1.915\ldots > 1", False),
        (r"E[X] E[Y] &= E[Y] E[X]", None),
        (r"\max\{x, y\} &= \max\{y, x\}", True),
    ],
)
def test_equations_are_read_back_from_a_display(row, right):
    ((one, other),) = equations((row,))
    try:
        assert agree(one, other) is right
    except Unreadable:
        assert right is None
