"""Many runs at once, and batches, that are not independent single runs are noticed, and refute nothing."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from scipy import stats

from pan_audits import Settings, Verdict
from pan_audits.audit.privacy import audit_privacy
from pan_audits.audit.sampler import Sampler
from pan_audits.audit.search import search_by_batches
from pan_audits.conduct import Severity, samples
from pan_audits.conduct.finding import BATCHES
from pan_audits.conduct.many_runs import MANY_RUNS, compared_batches, compared_many_runs
from pan_audits.conduct.samples import above, at_most, away_from_the_mean, difference_of
from pan_audits.events import Table
from pan_audits.problems import judged
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.intake.discovery import find_mechanism
from pan_audits.subject.running.runner import EstimatorRunner
from pan_estimators import Adjacency, Observed, Promise
from pan_estimators.common.registry import with_budget
from tests.mutants.mechanisms import DistinctCount
from tests.turns import every

HERE = "tests.mechanisms.batches"
PROMISE = Promise(epsilon=1.0, adjacency=Adjacency.USER_LEVEL, observed=Observed.OUTPUT)


def found(name, epsilon=1.0, **parameters):
    inputs = "" if name == "Smokers" else f"{HERE}:pairs"
    given = {} if name == "Smokers" else {"epsilon": epsilon, **parameters}
    mechanism = find_mechanism(f"{HERE}:{name}", parameters=given, inputs=inputs)
    return mechanism, judged(mechanism.problem).catalogue(mechanism.promise, mechanism.population)


def compared(name, error=1e-7, entropy=1):
    mechanism, catalogue = found(name)
    sampler = Sampler(EstimatorRunner(mechanism.estimator, mechanism.promise))
    return compared_batches(sampler, catalogue.pairs, runs=20_000, error=error, entropy=entropy)


@pytest.mark.parametrize(
    "name",
    every(
        3,
        [
            *("correct", "correct_without_default", "correct_with_two_numbers", "correct_as_a_list"),
            *("correct_and_changes_its_data", "Smokers"),
        ],
    ),
)
def test_batches_of_independent_runs_are_used(name):
    """With the probability 0.001 a correct function is said to differ."""
    runner, findings = compared(name, error=1e-3)
    assert not findings
    assert runner.batch_runs == 256


def test_a_size_with_another_default_or_a_given_size_is_an_ordinary_parameter():
    assert not found("ordinary_parameter")[0].estimator.takes_size
    assert not found("correct", size=4)[0].estimator.takes_size
    assert found("correct")[0].estimator.takes_size


@pytest.mark.parametrize(
    ("name", "words"),
    every(
        3,
        [
            ("shares_its_noise", "not independent"),
            ("same_noise_in_every_batch", "not independent"),
            ("antithetic", "not independent"),
            ("first_run_differs", "not independent"),
            ("ignores_its_data", "not independent"),
            ("leaks_and_hides_it", "not independent"),
            ("leaks_in_batches", "not independent"),
            ("sorts_its_outputs", "not independent"),
            ("keeps_its_noise", "made again under the same seed"),
            ("counts_its_batches", "changes what the function keeps"),
            (
                "gives_one_number",
                "for size=16 it must return an array or a list of 16 outputs, but it returned a value",
            ),
            ("gives_too_few", r"for size=16 .* it returned an array of shape \(15,\)"),
            ("gives_columns", "an output of a batch has another form than an output of a single run"),
            ("gives_nothing", "it returned nothing"),
            ("fails", "no batches today"),
        ],
    ),
)
def test_batches_that_are_not_independent_single_runs_are_a_defect_and_are_not_used(name, words):
    runner, (finding,) = compared(name)
    assert (finding.check, finding.severity) == (BATCHES, Severity.DEFECT)
    assert re.search(words, finding.sentence), finding.sentence
    assert runner.batch_runs == 0


@pytest.mark.slow
def test_batches_of_independent_runs_are_rarely_said_to_differ():
    wrong = sum(bool(compared("correct", error=0.05, entropy=entropy)[1]) for entropy in range(60))
    assert wrong <= 10  # more than 10 of 60 have a probability below 0.001 at a rate of 0.05


def guided(name, **parameters):
    """A search with batches that nobody has compared with single runs."""
    mechanism, catalogue = found(name, **parameters)
    sampler = Sampler(EstimatorRunner(mechanism.estimator, mechanism.promise, batch_runs=1024))
    budget = ErrorBudget(1e-6, "test")
    result = search_by_batches(sampler, mechanism.promise, catalogue, budget, entropy=3, runs=20_000)
    assert sampler.runner.batch_runs == 0
    return result


def test_batches_alone_refute_nothing_and_hide_nothing():
    leaks = guided("leaks_in_batches")
    assert not leaks.searches[0].refutations
    assert leaks.unconfirmed > 0
    assert not guided("shares_its_noise").searches[0].refutations
    assert guided("correct").unconfirmed == 0
    hidden = guided("leaks_and_hides_it")
    assert hidden.searches[0].refutations
    assert hidden.singly == 1.0
    assert guided("correct", scale=0.4).searches[0].refutations


@dataclass(frozen=True)
class Counting(DistinctCount):
    """The same, with many runs at once, which share one count."""

    scale_at_once: float = 1.0
    calls: list[str] = field(default_factory=list, compare=False)

    def create(self, randomness):
        self.calls.append("single")
        return super().create(randomness)

    def create_many(self, runs, randomness):
        self.calls.append("many")
        return {"seen": set(), "runs": runs}

    update_many = DistinctCount.update

    def release_many(self, states, randomness):
        return randomness.laplace(float(len(states["seen"])), self.scale_at_once, states["runs"])

    def state_of(self, states, run):
        return {"seen": set(states["seen"])}


def compare(estimator, entropy=1, error=1e-7):
    sampler = Sampler(EstimatorRunner(estimator, estimator.promise))
    return compared_many_runs(sampler, tuple(range(16)), error=error, entropy=entropy)


def test_runs_at_once_of_another_distribution_are_a_defect_and_are_not_used():
    for estimator in (Counting(scale_at_once=3.0), Counting(scale=0.01)):
        mechanism, (finding,) = compare(estimator)
        assert (finding.check, finding.severity) == (MANY_RUNS, Severity.DEFECT)
        assert finding.sentence.startswith("many runs at once have another distribution than single runs")
        assert mechanism.share_made_singly == 1.0


@pytest.mark.parametrize(("estimator", "share"), [(Counting(), 0.25), (DistinctCount(), 1.0)])
def test_runs_at_once_of_the_same_distribution_are_used_for_three_quarters_of_the_blocks(estimator, share):
    mechanism, findings = compare(estimator)
    assert (mechanism.share_made_singly, findings) == (share, [])


@pytest.mark.parametrize(
    "name",
    every(5, ["pan-private-distinct-sampling", "optimal-bernoulli", "laplace", "calibrated-announced-intrusions"]),
)
def test_single_runs_and_runs_at_once_of_the_shipped_estimators_are_not_told_apart(name):
    mechanism = find_mechanism(name, parameters=with_budget(name, 0.4, {}))
    sampler = Sampler(EstimatorRunner(mechanism.estimator, mechanism.promise))
    runner, findings = compared_many_runs(sampler, mechanism.population, error=1e-3, entropy=3)
    assert (runner.share_made_singly, findings) == (0.0, [])


@pytest.mark.slow
def test_runs_of_one_distribution_are_rarely_said_to_differ():
    wrong = sum(bool(compare(Counting(), entropy=entropy, error=0.05)[1]) for entropy in range(60))
    assert wrong <= 10  # more than 10 of 60 have a probability below 0.001 at a rate of 0.05


def audited(estimator, singly):
    sampler = Sampler(replace(EstimatorRunner(estimator, estimator.promise), singly=singly))
    settings = Settings(runs=8000, confirmation_runs=500, workers=0)
    budget = ErrorBudget(1e-6, "test")
    return audit_privacy(
        estimator, estimator.promise, tuple(range(16)), budget, settings, entropy=5, configuration={}, sampler=sampler
    )


def test_runs_at_once_alone_refute_nothing_and_hide_nothing():
    """The gate has been kept from comparing."""
    only_at_once = Counting(scale_at_once=0.05)
    result = audited(only_at_once, 0.25)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.to_dict()["share_made_singly"] == 0.25
    assert "Single runs made 25% of the search" in result.describe()
    assert {"single", "many"} <= set(only_at_once.calls)
    assert audited(only_at_once, 0.0).verdict is Verdict.REFUTED
    assert audited(Counting(scale=0.05), 0.25).verdict is Verdict.REFUTED


def test_two_samples_of_one_distribution_seldom_differ_and_other_ones_do():
    generator = np.random.default_rng(2)

    def table(values):
        return Table(("x",), values[:, None])

    wrong = sum(
        difference_of(table(generator.normal(size=200)), table(generator.normal(size=300)), error=0.05) is not None
        for _ in range(200)
    )
    assert wrong <= 22  # more than 22 of 200 have a probability below 0.001 at a rate of 0.05
    rare = np.zeros(3000)
    rare[:30] = 1
    different = difference_of(table(np.zeros(3000)), table(rare), error=1e-4)
    assert different is not None
    assert not different.in_first


def test_the_counts_that_are_not_tested_exactly_have_no_small_probability():
    for share in (0.01, 1e-5, 1e-10):
        for ours, theirs, happened in ((40, 400, 30), (3000, 3000, 60), (500, 100, 590), (60, 60, 60), (9, 4000, 3000)):
            counts = np.arange(max(0, happened - theirs), min(ours, happened) + 1)
            each = np.full(counts.shape, happened)
            near = away_from_the_mean(counts, each, ours, theirs) < math.sqrt(math.log(1 / share) / 2)
            rest = ours + theirs, each, ours
            assert (np.minimum(above(counts - 1, *rest), at_most(counts, *rest)) > share)[near].all()
            assert near.any()


@pytest.mark.parametrize(("total", "drawn"), [(2, 1), (300, 150), (15_624, 7_812), (10**6, 3)])
@pytest.mark.parametrize("older", [False, True])
def test_hypergeometric_probabilities_are_those_of_scipy(total, drawn, older, monkeypatch):
    if older:
        monkeypatch.setattr(samples, "_quick", lambda name: None)
    marked = np.unique(np.linspace(0, total, 9).astype(int))[:, None]
    count = np.unique(np.linspace(-2, drawn + 2, 23).astype(int))[None, :]
    for ours, theirs in ((at_most, stats.hypergeom.cdf), (above, stats.hypergeom.sf)):
        assert np.array_equal(ours(count, total, marked, drawn), theirs(count, total, marked, drawn))


def test_the_gate_is_imported_without_the_distributions_of_scipy():
    code = "import sys, pan_audits.gate.gate; assert 'scipy.stats' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
