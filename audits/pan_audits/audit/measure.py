"""Measuring a refuted pair: shrink it, choose the event, and bound the loss on fresh runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pan_audits.audit.sampler import Sampler, Samples, blocks_for, streams_of
from pan_audits.audit.search import Search
from pan_audits.audit.sequential import LESSON_GROWTH, PairTest
from pan_audits.audit.witness import Counts, Witness
from pan_audits.events import Candidate, Event, Objective, ScoreBet, Table, bound_objective, learn_events
from pan_audits.events.table import Floats
from pan_audits.notions import ScoreRuns, notion_of
from pan_audits.notions.pure import SHARE_OF_LOSS, Pure
from pan_audits.problems.inputs.streams.family import Family, Pair, StreamSlice
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import with_likelihood_ratio
from pan_promises.promise import Promise

_SHRINK, _SELECTION, _CONFIRMATION = 2, 3, 4
_BLOCKS_AT_A_TIME = 512
"""Of each side. The columns of more runs are never in memory together."""
_SHRINK_CHUNK = 256
_MOST_RUNS_TO_SHRINK = 8192
_RUNS_TO_SHRINK, _RUNS_TO_SHRINK_IN_SPACE = 40_000, 100_000
_SURE = 8
"""A pair whose runs in this part of those of the bound show a loss will show it there."""
_LENIENT = 9.0
_KEPT_LOSS = 0.85
"""A shrunk pair must keep this part of the observed loss of the original pair."""
_DEVIATIONS = 4.0
_READABLE_ENOUGH = 0.97
"""Part of the expected bound for which an event with no learned score is preferred."""
_CONTENDERS = 3
_CAUTION, _CAUTION_WITH_SCORES = 0.5, 1.0
"""Standard errors of the known runs that the choice of an event takes off: more where a fitted score gives many events.
More of them hide rare events of small losses."""
_ANOTHER_OFFSET = 1
"""Changes the seed of the offsets of the grids."""
_MOST_THAT_DIFFER = 4
"""Of the runs with an event, at most one in this number may belong to it by the offset alone."""
_ASSURED = 0.5
"""Standard errors of the fresh runs that the choice among the events of a fitted score takes off, beside those of the
bound. Of two events with nearly the same expected bound, the rarer one has a bound that varies more."""


@dataclass(frozen=True, eq=False)
class FreshRuns:
    """The fresh runs on both sides, as far as the bounds need them.

    Attributes
    ----------
    counts
        The counts of the event.
    score
        The score in these runs, if there is one.
    names
        The names of all columns that a run has.
    """

    counts: Counts
    score: ScoreRuns | None
    names: set[str]


def fresh_runs(
    sampler: Sampler, pair: Pair, event: Event, score: ScoreBet | None, share: float, *, entropy: int, runs: int
) -> FreshRuns:
    """The counts of the event and the values of the score in fresh runs on both sides."""
    counts: list[int] = []
    names: set[str] = set()
    values: list[Floats] = []
    for place in (pair.left, pair.right):
        blocks = blocks_for(pair.family, place, runs, entropy=entropy, purpose=_CONFIRMATION, chunk=0)
        happened, parts = 0, [np.zeros(0)]
        for start in range(0, len(blocks), _BLOCKS_AT_A_TIME):
            (table,) = sampler.draw_joined([blocks[start : start + _BLOCKS_AT_A_TIME]])
            table = with_likelihood_ratio(table, pair.left, pair.right)
            names.update(table.names)
            happened += int(event(table).sum())
            if score is not None:
                parts.append(score.score(table))
        counts.append(happened)
        values.append(np.concatenate(parts))
    of_score = None if score is None else ScoreRuns(score, (values[0], values[1]), share)
    return FreshRuns(Counts(counts[0], counts[1], runs), of_score, names)


def measure(
    sampler: Sampler,
    promise: Promise,
    found: Search,
    budget: ErrorBudget,
    *,
    entropy: int,
    selection_runs: int,
    confirmation_runs: int,
    estimator: Mapping[str, Any],
    shrink: Callable[[tuple[str, str], Callable[[str, str], bool]], tuple[str, str]] | None = None,
) -> Witness | None:
    """The witness of a refutation, with a lower bound on the loss that holds by itself.

    The search chose the pair. Its runs and a second sample choose the event. A third sample, which
    is new, gives the bound. The event may be likelier on either stream. Its numbers are rounded to the coarse grids of
    the sampler, at other offsets than in the search.
    """
    pair, prospect = _best_pair(found, promise)
    if shrink is None:
        pair = _smallest(sampler, promise, pair, max(promise.epsilon, _KEPT_LOSS * prospect), found, entropy)
    else:
        pair = _smallest_of_space(sampler, promise, pair, shrink, found, entropy, confirmation_runs)
    # The runs of the search may choose the event as well: only the last sample must be new.
    selection = _draw(sampler, pair, selection_runs, entropy, _SELECTION)
    joined = _joined(found, pair, selection)
    # Where the likelihood ratio is known, the search has read nothing else.
    read = joined if _same_columns(found, pair, selection) else selection
    oriented, candidate = choose_event(pair, read, joined, promise, confirmation_runs, budget.error)
    fresh = _draw(sampler, pair, confirmation_runs, entropy, _CONFIRMATION, as_they_are=True)
    confirmation = _oriented(pair, oriented, fresh)
    event = candidate.event
    if sampler.reading is not None:
        event = candidate.event.on(sampler.reading.anew(entropy ^ _ANOTHER_OFFSET))
        if not _same_event(candidate.event.on(sampler.reading), event, confirmation):
            return None
    ours, theirs = confirmation
    counts = Counts(int(event(ours).sum()), int(event(theirs).sum()), ours.runs)
    return Witness.of(
        notion_of(promise).measured(counts.left, counts.right, counts.runs, budget.error),
        promise=promise,
        pair=oriented,
        event=event,
        counts=counts,
        error=budget.error,
        seed=entropy,
        estimator=estimator,
    )


def _same_event(one: Event, other: Event, tables: tuple[Table, Table]) -> bool:
    """Whether an event is the same at two offsets of the grids, but for a few runs.

    Numbers that differ by rounding errors alone can lie on two sides of the border of a cell: at one offset, by chance,
    but not at another one.
    """
    happened = [one(table) for table in tables], [other(table) for table in tables]
    differ = sum(int((ours != theirs).sum()) for ours, theirs in zip(*happened, strict=True))
    return _MOST_THAT_DIFFER * differ <= sum(int(each.sum()) for each in happened[0])


def choose_event(
    pair: Pair,
    read: tuple[Table, Table],
    joined: tuple[Table, Table],
    promise: Promise,
    runs: int,
    error: float,
) -> tuple[Pair, Candidate]:
    """The event that is bounded on fresh runs: one that a reader can check, if it is expected to show enough."""
    from scipy.special import ndtri

    notion, deviations = Pure(promise), float(-ndtri(error * SHARE_OF_LOSS))
    objective, plainly = notion.objective(runs, deviations), notion.objective(runs, deviations, _CAUTION)
    carefully = notion.objective(runs, deviations + _ASSURED, _CAUTION_WITH_SCORES)
    steadily = notion.objective(runs, deviations + _ASSURED, 0.0)
    choices = [
        _choose(pair, joined, objective, carefully, steadily, readable=False),
        _choose(pair, read, objective, plainly, steadily, readable=True),
    ]

    def shown(oriented: Pair, candidate: Candidate) -> float:
        return Candidate.of(candidate.event, *_oriented(pair, oriented, read), plainly).worth

    worth = [shown(*choice) for choice in choices]
    return choices[1] if worth[1] >= _READABLE_ENOUGH * worth[0] else choices[0]


def _choose(
    pair: Pair,
    tables: tuple[Table, Table],
    objective: Objective,
    scores: Objective,
    steadied: Objective,
    *,
    readable: bool,
) -> tuple[Pair, Candidate]:
    """The best event in either direction, with the pair oriented so that the event is likelier on the left."""
    # The learner reads the columns of the left table, and both directions need the same columns.
    if set(tables[0].names) != set(tables[1].names):
        names = tuple(dict.fromkeys(name for table in tables for name in table.names))
        tables = (tables[0].select(names), tables[1].select(names))

    def learned(oriented: Pair) -> tuple[Candidate, Candidate]:
        left, right = _oriented(pair, oriented, tables)
        return learn_events(
            left,
            right,
            objective,
            use_likelihood=not readable,
            readable=readable,
            scores=scores,
            steadied=steadied,
        )

    ours, theirs = learned(pair)
    if ours.worth >= theirs.worth:
        return pair, ours
    turned = Pair(pair.family, pair.right, pair.left)
    # The likelihood ratio changes its sign with the order of the streams. Nothing else does.
    known = any(name.startswith("log-likelihood") for table in tables for name in table.names)
    return turned, learned(turned)[0] if known and not readable else theirs


def _joined(found: Search, pair: Pair, drawn: tuple[Table, Table]) -> tuple[Table, Table]:
    """The drawn tables after those of the search on the same streams, with equally many runs on both."""
    if not all(side in found.samples.tables for side in streams_of([pair])):
        return drawn
    earlier = [Table.concatenate(found.samples.tables[side]) for side in streams_of([pair])]
    runs = min(table.runs for table in earlier)
    left, right = (Table.concatenate([table.last(runs), new]) for table, new in zip(earlier, drawn, strict=True))
    return left, right


def _same_columns(found: Search, pair: Pair, drawn: tuple[Table, Table]) -> bool:
    """Whether the runs of the search have the columns of the drawn ones."""
    earlier = [found.samples.tables.get(side, []) for side in streams_of([pair])]
    return all(
        set(one.names) == set(table.names) for tables, table in zip(earlier, drawn, strict=True) for one in tables
    )


def _oriented(pair: Pair, oriented: Pair, tables: tuple[Table, Table]) -> tuple[Table, Table]:
    """The tables of ``pair``, in the order of ``oriented``, with its likelihood ratio."""
    left, right = tables if oriented == pair else tables[::-1]
    return (
        with_likelihood_ratio(left, oriented.left, oriented.right),
        with_likelihood_ratio(right, oriented.left, oriented.right),
    )


def _best_pair(found: Search, promise: Promise) -> tuple[Pair, float]:
    """The refuted pair with the largest expected loss, and this loss. Nested pairs come first."""
    contenders = [pair for pair in found.refutations if pair.nested] or list(found.refutations)
    contenders = sorted(contenders, key=lambda pair: pair.size)[: 4 * _CONTENDERS]

    def prospect(pair: Pair) -> float:
        left, right = found.samples.of(pair)
        objective = bound_objective(10 * left.runs, promise.delta, _DEVIATIONS)
        return max(candidate.worth for candidate in learn_events(left, right, objective))

    prospects = {pair: prospect(pair) for pair in contenders}
    best = max(contenders, key=prospects.__getitem__)
    return best, prospects[best]


def _smallest(sampler: Sampler, promise: Promise, pair: Pair, loss: float, found: Search, entropy: int) -> Pair:
    """A smallest reduction of the pair whose loss is still about ``loss``."""
    needed = found.refutations[pair]
    real = any(isinstance(piece, StreamSlice) for segment in pair.family.others for piece in segment)
    if not isinstance(pair.family, Family) or pair.size <= 2 or needed > _MOST_RUNS_TO_SHRINK or real:
        return pair

    from pan_audits.problems.inputs.streams.strategies import shrink

    return shrink(pair, _violated(sampler, promise, loss, 4 * needed, entropy), seed=entropy % 2**32)


def _violated(
    sampler: Sampler, promise: Promise, loss: float, most: int, entropy: int, run_to_shrink: int = _RUNS_TO_SHRINK
) -> Callable[[Pair], bool]:
    """Whether at most so many runs on each side of a smaller pair show a loss above ``loss``."""
    allowed = sampler.runs + run_to_shrink

    def violated(reduced: Pair) -> bool:
        test = PairTest(loss, promise.delta, lesson_growth=LESSON_GROWTH)
        samples, sides = Samples(), streams_of([reduced])
        while test.runs < most and sampler.runs < allowed:
            chunk = samples.runs // (2 * _SHRINK_CHUNK)
            samples.draw(sampler, sides, _SHRINK_CHUNK, features=True, entropy=entropy, purpose=_SHRINK, chunk=chunk)
            if test.extend(*samples.of(reduced), stop_at=_LENIENT) is not None:
                return True
        return False

    return violated


def _smallest_of_space(
    sampler: Sampler,
    promise: Promise,
    pair: Pair,
    shrink: Callable[[tuple[str, str], Callable[[str, str], bool]], tuple[str, str]],
    found: Search,
    entropy: int,
    confirmation_runs: int,
) -> Pair:
    """A smallest pair of a space that breaks the promise so much that the runs of the bound will show it."""
    family = pair.family
    most = min(4 * max(found.refutations[pair], _SHRINK_CHUNK), max(_SHRINK_CHUNK, confirmation_runs // _SURE))
    violated = _violated(sampler, promise, promise.epsilon, most, entropy, _RUNS_TO_SHRINK_IN_SPACE)
    left, right = shrink(
        (family.labels[pair.left], family.labels[pair.right]),
        lambda *labels: violated(Pair(replace(family, labels=labels, adjacent=((0, 1),)), 0, 1)),
    )
    return Pair(replace(family, labels=(left, right), adjacent=((0, 1),)), 0, 1)


def _draw(
    sampler: Sampler, pair: Pair, runs: int, entropy: int, purpose: int, *, as_they_are: bool = False
) -> tuple[Table, Table]:
    drawn = sampler.draw_sides(streams_of([pair]), runs, entropy=entropy, purpose=purpose, chunk=0)
    left, right = drawn if as_they_are else sampler.read(drawn)
    return left, right
