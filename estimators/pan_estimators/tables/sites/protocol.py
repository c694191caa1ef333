"""The part that all algorithms over sites share: the sites of a table, the transcript, and its replay."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.gives_rows import GivesRows
from pan_estimators.tables.schema import Schema, binary
from pan_estimators.tables.settings import require_epsilon
from pan_estimators.tables.sites.messages import Message, Recorded
from pan_estimators.tables.sites.partition import ROUND_ROBIN, Partition, Sites
from pan_estimators.tables.sites.site import Local, Site
from pan_estimators.tables.table import Table
from pan_promises.adjacency import Adjacency
from pan_promises.errors import require_count
from pan_promises.looks import Observed
from pan_promises.promise import Promise


@dataclass(frozen=True)
class OverSites(GivesRows, ABC):
    """The settings that all algorithms over sites share."""

    schema: Any = field(default_factory=lambda: binary(3))
    epsilon: float = 1.0
    sites: int = 2
    partition: Any = ROUND_ROBIN
    known: Any = ()
    rows: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", Schema.of(self.schema))
        require_epsilon(self.epsilon)
        require_count("the number of rows", self.rows)
        _ = self.rule  # Computed here, so that a wrong parameter is refused at once.
        if not hasattr(self.known, "__len__") or len(self.known):
            Table.of(self.known, self.schema)

    @property
    def promise(self) -> Promise:
        """Epsilon, for one replaced row of any one site. The numbers of rows are public if the partition fixes them."""
        return Promise(
            epsilon=self.epsilon,
            adjacency=Adjacency.REPLACE_ROW,
            observed=Observed.TRANSCRIPT,
            intrusions=0,
            public=("n", "schema", *(("n_j",) if self.rule.has_public_sizes else ())),
        )

    @cached_property
    def rule(self) -> Partition:
        """The partition."""
        return Partition(self.partition, self.sites, self.schema)

    def holders(self, data: Any, randomness: Randomness) -> list[Site]:
        """The sites of some data, each with the whole budget."""
        sites = data if isinstance(data, Sites) else self.rule.split(Table.of(data, self.schema))
        tables = [Table.of(one, self.schema) for one in sites.tables]
        if not hasattr(self.known, "__len__") or len(self.known):
            tables.append(Table.of(self.known, self.schema))
        return [Site(table, self.epsilon, randomness) for table in tables]

    def release(self, data: Any, randomness: Randomness) -> list[Message]:
        """The transcript: all messages that leave the sites."""
        recorded = Recorded(Local(self.holders(data, randomness)))
        self.ask(recorded)
        return recorded.messages

    @abstractmethod
    def ask(self, channel: Any) -> Any:
        """Ask all questions of the analyst, in order."""


def total_of(parts: Sequence[Sequence[Any]]) -> list[Any]:
    """The sums of the counts of all sites, cell by cell."""
    return [sum(cells) for cells in zip(*parts, strict=True)]
