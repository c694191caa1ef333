"""The steps of ``panproof count --every``: panes in, one output for each pane out.

An output is drawn, then recorded in the state, and put out only when the record is on the disk. No output that a reader
may have seen is drawn again: a second release would not be covered.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.command_line.output_rows import OutputFile, Sink, StandardOutput
from pan_audits.command_line.progress import byte_bar
from pan_audits.density.count_place import Place
from pan_audits.density.count_report import LACKING, CountReport
from pan_audits.density.count_use import CountUse
from pan_audits.density.counting import CountKeeper, begun, may_lack
from pan_audits.density.counting import placed as place_of
from pan_audits.density.pane_costs import PaneCosts
from pan_audits.density.pane_parts import PIECE, Part, PartReader
from pan_audits.density.pane_use import PaneUse
from pan_audits.sources.every import MOST_EMPTY
from pan_audits.sources.reading import Reading
from pan_estimators.density.distinct_output import DistinctCount
from pan_estimators.states.memory import return_unused_memory, wipe_freed_memory
from pan_estimators.states.private_files import locked
from pan_estimators.states.state_file import require_savable
from pan_promises.errors import InputError

HEADER = "end,count,low,high,standard_error,reliable\n"


class _EndedError(Exception):
    """The last release that the promise covers was made."""


@dataclass
class Progress:
    """The progress of panes.

    Attributes
    ----------
    settings
        The settings of the panes.
    pane
        The pane that has begun, or the first one that may begin; ``None`` before the first id.
    open
        Whether a pane has begun and not ended.
    unseen
        Whether the last output may not have been put out.
    seen
        The number of rows of earlier inputs in these panes, which are taken as full.
    counted
        The number of rows of earlier inputs.
    label
        The end of the last pane.
    written
        The number of bytes that were put out.
    """

    settings: Mapping[str, Any]
    pane: int | None = None
    open: bool = False
    unseen: bool = False
    seen: int = 0
    counted: int = 0
    label: str = ""
    written: int = 0

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**vars(self), "settings": dict(self.settings)}

    @classmethod
    def of(cls, stored: Any, settings: Mapping[str, Any], state: Any) -> Progress:
        """The progress that a state file holds; :class:`InputError` if that is none, or of other panes."""
        kinds = {"open": bool, "unseen": bool, "seen": int, "counted": int, "label": str, "written": int}
        if not isinstance(stored, Mapping) or stored.keys() != {"settings", "pane", *kinds}:
            raise InputError(f"the state file {state} was begun without --every")
        numbers = [stored[name] for name in ("seen", "counted", "written")]
        if any(type(stored[name]) is not kind for name, kind in kinds.items()) or min(numbers) < 0:
            raise InputError(f"the state file {state} holds no progress of panes")
        if stored["pane"] is not None and (type(stored["pane"]) is not int or abs(stored["pane"]) > 2**62):
            raise InputError(f"the state file {state} holds no progress of panes")
        if stored["settings"] != settings:
            raise InputError(f"{state} was begun with other panes: give the same --every and --time-column, and the "
                             "same of --releases and --fresh-panes")  # fmt: skip
        return cls(**stored)


@dataclass(eq=False)
class PaneRun:
    """Counts a stream pane by pane.

    Attributes
    ----------
    keeper
        The counter, its place, and its file.
    panes
        The panes.
    progress
        The progress so far.
    sink
        The place of the rows; ``None`` if the outputs are kept for a document.
    level
        The confidence of the intervals.
    outputs
        The outputs of this run with the ends of their panes, if there is no sink.
    """

    keeper: CountKeeper
    panes: PaneUse
    progress: Progress
    sink: Sink | None
    level: float
    outputs: list[tuple[str, DistinctCount]] = field(default_factory=list)
    rows: int = field(default=0, init=False)

    def begin(self) -> None:
        """Put out an output that an interruption kept back, and save a new counter."""
        with self.keeper.watch.whole():
            if self.progress.unseen:
                self._put_out(self.keeper.counter.outputs[-1])
            self._save()

    def take(self, part: Part) -> None:
        """Count a part, after the outputs of the panes before it."""
        with self.keeper.watch.whole():
            self._reach(part.pane)
            self.rows += part.rows
            self.keeper.panes = self.progress.to_dict()
            self.keeper.take(part.ids, part.rows)
            if self.panes.every.entries and (self.progress.seen + self.rows) % self.panes.every.entries == 0:
                self._close()

    def _reach(self, pane: int) -> None:
        progress = self.progress
        if progress.pane is None:
            progress.pane = pane
        elif pane - progress.pane > MOST_EMPTY:
            raise InputError(
                f"{pane - progress.pane:,} panes of {self.panes.text} pass between two ids: give longer panes"
            )
        while progress.pane < pane:
            self._close()
        self._open()

    def _open(self) -> None:
        """Begin the present pane."""
        if self.progress.open:
            return
        if self.keeper.counter.erased:
            if not self.panes.fresh:
                raise _EndedError
            self.keeper.counter = self.keeper.counter.renewed()
            self.keeper.may_lack = False
        self.progress.open = True

    def _close(self) -> None:
        """End the present pane: draw, record, and put out its output."""
        self._open()
        assert self.progress.pane is not None
        self.progress.label = self._end_of(self.progress.pane)
        output = self.keeper.counter.release(level=self.level)
        self.progress.pane += 1
        self.progress.open, self.progress.unseen = False, True
        self._save()
        self._put_out(output)
        if self.keeper.counter.erased and not self.panes.fresh:
            self._save()
            raise _EndedError

    def _end_of(self, pane: int) -> str:
        if self.panes.every.entries:
            return str(self.progress.counted + self.rows)
        return str(np.datetime64(int(self.panes.every.end(pane)), "us").astype("datetime64[s]"))

    def _put_out(self, output: DistinctCount) -> None:
        """Put out the last output, which is recorded."""
        if self.sink is None:
            self.outputs.append((self.progress.label, output))
        else:
            self.sink.write(row_of(self.progress.label, output))
            self.sink.settle()
            self.progress.written = self.sink.written
        self.progress.unseen = False

    def _save(self, *, finished: bool = False) -> None:
        self.keeper.panes = self.progress.to_dict()
        self.keeper.save(finished=finished)

    def finish(self, *, release: bool) -> None:
        """End the input. The pane that has begun ends too, if it is released."""
        with self.keeper.watch.whole(interruptible=False):
            if release and self.progress.open:
                self._close()
            if self.panes.every.entries and release and self.progress.pane is not None:
                # The next input begins a pane.
                self.progress.seen = self.progress.pane * self.panes.every.entries
            else:
                self.progress.seen += self.rows
            self.progress.counted += self.rows
            self.rows = 0
            self._save(finished=True)


def row_of(label: str, output: DistinctCount) -> str:
    """The row of an output."""
    high = f"{output.high:.0f}" if math.isfinite(output.high) else "inf"
    error = f"{output.standard_error:.0f}" if math.isfinite(output.standard_error) else "inf"
    return f"{label},{output.count:.0f},{output.low:.0f},{high},{error},{'yes' if output.reliable else 'no'}\n"


def run_panes(
    use: CountUse,
    panes: PaneUse,
    parameters: Mapping[str, Any],
    reading: Reading,
    *,
    level: float,
    seed: int | None,
    keep: bool,
) -> CountReport:
    """Count pane by pane."""
    with ExitStack() as stack:
        if use.state is not None:
            # Two processes with one state would put out one pane twice.
            stack.enter_context(locked(use.state, "the state file"))
        return _run(use, panes, parameters, reading, level=level, seed=seed, keep=keep)


def _run(
    use: CountUse,
    panes: PaneUse,
    parameters: Mapping[str, Any],
    reading: Reading,
    *,
    level: float,
    seed: int | None,
    keep: bool,
) -> CountReport:
    counter, stored = begun(use, parameters, seed)
    progress = Progress(panes.settings)
    if stored is not None or counter.releases:
        progress = Progress.of((stored or {}).get("panes"), panes.settings, use.state)
    if panes.by_clock:
        # The ids that a pipe has handed on do not come again.
        use = replace(use, whole=False)
    place, passed_over = place_of(use, stored, reading)
    costs = PaneCosts.of(counter, panes, None if stored else int(parameters.get("memory", 2**13)))
    if not use.files and not progress.open:
        raise InputError(f"no pane of {use.state} has begun: there is nothing to release")
    if counter.erased and not panes.fresh and not progress.unseen:
        raise InputError(f"the last release of {use.state} was made, and its promise covers no more")
    keeper = CountKeeper(counter, use, place)
    keeper.may_lack = may_lack(use, stored)
    if keeper.may_lack:
        print(f"panproof: {LACKING}", file=sys.stderr)
    if use.state is not None:
        require_savable(use.state)
    if seed is None and not counter.erased:
        counter.require_noise()
    sink = None if keep else _sink(panes, progress if stored else None)
    run = PaneRun(keeper, panes, progress, sink, level)
    run.rows = passed_over
    try:
        _read(run, use, reading, place, passed_over, costs)
    except _EndedError:
        told = f"the promise covers {counter.estimator.outputs} releases, and the last one was made"
        print(f"panproof: {told}; ids that follow are not counted", file=sys.stderr)
    finally:
        if sink is not None:
            sink.close()
    ends, outputs = [end for end, _ in run.outputs], [one for _, one in run.outputs]
    return CountReport(run.keeper.counter, outputs, ends, costs, run.keeper.may_lack)


def _read(
    run: PaneRun, use: CountUse, reading: Reading, place: Place | None, passed_over: int, costs: PaneCosts
) -> None:
    keeper, panes = run.keeper, run.panes
    keeper.pass_over(passed_over)
    if not use.files:
        _tell(costs)
        run.begin()
    else:
        assert place is not None
        (file,) = use.files
        wipe_freed_memory()
        most = PIECE if use.checkpoint.updates is None else min(PIECE, use.checkpoint.updates)
        with keeper.watch.watching(keeper.leave), byte_bar(file) as progress:
            reader = PartReader(
                file,
                panes,
                reading,
                passed_over=passed_over,
                before=run.progress.seen,
                present=run.progress.pane,
                most=most,
                progress=progress,
            )
            parts = reader.parts()
            # A file that cannot be read ends with one sentence. A pipe may have nothing to read for long.
            first = list(islice(parts, 1)) if Path(file).is_file() else []
            _tell(costs)
            run.begin()
            for part in chain(first, parts):
                run.take(part)
        return_unused_memory()
        if run.progress.pane is None:
            raise InputError(f"{place.name} has no ids: the stream is empty")
    run.finish(release=use.releases)


def _tell(costs: PaneCosts) -> None:
    for line in costs.lines():
        print(f"panproof: {line}", file=sys.stderr)


def _sink(panes: PaneUse, progress: Progress | None) -> Sink:
    written = None if progress is None else progress.written
    if panes.output is None:
        return StandardOutput(HEADER, written)
    return OutputFile(panes.output, HEADER, written)
