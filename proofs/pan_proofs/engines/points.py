"""A point at which conditions hold, by balls: it shows that the conditions do not contradict one another."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import compared
from pan_proofs.engines.obligation import MissingEngine
from pan_proofs.engines.quantities import is_quantity, is_such

_TRIES, _MORE_TRIES = 20, 20
"""The numbers of points that are tried, with random values and with values that the conditions suggest."""
_WHOLE = tuple(map(sp.Integer, (1, 2, 3, 5, 8)))
_PARTS = (sp.Rational(1, 3), sp.Rational(1, 2), sp.Rational(1, 10), sp.Rational(7, 8))

_Suggestions = Mapping[sp.Symbol, Sequence[sp.Expr]]
"""For some symbols the values at which a condition about them holds."""


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
    equal = {symbol: [value] for symbol, value in filter(None, map(_definition, conditions))}
    source = random.Random(len(symbols))
    try:
        for number in range(_TRIES + _MORE_TRIES):
            suggested = equal if number < _TRIES else _suggestions(conditions, source)
            point = _point(symbols, suggested, source)
            if all(is_such(*one) for one in point.items()) and all(_truth(one, point) for one in conditions):
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


def _suggestions(conditions: Sequence[sp.Basic], source: random.Random) -> _Suggestions:
    """Values at which single conditions hold: equations solved for a symbol, and bounds of symbols."""
    found: dict[sp.Symbol, list[sp.Expr]] = {}
    for condition in conditions:
        for relation in _parts(condition, source):
            for symbol, value in _solutions(relation):
                found.setdefault(symbol, []).append(value)
    return found


def _parts(condition: sp.Basic, source: random.Random) -> Iterator[Relational]:
    """The relations that make a condition true; of an alternative those of one of its parts."""
    if isinstance(condition, Relational):
        yield condition
    elif isinstance(condition, sp.And):
        for part in condition.args:
            yield from _parts(part, source)
    elif isinstance(condition, (sp.Or, sp.Implies)):
        which = source.randrange(len(condition.args)) if isinstance(condition, sp.Or) else 1
        yield from _parts(condition.args[which], source)


@cache
def _solutions(relation: Relational) -> tuple[tuple[sp.Symbol, sp.Expr], ...]:
    left, right = relation.args
    bare = [
        (name, one)
        for kind, name, value in ((relation.func, left, right), (relation.reversed.func, right, left))
        if name.is_Symbol and not value.has(name)
        for one in _within(kind, name, value)
    ]
    if not isinstance(relation, sp.Eq):
        return tuple(bare)
    others = sorted(relation.free_symbols - {name for name, _ in bare}, key=str)
    slopes = [(symbol, (left - right).diff(symbol)) for symbol in others]
    linear = [(symbol, slope) for symbol, slope in slopes if slope != 0 and not slope.has(symbol)]
    solved = [(symbol, -(left - right).xreplace({symbol: sp.S.Zero}) / slope) for symbol, slope in linear]
    return (*bare, *solved)


def _within(kind: type[Relational], symbol: sp.Symbol, value: sp.Expr) -> tuple[sp.Expr, ...]:
    """Values of a symbol that stand in a relation to another one, if that is positive."""
    if kind is sp.Eq:
        return (value,)
    if symbol.is_integer:
        above, below = sp.ceiling(value), sp.floor(value)
        return {sp.Ge: (above,), sp.Le: (below,), sp.Lt: (above - 1,)}.get(kind, (below + 1,))
    if kind is sp.Lt:
        return (value / 2,) if symbol.is_nonnegative else (value / 2, value - 1)
    return (value,) if kind in (sp.Ge, sp.Le) else (value + 1, 2 * value)


def _point(symbols: Sequence[sp.Symbol], suggested: _Suggestions, source: random.Random) -> dict[sp.Symbol, sp.Expr]:
    """A value of each symbol: one that is suggested, at the values of the symbols in it, or a random one."""
    point: dict[sp.Symbol, sp.Expr] = {}
    begun: set[sp.Symbol] = set()

    def settle(symbol: sp.Symbol) -> sp.Expr:
        if symbol not in point:
            values = () if symbol in begun else suggested.get(symbol, ())
            begun.add(symbol)
            if values:
                value = values[0] if len(values) == 1 else source.choice(values)
                at = {other: settle(other) for other in sorted(value.free_symbols, key=str)}
                # A symbol whose value rests on itself has its value by now.
                point.setdefault(symbol, value.xreplace(at))
            else:
                point[symbol] = _value(symbol, source)
        return point[symbol]

    for symbol in symbols:
        settle(symbol)
    return point


def _value(symbol: sp.Symbol, source: random.Random) -> sp.Rational:
    """A small number, of the symbol's sign if it has one."""
    found = source.choice(_WHOLE if symbol.is_integer else _WHOLE + _PARTS)
    return -found if symbol.is_nonpositive else found


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
    return compared(condition, point)
