"""The work of an exact check, which is counted, and the work that the streams of the next length will take."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pan_audits.choices.errors import TimeIsUpError, TooLargeError
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.scope import Scope, Update
from pan_audits.exact.stepping import Stepper, Work

_MARGIN = 1.3
_BEYOND = 3
"""Factor by which a scope that has begun may exceed the work, or the time, that was left."""


@dataclass
class Allowance:
    """The work that a check may do, and the time.

    Attributes
    ----------
    work
        The work so far.
    timed
        If the clock decided what is covered: a sentence about it.
    """

    settings: CheckSettings
    work: Work = field(default_factory=Work)
    timed: str = field(default="", init=False)
    _began: float = field(default_factory=time.perf_counter, init=False)

    @property
    def passed(self) -> float:
        """Seconds since the check began."""
        return time.perf_counter() - self._began

    def lacks(self, runs: float) -> str:
        """Why a scope is not begun that will take about this many runs; empty if it is begun."""
        if self.settings.seconds is None:
            left = self.settings.runs - self.work.done
            if runs > max(left, 0.0):
                return f"they would take about {runs:,.0f} runs of the code more, of {self.settings.runs:,} altogether"
            taken = 0.0
        else:
            taken = runs * self.passed / max(self.work.done, 1.0)
        if self.passed + taken > self.settings.clock:
            self.ended(self.work.done + runs)
            return f"they would take about {taken:.0f} s more, of {self.settings.clock:.0f} s altogether"
        return ""

    def ended(self, runs: float) -> None:
        """Take note that the clock ends the check; with less than ``runs`` the count would have ended it here."""
        self.timed = self.timed or (
            "the clock decided what is covered, and on another machine it may be another part; "
            f"--runs {max(1, int(runs) - 1)} covers this part everywhere"
        )

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Let no run of the code begin after the seconds that were asked for."""
        self.work.require = self._require_time
        try:
            yield
        finally:
            self.work.require = bool

    def _require_time(self) -> None:
        if self.settings.seconds is not None and self.passed > self.settings.seconds:
            self.ended(self.work.done)
            raise TimeIsUpError("the time is up")

    def begin(self, share: float = _BEYOND) -> Part:
        """The part of a scope that begins now."""
        limited = self.settings.seconds is None
        left = self.settings.runs - self.work.done if limited else float("inf")
        time_left = self.settings.clock - self.passed
        return Part(
            self, self.work.done, self.work.done + share * max(left, 1.0), self.passed + share * max(time_left, 1.0)
        )


@dataclass
class Part:
    """The effort that one scope may use."""

    allowance: Allowance
    began: float
    most: float
    until: float

    def require(self) -> None:
        """Raise :class:`TooLargeError` if it is used up."""
        if self.allowance.work.done > self.most:
            most = self.allowance.settings.runs
            raise TooLargeError(f"the check takes more than the {most:,} runs of the code that are allowed")
        if self.allowance.passed > self.until:
            self.allowance.ended(self.began)
            raise TooLargeError("the time is up")


@dataclass
class Effort:
    """Estimates the work of a length from the one before.

    The code is called for new steps only: once no state is new, longer streams take no calls. Everything else grows
    with the number of streams.
    """

    stepper: Stepper
    scope: Scope
    _others: float = field(default=0.0, init=False)
    _calls: float = field(default=0.0, init=False)
    _growth: float = field(default=0.0, init=False)
    _before: tuple[float, float, int] = field(default=(0.0, 0.0, 0), init=False)

    def __post_init__(self) -> None:
        self.stepper.created()
        self._before = self._now

    @property
    def _now(self) -> tuple[float, float, int]:
        return self.stepper.work.calls, self.stepper.work.done, self.stepper.steps_made

    def took(self) -> None:
        """Take note of the work of the last length."""
        called, done, made = self._before
        self._before = self._now
        self._calls = self._before[0] - called
        self._others = self._before[1] - done - self._calls
        kinds = (False, True) if self.scope.deletions else (False,)
        items = [Update(user, deletes) for user in range(self.scope.users) for deletes in kinds]
        newly = self._before[2] - made
        self._growth = self.stepper.steps_to_make(items) / newly if newly else 0.0

    def estimate(self, length: int) -> float:
        """Runs of the code that streams of this length will take; 0 before anything was counted."""
        streams = max(2.0, _MARGIN * self.scope.size(length) / self.scope.size(length - 1))
        return self._others * streams + self._calls * min(streams, _MARGIN * self._growth)
