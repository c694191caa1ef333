"""Audits and exact checks of the distinct counter."""

import pytest

from pan_audits import Verdict


def test_joint_promise_is_kept_exactly(check):
    """distinct.joint_privacy promises 2 epsilon for one state and all noisy counts; the exact loss is that number.

    Every stream of up to three updates by three users, two of whom share a cell. Longer streams, more users, cells and
    levels are the proof's part.
    """
    result = check("distinct-counter")
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(0.2, rel=1e-9)


@pytest.mark.more
def test_joint_promise_is_not_refuted(audit):
    """It does not show that the promise is kept, only that a larger violation would have been seen."""
    audit("distinct-counter")
