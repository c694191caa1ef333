"""The candidates of a long audit: the events with the highest worth in the search."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np

from pan_audits.auditing.long_audit import MOST_CANDIDATES, Candidate
from pan_audits.auditing.search import Search
from pan_audits.events import (
    LIKELIHOOD_RATIO,
    Condition,
    Event,
    Objective,
    Reading,
    Table,
    bound_objective,
    cautious,
    learn_events,
)
from pan_audits.events import Candidate as Learned
from pan_audits.inputs.streams.family import Pair
from pan_audits.judging.reading import LARGEST_NUMBER
from pan_audits.statistics import CAREFUL, MixtureBet, best_stake
from pan_promises.promise import Promise

_DEVIATIONS = 4.0
_MOST_PAIRS = 8
_CAUTION = 0.5
_THRESHOLDS = 512


def long_candidates(
    searched: Sequence[Search], promise: Promise, runs: int, reading: Reading | None = None
) -> list[Candidate]:
    """The pairs, directions and events whose bound could rise highest, learned from all runs of the search.

    Only the pairs that the search kept to its end have enough runs.
    """
    objective = bound_objective(runs, promise.delta, _DEVIATIONS)
    found: list[tuple[Pair, Learned]] = []
    for search in searched:
        most = max(test.runs for test in search.tests.values())
        last = [pair for pair, test in search.tests.items() if 2 * test.runs > most]
        last.sort(key=lambda pair: search.tests[pair].prospect, reverse=True)
        for pair in last[:_MOST_PAIRS]:
            for turned in (pair, Pair(pair.family, pair.right, pair.left)):
                left, right = search.tables(turned)
                common = min(left.runs, right.runs)
                found.append((turned, _learned(left.rows(0, common), right.rows(0, common), objective)))
    found.sort(key=lambda entry: entry[1].worth, reverse=True)
    return [
        Candidate(pair, learned.event.on(reading), _bet(learned, promise)) for pair, learned in found[:MOST_CANDIDATES]
    ]


def _learned(left: Table, right: Table, objective: Objective) -> Learned:
    """The best event. A threshold on an exact likelihood ratio may lie anywhere in its tail."""
    learned = learn_events(left, right, objective)[0]
    if LIKELIHOOD_RATIO not in left.names:
        return learned
    ours, theirs = (np.sort(table.column(LIKELIHOOD_RATIO)) for table in (left, right))
    values = np.unique(np.concatenate([ours, theirs]))
    # Between two values that occur, so that no rounding of a third decides.
    between = np.clip(np.nan_to_num((values[1:] + values[:-1]) / 2), -LARGEST_NUMBER, LARGEST_NUMBER)
    places = np.unique(between.size - np.geomspace(1, max(between.size, 1), _THRESHOLDS).astype(np.int64))
    thresholds = between[places] if between.size else between
    if not thresholds.size:
        return learned
    x, y = (side.size - np.searchsorted(side, thresholds, side="right") for side in (ours, theirs))
    worth = objective(x.astype(np.float64), y.astype(np.float64), left.runs)
    best = int(np.argmax(worth))
    if worth[best] <= learned.worth:
        return learned
    event = Event((Condition(LIKELIHOOD_RATIO, ">", float(thresholds[best])),))
    return Learned(event, float(worth[best]), int(x[best]), int(y[best]), left.runs)


def _bet(learned: Learned, promise: Promise) -> MixtureBet:
    p, q = cautious(np.array(learned.left), np.array(learned.right), learned.runs, _CAUTION)
    fraction = float(best_stake(p, q, epsilon=promise.epsilon, delta=promise.delta).fraction)
    return MixtureBet(CAREFUL * min(fraction, 1 / (exp(promise.epsilon) + promise.delta)))
