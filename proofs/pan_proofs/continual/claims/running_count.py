"""The running count of events whose state may be seen once: noise at the birth and at the release of each node."""

from __future__ import annotations

from pan_proofs.continual.running_count_formulas import (
    stated_after,
    stated_attained,
    stated_halves,
    stated_moved,
    stated_variance,
    stated_without,
)
from pan_proofs.continual.running_count_steps import (
    BEFORE,
    BEFORE_GIVEN,
    after,
    attained,
    before,
    halves,
    moved,
    observed,
    variance,
    without,
)
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic


def running_count() -> Claim:
    """Privacy for every number of steps, tightness, moved events, and what one noise alone loses."""
    return Claim(
        id="continual.running_count",
        title="A running count of events with one intrusion",
        references=(
            Reference("here", "for the running count of events", "after Dwork, Naor, Pitassi and Rothblum, 2010"),
        ),
        statement=r"A binary tree counts the events of $T$ steps, with $n = \lfloor \log_2 T \rfloor + 1$ levels. A "
        r"node is born with noise $N(0, \frac{n}{2 \rho})$. When a node of two steps or more ends, noise $N(0, "
        r"\frac{n - 1}{2 \rho})$ is added. An output sums the nodes of the dyadic decomposition of the time. The "
        r"state holds the open nodes, and the ended ones. All outputs and the state at one intrusion are jointly "
        r"$\rho$-event-level-zCDP. No smaller variances suffice that are equal on all levels.",
        hypotheses=(r"$\rho > 0$, $T \ge 1$; the intrusion lies between two steps, or before or after all of them",),
        silent=(
            "a neighbour has one event more or less at one step; the times go on",
            "the node that ends with a step, and the node that begins with it, are not open between the two steps",
            "the time of the intrusion does not depend on the stream",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "an event before the intrusion",
                r"Its loss is at most $m\, \frac{1}{2 b} \le \rho$ for the $m \le n$ nodes that contain it.",
                (*observed(), *before()),
                formal=symbolic(BEFORE, given=BEFORE_GIVEN),
            ),
            Part(
                Role.PUBLISHED,
                "an event after the intrusion",
                r"Its loss is at most $\rho$: that of $n - 1$ nodes with noise at release, or of $n - 2$ and of a "
                r"node of one step, or of $n$ nodes that have not begun.",
                after(),
                formal=stated_after(),
            ),
            Part(
                Role.PUBLISHED,
                "no smaller variances",
                r"After an intrusion after the first step, event $1$ loses $\frac{n}{2 b}$ and event $2$ loses "
                r"$\frac{n - 1}{2 r}$. So $b \ge \frac{n}{2 \rho}$ and $r \ge \frac{n - 1}{2 \rho}$ are needed. "
                r"In the formulas $D_1$ and $D_2$ are the losses of event $1$ and event $2$ in one "
                r"node.",
                attained(),
                formal=stated_attained(),
            ),
            Part(
                Role.PUBLISHED,
                "an event that moves across the intrusion",
                r"Its loss is the sum of the losses of both events: up to $2 \rho$, and exactly this from step $1$ to "
                r"step $2$ with an intrusion between them.",
                moved(),
                formal=stated_moved(),
            ),
            Part(
                Role.PUBLISHED,
                "the error",
                r"The variance of an output is at most $n b + (n - 1) r = \frac{n^2 + (n - 1)^2}{2 \rho}$, about "
                r"twice that of a tree whose outputs alone are observed.",
                variance(),
                formal=stated_variance(),
            ),
            Part(
                Role.READING,
                "noise at birth alone",
                r"The state and the released value of a node have the same noise. Their difference has none, and the "
                r"loss of an event after the intrusion is infinite. "
                r"In the formulas a combination of what is seen has the variance $V$ and changes by "
                r"$c$, and noise of a small variance $v$ would lose more than any bound $K$.",
                without("birth_alone", 3, 0, {"e2": 1}, (1, -1)),
                formal=stated_without(),
                holds=False,
                departs=r"When a node of two steps or more ends, noise $N(0, \frac{n - 1}{2 \rho})$ is added",
            ),
            Part(
                Role.READING,
                "noise at release alone",
                r"The state holds an open node in clear. The loss of an event before the intrusion is infinite. "
                r"In the formulas a combination of what is seen has the variance $V$ and changes by "
                r"$c$, and noise of a small variance $v$ would lose more than any bound $K$.",
                without("release_alone", 0, 3, {"e1": 1}, (1, 0)),
                formal=stated_without(),
                holds=False,
                departs=r"A node is born with noise $N(0, \frac{n}{2 \rho})$",
            ),
            Part(
                Role.READING,
                "the noise for the outputs, in two halves",
                r"With $b = r = \frac{n}{4 \rho}$ the outputs alone have the noise that they need. The loss of the "
                r"state and the outputs is $2 \rho$. In the formulas $D$ is the loss in one node, and $D_3$ that of "
                r"the state and the outputs for $n = 3$.",
                halves(),
                formal=stated_halves(),
                holds=False,
                departs=r"$N(0, \frac{n}{2 \rho})$",
            ),
        ),
        uses=("turnstile.gaussian_mechanism", "turnstile.dyadic", "turnstile.post_processing"),
        remark=r"The steps bound the loss of a node by that of one of its two noises. The other noise is "
        r"post-processing, so that the same bounds hold for every noise that is $\frac{1}{2 b}$-zCDP, or $\frac{1}{2 "
        r"r}$-zCDP, at a change by $1$.",
    )


CLAIMS = {"continual.running_count": running_count}
