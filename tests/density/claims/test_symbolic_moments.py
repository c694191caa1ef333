"""The symbolic moments are those of the mechanism, by exhaustive enumeration at small sizes."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
import sympy as sp

from pan_proofs import bernoulli_moments, laplace_moments
from pan_proofs.density.lemmas.losses.sampled_cells import density, m, noise, present, universe


def enumerated(users, appeared, size, p, q):
    """Exact mean and variance of the noiseless output over all samples and bits."""
    outcomes = []
    samples = list(itertools.combinations(range(users), size))
    for sample in samples:
        for bits in itertools.product((0, 1), repeat=size):
            weight = Fraction(1, len(samples))
            for user, bit in zip(sample, bits, strict=True):
                chance = q if user < appeared else p
                weight *= chance if bit else 1 - chance
            outcomes.append(((Fraction(sum(bits), size) - p) / (q - p), weight))
    mean = sum(value * weight for value, weight in outcomes)
    return mean, sum(value**2 * weight for value, weight in outcomes) - mean**2


@pytest.mark.parametrize(("users", "appeared", "size"), [(4, 1, 2), (5, 3, 3), (4, 4, 2), (5, 0, 2), (4, 2, 4)])
def test_bernoulli_moments_are_the_enumerated_ones(users, appeared, size):
    p, q = Fraction(1, 3), Fraction(3, 5)
    moments = bernoulli_moments()
    mean, variance = enumerated(users, appeared, size, p, q)
    values = {
        moments.parameters[0]: sp.Rational(p),
        moments.parameters[1]: sp.Rational(q),
        m: size,
        universe: users,
        density: sp.Rational(appeared, users),
        noise: 0,
    }
    assert mean == Fraction(appeared, users)
    assert moments.variance_random_sample.subs(values) == sp.Rational(variance)


def test_the_output_is_unbiased_for_the_sampled_density_and_noise_adds_its_variance():
    for moments in (bernoulli_moments(), laplace_moments()):
        assert sp.simplify(moments.expectation_fixed_sample - present) == 0
        assert sp.diff(moments.variance_fixed_sample, noise) == 4 * noise


def test_the_displayed_variance_of_the_optimal_pair_is_too_large_for_a_fixed_sample():
    """Paper, Theorem 4.2: the displayed equality has a term d(1-d)/m that a fixed sample lacks."""
    t, epsilon = sp.symbols("t epsilon", positive=True)
    moments = bernoulli_moments()
    p, q = moments.parameters
    actual = moments.variance_fixed_sample.subs({p: (1 - t) / 2, q: (1 + t) / 2, noise: 1 / (epsilon * m)})
    displayed = (t**-2 - 1) / (4 * m) + present * (1 - present) / m + 2 / (m * epsilon) ** 2
    assert sp.simplify(displayed - actual - present * (1 - present) / m) == 0


def test_numerical_and_symbolic_values_agree():
    moments = laplace_moments()
    assert moments.variance_given_sample(0.3, 50, 0.1, 0.0, 1.0, 2.0) == pytest.approx(2 * 0.01 + 2 * 4 / 50)
    assert moments.variance_over_samples(1.0, 80, 50, 0.1, 0.0, 1.0, 2.0) == pytest.approx(2 * 0.01 + 2 * 4 / 50)
