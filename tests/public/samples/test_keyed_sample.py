"""A keyed sample is a permutation of the population, uniform, and small."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from pan_estimators import InputError, KeyedSample, ListedSample, Sample, WholePopulation
from pan_estimators.samples.keyed_sample import sample_from_arrays

LENIENT = 1e-6
KEY = bytes(range(16))
RANKED = [5, 0, 8, 9]
WALKED = [884112407338, 724229882430, 344988227533]
POWER = [2973335422804921697, 2573445098495110715]


def keys(count, seed=1):
    generator = np.random.default_rng(seed)
    return [generator.bytes(16) for _ in range(count)]


@pytest.mark.parametrize("population", [1, 2, 3, 7, 39, 4095, 4096, 4097, 4098, 8192, 8193, 65_537])
def test_the_permutation_is_a_bijection_and_has_an_inverse(population):
    sample = KeyedSample(population, 1, KEY)
    numbers = sample.permuted(np.arange(population, dtype=np.uint64))
    assert np.array_equal(np.sort(numbers), np.arange(population))
    assert np.array_equal(sample.permuted(numbers, backwards=True), np.arange(population))


def test_each_part_of_a_large_batch_is_permuted_like_a_single_index():
    sample, indices = KeyedSample(10**9, 10**8, KEY), np.random.default_rng(2).integers(0, 10**9, 20_000)
    together = sample.positions(indices)
    assert together[9000:9020].tolist() == [int(sample.positions(indices[i : i + 1])[0]) for i in range(9000, 9020)]
    assert sample.positions(indices[:0]).shape == (0,)


@pytest.mark.parametrize(("population", "size"), [(5, 2)])
def test_small_samples_with_their_places_are_uniform(population, size):
    counts = Counter(tuple(KeyedSample(population, size, key).members().tolist()) for key in keys(6_000))
    outcomes = list(itertools.permutations(range(population), size))
    assert set(counts) <= set(outcomes)
    assert chisquare([counts[outcome] for outcome in outcomes]).pvalue > LENIENT


@pytest.mark.parametrize("population", [4097, 6000])
def test_of_a_large_population_single_indices_and_pairs_are_sampled_uniformly(population):
    """The indices agree in one half of their digits, in the other, or in none."""
    indices, size = np.array([0, 1, 64, 65, 4096]), population // 3
    counts = np.zeros((indices.size, indices.size))
    runs = 3000
    for key in keys(runs, seed=3):
        inside = KeyedSample(population, size, key).positions(indices) >= 0
        counts += np.outer(inside, inside)
    once, both = size / population, size * (size - 1) / (population * (population - 1))
    for i, j in itertools.combinations_with_replacement(range(indices.size), 2):
        expected = once if i == j else both
        assert chisquare([counts[i, j], runs - counts[i, j]], [runs * expected, runs * (1 - expected)]).pvalue > LENIENT


def test_a_key_means_the_same_sample_everywhere():
    """Fixed values: a change of the permutation would turn stored states into nonsense."""
    assert KeyedSample(10, 4, KEY).members().tolist() == RANKED
    assert KeyedSample(10**12, 3, KEY).members().tolist() == WALKED
    assert KeyedSample(2**62, 2, KEY).members().tolist() == POWER


@pytest.mark.parametrize(
    "sample",
    [
        KeyedSample(50, 7, KEY),
        KeyedSample(2**62, 7, b"\xff" * 16),
        WholePopulation(7),
        ListedSample(9, np.array([1, 4])),
    ],
)
def test_a_sample_survives_its_arrays(sample):
    assert isinstance(sample, Sample)
    again = sample_from_arrays(sample.population, sample.size, sample.to_arrays())
    assert again == sample
    assert hash(again) == hash(sample)
    assert repr(again) == repr(sample)
    assert np.array_equal(again.members(), sample.members())


def test_all_kinds_of_samples_answer_alike():
    members = np.array([2, 3, 11])
    listed = ListedSample(12, members)
    assert listed.positions(np.array([0, 2, 3, 3, 10, 11])).tolist() == [-1, 0, 1, 1, -1, 2]
    assert listed != ListedSample(12, np.array([2, 3, 10]))
    assert listed != ListedSample(13, members)
    assert listed != WholePopulation(12)
    assert WholePopulation(4).positions(np.array([3, 0])).tolist() == [3, 0]
    assert WholePopulation(4).members().tolist() == [0, 1, 2, 3]
    assert (listed.state_bits, WholePopulation(9).state_bits, KeyedSample(2**62, 10**6, KEY).state_bits) == (12, 0, 128)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: KeyedSample(5, 6, KEY), r"between 1 and 5 .the size of the population., got 6"),
        (lambda: KeyedSample(5, 3, b"short"), "must have 16 bytes, got 5"),
        (lambda: ListedSample(5, np.array([1, 5])), "sorted distinct indices from 0 to 4"),
        (lambda: ListedSample(5, np.array([], dtype=np.int64)), "sorted distinct"),
        (lambda: sample_from_arrays(9, 2, {}), "needs a key or the list"),
        (lambda: sample_from_arrays(9, 2, {"key": np.arange(3)}), "two words"),
    ],
)
def test_what_is_no_sample_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()
