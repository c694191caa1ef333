"""The noisy joint counts of each attribute and its parents, for a given structure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.on_tables import OnTables
from pan_estimators.tables.schema import Schema, binary
from pan_estimators.tables.settings import MOST_CELLS, require_epsilon
from pan_estimators.tables.structure import Choice, counts_of
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, require_count


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
        schema = Schema.of(self.schema)
        object.__setattr__(self, "schema", schema)
        require_epsilon(self.epsilon)
        require_count("the number of rows", self.rows)
        width = len(schema.attributes)
        chain = tuple((place, (place - 1,) if place else ()) for place in range(width))
        object.__setattr__(self, "structure", tuple((int(one), tuple(two)) for one, two in self.structure or chain))
        require_structure(self.structure, schema)

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
