"""Audits of mechanisms with a known loss."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from math import isfinite

import numpy as np
import pytest
from scipy.stats import binom

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit.sampler import Sampler
from pan_audits.audit.search import RUNS_BEFORE_CHOICE, search, streams_of
from pan_audits.audit.witness import Counts, Witness
from pan_audits.problems.inputs.streams import catalogue
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner
from pan_promises.promise import Promise
from tests.auditing.mutants.mechanisms import DistinctCount
from tests.auditing.witnesses import audited_witness
from tests.benchmarks import known_mechanisms as m

RUNS = 100_000
EVENTS = {
    "one-time RAPPOR with hashing": lambda out: out[:, [1, 4]].all(axis=1) & ~out[:, [8, 11]].any(axis=1),
    "report noisy max, argument": lambda out: out == 0,
    "sparse vector, mechanism 4": lambda out: ~out[:, :5].any(axis=1) & (out[:, 5] == 1),
    "sparse vector, mechanism 6": lambda out: ~out[:, :5].any(axis=1) & out[:, 5:].all(axis=1),
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


PROMISE = Promise.parse("epsilon=1,adjacency=given,observed=output,intrusions=0")


def noisy(data, rng):
    return data + rng.laplace()


def plain(data, rng):
    return data


def quotient(data, rng):
    return rng.laplace() / (data + 1e-100)


def ends():
    yield 0.0, 1.0


def judged(function, runs):
    place = f"{__name__}:{function.__name__}"
    mechanism = find_mechanism(place, parameters={}, promise=PROMISE, inputs=f"{__name__}:ends")
    settings = Settings(
        runs=runs, confirmation_runs=100, seed=3, workers=0, accuracy_runs=0, exact=False, hygiene=False
    )
    return run_gate(mechanism, settings)


def test_runs_that_would_find_an_almost_certain_event_give_a_verdict():
    report = judged(noisy, 160)
    assert report.verdict is Verdict.NOT_REFUTED
    every, best = report.privacy.detectable[0.99]
    assert 1 < best <= every < 5
    assert "probability 0.99, loss" in report.privacy.describe()
    assert not any(isfinite(loss) for loss, _ in list(report.privacy.detectable.values())[1:])


@pytest.mark.parametrize("function", [plain, quotient])
def test_such_an_event_is_found_with_so_few_runs(function):
    """The numbers of the quotient differ by a hundred orders of magnitude, on both sides of 0."""
    report = judged(function, 150)
    assert report.verdict is Verdict.REFUTED
    assert report.privacy.witness.loss > 1


def test_fewer_runs_that_find_no_event_leave_it_open():
    report = judged(noisy, 100)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert "at least 128 are needed" in report.reason


@pytest.mark.parametrize("runs", [256, 1000])
def test_more_runs_are_told_by_the_usual_events(runs):
    assert 0.99 not in judged(noisy, runs).privacy.detectable


def searched(estimator, most_runs, *, opening):
    pairs = catalogue(estimator.promise, range(4), seed=1)
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise, singly=1.0))
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


def counted(left, right, runs):
    return replace(Witness.from_dict(audited_witness()), counts=Counts(left, right, runs))


def test_the_bound_of_an_event_without_counterpart_grows_with_the_runs():
    witness = Witness.from_dict(audited_witness())
    assert witness.counts.right == 0
    bounds = [bound for _, bound in witness.growth]
    assert bounds == sorted(set(bounds))
    assert bounds[-1] == pytest.approx(witness.loss)
    assert witness.growth[-1][0] == witness.counts.runs
    assert "the bound grows with the number of runs" in witness.describe()


def test_ten_times_the_runs_add_nearly_the_logarithm_of_ten():
    bounds = [bound for _, bound in counted(70_000, 0, 100_000).growth]
    steps = [later - earlier for earlier, later in pairwise(bounds)]
    assert steps == pytest.approx([2.3026, 2.3026], abs=0.1)


@pytest.mark.parametrize("counts", [(70_000, 1, 100_000), (3, 0, 100_000)])
def test_no_growth_is_told_of_an_event_that_occurred_or_is_too_rare(counts):
    assert "grows" not in counted(*counts).describe()
