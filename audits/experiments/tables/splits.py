"""Random splits of the Diabetes records: rows to learn from, which several sites hold, and rows to test on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from experiments.tables.pairs import Codes, Pairs
from pan_estimators.tables.diabetes import load_diabetes
from pan_estimators.tables.schema import Attribute, Schema

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
