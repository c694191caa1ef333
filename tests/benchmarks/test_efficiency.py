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
from pan_audits.statistics import (
    DEFAULT_ERROR,
    best_stake,
    betting_factors,
)
from tests.internals.audit.simulated import Simulated, bit, laplace

_MOST = 4000
_AUDITS = 60


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
