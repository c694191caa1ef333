"""Audits of re-randomisation after an announced intrusion (paper, Section 3, first remark)."""

import pytest


@pytest.mark.slow
def test_joint_promise_is_refuted(audit):
    """density.announced_intrusions: one announced intrusion, one unannounced, and the output.

    Re-randomising makes a second look at the state affordable: each look costs epsilon. It shrinks
    the gap of the pair, so that the estimate has to be scaled up by still more, while the noise of
    the output stays at 1/(epsilon m). A user who appears after the last intrusion is seen all the
    better.
    """
    audit("announced-intrusions")
