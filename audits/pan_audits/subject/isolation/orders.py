"""Whether the output of a run depends on earlier runs in the same process."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pan_audits.problems.inputs.streams.family import Id, SegmentEnd
from pan_audits.subject.isolation.conduct import places_in_words
from pan_audits.subject.isolation.estimator import IsolatedEstimator
from pan_audits.subject.running.course import Course, repeated
from pan_audits.workers.limits import Limits

_RUNS = 8
_MANY_RUNS, _SLOW = 128, 20.0
_MOST_COURSES = 16


def remembers(places: Iterable[str]) -> str:
    """The sentence about code whose outputs depend on earlier runs, with the places that changed."""
    named = places_in_words(places)
    return (
        "the outputs depend on the inputs of earlier runs in the same process: the code keeps data outside of its "
        "state, and later runs use them" + (f" (changed: {named})" if named else "")
    )


def courses_of(estimator: Any, population: Sequence[Id]) -> list[Course]:
    """A stream of one user, streams of each of some others, and one of all of them. For inputs: each of some inputs."""
    fed = [np.array([each]) for each in population[:_MOST_COURSES]]
    single: list[Course] = [[(ids, None, SegmentEnd.RELEASE)] for ids in fed]
    together: Course = [*[(ids, None, SegmentEnd.INTRUSION) for ids in fed[:-1]], *single[-1]]
    return [*single[:-1], repeated(estimator, fed[0], 2), single[-1], together]


def beginning(population: Sequence[Id]) -> Course:
    """A stream without updates, which ends with a release."""
    return [(np.array(population[:1])[:0], None, SegmentEnd.RELEASE)]


def depends_on_other_runs(estimator: IsolatedEstimator, courses: Sequence[Course], seed: int = 0) -> bool:
    """Whether seeded runs have other outputs if runs on several streams go on together in one process.

    Data that an update keeps outside of the state then meet the release of another run. Code that does not repeat
    itself is not concerned: it draws elsewhere.
    """
    streams = list(courses[: _MOST_COURSES + 2])
    alone = estimator.outputs_in_turns(streams, seed, apart=True)
    if estimator.outputs_in_turns(streams, seed, apart=False) == alone:
        return False
    return estimator.outputs_in_turns(streams, seed, apart=True) == alone


def depends_on_earlier_runs(
    estimator: IsolatedEstimator, courses: Sequence[Course], seed: int = 0, limits: Limits | None = None
) -> bool:
    """Whether seeded runs have other outputs if the streams come in the opposite order.

    The streams run in a new process, and in the opposite order in another one. A first input that the code keeps is
    then another one. Code that does not repeat itself in one order is not concerned: it draws elsewhere.
    """
    streams = list(courses[: _MOST_COURSES + 2])

    def outputs(order: Sequence[int], runs: int = _RUNS) -> dict[int, bytes]:
        found = estimator.outputs_afresh([streams[place] for place in order], runs, seed, limits)
        # Slow code runs on fewer streams.
        return dict(zip(order, found, strict=False))

    def differ(one: dict[int, bytes], other: dict[int, bytes]) -> bool:
        return any(one[place] != other[place] for place in one.keys() & other.keys())

    began = time.monotonic()
    forward = outputs(range(len(streams)))
    seconds = time.monotonic() - began
    order = list(forward)
    if not differ(forward, outputs(order[::-1])) or differ(forward, outputs(order)):
        return False
    # A few outputs of code that draws elsewhere may be equal by chance.
    many = _RUNS if seconds > _SLOW else _MANY_RUNS
    return not differ(outputs(order[:2], many), outputs(order[:2], many))
