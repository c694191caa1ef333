"""The interface of the tables of several sites, as the algorithms of the experiments read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.structure import Choice


@dataclass(eq=False)
class Cells:
    """The tables of the sites.

    Parameters
    ----------
    counts
        The number of rows of each site in each cell of the joint domain: shape ``(sites, *sizes)``.
    """

    counts: Array
    _entropies: dict[tuple[int, ...], Array] = field(default_factory=dict, repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return tuple(int(size) for size in self.counts.shape[1:])

    @property
    def rows(self) -> Array:
        """The number of rows of each site."""
        return np.asarray(self.counts.reshape(len(self.counts), -1).sum(axis=1))

    def together(self) -> Cells:
        """One table with the rows of all sites."""
        return Cells(self.counts.sum(axis=0, keepdims=True))

    def site(self, number: int) -> Cells:
        """The table of one site."""
        return Cells(self.counts[number : number + 1])

    def marginal(self, places: Sequence[int]) -> Array:
        """The counts of some attributes, in the order of the schema: shape ``(sites, ...)``."""
        return np.asarray(self.counts.sum(axis=tuple(1 + one for one in range(len(self.sizes)) if one not in places)))

    def joint(self, choice: Choice) -> Array:
        """The counts of an attribute and its parents: shape ``(sites, values, combinations)``."""
        return shaped(self.marginal((choice[0], *choice[1])), choice)

    def information(self, choices: Sequence[Choice]) -> Array:
        """The mutual information of each attribute and its parents at each site, in nats: ``(sites, choices)``."""
        found = [
            self._entropy((place,)) + self._entropy(parents) - self._entropy(tuple(sorted((place, *parents))))
            for place, parents in choices
        ]
        return np.maximum(0.0, np.stack(found, axis=1))

    def drawn(self, models: Sequence[Distribution], random: np.random.Generator) -> Cells:
        """One table with rows of the model of each site, as many as the site has."""
        sampled = np.zeros(self.sizes)
        for model, rows in zip(models, self.rows, strict=True):
            cells = distribution(self.sizes, model.structure, conditionals(model.joints, 0.0)).ravel()
            sampled += random.multinomial(int(rows), cells / cells.sum()).reshape(self.sizes)
        return Cells(sampled[None])

    def _entropy(self, places: tuple[int, ...]) -> Array:
        if places not in self._entropies:
            self._entropies[places] = entropy(self.marginal(places).reshape(len(self.counts), -1))
        return self._entropies[places]


def candidates(width: int, degree: int, known: Sequence[int]) -> list[Choice]:
    """The attributes that are left, each with all of its possible parents, in the order of the estimators."""
    return [
        (place, parents)
        for place in range(width)
        if place not in known
        for size in range(min(degree, len(known)) + 1)
        for parents in combinations(sorted(known), size)
    ]


Array = NDArray[np.float64]


class Distribution(Protocol):
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

    def drawn(self, models: Sequence[Distribution], random: np.random.Generator) -> Counted:
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
