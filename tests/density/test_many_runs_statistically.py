"""Many runs at once and single runs: one law of state and output, tested with fixed seeds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from pan_estimators import ESTIMATORS_OF_IDS, ManyRuns, NumpyRandomness
from tests.density.instances import small
from tests.turns import every

RUNS = 3000
LEVEL = 1e-4
WITHOUT_CELLS = {"exact-counter", "pan-private-distinct-sampling"}
MANY = [name for name in ESTIMATORS_OF_IDS if isinstance(small(name), ManyRuns) and name not in WITHOUT_CELLS]


def seen(estimator, state, users):
    """The cells of some users at the look, coarsely enough to be counted."""
    sampled = np.asarray(estimator.sampled_users(state))
    cells = [np.flatnonzero(sampled == user) for user in users]
    return tuple("out" if not place.size else bool(state.cells[place[0]] > 0.5) for place in cells)


def ids_of(estimator, places):
    users = estimator.universe.example_ids(4)
    ids = [users[place] for place in places]
    return np.array(ids) if isinstance(users[0], tuple) else ids


def single(estimator, seed):
    randomness = NumpyRandomness(seed)
    looks, outputs = [], []
    for _ in range(RUNS):
        state = estimator.update(estimator.create(randomness), ids_of(estimator, (0, 1, 0)), randomness)
        looks.append(seen(estimator, state, (0, 1, 2)))
        state = estimator.update(state, ids_of(estimator, (2, 0)), randomness)
        outputs.append(float(estimator.release(state, randomness)))
    return looks, outputs


def many(estimator, seed, *, forget=False):
    randomness = NumpyRandomness(seed)
    states = estimator.create_many(RUNS, randomness)
    states = estimator.update_many(states, ids_of(estimator, (0, 1, 0)), randomness)
    looks = [seen(estimator, estimator.state_of(states, run), (0, 1, 2)) for run in range(RUNS)]
    if not forget:
        states = estimator.update_many(states, ids_of(estimator, (2, 0)), randomness)
    return looks, list(estimator.release_many(states, randomness))


def p_values(ours, theirs):
    """A chi-squared test of looks and coarse outputs jointly, and the test of Kolmogorov and Smirnov of the outputs."""
    middle = np.median(ours[1])
    samples = [Counter(zip(looks, np.asarray(outputs) > middle, strict=True)) for looks, outputs in (ours, theirs)]
    common = [value for value, times in (samples[0] + samples[1]).items() if times >= 20]
    table = np.array([[sample[value] for value in common] for sample in samples])
    return chi2_contingency(table).pvalue, ks_2samp(ours[1], theirs[1]).pvalue


@pytest.mark.parametrize("name", every(3, MANY))
def test_many_runs_and_single_runs_have_one_distribution(name):
    estimator = small(name)
    assert min(p_values(single(estimator, 1), many(estimator, 2))) > LEVEL


@pytest.mark.parametrize("name", ["dwork", "calibrated-bernoulli"])
def test_many_runs_that_forget_an_update_would_be_seen(name):
    estimator = small(name)
    assert min(p_values(single(estimator, 1), many(estimator, 2, forget=True))) < LEVEL


@pytest.mark.parametrize("name", ["calibrated-bernoulli", "laplace"])
def test_runs_at_once_are_not_correlated(name):
    """The outputs of neighbouring runs, and of runs far apart, have no correlation beyond chance."""
    estimator = small(name)
    outputs = np.array(many(estimator, 3)[1])
    for lag in (1, 7, RUNS // 2):
        assert abs(np.corrcoef(outputs[:-lag], outputs[lag:])[0, 1]) < 4.5 / np.sqrt(RUNS - lag)
