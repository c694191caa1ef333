"""Simulated outputs against runs of the estimators themselves, and against wrong simulators, which are caught."""

from __future__ import annotations

import copy
import itertools
import random
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from experiments.density.simulation import FixedStream, Outputs, TruncatedGaussian, simulate
from experiments.density.simulation.distinct_sampling import final_samples
from experiments.density.simulation.fixed_stream import counts
from pan_estimators import (
    BernoulliCells,
    NumpyRandomness,
    create_estimator,
    pan_private_distinct_sampling,
    uniform_stream,
    zipf_stream,
)
from tests.density.experiments.listing import LISTING, MISREADINGS, NEARLY_ALIKE, follow_many
from tests.turns import every

REAL, SIMULATED = 1500, 15_000
LEVEL = 1e-6
"""There are about 300 comparisons: if all distributions are equal, all of them pass with probability 0.9997."""

SAMPLED = [
    "dwork",
    "lecture",
    "bernoulli-family",
    "optimal-bernoulli",
    "quantized-laplace",
    "laplace",
    "calibrated-bernoulli",
    "calibrated-continual-output",
    "truncated-gaussian",
]


@lru_cache
def stream(kind, universe):
    if kind == "uniform":
        ids = uniform_stream(universe=universe, length=universe, seed=1)
    elif kind == "zipf":
        ids = zipf_stream(universe=universe, length=universe, seed=1)
    else:
        # A few users again and again, and one of them more than all others.
        few = np.arange(0, universe, 7)
        ids = np.concatenate([np.tile(few, 3), np.full(universe, few[1]), few])
    return FixedStream.of(ids, universe)


STREAMS = ["uniform", "zipf", "repeated users"]
LARGE = 1.5
"""A budget for which the sampling of users is a good part of the error."""
LARGEST = {"bernoulli-family": 0.5}
"""The family is defined up to a budget."""


def make(name, universe, sample_size, epsilon):
    parameters = {"universe": universe, "sample_size": sample_size, "epsilon": epsilon}
    return TruncatedGaussian(**parameters) if name == "truncated-gaussian" else create_estimator(name, **parameters)


def real_runs(estimator, on, runs):
    """Outputs of the estimator's own code, and the states that it ends with."""
    present = np.zeros(on.universe, dtype=np.bool_)
    present[on.ids] = True
    outputs, densities, states = np.empty(runs), np.empty(runs), []
    for run in range(runs):
        randomness = NumpyRandomness((2, run))
        state = estimator.update(estimator.create(randomness), on.ids, randomness)
        users = estimator.sampled_users(state)
        # The release may erase the state.
        outputs[run] = estimator.release(copy.deepcopy(state), randomness)
        densities[run] = present[users].mean() if users.size else np.nan
        states.append(state)
    return Outputs(outputs, densities), states


def homogeneity(first, second):
    """p-value of a chi-squared test that two lists of observations have one distribution; what is rare is put
    together.
    """
    values, codes = np.unique(np.array([*first, *second]), axis=0, return_inverse=True)
    codes = codes.ravel()
    table = np.array([np.bincount(part, minlength=len(values)) for part in np.split(codes, [len(first)])])
    common = table.sum(axis=0) * len(first) / codes.size >= 10
    table = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] < 2 else float(chi2_contingency(table).pvalue)


def same_outputs(first, second):
    """The least p-value of the comparisons of d(S_M), of the outputs, and of their differences.

    Without a user who qualifies d(S_M) is not a number, which is a value like any other here.
    """
    densities = [np.nan_to_num(each.sampled_densities, nan=-1.0).round(9) for each in (first, second)]
    errors = [each.outputs - density for each, density in zip((first, second), densities, strict=True)]
    return min(
        homogeneity(*densities),
        ks_2samp(*densities, method="asymp").pvalue,
        ks_2samp(first.outputs, second.outputs, method="asymp").pvalue,
        ks_2samp(*errors, method="asymp").pvalue,
    )


@pytest.mark.parametrize(("name", "kind"), every(4, itertools.product(SAMPLED, STREAMS)))
def test_fixed_samples_are_simulated_as_they_run(name, kind):
    for universe, sample_size, epsilon in ((300, 150, LARGE), (12, 12, 0.3)):
        estimator = make(name, universe, sample_size, min(epsilon, LARGEST.get(name, LARGE)))
        on = stream(kind, universe)
        real, _ = real_runs(estimator, on, REAL // 2)
        assert same_outputs(real, simulate(estimator, on, SIMULATED, np.random.default_rng(3))) > LEVEL


def with_replacement(estimator, on, runs, generator):
    appeared = generator.binomial(estimator.sample_size, on.density, runs)
    return appeared, appeared


def one_sample_for_all_runs(estimator, on, runs, generator):
    m = estimator.sample_size
    appeared = np.full(runs, generator.hypergeometric(on.distinct, on.universe - on.distinct, m))
    return appeared, appeared


def one_count_for_all_runs(estimator, on, runs, generator):
    """d(S_M) is right, the bits are not those of its users."""
    m = estimator.sample_size
    appeared = generator.hypergeometric(on.distinct, on.universe - on.distinct, m, runs)
    return appeared, np.full(runs, round(m * on.density))


def updates_instead_of_users(estimator, on, runs, generator):
    m = estimator.sample_size
    appeared = generator.hypergeometric(on.distinct, on.universe - on.distinct, m, runs)
    return appeared, np.minimum(m, appeared * on.length // on.distinct)


def right(estimator, on, runs, generator):
    appeared = generator.hypergeometric(on.distinct, on.universe - on.distinct, estimator.sample_size, runs)
    return appeared, appeared


@pytest.mark.parametrize(
    "wrong", [right, with_replacement, one_sample_for_all_runs, one_count_for_all_runs, updates_instead_of_users]
)
def test_wrong_fixed_samples_are_caught(wrong):
    """The same comparison at the same level; it passes what is right."""
    estimator, on = make("optimal-bernoulli", 300, 150, 2 * LARGE), stream("uniform", 300)
    real, _ = real_runs(estimator, on, REAL // 2)
    generator = np.random.default_rng(4)
    appeared, counted = wrong(estimator, on, SIMULATED, generator)
    cells = estimator.cells
    assert isinstance(cells, BernoulliCells)
    locations = estimator.estimate(counts(cells, counted, estimator.sample_size, generator))
    outputs = NumpyRandomness(generator).laplace_at(locations, estimator.noise_scale)
    drawn = Outputs(outputs, appeared / estimator.sample_size)
    assert (same_outputs(real, drawn) > LEVEL) == (wrong is right)


DISTINCT = [(40, 2), (200, 20), (300, 200)]


@lru_cache
def distinct_sampling_runs(universe, sample_size, kind):
    """An estimator, and how runs of its own code end: outputs, levels and numbers of members."""
    estimator = pan_private_distinct_sampling(universe=universe, epsilon=1.0, sample_size=sample_size)
    real, states = real_runs(estimator, stream(kind, universe), REAL)
    return estimator, real, [(state.level, state.members.size) for state in states]


@pytest.mark.more
@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize(("universe", "sample_size"), DISTINCT)
def test_distinct_sampling_is_simulated_as_it_runs(universe, sample_size, kind):
    estimator, real, ends = distinct_sampling_runs(universe, sample_size, kind)
    on = stream(kind, universe)
    drawn = final_samples(estimator, on, SIMULATED, np.random.default_rng(5))
    assert homogeneity(ends, drawn[:2].T.tolist()) > LEVEL
    assert same_outputs(real, simulate(estimator, on, SIMULATED, np.random.default_rng(6))) > LEVEL


@pytest.mark.more
@pytest.mark.parametrize("reading", [LISTING, *(one for one in MISREADINGS if one not in NEARLY_ALIKE)])
def test_misreadings_of_distinct_sampling_are_caught(reading):
    """On one of three streams at least, with as many runs; the listing itself, written anew, passes them all."""
    least = 1.0
    for kind in STREAMS:
        estimator, real, ends = distinct_sampling_runs(40, 2, kind)
        on = stream(kind, 40)
        drawn = follow_many(40, on.ids, 2, estimator.cells, REAL, random.Random(7), **MISREADINGS.get(reading, {}))
        level, members, qualifying, present = drawn
        densities = np.divide(present, qualifying, out=np.full(REAL, -1.0), where=qualifying > 0)
        theirs = np.nan_to_num(real.sampled_densities, nan=-1.0)
        least = min(
            least,
            homogeneity(ends, np.column_stack([level, members]).tolist()),
            homogeneity(theirs.round(9), densities.round(9)),
        )
    assert (least > LEVEL) == (reading == LISTING)
