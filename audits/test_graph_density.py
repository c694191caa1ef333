"""Audit of the density of a graph whose edges are inserted and deleted (paper, Section 3)."""

import pytest


@pytest.mark.more
def test_joint_promise_is_refuted(audit):
    """The presence of an edge is not hidden by 2 epsilon from an adversary who sees the state once.

    Edges are users here, and graph density is the density of their stream. The argument is that of
    the estimator underneath. The witness is an edge that is inserted after the intrusion.
    """
    audit("graph-density")
