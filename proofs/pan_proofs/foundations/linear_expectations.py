"""Expectations as linear functionals: a polynomial in random variables, integrated from the moments that are known.

There is no assumption on the set on which the variables live: only that the integral is linear and that
the moments given are the right ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp


class UnknownMoment(KeyError):  # noqa: N818 - it names what is missing
    """The polynomial has a monomial whose expectation was not given."""


def expectation(
    polynomial: sp.Expr, variables: Sequence[sp.Symbol], moments: Mapping[sp.Expr, sp.Expr], mass: sp.Expr = sp.S.One
) -> sp.Expr:
    """Expectation of a polynomial, monomial by monomial.

    Parameters
    ----------
    polynomial
        A polynomial in the random variables; other symbols are constants.
    variables
        The random variables.
    moments
        The expectation of each of their monomials that occurs, besides the constant.
    mass
        Total mass of the measure.

    Raises
    ------
    UnknownMoment
        If a monomial occurs whose expectation was not given.
    """
    total = sp.S.Zero
    for powers, coefficient in sp.Poly(sp.expand(polynomial), *variables).terms():
        monomial = sp.Mul(*(variable**power for variable, power in zip(variables, powers, strict=True)))
        if monomial != 1 and monomial not in moments:
            raise UnknownMoment(f"the expectation of {monomial} is not known")
        total += coefficient * (mass if monomial == 1 else moments[monomial])
    return total


def residual(square: sp.Expr, product: sp.Expr, norm: sp.Expr) -> sp.Expr:
    """``E[(h - a s)^2]`` for ``a = E[h s]/E[s^2]``, by linearity.

    Parameters
    ----------
    square, product, norm
        ``E[h^2]``, ``E[h s]`` and ``E[s^2]``.
    """
    h, s = sp.symbols("h s", real=True)
    moments = {h**2: square, h * s: product, s**2: norm}
    return expectation((h - product / norm * s) ** 2, (h, s), moments)
