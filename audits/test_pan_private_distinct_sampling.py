"""Audits of PPDS (paper, Algorithm 3)."""

import pytest


@pytest.mark.slow
def test_joint_promise_is_refuted(audit):
    """density.ppds_privacy promises 2 epsilon for state and output jointly.

    The output has the fault of the static estimators: its noise is scaled to one user, while one
    member of the sample weighs 1/t times as much. The level adds a fault of its own, which the state
    alone shows. Both grow with what the adversary knows of the other users.
    """
    audit("pan-private-distinct-sampling")


@pytest.mark.slow
def test_state_alone_is_refuted(audit):
    """The level costs something after all, and the more the more often a user appears.

    The proof says that a private membership makes the level private, since the level depends on the
    number of members. But it depends on the whole history of that number: every further appearance
    is a fresh draw, and another chance to fill the sample and raise the level. A sample one short of
    full stays so with probability (1 - p_upd)^k after k appearances of a user outside it, and for
    sure without them: a loss of k log(1/(1 - p_upd)).
    """
    audit("pan-private-distinct-sampling", "state")
