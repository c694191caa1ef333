"""Bias and mean squared error of an estimate from random cells, for a fixed sample, a random one, and random users.

A sample M of m users; independent cells, from one distribution for the users who have not appeared and from another for
those who have; the output is the mean of the cells, brought to the scale on which the two distributions have the means
0 and 1, plus independent noise of mean 0. Second moments of sums are sums over ordered pairs of terms, which is why the
formulas hold for all m, U and densities at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

import sympy as sp

from pan_proofs.foundations.distributions import (
    Distribution,
    FiniteDistribution,
    KnownMoments,
    LaplaceDistribution,
    bernoulli,
    mean,
    variance,
)
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.ledger.notation import density, epsilon, m, present, scale, t, universe

coin = sp.Symbol("delta", nonnegative=True)
"""Probability with which each user appears, where the users are random."""

_sum, _noise = sp.symbols("s z", real=True)

Moments = tuple[sp.Expr, sp.Expr]
"""First and second raw moment."""


def indicator_sum(count: sp.Expr, single: sp.Expr, both: sp.Expr) -> Moments:
    """Moments of a sum of ``count`` indicators, each 1 with one probability and each two with another.

    The square is the sum over ordered pairs: ``count`` of an indicator with itself, the others of two.
    """
    return count * single, count * single + count * (count - 1) * both


def inclusion(drawn: sp.Expr = m, among: sp.Expr = universe) -> Moments:
    """Probability that a uniform sample without replacement contains one given user, and two: ratios of binomials."""
    samples = sp.binomial(among, drawn)
    return tuple(sp.combsimp(sp.binomial(among - held, drawn - held) / samples) for held in (1, 2))


def sampled_density() -> Moments:
    """Moments of d(S_M) for a uniform sample without replacement: ``d U`` users have appeared."""
    first, second = indicator_sum(density * universe, *inclusion())
    return first / m, second / m**2


def coin_density(size: sp.Expr = m) -> Moments:
    """Moments of the density of ``size`` users who appear independently with probability ``delta``."""
    first, second = indicator_sum(size, coin, coin**2)
    return first / size, second / size**2


@dataclass(frozen=True)
class CellEstimate:
    """The estimator.

    Attributes
    ----------
    initial
        Distribution of the cell of a user who has not appeared.
    updated
        Distribution of the cell of a user who has, however often.
    noise
        Distribution of the output's noise, with mean 0.
    """

    initial: Distribution
    updated: Distribution
    noise: Distribution

    @cached_property
    def gap(self) -> sp.Expr:
        """Distance of the two means."""
        return mean(self.updated) - mean(self.initial)

    @cached_property
    def sum_of_cells(self) -> Moments:
        """Moments of the sum of the cells given the sample, of whose users ``m d_M`` have appeared.

        Products of two different cells have, by independence, the product of their means.
        """
        counts = {True: m * present, False: m * (1 - present)}
        distributions = {True: self.updated, False: self.initial}
        first = sum(counts[kind] * distributions[kind].moment(1) for kind in counts)
        squares = sum(counts[kind] * distributions[kind].moment(2) for kind in counts)
        products = sum(
            counts[one]
            * (counts[other] - (1 if one is other else 0))
            * distributions[one].moment(1)
            * distributions[other].moment(1)
            for one in counts
            for other in counts
        )
        return first, squares + products

    def mean_of_cells(self) -> sp.Expr:
        """``E[d_hat | M]``, where d_hat is the mean of the cells."""
        return self.sum_of_cells[0] / m

    @property
    def variance_of_cells(self) -> sp.Expr:
        """``Var(d_hat | M)``."""
        first, second = self.sum_of_cells
        return (second - first**2) / m**2

    def expectation(self) -> sp.Expr:
        """``E[d_tilde | M]``."""
        return self._expected(self._output)

    def error(self, target: sp.Expr) -> sp.Expr:
        """``E[(d_tilde - target)^2 | M]``."""
        return self._expected((self._output - target) ** 2)

    def averaged_error(self, target: sp.Expr, densities: Moments) -> sp.Expr:
        """``E[(d_tilde - target)^2]`` when d(S_M) is random with the given moments; ``target`` may contain it."""
        return averaged(self.error(target), densities)

    @property
    def _output(self) -> sp.Expr:
        return (_sum / m - mean(self.initial)) / self.gap + _noise

    def _expected(self, polynomial: sp.Expr) -> sp.Expr:
        first, second = self.sum_of_cells
        centre, square = self.noise.moment(1), self.noise.moment(2)
        moments = {_sum: first, _sum**2: second, _noise: centre, _noise**2: square, _sum * _noise: first * centre}
        return expectation(polynomial, (_sum, _noise), moments)


def averaged(polynomial: sp.Expr, densities: Moments) -> sp.Expr:
    """Expectation of a polynomial in d(S_M) of degree 2 at most."""
    first, second = densities
    return expectation(polynomial, (present,), {present: first, present**2: second})


_noise_scale = sp.Symbol("b", positive=True)
_CELLS: dict[str, tuple[tuple[sp.Symbol, ...], Callable[..., tuple[Distribution, Distribution]]]] = {
    "bits": (sp.symbols("p q", real=True), lambda p, q: (bernoulli(p), bernoulli(q))),
    "laplace": (
        sp.symbols("u v s", real=True),
        lambda u, v, s: (LaplaceDistribution(u, s), LaplaceDistribution(v, s)),
    ),
}
"""Parameters of cells and their distributions before and after an appearance."""


@cache
def error_functions(cells: str) -> tuple[Callable[..., float], Callable[..., float]]:
    """Numerical variance of the output with Laplace noise: for a fixed sample, and over uniform samples.

    Parameters
    ----------
    cells
        ``"bits"`` with the parameters ``(p, q)``, or ``"laplace"`` with ``(u, v, s)``.

    Returns
    -------
    tuple of two functions
        Of ``(d_M, m, b, *parameters)`` and of ``(d, U, m, b, *parameters)``, where b is the scale of the noise.
    """
    parameters, distributions = _CELLS[cells]
    before, after = distributions(*parameters)
    known = {_gap: mean(after) - mean(before), _before: variance(before), _after: variance(after)}
    arguments = (present,), (density, universe)
    given, over = (
        sp.lambdify((*first, m, _noise_scale, *parameters), error.subs(known), modules="math")
        for first, error in zip(arguments, _errors(), strict=True)
    )
    return given, over


_start, _gap, _before, _after = sp.symbols("mu g v_0 v_1", real=True)


@cache
def _errors() -> tuple[sp.Expr, sp.Expr]:
    """For a fixed and for a uniform sample, in the gap of the means and the variances: no differences of squares."""
    kinds = KnownMoments(_start, _before), KnownMoments(_start + _gap, _after)
    estimate = CellEstimate(*kinds, LaplaceDistribution(sp.S.Zero, _noise_scale))
    return sp.factor(estimate.error(present)), sp.factor(estimate.averaged_error(density, sampled_density()))


# The published estimators.

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
