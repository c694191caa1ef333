"""Many exact discrete Gaussian variables at once: their law, and the bits that fractions decide."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from pan_estimators.randomness import many_discrete_gaussians as many
from pan_estimators.randomness.grid import grid_exponent
from pan_estimators.randomness.many_discrete_gaussians import below_exponential, many_discrete_gaussians
from pan_estimators.randomness.secure_randomness import SecureRandomness


def seeded(seed):
    return np.random.default_rng(seed).bytes


def probabilities(scale, places):
    weights = np.exp(-(np.arange(-200, 201) ** 2) / (2 * scale**2))
    return np.exp(-(places**2) / (2 * scale**2)) / weights.sum()


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.7, 9.0])
def test_small_scales_have_the_exact_law(scale):
    """A correct sampler fails with probability 1e-6 for each scale."""
    drawn = many_discrete_gaussians(scale, 40_000, seeded(5))
    reach = max(1, int(2 * scale))
    places = np.arange(-reach, reach + 1)
    counts = np.array([np.count_nonzero(drawn == place) for place in places])
    expected = 40_000 * probabilities(scale, places)
    counts, expected = np.append(counts, 40_000 - counts.sum()), np.append(expected, 40_000 - expected.sum())
    if expected[-1] < 5:
        counts, expected = counts[:-1], expected[:-1] * counts[:-1].sum() / expected[:-1].sum()
    assert stats.chisquare(counts, expected).pvalue > 1e-6


@pytest.mark.parametrize("scale", [1000.5, 2.0**32 * 1.3])
def test_large_scales_are_normal(scale):
    drawn = many_discrete_gaussians(scale, 40_000, seeded(6))
    assert stats.kstest(drawn / scale, "norm").pvalue > 1e-6


def test_another_scale_fails_the_test_of_the_law():
    drawn = many_discrete_gaussians(1050.0, 40_000, seeded(6))
    assert stats.kstest(drawn / 1000, "norm").pvalue < 1e-6


def test_bits_that_doubles_leave_open_are_decided_alike(monkeypatch):
    """With a margin of 1 every bit is decided in fractions, with the same words."""
    plain = many_discrete_gaussians(12.3, 60, seeded(8))
    monkeypatch.setattr(many, "_MARGIN", 1.0)
    assert many_discrete_gaussians(12.3, 60, seeded(8)).tolist() == plain.tolist()


@pytest.mark.parametrize("rate", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40)])
def test_a_number_is_compared_with_the_exponential(rate):
    limit = int(math.exp(-float(rate)) * 2.0**64)
    step = max(1, limit >> 40)
    assert rate == 0 or not below_exponential(min(2**64 - 1, limit + step), rate)
    assert below_exponential(max(0, limit - step - 1), rate)


def test_more_digits_decide_where_64_do_not():
    third = Fraction(1, 3)
    low, high = many._enclosure(third, 64)
    word = int(low * 2**64)
    assert word == int(high * 2**64)
    following = int(low * 2**128) & (2**64 - 1)
    asked = []

    def more(value):
        return lambda bits: asked.append(bits) or value

    assert below_exponential(word, third, more(following - 2**20))
    assert not below_exponential(word, third, more(following + 2**20))
    assert asked == [64, 64]


def test_secure_normal_noise_lies_on_its_grid_around_the_locations():
    locations = np.repeat([0.0, -7.25, 2.0**31], 4000)
    drawn = SecureRandomness().gaussian(locations, 3.0)
    step = 2.0 ** grid_exponent(3.0)
    assert ((drawn / step) % 1 == 0).all()
    for noise in np.split(drawn - locations, 3):
        # A correct source fails with probability 1e-6.
        assert stats.kstest(noise / 3.0, "norm").pvalue > 1e-6 / 3
    assert stats.kstest(SecureRandomness().normal(5.0, 2.0, 4000), "norm", (5.0, 2.0)).pvalue > 1e-6


def test_locations_beyond_whole_numbers_are_drawn_as_before():
    drawn = SecureRandomness().gaussian(np.full(40, 2.0**60), 2.0**-20)
    assert drawn == pytest.approx(np.full(40, 2.0**60))


@pytest.mark.parametrize("scale", [0.0, 2.0**-5, 2.0**41, math.nan])
def test_other_scales_are_refused(scale):
    with pytest.raises(ValueError, match="the scale must lie between"):
        many_discrete_gaussians(scale, 3)
