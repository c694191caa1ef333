"""Distributed parameters: the noisy joint counts of each site for a given structure, and their sums."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Schema
from pan_estimators.tables.sites.messages import AT_ANALYST, Channel, Counts, Message, Replayed, require_clip
from pan_estimators.tables.sites.protocol import OverSites, total_of
from pan_estimators.tables.structure import Choice, structure_or_chain


@dataclass(frozen=True)
class DistributedParameters(OverSites):
    """The parameters of a network over sites, with pure epsilon for one replaced row of any one site.

    Each site adds Laplace noise of scale ``2 N / epsilon`` to each of its ``N`` tables of counts. A row is at one site,
    so that each site has the whole budget. This also holds for a row that moves between sites: it changes two sites by
    1 in each table of counts.
    """

    structure: tuple[Choice, ...] = ()
    clip: str = AT_ANALYST

    def __post_init__(self) -> None:
        super().__post_init__()
        require_clip(self.clip)
        object.__setattr__(self, "structure", structure_or_chain(self.structure, self.schema))

    def ask(self, channel: Channel) -> list[list[Any]]:
        """The sums of the noisy counts of all sites."""
        return joint_counts(channel, self.schema, self.structure, self.epsilon, self.clip)

    def post_process(self, observation: list[Message]) -> Network:
        """The network of a transcript."""
        return Network.from_counts(self.schema, self.structure, self.ask(Replayed(observation)))


def joint_counts(
    channel: Channel, schema: Schema, structure: tuple[Choice, ...], epsilon: float, clip: str
) -> list[list[Any]]:
    """The noisy joint counts of each attribute and its parents, over all sites."""
    found = []
    for place, parents in structure:
        places = (place, *parents)
        cells = prod(schema.sizes[one] for one in places)
        found.append(total_of(channel.every(Counts(places, epsilon / len(structure), clip, cells))))
    return found
