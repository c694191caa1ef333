"""Fresh runs on the two streams of an audit's witness: the distributions of the event's statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.auditing.sampler import Sampler, requests_for
from pan_audits.auditing.witness import Counts, Witness
from pan_audits.events import Condition, Event, Table
from pan_audits.running.mechanism import EstimatorMechanism, with_likelihood_ratio
from pan_audits.workers.limits import Limits

MOST_RUNS = 4096
"""Runs on each stream, at most: enough for a drawing; the verdict rests on the counts of the gate."""

_PURPOSE = 6
"""It separates the seeds of these runs from those of the gate."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FreshRuns:
    """One feature of the event, on runs that the gate has not used.

    Attributes
    ----------
    counts
        Number of runs with the event, among runs that did not choose it.
    condition
        The part of the event that is drawn.
    others
        The other parts in words; empty if there are none. Only runs in which they hold are drawn, so
        that the part of the drawing within the condition is the event.
    left, right
        The feature's values in these runs.
    """

    counts: Counts
    condition: Condition
    others: str
    left: Floats
    right: Floats


def fresh_runs(witness: Witness, estimator: Any, *, workers: int, limits: Limits) -> FreshRuns:
    """Draw runs under the limits of the gate, from the entropy that it recorded."""
    runs = min(MOST_RUNS, witness.counts.runs)
    sampler = Sampler(EstimatorMechanism(estimator, witness.promise), workers, limits)
    pair = witness.pair
    groups = [
        requests_for(pair.family, place, runs, entropy=witness.seed, purpose=_PURPOSE, chunk=0)
        for place in (pair.left, pair.right)
    ]
    left, right = (with_likelihood_ratio(table, pair.left, pair.right) for table in sampler.draw_joined(groups))
    event = witness.event
    counts = Counts(int(event(left).sum()), int(event(right).sum()), runs)
    if not event.conditions:
        return FreshRuns(counts, Condition("anything", "nan", 0.0), "", np.zeros(0), np.zeros(0))
    place = _most_telling(event, left, right)
    others = Event((*event.conditions[:place], *event.conditions[place + 1 :]), event.derived, event.grids)
    ours, theirs = (_column(event, table, place)[others(table)] for table in (left, right))
    words = others.describe() if others.conditions else ""
    return FreshRuns(counts, event.conditions[place], words, ours, theirs)


def _most_telling(event: Event, left: Table, right: Table) -> int:
    """The condition on the feature with the most values. The report describes the others in words."""
    values = [
        np.unique(np.concatenate([_column(event, left, place), _column(event, right, place)])).size
        for place in range(len(event.conditions))
    ]
    return int(np.argmax(values))


def _column(event: Event, table: Table, place: int) -> Floats:
    return event.extended(table).column(event.conditions[place].feature)
