"""Runs of a function that are made side by side by one call."""

from __future__ import annotations

import numpy as np
import pytest

import panproof
from pan_audits.subject.isolation.side_by_side import Columns, MixedRunsError, batch, makes_batches, may_make_batches
from pan_audits.subject.isolation.whole_input import labelled, whole_input_estimator
from pan_audits.subject.running.many_runs import outputs_of
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from tests.mechanisms import side_by_side as mechanisms


def estimator_of(function):
    inputs, problem = labelled(mechanisms.pairs)
    return whole_input_estimator(function, problem, inputs, None, {})


def is_made(function):
    estimator = estimator_of(function)
    assert may_make_batches(estimator)
    return all(makes_batches(estimator, each, NumpyRandomness(1)) for each in estimator.inputs)


@pytest.mark.parametrize("name", mechanisms.MADE)
def test_runs_that_treat_each_number_alone_are_made_side_by_side(name):
    assert is_made(getattr(mechanisms, name))


@pytest.mark.parametrize("name", mechanisms.SINGLE)
def test_runs_that_could_differ_side_by_side_stay_single(name):
    """Code that branches, asks for types, draws elsewhere, or has another arithmetic for many runs."""
    assert not is_made(getattr(mechanisms, name))


@pytest.mark.parametrize("name", mechanisms.MADE)
def test_runs_side_by_side_have_the_distribution_of_single_runs(name):
    """4,000 runs of both kinds: the means of each entry differ by less than 5 standard errors."""
    estimator = estimator_of(getattr(mechanisms, name))
    label, runs = list(estimator.inputs)[1], 4_000
    made = batch(estimator, label, runs, NumpyRandomness(1))
    assert isinstance(made, np.ndarray)
    source = NumpyRandomness(2)
    single = np.array([estimator.release(label, source) for _ in range(runs)], dtype=float).reshape(runs, -1)
    many = made.reshape(runs, -1).astype(float)
    error = np.sqrt((single.var(axis=0) + many.var(axis=0)) / runs)
    assert (np.abs(single.mean(axis=0) - many.mean(axis=0)) <= 5 * error + 1e-12).all()
    assert len(np.unique(many[:, 0])) >= min(2, len(np.unique(single[:, 0])))


def test_a_function_that_cannot_is_run_singly_in_a_batch():
    estimator = estimator_of(mechanisms.branches)
    made = batch(estimator, next(iter(estimator.inputs)), 5, NumpyRandomness(1))
    assert isinstance(made, list)
    assert len(outputs_of(made, 5)) == 5


def test_a_call_that_differs_from_single_runs_is_noticed(monkeypatch):
    """The same draws give the output of a single run, else no batch is used."""
    assert is_made(mechanisms.noisy_sum)
    added = Columns.__add__
    monkeypatch.setattr(Columns, "__radd__", lambda self, other: added(self, other + 1))
    assert not is_made(mechanisms.noisy_sum)


def test_a_refusal_is_remembered():
    refused: list[bool] = []
    column = Columns(np.zeros(3), refused)
    for use in (bool, float, int, hash, str, list, iter, lambda one: one in [1.0], lambda one: one.dtype):
        refused.clear()
        with pytest.raises(MixedRunsError):
            use(column)
        assert refused


@pytest.mark.more
def test_an_audit_of_many_runs_calls_the_function_rarely():
    """Before, each run was a call."""
    result = panproof.audit(lambda data, rng: data + rng.laplace(), 0, 1, epsilon=1, runs=60_000, seed=1)
    assert str(result.verdict) == "NOT_REFUTED"
    assert result.report.privacy.runs == 60_000
    assert "Single runs made 14% of the search" in str(result)


@pytest.mark.more
@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "NOT_REFUTED"), (0.8, "REFUTED")])
def test_side_by_side_runs_lead_to_the_verdict_of_single_runs(scale, verdict):
    result = panproof.audit(mechanisms.lambda_of(scale), [0], [1], epsilon=1, runs=60_000, seed=2)
    assert str(result.verdict) == verdict
