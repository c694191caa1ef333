"""Runs of an estimator on a stream of known density, with the density of the users that it sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.events import Table
from pan_audits.inputs.streams.family import Family
from pan_audits.inputs.streams.side import Id, SegmentEnd, Updates, materialise
from pan_audits.running.course import apply_updates, course_of
from pan_audits.running.many_runs import stack_size
from pan_audits.running.mechanism import RunsApart
from pan_audits.running.shipped import is_shipped
from pan_estimators.common.many_runs import ManyRuns
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.promise import Adjacency

OUTPUT, SAMPLED_DENSITY, SAMPLED_USERS, DENSITY = "output", "sampled density", "sampled users", "density"


@dataclass(frozen=True)
class AccuracyMechanism:
    """Outputs, and the densities that they estimate.

    Parameters
    ----------
    estimator
        With ``universe``, and ``sampled_users(state)`` if it samples.
    """

    estimator: Any

    def observe(self, family: Family, place: int, runs: int, seed: Sequence[int]) -> Table:
        """One row for each run: the output, d(S_M), the number of sampled users, and d(S)."""
        randomness = NumpyRandomness(np.random.SeedSequence(list(seed)))
        (segment,) = family.side(place).segments
        ids, deletions = materialise(segment)
        universe = self.estimator.universe
        present = np.zeros(universe.size, dtype=np.bool_)
        if len(ids):
            present[universe.encode(ids)] = True
        rows = np.empty((runs, 4))
        if isinstance(self.estimator, RunsApart):
            return self._apart(family, place, runs, seed, present)
        done = self._many(rows, ids, deletions, present, randomness)
        for number in range(done, runs):
            state = apply_updates(self.estimator, self.estimator.create(randomness), ids, deletions, randomness)
            sampled = self._sampled(state, present)
            output = float(self.estimator.release(state, randomness))
            rows[number] = output, sampled.mean() if sampled.size else np.nan, sampled.size, present.mean()
        return Table((OUTPUT, SAMPLED_DENSITY, SAMPLED_USERS, DENSITY), rows)

    def _many(self, rows: Any, ids: Any, deletions: Any, present: Any, randomness: Any) -> int:
        """Fill the rows with runs made at once, if a shipped estimator offers them; how many it was."""
        estimator = self.estimator
        if not (isinstance(estimator, ManyRuns) and is_shipped(estimator)):
            return 0
        for start in range(0, len(rows), size := stack_size(estimator)):
            part = rows[start : start + size]
            states = estimator.create_many(len(part), randomness)
            if len(ids):
                given = {} if deletions is None else {"deletions": deletions}
                states = estimator.update_many(states, ids, randomness, **given)
            part[:, 1], part[:, 2] = states.sampled_density(present), states.cells.shape[1]
            part[:, 0], part[:, 3] = estimator.release_many(states, randomness), present.mean()
        return len(rows)

    def _apart(self, family: Family, place: int, runs: int, seed: Sequence[int], present: Any) -> Table:
        told = hasattr(self.estimator, "sampled_users")
        course, rows = course_of(family, place), []
        for stack in self.estimator.runs_apart(course, runs, seed, states_seen=False, users_told=told):
            for each in stack:
                sampled = present[each.users[0]] if told else present
                rows.append(
                    (float(each.outputs[0]), sampled.mean() if sampled.size else np.nan, sampled.size, present.mean())
                )
        return Table((OUTPUT, SAMPLED_DENSITY, SAMPLED_USERS, DENSITY), np.array(rows))

    def _sampled(self, state: Any, present: Any) -> Any:
        users = getattr(self.estimator, "sampled_users", None)
        return present if users is None else present[users(state)]


def stream_of_density(population: Sequence[Id], present: int) -> Family:
    """A stream in which the first ``present`` of the population appear once each, then an output."""
    ids = tuple(population[:present])
    return Family(
        f"{present} users appear once each",
        population[0],
        (SegmentEnd.RELEASE,),
        ((Updates(ids),) if ids else (),),
        ((0,), (1,)),
        Adjacency.USER_LEVEL,
    )
