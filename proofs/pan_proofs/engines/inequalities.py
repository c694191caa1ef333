"""Polynomial inequalities with their three controls, put to the solvers as SMT-LIB text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

from pan_proofs.engines.obligation import SOLVERS, Answer, Check, Kind, Obligation, ask, minted
from pan_proofs.engines.relations import eq, gt, le

SIGNS = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "=", "distinct": "distinct"}
OPERATORS = {sp.Ge: ">=", sp.Le: "<=", sp.Gt: ">", sp.Lt: "<", sp.Eq: "=", sp.Ne: "distinct"}

NEGATION = "the negation has no solution"
"""The question that marks an inequality among the obligations."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""The names of which the solvers can be told."""

_SLIGHTLY_LESS = sp.Rational(999, 1000)
_HIGHEST = 1000
"""The highest power that is written out for the solvers."""


@dataclass(frozen=True)
class Inequality:
    """``smaller <= larger`` (or ``<``) for all values that satisfy the hypotheses.

    Attributes
    ----------
    name
        Name of the obligation.
    smaller, larger
        The two sides: rational functions with rational coefficients.
    hypotheses
        Relations between the variables.
    strict
        Whether the two sides may not be equal.
    gap
        For a bound that is not tight: a factor below 1 with ``smaller <= gap * larger`` still true. Without one the
        solvers look for a point, of the region or of its closure, where the sides are equal: the bound is attained,
        or approached.
    weaker
        The factor of the mutant: ``smaller <= weaker * larger`` must be refuted. If it is less than the usual one, the
        sides must be equal where they are not zero: there no factor is needed.
    raised
        For a bound that no factor strengthens, as ``0 <= larger``: the mutant is ``smaller + raised <= larger``.
    """

    name: str
    smaller: sp.Expr
    larger: sp.Expr
    hypotheses: tuple[Relational, ...]
    strict: bool = False
    gap: sp.Rational | None = None
    weaker: sp.Rational = _SLIGHTLY_LESS
    raised: sp.Rational | None = None

    @property
    def statement(self) -> str:
        """The inequality in words of sympy."""
        sign = "<" if self.strict else "<="
        conditions = ", ".join(sp.sstr(hypothesis) for hypothesis in self.hypotheses)
        return f"{sp.sstr(self.smaller)} {sign} {sp.sstr(self.larger)} whenever {conditions}"

    def discharge(self) -> Obligation:
        """Refute the negation, and run the three controls.

        Raises
        ------
        ValueError
            If a factor does not strengthen the statement.
        """
        relation = sp.Lt if self.strict else sp.Le
        goal = relation(self.smaller, self.larger, evaluate=False)
        if self.raised is None:
            mutant = le(self.smaller, self.weaker * self.larger)
            strengthened = self._strengthens(self.weaker)
        else:
            if not self.raised > 0:
                raise ValueError(f"{self.name}: raising the smaller side by {self.raised} does not strengthen it")
            mutant = le(self.smaller + self.raised, self.larger)
            strengthened = []
        refuted = solver_checks("the mutant is refuted", [*self.hypotheses, sp.Not(mutant, evaluate=False)], Answer.SAT)
        checks = [
            *solver_checks(NEGATION, [*self.hypotheses, sp.Not(goal, evaluate=False)], Answer.UNSAT),
            *fewer_conditions("the hypotheses have a solution", list(self.hypotheses), refuted),
            *refuted,
            *self._defined(),
            *strengthened,
        ]
        if self.gap is not None:
            slack = le(self.smaller, self.gap * self.larger)
            checks += solver_checks(
                f"there is a gap: factor {self.gap}", [*self.hypotheses, sp.Not(slack, evaluate=False)], Answer.UNSAT
            )
            checks += self._strengthens(self.gap)
        else:
            equal = [*map(_relaxed, self.hypotheses), eq(self.smaller, self.larger)]
            question = "the sides are equal somewhere"
            if self.raised is None and self.weaker < _SLIGHTLY_LESS:
                equal.append(sp.Ne(self.larger, 0, evaluate=False))
                question += ", and not zero"
            checks += solver_checks(question, equal, Answer.SAT, closed=True)
        return minted(self.name, self.statement, checks, Kind.INEQUALITY, (goal,), self.hypotheses)

    def _defined(self) -> list[Check]:
        """Neither side divides by zero, as it is written: what sympy cancels, the solvers do not see."""
        powers = sorted(_powers(self.smaller) | _powers(self.larger), key=sp.default_sort_key)
        bottoms = dict.fromkeys(power.base for power in powers if power.exp.is_negative)
        vanishing = [eq(bottom, 0) for bottom in bottoms if not bottom.is_Number]
        return [
            check
            for one in vanishing
            for check in solver_checks(f"{sp.sstr(one.lhs)} does not vanish", [*self.hypotheses, one], Answer.UNSAT)
        ]

    def _strengthens(self, factor: sp.Rational) -> list[Check]:
        """A factor strengthens a bound if it is below 1 and the bound positive, or above 1 and the bound negative."""
        if 0 < factor < 1:
            return []
        if factor <= 1:
            raise ValueError(f"{self.name}: the factor {factor} does not strengthen the statement")
        positive = gt(self.larger, 0)
        return solver_checks("the bound is not positive", [*self.hypotheses, positive], Answer.UNSAT)


def _powers(side: sp.Expr) -> set[sp.Expr]:
    found: set[sp.Expr] = sp.sympify(side).atoms(sp.Pow)
    return found


def _relaxed(relation: sp.Basic) -> sp.Basic:
    """A relation's closure, so that a bound may be approached at the edge of an open region."""
    closed = {sp.StrictGreaterThan: sp.Ge, sp.StrictLessThan: sp.Le}.get(relation.func)
    return closed(*relation.args) if closed else relation


def smt_script(conditions: Sequence[sp.Basic], *, integers: bool = False, closed: bool = False) -> str:
    """An SMT-LIB script that asserts sympy relations between rational functions of real symbols.

    The assumptions of sympy on a symbol's sign are asserted too: a relation that follows is ``true`` for sympy, and
    would be lost.

    Parameters
    ----------
    conditions
        The relations.
    integers
        Whether symbols that sympy knows as integers are integers. Without this a solution may have fractions in their
        place; that no such solution exists says more, that one exists says less.
    closed
        Whether a symbol that sympy knows as positive may be zero.
    """
    symbols = set().union(*(condition.free_symbols for condition in conditions))
    whole = frozenset(symbol for symbol in symbols if integers and symbol.is_integer)
    lines = ["(set-logic QF_NIRA)" if whole else "(set-logic QF_NRA)", *declarations(symbols, whole, closed=closed)]
    lines += [f"(assert {condition_text(condition)})" for condition in conditions]
    return "\n".join(lines) + "\n"


def declarations(
    symbols: Iterable[sp.Symbol], whole: frozenset[sp.Symbol] = frozenset(), *, closed: bool = False
) -> list[str]:
    """SMT-LIB text that declares real symbols, some of them as integers, with the signs that sympy knows.

    Raises
    ------
    ValueError
        For two symbols of one name, a name that is no word, and a symbol that may be complex or infinite.
    """
    ordered = sorted(symbols, key=str)
    if len({str(symbol) for symbol in ordered}) < len(ordered):
        raise ValueError(f"two symbols have the same name, among {ordered}: the solvers would take them for one")
    lines = []
    for symbol in ordered:
        if not NAME.fullmatch(str(symbol)):
            raise ValueError(f"the solvers cannot be told of the symbol {str(symbol)!r}")
        # A variable of the kernel's own stands for a real number.
        if not (symbol.is_real or symbol.is_Dummy or symbol.assumptions0 == {"commutative": True}):
            raise ValueError(f"{symbol} may be complex or infinite; declare it real")
        if symbol in whole:
            lines += [f"(declare-const |whole {symbol}| Int)"]
            lines += [f"(define-fun {symbol} () Real (to_real |whole {symbol}|))"]
        else:
            lines += [f"(declare-const {symbol} Real)"]
    told = ((one, _sign(one)) for one in ordered)
    ends = {">": ">=", "<": "<="} if closed else {}
    return lines + [f"(assert ({ends.get(sign, sign)} {one} {_end(one, sign)}))" for one, sign in told if sign]


def _sign(symbol: sp.Symbol) -> str:
    positive, negative = (">=", "<=") if symbol.is_integer else (">", "<")
    known = (
        (positive, symbol.is_positive),
        (negative, symbol.is_negative),
        (">=", symbol.is_nonnegative),
        ("<=", symbol.is_nonpositive),
    )
    return next((sign for sign, holds in known if holds), "")


def _end(symbol: sp.Symbol, sign: str) -> str:
    """The number with which a symbol of known sign is compared: an integer that is positive is at least 1."""
    if symbol.is_integer and (symbol.is_positive or symbol.is_negative):
        return "1" if sign == ">=" else "(- 1)"
    return "0"


def solver_checks(
    question: str, conditions: Sequence[sp.Basic], expected: Answer, *, closed: bool = False
) -> list[Check]:
    """The answers of both solvers to the question whether conditions have a common solution.

    Parameters
    ----------
    question
        The question in words.
    conditions
        Relations between rational functions, and combinations of them.
    expected
        ``UNSAT`` if they must have none, ``SAT`` if they must have one.
    closed
        As in :func:`smt_script`.
    """
    # Only a solution in the numbers that the symbols stand for shows that there is one.
    if expected is Answer.SAT and (hidden := hidden_kinds(conditions)):
        question = f"{question}, with all that is known of {', '.join(hidden)}"
        return [Check(question, solver, expected, Answer.UNKNOWN) for solver in SOLVERS]
    script = smt_script(conditions, integers=expected is Answer.SAT, closed=closed)
    return [Check(question, solver, expected, ask(solver, script)) for solver in SOLVERS]


def fewer_conditions(question: str, conditions: Sequence[sp.Basic], more: Sequence[Check]) -> list[Check]:
    """The answers to the question whether conditions have a common solution, after that with more conditions.

    A solver that has found a solution with more conditions has found one here.

    Parameters
    ----------
    question, conditions
        As for :func:`solver_checks`.
    more
        The answers of all solvers to the question whether these and other conditions have a common solution.
    """
    if all(check.answer is Answer.SAT for check in more):
        return [Check(question, check.engine, Answer.SAT, Answer.SAT) for check in more]
    return solver_checks(question, conditions, Answer.SAT)


def hidden_kinds(conditions: Sequence[sp.Basic]) -> list[str]:
    """The symbols of which sympy knows something that the solvers are not told: even, prime, irrational, not zero."""
    symbols: set[sp.Symbol] = set().union(*(one.free_symbols for one in conditions))
    return sorted(str(one) for one in symbols if one.assumptions0 not in _told_kinds())


@cache
def _told_kinds() -> tuple[dict[str, bool], ...]:
    """The facts that sympy has of a symbol that is declared real or an integer, with a sign or without one."""
    signs = ("positive", "negative", "nonnegative", "nonpositive")
    kinds = [
        {number: True, **({sign: True} if sign else {})} for number in ("real", "integer") for sign in (*signs, "")
    ]
    return ({"commutative": True}, *(sp.Symbol("x", **kind).assumptions0 for kind in kinds))


@cache
def condition_text(condition: sp.Basic) -> str:
    """SMT-LIB text of a combination of relations between rational functions."""
    if isinstance(condition, sp.Not):
        return f"(not {condition_text(condition.args[0])})"
    if isinstance(condition, BooleanFunction):
        name = {sp.And: "and", sp.Or: "or"}[condition.func]
        return f"({name} {' '.join(condition_text(part) for part in condition.args)})"
    if condition in (sp.true, sp.false):
        return str(condition).lower()
    if not isinstance(condition, Relational):
        raise TypeError(f"only relations and their combinations can be asked, got {condition!r}")
    operator = OPERATORS[condition.func]
    numerator, denominator = as_fraction(condition.args[0] - condition.args[1])
    if denominator.is_Number:
        return f"({operator} {term(numerator / denominator)} 0)"
    # The sign of the denominator is not assumed: both cases are spelt out, and it may not vanish.
    top, bottom = term(numerator), term(denominator)
    return f"(or (and (> {bottom} 0) ({operator} {top} 0)) (and (< {bottom} 0) ({SIGNS[operator]} {top} 0)))"


def as_fraction(expression: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Numerator and denominator, as they stand: the solvers multiply out faster than sympy."""
    whole = all(power.exp.is_Integer and power.exp.is_positive for power in expression.atoms(sp.Pow))
    if whole:
        return expression, sp.S.One
    top, bottoms = _over_bottoms(expression)
    return top, sp.Mul(*(base**power for base, power in bottoms.items()))


def _over_bottoms(expression: sp.Expr) -> tuple[sp.Expr, dict[sp.Expr, int]]:
    """A numerator, and the powers of the denominator by their bases; no common factor is looked for."""
    if expression.is_Add:
        parts = [_over_bottoms(part) for part in expression.args]
        common: dict[sp.Expr, int] = {}
        for _, bottoms in parts:
            for base, power in bottoms.items():
                common[base] = max(power, common.get(base, 0))
        tops = (
            top * sp.Mul(*(base ** (power - bottoms.get(base, 0)) for base, power in common.items()))
            for top, bottoms in parts
        )
        return sp.Add(*tops), common
    if expression.is_Mul:
        factors = [_over_bottoms(part) for part in expression.args]
        product: dict[sp.Expr, int] = {}
        for _, bottoms in factors:
            for base, power in bottoms.items():
                product[base] = product.get(base, 0) + power
        return sp.Mul(*(top for top, _ in factors)), product
    if not (expression.is_Pow and expression.exp.is_Integer):
        return expression, {}
    top, bottoms = _over_bottoms(expression.base)
    power = int(expression.exp)
    if power > 0:
        return top**power, {base: one * power for base, one in bottoms.items()}
    turned = sp.Mul(*(base ** (-one * power) for base, one in bottoms.items()))
    if top.is_Number:
        return turned * top**power, {}
    # Bases that differ in their sign are one.
    if top.could_extract_minus_sign():
        return (-turned if power % 2 else turned), {-top: -power}
    return turned, {top: -power}


def term(expression: sp.Expr) -> str:
    """SMT-LIB text of a polynomial."""
    if expression.is_Symbol:
        return str(expression)
    if expression.is_Rational:
        size = f"(/ {abs(expression.p)} {expression.q})" if expression.q != 1 else str(abs(expression.p))
        return f"(- {size})" if expression.p < 0 else size
    if expression.is_Add or expression.is_Mul:
        name = "+" if expression.is_Add else "*"
        return f"({name} {' '.join(term(part) for part in expression.args)})"
    if isinstance(expression, sp.Abs):
        inside = term(expression.args[0])
        return f"(ite (>= {inside} 0) {inside} (- {inside}))"
    if expression.is_Pow and expression.exp.is_Integer and expression.exp > 1:
        if expression.exp > _HIGHEST:
            raise ValueError(f"{expression} has a power above {_HIGHEST}, which the solvers are not asked about")
        return f"(* {' '.join([term(expression.base)] * int(expression.exp))})"
    raise TypeError(f"not a polynomial with rational coefficients: {expression!r}")
