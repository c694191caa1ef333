"""Questions to a judged process about runs on streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pan_audits.isolation.data import to_data
from pan_audits.running.course import Course
from pan_audits.workers.limits import Limits


def to_survey(courses: Sequence[Course], runs: int, seed: int, limits: Limits, ids: Sequence[Any]) -> dict[str, Any]:
    """The question for runs that are followed."""
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
    """A stream, as data."""
    return [[to_data(ids), None if d is None else to_data(d), str(step)] for ids, d, step in course]


def to_turns(
    key: str, courses: Sequence[Course], seed: int, *, apart: bool = False, as_data: bool = False
) -> dict[str, Any]:
    """The question for one run on each of some streams."""
    sent = [fed(course) for course in courses]
    told = {"courses": sent, "seed": to_data([seed]), "apart": apart, "as data": as_data}
    return {"ask": "turns", "key": key, **told}
