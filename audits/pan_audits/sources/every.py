"""The distance between two releases: a number of entries, or a time such as an hour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pan_promises.errors import InputError, shown

_UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_SECOND = 10**6
_WEEK = _UNITS["w"] * _SECOND
_FIRST_MONDAY = 4 * _UNITS["d"] * _SECOND
"""The first Monday of 1970."""

MOST_EMPTY = 100_000
"""Largest number of steps between two entries: a date such as 9999-12-31 stands for none."""


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

    def number(self, times: Any) -> Any:
        """The number of the step in which each time lies. Weeks begin on Mondays, other steps of a time in 1970."""
        return (times - self._begin) // self.microseconds

    def end(self, numbers: Any) -> Any:
        """The end of each step, in microseconds since 1970."""
        return (numbers + 1) * self.microseconds + self._begin

    @property
    def _begin(self) -> int:
        return 0 if self.microseconds % _WEEK else _FIRST_MONDAY

    @classmethod
    def parse(cls, text: str) -> Every:
        """The distance that a text names: a number of entries, such as ``1000``, or a time, such as ``1h``."""
        found = re.fullmatch(r"([1-9][0-9]{0,8})(s|min|m|h|d|w)?", text, re.ASCII)
        if not found:
            raise InputError(
                "--every takes a number of entries, such as 1000, or a time, such as 30s, 15min, 1h, 1d; got "
                f"{shown(text)}"
            )
        number, unit = int(found[1]), found[2]
        return cls(0, number * _UNITS[unit] * _SECOND) if unit else cls(number)
