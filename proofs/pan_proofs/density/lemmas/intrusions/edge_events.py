"""Edges in the place of users: the density of a graph, and an event that tells one edge from none."""

from __future__ import annotations

from math import comb

import sympy as sp

from pan_proofs.density.lemmas.intrusions.coin_cells import half
from pan_proofs.density.lemmas.intrusions.published_events import LONGER, SHORTER, event_refutes, is_the_entry, tail
from pan_proofs.density.lemmas.intrusions.tanh_cells import ETA, EXAMPLE, PAIR
from pan_proofs.density.lemmas.intrusions.whole_mechanism import seen
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import lemma

nodes, edges = sp.symbols("V E_G", positive=True)


def graph_steps(factor: sp.Expr) -> tuple[Step, ...]:
    """The density of a graph, and the joint loss of the estimator of it.

    Parameters
    ----------
    factor
        The largest ratio of Algorithm 2, with or without deletions.
    """
    return (
        equal_as(
            "graph_density",
            r"There are $\binom{|V|}{2}$ users, of which $|E|$ are present.",
            (
                lambda: edges / sp.simplify(sp.binomial(nodes, 2).expand(func=True)),
                2 * edges / (nodes * (nodes - 1)),
            ),
            r"\frac{|E|}{\binom{|V|}{2}} &= \frac{2|E|}{|V|\,(|V|-1)}",
        ),
        event_refutes(
            "graph_event",
            r"By hand, with $e^\varepsilon = \frac32$ and three nodes, so that $m = U = 3$: in $S$ an edge is "
            r"inserted and then the edge $u$, in $S'$ only the first of them; the intrusion is after the first "
            r"update. The event: the bit of $u$ is seen as 0, and the output exceeds its value for three ones "
            r"without noise. The promise fails as for users:",
            _added_edge(3),
            EXAMPLE,
            sp.Rational(793, 160),
            (r"\frac{P_S}{P_{S'}} = q_1 + p_1 e^\eta &= \tfrac{793}{160} > \tfrac94 = e^{2\varepsilon}",),
            hypotheses=(epsilon <= half,),
        ),
        lemma(
            "graph_loss",
            r"The loss that is listed for graphs is that of Algorithm 2 with deletions.",
            is_the_entry("graph-density", factor, ETA),
        ),
    )


def _added_edge(nodes: int) -> tuple[sp.Expr, sp.Expr]:
    """Probabilities of one event for a graph with two edges and for one with one edge, with Algorithm 2's pair.

    One edge is inserted before the intrusion in both streams, and the edge u after it in one of them. All pairs of
    nodes are sampled. The event: the bit of u is seen as 0, and the output exceeds its value if all bits are 1.
    """
    users, gap = comb(nodes, 2), PAIR[1] - PAIR[0]
    found = []
    for stream in (LONGER, SHORTER):
        total: sp.Expr = sp.S.Zero
        for (bits, ones), chance in seen(stream, 1, users, (p0, p1)).items():
            if bits[0] == 0:
                # One bit moves the output by 1/gap in units of 1/m.
                total += chance * tail((users - ones) / gap)
        found.append(total.subs({p0: PAIR[0], p1: PAIR[1]}, simultaneous=True))
    return found[0], found[1]
