"""Drawing observations, block by block, with an engine; finished blocks are remembered in a journal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, TypeAlias

from pan_audits.audit.journal import Journal
from pan_audits.events import Reading, Table
from pan_audits.problems.inputs.streams.family import Family, Pair
from pan_audits.subject.running.runner import Runner, observed, with_likelihood_ratio
from pan_audits.workers.engines import Engine, InProcess, Processes, Shared, Task
from pan_audits.workers.limits import Failure, Limits, MechanismError, Outcome

RUNS_PER_BLOCK = 256
"""Runs of a block, which has a seed of its own and is run as a whole by one worker."""

MOST_RUNS_OF_BATCH = 2**14
"""Most runs of a batch of a function that takes a size."""

_SECONDS_OF_A_TASK, _TASKS_OF_A_WORKER, _MOST_BLOCKS = 0.1, 3, 32
"""Blocks of fast code are sent together: for about so many seconds, with some tasks left for each worker."""

Progress = Callable[..., None]
"""Called with the number of newly finished runs; in a long audit also with the result so far."""


Side: TypeAlias = tuple[Family, int]
"""A stream, as a family and a place in it."""


@dataclass(frozen=True)
class Block:
    """``runs`` observations on one stream of a family, from a seed of this block alone.

    Without ``features``, the table holds only the exact log-likelihoods where these are known.
    """

    family: Family
    place: int
    runs: int
    seed: tuple[int, ...]
    features: bool = True

    def key(self) -> str:
        """A name that is different for each block with different observations."""
        seed = [str(part) for part in self.seed]
        described = [_described(self.family), self.place, self.runs, seed, self.features]
        return hashlib.sha256(json.dumps(described).encode()).hexdigest()

    def observed_by(self, runner: Runner) -> Table:
        """The observations of a mechanism."""
        return observed(runner, self.family, self.place, self.runs, self.seed, features=self.features)


def _observed(blocks: Sequence[Block], runner: Shared) -> tuple[Table, ...]:
    return tuple(block.observed_by(runner.value) for block in blocks)


@lru_cache(maxsize=64)
def _described(family: Family) -> str:
    sides = [side.to_dict() for side in family.sides]
    content = json.dumps([sides, list(map(str, family.schedule)), str(family.user)])
    return hashlib.sha256(content.encode()).hexdigest()


def block_runs(runner: Runner) -> int:
    """Runs of a block: more of a mechanism that makes batches."""
    return getattr(runner, "batch_runs", 0) or RUNS_PER_BLOCK


def blocks_for(
    family: Family,
    place: int,
    runs: int,
    *,
    entropy: int,
    purpose: int,
    chunk: int,
    size: int = RUNS_PER_BLOCK,
    features: bool = True,
) -> list[Block]:
    """Blocks that together give ``runs`` observations, small enough to be shared among workers.

    Seeds depend only on the entropy of the run, the purpose, the stream and the place in the sample.
    The order of the blocks and the number of workers do not change an observation.
    """
    fingerprint = family.side(place).fingerprint(family.schedule)
    blocks = [size] * (runs // size) + [runs % size] * (runs % size > 0)
    return [
        Block(family, place, block, (entropy, purpose, fingerprint, chunk, part), features)
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
    varied
        Whether two runs of a block have shown something different.
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
    varied: bool = False
    busy_seconds: float = 0.0
    work_seconds: float = 0.0
    engine: Engine | None = None
    reading: Reading | None = None
    _shared: Shared | None = field(default=None, init=False, repr=False)
    _timed_runs: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.engine is None:
            self.engine = Processes(self.workers, self.limits) if self.workers else InProcess()

    def draw(self, blocks: Sequence[Block]) -> list[Table]:
        """The tables of all blocks, in their order; a repeated block is run once."""
        tables: dict[str, Table] = {}
        keys = {block.key(): block for block in blocks}
        for key, block in keys.items() if self.journal else ():
            assert self.journal is not None
            table, printed = self.journal.block(key, block.runs)
            self.printed += printed
            if table is not None:
                tables[key] = table
                self._tell(block.runs)
        assert self.engine is not None
        missing = [key for key in keys if key not in tables]
        if self._shared is None or self._shared.value is not self.runner:
            self._shared = Shared(self.runner)
        size = self._blocks_of_a_task([keys[key] for key in missing])
        groups = [missing[start : start + size] for start in range(0, len(missing), size)]
        tasks = [partial(_observed, [keys[key] for key in group], self._shared) for group in groups]
        for number, outcome in successes(self.engine, tasks):
            printed = outcome.printed
            self.printed += printed
            self.busy_seconds += outcome.seconds
            self.work_seconds += outcome.busy
            for key, table in zip(groups[number], outcome.result, strict=True):
                tables[key] = table
                if self.journal:
                    self.journal.record(key, table, printed=printed)
                    printed = 0
                self._timed_runs += keys[key].runs
                self._tell(keys[key].runs)
        self.runs += sum(block.runs for block in blocks)
        self.varied = self.varied or any(table.varies for table in tables.values())
        return [tables[block.key()] for block in blocks]

    def _blocks_of_a_task(self, blocks: Sequence[Block]) -> int:
        """The blocks that a worker makes at a time: more of fast code. What they show does not depend on it."""
        if not self._timed_runs or not blocks:
            return 1
        each = blocks[0].runs * self.busy_seconds / self._timed_runs
        assert self.engine is not None
        shared = len(blocks) // (_TASKS_OF_A_WORKER * max(1, self.engine.workers))
        return max(1, min(shared, _MOST_BLOCKS, int(_SECONDS_OF_A_TASK / max(each, 1e-6))))

    def draw_sides(self, sides: Iterable[tuple[Family, int]], runs: int, **seeded: Any) -> list[Table]:
        """One table for each side; the other arguments are those of :func:`blocks_for`."""
        return self.draw_joined([blocks_for(family, place, runs, **seeded) for family, place in sides])

    def draw_joined(self, groups: Sequence[Sequence[Block]]) -> list[Table]:
        """One table for each group of blocks."""
        flat = [block for group in groups for block in group]
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


_KEPT_AS_THEY_ARE = 4096
"""The first runs on each stream, whose numbers are also kept as they are."""


@dataclass
class Samples:
    """The runs on each stream so far.

    Attributes
    ----------
    tables
        The runs, as they are read.
    as_they_are
        The first of them, with all bits of their numbers.
    runs
        All runs that were made.
    """

    tables: dict[Side, list[Table]] = field(default_factory=dict)
    as_they_are: dict[Side, list[Table]] = field(default_factory=dict)
    runs: int = 0

    def draw(
        self, sampler: Sampler, sides: Sequence[Side], runs: int, *, known: int | None = None, **seeded: Any
    ) -> None:
        """Make runs on some streams. Of the first runs of a stream, ``known`` ones may fix how columns are read."""
        # If the likelihood ratio is known, events are learned from it alone.
        drawn = sampler.draw_sides(sides, runs, **{"features": False, **seeded})
        first = [
            table if side in self.tables else table.rows(0, runs if known is None else known)
            for side, table in zip(sides, drawn, strict=True)
        ]
        for side, table, as_it_is in zip(sides, sampler.read(drawn, first), drawn, strict=True):
            self.tables.setdefault(side, []).append(table)
            kept = self.as_they_are.setdefault(side, [])
            if (more := _KEPT_AS_THEY_ARE - sum(each.runs for each in kept)) > 0:
                kept.append(as_it_is.rows(0, more))
        self.runs += runs * len(sides)

    def of(self, pair: Pair) -> tuple[Table, Table]:
        """Equally many runs on the two streams of a pair."""
        left, right = (Table.concatenate(self.tables[side]) for side in streams_of([pair]))
        runs = min(left.runs, right.runs)
        ours, theirs = (with_likelihood_ratio(table.rows(0, runs), pair.left, pair.right) for table in (left, right))
        return ours, theirs

    def bits_of(self, pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Table, Table]]:
        """Equally many of the first runs on both streams of some pairs, with all bits of their numbers."""
        for pair in pairs:
            sides = [self.as_they_are.get(side) for side in streams_of([pair])]
            if all(sides):
                left, right = (Table.concatenate(side) for side in sides if side)
                runs = min(left.runs, right.runs)
                yield pair, left.rows(0, runs), right.rows(0, runs)


def streams_of(pairs: Iterable[Pair]) -> list[Side]:
    """The distinct streams of some pairs."""
    return list(dict.fromkeys((pair.family, place) for pair in pairs for place in (pair.left, pair.right)))
