"""A counter that follows the entries of a file or of a pipe: steps in, outputs out, each step once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.command_line.interruption import Watch
from pan_audits.command_line.output_rows import Sink
from pan_audits.command_line.state_options import Checkpoint
from pan_audits.continual.entry_source import EntryReader
from pan_audits.continual.follow_outputs import Form, Outputs
from pan_audits.continual.follow_state import Progress, save_run
from pan_audits.continual.release_times import Division, Place, Steps
from pan_audits.sources.every import Every
from pan_estimators.continual.existence import ForbiddenEntryError
from pan_promises.errors import InputError

_MOST_HELD = 2**18
"""Largest number of outputs that wait for a checkpoint."""

Batch = dict[str, list[Any]]


class StepsDigest:
    """A digest of steps that does not depend on how they come in parts."""

    def __init__(self) -> None:
        self._parts = [hashlib.blake2b(digest_size=16) for _ in range(3)]

    def update(self, steps: Steps) -> None:
        """Add steps."""
        ends = np.stack([steps.labels, steps.ends + steps.before], axis=1)
        columns: tuple[NDArray[Any], ...] = (steps.elements, steps.signs, ends)
        for digest, content in zip(self._parts, columns, strict=True):
            digest.update(np.ascontiguousarray(content, dtype=content.dtype.newbyteorder("<")).data)

    def text(self) -> str:
        """The digest so far."""
        return "".join(part.hexdigest() for part in self._parts)


@dataclass(frozen=True)
class Keeping:
    """The keeping of a run in a file.

    Attributes
    ----------
    path
        The file.
    settings
        The settings of the run, JSON-ready.
    checkpoint
        The interval of checkpoints.
    """

    path: Path
    settings: Mapping[str, Any]
    checkpoint: Checkpoint


@dataclass(eq=False)
class Follower:
    """Follows a stream with a counter.

    With a file for the state, outputs are held until they are recorded there, and then put out. A later run puts out
    the recorded ones again, where they are not known to be out, and draws noise for later steps alone.

    Attributes
    ----------
    name
        The input, for messages.
    every
        The distance between two releases.
    counter, state, randomness
        The counter, its state and the source of its noise.
    level
        The probability that all intervals hold together.
    form, sink
        The form of the outputs, and their place.
    progress
        The progress of earlier runs.
    keeping
        The keeping of the run, if it is kept.
    again
        Whether the input begins with the steps that earlier runs have put out.
    open_end
        Whether the stream continues in another input, so that the last step stays open.
    tell
        Called with the progress, for the terminal: the entries, the steps, and the last outputs.
    watch
        The signals that end the run.
    kept
        All outputs of this run, if they are wanted afterwards.
    widest
        The largest half width of an interval that this run has drawn.
    """

    name: str
    every: Every
    counter: Any
    state: Any
    randomness: Any
    level: float
    form: Form
    sink: Sink
    progress: Progress
    keeping: Keeping | None = None
    again: bool = True
    open_end: bool = False
    tell: Callable[[int, int, Outputs], None] | None = None
    watch: Watch = field(default_factory=Watch)
    kept: list[Outputs] | None = None
    widest: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        before = self.progress
        self._base, self._time = before.base, before.base_time
        if not self.again:
            self._base, self._time = before.place, before.time
        self._base_time = self._time
        self._division = Division(self.every, self.counter.steps, self._base)
        self._behind = before.place.steps - self._base.steps
        self._foreign = False
        self._digest = StepsDigest()
        self._stopped: Place | None = None
        self._ended = before.ended
        self._held: list[Outputs] = []
        self._saved_at, self._saved_after = time.monotonic(), before.place.seen

    @property
    def last_time(self) -> int | None:
        """The time of the last entry before the input."""
        return self._base_time

    @property
    def place(self) -> Place:
        """The place of the stream that was reached."""
        return self._division.place if self._stopped is None else self._stopped

    def seconds_left(self) -> float | None:
        """The seconds until outputs that are held must be put out; ``None`` if there are none."""
        if self.keeping is None or not self._held:
            return None
        seconds = self.keeping.checkpoint.seconds
        return None if seconds is None else self._saved_at + seconds - time.monotonic()

    def put_out_recorded(self) -> None:
        """Put out the outputs that were recorded last, for the case that an interruption came before."""
        if not self.progress.recorded.labels.size:
            return
        self._put_out(self.progress.recorded)
        if self.keeping is not None:
            self.sink.settle()
            known = replace(self.progress, recorded=Outputs.joined([]), written=self.sink.written)
            save_run(self.keeping.path, self.keeping.settings, known, self.counter, self.state, self.randomness)

    def follow(self, reader: EntryReader, batches: Iterator[Batch]) -> None:
        """Follow all entries, and put out all outputs."""
        problem: InputError | None = None
        while problem is None:
            # Only here does a signal end the command at once: the next batch may never come.
            try:
                batch = next(batches, None)
            except InputError as bad:
                problem = bad
                break
            if batch is None:
                break
            with self.watch.whole():
                problem = self._taken(reader, batch)
                if problem is None and self._due():
                    self.save(reader)
        with self.watch.whole(interruptible=False):
            problem = problem or self._end()
            self.save(reader, twice=True)
            if problem is None:
                self.sink.write("")
        if problem is not None:
            raise problem

    def save(self, reader: EntryReader, *, twice: bool = False) -> None:
        """Record the outputs that are held, and put them out."""
        held = Outputs.joined(self._held)
        self._record(reader, held)
        self._saved_at, self._saved_after = time.monotonic(), self._division.seen
        self._held = []
        self._put_out(held)
        if twice:
            self._record(reader, Outputs.joined([]))

    def _record(self, reader: EntryReader, held: Outputs) -> None:
        if self.keeping is None or self._behind or self._foreign:
            return
        # The rows that the last record holds must be on the disk before it is replaced.
        self.sink.settle()
        progress = Progress(
            numbers=reader.numbers,
            base=self._base,
            base_time=self._base_time,
            place=self.place,
            time=self._time,
            digest=self._digest.text(),
            ended=self._ended,
            recorded=held,
            written=self.sink.written,
        )
        save_run(self.keeping.path, self.keeping.settings, progress, self.counter, self.state, self.randomness)

    def _put_out(self, outputs: Outputs) -> None:
        if outputs.labels.size:
            self.sink.write(self.form.table(outputs).csv())
            if self.kept is not None:
                self.kept.append(outputs)
        if self.tell is not None:
            self.tell(self._division.seen, self._division.steps, outputs)

    def _due(self) -> bool:
        if self.keeping is None:
            return True
        when = self.keeping.checkpoint
        if when.updates is not None:
            return self._division.seen - self._saved_after >= when.updates
        return time.monotonic() - self._saved_at >= (when.seconds or 0)

    def _taken(self, reader: EntryReader, batch: Batch) -> InputError | None:
        """The first error in a batch. The steps before it are held."""
        try:
            for entries in reader.read([batch]):
                for steps in self._division.add(entries):
                    self._release(steps)
                    if sum(one.labels.size for one in self._held) > _MOST_HELD:
                        self.save(reader)
                if entries.times is not None and entries.times.size:
                    self._time = int(entries.times[-1])
        except InputError as problem:
            return problem
        return None

    def _end(self) -> InputError | None:
        """The end of the input: its last step, and the first error."""
        try:
            if not self.open_end and (last := self._division.finish()).ends.size:
                self._release(last)
                self._ended = True
        except InputError as problem:
            return problem
        if self._behind:
            return InputError(
                f"{self.name} ends {self._behind} steps before those that the state has put out; {_OTHER_INPUT}"
            )
        return None

    def _release(self, steps: Steps) -> None:
        if self._behind:
            known, steps = steps.split(min(self._behind, steps.ends.size))
            self._digest.update(known)
            self._behind -= known.ends.size
            if not self._behind and self._digest.text() != self.progress.digest:
                self._foreign = True
                why = _ENDED if self.progress.ended else _OTHER_INPUT
                raise InputError(f"{self.name} does not begin with the steps that the state has put out; {why}")
            if not steps.ends.size:
                return
        try:
            self._hold(steps)
        except ForbiddenEntryError as problem:
            self._stop_before(problem, steps)

    def _hold(self, steps: Steps) -> None:
        outputs = self.counter.follow(self.state, steps.elements, steps.signs, self.randomness, steps.ends)
        self._digest.update(steps)
        widths = self.counter.half_widths(self.state, len(outputs), self.level)
        self.widest = max(self.widest, float(widths.max(initial=0.0)))
        self._held.append(Outputs(steps.labels, np.asarray(outputs, dtype=np.float64), widths))

    def _stop_before(self, problem: ForbiddenEntryError, steps: Steps) -> None:
        """Hold the outputs of the steps that end before a bad entry, and end the reading with one sentence."""
        good, rest = steps.split(int(np.searchsorted(steps.ends, problem.entry, side="right")))
        if good.ends.size:
            self._hold(good)
        seen, place = steps.before + problem.entry, self._division.place
        left = slice(0, seen - rest.before)
        step = None if place.step is None else place.step - rest.ends.size
        self._stopped = Place(seen, place.steps - rest.ends.size, step, rest.elements[left], rest.signs[left])
        row = seen - self._base.seen + 1
        where = f"row {row} of {self.name}" if row > 0 else f"entry {seen + 1} of the stream"
        raise InputError(f"{problem.fault}, and {where} is one") from None


def in_pieces(batches: Iterator[Batch], most: int) -> Iterator[Batch]:
    """Batches that end at each multiple of a number of entries of the input, and where they ended before."""
    seen = 0
    for batch in batches:
        size, at = len(batch["element"][0]), 0
        while True:
            length = min(size - at, most - seen % most)
            yield {role: [column.slice(at, length) for column in columns] for role, columns in batch.items()}
            at, seen = at + length, seen + length
            if at >= size:
                break


_OTHER_INPUT = "give --input rest if it begins after these steps"
_ENDED = "its last step was put out at the end of the input; --open-end keeps the last step open"
