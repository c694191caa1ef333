"""Derivatives at a point by power series in balls, without sympy's rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.evaluation import Arithmetic
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
