"""The published estimators, by the distributions of their cells and of their noise."""

from __future__ import annotations

from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.errors.estimate_errors import CellEstimate
from pan_proofs.foundations.distributions import FiniteDistribution, LaplaceDistribution, bernoulli
from pan_proofs.ledger.notation import epsilon, m, scale, t

half = sp.Rational(1, 2)
initial_mean = sp.Symbol("mu_init", real=True)
"""Mean of the Laplace cell of a user who has not appeared."""


def output_noise() -> LaplaceDistribution:
    """The noise of every published output."""
    return LaplaceDistribution(sp.S.Zero, 1 / (epsilon * m))


def dwork_bits() -> tuple[FiniteDistribution, FiniteDistribution]:
    """Bits with the parameters 1/2 and 1/2 + epsilon/4."""
    return bernoulli(half), bernoulli(half + epsilon / 4)


def optimal_bits() -> tuple[FiniteDistribution, FiniteDistribution]:
    """Bits with the parameters (1 - t)/2 and (1 + t)/2, where ``t = tanh(epsilon/2)``."""
    return bernoulli((1 - t) / 2), bernoulli((1 + t) / 2)


def dwork() -> CellEstimate:
    """Algorithm 1."""
    return CellEstimate(*dwork_bits(), output_noise())


def optimal_bernoulli() -> CellEstimate:
    """Algorithm 2."""
    return CellEstimate(*optimal_bits(), output_noise())


def laplace_cells() -> CellEstimate:
    """Algorithm 4.3 of the thesis: real cells of one scale b, with means at the distance ``epsilon b``."""
    updated = initial_mean + epsilon * scale
    return CellEstimate(LaplaceDistribution(initial_mean, scale), LaplaceDistribution(updated, scale), output_noise())


def variance_by_outcomes(cells: tuple[FiniteDistribution, ...]) -> sp.Expr:
    """Variance of the mean of a few independent cells, as a sum over all of their outcomes."""
    moments = [sp.S.Zero, sp.S.Zero]
    for outcome in product(*(cell.outcomes for cell in cells)):
        average = sum(value for value, _ in outcome) / sp.Integer(len(cells))
        weight = sp.Mul(*(chance for _, chance in outcome))
        moments = [moments[0] + average * weight, moments[1] + average**2 * weight]
    return moments[1] - moments[0] ** 2
