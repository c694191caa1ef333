"""The time that the streams of the next length will take."""

from __future__ import annotations

from dataclasses import dataclass, field

from pan_audits.exact.scope import Scope, Update
from pan_audits.exact.stepping import Stepper

_MARGIN = 1.3


@dataclass
class Effort:
    """Estimates the time of a length from the one before.

    The code is called for new steps only: once no state is new, longer streams take no calls. Everything else grows
    with the number of streams.

    Parameters
    ----------
    stepper
        It makes the steps. The first states are created here, so that their time is part of no length.
    scope
        All streams.
    """

    stepper: Stepper
    scope: Scope
    _others: float = field(default=0.0, init=False)
    _calls: float = field(default=0.0, init=False)
    _growth: float = field(default=0.0, init=False)
    _before: tuple[float, int] = field(default=(0.0, 0), init=False)

    def __post_init__(self) -> None:
        self.stepper.created()
        self._before = self.stepper.seconds_of_calls, self.stepper.steps_made

    def took(self, seconds: float) -> None:
        """Take note of the time of the last length, in seconds."""
        called, made = self._before
        self._before = self.stepper.seconds_of_calls, self.stepper.steps_made
        self._calls = self._before[0] - called
        self._others = seconds - self._calls
        kinds = (False, True) if self.scope.deletions else (False,)
        items = [Update(user, deletes) for user in range(self.scope.users) for deletes in kinds]
        newly = self._before[1] - made
        self._growth = self.stepper.steps_to_make(items) / newly if newly else 0.0

    def estimate(self, length: int) -> float:
        """Seconds that streams of this length will take; 0 before anything was measured."""
        streams = max(2.0, _MARGIN * self.scope.size(length) / self.scope.size(length - 1))
        return self._others * streams + self._calls * min(streams, _MARGIN * self._growth)
