"""Both sources of randomness have the distributions that the interface promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pan_audits.hygiene.checks import lacks_grid
from pan_estimators import MissingExtraError, NumpyRandomness, Randomness, SecureRandomness
from pan_estimators.randomness import secure_randomness

SOURCES = [NumpyRandomness(7), SecureRandomness()]
LENIENT = 1e-6


@pytest.fixture(params=SOURCES, ids=["numpy", "secure"])
def randomness(request):
    return request.param


def test_it_is_a_randomness(randomness):
    assert isinstance(randomness, Randomness)


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.5, 0.93, 1.0])
def test_bits_have_their_probability(randomness, probability):
    bits = randomness.bernoulli(probability, 20_000)
    assert bits.dtype == bool
    assert stats.binomtest(int(bits.sum()), bits.size, probability).pvalue > LENIENT


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 4), (10, 74), (0, 100)])
def test_integers_are_uniform(randomness, low, high):
    drawn = randomness.uniform_integers(low, high, 20_000)
    assert drawn.dtype == np.int64
    assert drawn.min() >= low
    assert drawn.max() < high
    if high - low > 1:
        assert stats.chisquare(np.bincount(drawn - low, minlength=high - low)).pvalue > LENIENT


@pytest.mark.parametrize(("population", "size"), [(6, 2), (6, 5), (6, 6), (5, 0), (40, 3)])
def test_subsets_are_uniform_and_sorted(randomness, population, size):
    counts = np.zeros(population)
    for _ in range(3000):
        subset = randomness.uniform_subset(population, size)
        assert subset.size == size
        assert np.all(np.diff(subset) > 0)
        counts[subset] += 1
    if 0 < size < population:
        assert stats.chisquare(counts).pvalue > LENIENT


@pytest.mark.parametrize(("location", "scale"), [(0.0, 1.0), (-3.3, 0.01), (1e3, 7.0)])
def test_laplace_noise_has_its_distribution(randomness, location, scale):
    drawn = randomness.laplace(location, scale, 20_000)
    assert drawn.shape == (20_000,)
    assert stats.kstest(drawn, stats.laplace(location, scale).cdf).pvalue > LENIENT
    assert isinstance(randomness.laplace(location, scale), float)
    assert randomness.laplace(location, scale, 0).shape == (0,)


def test_laplace_noise_lies_on_a_grid_that_the_location_does_not_move(randomness):
    step = 2.0 ** (math.floor(math.log2(0.3)) - 32)
    for location in (0.0, 1 / 3, 1.0):
        drawn = randomness.laplace(location, 0.3, 300)
        assert np.all(drawn / step == np.rint(drawn / step))
        assert not lacks_grid(drawn)


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_discrete_laplace_noise_has_its_distribution(randomness, scale):
    drawn = randomness.discrete_laplace(scale, 20_000)
    assert drawn.dtype == np.int64
    edge = math.ceil(6 * scale)
    k = np.arange(-edge, edge + 1)
    weight = np.exp(-np.abs(k) / scale)
    expected = weight / (1 + 2 * math.exp(-1 / scale) / (1 - math.exp(-1 / scale)))
    inside = drawn[np.abs(drawn) <= edge]
    counts = np.append(np.bincount(inside + edge, minlength=k.size), drawn.size - inside.size)
    assert stats.chisquare(counts, drawn.size * np.append(expected, 1 - expected.sum())).pvalue > LENIENT


def test_the_seeded_source_repeats_itself_and_the_secure_one_does_not():
    assert NumpyRandomness(3).bernoulli(0.5, 99).tolist() == NumpyRandomness(3).bernoulli(0.5, 99).tolist()
    assert SecureRandomness().bernoulli(0.5, 99).tolist() != SecureRandomness().bernoulli(0.5, 99).tolist()


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    secure_randomness._laplace_measurement.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'panproof\[secure\]'"):
        SecureRandomness().laplace(0.0, 1.0)
    secure_randomness._laplace_measurement.cache_clear()
