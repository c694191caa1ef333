"""Tables of many attributes as the joint counts of all pairs, for several sites at once: for networks of degree 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from experiments.tables.counted import Array, Distribution, conditionals, shaped
from pan_estimators.tables.diabetes import load_diabetes
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.structure import Choice

MOST_SITES = 30
"""The largest number of sites of an experiment."""

_TEST = 0.2
"""The share of the rows that are tested on. Source: thesis, section 3.7.1."""


@dataclass(eq=False)
class Split:
    """One division of the records.

    Attributes
    ----------
    schema
        The attributes.
    train, test
        The rows to learn from, in random order, and the rows to test on.
    """

    schema: Schema
    train: Codes
    test: Codes
    _sites: dict[int, Pairs] = field(default_factory=dict, repr=False)

    @classmethod
    def drawn(cls, random: np.random.Generator, rows: int | None = None) -> Split:
        """A random division of the Diabetes records, 80% to 20%."""
        table = load_diabetes()
        order = random.permutation(table.rows)[:rows]
        codes = np.ascontiguousarray(table.codes.T[:, order])
        tested = round(_TEST * len(order))
        return cls(table.schema, np.ascontiguousarray(codes[:, tested:]), np.ascontiguousarray(codes[:, :tested]))

    def sites(self, number: int) -> Pairs:
        """The rows to learn from at some sites, by a round robin."""
        if number not in self._sites:
            places = np.arange(self.train.shape[1]) % number
            self._sites[number] = Pairs.of(self.train, self.schema.sizes, places)
        return self._sites[number]

    def small_sites(self, number: int) -> Pairs:
        """Some of the sites of the round robin over the largest number of sites: each has few rows at any number."""
        return self.sites(MOST_SITES).sites(0, number)

    @cached_property
    def binary(self) -> Split:
        """The same rows with two values of each attribute: its most frequent value, and all others."""
        most = [int(np.bincount(column).argmax()) for column in self.train]
        schema = Schema(tuple(Attribute(one.name, (0, 1)) for one in self.schema.attributes))

        def reduced(codes: Codes) -> Codes:
            return np.stack([(column != one).astype(np.int64) for column, one in zip(codes, most, strict=True)])

        return Split(schema, reduced(self.train), reduced(self.test))

    @property
    def uniform(self) -> float:
        """The cross entropy of the uniform distribution, in bits."""
        return float(np.log2(np.array(self.schema.sizes, dtype=np.float64)).sum())


Codes = NDArray[np.int64]
"""The place of each value among those of its attribute: shape ``(attributes, rows)``."""


@dataclass(eq=False)
class Pairs:
    """The tables of the sites.

    Attributes
    ----------
    sizes
        The number of values of each attribute.
    rows
        The number of rows of each site.
    singles
        The counts of each attribute: shape ``(sites, values)``.
    pairs
        The counts of each pair of attributes in the order of the schema: shape ``(sites, values, values)``.
    """

    sizes: tuple[int, ...]
    rows: Array
    singles: Sequence[NDArray[np.int64]]
    pairs: Mapping[tuple[int, int], NDArray[np.int64]]

    @classmethod
    def of(cls, codes: Codes, sizes: tuple[int, ...], site_of: NDArray[np.int64]) -> Pairs:
        """Count the rows."""
        sites = int(site_of.max()) + 1

        def count(places: tuple[int, ...]) -> NDArray[np.int64]:
            shape = (sites, *(sizes[place] for place in places))
            cells = site_of
            for place in places:
                cells = cells * sizes[place] + codes[place]
            return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)

        places = range(len(sizes))
        return cls(
            sizes,
            np.bincount(site_of, minlength=sites).astype(np.float64),
            [count((place,)) for place in places],
            {pair: count(pair) for pair in combinations(places, 2)},
        )

    def together(self) -> Pairs:
        """One table with the rows of all sites."""
        return Pairs(
            self.sizes,
            self.rows.sum(keepdims=True),
            [one.sum(axis=0, keepdims=True) for one in self.singles],
            {pair: one.sum(axis=0, keepdims=True) for pair, one in self.pairs.items()},
        )

    def sites(self, first: int, end: int) -> Pairs:
        """The tables of some sites."""
        part = Pairs(
            self.sizes,
            self.rows[first:end],
            [one[first:end] for one in self.singles],
            {pair: one[first:end] for pair, one in self.pairs.items()},
        )
        part.__dict__["strength"] = self.strength[first:end]
        return part

    def site(self, number: int) -> Pairs:
        """The table of one site."""
        return self.sites(number, number + 1)

    def marginal(self, places: Sequence[int]) -> Array:
        """The counts of one or two attributes, in the order of the schema: shape ``(sites, ...)``."""
        if len(places) == 1:
            return self.singles[places[0]].astype(np.float64)
        one, two = sorted(places)
        return self.pairs[one, two].astype(np.float64)

    def joint(self, choice: Choice) -> Array:
        """The counts of an attribute and at most one parent: shape ``(sites, values, combinations)``."""
        return shaped(self.marginal((choice[0], *choice[1])), choice)

    @cached_property
    def strength(self) -> Array:
        """The mutual information of each attribute and each parent, in nats: shape ``(sites, attributes, parents)``.

        The last parent stands for none, so that its information is 0.
        """
        width, rows = len(self.sizes), np.maximum(self.rows, 1.0)
        numbers = np.arange(int(rows.max()) + 1, dtype=np.float64)
        # The number of rows is small beside the number of cells, so that each logarithm is taken once.
        weighed = numbers * np.log(np.maximum(numbers, 1.0))
        own = [weighed[one].sum(axis=1) for one in self.singles]
        found = np.zeros((len(self.rows), width, width + 1))
        for (one, two), counts in self.pairs.items():
            joint = weighed[counts].sum(axis=(1, 2))
            information = np.log(rows) + (joint - own[one] - own[two]) / rows
            found[:, one, two] = found[:, two, one] = np.maximum(0.0, information)
        return found

    def information(self, choices: Sequence[Choice]) -> Array:
        """The mutual information of each attribute and its parent at each site, in nats: ``(sites, choices)``."""
        places = [place for place, _ in choices]
        parents = [one[0] if one else -1 for _, one in choices]
        return np.asarray(self.strength[:, places, parents])

    def drawn(self, models: Sequence[Distribution], random: np.random.Generator) -> Pairs:
        """One table with rows of the model of each site, as many as the site has."""
        parts = [
            drawn_rows(model, len(self.sizes), int(rows), random) for model, rows in zip(models, self.rows, strict=True)
        ]
        codes = np.concatenate(parts, axis=1)
        return Pairs.of(codes, self.sizes, np.zeros(codes.shape[1], dtype=np.int64))


def drawn_rows(model: Distribution, width: int, rows: int, random: np.random.Generator) -> Codes:
    """Rows of a network, each attribute after its parent."""
    codes = np.zeros((width, rows), dtype=np.int64)
    for (place, parents), given in zip(model.structure, conditionals(model.joints, 0.0), strict=True):
        combination = codes[parents[0]] if parents else np.zeros(rows, dtype=np.int64)
        ends = np.cumsum(given, axis=0)
        ends[-1] = 1.0
        # One line for all parents: the ends of a combination lie between its number and the next one.
        line = (ends + np.arange(given.shape[1])).T.ravel()
        found = np.searchsorted(line, combination + random.random(rows), side="right")
        codes[place] = np.minimum(found - combination * len(given), len(given) - 1)
    return codes


def bits(model: Distribution, codes: Codes, smoothing: float = 1.0) -> float:
    """The empirical cross entropy of rows and a network of degree 1, with add-one smoothing of its counts: in bits."""
    total = 0.0
    with np.errstate(divide="ignore"):
        for (place, parents), given in zip(model.structure, conditionals(model.joints, smoothing), strict=True):
            combination = codes[parents[0]] if parents else 0
            total -= float(np.log2(given[codes[place], combination]).mean())
    return total
