"""A run that follows a count: from its request to its outputs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

from pan_audits.command_line.interruption import Interrupted, Watch
from pan_audits.command_line.output_rows import OutputFile, Sink, StandardOutput
from pan_audits.command_line.state_options import Checkpoint
from pan_audits.continual.element_numbers import ElementNumbers
from pan_audits.continual.entry_formats import Source
from pan_audits.continual.entry_source import Blank, EntryReader
from pan_audits.continual.follow_outputs import HEADER, Form, Outputs, Table, read_table
from pan_audits.continual.follow_state import WHAT, Progress, SavedRun, load_run
from pan_audits.continual.follow_summary import Summary
from pan_audits.continual.following import Batch, Follower, Keeping, in_pieces
from pan_audits.continual.release_times import count_steps
from pan_audits.sources.every import Every
from pan_estimators.continual.members import create_counter
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.states.private_files import locked
from pan_estimators.states.state_file import require_content, require_savable
from pan_promises.errors import InputError

_PIECE = 2**16
"""Largest number of entries that are followed at once."""


@dataclass(frozen=True)
class Request:
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


@dataclass(frozen=True, eq=False)
class Followed:
    """The result of a run.

    Attributes
    ----------
    summary, form
        The promise and the intervals, and the form of the outputs.
    kept
        The outputs of this run, if they are not in a file.
    output
        The file of the outputs, if there is one.
    skipped
        The number of entries without an element that were taken as no-ops.
    """

    summary: Summary
    form: Form
    kept: list[Outputs]
    output: Path | None
    skipped: int

    def table(self) -> Table:
        """All outputs."""
        if self.output is None:
            return self.form.table(Outputs.joined(self.kept))
        return read_table(self.output, timed=self.form.timed)


def run(request: Request, tell: Callable[[int, int, Outputs], None] | None = None, *, keep: bool = False) -> Followed:
    """Follow a stream, and put out the count after each step."""
    with ExitStack() as stack:
        saved = None
        if request.state is not None:
            require_savable(request.state)
            stack.enter_context(locked(request.state, WHAT))
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
        summary = Summary.of(
            request.name, counter, level=request.level, conversion=request.conversion, private=request.seed is None
        )
        form = Form(
            summary.deviation,
            timed=bool(request.every.microseconds),
            least=-inf if getattr(counter, "counts_events", False) else 0.0,
        )
        sink = _sink(request, None if saved is None else progress.written)
        stack.callback(sink.close)
        keeping = None
        if request.state is not None:
            keeping = Keeping(request.state, {**request.settings(), "steps": steps}, request.checkpoint)
        if not request.whole:
            told = f"the state holds the first {progress.place.seen:,} entries; the input begins with the next one"
            print(f"panproof: {told}", file=sys.stderr)
        follower = Follower(
            name=request.source.name,
            every=request.every,
            counter=counter,
            state=state,
            randomness=randomness,
            level=request.level,
            form=form,
            sink=sink,
            progress=progress,
            keeping=keeping,
            again=request.whole,
            open_end=request.open_end,
            tell=tell,
            watch=Watch(),
            kept=[] if keep and request.output is None else None,
        )
        reader = EntryReader(request.source.name, progress.numbers, blank=request.blank, last=follower.last_time)
        with follower.watch.watching(lambda end: _leave(end, follower, reader, request)):
            follower.put_out_recorded()
            batches = request.source.batches(wait=follower.seconds_left)
            if version is not None:
                batches = _unchanged(request.source, version, batches)
            follower.follow(reader, in_pieces(batches, min(_PIECE, request.checkpoint.updates or _PIECE)))
    summary = replace(summary, widest=follower.widest)
    return Followed(summary, form, follower.kept or [], request.output, reader.tally.skipped)


def _saved(request: Request, path: Path) -> SavedRun | None:
    """The run in the file, if there is one."""
    if not os.path.lexists(path):
        return None
    require_content(path)
    saved = load_run(path)
    asked = request.settings() | ({} if request.steps is None else {"steps": request.steps})
    saved.require_settings(asked, path)
    return saved


def _steps(request: Request, saved: SavedRun | None) -> tuple[tuple[int, ...] | None, int]:
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


def _sink(request: Request, written: int | None) -> Sink:
    if request.silent:
        return _Nowhere()
    if request.output is None:
        return StandardOutput(HEADER, written)
    return OutputFile(request.output, HEADER, written)


class _Nowhere:
    """No rows at all."""

    written = 0

    def write(self, text: str) -> None:
        """Do nothing."""

    def settle(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def _leave(end: Interrupted, follower: Follower, reader: EntryReader, request: Request) -> None:
    """Put out what is known after a signal, and print the place that was reached."""
    follower.save(reader, twice=True)
    place = follower.place
    told = f"{place.steps:,} outputs are out"
    if request.state is not None:
        told += (
            f", and {os.fspath(request.state)} holds the first {place.seen:,} entries; the same command goes on from "
            "there"
        )
    print(f"panproof: interrupted: {told}", file=sys.stderr)
