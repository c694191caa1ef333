"""Questions to a judged process about runs on streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pan_audits.isolation.data import to_data
from pan_audits.running.course import Course
from pan_audits.workers.limits import Limits


def to_survey(courses: Sequence[Course], runs: int, seed: int, limits: Limits, ids: Sequence[Any]) -> dict[str, Any]:
    """The question for runs that are followed.

    Parameters
    ----------
    courses
        The streams.
    runs
        Runs on each of them.
    seed
        Of the runs.
    limits
        On all runs together.
    ids
        Ids that the code may refuse.
    """
    return {
        "ask": "survey",
        "courses": [fed(course) for course in courses],
        "runs": runs,
        "seed": to_data([seed]),
        "ids": to_data(list(ids)),
        # Slow code makes fewer runs, rather than none that counts.
        "seconds": limits.seconds / 2,
    }


def fed(course: Course) -> list[Any]:
    """A stream, as data.

    Parameters
    ----------
    course
        The stream.
    """
    return [[to_data(ids), None if d is None else to_data(d), str(step)] for ids, d, step in course]
