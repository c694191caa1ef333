"""PrivBayes with one holder of the table: a greedy structure, noisy counts, and a network of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.gives_rows import GivesRows
from pan_estimators.tables.joints import NoisyJoints
from pan_estimators.tables.network import Network
from pan_estimators.tables.privbayes_report import report_on_privbayes
from pan_estimators.tables.schema import Schema, binary
from pan_estimators.tables.settings import require_epsilon
from pan_estimators.tables.structure import Choice, GreedyStructure
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown


@dataclass(frozen=True)
class Transcript:
    """Everything that leaves the holder of a table, before post-processing.

    Attributes
    ----------
    structure
        The attributes in the order of their choice, each with its parents, by their places in the schema.
    counts
        For each of them the noisy joint counts with its parents, the combinations of the parents running fastest.
    """

    structure: tuple[Choice, ...]
    counts: list[list[Any]]


@dataclass(frozen=True)
class PrivBayes(GivesRows):
    """A Bayesian network of a table, with pure epsilon for one replaced row: PrivBayes with the thesis's choices.

    The structure has ``beta epsilon``, and the counts have the rest. The promise is about the transcript, so that it
    covers the network and all samples.
    """

    schema: Any = field(default_factory=lambda: binary(3))
    epsilon: float = 1.0
    degree: int = 1
    beta: float = 0.5
    score: str = "mutual-information"
    rows: int = 8

    _structure_type: ClassVar[type[GreedyStructure]] = GreedyStructure

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", Schema.of(self.schema))
        require_epsilon(self.epsilon)
        if isinstance(self.beta, bool) or not isinstance(self.beta, (int, float)) or not 0 < self.beta < 1:
            raise InputError(f"beta must lie between 0 and 1, got {shown(self.beta)}")
        _ = self.structure  # Computed here, so that a wrong parameter is refused at once.

    @cached_property
    def structure(self) -> GreedyStructure:
        """The mechanism that chooses the structure."""
        return self._structure_type(self.schema, self.beta * self.epsilon, self.degree, self.score, self.rows)

    def joints(self, structure: tuple[Choice, ...]) -> NoisyJoints:
        """The mechanism that counts, for a structure."""
        return NoisyJoints(self.schema, structure, (1 - self.beta) * self.epsilon, self.rows)

    def release(self, table: Any, randomness: Randomness) -> Transcript:
        """The structure and the noisy counts."""
        read = Table.of(table, self.schema)
        structure = self.structure.release(read, randomness)
        return Transcript(structure, self.joints(structure).release(read, randomness))

    def post_process(self, observation: Transcript) -> Network:
        """The network of a transcript."""
        return Network.from_counts(self.schema, observation.structure, observation.counts)

    def report(self, observation: Transcript, model: Network, rows: int) -> dict[str, Any]:
        """Marginals with intervals, the parents of each attribute and the budget of each step."""
        budget = (self.beta * self.epsilon, (1 - self.beta) * self.epsilon)
        scale = self.joints(observation.structure).scale
        return report_on_privbayes(model, observation.counts, rows, scale, budget)
