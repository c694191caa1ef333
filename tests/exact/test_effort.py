"""The work of longer streams is estimated from what they add: new steps, and more streams."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pan_audits.exact.effort import Effort
from pan_audits.exact.scope import Scope
from pan_audits.exact.stepping import Work
from pan_promises.promise import Promise

SCOPE = Scope.of(Promise.parse("epsilon=1,adjacency=user-level"), 3, 4, deletions=False, exchangeable=False)

PLACES = round(1 / Work(places=1).done)
"""Places of a distribution that count as one run of the code."""


@dataclass
class Steps:
    """A stepper of which only the work and the numbers count."""

    work: Work = field(default_factory=Work)
    steps_made: int = 0
    missing: int = 0

    def created(self):
        self.work.calls += 100

    def steps_to_make(self, items):
        assert len(items) == SCOPE.users
        return self.missing


def estimate(calls, made, missing, runs):
    stepper = Steps()
    effort = Effort(stepper, SCOPE)
    stepper.work.calls += calls
    stepper.work.places += (runs - calls) * PLACES
    stepper.steps_made, stepper.missing = made, missing
    effort.took()
    return effort.estimate(2)


def test_calls_take_no_work_once_every_step_is_made():
    growth = 1.3 * SCOPE.size(2) / SCOPE.size(1)
    assert estimate(50, 30, 0, 51) == pytest.approx(growth)
    assert estimate(50, 30, 30, 51) == pytest.approx(growth + 1.3 * 50)


def test_calls_never_grow_faster_than_streams():
    growth = 1.3 * SCOPE.size(2) / SCOPE.size(1)
    assert estimate(50, 30, 10**6, 51) == pytest.approx(51 * growth)


def test_the_first_length_is_always_tried():
    assert Effort(Steps(), SCOPE).estimate(1) == 0
