"""The distributions from which the moments of the claims on errors come."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from pan_proofs.foundations.distributions import (
    Affine,
    KnownMoments,
    LaplaceDistribution,
    Mixture,
    TwoSidedGeometric,
    bernoulli,
    central_moment,
    mean,
    power_series_tail,
    variance,
)
from tests.density.claims.test_errors import RUNS, agrees, few, rational, ratios


@few
@given(ratios, ratios)
def test_geometric_noise_has_the_moments_of_its_truncated_sums(up, down):
    distribution = TwoSidedGeometric(rational(up), rational(down))
    weights = {k: float(up) ** k if k >= 0 else float(down) ** -k for k in range(-300, 301)}
    for power in range(4):
        truncated = sum(weight * k**power for k, weight in weights.items()) / sum(weights.values())
        assert float(distribution.moment(power)) == pytest.approx(truncated, rel=1e-9, abs=1e-9)


@few
@given(ratios, st.integers(1, 6), st.integers(0, 3))
def test_the_tail_of_a_power_series_is_the_sum_of_its_terms(ratio, start, power):
    truncated = sum(k**power * float(ratio) ** k for k in range(start, 300))
    assert float(power_series_tail(power, rational(ratio), sp.Integer(start))) == pytest.approx(truncated, rel=1e-9)


def test_laplace_distributions_have_the_moments_of_draws():
    sample = np.random.default_rng(6).laplace(0.3, 0.7, RUNS)
    distribution = LaplaceDistribution(sp.Rational(3, 10), sp.Rational(7, 10))
    assert distribution.moment(0) == 1
    for power in (1, 2, 3):
        agrees(sample**power, distribution.moment(power))
    agrees((sample - 0.3) ** 4, central_moment(distribution, 4))


def test_mixtures_and_affine_changes_have_the_moments_of_their_outcomes():
    third = sp.Rational(1, 3)
    mixed = Mixture(third, bernoulli(sp.Rational(1, 4)), bernoulli(sp.Rational(4, 5)))
    parameter = third / 4 + 2 * third * sp.Rational(4, 5)
    assert variance(mixed) == parameter * (1 - parameter)
    assert variance(Affine(mixed, sp.Integer(-3), sp.Integer(2))) == 9 * variance(mixed)
    assert mean(Affine(mixed, sp.Integer(-3), sp.Integer(2))) == 2 - 3 * parameter


def test_no_moment_is_made_up():
    with pytest.raises(ValueError, match="order 3"):
        KnownMoments(sp.S.Zero, sp.S.One).moment(3)
