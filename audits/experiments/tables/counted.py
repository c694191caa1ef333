"""The interface of the tables of several sites, as the algorithms of the experiments read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.structure import Choice

Array = NDArray[np.float64]


class Law(Protocol):
    """A network.

    Attributes
    ----------
    structure
        The attributes in the order of their choice, each with its parents.
    joints
        For each of them the joint counts with its parents: shape ``(values, combinations)``. Some may be negative.
    """

    @property
    def structure(self) -> tuple[Choice, ...]: ...

    @property
    def joints(self) -> tuple[Array, ...]: ...


class Counted(Protocol):
    """The tables of the sites, known by their counts.

    Attributes
    ----------
    sizes
        The number of values of each attribute.
    rows
        The number of rows of each site.
    """

    @property
    def sizes(self) -> tuple[int, ...]: ...

    @property
    def rows(self) -> Array: ...

    def together(self) -> Counted:
        """One table with the rows of all sites."""
        ...

    def site(self, number: int) -> Counted:
        """The table of one site."""
        ...

    def marginal(self, places: Sequence[int]) -> Array:
        """The counts of some attributes, in the order of the schema: shape ``(sites, ...)``."""
        ...

    def joint(self, choice: Choice) -> Array:
        """The counts of an attribute and its parents: shape ``(sites, values, combinations)``."""
        ...

    def information(self, choices: Sequence[Choice]) -> Array:
        """The mutual information of each attribute and its parents at each site, in nats: ``(sites, choices)``."""
        ...

    def drawn(self, models: Sequence[Law], random: np.random.Generator) -> Counted:
        """One table with rows of the model of each site, as many as the site has."""
        ...


def entropy(counts: Array) -> Array:
    """The entropy of each line of counts, in nats; 0 for a line without rows."""
    totals = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(totals > 0, totals, 1.0)
    return np.asarray(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1))


def shaped(marginal: Array, choice: Choice) -> Array:
    """A marginal in the order of the schema, as one table of the attribute and its parents at each site."""
    place, parents = choice
    order = sorted((place, *parents))
    axes = [1 + order.index(one) for one in (place, *parents)]
    moved = np.transpose(marginal, (0, *axes))
    return moved.reshape(*moved.shape[:2], -1)


def conditionals(joints: Sequence[Array], smoothing: float) -> list[Array]:
    """The distribution of each attribute given its parents, from joint counts: shape ``(values, combinations)``."""
    found = []
    for joint in joints:
        kept = np.maximum(joint, 0.0) + smoothing
        totals = kept.sum(axis=0, keepdims=True)
        found.append(np.where(totals > 0, kept / np.where(totals > 0, totals, 1.0), 1 / len(kept)))
    return found


def distribution(sizes: tuple[int, ...], structure: Sequence[Choice], given: Sequence[Array]) -> Array:
    """The probability of each cell of the joint domain."""
    places = np.indices(sizes)
    found = np.ones(sizes)
    for (place, parents), one in zip(structure, given, strict=True):
        shape = tuple(sizes[parent] for parent in parents)
        combination = np.ravel_multi_index(tuple(places[list(parents)]), shape) if parents else 0
        found = found * one[places[place], combination]
    return found


def cross_entropy(truth: Array, model: Array) -> float:
    """The cross entropy of a distribution and a model, in bits: infinite if the model excludes a possible cell.

    Source: thesis, section 3.7.1.
    """
    possible = truth > 0
    with np.errstate(divide="ignore"):
        return float(-(truth[possible] * np.log2(model[possible])).sum())
