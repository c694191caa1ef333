"""The greedy structure of a network, and the noisy joint tables of a structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.mechanism import MOST_CELLS, OnTables, require_degree, require_epsilon
from pan_estimators.tables.schema import Schema, binary
from pan_estimators.tables.scores import Score, score_named
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError

Choice: TypeAlias = tuple[int, tuple[int, ...]]
"""An attribute and its parents, by their places in the schema."""


@dataclass(frozen=True)
class GreedyStructure(OnTables):
    """The structure of a network, with pure epsilon for one replaced row.

    The first attribute of the schema has no parents. Each of the other attributes is chosen with its parents, which
    are at most ``degree`` attributes that were chosen before. Each of the ``N - 1`` choices is made by the exponential
    mechanism with ``epsilon / (N - 1)`` and the largest sensitivity of its candidates
    (bayesnet.mutual_information_sensitivity, bayesnet.score_sensitivities).
    """

    schema: Any = field(default_factory=lambda: binary(3))
    epsilon: float = 1.0
    degree: int = 1
    score: str = "mutual-information"
    rows: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        require_epsilon(self.epsilon)
        require_degree(self.degree, self.schema)
        if why := self._score.why_not(self.schema.sizes):
            raise InputError(why)

    @cached_property
    def _score(self) -> Score:
        return score_named(self.score)

    def release(self, table: Any, randomness: Randomness) -> tuple[Choice, ...]:
        """The attributes in the order of their choice, each with its parents."""
        read = Table.of(table, self.schema)
        return structure_by(self.schema, lambda known: self.next_choice(read, known, randomness))

    def candidates(self, known: Sequence[int]) -> list[Choice]:
        """The attributes that are left, each with all of its possible parents."""
        left = [place for place in range(len(self.schema.attributes)) if place not in known]
        return [
            (place, parents)
            for place in left
            for size in range(min(self.degree, len(known)) + 1)
            for parents in combinations(sorted(known), size)
        ]

    def next_choice(self, table: Table, known: Sequence[int], randomness: Randomness) -> Choice:
        """The next attribute and its parents, with ``epsilon / (N - 1)``."""
        candidates = self.candidates(known)
        scores = [self._score.value(counts_of(table, choice)) if table.rows else Fraction(0) for choice in candidates]
        sensitivity = max(self._score.sensitivity(max(1, table.rows), *self._shape(choice)) for choice in candidates)
        return self._choose(candidates, scores, sensitivity, randomness)

    def best_choice(self, table: Table, known: Sequence[int]) -> Choice:
        """The next attribute and its parents by the score alone, without noise: for tables that are not private."""
        candidates = self.candidates(known)
        scores = [float(self._score.value(counts_of(table, choice))) for choice in candidates]
        return candidates[scores.index(max(scores))]

    def _choose(self, candidates: list[Choice], scores: list[Any], sensitivity: Any, randomness: Randomness) -> Choice:
        share = self.epsilon / (len(self.schema.attributes) - 1)
        return candidates[int(randomness.exponential_mechanism(scores, share, sensitivity))]

    def _shape(self, choice: Choice) -> tuple[int, int]:
        place, parents = choice
        sizes = self.schema.sizes
        return sizes[place], prod(sizes[parent] for parent in parents)


def structure_by(schema: Schema, choose: Callable[[list[int]], Choice]) -> tuple[Choice, ...]:
    """The first attribute without parents, and each of the others as it is chosen after those before."""
    chosen: list[Choice] = [(0, ())]
    for _ in range(len(schema.attributes) - 1):
        chosen.append(choose([place for place, _ in chosen]))
    return tuple(chosen)


def counts_of(table: Table, choice: Choice) -> Any:
    """The counts of an attribute and its parents: shape ``(values, combinations of the parents)``."""
    place, parents = choice
    return table.counts((place, *parents)).reshape(table.schema.sizes[place], -1)


@dataclass(frozen=True)
class NoisyJoints(OnTables):
    """The joint counts of each attribute and its parents with Laplace noise, with pure epsilon for one replaced row.

    One replaced row changes each of the ``N`` tables of counts by at most 2 in the L1 norm, so that the scale of the
    noise is ``2 N / epsilon``. Divided by the public number of rows, the counts are the printed joint distributions.
    """

    schema: Any = field(default_factory=lambda: binary(3))
    structure: tuple[Choice, ...] = ()
    epsilon: float = 1.0
    rows: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        require_epsilon(self.epsilon)
        object.__setattr__(self, "structure", structure_or_chain(self.structure, self.schema))

    @property
    def scale(self) -> float:
        """The scale of the noise of a count."""
        scale: float = 2 * len(self.structure) / self.epsilon
        return scale

    def release(self, table: Any, randomness: Randomness) -> list[list[Any]]:
        """The noisy counts of each attribute and its parents, with the combinations of the parents running fastest."""
        read = Table.of(table, self.schema)
        return [self._noisy(counts_of(read, choice), randomness) for choice in self.structure]

    def _noisy(self, counts: NDArray[np.int64], randomness: Randomness) -> list[Any]:
        return [randomness.laplace(int(count), self.scale) for count in counts.ravel()]


def structure_or_chain(structure: Any, schema: Schema) -> tuple[Choice, ...]:
    """A structure that is in order; by default a chain of the attributes."""
    chain = tuple((place, (place - 1,) if place else ()) for place in range(len(schema.attributes)))
    found = tuple((int(place), tuple(parents)) for place, parents in structure or chain)
    require_structure(found, schema)
    return found


def require_structure(structure: tuple[Choice, ...], schema: Schema) -> None:
    """Raise :class:`InputError` unless a structure names each attribute once, after its parents."""
    known: list[int] = []
    for place, parents in structure:
        if place in known or not 0 <= place < len(schema.attributes) or not set(parents) <= set(known):
            raise InputError(f"a structure names each attribute once, after its parents, got {structure}")
        known.append(place)
        cells = int(np.prod([float(schema.sizes[one]) for one in (place, *parents)]))
        if cells > MOST_CELLS:
            raise InputError(f"a joint distribution has {cells:,} cells, more than {MOST_CELLS:,}")
    if len(known) < len(schema.attributes):
        raise InputError(f"a structure names each attribute once, after its parents, got {structure}")
