"""Audits of the count of elements whose last entry is an insertion, at event level."""

import pytest

from pan_audits.continual.closed_rho import closed_rho
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import find_mechanism
from pan_promises.promise import Promise


@pytest.mark.more
def test_the_outputs_are_not_refuted(audit):
    """The outputs keep rho at event level as far as the runs can tell."""
    audit("presence", "output")


def test_an_item_level_promise_fails_on_small_streams():
    """The noise is for one entry; an element that comes and goes shows in many entries. This finds the streams."""
    promise = Promise(rho=0.5, adjacency="item-level", observed="output", intrusions=0, outputs="every")
    mechanism = find_mechanism("presence", parameters={"steps": 4, "rho": 0.5}, promise=promise)
    found = run_check(SmallInstances.of(mechanism), CheckSettings(users=1, length=4))
    assert found.verdict is Verdict.REFUTED
    assert found.minimal is not None


def test_the_loss_on_small_streams_is_within_the_promise(check):
    """Every stream of up to 3 entries with 2 elements. This says nothing about longer streams."""
    found = check("presence", "output", users=2)
    assert found.verdict is Verdict.NOT_REFUTED
    assert 0.05 < found.loss.nats <= 0.5


def test_the_state_holds_the_counts_in_clear(check_state):
    """Asked about the state, the exact check finds an infinite loss. The promise is about outputs alone."""
    assert check_state("presence").loss.unbounded


def test_one_entry_of_a_hundred_is_within_the_promise(counter):
    """For each pair of an entry and the next one of its element, by the covariance of the code's noise."""
    found = closed_rho(counter("presence", steps=100))
    assert found is not None
    assert 0.7 < float(found.of_streams(found.longest)) / 0.5 <= 1
