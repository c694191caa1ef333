"""A site: it holds rows, answers questions with noise, and never spends budget twice."""

from __future__ import annotations

import fcntl
import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from pan_estimators.randomness.interface import Randomness
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.states.releasing import spent_in_children
from pan_estimators.tables.frames import read_csv
from pan_estimators.tables.mechanism import require_epsilon
from pan_estimators.tables.schema import Schema
from pan_estimators.tables.sites.messages import Question
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, shown

_TOLERANCE = 1e-9
"""The relative error of a sum of shares of a budget."""


@dataclass(eq=False)
class Site:
    """A holder of rows with a budget.

    A question that was answered before gets the same answer again, and spends nothing. With a file, each answer is on
    the disk before it leaves the site: a site that ends and starts again gives the same answers.
    """

    table: Table
    epsilon: float
    randomness: Randomness
    record: Path | None = None
    spent: float = field(default=0.0, init=False)
    _answers: dict[str, Any] = field(default_factory=dict, init=False)
    _forked: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        spent_in_children(self)
        if self.record is not None:
            for words, epsilon, answer in read_answers(self.record):
                self._answers[words] = answer
                self.spent += epsilon

    def leave_to_parent(self) -> None:
        """Answer nothing in the child of a fork: the parent has the budget."""
        self._forked = True

    def answer(self, question: Question) -> Any:
        """The answer to a question."""
        if self._forked:
            raise InputError("this site belongs to the parent of this process: a copy would spend its budget again")
        words = question.words
        if words in self._answers:
            return self._answers[words]
        if not 0 < question.epsilon < math.inf:
            raise InputError(f"the budget of a question must be positive and finite, got {question.epsilon!r}")
        if self.spent + question.epsilon > self.epsilon * (1 + _TOLERANCE):
            raise InputError(
                f"the budget of the site is spent: {self.spent:g} of {self.epsilon:g} are used, and the question needs "
                f"{question.epsilon:g} more"
            )
        # Spent before the noise is drawn: an answer that fails half way may have shown a part of it.
        self.spent += question.epsilon
        answer = question.answer(self.table, self.randomness)
        if self.record is not None:
            self._write(words, question.epsilon, answer)
        self._answers[words] = answer
        return answer

    def _write(self, words: str, epsilon: float, answer: Any) -> None:
        assert self.record is not None
        line = (json.dumps([words, epsilon, answer]) + "\n").encode()
        is_new = not self.record.exists()
        try:
            with self.record.open("ab", buffering=0) as file:
                before = file.tell()
                try:
                    if file.write(line) < len(line):
                        raise OSError(0, "the disk is full")
                    os.fsync(file.fileno())
                except OSError:
                    # A later answer must not follow a part of this one on its line.
                    file.truncate(before)
                    raise
            if is_new:
                _sync_folder(self.record.parent)
        except OSError as problem:
            raise InputError(
                f"cannot write the answers of a site to {shown(str(self.record))}: {problem.strerror}"
            ) from None


def _sync_folder(folder: Path) -> None:
    """Write the entries of a folder to the disk: without this, a new file can be lost if the machine stops."""
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def read_answers(record: Path) -> list[tuple[str, float, Any]]:
    """The questions that a site has answered, each with its budget and its answer.

    A line without an end is cut off: the site ended while it wrote, so that the answer did not leave it.
    """
    if not record.exists():
        return []
    try:
        content = record.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if rest := content[len(whole) :]:
            if not b'["'.startswith(rest[:2]):
                raise ValueError("no line of a record")
            with record.open("r+b") as file:
                file.truncate(len(whole))
        found = []
        for line in whole.decode("utf-8").splitlines():
            words, epsilon, answer = json.loads(line)
            if not 0 < float(epsilon) < math.inf:
                raise ValueError("no budget")
            found.append((str(words), float(epsilon), answer))
    except (OSError, ValueError, TypeError):
        raise InputError(f"cannot read the answers of a site in {str(record)!r}") from None
    return found


@dataclass(frozen=True, eq=False)
class Local:
    """A channel to sites in this process.

    Attributes
    ----------
    holders
        The sites.
    """

    holders: Sequence[Site]

    @property
    def sites(self) -> int:
        """The number of sites."""
        return len(self.holders)

    def ask(self, site: int, question: Question) -> Any:
        """The answer of a site."""
        return self.holders[site].answer(question)

    def every(self, question: Question) -> list[Any]:
        """The answers of all sites, one after the other."""
        return [self.ask(site, question) for site in range(self.sites)]


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
