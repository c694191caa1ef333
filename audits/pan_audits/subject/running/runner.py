"""Runs of an estimator on one side of a pair, and the observations of the adversary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import LIKELIHOOD_RATIO, Event, Table
from pan_audits.events.observing.features import observation_features, stacked_features
from pan_audits.events.observing.numbers import as_doubles
from pan_audits.events.observing.subject import Subject, subject_of
from pan_audits.judging.capabilities import Likelihood, likelihood
from pan_audits.problems.inputs.streams.family import Family, Pair, Segment, SegmentEnd, materialise
from pan_audits.subject.running.course import Course, Observation, Outputs, course_of, is_shipped, run_course
from pan_audits.subject.running.many_runs import (
    ManyObservations,
    features_of_many,
    made_singly,
    offers_batches,
    offers_many_runs,
    run_course_many,
    stack_size,
    table_of_batches,
)
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.streams.generators import last_update_of_each
from pan_estimators.universes.universe import Universe
from pan_promises.promise import Promise

_STACKED_STATES = 64


class Runner(Protocol):
    """A mechanism, which turns a stream into observations."""

    def observe(self, family: Family, place: int, runs: int, seed: Sequence[int]) -> Table:
        """``runs`` independent observations on the stream ``family.sides[place]``.

        The same arguments give the same table. Columns named by :func:`likelihood_column` hold the
        exact log-likelihood of each run under the streams of the family, if it is known.
        """
        ...


@runtime_checkable
class RunsApart(Protocol):
    """An estimator whose code is in a separate process, which makes many runs at a time."""

    def runs_apart(
        self, course: Course, runs: int, seed: Sequence[int] | None, *, states_seen: bool, users_told: bool = False
    ) -> Iterator[Sequence[Observation]]:
        """Observations of independent runs, in stacks; the same arguments give the same ones, but without a seed."""
        ...


@dataclass(frozen=True)
class EstimatorRunner:
    """An estimator, as observed by the adversary of its promise."""

    estimator: Any
    promise: Promise
    singly: float | None = None
    batch_runs: int = 0

    def observe(self, family: Family, place: int, runs: int, seed: Sequence[int], *, features: bool = True) -> Table:
        if self.batch_runs and offers_batches(self.estimator, family):
            full, rest = divmod(runs, self.batch_runs)
            sizes = [self.batch_runs] * full + [rest] * (rest > 0)
            return table_of_batches(self.estimator, family, place, sizes, seed)
        features |= not self.has_likelihood(family)
        if self._at_once(family, seed):
            table = self._observe_many(family, place, runs, seed, features=features)
        else:
            table = self._observe_singly(family, place, runs, seed, features=features)
        # Likelihoods that turn out to be unknown leave a table without columns.
        return table if table.names or features else self.observe(family, place, runs, seed)

    def _observe_singly(self, family: Family, place: int, runs: int, seed: Sequence[int], *, features: bool) -> Table:
        subject = subject_of(self.estimator, family.user)
        tables: list[Table] = []
        likelihoods: list[NDArray[np.float64]] = []
        for observations in self._runs(family, place, runs, seed):
            nothing = Table((), np.empty((len(observations), 0)))
            tables.append(features_of_runs(observations, subject) if features else nothing)
            part = self._likelihoods(family, observations)
            likelihoods += [] if part is None else [part]
        table = Table.concatenate(tables) if tables else Table.from_rows([])
        if not likelihoods or len(likelihoods) < len(tables):
            return table
        names = tuple(likelihood_column(other) for other in range(len(family.patterns)))
        return Table((*table.names, *names), np.column_stack([table.values, np.concatenate(likelihoods)]))

    @property
    def share_made_singly(self) -> float:
        """The share of blocks with single runs, on streams on which the estimator makes many runs at once."""
        if not offers_many_runs(self.estimator, ()):
            return 1.0
        return self.singly if self.singly is not None else float(not is_shipped(self.estimator))

    @property
    def runs_at_once(self) -> int:
        """The best number of runs with one seed; 0 if all runs are single."""
        return stack_size(self.estimator) if self.share_made_singly == 0 else 0

    def _at_once(self, family: Family, seed: Sequence[int]) -> bool:
        """Whether all runs of the block with this seed are made at once."""
        return offers_many_runs(self.estimator, family.schedule) and not made_singly(self.share_made_singly, seed)

    def _observe_many(self, family: Family, place: int, runs: int, seed: Sequence[int], *, features: bool) -> Table:
        """The features and the log-likelihoods of many runs at once; without features, the log-likelihoods alone."""
        randomness = NumpyRandomness(np.random.SeedSequence(list(seed)))
        course, subject = course_of(family, place), subject_of(self.estimator, family.user)
        names = tuple(likelihood_column(other) for other in range(len(family.patterns)))
        streams = self._streams(family) if self.has_likelihood(family) else None
        tables: list[Table] = []
        for start in range(0, runs, size := stack_size(self.estimator)):
            many = run_course_many(
                self.estimator, course, min(size, runs - start), randomness, states_seen=self.promise.sees_state
            )
            if not self.promise.sees_output:
                many = ManyObservations(many.runs, many.states, ())
            table = features_of_many(self.estimator, many, subject) if features else Table((), np.empty((many.runs, 0)))
            if streams is not None:
                output = many.outputs[0] if self.promise.sees_output else None
                known = self._likelihood.of_many(many.states[0], output, streams) if self._likelihood else None
                if known is not None:
                    table = Table((*table.names, *names), np.column_stack([table.values, known]))
            tables.append(table)
        return Table.concatenate(tables) if len(tables) > 1 else tables[0]

    def _runs(self, family: Family, place: int, runs: int, seed: Sequence[int]) -> Iterator[Sequence[Observation]]:
        """Observations of a number of runs, in stacks."""
        if isinstance(self.estimator, RunsApart):
            for stack in self.estimator.runs_apart(
                course_of(family, place), runs, seed, states_seen=self.promise.sees_state
            ):
                yield stack if self.promise.sees_output else [Observation(each.states, ()) for each in stack]
            return
        randomness = NumpyRandomness(np.random.SeedSequence(list(seed)))
        course = course_of(family, place)
        for start in range(0, runs, _STACKED_STATES):
            stack = [
                run_course(self.estimator, course, randomness, states_seen=self.promise.sees_state)
                for _ in range(min(_STACKED_STATES, runs - start))
            ]
            if not self.promise.sees_output:
                stack = [Observation(each.states, ()) for each in stack]
            yield stack

    @property
    def _likelihood(self) -> Likelihood | None:
        return likelihood(self.estimator)

    def has_likelihood(self, family: Family) -> bool:
        """Whether the log-likelihoods of runs on a family's streams are known, unless too many cells are drawn."""
        steps = [step for step in family.schedule if step is not SegmentEnd.RELEASE]
        return (
            self._likelihood is not None
            and self.promise.sees_state
            and steps == [SegmentEnd.INTRUSION]
            and family.schedule[0] is SegmentEnd.INTRUSION
            and len(family.schedule) <= 2
        )

    def _likelihoods(self, family: Family, observations: Sequence[Observation]) -> NDArray[np.float64] | None:
        if not self.has_likelihood(family):
            return None
        states = [observation.states[0] for observation in observations]
        outputs = None
        if self.promise.sees_output:
            outputs = np.array([observation.outputs[0] for observation in observations])
        return self._likelihood.of_runs(states, outputs, self._streams(family)) if self._likelihood else None

    def _streams(self, family: Family) -> list[tuple[NDArray[np.int8], NDArray[np.int8]]]:
        """Each stream of the family before and after the intrusion, by the last update of each user."""
        universe = self.estimator.universe
        cut = [(*side.segments, ())[:2] for side in family.sides]
        return [(last_updates(universe, before), last_updates(universe, after)) for before, after in cut]


@lru_cache(maxsize=128)
def last_updates(universe: Universe, segment: Segment) -> NDArray[np.int8]:
    """For every user, the effect of its last update in a segment."""
    ids, deletions = materialise(segment)
    return last_update_of_each(universe.encode(ids), deletions, universe.size)


def features_of_runs(observations: Sequence[Observation], subject: Subject) -> Table:
    """The features of some runs, one row for each; runs with one number as their output are read together."""
    if isinstance(observations, Outputs):
        outputs = observations.outputs
    else:
        outputs = [each.outputs[0] for each in observations if not each.states and len(each.outputs) == 1]
    numbers = as_doubles(outputs) if outputs and len(outputs) == len(observations) else None
    if numbers is not None:
        table = stacked_features([], [numbers], len(numbers), subject)
        if table is not None:
            return table
    return Table.from_rows([observation_features(each.states, each.outputs, subject) for each in observations])


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


def observed(runner: Runner, family: Family, place: int, runs: int, seed: Sequence[int], *, features: bool) -> Table:
    """The result of ``runner.observe``, or only its log-likelihoods, if they are known and nothing else is needed.

    The features of a state cost about as much as the run.
    """
    if features or not isinstance(runner, EstimatorRunner):
        return runner.observe(family, place, runs, seed)
    return runner.observe(family, place, runs, seed, features=False)


def happened(runner: Runner, pair: Pair, place: int, event: Event, runs: int, seed: Sequence[int]) -> NDArray[np.bool_]:
    """Whether an event happened, in each of the runs that ``observe`` makes on one stream of a pair."""
    features = event.features != {LIKELIHOOD_RATIO}
    table = observed(runner, pair.family, place, runs, seed, features=features)
    return event(with_likelihood_ratio(table, pair.left, pair.right))
