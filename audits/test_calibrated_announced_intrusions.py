"""Audits and exact checks of the calibrated estimator against announced intrusions."""

import pytest

from pan_audits import Verdict


def test_joint_promise_is_kept_exactly(check):
    """calibrated.announced_intrusions promises 3 epsilon for two looks at the state and the output.

    The exact loss is that number, on every stream of up to three updates by two users and every moment
    of the two looks. It does not show what a third look would tell.
    """
    result = check("calibrated-announced-intrusions", users=2)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(0.3, rel=1e-9)
    assert result.growth.settles_at == 2


@pytest.mark.slow
def test_joint_promise_is_not_refuted(audit):
    """It does not show that the promise is kept, only that a larger violation would have been seen."""
    audit("calibrated-announced-intrusions")
