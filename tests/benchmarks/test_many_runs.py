"""Runs a second of an audit: single, many at once, and a plain compiled loop of the same Monte Carlo as the limit."""

from __future__ import annotations

import time

import numba
import numpy as np

from pan_audits import find_mechanism
from pan_audits.audit.long_audit import CountBlock, PairBet
from pan_audits.events import LIKELIHOOD_RATIO, Condition, Event
from pan_audits.problems.inputs.streams.catalogue import catalogue
from pan_audits.statistics import MixtureBet
from pan_audits.subject.running.runner import EstimatorRunner
from pan_estimators.common.registry import with_budget

USERS, EPSILON, BLOCK = 16, 0.1, 2**14


def mechanism_of(name, sample_size):
    return find_mechanism(name, parameters=with_budget(name, EPSILON, {"universe": USERS, "sample_size": sample_size}))


def per_second(make, runs, seconds=0.3):
    """Runs per second of one processor, after a first call that is not counted."""
    make(runs)
    made, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        make(runs)
        made += runs
    return made / (time.process_time() - began)


@numba.njit
def plain_loop(generator, runs, m, p_init, p_upd, up, down):
    """How often the first user's bit is set at the look and the noisy count is high, in so many runs."""
    found = 0
    for _ in range(runs):
        count, first = 0, False
        for user in range(m):
            bit = generator.random() < p_init
            if user == 0:
                first = generator.random() < p_upd
                bit = generator.random() < p_upd
            count += bit
        above = np.floor(-generator.standard_exponential() / np.log(up))
        below = np.floor(-generator.standard_exponential() / np.log(down))
        found += first and count + above - below > m / 2
    return found


def test_a_long_audit_against_a_plain_compiled_loop(benchmark, figure):
    mechanism = mechanism_of("calibrated-bernoulli", USERS)
    estimator = mechanism.estimator
    pair = catalogue(mechanism.promise, mechanism.population).pairs[3]
    event = Event((Condition(LIKELIHOOD_RATIO, ">", 0.05),))
    candidate = PairBet(pair, event, MixtureBet(0.1))
    many = EstimatorRunner(estimator, mechanism.promise)
    single = EstimatorRunner(estimator, mechanism.promise, 1.0)
    slow = per_second(lambda runs: CountBlock(single, candidate, runs // 2, 1, 0)(), 1024)
    fast = per_second(lambda runs: CountBlock(many, candidate, runs // 2, 1, 0)(), 2 * BLOCK)
    generator, cells = np.random.default_rng(1), estimator.cells
    limit = per_second(
        lambda runs: plain_loop(generator, runs, USERS, cells.p_init, cells.p_upd, estimator.up, estimator.down), BLOCK
    )
    figure("long audit of calibrated-bernoulli, 16 users: runs/s at once", fast, "none", f"single {slow:.4g}")
    figure("    as many times as single ones", fast / slow, "> 30")
    figure("    a plain compiled loop, as many times as those", limit / fast, "none", f"{limit:.4g} runs/s")
    benchmark.pedantic(CountBlock(many, candidate, BLOCK, 1, 0), rounds=3)
