"""The words of the erratum of the article on counting in the turnstile model."""

from __future__ import annotations

from pan_proofs.ledger.contents import Erratum
from pan_proofs.rendering.figures import Neighbours

ERRATA = {
    "turnstile": Erratum(
        summary=r"""
The article's main results stand, as far as they are judged here. Six statements on the way are false as printed.
Truncation at the flippancy $w$ leaves one more flip: the entry at which a vector is cut can be a flip itself. So at
most $2w + 2$ nodes of a level can differ, and not $2w$, while Lemma 3.5 keeps its constant by another count. A
change of the input changes at most $2w + 1$ entries of the summation stream, and not $2w$. For event-neighbours the
maximum flippancy has sensitivity $T - 1$, and not $1$. The event-level lower bound does not hold in the toggle
model, where a private counter with an error of order $\log^2 T$ exists. Neighbouring tables of the reduction to
marginals have a common item-neighbour, and need not be item-neighbours themselves.""",
        example=Neighbours(
            (
                (r"first", (r"$+$", r"$-$", r"$+$", r"$-$"), r"cut to $1, 0, 0, 0$"),
                (r"second", ("", "", r"$+$", r"$-$"), r"existence $0, 0, 1, 0$"),
            ),
            r"""
Two streams of one element ($+$ inserts it, $-$ deletes it) that are item-neighbours: the second has no-ops in place
of the first two entries. With $w = 1$ the first vector is cut after its first flip down. All four leaves
of the tree differ, where the proof allows $2w = 2$.""",
        ),
        why=r"""
Truncation was counted as if a vector had at most $w$ flips afterwards; but it is cut at an entry that can be a
flip. A change from $0$ at the first entry is an entry of the summation stream and no flip, so that two vectors
of $w$ flips can differ in more than $2w$ entries. And one event shifts every later count of its element, and
with it every later flip.""",
        main=("turnstile.truncated_flippancy",),
        advice=r"""
Keep the noise of the tree as it is printed: Lemma 3.5 holds with its constant, although $2w + 2$ nodes of a
level can differ. To publish the number of items whose flippancy is above a threshold, in place of the maximum
flippancy, has sensitivity $1$ for both kinds of neighbours; this is what the adaptive algorithm needs. A lower
bound by the reduction to marginals has the constants of $2\varepsilon$ in place of $\varepsilon$. In the toggle
model sum the changes of presence in a tree directly: for event-neighbours two entries differ at most, whatever
$w$ is. None of this has a price in the order of the error.""",
    ),
}
"""By the short name of the source."""
