"""A refutation is about real numbers; what only the bits of doubles show is a finding, for outputs of every form."""

from __future__ import annotations

import numpy as np
import pytest

import panproof
from pan_audits.audit.replay import replay_witness
from pan_audits.conduct.finding import Severity
from pan_audits.subject.intake.handed_over import find_thing
from pan_promises.errors import InputError

DATA, NEIGHBOUR = [0.3, 0.7, 0.2], [0.3, 0.7, 0.6]


def mean(data, rng):
    return sum(data) / len(data) + rng.laplace(scale=1.0)


def number_beside(data, rng):
    return [len(data), mean(data, rng)]


def complement(data, rng):
    v = mean(data, rng)
    return [v, 1.0 - v]


def in_an_array(data, rng):
    v = mean(data, rng)
    return np.array([v, 1.0 - v, 2.5])


def in_a_record(data, rng):
    v = mean(data, rng)
    return {"size": len(data), "mean": v, "third": v / 3}


def flag_beside(data, rng):
    v = mean(data, rng)
    return (v > 0.5, v)


def in_a_text(data, rng):
    return str(mean(data, rng))


def normal_beside(data, rng):
    v = sum(data) / len(data) + rng.normal(scale=8.0)
    return (len(data), v, v - 1.0)


def audited(function, *inputs, delta=None, **options):
    options = {"runs": 12_000, "seed": 3, "epsilon": 1, "delta": delta} | options
    return panproof.audit(function, *inputs, **options)


def floating_point(result):
    return [one for one in result.report.findings if one.check == "floating point"]


@pytest.mark.parametrize(
    "function", [mean, number_beside, complement, in_an_array, in_a_record, flag_beside, in_a_text]
)
def test_rounding_errors_refute_no_promise_and_are_told_with_their_loss(function):
    result = audited(function, DATA, NEIGHBOUR)
    assert str(result.verdict) == "NOT_REFUTED", result
    (finding,) = floating_point(result)
    assert finding.severity is Severity.WARNING
    assert "a loss of at least" in finding.sentence
    assert "a loss of at least" in str(result)
    assert result.report.privacy.doubles.loss > 1


def test_normal_noise_and_a_delta():
    result = audited(normal_beside, DATA, NEIGHBOUR, delta=0.01)
    assert str(result.verdict) == "NOT_REFUTED"
    assert result.report.privacy.doubles.loss > 1


def test_a_promise_of_a_rho():
    result = panproof.audit(normal_beside, DATA, NEIGHBOUR, rho=0.01, runs=12_000, seed=3)
    assert str(result.verdict) == "NOT_REFUTED"
    assert result.report.privacy.doubles.loss > 0.01


@pytest.mark.parametrize("function", [mean, number_beside])
def test_the_doubles_as_they_are_can_be_judged(function):
    result = audited(function, DATA, NEIGHBOUR, doubles=True)
    assert str(result.verdict) == "REFUTED"
    assert any(one.to_dict().get("kind") == "low bits" for one in result.witness.event.derived)
    assert result.report.privacy.doubles is None
    gated = panproof.gate(function, DATA, NEIGHBOUR, epsilon=1, runs=12_000, seed=3, doubles=True)
    assert str(gated.verdict) == "REFUTED"
    assert gated.report.exact is None


def test_a_witness_counts_rounded_numbers_and_replays():
    result = audited(number_beside, [0.3, 0.7, 0.2], [0.3, 0.7, 9.6])
    assert str(result.verdict) == "REFUTED"
    witness = result.witness
    assert witness.event.grids
    assert not floating_point(result)
    found = find_thing(number_beside, ([0.3, 0.7, 0.2], [0.3, 0.7, 9.6]), epsilon=1, parameters={})
    assert replay_witness(type(witness).from_dict(witness.to_dict()), found.estimator, fresh=False).identical


def secret_far_from_zero(value, rng):
    return [1e12 + value + rng.laplace(scale=1.0), 5.0]


def ratio(value, rng):
    return np.random.default_rng(int(rng.integers(2**63))).laplace(0.0, 1.0) / (value + 1e-100)


def small_secret(value, rng):
    return [rng.laplace(scale=1.0), 1.0 + 1e-9 * value]


@pytest.mark.parametrize(
    ("function", "inputs", "options"),
    [(secret_far_from_zero, (0, 3), {}), (ratio, (0, 1), {"runs": 1000}), (small_secret, (0, 1), {})],
)
def test_a_loss_of_real_numbers_is_refuted_at_every_scale(function, inputs, options):
    result = audited(function, *inputs, **options)
    assert str(result.verdict) == "REFUTED", result
    assert not floating_point(result)


def test_a_gross_loss_is_not_called_a_matter_of_low_bits_with_few_runs():
    result = panproof.audit(ratio, 0, 1, epsilon=1, runs=150, confirmation_runs=100, seed=1)
    assert str(result.verdict) in ("REFUTED", "INCONCLUSIVE", "NOT_REFUTED")
    assert not any("In real arithmetic" in one.sentence for one in floating_point(result))


def integers(value, rng):
    return [value + rng.discrete_laplace(1.0), 7]


def on_a_grid(value, rng):
    return [rng.laplace(value, 1.0), 7.5]


@pytest.mark.parametrize("function", [integers, on_a_grid])
def test_safe_noise_has_no_finding(function):
    assert not floating_point(audited(function, 0, 1))


def test_the_option_is_a_truth_value_of_a_gate():
    with pytest.raises((InputError, TypeError)):
        panproof.check(mean, DATA, NEIGHBOUR, epsilon=1, doubles=True)
