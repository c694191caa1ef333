"""Audits of OptBern (paper, Algorithm 2)."""

import pytest


def test_joint_promise_is_refuted(audit):
    """density.optbern_privacy promises 2 epsilon for state and output jointly; the loss is near 1.5.

    The proof conditions the output on the state as if nothing happened after the intrusion. A user
    who appears later has the seen bit drawn afresh, which moves the output by 1/(t m) with
    t = tanh(epsilon/2), about 2/epsilon times the sensitivity 1/m that the noise was scaled to. The
    loss approaches ``log(1 - p + p e^(epsilon/t))``, about log((1 + e^2)/2), however small epsilon is.
    """
    witness = audit("optimal-bernoulli").privacy.witness
    assert witness.pair.nested


@pytest.mark.more
def test_event_level_is_refuted_too(audit):
    """One single appearance suffices: the weaker event-level promise of 2 epsilon fails as well.

    The refuting pair has a user who appears once, after the intrusion, or never. That is event-level
    adjacency already. Hiding single events needs the same larger noise as hiding users.
    """
    audit("optimal-bernoulli", variation="event-level")


@pytest.mark.slow
def test_two_unannounced_intrusions_are_refuted(audit):
    """Seen twice, the state tells that a user appeared in between: the loss has no bound.

    A bit changes between two intrusions only if its user appeared in between. A change has
    probability 0 on a stream without that appearance. The source says so itself: it is a positive
    control of the audit.
    """
    audit("optimal-bernoulli", "state", "two unannounced intrusions")


def test_state_alone_is_not_refuted(audit):
    """The state alone keeps epsilon as far as the runs can tell.

    This does not show that it does; its loss is exactly epsilon, so there is no room for an error.
    """
    audit("optimal-bernoulli", "state")


def test_output_alone_is_not_refuted(audit):
    """The output alone keeps epsilon as far as the runs can tell.

    This does not show anything about an adversary who sees the state as well.
    """
    audit("optimal-bernoulli", "output")


@pytest.mark.more
def test_joint_promise_with_deletions_is_refuted(audit):
    """density.insert_delete for the optimal pair: refuted in the same way.

    A bit drawn afresh after the intrusion moves the output by about twice the scale of its noise.
    Deleting a user does not undo an insertion: the bit has been drawn again, and differs from what
    was seen. An edge inserted and deleted after the intrusion is told from one that never was.
    """
    audit("optimal-bernoulli-insert-delete")


def test_state_with_deletions_is_not_refuted(audit):
    """The state alone keeps epsilon as far as the runs can tell, with deletions as well.

    This does not cover streams in which a present user is inserted again: the model excludes them.
    """
    audit("optimal-bernoulli-insert-delete", "state")
