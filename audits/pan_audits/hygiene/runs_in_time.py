"""The number of runs of a check: all of them, or fewer of a slow estimator."""

from __future__ import annotations

import time
from typing import Any

from pan_audits.running.course import Course
from pan_audits.running.mechanism import RunsApart
from pan_audits.workers.limits import busy_time

_TRIALS = (1, 4)
"""Runs before the number is known. The first one includes the start of a process."""
_FEWER = 4
"""A slow estimator makes fewer runs by a power of this number: a little more time changes nothing."""
_ASLEEP = 8
"""Code that waits counts as if it worked for one in this number of seconds."""


def runs_in_time(estimator: Any, course: Course, most: int, *, fewest: int, seconds: float) -> int:
    """An even number of runs."""
    if not isinstance(estimator, RunsApart):
        return most
    each = 0.0
    for runs in _TRIALS:
        began, working = time.perf_counter(), busy_time()
        for _ in estimator.runs_apart(course, runs, (0,), states_seen=False):
            pass
        each = max(busy_time() - working, (time.perf_counter() - began) / _ASLEEP) / runs
    number = most
    while number > fewest and number * each > seconds:
        number = max(fewest, number // _FEWER)
    return number - number % 2
