"""Noisy majority voting: each site votes for the next attribute and its parents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.network import Network
from pan_estimators.tables.privbayes import PrintedStructure, require_beta
from pan_estimators.tables.sites.messages import AT_ANALYST, Channel, Message, Replayed, require_clip
from pan_estimators.tables.sites.parameters import joint_counts
from pan_estimators.tables.sites.protocol import OverSites
from pan_estimators.tables.structure import Choice, GreedyStructure, structure_by
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError


@dataclass(frozen=True)
class Vote:
    """The vote of a site for the next attribute and its parents, by the exponential mechanism."""

    greedy: GreedyStructure
    known: tuple[int, ...]

    @property
    def words(self) -> str:
        """The question as a text."""
        greedy = self.greedy
        return (
            f"vote after {','.join(map(str, self.known))} "
            f"({greedy.score}, degree {greedy.degree}, epsilon {self.epsilon!r})"
        )

    @property
    def epsilon(self) -> float:
        """The budget of this vote."""
        share: float = self.greedy.epsilon / (len(self.greedy.schema.attributes) - 1)
        return share

    def answer(self, table: Table, randomness: Randomness) -> list[Any]:
        """The attribute and its parents."""
        place, parents = self.greedy.next_choice(table, self.known, randomness)
        return [place, list(parents)]

    def accepts(self, answer: Any) -> bool:
        """Whether an answer is one of the candidates."""
        try:
            place, parents = answer
            return (place, tuple(parents)) in self.greedy.candidates(self.known)
        except (TypeError, ValueError):
            return False


@dataclass(frozen=True)
class NoisyMajorityVote(OverSites):
    """A network whose structure is voted by sites, with pure epsilon for one replaced row of any one site.

    The ``N - 1`` votes of a site have ``beta epsilon``, and its counts have the rest
    (bayesnet.majority_voting_privacy). The analyst adds the candidate with the most votes, and the first of several.
    """

    degree: int = 1
    beta: float = 0.5
    score: str = "mutual-information"
    clip: str = AT_ANALYST

    _structure_type: ClassVar[type[GreedyStructure]] = GreedyStructure
    _needs_sizes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_clip(self.clip)
        require_beta(self.beta)
        if self._needs_sizes:
            require_public_sizes(self)
        _ = self.greedy  # Computed here, so that a wrong parameter is refused at once.

    @cached_property
    def greedy(self) -> GreedyStructure:
        """The mechanism of the votes of a site."""
        return self._structure_type(self.schema, self.beta * self.epsilon, self.degree, self.score, self.rows)

    def ask(self, channel: Channel) -> tuple[tuple[Choice, ...], list[list[Any]]]:
        """The structure by votes, and the noisy counts."""

        def voted(known: list[int]) -> Choice:
            answers = channel.every(Vote(self.greedy, tuple(known)))
            votes = Counter((int(place), tuple(parents)) for place, parents in answers)
            return min(votes, key=lambda one: (-votes[one], one))

        structure = structure_by(self.schema, voted)
        return structure, joint_counts(channel, self.schema, structure, (1 - self.beta) * self.epsilon, self.clip)

    def post_process(self, observation: list[Message]) -> Network:
        """The network of a transcript."""
        structure, counts = self.ask(Replayed(observation))
        return Network.from_counts(self.schema, structure, counts)


@dataclass(frozen=True)
class PrintedMajorityVote(NoisyMajorityVote):
    """Majority voting with the printed weights of Algorithm 3.2. It promises epsilon, and its loss is infinite.

    The parameters are those of :class:`NoisyMajorityVote`. The sites may be the values of a column.

    Source: thesis, Algorithm 3.6, with line 12 of Algorithm 3.2.
    """

    _structure_type: ClassVar[type[GreedyStructure]] = PrintedStructure
    _needs_sizes: ClassVar[bool] = False


def require_public_sizes(mechanism: OverSites) -> None:
    """Raise :class:`InputError` unless the numbers of rows of the sites are public."""
    if not mechanism.rule.has_public_sizes:
        raise InputError(
            "the noise of a choice depends on the number of rows of the site, which is not public if a column "
            "determines the site; give round-robin or shares"
        )
