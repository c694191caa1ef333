"""The long stage of an audit: seldom wrong where the promise holds exactly, and near the theoretical number of runs.

``make test-slow`` measures the rates and the numbers of runs at full size, and records them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.optimize import minimize_scalar
from scipy.stats import binomtest

from pan_audits.audit.long_audit import MOST_CANDIDATES, Candidate, LongAudit
from pan_audits.audit.sampler import Sampler
from pan_audits.events import Condition, Event, Table
from pan_audits.problems.inputs.streams import Family, Pair, SegmentEnd
from pan_audits.problems.inputs.streams.family import basic_patterns, empty_segments
from pan_audits.statistics import ErrorBudget, MixtureBet, best_stake
from pan_audits.workers.engines import InProcess
from pan_estimators import Adjacency, Promise

FAMILY = Family(
    "x", 3, (SegmentEnd.INTRUSION, SegmentEnd.RELEASE), empty_segments(2), basic_patterns(2), Adjacency.USER_LEVEL
)
SEEN = Event((Condition("bit", ">", 0.5),))
BUDGET = 0.05
FEW, MANY = 60, 2000
SIZES = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]


@dataclass(frozen=True)
class Bits:
    """A bit with probability ``high`` on one stream, and less by the loss on the others."""

    high: float
    loss: float

    def observe(self, family, place, runs, seed):
        probability = self.high if place == 0 else self.high * math.exp(-self.loss)
        return Table(("bit",), (np.random.default_rng(list(seed)).random((runs, 1)) < probability).astype(float))


def audit(mechanism, promised, seed, *, runs, error=BUDGET, candidates=MOST_CANDIDATES, block=256, learned=0.0):
    pairs = [Candidate(Pair(FAMILY, 0, 1 + n % 3), SEEN, MixtureBet(learned)) for n in range(candidates)]
    sampler = Sampler(mechanism, engine=InProcess())
    promise = Promise(epsilon=promised, adjacency="user-level")
    return LongAudit(sampler, promise, pairs, ErrorBudget(error), seed, runs, block_runs=block).run()


def outcomes(audits, jobs, **arguments):
    return Parallel(n_jobs=jobs)(delayed(audit)(seed=seed, **arguments) for seed in range(audits))


@pytest.mark.parametrize("audits", SIZES)
@pytest.mark.parametrize(("high", "loss"), [(0.5, 0.2), (0.02, 1.0), (0.9, 0.5)])
def test_what_is_lost_exactly_as_promised_is_refuted_no_more_often_than_the_budget(high, loss, audits, record_property):
    """And no more often does the bound ever exceed the loss."""
    results = outcomes(audits, 2 if audits == MANY else 1, mechanism=Bits(high, loss), promised=loss, runs=2**14)
    assert all(result.refuted == (result.loss >= loss) for result in results)
    refuted = sum(result.refuted for result in results)
    interval = binomtest(refuted, audits).proportion_ci(0.99)
    record_property(
        f"long audits of a bit of {high:g} with loss {loss:g}",
        f"{refuted} of {audits} refuted, 99% interval {interval.low:.4f} .. {interval.high:.4f}, budget {BUDGET}",
    )
    # A few audits can only show a gross excess; many must show that the rate is below the budget.
    assert interval.high <= BUDGET if audits == MANY else interval.low <= BUDGET


def test_a_bet_on_the_wrong_side_of_the_promise_is_seen_by_the_same_audits():
    """If the promise were a little less than the loss, they would refute it nearly always."""
    results = outcomes(FEW, 1, mechanism=Bits(0.5, 0.4), promised=0.2, runs=2**14)
    assert sum(result.refuted for result in results) > 0.9 * FEW


def least_divergence(p, q, promised):
    """The growth of the best bet: how far (p, q) is from what keeps the promise, in nats per pair of runs."""

    def divergence(a, b):
        return a * math.log(a / b) + (1 - a) * math.log((1 - a) / (1 - b))

    def apart(other):
        return divergence(p, math.exp(promised) * other) + divergence(q, other)

    return minimize_scalar(apart, bounds=(q, p / math.exp(promised)), method="bounded", options={"xatol": 1e-12}).fun


@pytest.mark.slow
@pytest.mark.parametrize(("candidates", "most"), [(1, 1.6), (4, 3.0)])
@pytest.mark.parametrize("learned", [0.0, 1.0])
def test_a_loss_a_little_above_the_promise_takes_little_more_runs_than_the_theory_says(
    candidates, most, learned, record_property
):
    """0.19 is promised and 0.2 lost. The learned fraction is a multiple of the best."""
    p, q, error, audits = 0.5, 0.5 * math.exp(-0.2), 1e-6, 60
    best = float(best_stake(np.array(p), np.array(q), epsilon=0.19).fraction)
    theory = 2 * math.log(MOST_CANDIDATES / error) / least_divergence(p, q, 0.19)
    results = outcomes(
        audits,
        2,
        mechanism=Bits(p, 0.2),
        promised=0.19,
        runs=int(8 * theory),
        error=error,
        candidates=candidates,
        block=2**13,
        learned=learned * best,
    )
    ratios = np.array([result.runs for result in results]) / theory
    record_property(
        f"0.19 promised, 0.2 lost, {candidates} candidates, {learned:g} of the best fraction",
        f"in theory {theory:.3g} runs; taken {np.median(ratios):.2f} times as many in the median, "
        f"{np.quantile(ratios, 0.95):.2f} times in 95% of the audits",
    )
    assert sum(result.refuted for result in results) >= 0.95 * audits
    assert np.median(ratios) <= most
