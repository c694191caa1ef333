"""A printed formula has the value of the expression: the signs, orders and fractions of the printer change nothing."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.sentences import formula

a, b, c, share = sp.symbols("a b c delta_1", positive=True)
AT = {a: Fraction(3, 7), b: Fraction(11, 5), c: Fraction(13, 4), share: Fraction(2, 9)}
_LETTERS = {"a": a, "b": b, "c": c, r"\delta_{1}": share}
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


_leaves = st.sampled_from([a, b, c, share, *map(sp.Integer, (-2, -1, 1, 2, 3)), sp.Rational(1, 2), sp.Rational(-3, 4)])
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
    stated = sp.Lt(left, right, evaluate=False)
    try:
        values = [_value(side) for side in (left, right)]
    except (TypeError, ValueError, ZeroDivisionError):
        assume(False)
    shown = re.split(r" < ", formula(stated))
    assert [Reader(side).read() for side in shown] == values


@pytest.mark.parametrize(("text", "value"), [("a - b", AT[a] - AT[b]), (r"\frac{a}{2} c^{2}", AT[a] / 2 * AT[c] ** 2)])
def test_the_reader_reads_formulas(text, value):
    assert Reader(text).read() == value


@pytest.mark.parametrize("text", ["a + - b", "a - - b", "x + 1", r"\frac{a}"])
def test_the_reader_refuses_what_is_no_formula(text):
    with pytest.raises((AssertionError, ValueError)):
        Reader(text).read()
