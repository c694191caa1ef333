"""The distribution of a junction tree that fits noisy counts, by mirror descent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pan_estimators.tables.junction_tree import Array, JunctionMarginals, JunctionTree
from pan_estimators.tables.tree_fit import VAST, bounded

Factors = Mapping[tuple[int, ...], Array]
"""For each table of counts, by its attributes, an array of its shape: the logarithm of a factor, or a marginal."""

_HALVINGS = 25
_STILL = 1e-7
"""A relative improvement below which the descent stops."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """Noisy counts of some attributes.

    Attributes
    ----------
    places
        The attributes, in rising order.
    counts
        The noisy counts, with an axis for each attribute.
    deviation
        The standard deviation of a count.
    """

    places: tuple[int, ...]
    counts: Array
    deviation: float


@dataclass(frozen=True, eq=False)
class _Term:
    """All tables of counts of the same attributes as one, in shares of the rows."""

    holder: int
    summed: tuple[int, ...]
    spread: tuple[int, ...]
    wanted: Array
    weight: float


def fitted(
    tree: JunctionTree, measured: Sequence[Measurement], rows: int, rounds: int, start: Factors | None = None
) -> tuple[JunctionMarginals, Factors]:
    """The distribution with the least weighted squares of the differences from noisy counts."""
    terms = _terms(tree, measured, rows)
    shapes = {place: tuple(tree.sizes[one] for one in clique) for place, clique in tree.cliques.items()}
    known = start or {}
    factors = {places: known.get(places, np.zeros(one.wanted.shape)) for places, one in terms.items()}

    def model_of(given: Factors) -> JunctionMarginals:
        potentials = {place: np.zeros(shape) for place, shape in shapes.items()}
        for places, one in terms.items():
            potentials[one.holder] += given[places].reshape(one.spread)
        return JunctionMarginals.of(tree, potentials)

    def margins_of(model: JunctionMarginals) -> Factors:
        return {places: model.cliques[one.holder].sum(axis=one.summed) for places, one in terms.items()}

    def loss(margins: Factors) -> float:
        return sum(one.weight * float(((margins[places] - one.wanted) ** 2).sum()) / 2 for places, one in terms.items())

    model = model_of(factors)
    margins = margins_of(model)
    value, step = loss(margins), float(len(terms))
    for _ in range(rounds):
        step *= 2
        slopes = {places: one.weight * (margins[places] - one.wanted) for places, one in terms.items()}
        for _ in range(_HALVINGS):
            tried = {places: factors[places] - step * slopes[places] for places in terms}
            found = model_of(tried)
            next_margins = margins_of(found)
            better = loss(next_margins)
            # Half of the decrease that the slopes promise.
            promised = sum(float((slopes[one] * (margins[one] - next_margins[one])).sum()) for one in terms) / 2
            if value - better >= promised:
                break
            step /= 2
        else:
            break
        still = value - better <= _STILL * value
        model, factors, margins, value = found, tried, next_margins, better
        if still:
            break
    return model, factors


def _terms(tree: JunctionTree, measured: Sequence[Measurement], rows: int) -> dict[tuple[int, ...], _Term]:
    """The mean of the tables of the same attributes, with weights of one over their variance; the weights sum to 1."""
    precisions: dict[tuple[int, ...], float] = {}
    sums: dict[tuple[int, ...], Array] = {}
    for one in measured:
        precision = (rows / min(max(one.deviation, 1 / VAST), VAST * rows)) ** 2
        precisions[one.places] = precisions.get(one.places, 0.0) + precision
        sums[one.places] = sums.get(one.places, 0.0) + precision * bounded(one.counts, rows) / rows
    whole, found = sum(precisions.values()), {}
    for places, precision in precisions.items():
        holder = tree.holder(places)
        assert holder is not None
        clique = tree.cliques[holder]
        found[places] = _Term(
            holder,
            tuple(axis for axis, place in enumerate(clique) if place not in places),
            tuple(tree.sizes[place] if place in places else 1 for place in clique),
            sums[places] / precision,
            precision / whole,
        )
    return found
