"""Times of entries, in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from pan_audits.sources.faults import Fault, first_of, where
from pan_audits.sources.times import TimeColumn, Times


class TimeReader:
    """Reads the times of a stream batch by batch, and refuses times that are out of order."""

    def __init__(self, name: str, last: int | None = None) -> None:
        self.last = last
        self._name = name
        self._column = TimeColumn(name)

    def read(self, column: Any) -> tuple[Times, Fault | None]:
        """The times of a batch in microseconds since 1970, and its first bad row.

        From there on they have no meaning.
        """
        times, fault = self._column.read(column)
        good = times.size if fault is None else fault.row
        known = times[:good]
        steps = np.diff(known, prepend=known[:1] if self.last is None else self.last)
        disorder = where(
            steps < 0,
            lambda row: (
                f"the time in row {row} of {self._name} lies before that of the row before; sort the rows by time"
            ),
        )
        fault = first_of(disorder, fault)
        if good := times.size if fault is None else fault.row:
            self.last = int(times[good - 1])
        return times, fault
