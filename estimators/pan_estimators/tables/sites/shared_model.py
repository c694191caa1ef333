"""Sharing the noisy model: each site learns a private network, and the analyst learns from rows that they give."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from pan_estimators.randomness.interface import Randomness
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.tables.network import MOST_SAMPLED, Network
from pan_estimators.tables.privbayes import PrintedPrivBayes, PrivBayes
from pan_estimators.tables.sites.majority_vote import require_public_sizes
from pan_estimators.tables.sites.messages import Channel, Message, Replayed, are_counts
from pan_estimators.tables.sites.protocol import OverSites
from pan_estimators.tables.structure import Choice, GreedyStructure, counts_of, require_structure, structure_by
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, require_count


@dataclass(frozen=True)
class Model:
    """The private network of a site, and its number of rows."""

    learner: PrivBayes

    @property
    def words(self) -> str:
        """The question as a text."""
        asked = self.learner
        settings = f"{asked.score}, degree {asked.degree}, beta {asked.beta!r}, epsilon {asked.epsilon!r}"
        return f"model ({settings})"

    @property
    def epsilon(self) -> float:
        """The budget of the network. The number of rows is public."""
        return self.learner.epsilon

    def answer(self, table: Table, randomness: Randomness) -> list[Any]:
        """The structure, the noisy counts and the number of rows."""
        transcript = self.learner.release(table, randomness)
        structure = [[place, list(parents)] for place, parents in transcript.structure]
        return [structure, transcript.counts, table.rows]

    def accepts(self, answer: Any) -> bool:
        """Whether an answer is a structure with its counts, and a number of rows."""
        schema, degree = self.learner.schema, self.learner.degree
        try:
            structure, counts, rows = answer
            choices = tuple((int(place), tuple(map(int, parents))) for place, parents in structure)
            require_structure(choices, schema)
            require_count("the number of rows", rows, least=0, most=MOST_SAMPLED)
            cells = [prod(schema.sizes[one] for one in (place, *parents)) for place, parents in choices]
            return max(len(parents) for _, parents in choices) <= degree and all(
                are_counts(joint, size) for joint, size in zip(counts, cells, strict=True)
            )
        except (TypeError, ValueError):
            return False


@dataclass(frozen=True)
class NoisySharedModel(OverSites):
    """A network of rows that are sampled from private networks of sites, with pure epsilon for one replaced row.

    Each site shares a private network with the whole budget (bayesnet.noisy_model_privacy), and its public number of
    rows. The analyst samples as many rows from each network, and learns a network of all of them without noise.
    """

    degree: int = 1
    beta: float = 0.5
    score: str = "mutual-information"

    _learner_type: ClassVar[type[PrivBayes]] = PrivBayes
    _needs_sizes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._needs_sizes:
            require_public_sizes(self)
        _ = self.learner  # Computed here, so that a wrong parameter is refused at once.

    @cached_property
    def learner(self) -> PrivBayes:
        """The mechanism of a site."""
        return self._learner_type(self.schema, self.epsilon, self.degree, self.beta, self.score, self.rows)

    def ask(self, channel: Channel) -> list[tuple[tuple[Choice, ...], list[list[Any]], int]]:
        """The structure, the noisy counts and the number of rows of each site."""
        question = Model(self.learner)
        found: list[tuple[tuple[Choice, ...], list[list[Any]], int]] = []
        for structure, counts, rows in channel.every(question):
            choices = tuple((int(place), tuple(parents)) for place, parents in structure)
            found.append((choices, counts, int(rows)))
        return found

    def post_process(self, observation: list[Message], randomness: Randomness | None = None) -> Network:
        """The network of a transcript."""
        source = NumpyRandomness(np.random.SeedSequence()) if randomness is None else randomness
        parts = [
            Network.from_counts(self.schema, structure, counts).sample(rows, source)
            for structure, counts, rows in self.ask(Replayed(observation))
            if rows
        ]
        if not parts:
            raise InputError("no site has a row")
        together = Table(self.schema, np.concatenate([part.codes for part in parts]))
        greedy = GreedyStructure(self.schema, self.epsilon, self.degree, self.score)
        structure = structure_by(self.schema, lambda known: greedy.best_choice(together, known))
        return Network.from_counts(
            self.schema, structure, [counts_of(together, choice).ravel().tolist() for choice in structure]
        )


@dataclass(frozen=True)
class PrintedSharedModel(NoisySharedModel):
    """Sharing the noisy model with the printed weights of Algorithm 3.2. It promises epsilon, and its loss is infinite.

    The parameters are those of :class:`NoisySharedModel`. The sites may be the values of a column: then the exact
    number of rows of a site tells of a row that moves.

    Source: thesis, Algorithm 3.7, with line 12 of Algorithm 3.2.
    """

    _learner_type: ClassVar[type[PrivBayes]] = PrintedPrivBayes
    _needs_sizes: ClassVar[bool] = False
