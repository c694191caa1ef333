"""An update by a batch and updates one by one give the same distribution of state and output."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from pan_estimators import ESTIMATORS_OF_IDS, NumpyRandomness
from tests.density.instances import small

RUNS = 1500
LEVEL = 1e-4


def observations(estimator, ids, seed, *, cut):
    """What is seen of one run, coarsely enough to be counted: the user's part of the state, and the output."""
    randomness = NumpyRandomness((seed, cut))
    state = estimator.create(randomness)
    for start in range(0, len(ids), cut):
        state = estimator.update(state, ids[start : start + cut], randomness)
    arrays = estimator.state_to_arrays(state)
    parts = tuple(float(np.sign(np.asarray(array, dtype=float)).sum()) for _, array in sorted(arrays.items()))
    return parts, round(2 * float(estimator.release(state, randomness)))


def homogeneity(samples):
    """p-value of a chi-squared test that both samples have one distribution; rare observations are put together."""
    counts = [Counter(sample) for sample in samples]
    total = counts[0] + counts[1]
    common = [value for value, times in total.items() if times >= 20]
    table = np.array([[count[value] for value in common] for count in counts])
    rest = np.array([[RUNS - row.sum()] for row in table])
    table = np.hstack([table, rest]) if rest.sum() >= 20 else table
    return 1.0 if table.shape[1] < 2 else float(chi2_contingency(table).pvalue)


@pytest.mark.more
@pytest.mark.parametrize("name", list(ESTIMATORS_OF_IDS))
def test_batches_and_single_updates_have_one_distribution(name):
    estimator = small(name)
    users = estimator.universe.example_ids(4)
    ids = [users[place] for place in (0, 1, 0, 2, 1, 0, 3, 3)]
    ids = np.array(ids) if isinstance(users[0], tuple) else ids
    samples = [[observations(estimator, ids, seed, cut=cut) for seed in range(RUNS)] for cut in (1, len(ids))]
    assert homogeneity(samples) > LEVEL


def test_a_batch_that_forgets_repeated_users_differently_would_be_seen():
    """The same test tells a stream from one in which the last user is missing."""
    estimator = small("optimal-bernoulli")
    users = estimator.universe.example_ids(4)
    samples = [[observations(estimator, ids, seed, cut=8) for seed in range(RUNS)] for ids in ([users[0]], list(users))]
    assert homogeneity(samples) < LEVEL
