"""What the algorithms of the experiments read and make: tables of several sites, known by their counts; networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.structure import Choice

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
"""The place of each value among those of its attribute: shape ``(attributes, rows)``."""


@dataclass(frozen=True, eq=False)
class LearnedNetwork:
    """A network.

    Attributes
    ----------
    sizes
        The number of values of each attribute.
    structure
        The attributes in the order of their choice, each with its parents.
    joints
        For each of them the joint counts with its parents: shape ``(values, combinations)``. Some may be negative.
    """

    sizes: tuple[int, ...]
    structure: tuple[Choice, ...]
    joints: tuple[Array, ...]

    def probabilities(self, smoothing: float = 1.0) -> Array:
        """The probability of each cell, with add-one smoothing of the joint counts by default."""
        return distribution(self.sizes, self.structure, self.conditionals(smoothing))

    def conditionals(self, smoothing: float) -> list[Array]:
        """The distribution of each attribute given its parents: shape ``(values, combinations)``."""
        found = []
        for joint in self.joints:
            kept = np.maximum(joint, 0.0) + smoothing
            totals = kept.sum(axis=0, keepdims=True)
            found.append(np.where(totals > 0, kept / np.where(totals > 0, totals, 1.0), 1 / len(kept)))
        return found

    def bits(self, codes: Codes) -> float:
        """The empirical cross entropy of rows and this network of degree 1, with add-one smoothing: in bits."""
        total = 0.0
        for (place, parents), given in zip(self.structure, self.conditionals(1.0), strict=True):
            combination = codes[parents[0]] if parents else 0
            total -= float(np.log2(given[codes[place], combination]).mean())
        return total

    def drawn(self, rows: int, random: np.random.Generator) -> Codes:
        """Rows of this network of degree 1, each attribute after its parent."""
        codes = np.zeros((len(self.sizes), rows), dtype=np.int64)
        for (place, parents), given in zip(self.structure, self.conditionals(0.0), strict=True):
            combination = codes[parents[0]] if parents else np.zeros(rows, dtype=np.int64)
            ends = np.cumsum(given, axis=0)
            ends[-1] = 1.0
            # One line for all parents: the ends of a combination lie between its number and the next one.
            line = (ends + np.arange(given.shape[1])).T.ravel()
            found = np.searchsorted(line, combination + random.random(rows), side="right")
            codes[place] = np.minimum(found - combination * len(given), len(given) - 1)
        return codes


class CountedTables(ABC):
    """The tables of the sites.

    Parameters
    ----------
    sizes
        The number of values of each attribute.
    rows
        The number of rows of each site.
    """

    def __init__(self, sizes: tuple[int, ...], rows: Array) -> None:
        self.sizes = sizes
        self.rows = rows

    def joint(self, choice: Choice) -> Array:
        """The counts of an attribute and its parents: shape ``(sites, values, combinations)``."""
        return shaped(self.marginal((choice[0], *choice[1])), choice)

    @abstractmethod
    def together(self) -> CountedTables:
        """One table with the rows of all sites."""

    @abstractmethod
    def site(self, number: int) -> CountedTables:
        """The table of one site."""

    @abstractmethod
    def marginal(self, places: Sequence[int]) -> Array:
        """The counts of some attributes, in the order of the schema: shape ``(sites, ...)``."""

    @abstractmethod
    def information(self, choices: Sequence[Choice]) -> Array:
        """The mutual information of each attribute and its parents at each site, in nats: ``(sites, choices)``."""

    @abstractmethod
    def drawn(self, models: Sequence[LearnedNetwork], random: np.random.Generator) -> CountedTables:
        """One table with rows of the model of each site, as many as the site has."""


class Cells(CountedTables):
    """The tables by the number of rows of each site in each cell of the joint domain: shape ``(sites, *sizes)``."""

    def __init__(self, counts: Array) -> None:
        super().__init__(counts.shape[1:], counts.reshape(len(counts), -1).sum(axis=1))
        self.counts = counts
        self._entropies: dict[tuple[int, ...], Array] = {}

    def together(self) -> Cells:
        return Cells(self.counts.sum(axis=0, keepdims=True))

    def site(self, number: int) -> Cells:
        return Cells(self.counts[number : number + 1])

    def marginal(self, places: Sequence[int]) -> Array:
        return np.asarray(self.counts.sum(axis=tuple(1 + one for one in range(len(self.sizes)) if one not in places)))

    def information(self, choices: Sequence[Choice]) -> Array:
        found = [
            self._entropy((place,)) + self._entropy(parents) - self._entropy(tuple(sorted((place, *parents))))
            for place, parents in choices
        ]
        return np.maximum(0.0, np.stack(found, axis=1))

    def _entropy(self, places: tuple[int, ...]) -> Array:
        if places not in self._entropies:
            self._entropies[places] = entropy(self.marginal(places).reshape(len(self.counts), -1))
        return self._entropies[places]

    def drawn(self, models: Sequence[LearnedNetwork], random: np.random.Generator) -> Cells:
        sampled = np.zeros(self.sizes)
        for model, rows in zip(models, self.rows, strict=True):
            cells = model.probabilities(0.0).ravel()
            sampled += random.multinomial(int(rows), cells / cells.sum()).reshape(self.sizes)
        return Cells(sampled[None])


class Pairs(CountedTables):
    """The tables by the counts of all pairs of many attributes: for networks of degree 1.

    Parameters
    ----------
    sizes, rows
        As for :class:`CountedTables`.
    counts
        Of each attribute, shape ``(sites, values)``, and of each pair of them in the order of the schema, shape
        ``(sites, values, values)``, by the places of these attributes.
    """

    def __init__(self, sizes: tuple[int, ...], rows: Array, counts: Mapping[tuple[int, ...], Codes]) -> None:
        super().__init__(sizes, rows)
        self.counts = counts

    @classmethod
    def of(cls, codes: Codes, sizes: tuple[int, ...], site_of: Codes) -> Pairs:
        """Count the rows."""
        sites = int(site_of.max()) + 1
        cells = [site_of * size + values for size, values in zip(sizes, codes, strict=True)]
        counts: dict[tuple[int, ...], Codes] = {}
        for one, size in enumerate(sizes):
            counts[one,] = np.bincount(cells[one], minlength=sites * size).reshape(sites, size)
            for two in range(one + 1, len(sizes)):
                shape = (sites, size, sizes[two])
                pairs = cells[one] * sizes[two] + codes[two]
                counts[one, two] = np.bincount(pairs, minlength=sites * size * sizes[two]).reshape(shape)
        return cls(sizes, np.bincount(site_of, minlength=sites).astype(np.float64), counts)

    def together(self) -> Pairs:
        counts = {places: one.sum(axis=0, keepdims=True) for places, one in self.counts.items()}
        return Pairs(self.sizes, self.rows.sum(keepdims=True), counts)

    def some(self, first: int, end: int) -> Pairs:
        """The tables of some sites."""
        part = Pairs(self.sizes, self.rows[first:end], {places: one[first:end] for places, one in self.counts.items()})
        part.__dict__["strength"] = self.strength[first:end]
        return part

    def site(self, number: int) -> Pairs:
        return self.some(number, number + 1)

    def marginal(self, places: Sequence[int]) -> Array:
        return self.counts[tuple(sorted(places))].astype(np.float64)

    @cached_property
    def strength(self) -> Array:
        """The mutual information of each attribute and each parent, in nats: shape ``(sites, attributes, parents)``.

        The last parent stands for none, so that its information is 0.
        """
        width, rows = len(self.sizes), np.maximum(self.rows, 1.0)
        numbers = np.arange(int(rows.max()) + 1, dtype=np.float64)
        # The number of rows is small beside the number of cells, so that each logarithm is taken once.
        weighed = numbers * np.log(np.maximum(numbers, 1.0))
        own = [weighed[self.counts[place,]].sum(axis=1) for place in range(width)]
        found = np.zeros((len(self.rows), width, width + 1))
        for one, two in combinations(range(width), 2):
            joint = weighed[self.counts[one, two]].sum(axis=(1, 2))
            information = np.log(rows) + (joint - own[one] - own[two]) / rows
            found[:, one, two] = found[:, two, one] = np.maximum(0.0, information)
        return found

    def information(self, choices: Sequence[Choice]) -> Array:
        places = [place for place, _ in choices]
        parents = [one[0] if one else -1 for _, one in choices]
        return np.asarray(self.strength[:, places, parents])

    def drawn(self, models: Sequence[LearnedNetwork], random: np.random.Generator) -> Pairs:
        parts = [model.drawn(int(rows), random) for model, rows in zip(models, self.rows, strict=True)]
        codes = np.concatenate(parts, axis=1)
        return Pairs.of(codes, self.sizes, np.zeros(codes.shape[1], dtype=np.int64))


def parent_sets(degree: int, known: Sequence[int]) -> list[tuple[int, ...]]:
    """All possible parents of an attribute that is not known, in the order of the estimators."""
    return [parents for size in range(min(degree, len(known)) + 1) for parents in combinations(sorted(known), size)]


def candidates(width: int, degree: int, known: Sequence[int]) -> list[Choice]:
    """The attributes that are left, each with all of its possible parents, in the order of the estimators."""
    every = parent_sets(degree, known)
    return [(place, parents) for place in range(width) if place not in known for parents in every]


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
