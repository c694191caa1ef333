"""Rigorous values of sympy expressions, as balls of python-flint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from operator import methodcaller
from operator import pow as power
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.evaluation import Arithmetic
from pan_proofs.engines.obligation import load_engine

_METHODS = (sp.exp, sp.log, sp.sinh, sp.cosh, sp.tanh, sp.coth, sp.erf, sp.erfc)
"""Functions that balls have under the same names."""
Box = Mapping[sp.Symbol, tuple[sp.Rational, sp.Rational]]
"""For each symbol the ends of a closed interval."""

_BITS = 128
_PIECES = 60_000


def enclosure(expression: sp.Expr, values: Mapping[sp.Symbol, Any] | None = None) -> Any:
    """A ball that contains the value of an expression.

    Parameters
    ----------
    expression
        Sums, products and powers of rational numbers, pi and symbols; ``exp``, ``log``, the hyperbolic functions,
        ``erf``, ``erfc``, ``Abs``, ``Max`` and ``Min``.
    values
        A ball, or a sympy expression without symbols, for each symbol.

    Returns
    -------
    flint.arb

    Raises
    ------
    MissingEngine
        If python-flint is not installed.
    TypeError
        For an expression of another kind.
    """
    arithmetic = _arithmetic()
    known = {
        symbol: arithmetic.values((value,), {})[0] if isinstance(value, sp.Basic) else value
        for symbol, value in (values or {}).items()
    }
    (ball,) = arithmetic.values((sp.sympify(expression),), known)
    return ball


def ball_function(expressions: tuple[sp.Expr, ...], symbols: tuple[sp.Symbol, ...]) -> Callable[..., list[Any]]:
    """The balls of expressions as a function of those of their symbols; common parts are computed once."""
    return _arithmetic().function(expressions, symbols)


def _arithmetic() -> Arithmetic:
    flint = load_engine("flint")
    flint.ctx.prec = max(flint.ctx.prec, _BITS)
    return _balls(flint.ctx.prec)


def compared(relation: Relational, at: Mapping[sp.Symbol, sp.Expr] | None = None) -> bool | None:
    """Whether a relation between numbers is true; ``None`` if balls do not tell."""
    left, right = (sp.sympify(side).xreplace(dict(at or {})) for side in relation.args)
    difference = enclosure(left - right)
    if left == right:
        return relation.func in (sp.Eq, sp.Le, sp.Ge) if enclosure(left).is_finite() else None
    if difference > 0:
        return relation.func in (sp.Gt, sp.Ge, sp.Ne)
    return relation.func in (sp.Lt, sp.Le, sp.Ne) if difference < 0 else None


def bounds(expression: sp.Expr, values: Mapping[sp.Symbol, Any] | None = None) -> tuple[float, float]:
    """Two floats with the value between them, rounded outwards."""
    ball = enclosure(expression, values)
    middle, radius = float(ball.mid()), float(ball.rad())
    # A float is within 2^-53 of what it rounds; 2^-50 covers the two conversions and the sum.
    reach = radius + abs(middle) * 2.0**-50 + 2.0**-1000
    return middle - reach, middle + reach


def positive_on_box(expression: sp.Expr, box: Box, *, defined: Sequence[sp.Expr] = ()) -> bool:
    """Whether balls show an expression to be positive on a whole box; ``False`` means not shown.

    Boxes on which the ball reaches down to 0 are halved along their relatively widest side, up to a limit;
    one with a centre where the expression is not positive ends the search.

    Parameters
    ----------
    expression
        The expression that must be positive.
    box
        For each symbol its interval.
    defined
        Expressions that must have finite values all over the box, such as parts that cancel in the first.
    """
    arb = load_engine("flint").arb
    values = ball_function((expression, *defined), tuple(box))

    def shown(*at: Any) -> bool:
        value, *others = values(*at)
        return bool(value > 0) and all(one.is_finite() for one in others)

    pending = [
        tuple((Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))) for low, high in box.values())
    ]
    if any(low > high for low, high in pending[0]):
        # Nothing is shown on a box without points.
        return False
    widths = [high - low or 1 for low, high in pending[0]]
    for _ in range(_PIECES):
        if not pending:
            return True
        sides = pending.pop()
        centre = [_rational(arb, (low + high) / 2) for low, high in sides]
        reach = [arb(0, 1) * _rational(arb, (high - low) / 2) for low, high in sides]
        if not shown(*(middle + radius for middle, radius in zip(centre, reach, strict=True))):
            if not shown(*centre):
                return False
            widest = max(range(len(sides)), key=lambda i: (sides[i][1] - sides[i][0]) / widths[i])
            low, high = sides[widest]
            for half in ((low, (low + high) / 2), ((low + high) / 2, high)):
                pending.append((*sides[:widest], half, *sides[widest + 1 :]))
    return not pending


def _rational(arb: Any, number: Fraction) -> Any:
    return arb(number.numerator) / number.denominator


@cache
def _balls(bits: int) -> Arithmetic:
    """The arithmetic of balls; those of constants are made with this many bits."""
    arb = load_engine("flint").arb

    def number(constant: sp.Expr) -> Any:
        if constant is sp.E:
            return arb(1).exp()
        return arb.pi() if constant is sp.pi else arb(int(constant.p)) / int(constant.q)

    named = {kind: methodcaller(kind.__name__) for kind in _METHODS}
    chosen = {sp.Abs: abs, sp.Max: arb.max, sp.Min: arb.min}
    return Arithmetic("ball", number, {**named, **chosen, sp.Pow: power})
