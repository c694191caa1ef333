"""Audits of the count of present elements with the noise of decaying sums."""

import pytest

from pan_audits.continual.closed_rho import closed_rho
from pan_audits.judging.verdict import Verdict


@pytest.mark.more
def test_the_outputs_are_not_refuted(audit):
    """The outputs keep rho as far as the runs can tell. The exact check of small streams sees smaller errors."""
    audit("calibrated-turnstile", "output")


def test_the_loss_on_small_streams_is_within_the_promise(check):
    """Every stream of up to 3 entries with 2 elements. This says nothing about longer streams."""
    found = check("calibrated-turnstile", "output", users=2)
    assert found.verdict is Verdict.NOT_REFUTED
    assert 0.05 < found.loss.nats <= 0.5


def test_the_state_holds_the_counts_in_clear(check_state):
    """Asked about the state, the exact check finds an infinite loss. The promise is about outputs alone."""
    assert check_state("calibrated-turnstile").loss.unbounded


def test_all_differences_of_ten_entries_are_within_the_promise(counter):
    """By listing what neighbours of 10 entries can differ in, for the covariance of the code's noise."""
    found = closed_rho(counter("calibrated-turnstile", steps=10))
    assert found is not None
    assert 0.1 < float(found.of_streams(found.longest)) / 0.5 <= 1
