"""Audits beside exact losses; few runs; the first pair; and the growth of a bound."""

from __future__ import annotations

import random
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_audits.audit.sampler import Sampler, streams_of
from pan_audits.audit.search import RUNS_BEFORE_CHOICE, search
from pan_audits.audit.witness import Counts, Witness
from pan_audits.events import Grids
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.problems.inputs.streams.catalogue import JUDGED, catalogue
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner
from pan_estimators import Observed, Promise
from pan_estimators.common.registry import with_budget
from tests.internals.audit.witnesses import audited_witness
from tests.mutants.mechanisms import DistinctCount

NAMES = (
    "dwork",
    "optimal-bernoulli",
    "bernoulli-family",
    "quantized-laplace",
    "optimal-bernoulli-insert-delete",
    "calibrated-bernoulli",
    "calibrated-insert-delete",
)
PARTS, COUNT = 5, 25
SHARE = 0.5
"""Part of the exact losses that the audits show; one that knows the best event shows about 0.8 of them."""
JUDGEMENT = Settings(confirmation_runs=100, seed=3, workers=0, accuracy_runs=0, exact=False, hygiene=False)


def instances():
    """Random estimators, budgets, sizes and promises that are too small, so that the audit measures."""
    chance = random.Random(20261121)
    for number in range(COUNT):
        name, users = NAMES[number % len(NAMES)], chance.randint(1, 3)
        given = with_budget(name, chance.uniform(0.05, 1.2), {"sample_size": chance.randint(1, users)})
        if name == "bernoulli-family":
            given["centre"] = chance.uniform(0.3, 0.6)
        observed = chance.choice([Observed.STATE_AND_OUTPUT, Observed.STATE_AND_OUTPUT, Observed.STATE])
        promise = Promise(epsilon=0.01, adjacency=chance.choice(list(JUDGED)), observed=observed)
        yield name, given, users, promise


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=pytest.mark.slow if part else pytest.mark.more) for part in range(PARTS)]
)
def test_audits_find_no_more_than_there_is_and_most_of_it(part, record_property):
    rows = []
    for name, given, users, promise in list(instances())[part::PARTS]:
        scope = CheckSettings(users=users, sample_size=given["sample_size"], length=3, appearances=2)
        parameters = {key: value for key, value in given.items() if key != "sample_size"}
        exact = run_check(SmallInstances(name, parameters, promise), scope).loss.nats
        mechanism = find_mechanism(name, parameters={**given, "universe": users}, promise=promise)
        effort = replace(JUDGEMENT, runs=6000, confirmation_runs=3000, error=1e-3, seed=len(rows))
        witness = run_gate(mechanism, effort).privacy.witness
        rows.append((name, witness.loss if witness else 0.0, exact))
    assert all(bound <= exact + 1e-9 for _, bound, exact in rows), rows
    found, exact = (sum(row[place] for row in rows) for place in (1, 2))
    record_property(f"bounds of part {part}", f"{found:.2f} of an exact {exact:.2f}")
    assert found >= SHARE * exact, rows


PROMISE = Promise.parse("epsilon=1,adjacency=given,observed=output,intrusions=0")


def noisy(data, rng):
    return data + rng.laplace()


def quotient(data, rng):
    """Its numbers differ by a hundred orders of magnitude, on both sides of 0."""
    return rng.laplace() / (data + 1e-100)


def ends():
    yield 0.0, 1.0


@pytest.mark.parametrize(
    ("function", "runs", "verdict"),
    [
        (noisy, 100, Verdict.INCONCLUSIVE),
        (noisy, 160, Verdict.NOT_REFUTED),
        (noisy, 1000, Verdict.NOT_REFUTED),
        (quotient, 150, Verdict.REFUTED),
    ],
)
def test_few_runs_find_an_almost_certain_event_or_leave_it_open(function, runs, verdict):
    place = f"{__name__}:{function.__name__}"
    mechanism = find_mechanism(place, parameters={}, promise=PROMISE, inputs=f"{__name__}:ends")
    report = run_gate(mechanism, replace(JUDGEMENT, runs=runs))
    assert report.verdict is verdict
    if runs == 100:
        assert "at least 128 are needed" in report.reason
    if runs == 160:
        (every, best), *others = report.privacy.detectable.values()
        assert 1 < best <= every < 5
        assert all(loss == inf for loss, _ in others)
    if verdict is Verdict.NOT_REFUTED:
        assert (0.99 in report.privacy.detectable) == (runs == 160)


def searched(estimator, most_runs, *, opening):
    pairs = catalogue(estimator.promise, range(4), seed=1)
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise, singly=1.0))
    found = search(*(sampler, estimator.promise, pairs, ErrorBudget()), entropy=1, most_runs=most_runs, opening=opening)
    return pairs, found


def test_a_first_pair_that_breaks_the_promise_needs_no_run_of_the_others():
    plain = DistinctCount(scale=0.05)
    pairs, found = searched(plain, 100_000, opening=True)
    assert list(found.refutations) == [pairs.pairs[0]]
    assert found.runs <= 2 * RUNS_BEFORE_CHOICE
    assert searched(plain, 100_000, opening=False)[1].runs > 4 * found.runs


def test_the_reading_of_numbers_does_not_know_the_runs_that_are_bet_on(monkeypatch):
    """There are no bets on the first eight runs of a stream, and all later runs come after the grids are fixed."""
    learned = []
    learn = Grids.learn
    monkeypatch.setattr(Grids, "learn", lambda grids, tables: learned.append(tables) or learn(grids, tables))
    estimator = DistinctCount()
    pairs = catalogue(estimator.promise, range(4), seed=1)
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise), reading=Grids(1))
    search(sampler, estimator.promise, pairs, ErrorBudget(), entropy=1, most_runs=64 * len(streams_of(pairs.pairs)))
    assert {table.runs for table in learned[0]} == {8}
    assert {table.runs for table in learned[1]} == {32}


def test_the_other_pairs_have_the_same_runs_after_an_opening_without_a_refutation():
    streams = len(streams_of(catalogue(DistinctCount().promise, range(4), seed=1).pairs))
    # As many as all streams need for the rounds of an opening, so that nothing is cut off.
    runs = RUNS_BEFORE_CHOICE * streams
    opened, plain = (searched(DistinctCount(), runs, opening=opening)[1] for opening in (True, False))
    assert not opened.refutations
    assert opened.runs == plain.runs == runs
    assert opened.samples.tables.keys() == plain.samples.tables.keys()
    for side, tables in plain.samples.tables.items():
        ours = opened.samples.tables[side]
        assert all(np.array_equal(one.values, other.values) for one, other in zip(ours, tables, strict=True))
    for pair, test in plain.tests.items():
        ours, theirs = (list(one.bets.values()) for one in (opened.tests[pair], test))
        assert [bet.log_wealth for bet in ours] == [bet.log_wealth for bet in theirs]


def test_the_bound_of_an_event_without_counterpart_grows_with_the_runs():
    """Ten times the runs add nearly the logarithm of ten."""
    witness = Witness.from_dict(audited_witness())
    assert witness.growth[-1] == (witness.counts.runs, pytest.approx(witness.loss))
    told = {}
    for counts in ((70_000, 0, 100_000), (70_000, 1, 100_000), (3, 0, 100_000)):
        other = replace(witness, counts=Counts(*counts))
        told[counts] = "the bound grows with the number of runs" in other.describe()
    assert list(told.values()) == [True, False, False]
    bounds = [bound for _, bound in replace(witness, counts=Counts(70_000, 0, 100_000)).growth]
    assert np.diff(bounds) == pytest.approx([2.3026, 2.3026], abs=0.1)
