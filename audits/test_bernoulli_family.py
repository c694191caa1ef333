"""Audits of the Bernoulli pairs around a centre (paper, Section 4.2), at the largest centre allowed."""


def test_joint_promise_is_refuted(audit):
    """density.bernoulli_family with Theorem 4.1 promises 2 epsilon jointly.

    As for the optimal pair, the noise of the output is scaled to a sensitivity of 1/m, while one bit
    moves the output by 1/(2 x m). A user who appears after the intrusion has the seen bit drawn
    afresh, and the output tells. The wider pair of a larger centre makes the step smaller and the
    state worse.
    """
    audit("bernoulli-family")


def test_state_alone_is_refuted(audit):
    """With centre 4/5 and epsilon 1/2 the state alone loses nine times its budget.

    The printed condition looks at the bit 0 through the ratio (c - x)/(c + x), which is that of the
    bit 1 upside down; the bit 0 has probabilities 1 - c + x and 1 - c - x. Their ratio is within
    exp(epsilon) only for centres up to 1/2. At c = 4/5 and epsilon = 1/2 it is about 99, a loss of
    4.6 nats.
    """
    audit("bernoulli-family", "state")


def test_output_alone_is_not_refuted(audit):
    """At epsilon 0.1 the output alone keeps epsilon as far as the runs can tell.

    This does not show that the published argument is right: the state that it starts from is not
    epsilon-private.
    """
    audit("bernoulli-family", "output")
