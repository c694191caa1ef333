"""Running an estimator on one side of a pair, and writing down what the intruder sees."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import LIKELIHOOD_RATIO, Table
from pan_audits.pairs.family import Family
from pan_audits.pairs.side import Id, Schedule, Segment, Step, materialise
from pan_audits.running.features import Subject, observation_features
from pan_estimators import (
    CalibratedCells,
    NumpyRandomness,
    Promise,
    SampledCells,
    Universe,
    last_update_of_each,
    log_likelihood,
)

_STACKED_STATES = 64


class Mechanism(Protocol):
    """Anything that turns a stream into observations."""

    def observe(self, family: Family, place: int, runs: int, seed: Sequence[int]) -> Table:
        """``runs`` independent observations on the stream ``family.sides[place]``.

        The same arguments give the same table. Columns named by :func:`likelihood_column` hold the
        exact log-likelihood of each run under the streams of the family, where it is known.
        """
        ...


@dataclass(frozen=True, eq=False)
class Observation:
    """What an intruder sees of one run: states and outputs, in the order of the schedule."""

    states: tuple[Any, ...]
    outputs: tuple[Any, ...]


def run_once(estimator: Any, family: Family, place: int, randomness: Any) -> Observation:
    """One run of the estimator's own code on one stream."""
    state = estimator.create(randomness)
    states: list[Any] = []
    outputs: list[Any] = []
    for segment, step in zip(family.side(place).segments, family.schedule, strict=True):
        state = apply_updates(estimator, state, *materialise(segment), randomness)
        if step is Step.RELEASE:
            outputs.append(estimator.release(state, randomness))
            continue
        states.append(copy.deepcopy(state))
        if step is Step.ANNOUNCED:
            state = estimator.announce(state, randomness)
    return Observation(tuple(states), tuple(outputs))


def apply_updates(
    estimator: Any, state: Any, ids: NDArray[Any], deletions: NDArray[np.bool_] | None, randomness: Any
) -> Any:
    """Feed a segment of the stream to the estimator, as one batch."""
    if not len(ids):
        return state
    if deletions is None:
        return estimator.update(state, ids, randomness)
    return estimator.update(state, ids, randomness, deletions=deletions)


@dataclass(frozen=True)
class EstimatorMechanism:
    """An estimator, seen through the eyes of the intruder that its promise speaks of.

    Parameters
    ----------
    estimator
        Anything with ``create``, ``update`` and ``release``.
    promise
        It says whether states, outputs or both are seen.
    """

    estimator: Any
    promise: Promise

    def observe(self, family: Family, place: int, runs: int, seed: Sequence[int]) -> Table:
        randomness = NumpyRandomness(np.random.SeedSequence(list(seed)))
        subject = subject_of(self.estimator, family.user)
        rows: list[dict[str, float]] = []
        likelihoods: list[NDArray[np.float64] | None] = []
        kept: list[Observation] = []
        for number in range(runs):
            observation = self._seen(run_once(self.estimator, family, place, randomness))
            rows.append(observation_features(observation.states, observation.outputs, subject))
            if self._has_likelihood(family):
                kept.append(observation)
                if len(kept) == _STACKED_STATES or number == runs - 1:
                    likelihoods.append(self._likelihoods(family, kept))
                    kept = []
        table = Table.from_rows(rows)
        if likelihoods and all(part is not None for part in likelihoods):
            columns = np.concatenate([part for part in likelihoods if part is not None])
            names = tuple(likelihood_column(other) for other in range(len(family.patterns)))
            table = Table((*table.names, *names), np.column_stack([table.values, columns]))
        return table

    def _seen(self, observation: Observation) -> Observation:
        return Observation(
            observation.states if self.promise.sees_state else (),
            observation.outputs if self.promise.sees_output else (),
        )

    def _has_likelihood(self, family: Family) -> bool:
        steps = [step for step in family.schedule if step is not Step.RELEASE]
        return (
            isinstance(self.estimator, (SampledCells, CalibratedCells))
            and self.promise.sees_state
            and steps == [Step.INTRUSION]
            and family.schedule[0] is Step.INTRUSION
            and len(family.schedule) <= 2
        )

    def _likelihoods(self, family: Family, observations: Sequence[Observation]) -> NDArray[np.float64] | None:
        states = [observation.states[0] for observation in observations]
        outputs = None
        if self.promise.sees_output:
            outputs = np.array([observation.outputs[0] for observation in observations])
        universe = self.estimator.universe
        streams = []
        for side in family.sides:
            before, after = (*side.segments, ())[:2]
            streams.append((last_updates(universe, before), last_updates(universe, after)))
        return log_likelihood(self.estimator, states, outputs, streams)


def subject_of(estimator: Any, user: Id) -> Subject:
    """The user, with its index if the estimator has a universe."""
    universe = getattr(estimator, "universe", None)
    if not isinstance(universe, Universe):
        return Subject(user)
    ids = [user] if isinstance(user, tuple) else user
    return Subject(user, int(universe.encode(ids)[0]), universe.size)


@lru_cache(maxsize=128)
def last_updates(universe: Universe, segment: Segment) -> NDArray[np.int8]:
    """For every user, what the last of its updates in a segment does."""
    ids, deletions = materialise(segment)
    return last_update_of_each(universe.encode(ids), deletions, universe.size)


def likelihood_column(place: int) -> str:
    """Name of the column with the log-likelihood under the stream ``place`` of the family."""
    return f"log-likelihood under stream {place}"


def with_likelihood_ratio(table: Table, left: int, right: int) -> Table:
    """For one pair: the two log-likelihoods replaced by their difference, all others left out."""
    names = [name for name in table.names if not name.startswith("log-likelihood under")]
    if len(names) == len(table.names):
        return table
    ratio = table.column(likelihood_column(left)) - table.column(likelihood_column(right))
    return table.select(names).with_column(LIKELIHOOD_RATIO, ratio)


def schedule_seen(schedule: Schedule) -> str:
    """What the intruder sees, in words."""
    states = sum(step is not Step.RELEASE for step in schedule)
    outputs = len(schedule) - states
    parts = []
    if states:
        parts.append("the state" if states == 1 else f"{states} states")
    if outputs:
        parts.append("the output" if outputs == 1 else f"{outputs} outputs")
    return " and ".join(parts)
