"""Densities of noise as functions, and their rounding to integers.

Densities of continuous noise, and probabilities of integer noise, as piecewise functions.

The distribution of rounded noise.
"""

from __future__ import annotations

from flint import fmpq

from pan_audits.choices.regions.exponential import UNIT, Exponential
from pan_audits.choices.regions.function import CONSTANT, ONE, ZERO, End, Function, Piece, value

Ratio = tuple[fmpq, fmpq]
"""A number ``factor * e^exponent`` between 0 and 1, as factor and exponent."""


def laplace(rate: fmpq) -> Function:
    """The density ``rate/2 exp(-rate abs(t))``."""
    half = Exponential.of(rate / 2)
    return Function((Piece(None, ZERO, {(ONE, rate, 0): half}), Piece(ZERO, None, {(ONE, -rate, 0): half})), False)


def exponential(rate: fmpq) -> Function:
    """The density ``rate exp(-rate t)`` for ``t > 0``."""
    return Function((Piece(ZERO, None, {(ONE, -rate, 0): Exponential.of(rate)}),), False)


def uniform() -> Function:
    """The density 1 from 0 to 1."""
    return Function((Piece(ZERO, ONE, {CONSTANT: UNIT}),), False)


def two_sided_geometric(up: Ratio, down: Ratio) -> Function:
    """Integers with probability proportional to ``up**k`` from 0 on, and to ``down**-k`` below."""
    above, below = (Exponential.power(exponent, factor) for factor, exponent in (up, down))
    at_zero = UNIT / (UNIT / (UNIT - above) + below / (UNIT - below))
    right = Piece(ZERO, None, {(*up, 0): at_zero})
    if below.is_zero:
        return Function((right,), True)
    return Function((Piece(None, ZERO, {(ONE / down[0], -down[1], 0): at_zero}), right), True)


def whole_part(distribution: Function, weight: fmpq, constant: fmpq) -> Function:
    """The probabilities of ``floor(constant + weight * t)`` for a variable t.

    The floor is k if ``constant + weight * t`` lies between k and k + 1: a difference of the integral of the
    distribution of t.
    """
    below = (distribution.cumulative.after(1 / weight, (end - constant) / weight) for end in (fmpq(1), fmpq(0)))
    upper, lower = (_on_integers(function) for function in below)
    between = _without_impossible(upper.plus(lower, -Exponential.of(fmpq(1))))
    return between if weight > 0 else between.scaled(-Exponential.of(fmpq(1)))


def _without_impossible(function: Function) -> Function:
    """Without the ends of pieces where it is 0: an integer with probability 0 is not possible."""
    made = []
    for piece in function.pieces:
        low, high = piece.low, piece.high
        if low is not None and value(piece.terms, low).is_zero:
            low = low + 1
        if high is not None and (low is None or low < high) and value(piece.terms, high - 1).is_zero:
            high = high - 1
        if low is None or high is None or low < high:
            made.append(Piece(low, high, piece.terms))
    return Function(tuple(made), discrete=True)


def towards_zero(distribution: Function, weight: fmpq, constant: fmpq) -> Function:
    """The probabilities of ``trunc(constant + weight * t)``, where -1 and 0 below become 0, and -2 becomes -1."""
    down = whole_part(distribution, weight, constant)
    one = fmpq(1)
    zero = Function.at_one(fmpq(0)).scaled(down.at(fmpq(0)) + down.at(-one))
    below = down.after(one, -one).within(None, fmpq(0))
    above = down.within(one, None)
    return below.plus(zero).plus(above)


def _on_integers(function: Function) -> Function:
    """A continuous function at the integers."""
    made = []
    for piece in function.pieces:
        low, high = _first_integer(piece.low), _first_integer(piece.high)
        if low is None or high is None or low < high:
            made.append(Piece(low, high, piece.terms))
    return Function(tuple(made), discrete=True)


def _first_integer(end: End) -> End:
    return None if end is None else fmpq(end.ceil())
