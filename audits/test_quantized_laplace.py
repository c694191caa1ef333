"""Audits of the quantised Laplace estimator (thesis, Section 4.4.3)."""

import pytest


@pytest.mark.more
def test_joint_promise_is_refuted(audit):
    """thesis.quantizer with Theorem 4.7 promises 2 epsilon jointly; the loss is near 1.5.

    Quantising is post-processing, so that the state alone keeps its budget. The output again is
    noised for a step of 1/m, while one bit moves it by 1/((1 - e^(-epsilon/2)) m), about twice
    1/(epsilon m). A user who appears after the intrusion is seen through half a step of noise.
    """
    audit("quantized-laplace")


def test_state_alone_is_not_refuted(audit):
    """The state alone keeps epsilon as far as the runs can tell.

    This does not show how much of the budget it leaves unused.
    """
    audit("quantized-laplace", "state")


def test_output_alone_is_not_refuted(audit):
    """The output alone keeps epsilon as far as the runs can tell.

    This does not show anything about an adversary who sees the state as well.
    """
    audit("quantized-laplace", "output")
