"""The tree of Chow and Liu: the network of degree 1 with the largest likelihood, without privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.mechanism import OnTables, require_degree
from pan_estimators.tables.schema import binary
from pan_estimators.tables.scores import MutualInformation
from pan_estimators.tables.structure import Choice
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_structure import Candidates, Edge, from_the_root


@dataclass(frozen=True)
class ChowLiu(OnTables):
    """The tree of the largest sum of empirical mutual informations. It is exact, and promises nothing.

    It is the baseline without noise for networks of degree 1. Among all trees it has the largest likelihood
    (bayesnet.greedy_optimality). The edges are taken from the largest mutual information down, each one that closes no
    cycle; of equal ones the first. They point away from the first attribute of the schema.
    """

    schema: Any = field(default_factory=lambda: binary(3))
    rows: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        require_degree(1, self.schema)

    @property
    def promise(self) -> None:  # type: ignore[override]
        """Nothing is promised."""
        return None

    def release(self, table: Any, randomness: Randomness | None = None) -> tuple[Choice, ...]:
        """The attributes, each with its parent, in an order in which each one follows its parent."""
        read = Table.of(table, self.schema)
        return ((0, ()), *((child, (parent,)) for child, parent in from_the_root(self._edges(read))))

    @staticmethod
    def _edges(table: Table) -> list[Edge]:
        """A spanning tree of the largest weight, by the method of Kruskal."""
        score = MutualInformation()
        places = range(len(table.schema.attributes))
        weights = {pair: float(score.value(table.counts(pair))) for pair in combinations(places, 2)}
        candidates = Candidates(table.schema.sizes, degree=1, cells=0)
        chosen: list[Edge] = []
        while joining := candidates(chosen):
            chosen.append(max(joining, key=weights.__getitem__))
        return chosen
