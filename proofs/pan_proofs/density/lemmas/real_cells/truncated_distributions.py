"""Laplace cells truncated to an interval: masses, moments and what they mean for the estimator.

In the unit of the scale b, centred at 1/2: the interval is ``[-L, L]`` with ``L = 1/(2b)``, the means lie at
``-eta`` and ``eta`` with ``eta = epsilon/2``, and ``eta <= L`` says that they lie in ``[0, 1]``.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from pan_proofs.foundations.laplace_integrals import laplace_integral

eta, reach = sp.symbols("eta L", positive=True)
"""Half the distance of the means, and half the length of the interval."""
_slack = sp.Symbol("k", nonnegative=True)
_z = sp.Symbol("z", real=True)
_ONE = sp.Integer(1)
_tail = sp.exp(-reach)


@cache
def integral(function: sp.Expr = _ONE, *, sign: int = 1, low: sp.Expr | None = None) -> sp.Expr:
    """Integral of a function of ``z`` against the density with mean ``sign * eta``, over ``[low, L]``."""
    high = eta + _slack  # so that sympy knows the order of -L, -eta, eta and L
    start = -high if low is None else low
    found = laplace_integral(function, _z, sign * eta, sp.Integer(1), start, high)
    return sp.expand(sp.powsimp(sp.expand(found.subs(_slack, reach - eta))))


def normaliser(*, sign: int = 1) -> sp.Expr:
    """Probability of the interval under the untruncated distribution."""
    return integral(sign=sign)


def mean(*, sign: int = 1) -> sp.Expr:
    """Mean of the truncated distribution."""
    return integral(_z, sign=sign) / normaliser(sign=sign)


def variance(*, sign: int = 1) -> sp.Expr:
    """Variance of the truncated distribution."""
    return integral(_z**2, sign=sign) / normaliser(sign=sign) - mean(sign=sign) ** 2


def user_variance() -> sp.Expr:
    """Variance of a cell over the square of the distance of the means: what one user adds, times ``m^2``."""
    return variance() / (mean() - mean(sign=-1)) ** 2


def closed_mean() -> sp.Expr:
    """The mean by hyperbolic functions."""
    return (eta - (reach + 1) * _tail * sp.sinh(eta)) / (1 - _tail * sp.cosh(eta))


def closed_square() -> sp.Expr:
    """The mean square by hyperbolic functions."""
    return (2 + eta**2 - (reach**2 + 2 * reach + 2) * _tail * sp.cosh(eta)) / (1 - _tail * sp.cosh(eta))


def closed_total_variation() -> sp.Expr:
    """The largest difference of two probabilities, by hyperbolic functions."""
    return (1 - sp.exp(-eta) - _tail * sp.sinh(eta)) / (1 - _tail * sp.cosh(eta))


def total_variation() -> sp.Expr:
    """Largest difference of the probabilities of an event, at ``z > 0``, for the truncated distributions."""
    halves = (integral(sign=sign, low=sp.Integer(0)) / normaliser(sign=sign) for sign in (1, -1))
    return next(halves) - next(halves)


def untruncated_variation() -> sp.Expr:
    """The same for the distributions on the whole line."""
    halves = [laplace_integral(sp.Integer(1), _z, sign * eta, sp.Integer(1), sp.Integer(0), sp.oo) for sign in (1, -1)]
    return halves[0] - halves[1]
