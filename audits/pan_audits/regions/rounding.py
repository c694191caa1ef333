"""The law of rounded noise."""

from __future__ import annotations

from flint import fmpq

from pan_audits.regions.exponential import Exponential
from pan_audits.regions.function import End, Function, Piece
from pan_audits.regions.terms import value


def whole_part(law: Function, weight: fmpq, constant: fmpq) -> Function:
    """The probabilities of ``floor(constant + weight * t)`` for a variable t.

    The floor is k if ``constant + weight * t`` lies between k and k + 1: a difference of the integral of the law of t.
    """
    below = (law.cumulative.after(1 / weight, (end - constant) / weight) for end in (fmpq(1), fmpq(0)))
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


def towards_zero(law: Function, weight: fmpq, constant: fmpq) -> Function:
    """The probabilities of ``trunc(constant + weight * t)``, where -1 and 0 below become 0, and -2 becomes -1."""
    down = whole_part(law, weight, constant)
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
