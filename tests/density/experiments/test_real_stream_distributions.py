"""The exact distribution of what an adversary sees of one user on a real stream."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from experiments.density.real_streams.distribution import (
    NoisyCount,
    Seen,
    fresh_ones,
    user_distribution,
)
from experiments.density.real_streams.story import Pattern
from experiments.density.real_streams.study import (
    CALIBRATED,
    PUBLISHED,
    make_estimator,
)
from pan_estimators import (
    InputError,
    calibrated_bernoulli,
    optimal_bernoulli,
    tight_joint_loss,
)

USERS = 30
PAIRS = [(x, y) for x, y in product(Pattern, Pattern) if x != y]


def test_all_patterns_have_distributions_of_the_same_total():
    distribution = user_distribution(calibrated_bernoulli(universe=USERS, epsilon=0.5, sample_size=USERS))
    count, outputs = NoisyCount.of(fresh_ones(7, 0.6), distribution.up, distribution.down), np.arange(-400.0, 400.0)
    for seen in (Seen.OUTPUT, Seen.BOTH):
        totals = []
        for pattern in Pattern:
            bits = (False,) if seen is Seen.OUTPUT else (False, True)
            densities = [
                distribution.log_densities(pattern, seen, np.full(outputs.size, bit), outputs, count) for bit in bits
            ]  # fmt: skip
            totals.append(np.exp(np.concatenate(densities)).sum())
        assert totals == pytest.approx([totals[0]] * 4, rel=1e-9)


@pytest.mark.parametrize("make", [optimal_bernoulli, calibrated_bernoulli])
@pytest.mark.parametrize("redrawn", [0, 3, 900])
def test_no_observation_tells_more_than_the_worst_case_and_the_extremes_attain_it(make, redrawn):
    distribution = user_distribution(make(universe=1000, epsilon=0.2, sample_size=1000))
    p = distribution.cells.p_upd
    count = NoisyCount.of(fresh_ones(redrawn, p), distribution.up, distribution.down)
    far = min(60.0, 500 / max(distribution.up, distribution.down))
    grid = np.round(np.linspace(max(0, redrawn * p - 150) - far, min(redrawn, redrawn * p + 150) + far, 4001))
    bits = np.repeat([False, True], grid.size)
    outputs = np.tile(grid, 2)
    for truth, other in PAIRS:
        with np.errstate(invalid="ignore"):
            found = distribution.log_densities(truth, Seen.BOTH, bits, outputs, count) - distribution.log_densities(
                other, Seen.BOTH, bits, outputs, count
            )
        worst = distribution.worst_loss(truth, other, Seen.BOTH)
        assert np.nanmax(found) <= worst + 1e-9
        if redrawn < 10:
            assert np.nanmax(found) == pytest.approx(worst, abs=1e-6)


def test_the_worst_cases_are_those_of_the_formulas_and_of_the_calibration():
    published, p1 = user_distribution(make_estimator(PUBLISHED, 100, 0.1)), 1 / (1 + math.exp(-0.1))
    p0 = 1 - p1
    formula = math.log((1 - p0) / (1 - p1) * (1 - p1 + p1 * math.exp(0.1 / math.tanh(0.05))))
    assert max(published.worst_loss(*pair, Seen.BOTH) for pair in PAIRS) == pytest.approx(formula, abs=1e-12)
    for estimator in (make_estimator(PUBLISHED, 100, 0.2), make_estimator(CALIBRATED, 100, 0.2)):
        distribution = user_distribution(estimator)
        pair, noise = (
            [(distribution.cells.p_init, distribution.cells.p_upd)],
            {"up": math.exp(-distribution.up), "down": math.exp(-distribution.down)},
        )
        seen = {Seen.STATE: {"releases": 0}, Seen.OUTPUT: {"sees_state": False}, Seen.BOTH: {}}
        for what, options in seen.items():
            worst = max(distribution.worst_loss(*patterns, what) for patterns in PAIRS)
            assert worst == pytest.approx(tight_joint_loss(pair, **noise, **options), abs=1e-12)


def test_balls_decide_whether_a_promise_is_kept_to_the_last_place():
    distribution = user_distribution(make_estimator(CALIBRATED, 5942, 0.2))
    assert not distribution.exceeds(0.4)
    assert distribution.exceeds(0.4 * (1 - 1e-9))
    assert user_distribution(make_estimator(PUBLISHED, 5942, 0.2)).exceeds(0.4)
    weaker = replace(distribution, cells=replace(distribution.cells, p_upd=distribution.cells.p_upd + 1e-9))
    assert weaker.exceeds(0.4)


def test_only_bits_of_everybody_have_this_distribution():
    with pytest.raises(InputError, match="must keep one bit for each user"):
        user_distribution(optimal_bernoulli(universe=10, epsilon=0.2, sample_size=5))
