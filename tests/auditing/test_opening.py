"""A search whose first pair has its first runs alone: a slow mechanism is refuted by a few runs."""

from __future__ import annotations

import numpy as np

from pan_audits.auditing.sampler import Sampler
from pan_audits.auditing.search import RUNS_BEFORE_CHOICE, search, streams_of
from pan_audits.inputs.streams import catalogue
from pan_audits.running.mechanism import EstimatorMechanism
from pan_audits.statistics import ErrorBudget
from tests.auditing.mutants.mechanisms import DistinctCount


def searched(estimator, most_runs, *, opening):
    pairs = catalogue(estimator.promise, range(4), seed=1)
    sampler = Sampler(EstimatorMechanism(estimator, estimator.promise, singly=1.0))
    found = search(*(sampler, estimator.promise, pairs, ErrorBudget()), entropy=1, most_runs=most_runs, opening=opening)
    return pairs, found


def test_a_first_pair_that_breaks_the_promise_needs_no_run_of_the_others():
    plain = DistinctCount(scale=0.05)
    pairs, found = searched(plain, 100_000, opening=True)
    assert [refutation.pair for refutation in found.refutations] == [pairs.pairs[0]]
    assert found.runs <= 2 * RUNS_BEFORE_CHOICE
    assert searched(plain, 100_000, opening=False)[1].runs > 4 * found.runs


def test_the_other_pairs_have_the_same_runs_after_an_opening_without_a_refutation():
    streams = len(streams_of(catalogue(DistinctCount().promise, range(4), seed=1).pairs))
    # As many as all streams need for the rounds of an opening, so that nothing is cut off.
    runs = RUNS_BEFORE_CHOICE * streams
    (_, opened), (_, plain) = (searched(DistinctCount(), runs, opening=opening) for opening in (True, False))
    assert not opened.refutations
    assert not plain.refutations
    assert opened.runs == plain.runs == runs
    assert opened.samples.keys() == plain.samples.keys()
    for side, tables in plain.samples.items():
        ours = opened.samples[side]
        assert all(np.array_equal(one.values, other.values) for one, other in zip(ours, tables, strict=True))
    for pair, test in plain.tests.items():
        assert opened.tests[pair].runs == test.runs == RUNS_BEFORE_CHOICE
        assert [bet.log_wealth for bet in opened.tests[pair].bets.values()] == [
            bet.log_wealth for bet in test.bets.values()
        ]
