"""A run that follows a count: steps in, outputs out, each step once."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.existence import ForbiddenEntryError
from pan_estimators.continual.follow_outputs import HEADER, Form, Outputs, Table, read_table
from pan_estimators.continual.follow_state import Progress, SavedRun, load_run, save_run
from pan_estimators.continual.members import create_counter
from pan_estimators.counting.rows import Nowhere, Sink, sink_of
from pan_estimators.counting.run import Checkpoint, CheckpointedRun, tell
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.reading.elements import ElementNumbers
from pan_estimators.reading.entries import Blank, EntryReader, Source
from pan_estimators.reading.steps import Division, Place, Steps, count_steps
from pan_estimators.reading.times import Every
from pan_estimators.states.state_file import require_content, require_savable
from pan_promises.errors import InputError
from pan_promises.promise import Promise

_MOST_HELD = 2**18
"""Largest number of outputs that wait for a checkpoint."""
_PIECE = 2**16
"""Largest number of entries that are followed at once."""
_OTHER_INPUT = "give --input rest if it begins after these steps"
_ENDED = "its last step was put out at the end of the input; --open-end keeps the last step open"

Batch = dict[str, list[Any]]
Shown = Callable[[int, int, Outputs], None]
"""Shows the progress: the entries, the steps, and the last outputs."""


@dataclass(frozen=True)
class FollowRequest:
    """The request for a run.

    Attributes
    ----------
    name, parameters
        The counter, and its parameters without the number of steps.
    source, every, blank
        The stream, the distance between two releases, and the treatment of entries without an element.
    steps
        The largest number of releases. By default the number of steps of the file, or that of the state.
    level
        The probability that all intervals hold together.
    seed
        The seed of the noise; ``None`` for secure noise.
    conversion
        The conversion of the budget in words.
    state, checkpoint, whole, open_end
        The file of the run, the interval of checkpoints, whether the input begins with the steps that are out, and
        whether the last step stays open.
    output
        The file of the outputs; by default standard output.
    silent
        Whether nothing is written to standard output.
    """

    name: str
    parameters: Mapping[str, Any]
    source: Source
    every: Every
    blank: Blank = field(default_factory=Blank)
    steps: int | None = None
    level: float = 0.95
    seed: int | None = None
    conversion: str = ""
    state: Path | None = None
    checkpoint: Checkpoint = field(default_factory=lambda: Checkpoint(seconds=1.0))
    whole: bool = True
    open_end: bool = False
    output: Path | None = None
    silent: bool = False

    def settings(self) -> dict[str, Any]:
        """The settings that all runs with one state share, JSON-ready; ``None`` for those by default."""
        columns = self.source.columns
        return {
            "counter": self.name,
            **self.parameters,
            "every": f"{self.every.entries} entries" if self.every.entries else f"{self.every.microseconds} us",
            "element": list(columns.elements),
            "action": columns.action,
            "time": columns.time,
            "missing": str(self.blank.policy),
            "missing-text": sorted(self.blank.texts),
            "level": self.level,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Summary:
    """A run, for people.

    Attributes
    ----------
    counter
        The name of the counter.
    promise
        Its promise.
    conversion
        The conversion of the budget in words, if another one was given.
    steps
        The largest number of outputs.
    deviation
        The largest standard deviation of an output.
    width
        Half the largest possible width of an interval.
    level
        The probability that all intervals hold together.
    compared_with
        The counts that the intervals hold, in words.
    private
        Whether the noise is secure.
    widest
        Half the largest width of an interval in this run; 0 before the run.
    """

    counter: str
    promise: Promise
    conversion: str
    steps: int
    deviation: float
    width: float
    level: float
    compared_with: str
    private: bool
    widest: float = 0.0

    @classmethod
    def of(cls, name: str, counter: Any, request: FollowRequest) -> Summary:
        """The summary of a run with a counter."""
        return cls(
            counter=name,
            promise=counter.promise,
            conversion=request.conversion,
            steps=counter.steps,
            deviation=counter.noise,
            width=counter.half_width(request.level),
            level=request.level,
            compared_with=counter.compared_with,
            private=request.seed is None,
        )

    def with_width(self, width: float) -> Summary:
        """The summary after an interval of half a width."""
        return replace(self, widest=max(self.widest, width))

    def line(self) -> str:
        """The run on one line."""
        private = "" if self.private else "; the noise has a seed, so that nothing is private"
        return (
            f"promise {self.promise.describe()}; standard deviation at most {self.deviation:.4g}; all {self.steps:,} "
            f"outputs are within {self.width:.4g} of {self.compared_with}{self._widest()}, with probability "
            f"{self.level:g}{private}"
        )

    def facts(self) -> list[tuple[str, str]]:
        """The numbers with their labels."""
        return [
            ("largest number of outputs", f"{self.steps:,}"),
            ("standard deviation of an output", f"at most {self.deviation:.4g}"),
            ("half the width of an interval", f"at most {self.width:.4g}{self._widest()}"),
            ("all intervals hold together", f"with probability {self.level:g}"),
            ("they are about", self.compared_with),
        ]

    def document(self) -> dict[str, Any]:
        """The run without its outputs as a JSON-ready document."""
        return {
            "counter": self.counter,
            "promise": self.promise.to_dict(),
            "conversion": self.conversion or None,
            "steps": self.steps,
            "deviation": self.deviation,
            "half_width": self.width,
            "level": self.level,
            "compared_with": self.compared_with,
            "private": self.private,
        }

    def _widest(self) -> str:
        """The largest distance of an output in this run, if it is smaller."""
        shown = f"{self.widest:.4g}"
        return f", those of this run within {shown}" if self.widest and shown != f"{self.width:.4g}" else ""


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


class FollowRun(CheckpointedRun):
    """A run of a counter that follows a stream. :meth:`begin` makes it.

    With a file for the state, outputs are held until they are recorded there, and then put out. A later run puts out
    the recorded ones again, where they are not known to be out, and draws noise for later steps alone.

    Attributes
    ----------
    request
        The stream, the counter and the files.
    summary, form
        The promise and the intervals, and the form of the outputs.
    kept
        All outputs of this run, if they are wanted afterwards and are in no file.
    """

    @classmethod
    def begin(cls, request: FollowRequest, show: Shown | None = None, *, keep: bool = False) -> FollowRun:
        """The run of a new counter, or of the one in the state file.

        Parameters
        ----------
        request
            The stream, the counter and the files.
        show
            Called with the progress, for the terminal.
        keep
            Whether the outputs are kept for :meth:`table`.

        Raises
        ------
        InputError
            If the state is of another run, its stream has ended, or a file cannot be written.
        """
        saved = None
        if request.state is not None:
            require_savable(request.state)
            saved = _saved(request, request.state)
        version, steps = _steps(request, saved)
        counter = create_counter(request.name, {**request.parameters, "steps": steps})
        randomness: Any = SecureRandomness() if request.seed is None else NumpyRandomness(request.seed)
        state = counter.create(randomness) if saved is None else saved.counter_state(counter, randomness)
        progress = Progress(ElementNumbers()) if saved is None else saved.progress
        if progress.ended and not request.whole:
            raise InputError(
                "the stream of the state has ended: its last step was put out, and --open-end would have kept it open"
            )
        written = None if saved is None else progress.written
        sink = Nowhere() if request.silent else sink_of(request.output, HEADER, written)
        run = cls(request, counter, state, randomness, progress, sink)
        run._version, run._show, run.kept = version, show, [] if keep and request.output is None else None
        return run

    def __init__(
        self, request: FollowRequest, counter: Any, state: Any, randomness: Any, before: Progress, sink: Sink
    ) -> None:
        super().__init__(None if request.state is None else request.checkpoint)
        self.request, self.counter, self.state, self.randomness = request, counter, state, randomness
        self.kept: list[Outputs] | None = None
        self.summary = Summary.of(request.name, counter, request)
        self.form = Form(
            self.summary.deviation,
            timed=bool(request.every.microseconds),
            least=-inf if getattr(counter, "counts_events", False) else 0.0,
        )
        self._name = request.source.name
        self._version: tuple[int, ...] | None = None
        self._show: Shown | None = None
        self._before, self._sink = before, sink
        self._settings = {**request.settings(), "steps": counter.steps}
        self._base, self._time = before.base, before.base_time
        if not request.whole:
            self._base, self._time = before.place, before.time
        self._base_time = self._time
        self._division = Division(request.every, counter.steps, self._base)
        self._behind = before.place.steps - self._base.steps
        self._foreign = False
        self._digest = StepsDigest()
        self._stopped: Place | None = None
        self._ended = before.ended
        self._held: list[Outputs] = []
        self._reader = EntryReader(self._name, before.numbers, blank=request.blank, last=self._base_time)
        self.is_saved(before.place.seen)

    @property
    def place(self) -> Place:
        """The place of the stream that was reached."""
        return self._division.place if self._stopped is None else self._stopped

    @property
    def skipped(self) -> int:
        """The number of entries without an element that were taken as no-ops."""
        return self._reader.tally.skipped

    def table(self) -> Table:
        """All outputs."""
        if self.request.output is None:
            return self.form.table(Outputs.joined(self.kept or []))
        return read_table(self.request.output, timed=self.form.timed)

    def read(self) -> None:
        """Follow all entries of the input, and put out all outputs."""
        request = self.request
        try:
            if not request.whole:
                seen = self._before.place.seen
                tell(f"the state holds the first {seen:,} entries; the input begins with the next one")
            with self.watching():
                self._put_out_recorded()
                batches = request.source.batches(wait=self._seconds_left)
                if self._version is not None:
                    batches = _unchanged(request.source, self._version, batches)
                self._follow(in_pieces(batches, min(_PIECE, request.checkpoint.updates or _PIECE)))
        finally:
            self._sink.close()

    def _seconds_left(self) -> float | None:
        """The seconds until outputs that are held must be put out; ``None`` if there are none."""
        if self.checkpoint is None or not self._held:
            return None
        seconds = self.checkpoint.seconds
        return None if seconds is None else self._saved_at + seconds - time.monotonic()

    def _put_out_recorded(self) -> None:
        """Put out the outputs that were recorded last, for the case that an interruption came before."""
        if not self._before.recorded.labels.size:
            return
        self._put_out(self._before.recorded)
        if self.request.state is not None:
            self._sink.settle()
            known = replace(self._before, recorded=Outputs.joined([]), written=self._sink.written)
            self._save_run(known)

    def _follow(self, batches: Iterator[Batch]) -> None:
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
                problem = self._taken(batch)
                if problem is None and (self.checkpoint is None or self.due(self._division.seen)):
                    self.save()
        with self.watch.whole(interruptible=False):
            problem = problem or self._end()
            self.save(twice=True)
            if problem is None:
                self._sink.write("")
        if problem is not None:
            raise problem

    def save(self, *, twice: bool = False) -> None:
        """Record the outputs that are held, and put them out."""
        held = Outputs.joined(self._held)
        self._record(held)
        self.is_saved(self._division.seen)
        self._held = []
        self._put_out(held)
        if twice:
            self._record(Outputs.joined([]))

    def _record(self, held: Outputs) -> None:
        if self.request.state is None or self._behind or self._foreign:
            return
        # The rows that the last record holds must be on the disk before it is replaced.
        self._sink.settle()
        progress = Progress(
            numbers=self._reader.numbers,
            base=self._base,
            base_time=self._base_time,
            place=self.place,
            time=self._time,
            digest=self._digest.text(),
            ended=self._ended,
            recorded=held,
            written=self._sink.written,
        )
        self._save_run(progress)

    def _put_out(self, outputs: Outputs) -> None:
        if outputs.labels.size:
            self._sink.write(self.form.table(outputs).csv())
            if self.kept is not None:
                self.kept.append(outputs)
        if self._show is not None:
            self._show(self._division.seen, self._division.steps, outputs)

    def _taken(self, batch: Batch) -> InputError | None:
        """The first error in a batch. The steps before it are held."""
        try:
            for entries in self._reader.read([batch]):
                for steps in self._division.add(entries):
                    self._release(steps)
                    if sum(one.labels.size for one in self._held) > _MOST_HELD:
                        self.save()
                if entries.times is not None and entries.times.size:
                    self._time = int(entries.times[-1])
        except InputError as problem:
            return problem
        return None

    def _end(self) -> InputError | None:
        """The end of the input: its last step, and the first error."""
        try:
            if not self.request.open_end and (last := self._division.finish()).ends.size:
                self._release(last)
                self._ended = True
        except InputError as problem:
            return problem
        if self._behind:
            return InputError(
                f"{self._name} ends {self._behind} steps before those that the state has put out; {_OTHER_INPUT}"
            )
        return None

    def _release(self, steps: Steps) -> None:
        if self._behind:
            known, steps = steps.split(min(self._behind, steps.ends.size))
            self._digest.update(known)
            self._behind -= known.ends.size
            if not self._behind and self._digest.text() != self._before.digest:
                self._foreign = True
                why = _ENDED if self._before.ended else _OTHER_INPUT
                raise InputError(
                    f"{self.request.source.name} does not begin with the steps that the state has put out; {why}"
                )
            if not steps.ends.size:
                return
        try:
            self._hold(steps)
        except ForbiddenEntryError as problem:
            self._stop_before(problem, steps)

    def _hold(self, steps: Steps) -> None:
        outputs = self.counter.follow(self.state, steps.elements, steps.signs, self.randomness, steps.ends)
        self._digest.update(steps)
        widths = self.counter.half_widths(self.state, len(outputs), self.request.level)
        self.summary = self.summary.with_width(float(widths.max(initial=0.0)))
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
        where = f"row {row} of {self._name}" if row > 0 else f"entry {seen + 1} of the stream"
        raise InputError(f"{problem.fault}, and {where} is one") from None

    def _save_run(self, progress: Progress) -> None:
        assert self.request.state is not None
        save_run(self.request.state, self._settings, progress, self.counter, self.state, self.randomness)

    def _left(self) -> str:
        """Put out what is known after a signal, and say which place was reached."""
        self.save(twice=True)
        told = f"{self.place.steps:,} outputs are out"
        if self.request.state is None:
            return told
        return (
            f"{told}, and {self.request.state} holds the first {self.place.seen:,} entries; the same command goes on "
            "from there"
        )


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


def _saved(request: FollowRequest, path: Path) -> SavedRun | None:
    """The run in the file, if there is one."""
    if not os.path.lexists(path):
        return None
    require_content(path)
    saved = load_run(path)
    wanted = request.settings() | ({} if request.steps is None else {"steps": request.steps})
    saved.require_settings(wanted, path)
    return saved


def _steps(request: FollowRequest, saved: SavedRun | None) -> tuple[tuple[int, ...] | None, int]:
    """The version of the file if it was read to count the steps, and the largest number of steps."""
    if request.steps is not None:
        return None, request.steps
    if saved is not None:
        return None, saved.settings["steps"]
    if request.source.is_pipe:
        raise InputError("a pipe needs the largest number of releases; give --steps")
    version = request.source.version()
    counted = count_steps(request.source.name, request.every, request.source.batches(counting=True))
    return version, max(1, counted)


def _unchanged(source: Source, version: tuple[int, ...], batches: Iterator[Batch]) -> Iterator[Batch]:
    """The batches of a file, while it is the one whose steps were counted."""
    for batch in batches:
        if source.version() != version:
            raise InputError(
                f"{source.name} changed after its steps were counted; give the largest number of releases with --steps"
            )
        yield batch
