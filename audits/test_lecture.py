"""Audits of the lecture's estimator (lecture 18)."""


def test_joint_promise_is_refuted(audit):
    """lecture.privacy promises 2 epsilon against one intrusion; the loss is near 4.

    The proof bounds the ratio for the bit 1 only, and then says that the output is private "even
    conditioned on knowing the state". It is private given the *final* state, by the Laplace
    mechanism with sensitivity 1/m; but given a state seen *earlier*, a user's later appearance
    changes the statistic by 4/(epsilon m). The noise of scale 1/(epsilon m) hides a quarter of that.
    """
    audit("lecture")


def test_state_alone_is_not_refuted(audit):
    """The state alone keeps epsilon as far as the runs can tell.

    This does not show that it keeps the epsilon/2 that the one-sided ratio suggests.
    """
    audit("lecture", "state")


def test_output_alone_is_not_refuted(audit):
    """The output alone keeps epsilon as far as the runs can tell.

    This does not show anything about an adversary who sees the state as well.
    """
    audit("lecture", "output")
