"""Audits of the estimator with a real-valued state (thesis, Algorithm 4.3)."""


def test_joint_promise_is_refuted(audit):
    """thesis.laplace_privacy promises 2 epsilon jointly; the loss has no bound at all.

    The adversary sees a real number for every user, and can compute the output to within its noise if
    nobody appears later. A later appearance replaces the number by a fresh one, whose distance from
    the seen one is unbounded, while the noise is scaled to a step of one. The further out the seen
    number lies, the surer the adversary is.
    """
    audit("laplace")


def test_state_alone_is_not_refuted(audit):
    """The state alone keeps epsilon as far as the runs can tell.

    This does not show that doubles drawn in floating point do; they are not floating-point-safe.
    """
    audit("laplace", "state")


def test_output_alone_is_not_refuted(audit):
    """The output alone keeps epsilon as far as the runs can tell.

    This does not show anything about an adversary who sees the state as well.
    """
    audit("laplace", "output")
