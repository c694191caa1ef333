"""Power: every broken mechanism is refuted at the default budget, and no correct one is."""

from __future__ import annotations

import math

import pytest

from pan_audits.audit.sampler import Sampler
from pan_audits.audit.search import search
from pan_audits.problems.inputs.streams import catalogue
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner
from tests.auditing.mutants.cases import CONTROLS, MUTANTS


def searched(estimator, *, most_runs=1_000_000, seed=1):
    pairs = catalogue(estimator.promise, range(8), deletions=getattr(estimator, "deletions", False), seed=seed)
    # Single runs, whose seeds the recorded numbers belong to.
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise, singly=1.0))
    return search(sampler, estimator.promise, pairs, ErrorBudget(), entropy=seed, most_runs=most_runs)


SLOW = {"an event of probability 1e-3 that is disjoint", "a quarter of the noise"}
"""The first takes half a million runs; the second is less noise for what "split intrusion" breaks too."""

MORE = {
    "split intrusion",
    "not re-randomised after an announcement",
    "an exact release in 2% of the runs",
    "re-used randomness",
}
"""Each takes more than five seconds."""


def marks_of(mutant):
    return [pytest.mark.slow] if mutant.name in SLOW else [pytest.mark.more] if mutant.name in MORE else []


@pytest.mark.parametrize("mutant", [pytest.param(one, id=one.name, marks=marks_of(one)) for one in MUTANTS])
def test_mutant_is_refuted_within_the_recorded_runs(mutant):
    assert mutant.loss > mutant.estimator.promise.epsilon
    found = searched(mutant.estimator)
    assert found.refutations, f"not refuted in {found.runs} runs"
    assert found.runs <= 1.5 * mutant.runs


@pytest.mark.more
@pytest.mark.parametrize(("name", "estimator"), CONTROLS, ids=[name for name, _ in CONTROLS])
def test_correct_mechanism_is_not_refuted(name, estimator):
    assert not searched(estimator, most_runs=40_000).refutations


def test_the_mutants_that_take_long_are_named_as_they_are():
    assert {mutant.name for mutant in MUTANTS} >= SLOW | MORE


def test_there_are_enough_mutants_and_half_of_them_are_streaming():
    assert len(MUTANTS) >= 20
    assert sum(mutant.streaming for mutant in MUTANTS) >= len(MUTANTS) / 2
    assert any(math.isfinite(mutant.loss) for mutant in MUTANTS if mutant.streaming)
