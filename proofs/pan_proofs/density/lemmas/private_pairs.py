"""All pairs of Bernoulli distributions that keep a budget, and the variance of the density that each of them gives.

The mechanism: a user's bit is drawn from ``Bernoulli(p_init)`` at first and from ``Bernoulli(p_upd)`` at each
appearance. The budget binds each outcome in both directions. With ``x = exp(epsilon)`` all is rational.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.ledger.notation import p_init, p_upd, x

Pair = tuple[sp.Expr, sp.Expr]
"""The two probabilities of a one: before and after an appearance."""

Distribution = Mapping[int, sp.Expr]
"""Outcomes and their probabilities."""

tanh_pair: Pair = (1 / (1 + x), x / (1 + x))
"""The pair with parameters ``(1 - t)/2`` and ``(1 + t)/2``, ``t = tanh(epsilon/2)``."""

mirrored_pair: Pair = (x / (1 + x), 1 / (1 + x))
"""The same with a one for absence."""


def bernoulli(parameter: sp.Expr) -> Distribution:
    """The distribution of a bit."""
    return {1: parameter, 0: 1 - parameter}


def slacks(pair: Pair = (p_init, p_upd), factor: sp.Expr = x) -> tuple[sp.Expr, ...]:
    """The rest of the budget: ``x f(b) - g(b)`` for each outcome b and both orders of the two distributions.

    In order: one, appearing against not; one, the other way; zero, not appearing against appearing; zero, the other
    way. The pair keeps the budget if none is negative; sets of outcomes add nothing, since the slacks add.
    """
    before, after = (bernoulli(parameter) for parameter in pair)
    return (
        factor * before[1] - after[1],
        factor * after[1] - before[1],
        factor * after[0] - before[0],
        factor * before[0] - after[0],
    )


def keeps_budget(pair: Pair = (p_init, p_upd)) -> tuple[Relational, ...]:
    """The hypotheses: a budget, two probabilities, and the four constraints."""
    within = tuple(sp.Ge(slack, 0) for slack in slacks(pair))
    return (x > 1, *(bound for one in pair for bound in (sp.Ge(one, 0), sp.Le(one, 1))), *within)


def region_vertices(factor: sp.Expr | Fraction | int | float) -> tuple[Pair, ...]:
    """The vertices of the set of pairs ``(p_init, p_upd)`` that keep a budget, clockwise from the origin.

    Parameters
    ----------
    factor
        ``exp(epsilon)``, above 1: a number or an expression.
    """
    value = sp.sympify(factor)
    if value.is_number and not value > 1:
        raise ValueError(f"exp(epsilon) must be above 1, got {factor}")
    corners = ((0, 0), tanh_pair, (1, 1), mirrored_pair)
    return tuple((sp.sympify(one).subs(x, value), sp.sympify(other).subs(x, value)) for one, other in corners)


def unbiased_variance(distribution: Distribution, pair: Pair) -> sp.Expr:
    """Variance, for a bit of this distribution, of ``(b - p_init)/(p_upd - p_init)``, from its outcomes."""
    return _moment(distribution, pair, 2) - _moment(distribution, pair, 1) ** 2


def unbiased_mean(distribution: Distribution, pair: Pair) -> sp.Expr:
    """The mean of the same."""
    return _moment(distribution, pair, 1)


def _moment(distribution: Distribution, pair: Pair, power: int) -> sp.Expr:
    return sum(((bit - pair[0]) / (pair[1] - pair[0])) ** power * weight for bit, weight in distribution.items())


def density_variance(density: sp.Expr, pair: Pair = (p_init, p_upd)) -> sp.Expr:
    """The sample's size times the variance of the density of a fixed sample, a part ``density`` of it present."""
    absent, present = (unbiased_variance(bernoulli(parameter), pair) for parameter in pair)
    return density * present + (1 - density) * absent
