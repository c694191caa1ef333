"""Densities of continuous noise, and probabilities of integer noise, as piecewise functions."""

from __future__ import annotations

from flint import fmpq

from pan_audits.regions.exponential import UNIT, Exponential
from pan_audits.regions.function import Function, Piece
from pan_audits.regions.terms import ONE, ZERO

Ratio = tuple[fmpq, fmpq]
"""A number ``factor * e^exponent`` between 0 and 1, as factor and exponent."""


def laplace(rate: fmpq) -> Function:
    """The density ``rate/2 exp(-rate abs(t))``."""
    half = Exponential.of(rate / 2)
    return Function((Piece(None, ZERO, {(ONE, rate, 0): half}), Piece(ZERO, None, {(ONE, -rate, 0): half})), False)


def exponential(rate: fmpq) -> Function:
    """The density ``rate exp(-rate t)`` for ``t > 0``."""
    return Function((Piece(ZERO, None, {(ONE, -rate, 0): Exponential.of(rate)}),), False)


def two_sided_geometric(up: Ratio, down: Ratio) -> Function:
    """Integers with probability proportional to ``up**k`` from 0 on, and to ``down**-k`` below."""
    above, below = (Exponential.power(exponent, factor) for factor, exponent in (up, down))
    at_zero = UNIT / (UNIT / (UNIT - above) + below / (UNIT - below))
    right = Piece(ZERO, None, {(*up, 0): at_zero})
    if below.is_zero:
        return Function((right,), True)
    return Function((Piece(None, ZERO, {(ONE / down[0], -down[1], 0): at_zero}), right), True)
