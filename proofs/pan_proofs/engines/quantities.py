"""Quantities: symbols of no kind, each of which stands for a number that a step computes.

A variable stands for every value of its domain, a quantity for one number: a probability of a run, the largest ratio of
listed pairs of streams. A relation that a step shows of a quantity is true of this number alone, for the parameters
with which it was computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import compared
from pan_proofs.engines.obligation import Answer, Check, Kind, MissingEngine, Obligation, minted
from pan_proofs.engines.relations import eq

_MOST_CASES = 24
"""The largest number of sets of parameters that a formal statement lists."""

Case = Mapping[sp.Symbol, Any]
"""For each symbol its value: a quantity, or a parameter with which the quantities were computed."""


@cache
def is_quantity(one: sp.Basic) -> bool:
    """Whether it is a symbol of which sympy knows nothing."""
    return bool(one.is_Symbol and one.assumptions0 == {"commutative": True})


def quantities_in(*parts: sp.Basic) -> frozenset[sp.Symbol]:
    """The quantities in relations."""
    return frozenset(symbol for part in parts for symbol in part.free_symbols if is_quantity(symbol))


def one_of(cases: Iterable[Case]) -> sp.Basic:
    """The condition that parameters have the values of one of the cases."""
    listed = dict.fromkeys(sp.And(*(eq(symbol, sp.sympify(value)) for symbol, value in case.items())) for case in cases)
    return next(iter(listed)) if len(listed) == 1 else sp.Or(*listed)


def equations(name: str, values: Case) -> tuple[Relational, ...]:
    """That quantities have the values that were computed.

    Raises
    ------
    ValueError
        For a symbol of some kind.
    TypeError
        For a value that is no exact number.
    """
    _require_quantities(name, values)
    return tuple(eq(symbol, _number(name, value)) for symbol, value in values.items())


def named(quantities: Sequence[sp.Symbol], found: Any) -> Case:
    """The quantities with the values of a computation: one, or as many as there are quantities.

    Raises
    ------
    ValueError
        For another number of values.
    """
    return dict(zip(quantities, (found,) if len(quantities) == 1 else found, strict=True)) if quantities else {}


def related_in_every_case(
    name: str,
    question: str,
    relation: Relational,
    cases: Iterable[Case],
    *,
    mutant: Relational,
    parameters: Sequence[sp.Symbol],
) -> Obligation:
    """The obligation that quantities satisfy a relation in each of finitely many cases, and not a false one.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    question
        The cases in words. Their number is added.
    relation
        Between expressions in the quantities and the parameters.
    cases
        At least one; each gives every symbol of the relation its value, which is computed from definitions.
    mutant
        The control: a relation near the stated one that is false in one of the cases.
    parameters
        At least one: the symbols in which the cases differ. The relation is shown for the values that occur.

    Raises
    ------
    ValueError
        Without parameters, for a symbol of some kind that is no parameter, for two values of a quantity with the same
        parameters, or for too many values of the parameters.
    """
    _require_quantities(name, relation.free_symbols - set(parameters))
    if not parameters:
        raise ValueError(f"{name}: a relation in some cases is a formula for these alone: name their parameters")
    places: dict[tuple[sp.Expr, ...], dict[sp.Symbol, sp.Expr]] = {}
    counted, failed, unknown, caught = 0, 0, 0, 0
    try:
        for case in cases:
            counted += 1
            values = {symbol: _number(name, value) for symbol, value in case.items()}
            require_kinds(name, values)
            # A case may stand for another one only if it has the same quantities.
            known = places.setdefault(tuple(values[one] for one in parameters), values)
            if known != values:
                raise ValueError(f"{name}: the cases {known} and {values} differ in something that is no parameter")
            truth = _decided(relation, values)
            failed, unknown = failed + (truth is False), unknown + (truth is None)
            caught += not caught and _decided(mutant, values) is False
    except MissingEngine:
        answers = Answer.SKIPPED, Answer.SKIPPED
    else:
        held = Answer.FAILS if failed or not counted else Answer.UNKNOWN if unknown else Answer.HOLDS
        answers = held, Answer.HOLDS if caught else Answer.FAILS
    if len(places) > _MOST_CASES:
        raise ValueError(f"{name}: at most {_MOST_CASES} sets of parameters are listed, got {len(places)}")
    asked = f"{question} ({counted:,} {'case' if counted == 1 else 'cases'}): {sp.sstr(relation)}"
    checks = (
        Check(asked, "enumeration", Answer.HOLDS, answers[0]),
        Check(f"a false relation fails in one of them: {sp.sstr(mutant)}", "enumeration", Answer.HOLDS, answers[1]),
    )
    given = [one_of(dict(zip(parameters, place, strict=True)) for place in places)] if places else []
    return minted(name, asked, checks, Kind.ENUMERATION, (relation,), given)


def is_such(symbol: sp.Symbol, value: sp.Expr) -> bool:
    """Whether all that sympy knows of a symbol is true of a value."""
    return all(getattr(value, f"is_{kind}") is truth for kind, truth in symbol.assumptions0.items())


def require_kinds(name: str, *cases: Case, ends: bool = False) -> None:
    """Refuse values that are not what their symbols stand for: of them anything would be true.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    *cases
        Values of symbols.
    ends
        Whether these are ends of intervals. Such an end may be 0 for a symbol that is not.

    Raises
    ------
    ValueError
        For a negative value of a positive symbol, a fraction in place of an integer, or 3 in place of an even number.
    """
    for symbol, value in (item for case in cases for item in case.items()):
        exact = sp.sympify(value)
        open_end = ends and exact.is_zero
        kinds = ((kind, truth) for kind, truth in symbol.assumptions0.items() if not (open_end and kind in _NOT_ZERO))
        if any(getattr(exact, f"is_{kind}") is (not truth) for kind, truth in kinds):
            raise ValueError(f"{name}: {symbol} = {sp.sstr(exact)} is not of the kind that {symbol} stands for")


_OF_ZERO = ("positive", "negative", "nonpositive", "nonnegative", "nonzero", "zero")
_NOT_ZERO = frozenset((*_OF_ZERO, *(f"extended_{kind}" for kind in _OF_ZERO)))
"""The kinds by which 0 differs from the numbers beside it."""


def _require_quantities(name: str, symbols: Iterable[sp.Symbol]) -> None:
    if others := sorted(str(symbol) for symbol in symbols if not is_quantity(symbol)):
        raise ValueError(f"{name}: {', '.join(others)} has a domain; a quantity is a symbol of no kind")


def _number(name: str, value: Any) -> sp.Expr:
    exact = sp.sympify(value)
    if isinstance(value, float) or not (exact.is_number and exact.is_finite and exact.is_real) or exact.has(sp.Float):
        raise TypeError(f"{name}: a quantity is an exact real number, got {value!r}")
    return exact


def _decided(relation: Relational, values: Mapping[sp.Symbol, sp.Expr]) -> bool | None:
    left, right = (side.xreplace(dict(values)) for side in relation.args)
    exact = left.is_Rational and right.is_Rational
    return bool(relation.func(left, right)) if exact else compared(relation, values)
