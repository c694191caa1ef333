"""The drawn distributions of an exact witness, for each kind of noise, against the deltas of the distributions."""

from __future__ import annotations

import math

import pytest

from pan_audits.audit.settings import Settings
from pan_audits.choices.numbers import as_float
from pan_audits.gate.gate import run_gate
from pan_audits.reports.html import gather
from pan_audits.reports.text import gate_lines
from pan_audits.subject.intake.discovery import find_mechanism
from tests.internals.reports.made import SMALL


def gated(name):
    mechanism = find_mechanism(f"tests.mechanisms.noisy_counters:{name}", parameters={})
    effort = Settings(**SMALL)
    report = run_gate(mechanism, effort)
    return report, gather(report, mechanism, effort).distribution


@pytest.mark.parametrize("name", [pytest.param("Normal", marks=pytest.mark.more), "DiscreteNormal"])
def test_the_shaded_part_has_the_delta_of_the_witness(name):
    report, distribution = gated(name)
    left, right = distribution.curve.probabilities
    delta = as_float(report.exact.witness.delta)
    assert left - math.e * right == pytest.approx(delta, rel=2e-3)
    assert dict(gate_lines(report))["exact delta"].startswith(f"{delta:.6g} at epsilon 1, promised 0.0001")


def test_one_sided_noise_is_drawn_with_its_impossible_values():
    """The least value of the noise, of probability 0.3, is impossible on the stream with one update more."""
    report, distribution = gated("OneSided")
    assert report.exact.loss.unbounded
    assert distribution.curve.probabilities == (pytest.approx(0.3), 0.0)
