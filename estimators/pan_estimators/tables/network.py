"""A Bayesian network: the model that is computed from noisy counts, and rows that are sampled from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.mechanism import OnTables
from pan_estimators.tables.schema import Schema
from pan_estimators.tables.structure import Choice, require_structure
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, require_count

MOST_SAMPLED = 10**8
"""The largest number of rows of one sample."""


@dataclass(frozen=True, eq=False)
class Network:
    """A Bayesian network.

    Attributes
    ----------
    schema
        The attributes.
    structure
        The attributes in an order in which each one follows its parents.
    conditionals
        For each of them the distribution given each combination of its parents: shape ``(combinations, values)``.
    """

    schema: Schema
    structure: tuple[Choice, ...]
    conditionals: tuple[NDArray[np.float64], ...]

    @classmethod
    def from_counts(cls, schema: Schema, structure: tuple[Choice, ...], counts: Sequence[Sequence[float]]) -> Network:
        """The network of noisy joint counts: negative counts become 0, and the rest is normalised.

        A combination of parents without any count has the uniform distribution.
        """
        return cls(
            schema,
            structure,
            tuple(
                _conditional(np.asarray(joint, dtype=np.float64).reshape(schema.sizes[place], -1))
                for (place, _), joint in zip(structure, counts, strict=True)
            ),
        )

    def sample(self, rows: int, randomness: Randomness) -> Table:
        """Independent rows of the network, each attribute after its parents."""
        require_count("the number of rows", rows, most=MOST_SAMPLED)
        codes = np.zeros((rows, len(self.schema.attributes)), dtype=np.int64)
        for (place, parents), conditional in zip(self.structure, self.conditionals, strict=True):
            shape = tuple(self.schema.sizes[parent] for parent in parents)
            given = [codes[:, parent] for parent in parents]
            cells = np.ravel_multi_index(tuple(given), shape) if parents else np.zeros(rows, dtype=np.int64)
            ends = np.cumsum(conditional, axis=1)[:, :-1]
            codes[:, place] = (randomness.random(rows)[:, None] >= ends[cells]).sum(axis=1)
        return Table(self.schema, codes)

    def probability(self, table: Table) -> NDArray[np.float64]:
        """The probability of each row of a table."""
        found = np.ones(table.rows)
        for (place, parents), conditional in zip(self.structure, self.conditionals, strict=True):
            shape = tuple(self.schema.sizes[parent] for parent in parents)
            given = tuple(table.codes[:, parent] for parent in parents)
            cells = np.ravel_multi_index(given, shape) if parents else np.zeros(table.rows, dtype=np.int64)
            found *= conditional[cells, table.codes[:, place]]
        return found

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        return {
            "schema": self.schema.to_dict(),
            "structure": [[place, list(parents)] for place, parents in self.structure],
            "conditionals": [conditional.tolist() for conditional in self.conditionals],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Network:
        """The network that :meth:`to_dict` wrote."""
        try:
            schema = Schema.from_dict(values["schema"])
            structure = tuple((int(place), tuple(map(int, parents))) for place, parents in values["structure"])
            conditionals = tuple(np.array(one, dtype=np.float64) for one in values["conditionals"])
        except (KeyError, TypeError, ValueError, OverflowError) as problem:
            if isinstance(problem, InputError):
                raise
            raise InputError("a network has a schema, a structure and conditionals") from None
        require_structure(structure, schema)
        if len(conditionals) != len(structure):
            raise InputError("a network has a distribution for each attribute")
        for (place, parents), one in zip(structure, conditionals, strict=True):
            shape = (int(np.prod([schema.sizes[parent] for parent in parents], dtype=int)), schema.sizes[place])
            if one.shape != shape or not (one >= 0).all() or not np.allclose(one.sum(axis=1), 1):
                raise InputError(f"the distributions of {schema.names[place]!r} have the shape {shape} and the sum 1")
        return cls(schema, structure, conditionals)


def _conditional(joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distribution of the rows of a joint table given each column, with a line for each column."""
    kept = np.maximum(joint, 0.0).T
    totals = kept.sum(axis=1, keepdims=True)
    uniform = np.full_like(kept, 1 / kept.shape[1])
    return np.where(totals > 0, kept / np.where(totals > 0, totals, 1.0), uniform)


class GivesRows(OnTables):
    """A mechanism whose model is a network."""

    def sample(self, model: Network, rows: int, randomness: Randomness) -> list[tuple[Any, ...]]:
        """Rows of a network."""
        return model.sample(rows, randomness).to_rows()

    def report(self, observation: Any, model: Network, rows: int) -> dict[str, Any]:
        """No report: a mechanism over sites has none."""
        return {}
