"""Whether two expressions, or two relations, are the same up to their form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.identities import identical
from pan_proofs.engines.obligation import MissingEngine

REVERSED = {sp.Le: sp.Ge, sp.Ge: sp.Le, sp.Lt: sp.Gt, sp.Gt: sp.Lt, sp.Eq: sp.Eq, sp.Ne: sp.Ne}
"""The relation with the sides exchanged."""

_UNDONE = (sp.Limit, sp.Derivative)
"""Operations that no engine compares; they are the same if they are written alike."""


def alike(one: sp.Basic, other: sp.Basic) -> bool:
    """Whether two relations are the same, up to the form of their sides."""
    if one == other:
        return True
    if not (isinstance(one, Relational) and isinstance(other, Relational)):
        return False
    (left, right), straight = one.args, other.func is one.func
    sides = other.args if straight else other.args[::-1]
    kind = straight or REVERSED[other.func] is one.func
    return kind and bool(same(left, sides[0]) and same(right, sides[1]))


@cache
def same(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether engines find that two expressions are the same for all values."""
    if left == right:
        return True
    if left.free_symbols != right.free_symbols or left.has(*_UNDONE) or right.has(*_UNDONE) or apart(left, right):
        return False
    return identical(left, right)


def apart(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether balls show that two expressions differ at one point, which is quickly asked."""
    symbols = sorted(left.free_symbols | right.free_symbols, key=sp.default_sort_key)
    at = {symbol: sp.Rational(number + 2, 2 * number + 5) for number, symbol in enumerate(symbols)}
    try:
        difference = enclosure(left - right, at)
    except (MissingEngine, TypeError, ZeroDivisionError, KeyError):
        return False
    return bool(difference != 0)


def logged(relations: Sequence[sp.Basic]) -> tuple[sp.Basic, ...]:
    """The same with each relation between positive products of exponentials as one between their logarithms."""
    return tuple(_logged_one(one) for one in relations)


def _logged_one(one: sp.Basic) -> sp.Basic:
    if isinstance(one, Relational):
        if one.has(sp.exp) and all(map(_of_exponentials, one.args)):
            return one.func(*(sp.expand_log(sp.log(side)) for side in one.args), evaluate=False)
        return one
    return one.func(*map(_logged_one, one.args), evaluate=False) if one.args else one


def _of_exponentials(side: sp.Expr) -> bool:
    """Whether it is positive and a product, of which the logarithm is a sum."""
    return bool(side.is_positive) and not side.is_Add
