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
from pan_audits.problems.inputs.streams.catalogue import catalogue
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner
from tests.internals.audit.simulated import (
    as_doubles,
    bit_array,
    laplace,
    off_the_grid,
    randomised_response,
    split_intrusion,
)
from tests.laws.statistics.test_counts import loss_exceeds
from tests.mutants.mechanisms import DistinctCount

BUDGET = 0.05
NOTICED = 4 / 3
"""Many audits show that the rate is no larger than the budget by this factor.

The bound from two counts uses up its error: its exact rate for randomised response is 0.0452, see
tests/laws/statistics/test_counts.py. So the interval of 2,500 audits does not end below the budget.
"""
FEW, MANY = 100, 2500
SEARCHES = 1000
"""A whole search takes more than a second of processor time. The interval for 1,000 is narrow enough for the budget."""

OFF_THE_GRID = (
    off_the_grid("a fixed number", bits=32),
    off_the_grid("the complement", bits=32),
    off_the_grid("a third", bits=None),
)


def bets_both_ways(mechanism, seed):
    left, right = mechanism.draw((seed, 1), 512)
    test = PairTest(mechanism.loss, lesson_growth=1.6)
    return test.extend(left, right, stop_at=threshold(BUDGET, 0.5)) is not None


def bets_with_scores(mechanism, seed):
    """Long enough that scores are fitted, after 4,096 runs, and bet on."""
    left, right = mechanism.draw((seed, 1), 6_000)
    test = PairTest(mechanism.loss, lesson_growth=1.6, scored=True)
    return test.extend(left, right, stop_at=threshold(BUDGET, 0.5)) is not None


def exceeds_the_loss(mechanism, event, left, right):
    """Whether the lower bound on the loss is above the loss: the bound is the largest loss that the test refutes."""
    x, y = (int(event(side).sum()) for side in (left, right))
    return loss_exceeds(x, left.runs, y, right.runs, epsilon=mechanism.loss, error=BUDGET)


def selects_then_bounds(mechanism, seed):
    event = learn_events(*mechanism.draw((seed, 2), 1000), bound_objective(1000, 0.0, 2.0))[0].event
    return exceeds_the_loss(mechanism, event, *mechanism.draw((seed, 3), 1000))


def scores_then_bounds(mechanism, seed):
    """With a fitted score, as after a refutation."""
    runs = 3000
    objective, plainly, steadily = (bound_objective(runs, 0.0, 2.0, caution=caution) for caution in (None, 1.0, 0.0))
    event = learn_events(*mechanism.draw((seed, 2), runs), objective, scores=plainly, steadied=steadily)[0].event
    return exceeds_the_loss(mechanism, event, *mechanism.draw((seed, 3), runs))


def searches_all_pairs(mechanism, seed):
    pairs = catalogue(mechanism.promise, range(6), seed=seed)
    sampler = Sampler(EstimatorRunner(mechanism, mechanism.promise))
    found = search(sampler, mechanism.promise, pairs, ErrorBudget(BUDGET, "test"), entropy=seed, most_runs=12_000)
    return bool(found.refutations)


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
    left, right = mechanism.draw((seed, 3), 400)
    event = learn_events(left, right, bound_objective(400, 0.0, 0.0))[0].event
    return exceeds_the_loss(mechanism, event, left, right)


def cases():
    """Each audit on each mechanism; few audits of the kinds that differ most."""
    few = {
        (bets_both_ways, "Laplace(1)"): FEW,
        (bets_both_ways, OFF_THE_GRID[1].name): FEW,
        (selects_then_bounds, "state of 8 bits(0.5)"): FEW,
        (scores_then_bounds, "Laplace(1)"): 30,
    }
    for audit in (bets_both_ways, selects_then_bounds, bets_with_scores, scores_then_bounds):
        learned = audit in (bets_with_scores, scores_then_bounds)
        for mechanism in (
            laplace(1.0),
            split_intrusion(),
            *(() if learned else (randomised_response(1.0), bit_array(0.5), *OFF_THE_GRID)),
        ):
            name = f"{mechanism.name}-{audit.__name__}"
            if audits := few.get((audit, mechanism.name)):
                yield pytest.param(mechanism, audit, audits, id=f"{name}-few", marks=pytest.mark.more)
            yield pytest.param(mechanism, audit, MANY, id=f"{name}-many", marks=pytest.mark.slow)
    yield pytest.param(DistinctCount(), searches_all_pairs, SEARCHES, id="searches", marks=pytest.mark.slow)


def rate(audit, mechanism, audits):
    """Number of refutations among so many independent audits, with its 99% confidence interval."""
    jobs = 2 if audits >= SEARCHES else 1
    refuted = sum(Parallel(n_jobs=jobs)(delayed(audit)(mechanism, seed) for seed in range(audits)))
    return refuted, binomtest(refuted, audits).proportion_ci(0.99)


@pytest.mark.parametrize(("mechanism", "audit", "audits"), list(cases()))
def test_what_holds_is_refuted_no_more_often_than_the_budget(mechanism, audit, audits, record_property):
    """A few audits can only show a gross excess; many must show that the rate is at most a third above the budget."""
    refuted, interval = rate(audit, mechanism, audits)
    record_property(
        f"{audit.__name__}, {getattr(mechanism, 'name', type(mechanism).__name__)}",
        f"{refuted} of {audits} refuted, 99% interval {interval.low:.4f} .. {interval.high:.4f}, budget {BUDGET}",
    )
    assert interval.low <= BUDGET
    assert audits < SEARCHES or interval.high <= NOTICED * BUDGET


def test_without_rounding_the_errors_of_doubles_refute_what_holds():
    for mechanism in OFF_THE_GRID:
        assert bets_both_ways(as_doubles(mechanism), 1)
        assert not bets_both_ways(mechanism, 1)


@pytest.mark.more
def test_auditors_that_cheat_are_seen_to_exceed_the_budget():
    assert rate(looks_again_and_again, randomised_response(1.0), FEW)[1].low > BUDGET
    assert rate(bounds_the_runs_it_selected_from, bit_array(0.5), 2 * FEW)[1].low > BUDGET
