"""The part that all algorithms over sites share: the sites of a table, the transcript, and its replay."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.mechanism import require_epsilon
from pan_estimators.tables.network import GivesRows
from pan_estimators.tables.schema import Schema, binary
from pan_estimators.tables.sites.messages import Message, Recorded
from pan_estimators.tables.sites.site import Local, Site
from pan_estimators.tables.table import Table
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, require_count, shown
from pan_promises.promise import Observed, Promise

ROUND_ROBIN = "round-robin"
"""The partition that gives row number i to site number i modulo the number of sites."""

MOST_SITES = 4096
"""The largest number of sites."""


@dataclass(frozen=True, eq=False)
class Sites:
    """The tables of the sites, all of one schema.

    Attributes
    ----------
    tables
        A table for each site.
    """

    tables: tuple[Table, ...]

    @classmethod
    def of(cls, data: Sequence[Any], schema: Schema) -> Sites:
        """The sites of some tables."""
        if not data:
            raise InputError("there are no sites")
        found = []
        for number, one in enumerate(data, start=1):
            try:
                found.append(Table.of(one, schema))
            except InputError as problem:
                raise InputError(f"site {number}: {problem}") from None
        return cls(tuple(found))


@dataclass(frozen=True)
class Partition:
    """A rule that gives each row of a table to a site."""

    rule: Any
    sites: int
    schema: Schema

    def __post_init__(self) -> None:
        if self.rule == ROUND_ROBIN:
            require_count("the number of sites", self.sites, most=MOST_SITES)
        elif isinstance(self.rule, str):
            if self.rule not in self.schema.names:
                raise InputError(
                    f"a partition is {ROUND_ROBIN!r}, a list of shares or the name of a column, got {shown(self.rule)}"
                )
            object.__setattr__(self, "sites", self.schema.sizes[self.schema.names.index(self.rule)])
        else:
            self._require_shares()

    def _require_shares(self) -> None:
        shares = self.rule
        if (
            not isinstance(shares, (list, tuple))
            or not 1 <= len(shares) <= MOST_SITES
            or not all(isinstance(one, (int, float)) and not isinstance(one, bool) and 0 < one < 1e9 for one in shares)
        ):
            raise InputError(f"the shares of sites are positive numbers, one for each site, got {shown(shares)}")
        object.__setattr__(self, "rule", tuple(shares))
        object.__setattr__(self, "sites", len(shares))

    @property
    def has_public_sizes(self) -> bool:
        """Whether the numbers of rows of the sites follow from the number of all rows."""
        return self.rule == ROUND_ROBIN or not isinstance(self.rule, str)

    def split(self, table: Table) -> Sites:
        """The tables of the sites. A site may have no rows."""
        if self.rule == ROUND_ROBIN:
            parts = [table.codes[site :: self.sites] for site in range(self.sites)]
        elif isinstance(self.rule, str):
            column = table.codes[:, self.schema.names.index(self.rule)]
            parts = [table.codes[column == site] for site in range(self.sites)]
        else:
            ends = [0, *(round(table.rows * part / sum(self.rule)) for part in accumulate(self.rule))]
            parts = [table.codes[start:end] for start, end in pairwise(ends)]
        return Sites(tuple(Table(table.schema, np.asarray(part)) for part in parts))


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
        super().__post_init__()
        require_epsilon(self.epsilon)
        _ = self.rule, self._known  # Computed here, so that a wrong parameter is refused at once.

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

    @cached_property
    def _known(self) -> tuple[Table, ...]:
        """The table of the site whose rows are known, if there is one."""
        given = not hasattr(self.known, "__len__") or len(self.known)
        return (Table.of(self.known, self.schema),) if given else ()

    def holders(self, data: Any, randomness: Randomness) -> list[Site]:
        """The sites of some data, each with the whole budget."""
        sites = data if isinstance(data, Sites) else self.rule.split(Table.of(data, self.schema))
        tables = [Table.of(one, self.schema) for one in sites.tables]
        return [Site(table, self.epsilon, randomness) for table in (*tables, *self._known)]

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
