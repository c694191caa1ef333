"""Computations that the kernel runs itself: finitely many cases, values, and comparisons of numbers."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import Box, compared, positive_on_box
from pan_proofs.engines.obligation import (
    Answer,
    Check,
    Kind,
    MissingEngine,
    Obligation,
    Status,
    answer,
    decided,
    minted,
)
from pan_proofs.engines.quantities import equations, named, require_kinds
from pan_proofs.engines.relations import eq, ge, gt, le

Case = TypeVar("Case")

_VALUES = (bool, int, float, str, Fraction, type(None))
"""The types of values, beside expressions of sympy, tuples, lists and sets."""
_WORK = ("BINARY_OP", "CALL", "COMPARE_OP", "CONTAINS_OP", "FOR_ITER", "IS_OP", "UNARY")
"""The beginnings of the names of instructions by which a function does more than look up a value."""


def in_every_case(
    name: str,
    question: str,
    cases: Iterable[Case],
    holds: Callable[[Case], bool],
    *,
    mutant: Callable[[Case], bool],
    engine: str = "enumeration",
) -> Obligation:
    """The obligation that a condition holds in each of finitely many cases, and that a false condition fails.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    question
        The condition and the cases, in words. The number of cases is added.
    cases
        At least one.
    holds
        The condition, from definitions: it computes, and does not look up. It returns ``True`` or ``False``.
    mutant
        The control: a condition near the stated one that is false. It must fail in a case.
    engine
        ``"enumeration"`` for integers and fractions; ``"flint"`` if balls decide the cases.

    Raises
    ------
    TypeError
        If a condition returns anything but ``True`` and ``False``.
    """
    counted, failed, caught = 0, 0, 0
    try:
        for case in cases:
            counted += 1
            failed += not _truth(name, holds(case))
            caught += not caught and not _truth(name, mutant(case))
        answers = answer(counted > 0 and not failed), answer(caught > 0)
    except MissingEngine:
        answers = Answer.SKIPPED, Answer.SKIPPED
    asked = f"{question} ({counted:,} {'case' if counted == 1 else 'cases'})"
    checks = (
        Check(asked, engine, Answer.HOLDS, answers[0]),
        Check("a false condition fails in one of the cases", engine, Answer.HOLDS, answers[1]),
    )
    return minted(name, asked, checks, Kind.ENUMERATION)


def computed_value(
    name: str,
    question: str,
    compute: Callable[[], Any],
    stated: Any,
    *,
    engine: str = "enumeration",
    quantities: Sequence[sp.Symbol] = (),
) -> Obligation:
    """The obligation that a computation gives a stated value, of the same type.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    question
        The computation in words, with its sizes.
    compute
        The computation, from definitions. It does not contain the stated value (:func:`require_work`).
    stated
        The value in the text: a number, a text, a sympy expression, or a tuple, list or set of such. No ``True`` alone:
        for conditions there is :func:`in_every_case`.
    engine
        ``"enumeration"`` for loops over integers and fractions; ``"sympy"`` for limits, integrals and the like.
    quantities
        The symbols of the numbers that are computed, by which formal statements speak of them
        (:mod:`pan_proofs.engines.quantities`).

    Raises
    ------
    TypeError
        If the stated value is a truth value, no number such as 1/0, or of a class of the author's own.
    ValueError
        If the computation only looks up a value.
    """
    require_work(name, compute)
    for one in _parts(stated):
        if type(one) not in _VALUES and not _is_of_sympy(one):
            # Its equality could be anything.
            raise TypeError(f"{name}: a value is a number, a text or an expression, got a {type(one).__name__}")
        if one in (sp.nan, sp.zoo):
            raise TypeError(f"{name}: {one} is no value of a computation")
    if isinstance(stated, bool) or stated in (sp.true, sp.false):
        raise TypeError(f"{name}: a truth value is no value of a computation; ask in_every_case, or state the value")

    def as_stated() -> bool:
        found = compute()
        same_types = list(map(type, _parts(found))) == list(map(type, _parts(stated)))
        return type(found) is type(stated) and same_types and bool(found == stated)

    checks = (decided(question, engine, as_stated),)
    return minted(name, f"{question}: {_told(stated)}", checks, Kind.VALUE, equations(name, named(quantities, stated)))


def require_work(name: str, compute: Callable[[], Any]) -> None:
    """Refuse a function that only looks up a value: a constant, a variable, an attribute or an entry of a table.

    It stops a mistake, and not an author who hides the value in a call: ``int(3)``, or a function that returns it.

    Parameters
    ----------
    name
        The name of the step.
    compute
        The function of a step.

    Raises
    ------
    ValueError
        If it calls nothing, goes through nothing, and does not calculate or compare either.
    """
    inner = inspect.unwrap(compute.func if isinstance(compute, partial) else compute)
    code = getattr(inner, "__code__", None)
    if code and not any(one.opname.startswith(_WORK) for one in dis.get_instructions(code)):
        raise ValueError(f"{name}: a computation computes something; this function looks a value up and returns it")


def comparison(
    name: str, relation: Relational, values: Mapping[sp.Symbol, Any] | None = None, statement: str = ""
) -> Obligation:
    """The obligation that a relation holds at one point, decided exactly or by balls.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    relation
        Between two expressions, built with ``evaluate=False`` where sympy would decide it.
    values
        An exact value for each symbol.
    statement
        As in :class:`Obligation`; the relation by default.
    """
    exact = {symbol: sp.sympify(one) for symbol, one in (values or {}).items()}
    require_kinds(name, exact)
    at = f" at {exact}" if exact else ""
    told = statement or f"{sp.sstr(relation)}{at}"
    at_values = [eq(symbol, one) for symbol, one in exact.items()]
    checks = at_point(told, relation, exact, expected=True)
    return minted(name, told, checks, Kind.COMPARISON, (relation,), at_values)


def positive_everywhere(name: str, expression: sp.Expr, box: Box, statement: str = "") -> Obligation:
    """The obligation that an expression is positive on a whole box, by balls."""
    require_kinds(name, *({symbol: sides[end] for symbol, sides in box.items()} for end in (0, 1)), ends=True)
    ends = ", ".join(f"{symbol} in [{low}, {high}]" for symbol, (low, high) in box.items())
    told = statement or f"{sp.sstr(expression)} > 0 for {ends}"
    told_by = "the balls are positive on every piece of the box"
    check = decided(told_by, "flint", lambda: positive_on_box(expression, box))
    return minted(name, told, (check,), Kind.BOX, (gt(expression, 0),), within(box))


def within(box: Box) -> list[Relational]:
    """The sides of a box as conditions."""
    pairs = ((symbol, low, high) for symbol, (low, high) in box.items())
    ends = ((ge(symbol, low), le(symbol, high)) for symbol, low, high in pairs)
    return [side for both in ends for side in both]


def of_one_sign(
    name: str, statement: str, *expressions: sp.Expr, strict: bool = True, shown: bool = False
) -> Obligation:
    """The obligation that expressions are positive, or not negative, which their form and their symbols' signs tell.

    Parameters
    ----------
    name, statement
        As in :class:`Obligation`.
    *expressions
        At least one.
    strict
        Whether they must be positive.
    shown
        Whether formal statements may use these relations.
    """
    if not expressions:
        raise ValueError(f"{name}: there is no expression whose sign is asked")
    kind = "positive" if strict else "not negative"
    checks = [
        decided(f"{sp.sstr(one)} is {kind}", "sympy", one.is_positive if strict else one.is_nonnegative)
        for one in map(sp.sympify, expressions)
    ]
    relation = sp.Gt if strict else sp.Ge
    shows = [relation(one, 0, evaluate=False) for one in expressions] if shown else []
    return minted(name, statement, checks, Kind.INEQUALITY, shows)


def free_of(name: str, statement: str, expression: sp.Expr, *symbols: sp.Symbol) -> Obligation:
    """The obligation that an expression does not contain some symbols."""
    if not symbols:
        raise ValueError(f"{name}: there is no symbol that is asked about")
    free = not sp.sympify(expression).has(*symbols)
    question = f"{sp.sstr(expression)} is free of {', '.join(map(str, symbols))}"
    return minted(name, statement, (decided(question, "sympy", free),), Kind.VALUE)


def together(name: str, statement: str, *obligations: Obligation) -> Obligation:
    """Several obligations as one."""
    # An answer to one obligation answers no other one, though the questions may have the same words.
    checks = [check for one in obligations for check in (*one.checks, *_open(one))]
    kinds = {one.kind for one in obligations}
    # Expressions that are written alike add nothing, and together they are no more.
    kinds = kinds - {Kind.IDENTICAL} or kinds
    kind = kinds.pop() if len(kinds) == 1 else Kind.VALUE
    return minted(name, statement, checks, kind, [shown for one in obligations for shown in one.shows])


def _open(one: Obligation) -> tuple[Check, ...]:
    """The missing part of an obligation that is not discharged."""
    if one.status is Status.DISCHARGED:
        return ()
    said = {Status.FAILED: Answer.FAILS, Status.SKIPPED: Answer.SKIPPED}.get(one.status, Answer.UNKNOWN)
    engine = one.checks[0].engine if one.checks else "python"
    return (Check(f"{one.name} is discharged: {one.statement}", engine, Answer.HOLDS, said),)


def at_point(
    question: str, relation: Relational, values: Mapping[sp.Symbol, sp.Expr], *, expected: bool
) -> tuple[Check, ...]:
    """Decide a relation at a point, by sympy where both sides are rational and by balls in any case."""
    if relation in (sp.true, sp.false):
        # Sympy has decided it from the symbols' assumptions.
        truth = relation == sp.true
        return (decided(f"{question}: {relation}", "sympy", truth is expected),)
    left, right = (sp.sympify(side).xreplace(dict(values)) for side in relation.args)
    asked = f"{question}: {sp.sstr(relation)}"
    checks = []
    if left.is_Rational and right.is_Rational:
        truth = bool(relation.func(left, right))
        checks.append(decided(asked, "sympy", truth is expected))
    checks.append(decided(asked, "flint", lambda: _agrees(compared(relation, values), expected)))
    return tuple(checks)


def _agrees(truth: bool | None, expected: bool) -> bool | None:
    return None if truth is None else truth is expected


def _truth(name: str, said: Any) -> bool:
    if not isinstance(said, bool):
        raise TypeError(f"{name}: a condition is True or False, got {said!r}")
    return said


def _parts(stated: Any) -> Iterator[Any]:
    if type(stated) in (tuple, list, set, frozenset):
        for one in stated if isinstance(stated, (tuple, list)) else sorted(stated, key=str):
            yield from _parts(one)
    else:
        yield stated


def _is_of_sympy(value: Any) -> bool:
    """Whether a value and all that it consists of are of sympy's own classes. A class can give itself any module."""
    if not isinstance(value, sp.Basic):
        return False
    kinds = {type(node) for node in sp.preorder_traversal(value)}
    return all(
        kind.__module__.startswith("sympy.")
        and getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind
        for kind in kinds
    )


def _told(stated: Any) -> str:
    if isinstance(stated, (tuple, list)):
        return f"({', '.join(map(_told, stated))})"
    return sp.sstr(stated)
