"""In the judged process: whether code behaves differently with the two classes of randomness, for the same draws.

One run of a state with few bits shows a difference rarely. Therefore many runs with the same draws are compared.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pan_audits.isolation.data import comparable, to_data
from pan_audits.isolation.errors_seen import ErrorsSeen
from pan_audits.running.course import Course, run_course
from pan_audits.running.randomness_class import SECURE, SEEDED, seeded
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

_MOST_COURSES = 16
_ROUNDS = 4
_REPETITIONS = 20
_MOST_SECONDS = 3.0
"""Time of the processor after which no further run begins."""


def are_told_apart(estimator: Any, courses: Sequence[Course], seed: Sequence[int], ends: float) -> bool:
    """Whether a run with the class of a deployment has another result than one with the seeded class.

    Code that does not repeat itself with one class is not concerned: it draws elsewhere, or keeps data.

    Parameters
    ----------
    estimator
        The estimator, with its code in this process.
    courses
        Streams. At most 16 of them are run, each with four seeds.
    seed
        Of the runs.
    ends
        The monotonic time after which no further run begins.
    """
    began = time.process_time()
    for number in range(_ROUNDS):
        for place, course in enumerate(courses[:_MOST_COURSES]):
            if time.process_time() - began > _MOST_SECONDS or time.monotonic() > ends:
                return False
            # An error is told by other checks.
            with contextlib.suppress(Exception, SystemExit):
                if _differ(estimator, course, [*seed, number, place], ends):
                    return True
    return False


def _differ(estimator: Any, course: Course, seed: Sequence[int], ends: float) -> bool:
    """Whether the two results differ, and each of them repeats itself, as far as there is time."""

    def repeats(randomness_class: str, result: bytes) -> bool:
        for _ in range(_REPETITIONS):
            if _result(estimator, course, randomness_class, seed) != result:
                return False
            if time.monotonic() > ends:
                break
        return True

    first, secure = (_result(estimator, course, each, seed) for each in (SEEDED, SECURE))
    return first != secure and repeats(SEEDED, first) and repeats(SECURE, secure)


def _result(estimator: Any, course: Course, randomness_class: str, seed: Sequence[int]) -> bytes:
    source = seeded(randomness_class, NumpyRandomness(np.random.SeedSequence(list(seed))))
    observed = run_course(ErrorsSeen(estimator), course, source)
    return comparable(to_data([list(observed.states), list(observed.outputs)]))
