"""Audits and exact checks of the calibrated estimator with deletions."""

import pytest

from pan_audits import Verdict


def test_joint_promise_is_kept_exactly(check):
    """calibrated.insert_delete promises 2 epsilon where users come and go; the exact loss is that number.

    Every stream of up to three insertions and deletions by three users, where only users who are there
    are deleted. Longer streams are the proof's part.
    """
    result = check("calibrated-insert-delete")
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(0.2, rel=1e-9)


def test_joint_promise_is_not_refuted(audit):
    """It does not show that the promise is kept, only that a larger violation would have been seen."""
    audit("calibrated-insert-delete")
