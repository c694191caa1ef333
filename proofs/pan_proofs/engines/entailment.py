"""Whether a relation follows from others, decided by z3 and cvc5.

Exponentials, logarithms and roots become variables of which the solvers know only what the theory here says: an
implication that holds for all such variables holds for the functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.identities import abstracted
from pan_proofs.engines.inequalities import (
    NAME,
    OPERATORS,
    SIGNS,
    as_fraction,
    condition_text,
    declarations,
    hidden_kinds,
    term,
)
from pan_proofs.engines.obligation import SOLVERS, Answer, Check, ask
from pan_proofs.engines.points import common_point
from pan_proofs.engines.quantities import quantities_in
from pan_proofs.engines.relations import eq, ge, gt, le, leaves, lt, replaced

_EFFORT = {"z3": 1_500_000, "cvc5": 20_000}
"""Limits in the solvers' own units, so that the answer does not depend on the machine."""


_MOST = 4
"""The largest number of exponentials of which the solvers are told the order."""


_FALSE = lt(sp.Integer(1), sp.Integer(0))

_Power = tuple[sp.Dummy, sp.Expr]
"""A variable that stands for an exponential, and the exponent."""


@dataclass(frozen=True)
class Fact:
    """A relation that is true wherever the conditions are."""

    relation: sp.Basic
    given: tuple[sp.Basic, ...] = ()


def entailment(
    question: str, assumptions: Sequence[sp.Basic], facts: Sequence[Fact], conclusion: sp.Basic
) -> tuple[Check, ...]:
    """The question whether a conclusion holds, and is defined, wherever assumptions do, put to two solvers.

    Parameters
    ----------
    question
        In words.
    assumptions
        Combinations of relations.
    facts
        True relations that may be used as well.
    conclusion
        A combination of relations.

    Returns
    -------
    tuple of Check
        With the answer ``UNKNOWN`` where a solver finds no proof: the facts that were given may not be all there are.
    """
    checks: tuple[Check, ...] = ()
    asked: set[str] = set()
    assumptions, facts, conclusion = _named_plainly(assumptions, facts, conclusion)
    # Relations of exponentials with one another make the work of the solvers longer. They are added only if needed.
    for related in (False, True):
        try:
            script = _script(assumptions, facts, conclusion, related=related)
        except (TypeError, ValueError, AttributeError):
            return (Check(question, SOLVERS[0], Answer.UNSAT, Answer.UNKNOWN),)
        if script not in asked:
            checks = _answers(question, script)
        if any(check.answer is Answer.UNSAT for check in checks):
            break
        asked.add(script)
    return checks


def _named_plainly(
    assumptions: Sequence[sp.Basic], facts: Sequence[Fact], conclusion: sp.Basic
) -> tuple[Sequence[sp.Basic], Sequence[Fact], sp.Basic]:
    """Quantities whose names are formulas get names of which the solvers can be told."""
    parts = [*assumptions, *(part for one in facts for part in (one.relation, *one.given)), conclusion]
    formulas = sorted((one for one in quantities_in(*parts) if not NAME.fullmatch(one.name)), key=str)
    if not formulas:
        return assumptions, facts, conclusion
    table: dict[sp.Basic, sp.Basic] = {one: sp.Dummy(f"quantity{number}") for number, one in enumerate(formulas)}
    return (
        [replaced(one, table) for one in assumptions],
        [Fact(replaced(one.relation, table), tuple(replaced(part, table) for part in one.given)) for one in facts],
        replaced(conclusion, table),
    )


def _answers(question: str, script: str) -> tuple[Check, ...]:
    checks: list[Check] = []
    for solver in SOLVERS:
        try:
            said = ask(solver, script, effort=_EFFORT[solver])
        except RuntimeError:
            said = Answer.UNKNOWN
        checks.append(Check(question, solver, Answer.UNSAT, Answer.UNKNOWN if said is Answer.SAT else said))
        if said not in (Answer.UNSAT, Answer.SKIPPED):
            break
    return tuple(checks)


def contradictory(assumptions: Sequence[sp.Basic]) -> bool:
    """Whether a solver finds that no values satisfy the assumptions, so that everything would follow."""
    return _contradictory(tuple(assumptions))


@cache
def _contradictory(assumptions: tuple[sp.Basic, ...]) -> bool:
    if common_point(assumptions) is not None:
        # A point at which they hold answers the question, and is found faster.
        return False
    if hidden_kinds(assumptions):
        # The solvers do not know that a symbol is even or prime; only a point shows that there is one.
        return True
    said = entailment("", assumptions, (), _FALSE)
    return any(check.answer is Answer.UNSAT for check in said) or _no_integers(assumptions)


def _no_integers(assumptions: Sequence[sp.Basic]) -> bool:
    """Whether a solver finds that no values satisfy the assumptions in which the integers are integers."""
    if not any(symbol.is_integer for one in assumptions for symbol in one.free_symbols):
        return False
    try:
        script = _script(*_named_plainly(assumptions, (), _FALSE), related=False, integers=True)
        return any(ask(solver, script, effort=_EFFORT[solver]) is Answer.UNSAT for solver in SOLVERS)
    except (TypeError, ValueError, AttributeError, RuntimeError):
        return False


def _script(
    assumptions: Sequence[sp.Basic],
    facts: Sequence[Fact],
    conclusion: sp.Basic,
    *,
    related: bool = True,
    integers: bool = False,
) -> str:
    conclusion = sp.And(conclusion, *_defined(conclusion)) if _defined(conclusion) else conclusion
    given = [*assumptions, *(part for one in facts for part in (*one.given, one.relation)), conclusion]
    given = _without_entries(given)
    # Signs that sympy knows and absolute values become variables first, since they may stand inside functions.
    chosen: dict[sp.Expr, sp.Dummy] = {}
    theory: list[sp.Basic] = []
    parts = [_without_choices(part, chosen, theory) for part in given]
    sides = [side for part in (*theory, *parts) for leaf in leaves(part) for side in leaf.args]
    plain, meaning = abstracted(sides)
    # Equal sides are written alike, so that each has one place in the table.
    table = dict(zip(sides, plain, strict=True))
    theory = [replaced(part, table) for part in theory]
    premises = [*theory, *_theory(meaning), *_in_order(meaning), *(_related(meaning) if related else ())]
    count = len(assumptions)
    premises += [replaced(part, table) for part in parts[:count]]
    place = count
    lines = []
    for one in facts:
        size = len(one.given)
        conditions = [replaced(part, table) for part in parts[place : place + size]]
        relation = replaced(parts[place + size], table)
        told = _text(relation, loose=True)
        lines.append(f"(=> (and true {' '.join(_text(one, loose=False) for one in conditions)}) {told})")
        place += size + 1
    goal = replaced(parts[-1], table)
    asserted = [*(_text(one, loose=True) for one in premises), *lines, f"(not {_text(goal, loose=False)})"]
    everything = [*premises, goal, *(replaced(part, table) for part in parts[count:-1])]
    symbols = set().union(*(one.free_symbols for one in everything))
    if not all(NAME.fullmatch(str(symbol)) for symbol in symbols):
        raise ValueError(f"the solvers cannot be told of a symbol among {sorted(map(str, symbols))}")
    body = "".join(f"(assert {one})\n" for one in asserted)
    whole = frozenset(symbol for symbol in symbols if integers and symbol.is_integer)
    logic = "(set-logic QF_NIRA)" if whole else "(set-logic QF_NRA)"
    return "\n".join([logic, *declarations(symbols, whole)]) + "\n" + body


def _without_entries(parts: Sequence[sp.Basic]) -> list[sp.Basic]:
    """Sums of symbolic length and entries of vectors as variables of which nothing is known."""
    table: dict[sp.Basic, sp.Basic] = {}
    for kind in (sp.Sum, sp.Indexed):
        # The entries inside a sum go with it.
        outside = [replaced(part, table) for part in parts]
        found = sorted(set().union(*(part.atoms(kind) for part in outside)), key=sp.default_sort_key)
        table |= {one: sp.Dummy(f"entry{len(table) + number}", real=True) for number, one in enumerate(found)}
    return [replaced(part, table) for part in parts]


def _without_choices(part: sp.Basic, chosen: dict[sp.Expr, sp.Dummy], theory: list[sp.Basic]) -> sp.Basic:
    """Absolute values, maxima and minima as variables, with the conditions that make them that."""
    sides = [side for leaf in leaves(part) for side in leaf.args]
    kinds = (sp.Abs, sp.Max, sp.Min)
    found = sorted(set().union(*(side.atoms(*kinds) for side in sides)), key=lambda one: (one.count_ops(), str(one)))
    for choice in found:
        if choice in chosen:
            continue
        name = chosen[choice] = sp.Dummy(f"choice{len(chosen)}", real=True)
        inside = [one.xreplace(chosen) for one in choice.args]
        inside += [-one for one in inside] if isinstance(choice, sp.Abs) else []
        order = sp.Le if isinstance(choice, sp.Min) else sp.Ge
        theory.extend(order(name, one, evaluate=False) for one in inside)
        theory.append(sp.Or(*(eq(name, one) for one in inside)))
    return replaced(part, {side: side.xreplace(chosen) for side in sides}) if found else part


def _theory(meaning: dict[sp.Dummy, sp.Expr]) -> Iterator[sp.Basic]:
    """True relations between a function's value and its argument."""
    for value, atom in meaning.items():
        if isinstance(atom, sp.exp):
            yield from _of_exponential(value, atom.args[0])
        elif isinstance(atom, sp.log) and atom.args[0].is_rational_function():
            yield from (_when(gt(atom.args[0], 0), one) for one in _of_log(value, atom.args[0]))
        elif atom.is_Pow and atom.exp.is_Rational and atom.base.is_rational_function():
            power = atom if atom.exp.is_positive else 1 / atom
            top, bottom = power.exp.p, power.exp.q
            root = value if atom.exp.is_positive else 1 / value
            base = ge(atom.base, 0)
            yield _when(base, ge(root, 0))
            yield _when(base, eq(root**bottom, atom.base**top))
        elif atom.is_Pow and atom.exp.is_integer and atom.exp.is_nonnegative and atom.base.is_rational_function():
            # The inequality of Bernoulli.
            base = ge(atom.base, 0)
            yield _when(base, ge(value, 1 + atom.exp * (atom.base - 1)))
        elif atom is sp.pi:
            yield gt(value, sp.Rational(314, 100))
            yield lt(value, sp.Rational(315, 100))
        elif atom is sp.E:
            yield gt(value, sp.Rational(271, 100))
            yield lt(value, sp.Rational(272, 100))


def _in_order(meaning: dict[sp.Dummy, sp.Expr]) -> Iterator[sp.Basic]:
    """The exponential increases."""
    for (one, left), (other, right) in _pairs(meaning):
        # Of a number, as exp(1), the next powers as well.
        for power in range(1, 5 if right.is_number else 2):
            yield from _ordered((left, one), (power * right, other**power))


def _related(meaning: dict[sp.Dummy, sp.Expr]) -> Iterator[sp.Basic]:
    """The exponential lies above its tangents, and the square of one is compared with the other."""
    for (one, left), (other, right) in _pairs(meaning):
        yield ge(one, other * (1 + left - right))
        yield from _ordered((left, one), (2 * right, other**2))
        yield from _ordered((2 * right, other**2), (left, one))


def _pairs(meaning: dict[sp.Dummy, sp.Expr]) -> Iterator[tuple[_Power, _Power]]:
    """Each two of a few exponentials of rational functions, in both orders, with their exponents."""
    powers = [(value, atom.args[0]) for value, atom in meaning.items() if isinstance(atom, sp.exp)]
    powers = [
        (value, exponent) for value, exponent in powers if exponent.is_rational_function() and _rational(exponent)
    ]
    yield from permutations(powers, 2) if len(powers) <= _MOST else ()


def _ordered(one: tuple[sp.Expr, sp.Expr], other: tuple[sp.Expr, sp.Expr]) -> Iterator[sp.Basic]:
    """The order of two exponents, with which their exponentials stand, is that of the exponentials."""
    for order in (sp.Lt, sp.Le):
        yield _when(order(one[0], other[0], evaluate=False), order(one[1], other[1], evaluate=False))


def _rational(expression: sp.Expr) -> bool:
    return all(one.is_Symbol or one.is_Rational for one in expression.atoms())


def _of_exponential(value: sp.Dummy, exponent: sp.Expr) -> Iterator[sp.Basic]:
    yield gt(value, 0)
    if exponent.is_positive:
        yield gt(value, 1)
    if _plain(exponent) and all(power.exp.is_Integer for power in exponent.atoms(sp.Pow)):
        yield ge(value, 1 + exponent)
        yield ge(1, value * (1 - exponent))
        above = gt(exponent, 0)
        yield _when(above, gt(value, 1 + exponent + exponent**2 / 2))
        yield _when(above, gt(1, value * (1 - exponent)))
        # sinh u > u, cosh u >= 1 + u^2/2 and tanh u < u, for u the exponent.
        yield _when(above, gt(value**2 - 1, 2 * exponent * value))
        yield ge(value**2 + 1, (2 + exponent**2) * value)
        yield _when(above, lt(value**2 - 1, exponent * (value**2 + 1)))
        yield _when(lt(exponent, 0), lt(value, 1))


def _of_log(value: sp.Dummy, argument: sp.Expr) -> Iterator[sp.Basic]:
    one = sp.Integer(1)
    yield le(value, argument - 1)
    yield ge(value, 1 - 1 / argument)
    yield _when(gt(argument, one), gt(value, 0))
    yield _when(lt(argument, one), lt(value, 0))


def _when(condition: sp.Basic, relation: sp.Basic) -> sp.Basic:
    return sp.Implies(condition, relation, evaluate=False)


def _text(part: sp.Basic, *, loose: bool) -> str:
    """SMT-LIB text. Where a side is undefined a relation counts as true if it is ``loose``, and as false otherwise."""
    if isinstance(part, sp.Not):
        return f"(not {_text(part.args[0], loose=not loose)})"
    if isinstance(part, sp.Implies):
        return f"(=> {_text(part.args[0], loose=not loose)} {_text(part.args[1], loose=loose)})"
    if isinstance(part, sp.Equivalent):
        one, other = part.args
        both = (sp.Implies(one, other, evaluate=False), sp.Implies(other, one, evaluate=False))
        return f"(and {' '.join(_text(way, loose=loose) for way in both)})"
    if isinstance(part, (sp.And, sp.Or)):
        name = "and" if isinstance(part, sp.And) else "or"
        return f"({name} {' '.join(_text(one, loose=loose) for one in part.args)})"
    if not isinstance(part, Relational):
        return condition_text(part)
    relation = _relation_text(part)
    vanishing = [f"(= {term(sp.fraction(sp.together(one))[0])} 0)" for one in _bottoms(part.args)]
    if not vanishing:
        return relation
    undefined = f"(or false {' '.join(vanishing)})"
    return f"(or {undefined} {relation})" if loose else f"(and (not {undefined}) {relation})"


@cache
def _relation_text(relation: Relational) -> str:
    """A relation of fractions, as one of polynomials; the solvers multiply out faster than sympy."""
    top, bottom = as_fraction(relation.args[0] - relation.args[1])
    operator = OPERATORS[relation.func]
    if bottom.is_Number:
        return f"({operator} {term(top / bottom)} 0)"
    above, below = term(top), term(bottom)
    return f"(or (and (> {below} 0) ({operator} {above} 0)) (and (< {below} 0) ({SIGNS[operator]} {above} 0)))"


def _defined(conclusion: sp.Basic) -> list[sp.Basic]:
    """The arguments of logarithms and roots are such that these are real."""
    sides = [side for leaf in leaves(conclusion) for side in leaf.args]
    logs = set().union(*(side.atoms(sp.log) for side in sides))
    powers = set().union(*(side.atoms(sp.Pow) for side in sides))
    inside = [log.args[0] for log in logs if not log.args[0].is_positive]
    under = [power.base for power in powers if not power.exp.is_integer and not power.base.is_nonnegative]
    return [
        *(gt(one, 0) for one in sorted(inside, key=sp.default_sort_key)),
        *(ge(one, 0) for one in sorted(under, key=sp.default_sort_key)),
    ]


def _plain(expression: sp.Expr) -> bool:
    """Whether it is a polynomial with rational coefficients."""
    return bool(expression.is_polynomial()) and _rational(expression)


def _bottoms(sides: Iterable[sp.Expr]) -> list[sp.Expr]:
    powers = {power for side in sides for power in side.atoms(sp.Pow) if power.exp.is_negative}
    return sorted({power.base for power in powers if not power.base.is_number}, key=sp.default_sort_key)
