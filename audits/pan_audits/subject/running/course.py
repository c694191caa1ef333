"""A run of an estimator on one stream; and whether the estimator is one that this project ships."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pan_audits.problems.inputs.streams.family import Family, SegmentEnd, materialise
from pan_estimators.common.estimator import CopiesStates
from pan_estimators.states.releasing import counts_releases, releases_covered

KindT = TypeVar("KindT")


_FRONTS: set[type[Any]] = set()


def front_of_shipped(kind: type[KindT]) -> type[KindT]:
    """Mark a class whose objects stand for the shipped object in their attribute ``owner``."""
    _FRONTS.add(kind)
    return kind


def is_shipped(estimator: Any) -> bool:
    """Whether the class of an estimator is one that this project ships, or stands for one of them."""
    kind: Any = type(estimator.owner if type(estimator) in _FRONTS else estimator)
    return _ships(kind)


@cache
def _ships(kind: Any) -> bool:
    module = sys.modules.get(kind.__module__)
    return kind.__module__.startswith("pan_estimators.") and getattr(module, kind.__qualname__, None) is kind


@dataclass(frozen=True, eq=False)
class Observation:
    """The observation of one run.

    Attributes
    ----------
    states, outputs
        The observed states and outputs, in the order of the schedule.
    users
        The sampled users at each release, if requested; no adversary sees them.
    """

    states: tuple[Any, ...]
    outputs: tuple[Any, ...]
    users: tuple[Any, ...] = ()


class Outputs(Sequence[Observation]):
    """The observations of runs that show one output each, and nothing else."""

    def __init__(self, outputs: list[Any]) -> None:
        self.outputs = outputs

    def __len__(self) -> int:
        return len(self.outputs)

    @overload
    def __getitem__(self, place: int) -> Observation: ...
    @overload
    def __getitem__(self, place: slice) -> Outputs: ...
    def __getitem__(self, place: int | slice) -> Observation | Outputs:
        found = self.outputs[place]
        return Outputs(found) if isinstance(place, slice) else Observation((), (found,))


Course = Sequence[tuple[NDArray[Any], NDArray[np.bool_] | None, SegmentEnd]]
"""A stream for an estimator: ids and deletions of each segment, and the step after it."""


def course_of(family: Family, place: int) -> Course:
    """One stream of a family, made once for all runs on it."""
    steps = zip(family.side(place).segments, family.schedule, strict=True)
    return tuple((*materialise(segment), step) for segment, step in steps)


def repeated(estimator: Any, ids: NDArray[Any], times: int) -> Course:
    """The ids several times, with a release after each time.

    An estimator that counts its releases may refuse more of them than its promise covers. For it the last times alone
    end with a release, and the earlier ones with an intrusion.
    """
    covered = (releases_covered(estimator) or 1) if counts_releases(estimator) else times
    steps = [SegmentEnd.RELEASE if left <= covered else SegmentEnd.INTRUSION for left in range(times, 0, -1)]
    return tuple((ids, None, step) for step in steps)


def run_once(estimator: Any, family: Family, place: int, randomness: Any) -> Observation:
    """One run of the estimator's own code on one stream."""
    return run_course(estimator, course_of(family, place), randomness)


def run_course(
    estimator: Any, course: Course, randomness: Any, *, states_seen: bool = True, users_told: bool = False
) -> Observation:
    """One run of the estimator's own code."""
    state = estimator.create(randomness)
    states: list[Any] = []
    outputs: list[Any] = []
    users: list[Any] = []
    for ids, deletions, step in course:
        state = apply_updates(estimator, state, ids, deletions, randomness)
        if step is SegmentEnd.RELEASE:
            if users_told:
                # The last release may erase what is not copied.
                users.append(copy.deepcopy(estimator.sampled_users(state)))
            outputs.append(estimator.release(state, randomness))
            continue
        if states_seen:
            states.append(_copied(estimator, state))
        if step is SegmentEnd.ANNOUNCED:
            state = estimator.announce(state, randomness)
    return Observation(tuple(states), tuple(outputs), tuple(users))


def _copied(estimator: Any, state: Any) -> Any:
    """A copy of the present state, by a shipped estimator's own method. The last release erases the original."""
    if is_shipped(estimator) and isinstance(estimator, CopiesStates):
        return estimator.copy_state(state)
    return copy.deepcopy(state)


def apply_updates(
    estimator: Any, state: Any, ids: NDArray[Any], deletions: NDArray[np.bool_] | None, randomness: Any
) -> Any:
    """Feed a segment of the stream to the estimator, as one batch."""
    if not len(ids):
        return state
    if deletions is None:
        return estimator.update(state, ids, randomness)
    return estimator.update(state, ids, randomness, deletions=deletions)


def run_in_turns(
    estimator: Any,
    courses: Sequence[Course],
    sources: Sequence[Any],
    *,
    apart: bool = False,
    carried: Callable[[Any], Any] = lambda state: state,
) -> list[list[Any]]:
    """The outputs of one run on each of some streams, which go on together: all updates, then all observations.

    Code that keeps everything in its states gives the same outputs as in one run after the other.
    """
    if apart:
        pairs = zip(courses, sources, strict=True)
        return [run_in_turns(estimator, [course], [own], carried=carried)[0] for course, own in pairs]
    states = [estimator.create(source) for source in sources]
    outputs: list[list[Any]] = [[] for _ in courses]
    for number in range(max(map(len, courses))):
        places = [place for place, course in enumerate(courses) if number < len(course)]
        for place in places:
            ids, deletions, _ = courses[place][number]
            states[place] = apply_updates(estimator, carried(states[place]), ids, deletions, sources[place])
        for place in places:
            step = courses[place][number][2]
            states[place] = carried(states[place])
            if step is SegmentEnd.RELEASE:
                outputs[place].append(estimator.release(states[place], sources[place]))
            elif step is SegmentEnd.ANNOUNCED:
                states[place] = estimator.announce(states[place], sources[place])
    return outputs
