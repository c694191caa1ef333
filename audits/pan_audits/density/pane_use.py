"""The division of a stream into panes with a release each, and the promise across them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pan_promises.errors import InputError

if TYPE_CHECKING:
    from pan_audits.sources.every import Every


class Late(StrEnum):
    """The treatment of an id whose time lies in a pane that has ended.

    ``FAIL``
        It ends the run.
    ``COUNT``
        It is counted in the present pane.
    """

    FAIL = "fail"
    COUNT = "count"


@dataclass(frozen=True)
class PaneUse:
    """The panes of a stream."""

    every: Every
    text: str
    fresh: bool
    time_column: str | None
    late: Late
    output: Path | None

    @classmethod
    def of(
        cls,
        *,
        every: str | None,
        releases: int | None,
        fresh_panes: bool,
        time_column: str | None,
        late: Late,
        output: Path | None,
    ) -> PaneUse | None:
        """The panes that the options ask for, if they ask for panes."""
        if every is None:
            for name, given in (
                ("--fresh-panes", fresh_panes),
                ("--time-column", time_column is not None),
                ("--late", Late(late) is not Late.FAIL),
                ("--output", output is not None),
            ):
                if given:
                    raise InputError(f"{name} is for panes: give --every, such as --every 1h")
            return None
        if fresh_panes and releases is not None:
            raise InputError("give --releases R or --fresh-panes: one counter for all panes, or one for each")
        if not fresh_panes and releases is None:
            raise InputError(
                "--every needs a promise across panes: --releases R for one counter of all users so far, with one "
                "promise for R outputs together, or --fresh-panes for a new counter in each pane, with a promise for "
                "each pane"
            )
        # Reading needs numpy, which the help of the command does not.
        from pan_audits.sources.every import Every

        distance = Every.parse(every)
        if distance.entries and time_column is not None:
            raise InputError("--time-column is for panes of a time, such as --every 1h")
        if time_column is None and Late(late) is not Late.FAIL:
            raise InputError("--late is for panes of the times in a column: give --time-column")
        return cls(distance, every, fresh_panes, time_column, Late(late), output)

    @property
    def by_clock(self) -> bool:
        """Whether the panes end at times of the clock."""
        return bool(self.every.microseconds) and self.time_column is None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that a state must have been begun with, JSON-ready."""
        every = [self.every.entries, self.every.microseconds]
        return {"every": every, "fresh": self.fresh, "time_column": self.time_column}
