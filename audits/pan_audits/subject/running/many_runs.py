"""Many runs of an estimator at once, for an estimator that offers them, written down as single runs are.

A shipped estimator makes all its runs at once: tests show that their distribution is that of single runs, exactly
at small sizes and statistically at others. The runs at once of a third-party estimator are another
program than its single runs, and the promise is about the single runs. So they only guide the search,
and three rules hold:

*   The gate compares both programs, and distrusts runs at once that differ (:mod:`pan_audits.conduct.many_runs`).
*   At least a quarter of the search's blocks, drawn by their seeds, is made run by run, so that what runs
    at once hide on rare streams can still be found. Of batches, a part of the search is made before any batch
    (:mod:`pan_audits.audit.by_batches`).
*   Nothing is refuted by them: what a search with them finds is searched for again, and measured, by single runs.

A batch is one call of a function that returns several outputs: the function takes a size, or its runs are made side by
side (:mod:`pan_audits.subject.isolation.side_by_side`).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table
from pan_audits.events.observing.features import observation_features, stacked_features
from pan_audits.events.observing.subject import Subject
from pan_audits.problems.inputs.streams.family import Family, Schedule, SegmentEnd
from pan_audits.subject.running.course import course_of, run_course
from pan_audits.workers.limits import MechanismError
from pan_estimators.common.many_runs import GroupedStates, ManyRuns, StackedStates
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.workers import all_done

SHARE_MADE_SINGLY = 0.25
"""The share of the blocks of a search that a third-party estimator makes run by run, though it offers more."""

_MOST_CELLS = 2**20
"""Entries of the states that are held at once, as far as can be told."""
_MOST_STACKED = 4096


@dataclass(frozen=True, eq=False)
class ManyObservations:
    """The observations of many runs: states and outputs, in the order of the schedule."""

    runs: int
    states: tuple[Any, ...]
    outputs: tuple[NDArray[Any], ...]


def offers_many_runs(estimator: Any, schedule: Schedule) -> bool:
    """Whether an estimator makes many runs at once for a schedule."""
    return isinstance(estimator, ManyRuns) and (
        SegmentEnd.ANNOUNCED not in schedule or hasattr(estimator, "announce_many")
    )


def made_singly(share: float, seed: Sequence[int]) -> bool:
    """Whether the block with this seed is made run by run, if a share of all blocks is."""
    if share in (0.0, 1.0):
        return share == 1.0
    # A stream of its own, so that the choice says nothing about the runs.
    return bool(np.random.default_rng(np.random.SeedSequence(list(seed), spawn_key=(1,))).random() < share)


def stack_size(estimator: Any) -> int:
    """The number of runs that are held at once."""
    cells = getattr(estimator, "entries_of_a_run", getattr(estimator, "sample_size", None))
    return max(1, min(_MOST_STACKED, _MOST_CELLS // cells)) if isinstance(cells, int) and cells > 0 else 256


def run_course_many(
    estimator: Any, course: Any, runs: int, randomness: Any, *, states_seen: bool = True
) -> ManyObservations:
    """Many runs of the estimator's own code at once; states that nobody sees are not copied."""
    states = estimator.create_many(runs, randomness)
    seen: list[Any] = []
    outputs: list[NDArray[Any]] = []
    for ids, deletions, step in course:
        if len(ids):
            given = {} if deletions is None else {"deletions": deletions}
            states = estimator.update_many(states, ids, randomness, **given)
        if step is SegmentEnd.RELEASE:
            released = np.asarray(estimator.release_many(states, randomness))
            if released.shape[:1] != (runs,):
                raise ValueError(f"release_many gave shape {released.shape} for {runs} runs")
            outputs.append(released)
            continue
        if states_seen:
            seen.append(copy.deepcopy(states))
        if step is SegmentEnd.ANNOUNCED:
            states = estimator.announce_many(states, randomness)
    return ManyObservations(runs, tuple(seen), tuple(outputs))


def releases_at_once(
    estimator: Any, ids: NDArray[Any], deletions: NDArray[np.bool_] | None, runs: int, randomness: Any
) -> NDArray[np.float64]:
    """The release after the whole stream, in each of a number of runs."""
    released = np.empty(runs)
    for start in range(0, runs, size := stack_size(estimator)):
        course = ((ids, deletions, SegmentEnd.RELEASE),)
        found = run_course_many(estimator, course, min(size, runs - start), randomness, states_seen=False)
        released[start : start + size] = found.outputs[0]
    return released


def features_of_many(estimator: Any, observations: ManyObservations, subject: Subject) -> Table:
    """The table of features, as columns where the states show their parts, or else run by run."""
    if len(observations.states) == 1 and isinstance(observations.states[0], GroupedStates):
        table = _features_of_groups(observations.states[0], observations, subject)
        if table is not None:
            return table
    parts = [states.parts() if isinstance(states, StackedStates) else None for states in observations.states]
    known = [part for part in parts if part is not None]
    if len(known) == len(parts):
        table = stacked_features(known, observations.outputs, observations.runs, subject)
        if table is not None:
            return table
    return Table.from_rows(
        [
            observation_features(
                [estimator.state_of(states, run) for states in observations.states],
                [output[run] if output.ndim > 1 else output[run].item() for output in observations.outputs],
                subject,
            )
            for run in range(observations.runs)
        ]
    )


def _features_of_groups(states: GroupedStates, observations: ManyObservations, subject: Subject) -> Table | None:
    """The table of features in columns, group by group; ``None`` if a group must be read run by run."""
    groups = states.groups()
    tables = [
        stacked_features([parts], [output[runs] for output in observations.outputs], runs.size, subject)
        for runs, parts in groups
    ]
    known = [table for table in tables if table is not None]
    if len(known) < len(tables):
        return None
    joined = Table.concatenate(known)
    values = np.empty_like(joined.values)
    values[np.concatenate([runs for runs, _ in groups])] = joined.values
    return Table(joined.names, values)


_CHUNK = 25
"""Number of runs of a worker at a time."""


def releases(
    estimator: Any,
    ids: NDArray[Any],
    seeds: Sequence[np.random.SeedSequence],
    *,
    deletions: NDArray[np.bool_] | None = None,
    jobs: int = 1,
) -> NDArray[np.float64]:
    """The release after the whole stream, once for each seed, by single runs; it does not depend on ``jobs``."""
    import cloudpickle

    chunks = [seeds[start : start + _CHUNK] for start in range(0, len(seeds), _CHUNK)]
    calls = [partial(_released, estimator, ids, deletions, chunk) for chunk in chunks]
    return np.array([released for each in all_done(calls, jobs, cloudpickle.dumps) for released in each])


def _released(
    estimator: Any, ids: NDArray[Any], deletions: NDArray[np.bool_] | None, seeds: Sequence[np.random.SeedSequence]
) -> list[Any]:
    course = ((ids, deletions, SegmentEnd.RELEASE),)
    return [run_course(estimator, course, NumpyRandomness(seed)).outputs[0] for seed in seeds]


_NUMBERS = "biuf"


@runtime_checkable
class BatchesApart(Protocol):
    """A mechanism that makes batches of runs, in a process of its own."""

    @property
    def makes_batches(self) -> bool:
        """Whether it does, or may make runs side by side."""
        ...

    def batches_apart(self, label: str, sizes: Sequence[int], seed: Sequence[int]) -> list[Any]:
        """The outputs of batches of these sizes on the input with this label, unchecked."""
        ...


def offers_batches(estimator: Any, family: Family) -> bool:
    """Whether a mechanism makes batches of runs on the inputs of a family."""
    return (
        isinstance(estimator, BatchesApart)
        and estimator.makes_batches
        and tuple(family.schedule) == (SegmentEnd.RELEASE,)
    )


def label_of(family: Family, place: int) -> str:
    """The label of an input."""
    ids, *_ = course_of(family, place)[0]
    return str(ids[-1])


def table_of_batches(
    estimator: BatchesApart, family: Family, place: int, sizes: Sequence[int], seed: Sequence[int]
) -> Table:
    """One row for each run of some batches, in their order."""
    returned = estimator.batches_apart(label_of(family, place), sizes, seed)
    outputs = [outputs_of(each, size) for each, size in zip(returned, sizes, strict=True)]
    subject = Subject(family.user)
    # Batches of one form are read together.
    arrays = [each for each in outputs if isinstance(each, np.ndarray)]
    if len(arrays) == len(outputs) and len({(each.shape[1:], each.dtype) for each in arrays}) == 1:
        joined = np.concatenate(arrays)
        if (table := stacked_features([], [joined], len(joined), subject)) is not None:
            return table
    rows = [observation_features([], [one], subject) for each in outputs for one in _singly(each)]
    return Table.from_rows(rows)


def outputs_of(returned: Any, size: int) -> NDArray[Any] | Sequence[Any]:
    """The outputs of a batch, in an array or a list."""
    if isinstance(returned, np.ndarray):
        if returned.ndim == 0 or len(returned) != size:
            raise MechanismError(
                f"for size={size} it must return {size} outputs along the first axis, but it returned an array of "
                f"shape {returned.shape}"
            )
        return returned
    if not isinstance(returned, (list, tuple)):
        raise MechanismError(
            f"for size={size} it must return an array or a list of {size} outputs, but it returned {_kind(returned)}"
        )
    if len(returned) != size:
        raise MechanismError(
            f"for size={size} it must return {size} outputs, but it returned a {type(returned).__name__} of "
            f"{len(returned)}"
        )
    if all(type(one) is float for one in returned):
        return np.array(returned, dtype=np.float64)
    return returned


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"a value of the type {type(value).__name__}"


def _singly(outputs: NDArray[Any] | Sequence[Any]) -> Sequence[Any]:
    """Each output as a single run returns it."""
    if isinstance(outputs, np.ndarray) and outputs.ndim == 1 and outputs.dtype.kind in _NUMBERS:
        return list(outputs.tolist())
    return list(outputs)
