"""Audits of the counter that computes anew after every few steps (turnstile paper, Theorem 3.10)."""

import pytest

from pan_audits.judging.verdict import Verdict


@pytest.mark.more
def test_the_outputs_are_not_refuted(audit):
    """The outputs keep rho as far as the runs can tell. There is no room for an error."""
    audit("turnstile-recompute", "output")


def test_the_loss_is_the_promise(check):
    """Every stream of up to 4 entries of one element: the loss is exactly rho, so that no noise is wasted."""
    found = check("turnstile-recompute", "output", users=1, length=4)
    assert found.verdict is Verdict.NOT_REFUTED
    assert found.loss.nats == 0.5


def test_the_state_holds_the_counts_in_clear(check_state):
    """Asked about the state, the exact check finds an infinite loss. The promise is about outputs alone."""
    assert check_state("turnstile-recompute").loss.unbounded
