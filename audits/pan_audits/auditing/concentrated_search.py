"""The search for the pair of inputs with the largest rho: a few runs on every pair, then more on the best ones.

Nothing is refuted here, so that the search costs no part of the error budget. The bound uses fresh runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, log

from pan_audits.auditing.sampler import Sampler, block_runs, requests_for
from pan_audits.auditing.search import RUNS_BEFORE_CHOICE, streams_of
from pan_audits.events import Objective, Table, learn_events, rho_objective
from pan_audits.inputs.streams.family import Family, Pair
from pan_audits.running.mechanism import with_likelihood_ratio

_PURPOSE = 7
_KEPT = 4
"""After a round, one pair in this number goes on."""
_PART_FOR_CHOICE = 2
"""One run in this number chooses the pair. The others, on the chosen pair alone, are learned from."""
FEWEST_RUNS = 16
"""Runs on each side of every pair before the search drops a pair."""
_LEARNED = 8192
_KEPT_AS_THEY_ARE = 4096
"""Of the first runs on each side, whose numbers are also kept as they are."""
_DEVIATIONS = 5.0
_CAUTION = 1.0


def runs_for_all(pairs: Sequence[Pair]) -> int:
    """The runs of a search that compares all pairs."""
    return _PART_FOR_CHOICE * FEWEST_RUNS * len(streams_of(pairs))


@dataclass
class ChosenPair:
    """A pair, oriented so that its best event is likelier on the left, with all runs on its two sides.

    Attributes
    ----------
    pair
        The pair.
    left, right
        Equally many runs on its two sides.
    pairs
        Number of pairs that were searched.
    fewest
        Runs on each side of the pair with the fewest runs.
    runs
        All runs that were made.
    as_they_are
        The first runs on each side, with all bits of their numbers.
    """

    pair: Pair
    left: Table
    right: Table
    pairs: int
    fewest: int
    runs: int
    as_they_are: dict[tuple[Family, int], list[Table]]


@dataclass
class _Samples:
    """The runs on each side so far."""

    sampler: Sampler
    entropy: int
    tables: dict[tuple[Family, int], list[Table]] = field(default_factory=dict)
    as_they_are: dict[tuple[Family, int], list[Table]] = field(default_factory=dict)
    runs: int = 0

    def draw(self, pairs: Sequence[Pair], runs: int, number: int) -> None:
        sides = streams_of(pairs)
        size = block_runs(self.sampler.mechanism)
        groups = [
            requests_for(
                family, place, runs, entropy=self.entropy, purpose=_PURPOSE, chunk=number, size=size, features=False
            )
            for family, place in sides
        ]
        drawn = self.sampler.draw_joined(groups)
        for side, table, as_it_is in zip(sides, self.sampler.read(drawn), drawn, strict=True):
            self.tables.setdefault(side, []).append(table)
            self.as_they_are.setdefault(side, [as_it_is.rows(0, _KEPT_AS_THEY_ARE)])
        self.runs += runs * len(sides)

    def of(self, pair: Pair) -> tuple[Table, Table]:
        left, right = (Table.concatenate(self.tables[(pair.family, place)]) for place in (pair.left, pair.right))
        runs = min(left.runs, right.runs)
        ours, theirs = (with_likelihood_ratio(table.rows(0, runs), pair.left, pair.right) for table in (left, right))
        return ours, theirs


def choose_pair(
    sampler: Sampler, pairs: Sequence[Pair], *, entropy: int, runs: int, confirmation_runs: int
) -> ChosenPair | None:
    """The pair with the largest expected bound on rho."""
    samples = _Samples(sampler, entropy)
    active = list(pairs)
    rounds = ceil(log(len(pairs), _KEPT)) if len(pairs) > 1 else 0
    objective = rho_objective(confirmation_runs, _DEVIATIONS, caution=_CAUTION)
    fewest = 0
    for number in range(rounds):
        each = runs // (_PART_FOR_CHOICE * rounds * len(streams_of(active)))
        if number == 0 and each < RUNS_BEFORE_CHOICE:
            each = max(FEWEST_RUNS, min(RUNS_BEFORE_CHOICE, runs // (_PART_FOR_CHOICE * len(streams_of(active)))))
            if each * len(streams_of(active)) > runs // _PART_FOR_CHOICE:
                return None
        if each:
            samples.draw(active, each, number)
        fewest = fewest or each
        ranked = sorted(active, key=lambda pair: -_prospect(*samples.of(pair), objective)[0])
        active = ranked[: max(1, len(active) // _KEPT)] if number + 1 < rounds else ranked[:1]
    (pair,) = active
    rest = (runs - samples.runs) // 2
    if rest < RUNS_BEFORE_CHOICE:
        return None
    samples.draw([pair], rest, rounds)
    if _prospect(*samples.of(pair), objective)[1]:
        pair = Pair(pair.family, pair.right, pair.left)
    left, right = samples.of(pair)
    return ChosenPair(pair, left, right, len(pairs), fewest or rest, samples.runs, samples.as_they_are)


def _prospect(left: Table, right: Table, objective: Objective) -> tuple[float, bool]:
    """The expected bound of the best event, and whether it is likelier on the right."""
    first = max(0, left.runs - _LEARNED)
    names = tuple(dict.fromkeys((*left.names, *right.names)))
    left, right = (table.rows(first, table.runs).select(names) for table in (left, right))
    ours, theirs = learn_events(left, right, objective)
    return max(ours.worth, theirs.worth), theirs.worth > ours.worth
