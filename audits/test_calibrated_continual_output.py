"""Audits and exact checks of the calibrated estimator that releases more than once."""

import pytest

from pan_audits import Verdict


def test_joint_promise_is_kept_exactly(check):
    """calibrated.continual_output promises 2 epsilon for one look at the state and two outputs together.

    The exact loss is that number, on every stream of up to three updates by two users, whether the look
    falls before the first output or between the two. A look after the last output is not promised for.
    """
    result = check("calibrated-continual-output", users=2)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(0.2, rel=1e-9)


@pytest.mark.slow
def test_joint_promise_is_not_refuted(audit):
    """It does not show that the promise is kept, only that a larger violation would have been seen."""
    audit("calibrated-continual-output")
