"""Drawing observations, block by block, with an engine; finished blocks are remembered in a journal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pan_audits.audit.journals.journal import Journal
from pan_audits.events import Reading, Table
from pan_audits.problems.inputs.streams.family import Family
from pan_audits.subject.running.runner import Runner, observed
from pan_audits.workers.engines import Engine, InProcess, Processes, Task
from pan_audits.workers.limits import Failure, Limits, MechanismError, Outcome

RUNS_PER_BLOCK = 256
"""Runs of a block, which has a seed of its own and is run as a whole by one worker."""

MOST_RUNS_OF_BATCH = 2**14
"""Most runs of a batch of a function that takes a size."""

Progress = Callable[..., None]
"""Called with the number of newly finished runs; in a long audit also with the result so far."""


@dataclass(frozen=True)
class Request:
    """``runs`` observations on one stream of a family, from a seed of this request alone.

    Without ``features``, the table holds only the exact log-likelihoods where these are known.
    """

    family: Family
    place: int
    runs: int
    seed: tuple[int, ...]
    features: bool = True

    def key(self) -> str:
        """A name that is different for each request with a different answer."""
        seed = [str(part) for part in self.seed]
        described = [_described(self.family), self.place, self.runs, seed, self.features]
        return hashlib.sha256(json.dumps(described).encode()).hexdigest()


@lru_cache(maxsize=64)
def _described(family: Family) -> str:
    sides = [side.to_dict() for side in family.sides]
    content = json.dumps([sides, list(map(str, family.schedule)), str(family.user)])
    return hashlib.sha256(content.encode()).hexdigest()


def block_runs(runner: Runner) -> int:
    """Runs of a block: more of a mechanism that makes batches."""
    return getattr(runner, "batch_runs", 0) or RUNS_PER_BLOCK


def requests_for(
    family: Family,
    place: int,
    runs: int,
    *,
    entropy: int,
    purpose: int,
    chunk: int,
    size: int = RUNS_PER_BLOCK,
    features: bool = True,
) -> list[Request]:
    """Requests that together give ``runs`` observations, small enough to be shared among workers.

    Seeds depend only on the entropy of the run, the purpose, the stream and the place in the sample.
    The order of the requests and the number of workers do not change an observation.
    """
    fingerprint = family.side(place).fingerprint(family.schedule)
    blocks = [size] * (runs // size) + [runs % size] * (runs % size > 0)
    return [
        Request(family, place, block, (entropy, purpose, fingerprint, chunk, part), features)
        for part, block in enumerate(blocks)
    ]


@dataclass
class Sampler:
    """Draws observations from a mechanism.

    Attributes
    ----------
    runs
        Observations drawn so far.
    printed
        Bytes that the mechanism printed.
    busy_seconds, work_seconds
        The time that the runs took by the clock, summed over the workers, and their time of the processor.
    """

    runner: Runner
    workers: int = 0
    limits: Limits = field(default_factory=Limits)
    journal: Journal | None = None
    progress: Progress | None = None
    runs: int = 0
    printed: int = 0
    busy_seconds: float = 0.0
    work_seconds: float = 0.0
    engine: Engine | None = None
    reading: Reading | None = None

    def __post_init__(self) -> None:
        if self.engine is None:
            self.engine = Processes(self.workers, self.limits) if self.workers else InProcess()

    def draw(self, requests: Sequence[Request]) -> list[Table]:
        """The tables for all requests, in their order; a repeated request is run once."""
        tables: list[Table | None] = [None] * len(requests)
        keys = [request.key() for request in requests]
        if self.journal:
            for place, key in enumerate(keys):
                tables[place], printed = self.journal.block(key, requests[place].runs)
                self.printed += printed
                if tables[place] is not None:
                    self._tell(requests[place].runs)
        assert self.engine is not None
        places = {key: place for place, key in reversed([*enumerate(keys)])}
        missing = [place for place in sorted(places.values()) if tables[place] is None]
        tasks = [_Task(self.runner, requests[place]) for place in missing]
        for number, outcome in successes(self.engine, tasks):
            place = missing[number]
            tables[place] = outcome.result
            self.printed += outcome.printed
            self.busy_seconds += outcome.seconds
            self.work_seconds += outcome.busy
            if self.journal:
                self.journal.record(keys[place], outcome.result, printed=outcome.printed)
            self._tell(requests[place].runs)
        self.runs += sum(request.runs for request in requests)
        return [table for key in keys if (table := tables[places[key]]) is not None]

    def draw_sides(self, sides: Iterable[tuple[Family, int]], runs: int, **seeded: Any) -> list[Table]:
        """One table for each side; the other arguments are those of :func:`requests_for`."""
        return self.draw_joined([requests_for(family, place, runs, **seeded) for family, place in sides])

    def draw_joined(self, groups: Sequence[Sequence[Request]]) -> list[Table]:
        """One table for each group of requests."""
        flat = [request for group in groups for request in group]
        tables = iter(self.draw(flat))
        return [Table.concatenate([next(tables) for _ in group]) for group in groups]

    def read(self, tables: Sequence[Table], known: Sequence[Table] | None = None) -> list[Table]:
        """Observations as they are read. The reading of new columns is fixed by the ``known`` rows; by default, all."""
        if self.reading is None:
            return list(tables)
        self.reading.learn(tables if known is None else known)
        return [self.reading(table) for table in tables]

    def _tell(self, runs: int) -> None:
        if self.progress:
            self.progress(runs)


def successes(engine: Engine, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
    """The outcomes of tasks as they come."""
    passed, beyond = 0, set[int]()
    failed: dict[int, Failure] = {}
    for number, outcome in engine.run(tasks):
        if isinstance(outcome.result, Failure):
            failed[number] = outcome.result
        else:
            yield number, outcome
        beyond.add(number)
        while passed in beyond and passed not in failed:
            beyond.remove(passed)
            passed += 1
        if passed in failed:
            raise MechanismError(failed[passed].sentence)


@dataclass(frozen=True)
class _Task:
    runner: Runner
    request: Request

    def __call__(self) -> Table:
        request = self.request
        return observed(
            self.runner, request.family, request.place, request.runs, request.seed, features=request.features
        )
