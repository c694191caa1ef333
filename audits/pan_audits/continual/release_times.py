"""The times of the releases: after a number of entries, or at the end of each hour or day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.continual.entry_source import Entries
from pan_audits.continual.entry_times import TimeReader
from pan_audits.sources.every import MOST_EMPTY, Every
from pan_promises.errors import InputError

MOST_STEPS = 10**8
"""Largest number of releases."""
_AT_ONCE = 2**16
"""Largest number of steps of a part."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Entries that are divided into whole steps. There is one release after each step.

    Attributes
    ----------
    elements, signs
        The entries of the steps, shape ``(n,)``.
    ends
        The number of entries up to the end of each step, shape ``(steps,)``. A step may have no entry.
    labels
        The end of each step: the number of entries of the stream so far, or the time in microseconds since 1970.
    before
        The number of entries of the stream before these.
    """

    elements: NDArray[np.int64]
    signs: NDArray[np.int8]
    ends: NDArray[np.int64]
    labels: NDArray[np.int64]
    before: int = 0

    def split(self, steps: int) -> tuple[Steps, Steps]:
        """The first steps, and the rest."""
        at = int(self.ends[steps - 1]) if steps else 0
        first = Steps(self.elements[:at], self.signs[:at], self.ends[:steps], self.labels[:steps], self.before)
        rest = (self.elements[at:], self.signs[at:], self.ends[steps:] - at, self.labels[steps:])
        return first, Steps(*rest, self.before + at)


def _no_elements() -> NDArray[np.int64]:
    return np.empty(0, dtype=np.int64)


def _no_signs() -> NDArray[np.int8]:
    return np.empty(0, dtype=np.int8)


@dataclass(frozen=True, eq=False)
class Place:
    """A place in a stream.

    Attributes
    ----------
    seen
        The number of entries so far.
    steps
        The number of steps that have ended.
    step
        The number of the step that has begun, counted from 1970 if steps are times; ``None`` before the first entry.
    elements, signs
        The entries of this step so far.
    """

    seen: int = 0
    steps: int = 0
    step: int | None = None
    elements: NDArray[np.int64] = field(default_factory=_no_elements)
    signs: NDArray[np.int8] = field(default_factory=_no_signs)


class Division:
    """Divides a stream into steps, part by part."""

    def __init__(self, every: Every, most: int = MOST_STEPS, place: Place | None = None) -> None:
        place = Place() if place is None else place
        self._every = every
        self._most = most
        self._elements, self._signs = [place.elements], [place.signs]
        self._waiting = place.elements.size
        self.seen, self.steps = place.seen, place.steps
        self._step = place.step if every.microseconds or place.step is not None else 0

    @property
    def place(self) -> Place:
        """The place in the stream."""
        return Place(self.seen, self.steps, self._step, np.concatenate(self._elements), np.concatenate(self._signs))

    def add(self, entries: Entries) -> Iterator[Steps]:
        """The steps that end before or with these entries, in parts of at most 65,536 steps."""
        numbers = self._numbers(entries)
        if not numbers.size:
            return
        step = int(numbers[0]) if self._step is None else self._step
        limit = step + self._most - self.steps
        good = int(np.searchsorted(numbers, limit))
        last, problem = (limit, self._too_many()) if good < numbers.size else (int(numbers[-1]), None)
        gap = _first_gap(numbers[:good], step)
        if gap is not None:
            good, last = gap, int(numbers[gap - 1]) if gap else step
            problem = _too_far("two entries", int(numbers[gap]) - last)
        if problem is None and self._every.entries and (self.seen + good) % self._every.entries == 0:
            last += 1
        numbers = numbers[:good]
        held, self._step = self._waiting, step
        elements, signs = [*self._elements, entries.elements[:good]], [*self._signs, entries.signs[:good]]
        if last == step:
            self._wait(elements, signs, self.seen + good)
            if problem is not None:
                raise problem
            return
        joined, joined_signs = np.concatenate(elements), np.concatenate(signs)
        before, taken = self.seen - held, 0
        for start in range(step, last, _AT_ONCE):
            finished = np.arange(start, min(last, start + _AT_ONCE))
            ends = np.searchsorted(numbers, finished, side="right") + held
            upto = int(ends[-1])
            self._wait([_no_elements()], [_no_signs()], before + upto)
            self._step = int(finished[-1]) + 1
            self.steps += finished.size
            part = (joined[taken:upto], joined_signs[taken:upto], ends - taken)
            yield Steps(*part, self._labels(finished), before + taken)
            taken = upto
        self._wait([joined[taken:]], [joined_signs[taken:]], before + joined.size)
        if problem is not None:
            raise problem

    def finish(self) -> Steps:
        """The last step, if it has begun and has not ended."""
        if not self._waiting:
            return Steps(_no_elements(), _no_signs(), np.empty(0, dtype=np.int64), _no_elements(), self.seen)
        assert self._step is not None
        if self.steps >= self._most:
            raise self._too_many()
        place = self.place
        self._wait([_no_elements()], [_no_signs()], self.seen)
        self._step += 1
        self.steps += 1
        labels = self._labels(np.array([self._step - 1]))
        ends = np.array([place.elements.size])
        return Steps(place.elements, place.signs, ends, labels, self.seen - place.elements.size)

    def _wait(self, elements: list[NDArray[np.int64]], signs: list[NDArray[np.int8]], seen: int) -> None:
        """Keep the entries of the step that has begun."""
        self._elements, self._signs = elements, signs
        self._waiting = sum(part.size for part in elements)
        self.seen = seen

    def _too_many(self) -> InputError:
        return InputError(f"the stream has more than {self._most} releases (the number of steps)")

    def _numbers(self, entries: Entries) -> NDArray[np.int64]:
        """The number of the step of each entry."""
        if self._every.entries:
            return np.asarray((self.seen + np.arange(entries.elements.size)) // self._every.entries)
        if entries.times is None:
            raise _no_times()
        return np.asarray(self._every.number(entries.times))

    def _labels(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The end of each step."""
        if self._every.entries:
            return np.minimum((steps + 1) * self._every.entries, self.seen)
        return np.asarray(self._every.end(steps))


def count_steps(name: str, every: Every, batches: Iterable[dict[str, list[Any]]]) -> int:
    """The number of steps of a stream."""
    if every.entries:
        return -(-sum(len(columns[0]) for batch in batches for columns in batch.values()) // every.entries)
    reader, rows, first, before = TimeReader(name), 0, None, None
    for batch in batches:
        if "time" not in batch:
            raise _no_times()
        times, fault = reader.read(batch["time"][0])
        if fault is not None:
            raise InputError(fault.sentence(rows + fault.row + 1))
        if times.size:
            numbers = np.asarray(every.number(times))
            gap = _first_gap(numbers, int(numbers[0]) if before is None else before)
            if gap is not None:
                empty = int(numbers[gap]) - (int(numbers[gap - 1]) if gap else before or 0)
                raise _too_far(f"rows {rows + gap} and {rows + gap + 1} of {name}", empty)
            first, before = int(times[0]) if first is None else first, int(numbers[-1])
        rows += times.size
    if first is None or reader.last is None:
        return 0
    return int(every.number(reader.last) - every.number(first)) + 1


def _first_gap(numbers: NDArray[np.int64], before: int) -> int | None:
    """The first entry that lies too many steps after the one before."""
    gaps = np.flatnonzero(np.diff(numbers, prepend=before) > MOST_EMPTY)
    return int(gaps[0]) if gaps.size else None


def _too_far(where: str, steps: int) -> InputError:
    return InputError(
        f"{steps:,} releases would lie between {where}, and {MOST_EMPTY:,} are allowed: correct the time, which may "
        "stand for a missing one, or give a longer --every"
    )


def _no_times() -> InputError:
    return InputError("releases at times (--every) need a column of times; give it with --time-column")
