"""Deletions add nothing to the joint loss of the symmetric pair."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.cell_enumeration import Cell, largest_joint_ratio
from pan_proofs.joint_loss import Setting, limit, state_factor
from pan_proofs.joint_loss_proofs import symmetric_pair
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import computed, lemma
from pan_proofs.maximal_ratio_steps import largest
from pan_proofs.one_user import ends_suffice, likelihoods
from pan_proofs.whole_mechanism import largest_over_streams

LOSS_FACTOR = state_factor * (1 + state_factor * limit) / (1 + state_factor)
"""The exponential of the joint loss of the symmetric pair, in ``E`` and ``r``."""


def insert_delete() -> Claim:
    """The loss with deletions, and the mechanism run on small streams."""
    return Claim(
        id="calibrated.insert_delete",
        title="Insertions and deletions at no further cost",
        references=(Reference("here", "what is true near sections 2.2.1 and 3 of the paper"),),
        statement=r"Let a deletion draw the user's bit from $\operatorname{Bernoulli}(p_0)$ again. For the symmetric "
        r"pair $p_1 = \frac{E}{1+E} = 1 - p_0$ and noise with limits $1/r$ and $r$ the joint loss of the state at one "
        r"unannounced intrusion and the output is $\varepsilon_1 + \log\frac{1+Er}{1+E}$, the same as without "
        r"deletions. So the noise of calibrated.joint_privacy gives exactly $T$. The same holds for graph densities, "
        r"where the users are the possible edges.",
        hypotheses=(r"$E = e^{\varepsilon_1} > 1$", r"$r > 1$", "the bits, the noise and the sample are independent"),
        silent=(
            r"Streams differ in any updates of one user; an edge counts as one user, so that this is edge privacy.",
            r"Nothing is asked of the order of insertions and deletions: a user may be deleted without having been "
            r"inserted.",
        ),
        uses=("joint_loss.tight", "calibrated.joint_privacy"),
        parts=(_loss(), _whole()),
        remark=r"It is the symmetry that makes deletions free: for $p_0 + p_1 < 1$ the loss may be larger with them, "
        r"as (before, deleted) against (none, none) has the ratio $A(p_0 + q_0 r)$.",
    )


def _loss() -> Part:
    closed, with_deletions, below = symmetric_pair()
    return Part(
        Role.PUBLISHED,
        "the joint loss with deletions",
        r"The largest ratio over all nine patterns (in each stretch the last update inserts, deletes, or there is "
        r"none) is $\frac{E(1+Er)}{1+E}$.",
        (
            likelihoods(),
            ends_suffice(),
            *largest(
                Setting("symmetric", deletions=True),
                "deleted",
                r"The largest ratio is again that of an appearance only after the intrusion against one only before "
                r"it, at the seen bit 0.",
                (LOSS_FACTOR,),
                (r"B\,(q_1 + p_1 r) &= \frac{E\,(1 + E r)}{1 + E}",),
            ),
            lemma(
                "same",
                r"It is the loss without deletions, which is below the sum of the two budgets.",
                (closed, with_deletions, below),
                (r"\frac{E\,(1 + E r)}{1 + E} &< E r",),
            ),
        ),
        formal=symbolic(sp.Lt(LOSS_FACTOR, state_factor * limit, evaluate=False)),
    )


def _whole() -> Part:
    return Part(
        Role.PUBLISHED,
        "the mechanism run",
        r"Enumeration of one cell and of the whole mechanism gives the same number.",
        (_one_cell(), _streams()),
    )


def _one_cell() -> Step:
    agree, count = True, 0
    for state in (Fraction(3, 2), Fraction(9, 8), Fraction(4)):
        for rate in (Fraction(3, 2), Fraction(10, 9), Fraction(6)):
            cell = Cell(((1 / (1 + state), state / (1 + state)),), (), 1 / rate, rate)
            expected = state * (1 + state * rate) / (1 + state)
            agree &= largest_joint_ratio(cell, deletions=True) == expected
            count += 1
    return computed(
        "one_cell",
        "All pairs of the nine patterns of one user, both bits, both ends of the noise:",
        f"{count} points with E from 9/8 to 4 and r from 10/9 to 6",
        agree,
    )


def _streams() -> Step:
    state, rate = Fraction(3, 2), Fraction(2)
    pair = (1 / (1 + state), state / (1 + state))
    found = [largest_over_streams(2, users, pair, rate, deletions=True) for users in (1, 2)]
    expected = state * (1 + state * rate) / (1 + state)
    return computed(
        "streams",
        r"All pairs of streams of two moments that differ in one user, with one and with two users, for every moment "
        r"of the intrusion:",
        f"{sum(number for _, number in found)} pairs at E = 3/2 and r = 2: the largest ratio is {found[0][0]}",
        all(ratio == expected for ratio, _ in found),
        lines=(r"\frac{E\,(1 + E r)}{1 + E} &= \tfrac{12}{5} \qquad (E = \tfrac32,\ r = 2)",),
    )


CLAIMS = {"calibrated.insert_delete": insert_delete}
