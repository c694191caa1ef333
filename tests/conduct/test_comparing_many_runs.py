"""The gate compares many runs at once with single runs, and refutes nothing by the former alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from pan_audits import Settings, Verdict, find_mechanism
from pan_audits.audit.privacy import audit_privacy
from pan_audits.audit.sampler import Sampler
from pan_audits.conduct import Severity
from pan_audits.conduct.many_runs import MANY_RUNS, compared_many_runs
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner
from pan_estimators import Adjacency, ManyRuns, Observed, Promise

PROMISE = Promise(epsilon=1.0, adjacency=Adjacency.USER_LEVEL, observed=Observed.OUTPUT)


@dataclass(frozen=True)
class Counting:
    """Counts the distinct users and releases their number with Laplace noise; many runs at once share one count."""

    promise: Promise = PROMISE
    scale: float = 1.0
    scale_at_once: float = 1.0
    calls: list[str] = field(default_factory=list, compare=False)

    def create(self, randomness):
        self.calls.append("single")
        return {"seen": set()}

    def update(self, state, ids, randomness):
        state["seen"].update(np.atleast_1d(ids).tolist())
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(len(state["seen"])), self.scale)

    def create_many(self, runs, randomness):
        self.calls.append("many")
        return {"seen": set(), "runs": runs}

    update_many = update

    def release_many(self, states, randomness):
        return randomness.laplace(float(len(states["seen"])), self.scale_at_once, states["runs"])

    def state_of(self, states, run):
        return {"seen": set(states["seen"])}


@dataclass(frozen=True)
class CountingAlone:
    """The same, without runs at once."""

    promise: Promise = PROMISE

    def create(self, randomness):
        return {"seen": set()}

    def update(self, state, ids, randomness):
        state["seen"].update(np.atleast_1d(ids).tolist())
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(len(state["seen"])), 1.0)


def sampler_of(estimator):
    return Sampler(EstimatorRunner(estimator, estimator.promise))


def compare(estimator, entropy=1, error=1e-7):
    return compared_many_runs(sampler_of(estimator), tuple(range(16)), error=error, entropy=entropy)


def test_runs_at_once_of_another_distribution_are_a_defect_and_are_not_used():
    for estimator in (Counting(scale_at_once=3.0), Counting(scale=0.01), Counting(scale_at_once=0.01)):
        mechanism, (finding,) = compare(estimator)
        assert finding.check == MANY_RUNS
        assert finding.severity is Severity.DEFECT
        assert finding.sentence.startswith("many runs at once have another distribution than single runs")
        assert mechanism.share_made_singly == 1.0


def test_runs_at_once_of_the_same_distribution_are_used_for_three_quarters_of_the_blocks():
    mechanism, findings = compare(Counting())
    assert findings == []
    assert mechanism.share_made_singly == 0.25


def test_what_offers_no_runs_at_once_is_run_singly():
    assert not isinstance(CountingAlone(), ManyRuns)
    mechanism, findings = compare(CountingAlone())
    assert (mechanism.share_made_singly, findings) == (1.0, [])


@pytest.mark.parametrize(
    "name",
    [
        "pan-private-distinct-sampling",
        *(
            pytest.param(name, marks=pytest.mark.more)
            for name in (
                "optimal-bernoulli",
                "laplace",
                "calibrated-announced-intrusions",
                "calibrated-insert-delete",
            )
        ),
    ],
)
def test_single_runs_and_runs_at_once_of_the_shipped_estimators_are_not_told_apart(name):
    mechanism = find_mechanism(name, parameters={"epsilon": 0.4})
    sampler = Sampler(EstimatorRunner(mechanism.estimator, mechanism.promise))
    runner, findings = compared_many_runs(sampler, mechanism.population, error=1e-3, entropy=3)
    assert findings == []
    assert runner.share_made_singly == 0.0


@pytest.mark.slow
def test_runs_of_one_distribution_are_rarely_said_to_differ():
    wrong = sum(bool(compare(Counting(), entropy=entropy, error=0.05)[1]) for entropy in range(60))
    assert wrong <= 10  # more than 10 of 60 have a probability below 0.001 at a rate of 0.05


def audited(estimator, singly, runs=8000):
    sampler = Sampler(replace(EstimatorRunner(estimator, estimator.promise), singly=singly))
    settings = Settings(runs=runs, confirmation_runs=500, workers=0)
    budget = ErrorBudget(1e-6, "test")
    return audit_privacy(
        estimator, estimator.promise, tuple(range(16)), budget, settings, entropy=5, configuration={}, sampler=sampler
    )


def test_runs_at_once_alone_refute_nothing():
    """Only the runs at once leak here, and the gate has been kept from comparing."""
    result = audited(Counting(scale_at_once=0.05), 0.25)
    assert result.verdict is Verdict.NOT_REFUTED
    assert audited(Counting(scale_at_once=0.05), 0.0).verdict is Verdict.REFUTED


def test_what_runs_at_once_hide_is_found_by_the_quarter_of_single_runs():
    result = audited(Counting(scale=0.05), 0.25)
    assert result.verdict is Verdict.REFUTED
    assert result.loss > 1.0


def test_the_report_says_which_share_was_made_singly():
    estimator = Counting()
    result = audited(estimator, 0.25)
    assert result.to_dict()["share_made_singly"] == 0.25
    assert "Single runs made 25% of the search" in result.describe()
    assert {"single", "many"} <= set(estimator.calls)
    assert "run by run" not in audited(Counting(), 1.0).describe()


def test_a_share_is_made_singly_only_where_both_are_offered():
    assert EstimatorRunner(CountingAlone(), PROMISE, 0.25).share_made_singly == 1.0
    assert EstimatorRunner(Counting(), PROMISE).share_made_singly == 1.0
    assert (
        EstimatorRunner(find_mechanism("dwork", parameters={"epsilon": 0.1}).estimator, PROMISE).share_made_singly
        == 0.0
    )
