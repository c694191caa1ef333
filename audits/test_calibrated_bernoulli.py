"""Audits and exact checks of the calibrated Bernoulli estimator."""

import pytest

from pan_audits import Verdict


def test_joint_promise_is_kept_exactly(check):
    """calibrated.joint_privacy promises 2 epsilon for state and output jointly; the exact loss is that number.

    Every outcome of the code's random choices on every stream of up to three updates by three users.
    That larger scopes lose no more is the proof's part: this does not show it.
    """
    result = check("calibrated-bernoulli")
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss.nats == pytest.approx(0.2, rel=1e-9)
    assert result.growth.settles_at <= 1


def test_joint_promise_is_not_refuted(audit):
    """With everyone sampled. The loss is the promise itself, so that there is no room for an error.

    This does not show that the promise is kept: only that a loss as large as the report says would have
    been seen.
    """
    audit("calibrated-bernoulli")


def test_a_keyed_sample_is_not_refuted(audit):
    """With half of the users sampled: the adversary sees the key, and so who is sampled."""
    audit("calibrated-bernoulli", variation="keyed sample")
