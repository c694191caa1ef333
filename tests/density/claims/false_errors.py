"""Deliberately false statements about errors of estimates: none may come out as proved."""

from collections.abc import Callable

import sympy as sp

from pan_proofs.density.lemmas.errors.error_steps import bounded, derived, finite_population
from pan_proofs.density.lemmas.errors.estimate_errors import CellEstimate, coin, coin_density, sampled_density
from pan_proofs.density.lemmas.errors.published_estimates import dwork, laplace_cells, optimal_bernoulli
from pan_proofs.foundations.distributions import KnownMoments, TwoSidedGeometric, bernoulli, variance
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import density, epsilon, m, present, t, universe

_half = sp.Rational(1, 2)
_noise = 2 / (m**2 * epsilon**2)
_ratio = sp.Symbol("r", positive=True)
_value = sp.Symbol("nu", real=True)


def _claim(name: str, statement: str, *steps: Step) -> Claim:
    return Claim(
        id=f"false.{name}",
        title=name,
        references=(Reference("here", "false on purpose"),),
        statement=statement,
        parts=(Part(Role.PUBLISHED, name, statement, steps, no_formula="the steps are tested"),),
    )


def dwork_bound_with_half_the_noise() -> Claim:
    step = bounded(
        "bound",
        "",
        dwork().error(present),
        (4 * m + 1) / (m**2 * epsilon**2),
        lambda d, e, size: (size >= 1, e > 0, d >= 0, d <= 1),
        {present: 0, m: 1, epsilon: _half},
        (r"V &\le \frac{4m+1}{m^2\varepsilon^2}",),
    )
    return _claim("dwork_half_the_noise", r"the error is at most $(4m+1)/(m^2\varepsilon^2)$", step)


def dwork_error_that_grows() -> Claim:
    stated = 4 / (m * epsilon**2) + present / m + _noise
    step = derived("error", "", "V", dwork().error(present), stated)
    return _claim("dwork_grows", r"the error of Dwork's estimator grows by $d/m$", step)


def optbern_displays_for_a_fixed_sample() -> Claim:
    stated = (1 - t**2) / (4 * m * t**2) + present * (1 - present) / m + _noise
    step = derived("error", "", "V", optimal_bernoulli().error(present), stated)
    return _claim("optbern_fixed", r"the displayed variance holds without independent coins", step)


def noise_that_is_not_centred() -> Claim:
    estimate = CellEstimate(bernoulli(_half), bernoulli(_half + epsilon / 4), KnownMoments(_value, sp.S.One))
    return _claim("not_centred", r"unbiased for any noise", derived("mean", "", "E", estimate.expectation(), present))


def laplace_error_about_the_stream() -> Claim:
    found = laplace_cells().averaged_error(density, sampled_density())
    step = derived("error", "", "V", found, 2 * (m + 1) / (m**2 * epsilon**2))
    return _claim("laplace_about_stream", r"the error of the Laplace cells needs no fixed sample", step)


def sampling_adds_at_least_half() -> Claim:
    step = bounded(
        "half",
        "",
        density * (1 - density) / (2 * m),
        density * (1 - density) / m * finite_population,
        lambda users, d, size: (users >= 2, size >= 1, size <= users, d >= 0, d <= 1),
        {density: 0, m: 1, universe: 2},
        (r"\frac{d(1-d)}{2m} &\le \frac{d(1-d)}{m}\frac{U-m}{U-1}",),
    )
    return _claim("at_least_half", r"for all $m \le U$ the finite population leaves at least half", step)


def dwork_bound_for_negative_densities() -> Claim:
    step = bounded(
        "bound",
        "",
        dwork().error(present),
        2 * (2 * m + 1) / (m**2 * epsilon**2),
        lambda d, e, size: (size >= 1, e > 0, d >= -1, d <= 1),
        {present: 0, m: 1, epsilon: _half},
        (r"V &\le \frac{2(2m+1)}{m^2\varepsilon^2}",),
    )
    return _claim("negative_densities", r"the bound holds for $-1 \le d \le 1$", step)


def finite_population_by_shares() -> Claim:
    first, second = sampled_density()
    step = derived("variance", "", "V", second - first**2, density * (1 - density) / m * (1 - m / universe))
    return _claim("population_shares", r"the factor of the finite population is $1 - m/U$", step)


def tanh_is_half_of_epsilon() -> Claim:
    found = optimal_bernoulli().error(present).subs(t, sp.tanh(epsilon / 2))
    step = derived("error", "", "V", found, (4 / epsilon**2 - 1) / (4 * m) + _noise)
    return _claim("tanh_is_half", r"the error is that for $t = \varepsilon/2$", step)


def geometric_variance_to_first_order() -> Claim:
    step = derived("variance", "", "V", variance(TwoSidedGeometric(_ratio, _ratio)), 2 * _ratio / (1 - _ratio))
    return _claim("geometric_first_order", r"the variance of two-sided geometric noise is $2r/(1-r)$", step)


def coins_cost_nothing() -> Claim:
    found = dwork().averaged_error(coin, coin_density())
    step = derived("error", "", "V", found, 4 / (m * epsilon**2) - coin / m + _noise)
    return _claim("coins_cost_nothing", r"the error about $\delta$ is that about $d(\mathcal{S}_M)$", step)


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "half of the noise is enough for the bound on Dwork's error": ("wrong constant", dwork_bound_with_half_the_noise),
    "Dwork's error grows with the density": ("wrong sign", dwork_error_that_grows),
    "the displays of the best bits hold for a fixed sample": (
        "missing hypothesis",
        optbern_displays_for_a_fixed_sample,
    ),
    "any noise leaves the estimate unbiased": ("missing hypothesis", noise_that_is_not_centred),
    "the Laplace cells' error is that about the stream": ("missing hypothesis", laplace_error_about_the_stream),
    "random users add no error": ("missing hypothesis", coins_cost_nothing),
    "any sample leaves half of the sampling variance": ("wrong range", sampling_adds_at_least_half),
    "Dwork's bound holds for negative densities": ("wrong range", dwork_bound_for_negative_densities),
    "the finite population leaves the share of those not sampled": (
        "correct only in the limit",
        finite_population_by_shares,
    ),
    "tanh of half of epsilon is half of epsilon": ("correct only in the limit", tanh_is_half_of_epsilon),
    "the variance of geometric noise to first order": ("correct only in the limit", geometric_variance_to_first_order),
}
