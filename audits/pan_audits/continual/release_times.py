"""The times of the releases: after a number of entries, or at the end of each hour or day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.continual.entry_source import Entries
from pan_promises.errors import InputError, shown

_UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_SECOND = 10**6
MOST_STEPS = 10**8
"""Largest number of releases."""


@dataclass(frozen=True)
class Every:
    """The distance between two releases.

    Attributes
    ----------
    entries
        The number of entries between two releases; 0 if the distance is a time.
    microseconds
        The time between two releases; 0 if the distance is a number of entries.
    """

    entries: int = 1
    microseconds: int = 0

    @classmethod
    def parse(cls, text: str) -> Every:
        """The distance that a text names: a number of entries, such as ``1000``, or a time, such as ``1h``.

        Parameters
        ----------
        text
            A whole number, alone or with one of the units s, min, m, h, d, w.

        Raises
        ------
        InputError
            If the text names no distance.
        """
        found = re.fullmatch(r"([1-9][0-9]{0,8})(s|min|m|h|d|w)?", text, re.ASCII)
        if not found:
            raise InputError(
                "--every takes a number of entries, such as 1000, or a time, such as 30s, 15min, 1h, 1d; got "
                f"{shown(text)}"
            )
        number, unit = int(found[1]), found[2]
        return cls(0, number * _UNITS[unit] * _SECOND) if unit else cls(number)


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
    """

    elements: NDArray[np.int64]
    signs: NDArray[np.int8]
    ends: NDArray[np.int64]
    labels: NDArray[np.int64]


class Division:
    """Divides a stream into steps, part by part.

    Parameters
    ----------
    every
        The distance between two releases.
    most
        Largest number of steps.
    """

    def __init__(self, every: Every, most: int = MOST_STEPS) -> None:
        self._every = every
        self._most = most
        self._elements: list[Any] = []
        self._signs: list[Any] = []
        self._waiting = 0
        self._seen = 0
        self.steps = 0
        self._step: int | None = None if every.microseconds else 0

    def add(self, entries: Entries) -> Steps:
        """The steps that end before or with these entries.

        Parameters
        ----------
        entries
            The next entries.

        Raises
        ------
        InputError
            If the releases are at times and the entries have none, or there are more steps than ``most``.
        """
        numbers = self._numbers(entries)
        self._elements.append(entries.elements)
        self._signs.append(entries.signs)
        self._waiting += numbers.size
        self._seen += numbers.size
        if not numbers.size:
            return self._taken(0, np.empty(0, dtype=np.int64))
        assert self._step is not None
        last = int(numbers[-1])
        if self._every.entries and self._seen % self._every.entries == 0:
            last += 1
        self.steps += last - self._step
        if self.steps > self._most:
            raise InputError(f"the stream has more than {self._most} releases (the number of steps)")
        finished = np.arange(self._step, last)
        held = self._waiting - numbers.size
        ends = np.searchsorted(numbers, finished, side="right") + held
        self._step = last
        return self._taken(int(ends[-1]) if ends.size else 0, ends.astype(np.int64), finished)

    def finish(self) -> Steps:
        """The last step, if it has begun and has not ended."""
        if not self._waiting:
            return self._taken(0, np.empty(0, dtype=np.int64))
        assert self._step is not None
        step, self._step = self._step, self._step + 1
        self.steps += 1
        return self._taken(self._waiting, np.array([self._waiting]), np.array([step]))

    def _numbers(self, entries: Entries) -> NDArray[np.int64]:
        """The number of the step of each entry."""
        if self._every.entries:
            return np.asarray((self._seen + np.arange(entries.elements.size)) // self._every.entries)
        if entries.times is None:
            raise InputError("releases at times (--every) need a column of times; give it with --time")
        numbers = entries.times // self._every.microseconds
        if self._step is None and numbers.size:
            self._step = int(numbers[0])
        return np.asarray(numbers)

    def _taken(self, count: int, ends: NDArray[np.int64], steps: NDArray[np.int64] | None = None) -> Steps:
        """The first of the waiting entries, as whole steps."""
        elements = np.concatenate([np.empty(0, dtype=np.int64), *self._elements])
        signs = np.concatenate([np.empty(0, dtype=np.int8), *self._signs])
        self._elements, self._signs = [elements[count:]], [signs[count:]]
        self._waiting = elements.size - count
        numbers = np.empty(0, dtype=np.int64) if steps is None else steps
        width = self._every.entries or self._every.microseconds
        labels = (numbers + 1) * width
        if self._every.entries:
            labels = np.minimum(labels, self._seen)
        return Steps(elements[:count], signs[:count], ends, labels)
