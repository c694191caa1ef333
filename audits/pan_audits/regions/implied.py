"""Comparisons that follow from others, and comparisons that cannot hold together.

Comparisons ``x - y >= c`` are edges of a graph. The largest sum of constants along the ways from one variable to
another is the bound of their difference that follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from pan_audits.regions.constraint import Constraint, limit_of

_ORIGIN = -1
"""The place of the constant 0 among the variables."""

Edge = tuple[int, int, fmpq]
"""Two variables ``u`` and ``v``, and ``c``: ``u - v >= c``."""

Bounds = dict[tuple[int, int], fmpq]


def _edge(constraint: Constraint, *, discrete: bool) -> Edge | None:
    """A comparison of one variable, or of the difference of two, as an edge."""
    if len(constraint.terms) == 1:
        ((variable, _),) = constraint.terms
        limit = limit_of(constraint, variable, discrete=discrete)
        if limit.lower:
            return variable, _ORIGIN, limit.shift
        return _ORIGIN, variable, -limit.shift + int(discrete)
    (first, weight), (second, other) = constraint.terms
    if weight != -other:
        return None
    high, low = (first, second) if weight > 0 else (second, first)
    limit = limit_of(constraint, high, discrete=discrete)
    return high, low, limit.shift


def _closed(edges: Sequence[Edge]) -> Bounds:
    nodes = {node for edge in edges for node in edge[:2]}
    bounds: Bounds = {}
    for high, low, constant in edges:
        known = bounds.get((high, low))
        bounds[high, low] = constant if known is None else max(known, constant)
    for middle in nodes:
        for high in nodes:
            first = bounds.get((high, middle))
            if first is None:
                continue
            for low in nodes:
                second = bounds.get((middle, low))
                if second is None:
                    continue
                known = bounds.get((high, low))
                if known is None or first + second > known:
                    bounds[high, low] = first + second
    return bounds


def impossible(constraints: Sequence[Constraint], *, discrete: bool) -> bool:
    """Whether comparisons of differences contradict one another, or leave a set of measure 0."""
    edges = [edge for one in constraints if (edge := _edge(one, discrete=discrete)) is not None]
    bounds = _closed(edges)
    around = [bounds[node, node] for node in {node for edge in edges for node in edge[:2]} if (node, node) in bounds]
    return any(constant > 0 or (constant == 0 and not discrete) for constant in around)


def without_implied(constraints: Sequence[Constraint], *, discrete: bool) -> list[Constraint]:
    """The comparisons without those of two variables that follow from the others."""
    kept = list(constraints)
    for one in constraints:
        edge = _edge(one, discrete=discrete)
        if edge is None or len(one.terms) == 1:
            continue
        others = [other for other in kept if other is not one]
        edges = [found for other in others if (found := _edge(other, discrete=discrete)) is not None]
        known = _closed(edges).get(edge[:2])
        if known is not None and known >= edge[2]:
            kept = others
    return kept
