"""At losses exactly equal to the promise, the rate of false refutations stays within the budget.

``make test-slow`` runs the full size and records the rates: 2,500 audits of each kind, and 1,000 whole searches.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.stats import binomtest, norm

from pan_audits.audit.sampler import Sampler
from pan_audits.audit.search import search
from pan_audits.audit.sequential import PairTest, threshold
from pan_audits.events import bound_objective, learn_events
from pan_audits.problems.inputs.streams import catalogue
from pan_audits.statistics import ErrorBudget, loss_exceeds
from pan_audits.subject.running.runner import EstimatorRunner
from tests.auditing.mutants.mechanisms import DistinctCount
from tests.auditing.simulated import as_doubles, bit_array, laplace, off_the_grid, randomised_response, split_intrusion

BUDGET = 0.05
NOTICED = 4 / 3
"""Many audits show that the rate is no larger than the budget by this factor.

The bound from two counts uses up its error: its exact rate for randomised response is 0.0452, see
tests/statistics/test_counts.py. So the interval of 2,500 audits does not end below the budget.
"""
FEW, MANY = 100, 2500
SEARCHES = 1000
"""A whole search takes more than a second of processor time. The interval for 1,000 is narrow enough for the budget."""

OFF_THE_GRID = (
    off_the_grid("a fixed number", bits=32),
    off_the_grid("the complement", bits=32),
    off_the_grid("a third", bits=None),
)
MECHANISMS = (randomised_response(1.0), laplace(1.0), bit_array(0.5), split_intrusion(), *OFF_THE_GRID)
NAMES = [mechanism.name for mechanism in MECHANISMS]
SIZES = [pytest.param(FEW, id="few", marks=pytest.mark.more), pytest.param(MANY, id="many", marks=pytest.mark.slow)]


def rate(audit, mechanism, audits, note=None, *, jobs=1):
    """Number of refutations among so many independent audits, with its 99% confidence interval."""
    refuted = sum(Parallel(n_jobs=jobs)(delayed(audit)(mechanism, seed) for seed in range(audits)))
    interval = binomtest(refuted, audits).proportion_ci(0.99)
    if note is not None:
        note(
            f"{audit.__name__}, {getattr(mechanism, 'name', mechanism)}",
            f"{refuted} of {audits} refuted, 99% interval {interval.low:.4f} .. {interval.high:.4f}, budget {BUDGET}",
        )
    return interval


def within_budget(interval, audits):
    """A few audits can only show a gross excess; many must show that the rate is at most a third above the budget."""
    return interval.low <= BUDGET and (audits < SEARCHES or interval.high <= NOTICED * BUDGET)


def bets_both_ways(mechanism, seed):
    left, right = mechanism.draw((seed, 1), 512)
    test = PairTest(mechanism.loss, lesson_growth=1.6)
    return test.extend(left, right, stop_at=threshold(BUDGET, 0.5)) is not None


def exceeds_the_loss(mechanism, x, y, runs):
    """Whether the lower bound on the loss is above the loss: the bound is the largest loss that the test refutes."""
    return loss_exceeds(x, runs, y, runs, epsilon=mechanism.loss, error=BUDGET)


def selects_then_bounds(mechanism, seed):
    runs = 1000
    objective = bound_objective(runs, 0.0, 2.0)
    event = learn_events(*mechanism.draw((seed, 2), runs), objective)[0].event
    left, right = mechanism.draw((seed, 3), runs)
    return exceeds_the_loss(mechanism, int(event(left).sum()), int(event(right).sum()), runs)


def scores_then_bounds(mechanism, seed):
    """With a fitted score, as after a refutation."""
    runs = 3000
    objective, plainly, steadily = (bound_objective(runs, 0.0, 2.0, caution=caution) for caution in (None, 1.0, 0.0))
    event = learn_events(*mechanism.draw((seed, 2), runs), objective, scores=plainly, steadied=steadily)[0].event
    left, right = mechanism.draw((seed, 3), runs)
    return exceeds_the_loss(mechanism, int(event(left).sum()), int(event(right).sum()), runs)


def bets_with_scores(mechanism, seed):
    """Long enough that scores are fitted, after 4,096 runs, and bet on."""
    left, right = mechanism.draw((seed, 1), 6_000)
    test = PairTest(mechanism.loss, lesson_growth=1.6, scored=True)
    return test.extend(left, right, stop_at=threshold(BUDGET, 0.5)) is not None


def searches_all_pairs(mechanism, seed):
    pairs = catalogue(mechanism.promise, range(6), seed=seed)
    sampler = Sampler(EstimatorRunner(mechanism, mechanism.promise))
    found = search(sampler, mechanism.promise, pairs, ErrorBudget(BUDGET, "test"), entropy=seed, most_runs=12_000)
    return bool(found.refutations)


@pytest.mark.parametrize("audits", SIZES)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
def test_sequential_bets_refute_what_holds_no_more_often_than_the_budget(mechanism, audits, record_property):
    jobs = 2 if audits == MANY else 1
    assert within_budget(rate(bets_both_ways, mechanism, audits, record_property, jobs=jobs), audits)


@pytest.mark.parametrize("audits", SIZES)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
def test_bounds_on_a_fresh_sample_exceed_the_loss_no_more_often_than_the_budget(mechanism, audits, record_property):
    jobs = 2 if audits == MANY else 1
    assert within_budget(rate(selects_then_bounds, mechanism, audits, record_property, jobs=jobs), audits)


def learned():
    """One mechanism at the small size: learning a score takes up to a second of processor time."""
    for audit in (scores_then_bounds, bets_with_scores):
        for mechanism, audits, size, mark in (
            (laplace(1.0), 30, "few", pytest.mark.more),
            (laplace(1.0), MANY, "many", pytest.mark.slow),
            (split_intrusion(), MANY, "many", pytest.mark.slow),
        ):
            name = f"{mechanism.name}-{audit.__name__}-{size}"
            yield pytest.param(mechanism, audit, audits, id=name, marks=mark)


@pytest.mark.parametrize(("mechanism", "audit", "audits"), list(learned()))
def test_learned_scores_refute_what_holds_no_more_often_than_the_budget(mechanism, audit, audits, record_property):
    jobs = 2 if audits == MANY else 1
    assert within_budget(rate(audit, mechanism, audits, record_property, jobs=jobs), audits)


@pytest.mark.slow
def test_a_whole_search_refutes_what_holds_no_more_often_than_the_budget(record_property):
    assert within_budget(rate(searches_all_pairs, DistinctCount(), SEARCHES, record_property, jobs=2), SEARCHES)


def looks_again_and_again(mechanism, seed):
    """A wrong auditor: a test of the right level for one look, made after every single run."""
    left, right = mechanism.draw((seed, 1), 512)
    n = np.arange(30, 513)
    p, q = (table.values[:, 0].cumsum()[n - 1] / n for table in (left, right))
    ratio = math.exp(mechanism.loss)
    deviation = np.sqrt((p * (1 - p) + ratio**2 * q * (1 - q)) / n)
    return bool((p - ratio * q > norm.isf(BUDGET) * deviation).any())


def bounds_the_runs_it_selected_from(mechanism, seed):
    """A wrong auditor: one sample chooses the event and bounds its loss."""
    runs = 400
    left, right = mechanism.draw((seed, 3), runs)
    event = learn_events(left, right, bound_objective(runs, 0.0, 0.0))[0].event
    return exceeds_the_loss(mechanism, int(event(left).sum()), int(event(right).sum()), runs)


@pytest.mark.parametrize("mechanism", OFF_THE_GRID, ids=[mechanism.name for mechanism in OFF_THE_GRID])
def test_without_rounding_the_errors_of_doubles_refute_what_holds(mechanism):
    assert bets_both_ways(as_doubles(mechanism), 1)
    assert not bets_both_ways(mechanism, 1)


@pytest.mark.more
def test_auditors_that_cheat_are_seen_to_exceed_the_budget():
    assert rate(looks_again_and_again, randomised_response(1.0), FEW).low > BUDGET
    assert rate(bounds_the_runs_it_selected_from, bit_array(0.5), 2 * FEW).low > BUDGET


def test_the_losses_of_the_simulated_mechanisms_are_those_of_their_densities():
    left, right = split_intrusion().draw(1, 400_000)
    event = [
        (table.column("bits[0]") == 0) & (table.column("output") > table.column("sum of bits") + 1.0)
        for table in (left, right)
    ]
    seen = math.log(event[0].mean() / event[1].mean())
    assert seen == pytest.approx(split_intrusion().loss, abs=0.03)
