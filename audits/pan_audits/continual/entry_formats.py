"""A stream of insertions and deletions in a file or a pipe: CSV, JSON lines, Parquet or Arrow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pan_audits.continual.entry_columns import EntryColumns
from pan_audits.continual.entry_format import EntryFormat
from pan_audits.sources.byte_stream import standard_input
from pan_audits.sources.live_lines import Wait
from pan_audits.sources.pipe_columns import pipe_columns
from pan_audits.sources.reader import open_columns
from pan_promises.errors import InputError, on_one_line


@dataclass(frozen=True)
class Source:
    """A stream of insertions and deletions in a file or a pipe.

    Attributes
    ----------
    path
        The file, or ``-`` for standard input.
    columns
        The columns of the elements, the actions and the times.
    form
        The format. By default it follows from the suffix of the file; standard input is CSV.
    """

    path: str
    columns: EntryColumns
    form: EntryFormat = EntryFormat.AUTO

    @property
    def is_pipe(self) -> bool:
        """Whether the stream is at standard input."""
        return self.path == "-"

    @property
    def name(self) -> str:
        """The file, for messages."""
        return "standard input" if self.is_pipe else on_one_line(self.path)

    def version(self) -> tuple[int, ...]:
        """Numbers that change when the file is written to or replaced."""
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            raise InputError(f"there is no file {self.name}") from None
        except (OSError, ValueError) as problem:
            raise InputError(f"cannot read {self.name}: {getattr(problem, 'strerror', None) or problem}") from None
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

    def batches(self, *, wait: Wait | None = None, counting: bool = False) -> Iterator[dict[str, list[Any]]]:
        """The columns of each batch by their role."""
        found: dict[str, tuple[int, ...]] = {}

        def choose(names: list[str]) -> list[int]:
            places = self.columns.places(names, self.name)
            if counting:
                kept = "time" if "time" in places else "element"
                places = {kept: places[kept][:1]}
            found.update(places)
            return [place for places in found.values() for place in places]

        for arrays in self._arrays(choose, wait):
            rest, batch = list(arrays), {}
            for role, places in found.items():
                batch[role], rest = rest[: len(places)], rest[len(places) :]
            yield batch

    def _arrays(self, choose: Callable[[list[str]], list[int]], wait: Wait | None) -> Iterator[list[Any]]:
        if not self.is_pipe:
            yield from open_columns(self.path, choose, kind=str(self.form))
            return
        yield from pipe_columns(standard_input(), self.name, choose, kind=str(self.form), wait=wait)
