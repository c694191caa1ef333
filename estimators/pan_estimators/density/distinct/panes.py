"""Panes of a stream with one release each: the promise across them and its price, their parts, and the run."""

from __future__ import annotations

import math
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pan_estimators.counting.rows import Sink, sink_of
from pan_estimators.counting.run import Bar, no_bar, tell
from pan_estimators.density.distinct.output import DistinctCount
from pan_estimators.density.distinct.presets import planned_counter
from pan_estimators.density.distinct.run import LACKING, CountRun, CountUse, Place, begun, may_lack, placed
from pan_estimators.density.distinct.users import DistinctUserCounter
from pan_estimators.reading.byte_streams import standard_input
from pan_estimators.reading.live import Lines, batches_of, live_rows, pipe_columns
from pan_estimators.reading.options import Late, Reading
from pan_estimators.reading.options import Progress as Bytes
from pan_estimators.reading.source import kind_of, open_columns, open_source, prepared
from pan_estimators.reading.text import chosen
from pan_estimators.reading.times import MOST_EMPTY, Every, TimeColumn, first_of, where
from pan_estimators.states.memory import return_unused_memory, wipe_freed_memory
from pan_estimators.states.state_file import require_savable
from pan_estimators.universes.ids import text_array
from pan_promises.errors import InputError

HEADER = "end,count,low,high,standard_error,reliable\n"


class _EndedError(Exception):
    """The last release that the promise covers was made."""


@dataclass(frozen=True)
class PaneUse:
    """The panes of a stream.

    Attributes
    ----------
    every, text
        The length of a pane, and its words.
    fresh
        Whether each pane has a counter of its own.
    time_column
        The column of the times, if panes are not those of the clock.
    late
        The treatment of ids of a pane that has ended.
    output
        The file of the outputs; by default standard output.
    """

    every: Every
    text: str
    fresh: bool = False
    time_column: str | None = None
    late: Late = Late.FAIL
    output: Path | None = None

    @property
    def by_clock(self) -> bool:
        """Whether the panes end at times of the clock."""
        return bool(self.every.microseconds) and self.time_column is None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that a state must have been begun with, JSON-ready."""
        every = [self.every.entries, self.every.microseconds]
        return {"every": every, "fresh": self.fresh, "time_column": self.time_column}


@dataclass(frozen=True)
class PaneCosts:
    """The promise across panes, and the standard error.

    Attributes
    ----------
    panes
        The panes.
    loss
        The promised loss of one counter, in nats.
    releases
        The number of releases of one counter.
    claim
        The claim of its promise.
    error
        The greatest relative standard error of a release in the range.
    least, most
        The range of the number of users.
    relative
        The error divided by that of a counter with one release; ``None`` if that is not known.
    """

    panes: PaneUse
    loss: float
    releases: int
    claim: str
    error: float
    least: float
    most: float
    relative: float | None

    @classmethod
    def of(cls, counter: DistinctUserCounter, panes: PaneUse, memory: int | None) -> PaneCosts:
        """The costs of a counter."""
        made, least, most = counter.estimator, counter.least, counter.most
        relative = 1.0 if made.outputs == 1 else None
        if relative is None and memory is not None:
            one = planned_counter(total=made.promise_epsilon, bits=8 * memory, least=least, most=most)
            relative = counter.worst_error / one.distribution.worst_error(least, most)
        promise = made.promise
        claim = promise.claim or ""
        return cls(panes, promise.epsilon, made.outputs, claim, counter.worst_error, least, most, relative)

    def lines(self) -> Iterator[str]:
        """The costs for a terminal."""
        error = f"standard error up to {self.error:.1%} from {self.least:,.0f} to {self.most:,.0f} users"
        if self.panes.fresh:
            yield f"each pane of {self.panes.text} has a new counter and a new key: {error}"
            yield (
                f"promise {self.loss:g} for each pane ({self.claim}); a user who appears in k panes loses at most "
                f"k times {self.loss:g}"
            )
        else:
            more = "" if self.relative is None else f", {self.relative:.2f} times that of one release"
            yield f"one counter of all users so far, with {self.releases} releases: {error}{more}"
            yield f"promise {self.loss:g} for all {self.releases} releases together ({self.claim})"
        yield self._public

    @property
    def _public(self) -> str:
        if self.panes.every.entries:
            return "no promise covers the number of ids, which decides where a pane ends"
        told = "no promise covers the times of the ids, which decide their panes"
        return f"{told}; a late id is counted in the present pane" if self.panes.late is Late.COUNT else told

    def to_dict(self) -> Mapping[str, Any]:
        """JSON-ready."""
        return {
            "every": self.panes.text,
            "counter": "fresh" if self.panes.fresh else "one",
            "promise_for": "pane" if self.panes.fresh else "run",
            "epsilon_of_promise": self.loss,
            "worst_error": self.error,
            "relative_error": self.relative,
        }


PART = 2**18
"""Largest number of rows of a part."""


@dataclass(frozen=True)
class Part:
    """Consecutive rows of one pane.

    Attributes
    ----------
    pane
        The number of the pane, counted from 1970 if panes are times.
    rows
        The number of rows, with those of missing ids.
    ids
        Arrays of ids.
    """

    pane: int
    rows: int
    ids: tuple[Any, ...]


@dataclass
class PartReader:
    """Reads the parts of an input."""

    file: str
    panes: PaneUse
    reading: Reading
    passed_over: int = 0
    before: int = 0
    present: int | None = None
    most: int = PART
    progress: Bytes | None = None
    clock: Callable[[], int] = lambda: time.time_ns() // 1000

    def parts(self) -> Iterator[Part]:
        """The parts in order. The number of the pane never falls. A part without rows says that time has passed."""
        if self.panes.every.entries:
            return self._by_number()
        return self._by_clock() if self.panes.by_clock else self._by_times()

    def _by_number(self) -> Iterator[Part]:
        done, every = 0, self.panes.every.entries
        for batch in open_source(self.file, self.reading, progress=self.progress):
            start = min(len(batch), max(0, self.passed_over - done))
            done += start
            while start < len(batch):
                seen = self.before + done
                size = min(len(batch) - start, self.most, every - seen % every)
                yield Part(seen // every, size, (batch[start : start + size],))
                done, start = done + size, start + size
        self._require_long_enough(done)

    def _by_clock(self) -> Iterator[Part]:
        row, place = 0, "row"
        with self._pipe() as (stream, kind, name):
            if kind == "text":
                place = "line"
            for column in self._live(stream, kind, name):
                self.present = max(self._now(), -(2**62) if self.present is None else self.present)
                ids = tuple(prepared(column, self.reading, name, place, row)) if len(column) else ()
                row += len(column)
                yield Part(self.present, len(column), ids)

    def _now(self) -> int:
        return int(self.panes.every.number(self.clock()))

    def _seconds_left(self) -> float:
        """The seconds to the end of the present pane. There are none if it has ended since the last part."""
        now = self.clock()
        pane = self.panes.every.number(now) if self.present is None else self.present
        return max(0.0, (int(self.panes.every.end(pane)) - now) / 1e6)

    def _live(self, stream: BinaryIO, kind: str, name: str) -> Iterator[Any]:
        if kind == "text":
            lines = Lines.of_pipe(stream.fileno(), name)
            rows = ([line.rstrip("\r\n")] for line in lines)
            for (texts,) in batches_of(rows, lines, 1, self._seconds_left):
                yield text_array(texts)
            return
        separator = "\t" if kind == "tsv" else ","
        found = live_rows(
            stream.fileno(),
            name,
            lambda names: [chosen(names, self.reading.column, name)],
            separator=separator,
            wait=self._seconds_left,
        )
        for (texts,) in found:
            yield text_array(texts)

    @contextmanager
    def _pipe(self) -> Iterator[tuple[BinaryIO, str, str]]:
        """The pipe of the input, its format and its name."""
        kind, name = kind_of(self.file, self.reading.kind)
        if kind not in ("text", "csv", "tsv") or self.reading.header is False:
            raise InputError("panes by the clock are for a pipe of text or of CSV with names; give --time-column")
        if kind == "text" and self.reading.column is not None:
            raise InputError(f"{name} is read as text, which has no columns; leave --column out, or give --format csv")
        if self.file == "-":
            yield standard_input(), kind, name
            return
        if not _is_pipe(self.file, name):
            raise InputError(f"{name} is a file, which has no clock: give --time-column, or a number of ids to --every")
        with open(self.file, "rb", buffering=0) as stream:
            yield stream, kind, name

    def _by_times(self) -> Iterator[Part]:
        _, name = kind_of(self.file, self.reading.kind)
        reader, row = TimeColumn(name), 0
        for ids, column in self._columns(name):
            skipped = min(len(ids), max(0, self.passed_over - row))
            row += skipped
            ids, column = ids.slice(skipped), column.slice(skipped)
            if not len(ids):
                continue
            times, fault = reader.read(column)
            numbers = np.asarray(self.panes.every.number(times))
            least = np.maximum.accumulate(
                np.concatenate([numbers[:1] if self.present is None else [self.present], numbers])
            )
            late = None
            if self.panes.late is Late.FAIL:
                late = where(numbers < least[:-1], lambda number: _late(number, name))
            first = first_of(fault, late)
            good = numbers.size if first is None else first.row
            for start, end in _runs(least[1 : good + 1], self.most):
                self.present = int(least[start + 1])
                found = tuple(prepared(ids.slice(start, end - start), self.reading, name, "row", row + start))
                yield Part(self.present, end - start, found)
            if first is not None:
                raise InputError(first.sentence(row + first.row + 1))
            row += len(ids)
        self._require_long_enough(row)

    def _require_long_enough(self, rows: int) -> None:
        if rows < self.passed_over:
            _, name = kind_of(self.file, self.reading.kind)
            raise InputError(
                f"{name} has {rows:,} ids, and the state has counted {self.passed_over:,} of it: give --input rest if "
                "it begins after them"
            )

    def _columns(self, name: str) -> Iterator[tuple[Any, Any]]:
        kind, _ = kind_of(self.file, self.reading.kind)
        if kind == "text":
            raise InputError(f"{name} is read as text, which has no column of times: give --format csv")
        if self.reading.header is False:
            raise InputError("--time-column is the name of a column, and --no-header says that there are none")

        def choose(names: list[str]) -> list[int]:
            time_place = chosen(names, self.panes.time_column, name)
            rest = [one for one in names if one != names[time_place]]
            column = rest[0] if self.reading.column is None and len(rest) == 1 else self.reading.column
            place = chosen(names, column, name)
            if place == time_place:
                raise InputError("--column and --time-column are two different columns")
            return [place, time_place]

        found: Iterator[list[Any]]
        if self.file == "-":
            found = pipe_columns(standard_input(), name, choose, kind=kind)
        elif _is_pipe(self.file, name):
            with open(self.file, "rb") as stream:
                yield from ((one[0], one[1]) for one in pipe_columns(stream, name, choose, kind=kind))
            return
        else:
            found = open_columns(self.file, choose, kind=kind, progress=self.progress)
        yield from ((one[0], one[1]) for one in found)


def _late(row: int, name: str) -> str:
    return (
        f"the time in row {row} of {name} lies in a pane that has ended: sort the rows by time, or give --late count, "
        "which counts such rows in the present pane"
    )


def _runs(numbers: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """The runs of equal numbers, in pieces of at most a size."""
    borders = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), numbers.size]
    for begin, end in pairwise(borders):
        for start in range(begin, end, most):
            yield start, min(end, start + most)


def _is_pipe(file: str, name: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)
    except FileNotFoundError:
        raise InputError(f"there is no file {name}") from None
    except (OSError, ValueError) as problem:
        raise InputError(f"cannot read {name}: {getattr(problem, 'strerror', None) or problem}") from None


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


class PaneRun(CountRun):
    """A run that counts a stream pane by pane: panes in, one output for each pane out. :meth:`begin_panes` makes it.

    An output is drawn, then recorded in the state, and put out only when the record is on the disk. No output that a
    reader may have seen is drawn again: a second release would not be covered.

    Attributes
    ----------
    panes, costs
        The panes, and their price.
    progress
        The progress so far.
    level
        The confidence of the intervals.
    outputs
        The outputs of this run with the ends of their panes, if they are kept for a document.
    """

    def __init__(
        self,
        counter: DistinctUserCounter,
        use: CountUse,
        place: Place | None,
        panes: PaneUse,
        costs: PaneCosts,
        progress: Progress,
        sink: Sink | None,
        level: float,
    ) -> None:
        super().__init__(counter, use, place)
        self.panes, self.costs, self.progress, self.level = panes, costs, progress, level
        self.outputs: list[tuple[str, DistinctCount]] = []
        self._sink, self._rows = sink, 0

    _unreleased = "nothing of the present pane"

    @classmethod
    def begin_panes(
        cls,
        use: CountUse,
        panes: PaneUse,
        parameters: Mapping[str, Any],
        *,
        level: float = 0.95,
        seed: int | None = None,
        keep: bool = False,
    ) -> PaneRun:
        """The run of a new counter, or of the one in the state file; with ``keep`` its outputs are not put out."""
        counter, stored = begun(use, parameters, seed)
        progress = Progress(panes.settings)
        if stored is not None or counter.releases:
            progress = Progress.of((stored or {}).get("panes"), panes.settings, use.state)
        if panes.by_clock:
            # The ids that a pipe has handed on do not come again.
            use = replace(use, whole=False)
        place, passed_over = placed(use, stored)
        costs = PaneCosts.of(counter, panes, None if stored else int(parameters.get("memory", 2**13)))
        if not use.files and not progress.open:
            raise InputError(f"no pane of {use.state} has begun: there is nothing to release")
        if counter.erased and not panes.fresh and not progress.unseen:
            raise InputError(f"the last release of {use.state} was made, and its promise covers no more")
        lacking = may_lack(use, stored)
        if lacking:
            tell(LACKING)
        if use.state is not None:
            require_savable(use.state)
        if seed is None and not counter.erased:
            counter.require_noise()
        sink = None if keep else sink_of(panes.output, HEADER, progress.written if stored else None)
        run = cls(counter, use, place, panes, costs, progress, sink, level)
        run.may_lack, run._rows, run.done = lacking, passed_over, passed_over
        return run

    def read(self, bar: Bar = no_bar, ready: Callable[[], None] = lambda: None) -> None:
        """Count all panes of the input, and put out or keep their outputs.

        Parameters
        ----------
        bar
            Shows the bytes that are read of a file.
        ready
            Called when the input was found to be readable, before anything is counted.
        """
        try:
            self._read_panes(ready, bar)
        except _EndedError:
            told = f"the promise covers {self.counter.estimator.outputs} releases, and the last one was made"
            tell(f"{told}; ids that follow are not counted")
        finally:
            if self._sink is not None:
                self._sink.close()

    def _read_panes(self, ready: Callable[[], None], bar: Bar) -> None:
        use, every = self.use, self.use.checkpoint.updates
        if not use.files:
            ready()
            self._begin()
        else:
            assert self._place is not None
            (file,) = use.files
            wipe_freed_memory()
            with self.watching(), bar(file) as progress:
                reader = PartReader(
                    file,
                    self.panes,
                    use.reading,
                    passed_over=self._rows,
                    before=self.progress.seen,
                    present=self.progress.pane,
                    most=PART if every is None else min(PART, every),
                    progress=progress,
                )
                parts = reader.parts()
                # A file that cannot be read ends with one sentence. A pipe may have nothing to read for long.
                first = list(islice(parts, 1)) if Path(file).is_file() else []
                ready()
                self._begin()
                for part in chain(first, parts):
                    self._take(part)
            return_unused_memory()
            if self.progress.pane is None:
                raise InputError(f"{self._place.name} has no ids: the stream is empty")
        self._end()

    def _begin(self) -> None:
        """Put out an output that an interruption kept back, and save a new counter."""
        with self.watch.whole():
            if self.progress.unseen:
                self._put_out(self.counter.outputs[-1])
            self.save()

    def _take(self, part: Part) -> None:
        """Count a part, after the outputs of the panes before it. A signal waits for the end."""
        with self.watch.whole():
            self._reach(part.pane)
            for ids in part.ids:
                self._count(ids)
            self._rows += part.rows
            self.done += part.rows
            self.save_if_due()
            if self.panes.every.entries and (self.progress.seen + self._rows) % self.panes.every.entries == 0:
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
        if self.counter.erased:
            if not self.panes.fresh:
                raise _EndedError
            self.counter = self.counter.renewed()
            self.may_lack = False
        self.progress.open = True

    def _close(self) -> None:
        """End the present pane: draw, record, and put out its output."""
        self._open()
        assert self.progress.pane is not None
        self.progress.label = self._end_of(self.progress.pane)
        output = self.counter.release(level=self.level)
        self.progress.pane += 1
        self.progress.open, self.progress.unseen = False, True
        self.save()
        self._put_out(output)
        if self.counter.erased and not self.panes.fresh:
            self.save()
            raise _EndedError

    def _end_of(self, pane: int) -> str:
        if self.panes.every.entries:
            return str(self.progress.counted + self._rows)
        return str(np.datetime64(int(self.panes.every.end(pane)), "us").astype("datetime64[s]"))

    def _put_out(self, output: DistinctCount) -> None:
        """Put out the last output, which is recorded."""
        if self._sink is None:
            self.outputs.append((self.progress.label, output))
        else:
            self._sink.write(row_of(self.progress.label, output))
            self._sink.settle()
            self.progress.written = self._sink.written
        self.progress.unseen = False

    @property
    def _passed(self) -> int | None:
        return self.done

    def _more_of_place(self) -> dict[str, Any]:
        return {"panes": self.progress.to_dict()}

    def _end(self) -> None:
        """End the input. The pane that has begun ends too, if it is released."""
        with self.watch.whole(interruptible=False):
            if self.use.releases and self.progress.open:
                self._close()
            if self.panes.every.entries and self.use.releases and self.progress.pane is not None:
                # The next input begins a pane.
                self.progress.seen = self.progress.pane * self.panes.every.entries
            else:
                self.progress.seen += self._rows
            self.progress.counted += self._rows
            self._rows = 0
            self._write(finished=True)


def row_of(label: str, output: DistinctCount) -> str:
    """The row of an output."""
    high = f"{output.high:.0f}" if math.isfinite(output.high) else "inf"
    error = f"{output.standard_error:.0f}" if math.isfinite(output.standard_error) else "inf"
    return f"{label},{output.count:.0f},{output.low:.0f},{high},{error},{'yes' if output.reliable else 'no'}\n"
