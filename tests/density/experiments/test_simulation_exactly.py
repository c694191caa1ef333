"""Simulated outputs against distributions that are computed exactly, at sizes where that can be done."""

from __future__ import annotations

import pickle
import random
from collections import Counter, defaultdict
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, laplace, truncnorm

from experiments.density.simulation import FixedStream, TruncatedGaussian, simulate
from experiments.density.simulation.distinct_sampling import final_samples
from experiments.density.simulation.fixed_stream import ResidueClasses
from pan_audits.choices.enumerating import outcomes
from pan_estimators import (
    InputError,
    NumpyRandomness,
    PanPrivateDistinctSampling,
    Quantity,
    create_estimator,
    exact_counter,
    pan_private_distinct_sampling,
)
from tests.density.experiments.listing import LISTING, MISREADINGS, follow_many

RUNS = 40_000
LEVEL = 1e-5
"""There are about 80 comparisons: if all distributions are as computed, all of them pass with probability 0.999."""

BITS = ["dwork", "lecture", "bernoulli-family", "optimal-bernoulli", "quantized-laplace"]
TINY = [
    pytest.param(4, 2, [0, 1, 0, 3, 3, 2, 0], id="4 users"),
    pytest.param(4, 2, [1] * 6, id="one user again and again"),
    pytest.param(5, 2, [4, 4, 0, 2, 4], id="5 users, no power of two"),
    pytest.param(5, 3, [0, 1, 2, 3, 4, 0], id="5 users, larger sample"),
    pytest.param(5, 1, [3, 3], id="levels beyond the length of the stream"),
    pytest.param(2, 1, [0, 1, 0], id="no user may be left"),
    pytest.param(1, 1, [0], id="1 user"),
    pytest.param(4, 2, [], id="empty stream"),
]


def exact_distribution(estimator, ids, summary):
    """The distribution of ``summary(state)`` after the stream: every random choice of the estimator's own code."""

    def key(state):
        return tuple((name, tuple(array.tolist())) for name, array in sorted(estimator.state_to_arrays(state).items()))

    def collapsed(found):
        chances, states = defaultdict(float), {}
        for chance, state in found:
            chances[key(state)] += float(chance)
            states[key(state)] = state
        return [(chances[place], state) for place, state in states.items()]

    def copied(state):
        return estimator.state_from_arrays({n: a.copy() for n, a in estimator.state_to_arrays(state).items()})

    now = collapsed((chance, state) for chance, state, _ in outcomes(estimator.create))
    for user in ids:
        now = collapsed(
            (chance * float(step), after)
            for chance, state in now
            for step, after, _ in outcomes(lambda source, s=state, u=user: estimator.update(copied(s), u, source))
        )
    distribution = defaultdict(float)
    for chance, state in now:
        distribution[summary(state)] += chance
    assert sum(distribution.values()) == pytest.approx(1)
    return dict(distribution)


def multinomial(distribution, drawn):
    """p-value of a chi-squared test of draws against a distribution; what is rare is put together."""
    runs, seen = len(drawn), Counter(drawn)
    if set(seen) - set(distribution):
        return 0.0
    common = [value for value, chance in distribution.items() if chance * runs >= 20]
    expected = [distribution[value] * runs for value in common]
    observed = [seen[value] for value in common]
    if runs - sum(expected) >= 20:
        expected.append(runs - sum(expected))
        observed.append(runs - sum(observed))
    if len(expected) < 2:
        return 1.0
    return float(chisquare(observed, np.array(expected) * sum(observed) / sum(expected)).pvalue)


def columns(found):
    return list(zip(*found.tolist(), strict=True))


@lru_cache
def distinct_sampling_distribution(estimator, ids):
    present = set(ids)

    def summary(state):
        users = set(estimator.sampled_users(state).tolist())
        return state.level, int(state.members.size), len(users), len(users & present)

    return exact_distribution(estimator, ids, summary)


@pytest.mark.more
@pytest.mark.parametrize(("universe", "sample_size", "ids"), TINY)
def test_distinct_sampling_ends_as_its_code_does(universe, sample_size, ids):
    estimator = pan_private_distinct_sampling(universe=universe, epsilon=0.7, sample_size=sample_size)
    distribution = distinct_sampling_distribution(estimator, tuple(ids))
    stream = FixedStream.of(np.array(ids, dtype=np.int64), universe)
    drawn = final_samples(estimator, stream, RUNS, np.random.default_rng(1))
    assert multinomial(distribution, columns(drawn)) > LEVEL


@pytest.mark.parametrize("reading", [LISTING, *MISREADINGS])
def test_misreadings_of_the_listing_are_told_from_its_distribution(reading):
    """With a fraction of the runs; the listing itself, written anew, is not."""
    worst = 1.0
    for universe, sample_size, ids in ((4, 2, [0, 1, 0, 3, 3, 2, 0]), (5, 2, [4, 4, 0, 2, 4])):
        estimator = pan_private_distinct_sampling(universe=universe, epsilon=0.7, sample_size=sample_size)
        distribution = distinct_sampling_distribution(estimator, tuple(ids))
        options = MISREADINGS.get(reading, {})
        drawn = follow_many(universe, ids, sample_size, estimator.cells, RUNS // 4, random.Random(2), **options)
        worst = min(worst, multinomial(distribution, columns(drawn)))
    assert (worst > LEVEL) == (reading == LISTING)


def fixed_sample(name, sample_size, universe=4):
    return create_estimator(name, universe=universe, epsilon=0.5, sample_size=sample_size)


@pytest.mark.parametrize("sample_size", [2, 4])
@pytest.mark.parametrize("name", BITS)
def test_bits_of_a_fixed_sample_have_the_distribution_of_their_code(name, sample_size):
    ids = [0, 2, 2, 0]
    estimator = fixed_sample(name, sample_size)
    distribution = exact_distribution(
        estimator, ids, lambda state: (float(np.isin(state.sample, ids).mean()), int(state.cells.sum()))
    )
    drawn = simulate(estimator, FixedStream.of(np.array(ids), 4), RUNS, np.random.default_rng(3))

    densities = defaultdict(float)
    for (density, _), chance in distribution.items():
        densities[density] += chance
    assert multinomial(densities, drawn.sampled_densities.tolist()) > LEVEL

    def cumulative(x, among=distribution):
        parts = (
            chance * laplace.cdf(x, estimator.estimate(ones), estimator.noise_scale)
            for (_, ones), chance in among.items()
        )
        return sum(parts) / sum(among.values())

    assert kstest(drawn.outputs, cumulative).pvalue > LEVEL
    for density in densities:
        among = {place: part for place, part in distribution.items() if place[0] == density}
        here = drawn.outputs[drawn.sampled_densities == density]
        assert kstest(here, lambda x, among=among: cumulative(x, among)).pvalue > LEVEL
    if sample_size == 2:
        # The same test sees that the output is not independent of d(S_M).
        none = {place: part for place, part in distribution.items() if place[0] == 0}
        everyone = drawn.outputs[drawn.sampled_densities == 1]
        assert kstest(everyone, lambda x: cumulative(x, none)).pvalue < LEVEL


@pytest.mark.parametrize("sample_size", [2, 4])
@pytest.mark.parametrize("name", ["calibrated-bernoulli", "calibrated-continual-output"])
def test_calibrated_outputs_have_the_distribution_of_their_code(name, sample_size):
    ids = [0, 2, 2, 0]
    estimator = fixed_sample(name, sample_size)
    bits = exact_distribution(
        estimator, ids, lambda state: (float(np.isin(state.sample.members(), ids).mean()), int(state.cells.sum()))
    )
    up, down = estimator.up, estimator.down
    peak = (1 - up) * (1 - down) / (1 - up * down)
    distribution = defaultdict(float)
    for (density, ones), chance in bits.items():
        for noise in range(-150, 151):
            distribution[density, ones + noise] += chance * peak * (up**noise if noise >= 0 else down**-noise)
    drawn = simulate(estimator, FixedStream.of(np.array(ids), 4), RUNS, np.random.default_rng(4))
    gap = estimator.cells.p_upd - estimator.cells.p_init
    integers = drawn.outputs * (sample_size * gap) + estimator.centre()
    np.testing.assert_allclose(integers, np.rint(integers), atol=1e-9)
    pairs = list(zip(drawn.sampled_densities.tolist(), np.rint(integers).astype(int).tolist(), strict=True))
    assert multinomial(distribution, pairs) > LEVEL
    assert multinomial(distribution, [(density, integer + 1) for density, integer in pairs]) < LEVEL


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 3.0])
def test_truncated_gaussian_cells_have_the_moments_and_the_loss_that_are_stated(epsilon):
    cells = TruncatedGaussian(universe=9, epsilon=epsilon, sample_size=5).cells
    deviation = np.sqrt(1 / (2 * epsilon))
    before = truncnorm(0, 1 / deviation, 0, deviation)
    after = truncnorm(-1 / deviation, 0, 1, deviation)
    assert cells.initial_mean == pytest.approx(before.mean(), rel=1e-9)
    assert cells.updated_mean == pytest.approx(after.mean(), rel=1e-9)
    assert cells.variance == pytest.approx(before.var(), rel=1e-7)
    assert cells.variance == pytest.approx(after.var(), rel=1e-7)
    losses = after.logpdf(np.linspace(0, 1, 101)) - before.logpdf(np.linspace(0, 1, 101))
    assert (losses.min(), losses.max()) == (pytest.approx(-epsilon), pytest.approx(epsilon))
    for draw, distribution in ((cells.draw_initial, before), (cells.draw_updated, after)):
        assert kstest(draw(NumpyRandomness(5), RUNS), distribution.cdf).pvalue > LEVEL


@pytest.mark.parametrize(("epsilon", "gain"), [(0.1, 0.007), (0.5, 0.034)])
def test_little_hangs_on_the_distance_of_the_truncated_means(epsilon, gain):
    def added(distance):
        mean, deviation = (1 - distance) / 2, np.sqrt(distance / (2 * epsilon))
        distribution = truncnorm(-mean / deviation, (1 - mean) / deviation, mean, deviation)
        return distribution.var() / (1 - 2 * distribution.mean()) ** 2

    cells = TruncatedGaussian(universe=1, epsilon=epsilon, sample_size=1).cells
    chosen = cells.variance / (cells.updated_mean - cells.initial_mean) ** 2
    distances = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 20, 100, 1000]
    others = [added(distance) for distance in distances]
    assert others == sorted(others, reverse=True)
    assert others[distances.index(1)] == pytest.approx(chosen)
    assert gain - 0.001 < 1 - others[-1] / chosen < gain


@pytest.mark.parametrize("name", ["laplace", "truncated-gaussian"])
@pytest.mark.parametrize("epsilon", [0.2, 4.0])
@pytest.mark.parametrize("appears", [False, True])
def test_a_simulated_real_cell_has_its_distribution(name, epsilon, appears):
    """A sample of one: the cell is the output without its noise, which is convolved with the distribution by
    quadrature.
    """
    estimator, _ = real_cells(name, 1, epsilon, 1)
    stream = FixedStream.of(np.zeros(int(appears), dtype=np.int64), 1)
    drawn = simulate(estimator, stream, RUNS // 4, np.random.default_rng(6))
    deviation = np.sqrt(1 / (2 * epsilon))
    low = -1 / deviation if appears else 0
    gaussian = truncnorm(low, low + 1 / deviation, float(appears), deviation)
    distribution = gaussian if name == "truncated-gaussian" else laplace(float(appears), 1 / epsilon)
    estimate = getattr(estimator, "mechanism", estimator).estimate
    cells = estimate(distribution.ppf((np.arange(200) + 0.5) / 200))

    def cumulative(x):
        return laplace.cdf(x[:, None], cells, 1 / epsilon).mean(axis=1)

    assert kstest(drawn.outputs, cumulative).pvalue > LEVEL


@pytest.mark.parametrize("name", ["laplace", "truncated-gaussian"])
@pytest.mark.parametrize("epsilon", [0.5, 1.5])
def test_the_error_of_real_cells_is_the_stated_one(name, epsilon):
    estimator, mean_squared_error = real_cells(name, 1000, epsilon, 300)
    stream = FixedStream.of(np.arange(700), 1000)
    drawn = simulate(estimator, stream, RUNS, np.random.default_rng(7))
    errors = drawn.outputs - drawn.sampled_densities
    stated = mean_squared_error(0.7, 300)
    # Six standard deviations of the means of errors and of their squares.
    assert abs(errors.mean()) < 6 * np.sqrt(stated / RUNS)
    assert abs((errors**2).mean() - stated) < 6 * (errors**2).std() / np.sqrt(RUNS)
    assert mean_squared_error(0.7, 600) < stated


def real_cells(name, universe, epsilon, sample_size):
    """An estimator with real-valued cells, and its stated error."""
    parameters = {"universe": universe, "epsilon": epsilon, "sample_size": sample_size}
    if name == "truncated-gaussian":
        estimator = TruncatedGaussian(**parameters)
        assert estimator.mean_squared_error(0.7) == estimator.mean_squared_error(0.7, sample_size)
        return estimator, estimator.mean_squared_error
    estimator = create_estimator(name, **parameters)
    (stated,) = (each for each in estimator.statements if each.quantity == Quantity.MEAN_SQUARED_ERROR)
    return estimator, stated.value


@pytest.mark.parametrize(("universe", "length"), [(1, 0), (1, 3), (7, 0), (13, 40), (1000, 17), (64, 256)])
def test_classes_hold_the_updates_of_their_users_in_order(universe, length):
    ids = np.random.default_rng(8).integers(0, universe, length)
    classes = ResidueClasses.of(ids, universe)
    for level, row in enumerate(classes.times):
        bounds = [*classes.starts[2**level : 2 ** (level + 1)].tolist(), length]
        for residue in range(2**level):
            times = row[bounds[residue] : bounds[residue + 1]]
            np.testing.assert_array_equal(times, np.flatnonzero(ids % 2**level == residue))
    last = [max(np.flatnonzero(ids == user), default=-1) for user in range(universe)]
    np.testing.assert_array_equal(classes.last, last)


def test_a_stream_is_prepared_once_and_can_be_sent_elsewhere():
    stream = FixedStream.of(np.array([3, 1, 3, 0], dtype=np.uint8), 8)
    assert (stream.universe, stream.length, stream.distinct, stream.density) == (8, 4, 3, 3 / 8)
    with pytest.raises(ValueError, match="read-only"):
        stream.ids[0] = 1
    assert stream.classes is stream.classes
    sent = pickle.loads(pickle.dumps(stream))
    np.testing.assert_array_equal(sent.ids, stream.ids)
    estimator = pan_private_distinct_sampling(universe=8, epsilon=1.0, sample_size=3)
    runs = [simulate(estimator, each, 600, np.random.default_rng(9)).outputs for each in (stream, sent)]
    np.testing.assert_array_equal(*runs)
    assert not np.array_equal(runs[0], simulate(estimator, stream, 600, np.random.default_rng(10)).outputs)


class Derived(PanPrivateDistinctSampling):
    """Might do anything in its updates."""


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (exact_counter(universe=8), "SampledCells, CalibratedCells, PanPrivateDistinctSampling, TruncatedGaussian"),
        (Derived(universe=fixed_sample("dwork", 2).universe, epsilon=1.0, sample_size=2), "got Derived"),
        (fixed_sample("dwork", 2, universe=9), "8 users, and the estimator counts 9"),
    ],
)
def test_what_cannot_be_simulated_is_refused(estimator, words):
    with pytest.raises(InputError, match=words):
        simulate(estimator, FixedStream.of(np.array([1]), 8), 1, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("ids", "universe", "words"),
    [
        ([0, 8], 8, "user 8 is outside the universe 0..7"),
        ([-1], 8, "user -1 is outside"),
        ([0.5], 8, "array of user indices, got float64"),
        ([[1]], 8, "one-dimensional"),
        ([], 0, "universe size must be"),
        ([], 10**10, "universe size must be"),
    ],
)
def test_no_stream_of_users_is_refused(ids, universe, words):
    with pytest.raises(InputError, match=words):
        FixedStream.of(np.array(ids), universe)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"sample_size": 9}, "sample size m must be between 1 and 8"),
        ({"universe": 0}, "universe size"),
    ],
)
def test_parameters_of_truncated_gaussian_cells_are_checked(changes, words):
    with pytest.raises(InputError, match=words):
        TruncatedGaussian(**{"universe": 8, "epsilon": 0.5, "sample_size": 2} | changes)
    with pytest.raises(InputError, match="density"):
        TruncatedGaussian(universe=8, epsilon=0.5, sample_size=2).mean_squared_error(1.5)


def test_no_runs_are_refused():
    with pytest.raises(InputError, match="number of runs must be at least 1"):
        simulate(fixed_sample("dwork", 2), FixedStream.of(np.array([1]), 4), 0, np.random.default_rng(1))
