"""Whether the formal statement of a part follows from the relations that its steps show.

A statement may name a quantity that the steps compute, by a symbol: ``MSE = (2m + 2)/(m eps)^2``. It follows if a step
shows a relation to the other side. The conditions under which a step shows its relation are those of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.identities import equality
from pan_proofs.engines.obligation import Answer, Check, Kind, MissingEngine, Obligation, Status, minted, written

_IMPLIED_BY = {
    sp.Le: (sp.Le, sp.Lt, sp.Eq),
    sp.Lt: (sp.Lt,),
    sp.Ge: (sp.Ge, sp.Gt, sp.Eq),
    sp.Gt: (sp.Gt,),
    sp.Eq: (sp.Eq,),
    sp.Ne: (sp.Ne, sp.Lt, sp.Gt),
}
_NAMES = {one.__name__: one for one in _IMPLIED_BY}
_REVERSED = {sp.Le: sp.Ge, sp.Ge: sp.Le, sp.Lt: sp.Gt, sp.Gt: sp.Lt, sp.Eq: sp.Eq, sp.Ne: sp.Ne}

Shown = tuple[bool, type[Relational], sp.Expr, sp.Expr]
"""Whether it is the opposite of the relation; the relation and its two sides."""


def linked(name: str, formal: str, obligations: Sequence[Obligation]) -> Obligation:
    """The obligation that a formal statement follows from what obligations show.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    formal
        The statement as text that ``sympy.sympify`` reads.
    obligations
        Those of the steps.
    """
    statement = sp.sympify(formal)
    shown = [_read(text) for one in obligations if one.status is Status.DISCHARGED for text in one.shows]
    told = f"the steps show: {sp.sstr(statement)}"
    given = Answer.HOLDS if _follows(statement, shown) else Answer.UNKNOWN
    return minted(name, told, (Check(told, "sympy", Answer.HOLDS, given),), Kind.LINK)


def _read(text: str) -> Shown:
    name, left, right = text.split("|")
    return name.startswith("not "), _NAMES[name.removeprefix("not ")], sp.sympify(left), sp.sympify(right)


def _follows(statement: sp.Basic, shown: Sequence[Shown]) -> bool:
    if isinstance(statement, sp.And):
        return all(_follows(part, shown) for part in statement.args)
    if isinstance(statement, sp.Implies):
        return _follows(statement.args[1], shown)
    stated = statement.args[0] if isinstance(statement, sp.Not) else statement
    if not isinstance(stated, Relational):
        return False
    opposite, kind, left, right = _read(written(statement))
    return any(
        one == opposite and _implies(_IMPLIED_BY[kind], (left, right), relation, sides)
        for one, *found in shown
        for relation, sides in ((found[0], (found[1], found[2])), (_REVERSED[found[0]], (found[2], found[1])))
    )


def _implies(
    kinds: Sequence[type[Relational]],
    stated: tuple[sp.Expr, sp.Expr],
    relation: type[Relational],
    sides: tuple[sp.Expr, sp.Expr],
) -> bool:
    """Whether a shown relation is the stated one, up to the form of the sides and the name of a quantity."""
    named = [isinstance(side, sp.Symbol) and not any(one.has(side) for one in sides) for side in stated]
    alike = all(name or _equal(side, one) for name, side, one in zip(named, stated, sides, strict=True))
    return relation in kinds and alike and not all(named)


@cache
def _equal(left: sp.Expr, right: sp.Expr) -> bool:
    if left == right:
        return True
    if left.free_symbols != right.free_symbols or _apart(left, right):
        return False
    return equality("", left, right).status is Status.DISCHARGED


def _apart(left: sp.Expr, right: sp.Expr) -> bool:
    """Whether balls show that two expressions differ at one point, which is quickly asked."""
    symbols = sorted(left.free_symbols, key=sp.default_sort_key)
    at = {symbol: sp.Rational(number + 2, 2 * number + 5) for number, symbol in enumerate(symbols)}
    try:
        difference = enclosure(left - right, at)
    except (MissingEngine, TypeError, ZeroDivisionError):
        return False
    return bool(difference != 0)
