"""A site as files: its rows and the record of its answers. Each question is answered from the files alone."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pan_estimators.randomness.interface import Randomness
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.tables.frames import read_csv
from pan_estimators.tables.schema import Schema
from pan_estimators.tables.sites.messages import Question
from pan_estimators.tables.sites.site import Site
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown


@dataclass(frozen=True)
class SiteFile:
    """A holder of rows in a CSV file, with a budget. It holds paths alone, so that it can be sent to a process.

    Any process that reaches the files can answer. One process answers at a time. An answer is on the disk before it
    leaves the process: a question that is asked again, after a crash as well, gets the same answer and spends nothing.
    """

    data: str
    schema: str
    epsilon: float
    record: str
    seed: int | None = None

    def answer(self, question: Question, schema: Schema | None = None) -> Any:
        """The answer to a question."""
        table = _table(self.data, self.schema, (_changed(self.data), _changed(self.schema)))
        if schema is not None and table.schema != schema:
            raise InputError(f"{shown(self.schema)} is another schema than that of the question")
        with _alone(Path(self.record)):
            return Site(table, self.epsilon, self._randomness(question), Path(self.record)).answer(question)

    def _randomness(self, question: Question) -> Randomness:
        if self.seed is None:
            return SecureRandomness()
        # Each question has numbers of its own, in whatever process it is answered.
        return NumpyRandomness(int.from_bytes(f"{self.seed} {question.words}".encode(), "little"))


def _changed(path: str) -> int:
    return Path(path).stat().st_mtime_ns if Path(path).exists() else 0


@lru_cache(maxsize=4)
def _table(data: str, schema: str, changed: tuple[int, int]) -> Table:
    """The rows, which a process reads once unless a file changes."""
    read = Schema.of(schema)
    return Table.of(read_csv(data, read), read)


@contextmanager
def _alone(record: Path) -> Iterator[None]:
    """Keep other processes from answering for the same site."""
    try:
        with record.with_name(record.name + ".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
    except OSError as problem:
        raise InputError(f"cannot write the answers of a site to {shown(str(record))}: {problem.strerror}") from None
