"""Audits of Algorithm 1 of the turnstile paper: a count of present elements for a known bound on the flippancy."""

import pytest

from pan_audits.continual.closed_rho import closed_rho
from pan_audits.judging.verdict import Verdict


@pytest.mark.more
def test_the_outputs_are_not_refuted(audit):
    """The outputs keep rho as far as the runs can tell.

    The exact loss is a twelfth of the promise, so that an audit could see an error of that size only. The check of
    small streams and the sensitivity of the tree's nodes decide more.
    """
    audit("turnstile-given-flippancy", "output")


def test_the_loss_on_small_streams_is_a_twelfth_of_the_promise(check):
    """Every stream of up to 3 entries with 2 elements, by running the code.

    This says nothing about longer streams. The formula that it confirms does: it counts the nodes of the tree.
    """
    found = check("turnstile-given-flippancy", "output", users=2)
    assert found.verdict is Verdict.NOT_REFUTED
    assert 0 < found.loss.nats < 0.5 / 10


def test_the_state_holds_the_counts_in_clear(check_state):
    """Asked about the state, the exact check finds an infinite loss. The promise is about outputs alone."""
    assert check_state("turnstile-given-flippancy").loss.unbounded


def test_the_sensitivity_of_a_million_entries_is_within_the_promise(counter):
    """By dynamic programming over the nodes that outputs reveal, for a stream of any number of entries."""
    made = counter("turnstile-given-flippancy", steps=2**20)
    found = closed_rho(made)
    assert found is not None
    assert 0.2 < float(found.of_streams(found.longest)) / 0.5 < 1
