"""Gaussian noise of every source: its distribution, one number and many at once."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from scipy import stats

from pan_audits.choices.enumerating import EnumeratingRandomness
from pan_audits.choices.errors import UnfollowableError
from pan_audits.subject.running.presented import METHODS, presented
from pan_estimators import MissingExtraError, NumpyRandomness, SecureRandomness
from pan_estimators.randomness import exact_draws as many
from pan_estimators.randomness import secure_randomness
from pan_estimators.randomness.exact_draws import (
    below_exponential,
    discrete_gaussian_steps,
    grid_exponent,
    many_discrete_gaussians,
)

SOURCES = {"numpy": lambda: NumpyRandomness(3), "secure": SecureRandomness}
LENIENT = 1e-6


@pytest.fixture(params=SOURCES)
def randomness(request):
    return SOURCES[request.param]()


def has_discrete_distribution(drawn, scale):
    """A chi-square test against the distribution by its definition."""
    reach = 80 * math.ceil(scale)
    every = np.arange(-reach, reach + 1)
    weights = np.exp(-(every**2) / (2 * scale**2))
    # Values that are rarer than five draws in all are counted together.
    edge = int(np.abs(every[drawn.size * weights / weights.sum() >= 5]).max())
    inside = np.abs(every) <= edge
    expected = np.append(weights[inside], weights[~inside].sum()) / weights.sum()
    kept = drawn[np.abs(drawn) <= edge]
    counts = np.append(np.bincount(kept + edge, minlength=2 * edge + 1), drawn.size - kept.size)
    if drawn.size * expected[-1] < 5:
        # The rest joins the value 0.
        counts[edge], expected[edge] = counts[edge] + counts[-1], expected[edge] + expected[-1]
        counts, expected = counts[:-1], expected[:-1]
    return stats.chisquare(counts, drawn.size * expected).pvalue > LENIENT


@pytest.mark.parametrize("scale", [0.4, 3.7])
def test_discrete_gaussian_noise_has_its_distribution(randomness, scale):
    drawn = randomness.discrete_gaussian(5, scale, 8000) - 5
    assert drawn.dtype == np.int64
    assert has_discrete_distribution(drawn, scale)
    assert not has_discrete_distribution(drawn, 1.2 * scale)


@pytest.mark.parametrize("draws", [1, 3000])
def test_secure_gaussian_noise_needs_no_extra(draws):
    with mock.patch.object(secure_randomness, "_opendp", side_effect=MissingExtraError("secure noise", "secure")):
        drawn = [SecureRandomness().discrete_gaussian(0, 1.5, draws) for _ in range(3000 // draws)]
        assert math.isfinite(SecureRandomness().gaussian(0.0, 1.5))
        assert SecureRandomness().discrete_gaussian(0, 2.0**-9) == 0
    assert has_discrete_distribution(np.concatenate(drawn), 1.5)


def test_the_exact_sampler_for_very_small_and_large_scales_has_the_distribution():
    below = random.Random(11).randrange
    drawn = np.array([discrete_gaussian_steps(Fraction(37, 10) ** 2, below) for _ in range(4000)])
    assert has_discrete_distribution(drawn, 3.7)


@pytest.mark.parametrize(("location", "scale"), [(0.0, 1.0), (-3.3, 0.01), (1e3, 7.0)])
def test_gaussian_noise_has_its_distribution_at_one_and_at_many_locations(randomness, location, scale):
    for drawn in (randomness.gaussian(location, scale, 4000), randomness.gaussian(np.full(4000, location), scale)):
        assert drawn.shape == (4000,)
        assert stats.kstest(drawn, stats.norm(location, scale).cdf).pvalue > LENIENT


def test_gaussian_noise_at_many_locations_is_that_at_each():
    at_once = NumpyRandomness(5).gaussian(np.full(9, -7.25), 0.3)
    np.testing.assert_array_equal(at_once, NumpyRandomness(5).gaussian(-7.25, 0.3, 9))


def test_each_location_has_its_own_noise(randomness):
    locations = np.arange(6.0).reshape(2, 3) * 1000
    drawn = randomness.gaussian(locations, 1.0)
    assert drawn.shape == (2, 3)
    assert np.abs(drawn - locations).max() < 20
    whole = randomness.discrete_gaussian(locations.astype(np.int64), 1.0)
    assert np.abs(whole - locations).max() < 20
    assert np.unique(drawn - locations).size == 6


def test_noise_at_integers_is_on_the_grid(randomness):
    """The grid of a scale from 1 on has all integers, so that the location stays exact."""
    step = 2.0 ** (math.floor(math.log2(40.0)) - 32)
    drawn = randomness.gaussian(np.arange(50.0), 40.0)
    assert np.all(drawn / step == np.rint(drawn / step))


def test_one_draw_is_a_number(randomness):
    assert isinstance(randomness.gaussian(1, 2.0), float)
    assert isinstance(randomness.discrete_gaussian(1, 2.0), int)
    assert randomness.gaussian(np.empty(0), 1.0).shape == (0,)
    assert randomness.discrete_gaussian(0, 1.0, 0).shape == (0,)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan])
def test_a_scale_is_positive(randomness, scale):
    with pytest.raises(ValueError):
        randomness.gaussian(np.zeros(3), scale)
    with pytest.raises(ValueError):
        randomness.discrete_gaussian(0, scale, 3)


def test_judged_code_draws_from_the_given_source():
    """Each draw of a presented source comes from the source behind it."""
    assert {"normal_at", "discrete_gaussian_noise"} <= set(METHODS)
    source, other = NumpyRandomness(4), NumpyRandomness(4)
    made = presented(lambda method: getattr(source, method), None)
    np.testing.assert_array_equal(made.gaussian(np.zeros(5), 2.0), other.gaussian(np.zeros(5), 2.0))
    np.testing.assert_array_equal(made.discrete_gaussian(0, 2.0, 5), other.discrete_gaussian(0, 2.0, 5))


@pytest.mark.parametrize("draw", ["gaussian", "discrete_gaussian"])
def test_the_exact_check_refuses_it(draw):
    for location in (0, np.zeros(2, dtype=np.int64)):
        with pytest.raises(UnfollowableError, match="gaussian and discrete_gaussian cannot be followed"):
            getattr(EnumeratingRandomness(), draw)(location, 1.0)


def entropy_of(seed):
    return np.random.default_rng(seed).bytes


@pytest.mark.parametrize("scale", [1000.5, 2.0**32 * 1.3])
def test_large_scales_are_normal(scale):
    drawn = many_discrete_gaussians(scale, 40_000, entropy_of(6))
    assert stats.kstest(drawn / scale, "norm").pvalue > 1e-6


def test_bits_that_doubles_leave_open_are_decided_alike(monkeypatch):
    """With a margin of 1 every bit is decided in fractions, with the same words."""
    plain = many_discrete_gaussians(12.3, 60, entropy_of(8))
    monkeypatch.setattr(many, "_MARGIN", 1.0)
    assert many_discrete_gaussians(12.3, 60, entropy_of(8)).tolist() == plain.tolist()


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
    # Locations beyond whole numbers of 64 bits.
    assert SecureRandomness().gaussian(np.full(40, 2.0**60), 2.0**-20) == pytest.approx(np.full(40, 2.0**60))


@pytest.mark.parametrize("scale", [0.0, 2.0**-5, 2.0**41, math.nan])
def test_other_scales_are_refused(scale):
    with pytest.raises(ValueError, match="the scale must lie between"):
        many_discrete_gaussians(scale, 3)
