"""The sources of randomness: the distribution of each draw, and draws of one number or of many."""

from __future__ import annotations

import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from flint import arb, fmpq
from scipy import stats

from pan_audits.choices.enumerating import outcomes
from pan_audits.choices.regions.exponential import Exponential
from pan_audits.events.grids import lacks_grid
from pan_estimators import MissingExtraError, NumpyRandomness, SecureRandomness
from pan_estimators.randomness import secure_randomness
from pan_promises.exact_epsilon import LogFraction
from tests.turns import every

SOURCES = [NumpyRandomness(7), SecureRandomness()]
LENIENT = 1e-6


@pytest.fixture(params=SOURCES, ids=["numpy", "secure"])
def randomness(request):
    return request.param


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.5, 0.93, 1.0])
def test_bits_have_their_probability(randomness, probability):
    bits = randomness.bernoulli(probability, 20_000)
    assert bits.dtype == bool
    assert stats.binomtest(int(bits.sum()), bits.size, probability).pvalue > LENIENT


class Bytes:
    """Random bytes that are written down beforehand."""

    def __init__(self, *given):
        self.left = b"".join(given)

    def __call__(self, count):
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count
        return taken


@pytest.mark.parametrize("probability", [0.0, 2.0**-53, 0.25, 1 / 3, 0.5, 1 - 2.0**-53, 1.0])
def test_a_secure_bit_compares_56_bits_with_its_probability(probability):
    """Each value of the first byte, and the values of the others about the limit."""
    highest, rest = divmod(round(Fraction(probability) * 2**53) * 8, 2**48)
    with mock.patch.object(secure_randomness.os, "urandom", Bytes(bytes(range(256)), bytes(8))):
        bits = SecureRandomness().bernoulli(probability, 256)
    assert bits.tolist() == [byte < highest or (byte == highest and rest > 0) for byte in range(256)]
    for last in {0, max(rest - 1, 0), rest, min(rest + 1, 2**48 - 1), 2**48 - 1}:
        if highest < 256:
            # Of the word of 64 bits that is drawn the lowest 16 do not count.
            word = (last << 16 | 0xFFFF).to_bytes(8, "little")
            with mock.patch.object(secure_randomness.os, "urandom", Bytes(bytes([highest]) * 2, word, word)):
                assert SecureRandomness().bernoulli(probability, 2).tolist() == [last < rest] * 2
            one = (highest << 48 | last).to_bytes(7)
            with mock.patch.object(secure_randomness.os, "urandom", Bytes(one)):
                assert SecureRandomness().bernoulli(probability, 1).tolist() == [last < rest]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 4), (0, 100)])
def test_integers_are_uniform(randomness, low, high):
    drawn = randomness.uniform_integers(low, high, 5_000)
    assert drawn.dtype == np.int64
    assert drawn.min() >= low
    assert drawn.max() < high
    if high - low > 1:
        assert stats.chisquare(np.bincount(drawn - low, minlength=high - low)).pvalue > LENIENT


@pytest.mark.parametrize(("population", "size"), [(6, 2), (6, 5), (6, 6), (5, 0)])
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


@pytest.mark.parametrize(("location", "scale"), [(0.3, 1.0), (-7.1, 1e-3), (1e6, 0.02)])
def test_laplace_noise_at_many_locations_is_that_at_each(location, scale):
    at_once = NumpyRandomness(5).laplace_at(np.full(9, location), scale)
    np.testing.assert_array_equal(at_once, NumpyRandomness(5).laplace(location, scale, 9))


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


@pytest.mark.parametrize(("up", "down"), every(3, [(0.8, 0.3), (0.5, 0.5), (0.02, 0.9)]))
def test_two_sided_geometric_noise_has_its_distribution(randomness, up, down):
    drawn = randomness.two_sided_geometric(up, down, 20_000)
    assert drawn.dtype == np.int64
    k = np.arange(-20, 21)
    expected = (
        np.where(k >= 0, up ** np.maximum(k, 0), down ** np.maximum(-k, 0)) * (1 - up) * (1 - down) / (1 - up * down)
    )
    common = expected * drawn.size >= 10
    counts = np.array([(drawn == value).sum() for value in k[common]])
    counts, expected = (
        np.append(counts, drawn.size - counts.sum()),
        np.append(expected[common], 1 - expected[common].sum()),
    )
    assert stats.chisquare(counts, drawn.size * expected).pvalue > LENIENT


def test_two_sided_geometric_noise_reaches_beyond_32_bits(randomness):
    drawn = randomness.two_sided_geometric(1e-200, 1 - 2.0**-50, 200)
    assert drawn.max() <= 0
    assert stats.kstest(-drawn.astype(float) * 2.0**-50, stats.expon.cdf).pvalue > LENIENT
    assert randomness.two_sided_geometric(0.5, 0.5, 0).shape == (0,)


def test_the_secure_scale_never_makes_less_noise_than_the_ratio_asks_for(monkeypatch):
    from decimal import Decimal, localcontext

    scales = []
    source = SecureRandomness()
    monkeypatch.setattr(
        source, "discrete_laplace", lambda scale, size: scales.append(scale) or np.zeros(size, np.int64)
    )
    ratios = [1e-300, 0.1, 0.5, 1 / 3, 0.9054, 1 - 1e-9, 1 - 2.0**-53, *np.random.default_rng(1).random(300).tolist()]
    for ratio in ratios:
        source.two_sided_geometric(ratio, ratio, 1)
    with localcontext() as context:
        context.prec = 60
        for ratio, scale in zip(np.repeat(ratios, 2).tolist(), scales, strict=True):
            fall = (-1 / Decimal(scale)).exp()
            assert Decimal(ratio) <= fall <= Decimal(ratio) ** (1 - Decimal(2) ** -47)


@pytest.mark.parametrize(("population", "size"), [(6, 2), (5000, 1700)])
def test_keyed_samples_are_uniform_and_different(randomness, population, size):
    samples = [randomness.keyed_sample(population, size) for _ in range(1000)]
    assert len({sample.key for sample in samples}) == 1000
    inside = np.array([sample.positions(np.arange(6)) >= 0 for sample in samples]).sum(axis=0)
    for count in inside:
        assert stats.binomtest(int(count), 1000, size / population).pvalue > LENIENT
    assert (samples[0].population, samples[0].size) == (population, size)


def test_the_seeded_source_repeats_itself_and_the_secure_one_does_not():
    assert NumpyRandomness(3).bernoulli(0.5, 99).tolist() == NumpyRandomness(3).bernoulli(0.5, 99).tolist()
    assert SecureRandomness().bernoulli(0.5, 99).tolist() != SecureRandomness().bernoulli(0.5, 99).tolist()
    assert NumpyRandomness(3).keyed_sample(99, 9) == NumpyRandomness(3).keyed_sample(99, 9)


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opendp.measurements", None)
    secure_randomness._laplace_measurement.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'panproof\[secure\]'"):
        SecureRandomness().laplace(0.0, 1.0)
    secure_randomness._laplace_measurement.cache_clear()


DRAWS = {
    "bernoulli": (lambda randomness, **size: randomness.bernoulli(0.25, **size), bool),
    "uniform_integers": (lambda randomness, **size: randomness.uniform_integers(2, 5, **size), int),
    "discrete_laplace": (lambda randomness, **size: randomness.discrete_laplace(1.5, **size), int),
    "two_sided_geometric": (lambda randomness, **size: randomness.two_sided_geometric(0.5, 0.25, **size), int),
}
NAMED_SOURCES = {"numpy": lambda: NumpyRandomness(1), "secure": SecureRandomness}


@pytest.mark.parametrize("source", NAMED_SOURCES)
@pytest.mark.parametrize("name", DRAWS)
def test_without_a_size_a_draw_is_one_python_number_and_with_one_an_array_of_that_shape(name, source):
    draw, kind = DRAWS[name]
    randomness = NAMED_SOURCES[source]()
    assert type(draw(randomness)) is kind
    assert draw(randomness, size=4).shape == (4,)
    assert draw(randomness, size=np.int64(4)).shape == (4,)
    assert draw(randomness, size=(2, 3)).shape == (2, 3)
    assert draw(randomness, size=0).shape == (0,)


@pytest.mark.parametrize("source", NAMED_SOURCES)
def test_an_array_of_parameters_has_one_draw_for_each(source):
    randomness = NAMED_SOURCES[source]()
    assert randomness.bernoulli(np.array([0.0, 1.0, 0.0])).tolist() == [False, True, False]
    assert randomness.uniform_integers([3, 8], [4, 9]).tolist() == [3, 8]


SCORES = [Fraction(1, 2), 0, 1.5]


def distribution(scores, epsilon, sensitivity):
    weights = np.exp(np.array([float(score) for score in scores]) * epsilon / (2 * float(sensitivity)))
    return weights / weights.sum()


def followed(call):
    return {int(place): probability for probability, place, _ in outcomes(call)}


@pytest.mark.parametrize("source", [NumpyRandomness(5), SecureRandomness()], ids=["seeded", "secure"])
def test_each_source_has_the_distribution_of_the_exponential_mechanism(source):
    # A correct source fails with probability below 1e-8: each count is within 6 standard deviations.
    runs = 20_000
    counts = np.bincount(source.exponential_mechanism(SCORES, 2.0, 1, size=runs), minlength=3)
    expected = runs * distribution(SCORES, 2.0, 1)
    assert (np.abs(counts - expected) < 6 * np.sqrt(expected)).all()


def test_fractions_give_fractions_of_sums_of_exponentials():
    found = followed(lambda randomness: randomness.exponential_mechanism(SCORES, 1.0, 1))
    assert sum(found.values(), fmpq(0)) == 1
    assert all(isinstance(one, Exponential) for one in found.values())
    assert found[2] / found[1] == Exponential.power(fmpq(3, 4))


def test_logarithms_give_balls_that_hold_the_probability():
    scores, sensitivity = [LogFraction(4, Fraction(1, 3)), Fraction(0), LogFraction(3)], LogFraction(Fraction(27, 4))
    found = followed(lambda randomness: randomness.exponential_mechanism(scores, 1.0, sensitivity))
    assert all(isinstance(one, arb) for one in found.values())
    assert [float(found[place]) for place in range(3)] == pytest.approx(
        distribution(scores, 1.0, sensitivity), rel=1e-14
    )


def test_a_score_of_the_logarithm_of_the_sensitivity_counts_as_a_fraction_of_it():
    found = followed(lambda r: r.exponential_mechanism([LogFraction(2), Fraction(0)], 1.0, LogFraction(4)))
    assert found[0] / found[1] == Exponential.power(fmpq(1, 4))


@pytest.mark.parametrize(
    ("scores", "epsilon", "sensitivity", "sentence"),
    [
        ([], 1, 1, "nothing to choose from"),
        ([math.nan], 1, 1, "takes finite numbers"),
        ([1], 0, 1, "needs a positive epsilon"),
        ([1], 1, -1, "needs a sensitivity of at least 0"),
        ([1, 2], 1, 0, "a sensitivity of 0, but the scores differ"),
    ],
)
def test_arguments_out_of_range_are_refused(scores, epsilon, sensitivity, sentence):
    with pytest.raises(ValueError, match=sentence):
        NumpyRandomness(0).exponential_mechanism(scores, epsilon, sensitivity)


def test_equal_scores_need_no_sensitivity():
    assert followed(lambda randomness: randomness.exponential_mechanism([1, 1], 1.0, 0)) == {
        0: fmpq(1, 2),
        1: fmpq(1, 2),
    }
