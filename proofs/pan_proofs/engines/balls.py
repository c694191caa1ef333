"""Rigorous values of sympy expressions, as balls of python-flint."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import sympy as sp

from pan_proofs.engines.obligation import load_engine

_FUNCTIONS: dict[Any, Callable[[Any], Any]] = {
    sp.exp: lambda ball: ball.exp(),
    sp.log: lambda ball: ball.log(),
    sp.sinh: lambda ball: ball.sinh(),
    sp.cosh: lambda ball: ball.cosh(),
    sp.tanh: lambda ball: ball.tanh(),
    sp.coth: lambda ball: ball.coth(),
    sp.Abs: abs,
    sp.erf: lambda ball: ball.erf(),
    sp.erfc: lambda ball: ball.erfc(),
}
Box = Mapping[sp.Symbol, tuple[sp.Rational, sp.Rational]]
"""For each symbol the ends of a closed interval."""

_Evaluation = Callable[[Mapping[sp.Symbol, Any]], Any]

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
    flint = load_engine("flint")
    flint.ctx.prec = max(flint.ctx.prec, _BITS)
    known = {
        symbol: _compiled(value, flint.ctx.prec)({}) if isinstance(value, sp.Basic) else value
        for symbol, value in (values or {}).items()
    }
    return _compiled(sp.sympify(expression), flint.ctx.prec)(known)


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
        centre = {symbol: _rational(arb, (low + high) / 2) for symbol, (low, high) in zip(box, sides, strict=True)}
        piece = {
            symbol: centre[symbol] + arb(0, 1) * _rational(arb, (high - low) / 2)
            for symbol, (low, high) in zip(box, sides, strict=True)
        }
        if not (enclosure(expression, piece) > 0 and _finite(defined, piece)):
            if not (enclosure(expression, centre) > 0 and _finite(defined, centre)):
                return False
            widest = max(range(len(sides)), key=lambda i: (sides[i][1] - sides[i][0]) / widths[i])
            low, high = sides[widest]
            for half in ((low, (low + high) / 2), ((low + high) / 2, high)):
                pending.append((*sides[:widest], half, *sides[widest + 1 :]))
    return not pending


def _finite(expressions: Sequence[sp.Expr], values: Mapping[sp.Symbol, Any]) -> bool:
    return all(enclosure(one, values).is_finite() for one in expressions)


def _rational(arb: Any, number: Fraction) -> Any:
    return arb(number.numerator) / number.denominator


def _combination(expression: sp.Expr) -> Callable[[Any, Any], Any]:
    if expression.is_Add:
        return operator.add
    if expression.is_Mul:
        return operator.mul
    return (lambda a, b: a.max(b)) if isinstance(expression, sp.Max) else (lambda a, b: a.min(b))


@lru_cache(maxsize=2000)
def _compiled(expression: sp.Expr, bits: int) -> _Evaluation:
    """The balls of an expression as a function of those of its symbols, so that many points need it read once.

    The balls of its numbers are made here, with this many bits.
    """
    arb = load_engine("flint").arb
    if expression.is_Symbol:
        return operator.itemgetter(expression)
    if expression.is_Rational:
        return _constant(arb(int(expression.p)) / int(expression.q))
    if expression is sp.E:
        return _constant(arb(1).exp())
    if expression is sp.pi:
        return _constant(arb.pi())
    if expression.is_Pow and expression.base is not sp.E:
        base = _compiled(expression.base, bits)
        return _power(base, expression.exp, bits)
    parts = [_compiled(part, bits) for part in expression.args]
    if expression.func in _FUNCTIONS:
        function, (part, *_) = _FUNCTIONS[expression.func], parts
        return lambda values: function(part(values))
    if expression.is_Add or expression.is_Mul or isinstance(expression, (sp.Max, sp.Min)):
        combine = _combination(expression)
        return lambda values: reduce(combine, [part(values) for part in parts])
    raise TypeError(f"no ball for expressions like {expression!r}")


def _constant(ball: Any) -> _Evaluation:
    return lambda _: ball


def _power(base: _Evaluation, exponent: sp.Expr, bits: int) -> _Evaluation:
    if not exponent.is_Integer:
        power = _compiled(exponent, bits)
        return lambda values: base(values) ** power(values)
    times = int(exponent)
    return (lambda values: base(values) ** times) if times >= 0 else (lambda values: 1 / base(values) ** -times)
