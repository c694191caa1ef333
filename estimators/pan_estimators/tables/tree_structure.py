"""The tree of a calibrated tree: its edges, one after the other, by the exponential mechanism."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.scores.distance_to_independence import DistanceToIndependence
from pan_estimators.tables.table import Table

Edge: TypeAlias = tuple[int, int]
"""Two attributes by their places in the schema, the smaller place first."""


def choose_tree(table: Table, epsilon: float, randomness: Randomness) -> tuple[Edge, ...]:
    """The edges of a tree over all attributes, in the order of their choice.

    The candidates of a choice are the pairs of attributes that the edges so far do not connect. The score of a pair is
    half of the L1 distance between its joint distribution and the product of the margins. One replaced row changes it
    by at most ``3/n`` (bayesnet.score_sensitivities).

    Parameters
    ----------
    table
        The table.
    epsilon
        The epsilon of each choice, in nats.
    randomness
        The source of the choices.
    """
    score = DistanceToIndependence()
    places = range(len(table.schema.attributes))
    scores = {pair: score.value(table.counts(pair)) for pair in combinations(places, 2)}
    component = list(places)
    chosen: list[Edge] = []
    while len(chosen) < len(component) - 1:
        candidates = [(one, two) for one, two in scores if component[one] != component[two]]
        ranked = [scores[pair] for pair in candidates]
        one, two = candidates[
            int(randomness.exponential_mechanism(ranked, epsilon, score.sensitivity(table.rows, 2, 2)))
        ]
        chosen.append((one, two))
        joined = component[two]
        component = [component[one] if name == joined else name for name in component]
    return tuple(chosen)


def from_the_root(edges: Sequence[Edge]) -> list[tuple[int, int]]:
    """The edges as pairs of a child and its parent, from the attribute 0 outwards.

    Parameters
    ----------
    edges
        The edges of a tree over the attributes 0 to their number.
    """
    beside: dict[int, list[int]] = {}
    for one, two in edges:
        beside.setdefault(one, []).append(two)
        beside.setdefault(two, []).append(one)
    found: list[tuple[int, int]] = []
    waiting, known = deque([0]), {0}
    while waiting:
        parent = waiting.popleft()
        for child in sorted(beside.get(parent, [])):
            if child not in known:
                known.add(child)
                found.append((child, parent))
                waiting.append(child)
    return found
