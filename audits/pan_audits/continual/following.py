"""A counter that follows the entries of a file or of a pipe: the outputs as they come."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.continual.entry_source import Entries, EntryColumns, EntryReader
from pan_audits.continual.release_times import Division, Every, Steps
from pan_audits.sources.byte_stream import arrow_library
from pan_audits.sources.live import live_rows
from pan_audits.sources.reader import open_columns
from pan_promises.errors import on_one_line


@dataclass(frozen=True)
class Source:
    """A stream of insertions and deletions in a file or a pipe.

    Attributes
    ----------
    path
        The file: CSV or Parquet; or ``-`` for CSV at standard input.
    columns
        The columns of the elements, the actions and the times.
    every
        The distance between two releases.
    """

    path: str
    columns: EntryColumns
    every: Every

    @property
    def name(self) -> str:
        """The file, for messages."""
        return "standard input" if self.path == "-" else on_one_line(self.path)

    def entries(self) -> Iterator[Entries]:
        """The entries, part by part.

        Raises
        ------
        InputError
            If the file cannot be read, or for a bad row.
        """
        return EntryReader(self.name).read(self._batches())

    def steps(self, most: int) -> Iterator[Steps]:
        """The entries as whole steps, part by part.

        Parameters
        ----------
        most
            Largest number of steps.

        Raises
        ------
        InputError
            As in :meth:`entries`, or for more steps.
        """
        division = Division(self.every, most)
        for entries in self.entries():
            yield division.add(entries)
        yield division.finish()

    def _batches(self) -> Iterator[dict[str, list[Any]]]:
        """The columns of each batch by their role."""
        roles: dict[str, tuple[int, ...]] = {}

        def choose(names: list[str]) -> list[int]:
            roles.update(self.columns.places(names, self.name))
            return [place for places in roles.values() for place in places]

        found: Iterator[list[Any]]
        if self.path == "-":
            arrow = arrow_library()
            rows = live_rows(sys.stdin.fileno(), self.name, choose)
            found = ([arrow.array(column, arrow.large_string()) for column in batch] for batch in rows)
        else:
            found = open_columns(self.path, choose)
        for arrays in found:
            rest = list(arrays)
            batch = {}
            for role, places in roles.items():
                batch[role], rest = rest[: len(places)], rest[len(places) :]
            yield batch


@dataclass(frozen=True, eq=False)
class Outputs:
    """Consecutive outputs.

    Attributes
    ----------
    labels
        The end of each step: the number of entries so far, or the time in microseconds since 1970.
    estimates
        The outputs.
    """

    labels: NDArray[np.int64]
    estimates: NDArray[np.float64]


def followed(counter: Any, parts: Iterator[Steps], randomness: Any) -> Iterator[Outputs]:
    """The outputs of a counter after each step.

    Parameters
    ----------
    counter
        A counter of the continual family.
    parts
        The steps of the stream.
    randomness
        The source of random choices.

    Raises
    ------
    InputError
        For an entry that the model of the counter forbids.
    """
    state = counter.create(randomness)
    for part in parts:
        if part.ends.size:
            yield Outputs(part.labels, counter.follow(state, part.elements, part.signs, randomness, part.ends))
