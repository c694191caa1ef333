"""PrivBayes: as its guarantee needs it, and as it is printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.mechanism import require_epsilon
from pan_estimators.tables.network import GivesRows, Network
from pan_estimators.tables.reports import report_on_privbayes
from pan_estimators.tables.schema import binary
from pan_estimators.tables.structure import Choice, GreedyStructure, NoisyJoints
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown


def require_beta(beta: Any) -> None:
    """Raise :class:`InputError` unless a share lies between 0 and 1."""
    if isinstance(beta, bool) or not isinstance(beta, (int, float)) or not 0 < beta < 1:
        raise InputError(f"beta must lie between 0 and 1, got {shown(beta)}")


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
        super().__post_init__()
        require_epsilon(self.epsilon)
        require_beta(self.beta)
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


@dataclass(frozen=True)
class PrintedStructure(GreedyStructure):
    """The greedy structure with the printed weights: a candidate has a probability proportional to its score.

    The printed weight is ``I epsilon / (2 (N - 1) sensitivity)`` and not its exponential. A candidate with the score 0
    is then impossible, and one row can give it another score: the loss is infinite. If all scores are 0, the printed
    weights are no distribution, and all candidates are equally likely here. The parameters are those of
    :class:`~pan_estimators.tables.structure.GreedyStructure`.

    Source: thesis, Algorithm 3.2, line 12.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.score == "F":
            raise InputError("the printed weights need scores of at least 0, and the score F is never positive")

    def _choose(self, candidates: list[Choice], scores: list[Any], sensitivity: Any, randomness: Randomness) -> Choice:
        weights = [float(score) for score in scores]
        total = sum(weights)
        if total <= 0:
            return candidates[int(randomness.integers(len(candidates)))]
        return candidates[int(randomness.choice(len(candidates), p=[weight / total for weight in weights]))]


@dataclass(frozen=True)
class PrintedPrivBayes(PrivBayes):
    """PrivBayes with the printed weights of Algorithm 3.2. It promises epsilon, and its loss is infinite.

    The parameters are those of :class:`~pan_estimators.tables.privbayes.PrivBayes`.

    Source: thesis, Algorithms 3.2 and 3.3.
    """

    _structure_type: ClassVar[type[GreedyStructure]] = PrintedStructure
