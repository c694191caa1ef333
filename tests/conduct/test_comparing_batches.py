"""Batches that are not many independent single runs are noticed, and refute and confirm nothing."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from pan_audits.audit.sampler import Sampler
from pan_audits.audit.stages import search_by_batches
from pan_audits.conduct.finding import Severity
from pan_audits.conduct.many_runs import BATCHES, compared_batches
from pan_audits.conduct.samples import above, at_most, away_from_the_mean, difference_of, spread_p_value
from pan_audits.events import Table
from pan_audits.problems import judged
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.intake.discovery import find_mechanism
from pan_audits.subject.running.runner import EstimatorRunner
from tests.turns import every

HERE = "tests.mechanisms.batches"


def found(name, epsilon=1.0, **parameters):
    given = {"epsilon": epsilon, **parameters}
    inputs = "" if name == "Smokers" else f"{HERE}:pairs"
    mechanism = find_mechanism(f"{HERE}:{name}", parameters={} if name == "Smokers" else given, inputs=inputs)
    return mechanism, judged(mechanism.problem).catalogue(mechanism.promise, mechanism.population)


def compared(name, error=1e-7, entropy=1, runs=20_000, **parameters):
    mechanism, catalogue = found(name, **parameters)
    sampler = Sampler(EstimatorRunner(mechanism.estimator, mechanism.promise))
    return compared_batches(sampler, catalogue.pairs, runs=runs, error=error, entropy=entropy)


@pytest.mark.parametrize(
    "name",
    every(
        3,
        [
            "correct",
            "correct_without_default",
            "correct_with_two_numbers",
            "correct_as_a_list",
            "correct_with_a_bit",
            "correct_and_changes_its_data",
            "Smokers",
        ],
    ),
)
def test_batches_of_independent_runs_are_used(name):
    """With the probability 0.001 a correct function is said to differ."""
    result = compared(name, error=1e-3)
    assert result.findings == ()
    assert result.runner.batch_runs == 256


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
            ("shares_its_bit", "not independent"),
            ("repeats_its_noise", "not independent"),
            ("antithetic", "not independent|not fresh"),
            ("stratified", "not independent|not fresh"),
            ("same_noise_in_every_batch", "not independent|not fresh"),
            ("first_run_differs", "not independent"),
            ("ignores_its_data", "not independent"),
            ("leaks_and_hides_it", "not independent"),
            ("leaks_in_batches", "not independent"),
            ("sorts_its_outputs", "not independent"),
            ("adds_to_its_data_in_each_run", "not independent"),
            ("keeps_its_noise", "made again under the same seed"),
            ("keeps_its_outputs", "not independent"),
            ("counts_its_batches", "changes what the function keeps"),
        ],
    ),
)
def test_batches_that_are_not_independent_single_runs_are_a_defect_and_are_not_used(name, words):
    result = compared(name)
    (finding,) = result.findings
    assert (finding.check, finding.severity) == (BATCHES, Severity.DEFECT)
    assert any(word in finding.sentence for word in words.split("|")), finding.sentence
    assert result.runner.batch_runs == 0


def test_noise_that_a_batch_shares_in_a_hundredth_of_its_variance_is_noticed_in_an_audit_of_a_million_runs():
    (finding,) = compared("shares_a_part_of_its_noise", runs=10**6).findings
    assert "share noise" in finding.sentence


@pytest.mark.parametrize(
    ("name", "words"),
    every(
        3,
        [
            (
                "gives_one_number",
                "for size=16 it must return an array or a list of 16 outputs, but it returned a value",
            ),
            ("gives_too_few", r"for size=16 .* it returned an array of shape \(15,\)"),
            ("gives_a_short_list", "but it returned a list of 15"),
            ("gives_the_second_axis", r"returned an array of shape \(1, 16\)"),
            ("gives_columns", "an output of a batch has another form than an output of a single run"),
            ("gives_nothing", "it returned nothing"),
            ("fails", "no batches today"),
        ],
    ),
)
def test_what_is_no_batch_of_outputs_is_told_in_one_sentence(name, words):
    result = compared(name)
    (finding,) = result.findings
    assert finding.severity is Severity.DEFECT
    assert re.search(words, finding.sentence), finding.sentence
    assert result.runner.batch_runs == 0


@pytest.mark.slow
def test_batches_of_independent_runs_are_rarely_said_to_differ():
    wrong = sum(bool(compared("correct", error=0.05, entropy=entropy).findings) for entropy in range(60))
    assert wrong <= 10  # more than 10 of 60 have a probability below 0.001 at a rate of 0.05


def guided(name, runs=20_000, **parameters):
    """A search with batches that nobody has compared with single runs."""
    mechanism, catalogue = found(name, **parameters)
    sampler = Sampler(EstimatorRunner(mechanism.estimator, mechanism.promise, batch_runs=1024))
    budget = ErrorBudget(1e-6, "test")
    result = search_by_batches(sampler, mechanism.promise, catalogue, budget, entropy=3, runs=runs)
    assert sampler.runner.batch_runs == 0
    return result


@pytest.mark.parametrize("name", ["leaks_in_batches", "shares_its_noise", "repeats_its_noise"])
def test_batches_alone_refute_nothing(name):
    result = guided(name)
    assert not result.search.refutations


def test_a_loss_that_batches_alone_show_is_told():
    result = guided("leaks_in_batches")
    assert result.unconfirmed > 0
    assert guided("correct").unconfirmed == 0


def test_a_loss_that_batches_hide_is_found_by_the_single_runs_before_them():
    result = guided("leaks_and_hides_it")
    assert result.search.refutations
    assert result.singly == 1.0


def test_a_loss_that_batches_show_is_refuted_by_single_runs():
    result = guided("correct", scale=0.4)
    assert result.search.refutations


def test_the_spread_of_independent_batches_has_no_small_p_value_more_often_than_it_may():
    generator = np.random.default_rng(1)
    for more in (True, False):
        values = [spread_p_value(generator.random((8, 50)) < 0.3, more=more) for _ in range(400)]
        # Of 400 p-values at most 40 are below 0.05: more have a probability below 0.0001.
        assert sum(value <= 0.05 for value in values) <= 40
    shared = generator.random((8, 1)) < np.full((8, 50), 0.5)
    assert spread_p_value(shared | (generator.random((8, 50)) < 0.1), more=True) < 1e-6
    assert spread_p_value(np.tile(np.arange(5000) < 2500, (64, 1)), more=False) < 1e-6
    assert spread_p_value(np.zeros((1, 50), dtype=bool), more=True) == 1.0


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
