"""The Laplace density, and integrals against it, taken apart where its exponent changes sign."""

from __future__ import annotations

import sympy as sp


def laplace_density(place: sp.Expr, centre: sp.Expr, width: sp.Expr) -> sp.Expr:
    """Density of ``Laplace(centre, width)``."""
    return sp.exp(-sp.Abs(place - centre) / width) / (2 * width)


def laplace_integral(
    function: sp.Expr, variable: sp.Symbol, centre: sp.Expr, width: sp.Expr, low: sp.Expr, high: sp.Expr
) -> sp.Expr:
    """Integral of a function times the density of ``Laplace(centre, width)`` from ``low`` to ``high``.

    Raises
    ------
    ValueError
        If the assumptions on the symbols do not tell on which side of the centre the ends lie.
    """
    left = sp.exp((variable - centre) / width) / (2 * width)
    right = sp.exp(-(variable - centre) / width) / (2 * width)
    above, below = (_distance(end, centre) for end in (high, low))
    if above.is_extended_nonpositive:
        return _antiderivative_between(function * left, variable, low, high)
    if below.is_extended_nonnegative:
        return _antiderivative_between(function * right, variable, low, high)
    if below.is_extended_nonpositive and above.is_extended_nonnegative:
        rising = _antiderivative_between(function * left, variable, low, centre)
        return rising + _antiderivative_between(function * right, variable, centre, high)
    raise ValueError(f"cannot tell whether {centre} lies between {low} and {high}")


def _distance(end: sp.Expr, centre: sp.Expr) -> sp.Expr:
    return end if end in (sp.oo, -sp.oo) else sp.expand(end - centre)


def laplace_generating_function(width: sp.Expr, at: sp.Expr) -> sp.Expr:
    """``E exp(at (X - mu))`` for ``X ~ Laplace(mu, width)`` and ``|at| < 1/width``, unsimplified."""
    z = sp.Symbol("z", real=True)
    # Both rates are positive for |at| < 1/width; as symbols of their own they make the integrals converge.
    rising, falling = sp.symbols("r_1 r_2", positive=True)
    below = sp.integrate(sp.exp(rising * z), (z, -sp.oo, 0)) / (2 * width)
    above = sp.integrate(sp.exp(-falling * z), (z, 0, sp.oo)) / (2 * width)
    return below.subs(rising, 1 / width + at) + above.subs(falling, 1 / width - at)


def _antiderivative_between(integrand: sp.Expr, variable: sp.Symbol, low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """A polynomial times an exponential, integrated; at an infinite end the antiderivative vanishes."""
    primitive = sp.integrate(sp.expand(integrand), variable)
    at_high, at_low = (
        sp.Integer(0) if end in (sp.oo, -sp.oo) else primitive.subs(variable, end) for end in (high, low)
    )
    return sp.expand(at_high - at_low)
