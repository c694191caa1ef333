"""Runs a second of a Laplace function: single runs, batches by a size or side by side, and a whole search."""

from __future__ import annotations

import time

import numpy as np
import pytest

import panproof
from pan_audits.audit.sampler import MOST_RUNS_OF_BATCH, Sampler, requests_for
from pan_audits.audit.stages import search_by_batches
from pan_audits.problems import judged
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.intake.discovery import find_mechanism
from pan_audits.subject.running.runner import EstimatorRunner
from pan_promises.promise import Promise
from tests.mechanisms import batches

HERE = "tests.mechanisms.batches"
RUNS = 10**6
PROMISE = Promise.parse("epsilon=1,adjacency=given,observed=output,intrusions=0")


@pytest.fixture(scope="module")
def mechanism():
    return find_mechanism(f"{HERE}:correct", parameters={"epsilon": 1.0}, inputs=f"{HERE}:pairs")


def per_second(mechanism, family, runs, block):
    """Runs a second by the clock: the judged process is another one. The first call is not counted."""
    sampler = Sampler(mechanism)

    def draw(entropy):
        requests = requests_for(family, 0, runs, entropy=entropy, purpose=1, chunk=0, size=block)
        return sampler.draw_joined([requests])[0]

    draw(0)
    began = time.perf_counter()
    assert draw(1).runs == runs
    return runs / (time.perf_counter() - began)


def test_a_million_runs_in_batches_against_single_runs(benchmark, figure, mechanism):
    family = judged(mechanism.problem).catalogue(mechanism.promise, mechanism.population).pairs[0].family
    single = EstimatorRunner(mechanism.estimator, mechanism.promise)
    many = EstimatorRunner(mechanism.estimator, mechanism.promise, batch_runs=MOST_RUNS_OF_BATCH)
    slow = per_second(single, family, 20_000, 256)
    fast = per_second(many, family, RUNS, MOST_RUNS_OF_BATCH)
    generator = np.random.default_rng(1)
    began = time.perf_counter()
    generator.laplace(size=RUNS)
    limit = RUNS / (time.perf_counter() - began)
    figure("Laplace function: runs/s in batches", fast, "none", f"single {slow:.4g}")
    figure("    as many times as single ones", fast / slow, "> 30")
    figure("    numpy's own Laplace noise, as many times as those", limit / fast, "none", f"{limit:.4g} runs/s")
    benchmark.pedantic(lambda: per_second(many, family, RUNS // 10, MOST_RUNS_OF_BATCH), rounds=3)


@pytest.mark.parametrize("name", ["correct", "single_runs_of_correct"])
def test_a_search_of_a_million_runs_in_batches(benchmark, figure, name):
    """The second function takes no size: its runs are made side by side."""
    mechanism = find_mechanism(f"{HERE}:{name}", parameters={}, promise=PROMISE, inputs=f"{HERE}:pairs")
    catalogue = judged(mechanism.problem).catalogue(mechanism.promise, mechanism.population)

    def searched():
        sampler = Sampler(EstimatorRunner(mechanism.estimator, mechanism.promise, batch_runs=RUNS // 128))
        budget = ErrorBudget(1e-6, "benchmark")
        found = search_by_batches(sampler, mechanism.promise, catalogue, budget, entropy=1, runs=RUNS)
        assert not found.search.refutations

    began = time.perf_counter()
    searched()
    figure(f"search of a million runs of a Laplace function ({name}): s", time.perf_counter() - began, "< 3")
    benchmark.pedantic(searched, rounds=1)


@pytest.mark.parametrize("function", [batches.correct, batches.single_runs_of_correct])
def test_a_whole_audit_of_a_million_runs(benchmark, figure, function):
    """Checks of conduct, comparison of batches and search, in a process that made an audit before."""

    def audited():
        began = time.perf_counter()
        result = panproof.audit(function, *batches.pairs[0], epsilon=1, runs=RUNS, seed=1)
        assert str(result.verdict) == "NOT_REFUTED"
        return time.perf_counter() - began

    audited()
    generator = np.random.default_rng(1)
    began = time.perf_counter()
    for _ in range(RUNS):
        batches.correct(batches.pairs[0][0], generator)
    loop = time.perf_counter() - began
    taken = min(audited() for _ in range(3))
    name = function.__name__
    figure(f"audit of a million runs of a Laplace function ({name}), warm: s", taken, "< 3")
    figure("    as many times as a plain loop of the same draws", taken / loop, "none", f"loop {loop:.3g} s")
    benchmark.pedantic(audited, rounds=1)
