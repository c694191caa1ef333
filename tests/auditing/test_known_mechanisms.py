"""The known mechanisms of the benchmark have the losses that are computed for them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from tests.benchmarks import known_mechanisms as m

RUNS = 100_000
EVENTS = {
    "one-time RAPPOR with hashing": lambda out: out[:, [1, 4]].all(axis=1) & ~out[:, [8, 11]].any(axis=1),
    "report noisy max, argument": lambda out: out == 0,
    "sparse vector, variant 4": lambda out: ~out[:, :5].any(axis=1) & (out[:, 5] == 1),
    "sparse vector, variant 6": lambda out: ~out[:, :5].any(axis=1) & out[:, 5:].all(axis=1),
    "sparse vector without cutoff": lambda out: ~out[:, :5].any(axis=1) & out[:, 5:].all(axis=1),
}
"""The event with the largest loss."""


@pytest.mark.parametrize("name", EVENTS)
def test_the_best_event_has_its_computed_probabilities(name):
    """Each count lies in the central region of its binomial distribution, which it leaves with probability 1e-6."""
    known = next(each for each in m.KNOWN if each.name == name)
    p, q = known.oracle().events[0]
    for number, (data, chance) in enumerate(((known.left, p), (known.right, q))):
        count = int(EVENTS[name](known.run(data, np.random.default_rng((number, 1)), size=RUNS)).sum())
        low, high = binom.interval(1 - 1e-6, RUNS, chance)
        assert low <= count <= high
    assert known.oracle().loss == pytest.approx(math.inf if q == 0 else math.log(p / q))


@pytest.mark.parametrize("known", m.KNOWN, ids=lambda known: known.name)
def test_a_single_run_has_the_form_of_a_run_of_a_batch(known):
    single = np.asarray(known.run(known.left, np.random.default_rng(1)))
    assert np.asarray(known.run(known.left, np.random.default_rng(1), size=7)).shape == (7, *single.shape)


@pytest.mark.parametrize("known", m.KNOWN, ids=lambda known: known.name)
def test_no_event_of_the_oracle_has_more_than_the_loss(known):
    oracle = known.oracle()
    for p, q in oracle.events:
        assert 0 <= q <= 1 + 1e-9
        assert q == 0 or p <= math.exp(min(oracle.loss, 700)) * q * (1 + 1e-6) + 1e-12
