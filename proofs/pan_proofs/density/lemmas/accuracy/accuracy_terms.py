"""The three sources of error of a sampled density estimator, with the bound on each and the size that it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from pan_proofs.foundations.hoeffding_bound import laplace_tail, two_sided
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, density, epsilon, m, present

PAIRS: dict[str, tuple[sp.Expr, sp.Expr]] = {
    "dwork": (sp.Rational(1, 2), sp.Rational(1, 2) + epsilon / 4),
    "optimal": ((1 - sp.tanh(epsilon / 2)) / 2, (1 + sp.tanh(epsilon / 2)) / 2),
}
"""Probabilities of a one before and after an appearance."""


@dataclass(frozen=True)
class AccuracyTerms:
    """The split of the error and what follows from it.

    Attributes
    ----------
    gap
        Difference of the two probabilities.
    parts
        The error's three parts: of the sample, of the cells and of the noise; each a multiple of a random variable.
    thresholds
        The least deviation of the sample, of the cells and of the noise for each event.
    sampling, cells, noise
        The bounds on the three probabilities; the last is the probability itself.
    sizes
        The least real sample sizes for which they are at most ``delta_3 beta``, ``delta_4 beta`` and the rest.
    """

    gap: sp.Expr
    parts: tuple[sp.Expr, sp.Expr, sp.Expr]
    thresholds: tuple[sp.Expr, sp.Expr, sp.Expr]
    sampling: sp.Expr
    cells: sp.Expr
    noise: sp.Expr
    sizes: tuple[sp.Expr, sp.Expr, sp.Expr]


mean_bit, laplace = sp.symbols("theta Lambda", real=True)
"""The mean of the bits, and the noise of the output."""


def output(pair: str) -> sp.Expr:
    """The estimate: the bits' mean, shifted and scaled, with noise."""
    before, after = PAIRS[pair]
    return (mean_bit - before) / (after - before) + laplace


def expected_bit(pair: str) -> sp.Expr:
    """Expectation of the bits' mean given the sample, a share ``d_M`` of which has appeared."""
    before, after = PAIRS[pair]
    return present * after + (1 - present) * before


@cache
def accuracy_terms(pair: str) -> AccuracyTerms:
    """Compute everything from the two probabilities."""
    gap = PAIRS[pair][1] - PAIRS[pair][0]
    parts = (present - density, (mean_bit - expected_bit(pair)) / gap, laplace)
    # The lemma on sums is applied twice: shares 1 - delta_1 and delta_1, the latter split by delta_2.
    shares = ((1 - delta_1), delta_1 * (1 - delta_2), delta_1 * delta_2)
    thresholds = (alpha * shares[0], gap * alpha * shares[1], alpha * shares[2])
    sampling, cells = (two_sided(m, distance) for distance in thresholds[:2])
    noise = laplace_tail(1 / (epsilon * m), thresholds[2])
    goals = (delta_3 * beta, delta_4 * beta, (1 - delta_3 - delta_4) * beta)
    sizes = (least_size(sampling, goals[0]), least_size(cells, goals[1]), least_size(noise, goals[2]))
    return AccuracyTerms(gap, parts, thresholds, sampling, cells, noise, sizes)


def total_bound(terms: AccuracyTerms) -> sp.Expr:
    """The sum of the three bounds."""
    return terms.sampling + terms.cells + terms.noise


def rate(bound: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Factor and rate of a bound ``factor * exp(-rate * m)``."""
    factor = bound.subs(m, 0)
    speed = sp.simplify(-sp.diff(bound, m) / bound)
    return factor, speed


def least_size(bound: sp.Expr, goal: sp.Expr) -> sp.Expr:
    """The size at which ``factor * exp(-rate * m)`` equals the goal, by solving for the exponent."""
    factor, speed = rate(bound)
    return sp.log(factor / goal) / speed
