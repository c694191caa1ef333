"""Derivatives at a point by power series in balls, without sympy's rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.obligation import load_engine

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
        place = flint.arb_series([enclosure(at[variable]), 1], 3)
        difference = _series(flint, expression, {**at, variable: place})[1] - enclosure(slope, at)
    finally:
        flint.ctx.prec = bits
    return bool(difference.is_finite() and difference.contains(0) and float(difference.rad()) < _RADIUS)


def _series(flint: Any, expression: sp.Expr, values: Mapping[sp.Symbol, Any]) -> Any:
    """The expression as a power series in the variable, by flint's arithmetic alone."""
    if expression.is_Symbol:
        given = values[expression]
        return given if isinstance(given, flint.arb_series) else flint.arb_series([enclosure(given)], 3)
    if expression.is_Rational:
        return flint.arb_series([enclosure(expression)], 3)
    parts = [
        _series(flint, part, values) for part in expression.args if not (expression.is_Pow and part is expression.exp)
    ]
    if isinstance(expression, (sp.log, sp.exp)):
        return parts[0].log() if isinstance(expression, sp.log) else parts[0].exp()
    if expression.is_Pow and expression.exp.is_Integer:
        power = int(expression.exp)
        raised = flint.arb_series([1], 3)
        for _ in range(abs(power)):
            raised = raised * parts[0]
        return raised if power >= 0 else flint.arb_series([1], 3) / raised
    if expression.is_Add or expression.is_Mul:
        total = parts[0]
        for part in parts[1:]:
            total = total + part if expression.is_Add else total * part
        return total
    raise TypeError(f"no series for expressions like {expression!r}")
