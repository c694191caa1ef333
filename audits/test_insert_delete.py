"""Audits of the variants with insertions and deletions (paper, Sections 2.2.1 and 3), and of graph density."""


def test_joint_promise_of_dwork_with_deletions_is_refuted(audit):
    """density.insert_delete says that the guarantee carries over to deletions; there is none to carry.

    An insertion after the intrusion draws the seen bit afresh, as an appearance does. A deletion
    draws it afresh from the other distribution. Either way the output, noised for a step of 1/m,
    moves by four times the scale of its noise.
    """
    audit("dwork-insert-delete")


def test_joint_promise_of_optimal_bernoulli_with_deletions_is_refuted(audit):
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


def test_graph_density_is_refuted(audit):
    """The presence of an edge is not hidden by 2 epsilon from an intruder who sees the state once.

    Edges are users here, and graph density is the density of their stream. The argument is that of
    the estimator underneath. The witness is an edge that is inserted after the intrusion.
    """
    audit("graph-density")
