"""The number of runs of a check: all of them, or as many as a slow estimator makes in a few seconds."""

from __future__ import annotations

import time
from typing import Any

from pan_audits.running.course import Course
from pan_audits.running.mechanism import RunsApart

_TRIALS = (1, 4)
"""Runs before the number is known. The first one includes the start of a process."""


def runs_in_time(estimator: Any, course: Course, most: int, *, fewest: int, seconds: float) -> int:
    """An even number of runs.

    Parameters
    ----------
    estimator
        Only one that makes its runs in a process of its own is timed; another one makes ``most``.
    course
        The input of a run.
    most, fewest
        The range of the number.
    seconds
        The time that the runs may take, if ``fewest`` take no longer.

    Raises
    ------
    VariantError
        If the estimator fails.
    """
    if not isinstance(estimator, RunsApart):
        return most
    each = 0.0
    for runs in _TRIALS:
        began = time.perf_counter()
        for _ in estimator.runs_apart(course, runs, (0,), states_seen=False):
            pass
        each = (time.perf_counter() - began) / runs
    fitting = int(min(most, max(fewest, seconds / max(each, 1e-9))))
    return fitting - fitting % 2
