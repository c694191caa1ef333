"""Functions at a point, by flint: derivatives by power series, without sympy's rules, and controls of inequalities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.evaluation import Arithmetic
from pan_proofs.engines.obligation import Check, decided, load_engine

_BITS = 256
_RADIUS = 1e-20


def slope_at(expression: sp.Expr, variable: sp.Symbol, point: Mapping[sp.Symbol, Any], slope: sp.Expr) -> bool:
    """Whether a derivative has, at a point, the value of the series' first coefficient, with a small ball.

    Parameters
    ----------
    expression
        Sums, products, integer powers, exponentials and logarithms of symbols and rational numbers.
    variable
        The variable of the derivative.
    point
        A value for each symbol.
    slope
        The derivative that is asked about.

    Raises
    ------
    TypeError
        For an expression of another kind.
    """
    at = {symbol: sp.sympify(value) for symbol, value in point.items()}
    flint = load_engine("flint")
    bits, flint.ctx.prec = flint.ctx.prec, _BITS
    try:
        values = {symbol: flint.arb_series([enclosure(value)], 3) for symbol, value in at.items()}
        values[variable] = flint.arb_series([enclosure(at[variable]), 1], 3)
        (found,) = _series().values((expression,), values)
        difference = found[1] - enclosure(slope, at)
    finally:
        flint.ctx.prec = bits
    return bool(difference.is_finite() and difference.contains(0) and float(difference.rad()) < _RADIUS)


def _series() -> Arithmetic:
    """The arithmetic of power series, by flint alone."""
    flint = load_engine("flint")
    functions = {sp.log: flint.arb_series.log, sp.exp: flint.arb_series.exp}
    return Arithmetic("series", lambda number: flint.arb_series([enclosure(number)], 3), functions)


def require_stronger(name: str, raised: sp.Rational) -> None:
    """Refuse a number that does not make a statement stronger by raising its smaller side."""
    if not raised > 0:
        raise ValueError(f"{name}: raising by {raised} does not strengthen the statement")


def witness_checks(
    difference: sp.Expr, witness: Mapping[sp.Symbol, Any], raised: sp.Rational, conditions: Sequence[Relational]
) -> list[Check]:
    """The controls of a function that is not negative.

    A witness satisfies the conditions, the function is not negative there, and below the number that would be raised.
    """
    point = {symbol: sp.sympify(value) for symbol, value in witness.items()}
    inside = all(one.func(*(side.xreplace(point) for side in one.args)) == sp.true for one in conditions)
    return [
        decided(f"the values {point} satisfy the conditions", "sympy", inside),
        decided(
            f"the stronger statement by {raised} is false there",
            "flint",
            lambda: bool(enclosure(difference, point) < enclosure(raised)),
        ),
        decided("the statement holds there", "flint", lambda: bool(enclosure(difference, point) >= 0)),
    ]
