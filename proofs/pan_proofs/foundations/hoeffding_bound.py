"""Hoeffding's bound for sums of bits, computed from the moment generating function of one bit."""

from __future__ import annotations

from functools import cache

import sympy as sp

probability = sp.Symbol("p", positive=True)
"""Probability of a one."""
tilt = sp.Symbol("lambda", real=True)
"""The exponent's factor."""
deviation = sp.Symbol("s", positive=True)
"""Deviation of the mean."""
count = sp.Symbol("m", positive=True, integer=True)
"""Number of bits."""

BIT = ((sp.Integer(1), probability), (sp.Integer(0), 1 - probability))
"""A bit's outcomes with their probabilities."""


def centred_moment() -> sp.Expr:
    """``E exp(lambda (b - p))`` for one bit, summed over its outcomes."""
    mean = sum(value * weight for value, weight in BIT)
    return sum(weight * sp.exp(tilt * (value - mean)) for value, weight in BIT)


def cumulant() -> sp.Expr:
    """The logarithm of :func:`centred_moment`, with the factor ``exp(-lambda p)`` taken out."""
    inside = sp.expand(sp.powsimp(sp.expand(centred_moment() * sp.exp(tilt * probability))))
    return sp.log(inside) - tilt * probability


@cache
def exponent() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The exponent to be minimised, where it is least, and its least value."""
    start = count * tilt**2 / 8 - tilt * count * deviation
    (best,) = sp.solve(sp.diff(start, tilt), tilt)
    return start, best, sp.expand(start.subs(tilt, best))


def one_sided(bits: sp.Expr, distance: sp.Expr) -> sp.Expr:
    """The bound on the probability that the mean of ``bits`` bits exceeds its expectation by ``distance``."""
    return sp.exp(exponent()[2].subs({count: bits, deviation: distance}, simultaneous=True))


def two_sided(bits: sp.Expr, distance: sp.Expr) -> sp.Expr:
    """The same for a deviation to either side."""
    return 2 * one_sided(bits, distance)


def laplace_tail(noise_scale: sp.Expr, distance: sp.Expr, *, sides: int = 2) -> sp.Expr:
    """Probability that Laplace noise is at least ``distance`` in size (or above it), by integrating its density."""
    value, start, scale = sp.symbols("y s b", positive=True)
    tail = sp.integrate(sp.exp(-value / scale) / (2 * scale), (value, start, sp.oo))
    return sides * sp.simplify(tail).subs({scale: noise_scale, start: distance}, simultaneous=True)
