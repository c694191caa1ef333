"""Figures that are computed from the derivations."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from pan_proofs.density.lemmas.optimality.private_pairs import region_vertices
from pan_proofs.rendering.figures import Figure


def private_pairs() -> Figure:
    """All pairs of probabilities that are log 2-private, and the two that are farthest from the diagonal."""
    corners: Sequence[tuple[sp.Expr, sp.Expr]] = region_vertices(sp.Integer(2))
    polygon = tuple((float(one), float(other)) for one, other in corners)
    best = tuple(point for point in polygon if 0 < point[0] < 1)
    names = {True: r"\left(\tfrac13, \tfrac23\right)", False: r"\left(\tfrac23, \tfrac13\right)"}
    return Figure(
        caption=r"The pairs $(p_{\mathrm{init}}, p_{\mathrm{upd}})$ that satisfy $\varepsilon$-differential privacy, "
        r"for $e^{\varepsilon} = 2$. The corners off the diagonal are the pair "
        r"$\tfrac12(1 \mp \tanh(\varepsilon/2))$ and its mirror image.",
        labels=(r"p_{\mathrm{init}}", r"p_{\mathrm{upd}}"),
        polygon=polygon,
        marks=tuple((point, names[point[1] > point[0]]) for point in best),
    )
