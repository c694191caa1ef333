"""A refutation is about real numbers; what only the bits of doubles show is a finding, for outputs of every form."""

from __future__ import annotations

import numpy as np
import pytest

from pan_audits import Settings
from pan_audits.audit.replay import replay_witness
from pan_audits.conduct.finding import Severity
from pan_audits.gate.gate import run_gate
from pan_audits.subject.intake.discovery import find_thing
from panproof.results import AuditResult

DATA, NEIGHBOUR = [0.3, 0.7, 0.2], [0.3, 0.7, 0.6]
EFFORT = {"runs": 4000, "confirmation_runs": 500, "seed": 3, "workers": 1}


def mean(data, rng):
    return sum(data) / len(data) + rng.laplace(scale=1.0)


def number_beside(data, rng):
    return [len(data), mean(data, rng)]


def in_a_record(data, rng):
    v = mean(data, rng)
    return {"size": len(data), "array": np.array([v, 1.0 - v, 2.5]), "positive": v > 0.5}


def in_a_text(data, rng):
    return str(mean(data, rng))


def normal_beside(data, rng):
    v = sum(data) / len(data) + rng.normal(scale=8.0)
    return (len(data), v, v - 1.0)


def secret_far_from_zero(value, rng):
    return [1e12 + value + rng.laplace(scale=1.0), 5.0]


def ratio(value, rng):
    return np.random.default_rng(int(rng.integers(2**63))).laplace(0.0, 1.0) / (value + 1e-100)


def small_secret(value, rng):
    return [rng.laplace(scale=1.0), 1.0 + 1e-9 * value]


def on_a_grid(value, rng):
    return [rng.laplace(value, 1.0), 7.5]


def audited(function, *inputs, promised=None, exact=False, **effort):
    """The gate without its tests of the conduct, which say nothing about numbers."""
    found = find_thing(function, inputs, parameters={}, **promised or {"epsilon": 1})
    return AuditResult(run_gate(found, Settings(hygiene=False, exact=exact, **EFFORT | effort)))


def floating_point(result):
    return [one for one in result.report.findings if one.check == "floating point"]


@pytest.mark.parametrize(
    ("function", "promised"),
    [
        (number_beside, {"epsilon": 1}),
        (in_a_text, {"epsilon": 1}),
        (in_a_record, {"epsilon": 1, "delta": 0.01}),
        pytest.param(normal_beside, {"epsilon": 1, "delta": 0.01}, marks=pytest.mark.more),
        (normal_beside, {"rho": 0.01}),
    ],
)
def test_rounding_errors_refute_no_promise_and_are_told_with_their_loss(function, promised):
    result = audited(function, DATA, NEIGHBOUR, promised=promised)
    assert str(result.verdict) == "NOT_REFUTED", result
    (finding,) = floating_point(result)
    assert finding.severity is Severity.WARNING
    assert finding.sentence in str(result)
    assert result.report.privacy.doubles.loss > promised.get("rho", 1)


def test_the_doubles_as_they_are_can_be_judged():
    gated = audited(number_beside, DATA, NEIGHBOUR, doubles=True, exact=True)
    assert str(gated.verdict) == "REFUTED"
    assert any(one.to_dict().get("kind") == "low bits" for one in gated.witness.event.derived)
    assert gated.report.privacy.doubles is gated.report.exact is None


def test_a_witness_counts_rounded_numbers_and_replays():
    inputs = [0.3, 0.7, 0.2], [0.3, 0.7, 9.6]
    result = audited(number_beside, *inputs)
    assert str(result.verdict) == "REFUTED"
    witness = result.witness
    assert witness.event.grids
    assert not floating_point(result)
    found = find_thing(number_beside, inputs, epsilon=1, parameters={})
    assert replay_witness(type(witness).from_dict(witness.to_dict()), found.estimator, fresh=False).identical


@pytest.mark.parametrize(
    ("function", "other", "runs"), [(secret_far_from_zero, 3, 6000), (ratio, 1, 1000), (small_secret, 1, 6000)]
)
def test_a_loss_of_real_numbers_is_refuted_at_every_scale(function, other, runs):
    result = audited(function, 0, other, runs=runs)
    assert str(result.verdict) == "REFUTED", result
    assert not floating_point(result)


def test_a_gross_loss_is_not_called_a_matter_of_low_bits_with_few_runs():
    result = audited(ratio, 0, 1, runs=150, confirmation_runs=100, seed=1)
    assert not any("In real arithmetic" in one.sentence for one in floating_point(result))


def test_safe_noise_has_no_finding():
    assert not floating_point(audited(on_a_grid, 0, 1))
