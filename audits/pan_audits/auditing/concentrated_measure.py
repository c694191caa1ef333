"""Measuring a pair: choose an event and a score from the runs of the search, and bound rho on fresh runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pan_audits.auditing.concentrated_evidence import MAIN_SHARE, EventBounds, evidence_of
from pan_audits.auditing.concentrated_search import ChosenPair
from pan_audits.auditing.measure import CONFIRMATION
from pan_audits.auditing.sampler import Sampler, requests_for
from pan_audits.auditing.witness import Counts, Witness
from pan_audits.events import Event, Score, learn_events, learn_score, rho_objective
from pan_audits.events.table import Floats
from pan_audits.inputs.streams.family import Pair
from pan_audits.running.mechanism import with_likelihood_ratio
from pan_audits.statistics import ErrorBudget
from pan_promises.promise import Promise

_MOST_LEARNED = 50_000
_BLOCKS_AT_A_TIME = 512
"""Of each side. The columns of more runs are never in memory together."""


@dataclass(frozen=True, eq=False)
class Seen:
    """The fresh runs on both sides, as far as the bounds need them.

    Attributes
    ----------
    counts
        The counts of the event.
    values
        The values of the score on the left and on the right; ``None`` without a score.
    names
        The names of all columns that a run has.
    """

    counts: Counts
    values: tuple[Floats, Floats] | None
    names: set[str]


def measure_rho(
    sampler: Sampler,
    promise: Promise,
    chosen: ChosenPair,
    budget: ErrorBudget,
    *,
    entropy: int,
    runs: int,
    estimator: Mapping[str, Any],
) -> Witness:
    """The evidence about rho on a pair, from fresh runs."""
    from scipy.special import ndtri

    names = tuple(dict.fromkeys((*chosen.left.names, *chosen.right.names)))
    first = max(0, chosen.left.runs - _MOST_LEARNED)
    left, right = (table.rows(first, table.runs).select(names) for table in (chosen.left, chosen.right))
    objective = rho_objective(runs, float(-ndtri(budget.error / 4)))
    # The event is likelier on the left, as the pair was oriented so.
    candidate, _ = learn_events(left, right, objective, scores=objective)
    score = learn_score(left, right, runs=runs, error=MAIN_SHARE * budget.error)
    share = 0.0
    if score is not None:
        share = MAIN_SHARE if score.worth > candidate.worth else 1 - MAIN_SHARE
    fresh = sampler.reading and sampler.reading.anew(entropy)
    found = candidate.event.on(fresh)
    if score is not None:
        score = replace(score, score=score.score.on(fresh))
    seen = observed_values(
        sampler, chosen.pair, found, None if score is None else score.score, entropy=entropy, runs=runs
    )
    counts = seen.counts
    event = EventBounds.of(counts.left, counts.right, runs, (1 - share) * budget.error)
    return Witness(
        promise=promise,
        pair=chosen.pair,
        event=found,
        counts=counts,
        loss=event.loss,
        probability_left=event.left,
        probability_right=event.right,
        error=budget.error,
        seed=entropy,
        estimator=estimator,
        concentrated=evidence_of(event, score, seen.values, share=share, error=budget.error),
    )


def observed_values(
    sampler: Sampler, pair: Pair, event: Event, score: Score | None, *, entropy: int, runs: int
) -> Seen:
    """The counts of the event and the values of the score in fresh runs on both sides."""
    counts: list[int] = []
    names: set[str] = set()
    values: list[Floats] = []
    for place in (pair.left, pair.right):
        requests = requests_for(pair.family, place, runs, entropy=entropy, purpose=CONFIRMATION, chunk=0)
        happened, parts = 0, [np.zeros(0)]
        for start in range(0, len(requests), _BLOCKS_AT_A_TIME):
            (table,) = sampler.draw_joined([requests[start : start + _BLOCKS_AT_A_TIME]])
            table = with_likelihood_ratio(table, pair.left, pair.right)
            names.update(table.names)
            happened += int(event(table).sum())
            if score is not None:
                parts.append(score(table))
        counts.append(happened)
        values.append(np.concatenate(parts))
    return Seen(Counts(counts[0], counts[1], runs), None if score is None else (values[0], values[1]), names)
