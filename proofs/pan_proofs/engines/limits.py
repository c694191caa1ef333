"""Limits and derivatives, as sympy computes them, with a second opinion by balls or by flint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.identities import equality
from pan_proofs.engines.obligation import Kind, Obligation, decided, minted
from pan_proofs.engines.relations import eq, gt, ne

_NEAR = (sp.Rational(1, 10**6), sp.Rational(1, 10**12))
"""Two distances from the place of the limit."""

_SMOOTH = (sp.exp, sp.sinh, sp.cosh, sp.tanh, sp.erf, sp.erfc)
"""Functions with a derivative everywhere."""


def tends_to(
    name: str,
    expression: sp.Expr,
    variable: sp.Symbol,
    place: sp.Expr,
    value: sp.Expr,
    *,
    at: Mapping[sp.Symbol, Any] | None = None,
    side: str = "+",
    under: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> Obligation:
    """The obligation that an expression tends to a value, for all values of the other symbols.

    Sympy takes no notice of values at which a term vanishes. So the other symbols may stand in a factor without the
    variable. Elsewhere the expression must be continuous at the place, under conditions that belong to what is shown.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    expression
        Of the form that :func:`pan_proofs.engines.balls.enclosure` evaluates.
    variable, place
        The variable, and the number or expression that it tends to, or infinity.
    value
        The limit, an expression without the variable.
    at
        Values of the other symbols. There balls show that the distance to the value falls, and that it does not to the
        value raised by 1.
    side
        ``"+"`` for a variable above the place, ``"-"`` for one below it.
    under
        For symbols the expressions in the variable on which the limit is taken, as ``epsilon = q**4``.

    Raises
    ------
    ValueError
        For a value that depends on the variable.
    """
    path = expression.xreplace(dict(under)) if under else expression
    value = sp.sympify(value)
    if value.has(variable) or path.has(sp.Float) or value.has(sp.Float):
        raise ValueError(f"{name}: a limit is an exact expression without {variable}, got {value}")
    found = sp.simplify(_limit(path, variable, sp.sympify(place), side) - value)
    given = {symbol: sp.sympify(one) for symbol, one in (at or {}).items()}
    told = f"{sp.sstr(path)} tends to {sp.sstr(value)} for {variable} to {place} ({side})"
    conditions = _conditions(path, variable, sp.sympify(place))

    def falls(to: sp.Expr) -> bool:
        return _falls(path, variable, sp.sympify(place), to, given, side)

    checks = (
        decided(told, "sympy", found == 0),
        decided("the other symbols change nothing in that", "sympy", None if conditions is None else True),
        decided(f"the distance to the value falls at {given}", "flint", lambda: falls(value)),
        decided(f"the distance to the value raised by 1 does not at {given}", "flint", lambda: not falls(value + 1)),
    )
    stated = eq(sp.Limit(path, variable, place, side), value)
    return minted(name, told, checks, Kind.VALUE, (stated,), conditions or ())


def _limit(path: sp.Expr, variable: sp.Symbol, place: sp.Expr, side: str) -> sp.Expr:
    """The limit from one side, in the distance from a place that is finite."""
    if not place.is_finite:
        return sp.limit(path, variable, place)
    distance = sp.Dummy(positive=True)
    return sp.limit(path.subs(variable, place + distance if side == "+" else place - distance), distance, 0)


def derivative_is(name: str, expression: sp.Expr, variable: sp.Symbol, value: sp.Expr) -> Obligation:
    """The obligation that the derivative of an expression is another expression.

    Parameters
    ----------
    name, value
        As in :class:`Obligation`, and the derivative.
    expression, variable
        The function and its variable.
    """
    asked = equality(name, sp.diff(expression, variable), value, computed=True)
    bent = sorted((one for one in sp.preorder_traversal(expression) if not _smooth(one, variable)), key=str)
    checks = [decided(f"{sp.sstr(one)} has a derivative for all values", "sympy", None) for one in bent]
    stated = eq(sp.Derivative(expression, variable), value)
    return minted(name, asked.statement, (*asked.checks, *checks), asked.kind, (stated,))


def _smooth(part: sp.Expr, variable: sp.Symbol) -> bool:
    """Whether a part of an expression has a derivative for all values of the symbols, as its form tells."""
    if not part.has(variable) or part == variable or isinstance(part, (sp.Add, sp.Mul, *_SMOOTH)):
        return True
    if isinstance(part, sp.log):
        return bool(part.args[0].is_positive)
    if not part.is_Pow:
        return False
    whole = part.exp.is_integer and not part.exp.has(variable)
    return bool(part.base.is_positive or (whole and (part.exp.is_positive or part.base.is_nonzero)))


def _conditions(path: sp.Expr, variable: sp.Symbol, place: sp.Expr) -> tuple[sp.Basic, ...] | None:
    """The conditions on the other symbols under which a limit is what sympy finds; ``None`` if they are not known."""
    _, rest = path.as_independent(variable, as_Add=False)
    if rest.free_symbols <= {variable} and not place.free_symbols:
        return ()
    if not place.is_finite:
        return None
    conditions: dict[sp.Basic, None] = {}
    for part in sp.preorder_traversal(rest):
        if not part.has(variable) or part == variable or isinstance(part, (sp.Add, sp.Mul, *_SMOOTH)):
            continue
        inside = part.args[0].subs(variable, place) if part.is_Pow or isinstance(part, sp.log) else None
        if inside is None or (part.is_Pow and part.exp.has(variable)):
            return None
        if part.is_Pow and part.exp.is_Integer:
            if not (part.exp.is_positive or inside.is_nonzero):
                conditions[ne(inside, 0)] = None
        elif not inside.is_positive:
            conditions[gt(inside, 0)] = None
    return tuple(conditions)


def _falls(
    path: sp.Expr, variable: sp.Symbol, place: sp.Expr, value: sp.Expr, at: dict[sp.Symbol, sp.Expr], side: str
) -> bool:
    sign = 1 if side == "+" else -1
    near = [1 / one if place == sp.oo else place + sign * one for one in _NEAR]
    points = [{**at, variable: one} for one in near]
    far, close = (abs(enclosure(path - value, point)) for point in points)
    return bool(2 * close < far)
