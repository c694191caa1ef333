"""A point at which conditions hold, by balls: it shows that the conditions do not contradict one another."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.obligation import MissingEngine
from pan_proofs.engines.quantities import is_quantity

_TRIES = 40


def common_point(conditions: Sequence[sp.Basic]) -> Mapping[sp.Symbol, sp.Expr] | None:
    """A point at which balls show that all conditions hold, or ``None`` if a few tries find none.

    Parameters
    ----------
    conditions
        Relations, and combinations of them. A symbol of no kind may have any real value.
    """
    symbols = sorted(set().union(*(one.free_symbols for one in conditions)), key=sp.default_sort_key)
    if not all(symbol.is_real or is_quantity(symbol) for symbol in symbols):
        return None
    equal = dict(filter(None, map(_definition, conditions)))
    source = random.Random(len(symbols))
    try:
        for _ in range(_TRIES):
            point = {symbol: _value(symbol, source) for symbol in symbols if symbol not in equal}
            point |= {symbol: value.xreplace(point) for symbol, value in equal.items()}
            if all(_suits(*one) for one in point.items()) and all(_truth(one, point) for one in conditions):
                return point
    except (TypeError, ValueError, KeyError, ZeroDivisionError, MissingEngine):
        # Balls do not know everything of which a condition can be made.
        return None
    return None


def _definition(condition: sp.Basic) -> tuple[sp.Symbol, sp.Expr] | None:
    """A symbol and its value, if the condition is an equation between them."""
    if isinstance(condition, sp.Eq):
        for name, value in (condition.args, condition.args[::-1]):
            if name.is_Symbol and not value.has(name):
                return name, value
    return None


def _value(symbol: sp.Symbol, source: random.Random) -> sp.Rational:
    """A small number, of the symbol's sign if it has one."""
    whole = [sp.Integer(one) for one in (1, 2, 3, 5, 8)]
    parts = [sp.Rational(1, 3), sp.Rational(1, 2), sp.Rational(1, 10), sp.Rational(7, 8)]
    found = source.choice(whole if symbol.is_integer else whole + parts)
    return -found if symbol.is_nonpositive else found


def _suits(symbol: sp.Symbol, value: sp.Expr) -> bool:
    """Whether all that sympy knows of a symbol is true of a value."""
    return all(getattr(value, f"is_{name}") is truth for name, truth in symbol.assumptions0.items())


def _truth(condition: sp.Basic, point: Mapping[sp.Symbol, sp.Expr]) -> bool | None:
    """Whether a condition is true at a point; ``None`` if balls do not tell."""
    if condition in (sp.true, sp.false):
        return bool(condition)
    if isinstance(condition, sp.Implies):
        premise, conclusion = (_truth(part, point) for part in condition.args)
        return True if premise is False or conclusion else None
    if isinstance(condition, (sp.And, sp.Or)):
        parts = [_truth(part, point) for part in condition.args]
        settled = isinstance(condition, sp.Or)
        return settled if settled in parts else None if None in parts else not settled
    if not isinstance(condition, Relational):
        return None
    left, right = (side.xreplace(dict(point)) for side in condition.args)
    if left == right:
        return condition.func in (sp.Eq, sp.Le, sp.Ge) if enclosure(left).is_finite() else None
    difference = enclosure(left - right)
    if difference > 0:
        return condition.func in (sp.Gt, sp.Ge, sp.Ne)
    return condition.func in (sp.Lt, sp.Le, sp.Ne) if difference < 0 else None
