"""Bias and variance of an estimator that samples users, keeps a random cell for each, and adds noise.

The mechanism: m of U users are sampled without replacement. Each has a cell, from one of two
distributions according to whether the user has appeared. The output is the mean of the cells,
shifted and scaled by the two means, plus Laplace noise. Everything below is computed from those
definitions; no formula of a source is typed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import sympy as sp

m, universe, density, noise = sp.symbols("m U d b", positive=True)
"""Sample size, universe size, density, scale of the output's noise."""

present = sp.symbols("d_M", nonnegative=True)
"""Density of the sampled users."""

_mean_0, _mean_1, _variance_0, _variance_1 = sp.symbols("mu_0 mu_1 v_0 v_1", real=True)


@dataclass(frozen=True)
class Moments:
    """Exact mean and variance of the output.

    Attributes
    ----------
    parameters
        The symbols of the cells' distributions, in order.
    expectation_fixed_sample
        Expectation given the sample, in terms of ``d_M``.
    variance_fixed_sample
        Variance given the sample, in terms of ``d_M``.
    variance_random_sample
        Variance over the sample as well, in terms of ``d`` and ``U``.
    """

    parameters: tuple[sp.Symbol, ...]
    expectation_fixed_sample: sp.Expr
    variance_fixed_sample: sp.Expr
    variance_random_sample: sp.Expr

    @cached_property
    def variance_given_sample(self) -> Callable[..., float]:
        """Numerical variance as a function of ``(d_M, m, b, *parameters)``."""
        return _numerical(self.variance_fixed_sample, (present, m, noise, *self.parameters))

    @cached_property
    def variance_over_samples(self) -> Callable[..., float]:
        """Numerical variance as a function of ``(d, U, m, b, *parameters)``."""
        return _numerical(self.variance_random_sample, (density, universe, m, noise, *self.parameters))


@cache
def bernoulli_moments() -> Moments:
    """For cells ``Bernoulli(p)`` before and ``Bernoulli(q)`` after an appearance; parameters ``(p, q)``."""
    p, q = sp.symbols("p q", positive=True)

    def moments(probability: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
        outcomes = {sp.Integer(1): probability, sp.Integer(0): 1 - probability}
        return _mean_and_variance(lambda power: sum(value**power * weight for value, weight in outcomes.items()))

    return _moments((p, q), moments(p), moments(q))


@cache
def laplace_moments() -> Moments:
    """For cells ``Laplace(u, s)`` before and ``Laplace(w, s)`` after; parameters ``(u, w, s)``."""
    u, w = sp.symbols("u w", real=True)
    scale = sp.symbols("s", positive=True)

    def moments(mean: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
        return _mean_and_variance(lambda power: _laplace_raw_moment(mean, scale, power))

    return _moments((u, w, scale), moments(u), moments(w))


def _moments(
    parameters: tuple[sp.Symbol, ...], before: tuple[sp.Expr, sp.Expr], after: tuple[sp.Expr, sp.Expr]
) -> Moments:
    cells = dict(zip((_mean_0, _variance_0, _mean_1, _variance_1), (*before, *after), strict=True))
    expectation, given_sample, over_samples = _general()
    return Moments(
        parameters,
        sp.simplify(expectation.subs(cells)),
        sp.simplify(given_sample.subs(cells)),
        sp.simplify(over_samples.subs(cells)),
    )


@cache
def _general() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Expectation and variances for cells with given means and variances."""
    # Given the sample, m d_M cells are of the one kind and the rest of the other, all independent.
    sum_mean = m * present * _mean_1 + m * (1 - present) * _mean_0
    sum_variance = m * present * _variance_1 + m * (1 - present) * _variance_0
    gap = _mean_1 - _mean_0
    noise_mean, noise_variance = _mean_and_variance(lambda power: _laplace_raw_moment(sp.Integer(0), noise, power))
    expectation = sp.simplify((sum_mean / m - _mean_0) / gap + noise_mean)
    given_sample = sum_variance / (m * gap) ** 2 + noise_variance
    # Law of total variance: the expectation given the sample is d_M, and the variance is linear in it.
    average = given_sample.subs(present, _sampled_density_mean())
    between = sp.expand(expectation).coeff(present, 1) ** 2 * _sampled_density_variance()
    return expectation, given_sample, sp.simplify(average + between)


def _sampled_density_mean() -> sp.Expr:
    """E[d_M]: every draw is of a user who has appeared with probability D/U, by symmetry."""
    return sp.simplify(m * (density * universe / universe) / m)


def _sampled_density_variance() -> sp.Expr:
    """Var(d_M) from the joint distribution of two draws without replacement."""
    appeared = density * universe
    single = appeared / universe
    both = single * (appeared - 1) / (universe - 1)
    covariance = both - single**2
    return sp.simplify((m * (single - single**2) + m * (m - 1) * covariance) / m**2)


def _mean_and_variance(raw_moment: Callable[[int], sp.Expr]) -> tuple[sp.Expr, sp.Expr]:
    first = sp.simplify(raw_moment(1))
    return first, sp.simplify(raw_moment(2) - first**2)


def _laplace_raw_moment(mean: sp.Expr, scale: sp.Symbol, power: int) -> sp.Expr:
    """E[X^power] by integrating over ``y = abs(x - mean)/scale`` on both sides of the mean."""
    y = sp.symbols("y", positive=True)
    sides = ((mean + scale * y) ** power + (mean - scale * y) ** power) / 2
    return sp.integrate(sp.expand(sides) * sp.exp(-y), (y, 0, sp.oo))


def _numerical(expression: sp.Expr, arguments: tuple[sp.Symbol, ...]) -> Callable[..., float]:
    function: Callable[..., float] = sp.lambdify(arguments, expression, modules="math")
    return function
