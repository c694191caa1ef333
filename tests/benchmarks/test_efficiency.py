"""How many runs a refutation takes, and how close the bounds come, beside an oracle that knows the best event.

Each oracle is computed here: its event and its bet are the best ones, known beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from joblib import Parallel, delayed

from pan_audits.audit.sequential import PairTest, threshold
from pan_audits.events import bound_objective, learn_events
from pan_audits.statistics import (
    DEFAULT_ERROR,
    best_stake,
    betting_factors,
    loss_lower_bound,
)
from tests.audit.simulated import Simulated, bit, laplace, randomised_response, split_intrusion

_MOST = 4000
_AUDITS = 60
_RUNS = 100_000


@dataclass(frozen=True)
class Sequential:
    """A mechanism, the promise that it breaks, and its best event: probabilities on both streams."""

    mechanism: Simulated
    promise: float
    left: float
    right: float


HALF_NOISE = Sequential(laplace(0.5), 1.0, 0.5, 0.5 * math.exp(-2))
DOUBLED_BIAS = Sequential(bit(0.95, 0.5), 0.9, 0.5, 0.05)


def pairs_needed(case, error, seed):
    left, right = case.mechanism.draw((seed, 7), _MOST)
    test = PairTest(case.promise)
    reached = test.extend(left, right, stop_at=threshold(error, 0.5))
    return test.runs if reached is None else test.bets[reached].runs_at_highest


def pairs_the_oracle_needs(case, error, seed):
    generator = np.random.default_rng((seed, 8))
    events = (generator.random(_MOST) < case.left, generator.random(_MOST) < case.right)
    stake = best_stake(np.array(case.left), np.array(case.right), epsilon=case.promise)
    wealth = np.log(betting_factors(*events, stake, epsilon=case.promise)).cumsum()
    return int(np.argmax(wealth >= threshold(error))) + 1


@pytest.mark.parametrize(("error", "name"), [(0.05, "5%"), (DEFAULT_ERROR, "default budget")])
@pytest.mark.parametrize(("case", "limits"), [(HALF_NOISE, (200, 900)), (DOUBLED_BIAS, (150, 700))])
def test_pairs_to_refute(benchmark, figure, case, limits, error, name):
    def audits():
        return Parallel(n_jobs=2)(delayed(pairs_needed)(case, error, seed) for seed in range(_AUDITS))

    median = float(np.median(benchmark.pedantic(audits, rounds=1)))
    oracle = float(np.median([pairs_the_oracle_needs(case, error, seed) for seed in range(10 * _AUDITS)]))
    limit = limits[error == DEFAULT_ERROR]
    figure(f"pairs to refute {case.mechanism.name}, {name}", median, f"< {limit}", f"oracle {oracle:.0f}")
    assert median < limit


def bound(mechanism, seed):
    """The 95% lower bound at so many runs a side: an event from a selection sample, a bound from a fresh one."""
    selection = mechanism.draw((seed, 5), _RUNS // 5)
    objective = bound_objective(_RUNS, 0.0, 2.0)
    event = learn_events(*selection, objective)[0].event
    left, right = mechanism.draw((seed, 6), _RUNS)
    return loss_lower_bound(int(event(left).sum()), _RUNS, int(event(right).sum()), _RUNS, error=0.05)


@pytest.mark.parametrize(
    ("mechanism", "oracle", "least"),
    [
        (laplace(1.0), 0.981, 0.97 * 0.981),
        (randomised_response(1.0), 0.987, 0.97 * 0.987),
        (laplace(0.5), 1.972, 0.97 * 1.972),
        (split_intrusion(), 0.769, 0.70),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_lower_bound_at_a_hundred_thousand_runs(benchmark, figure, mechanism, oracle, least):
    bounds = benchmark.pedantic(lambda: [bound(mechanism, seed) for seed in range(9)], rounds=1)
    median = float(np.median(bounds))
    figure(f"95% bound for {mechanism.name}, truth {mechanism.loss:.3f}", median, f">= {least:.3f}", f"oracle {oracle}")
    assert median >= least
