"""The search for a violated pair: a few runs on many pairs, then more runs on the most promising pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pan_audits.audit.sampler import RUNS_PER_BLOCK, Sampler, block_runs
from pan_audits.audit.sequential import FEW_LESSONS, LESSON_GROWTH, PairTest, threshold
from pan_audits.events import Table
from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.inputs.streams.family import Family, Pair
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import with_likelihood_ratio
from pan_promises.promise import Promise

_CHUNKS = (32, 32, 64, 128, 256, 512, 1024, 2048, 4096)
_MORE_CHUNKS = (2**13, 2**14, 2**15, 2**16)
"""Further sizes for a mechanism that makes batches of runs: its runs take less time than sending and learning."""
_BATCHES_OF_BLOCK = 4
"""Batches that a worker makes at a time."""
_LEARNED_OF_BATCHES = 4096
"""Most runs of batches on each stream for learning, because learning takes longer than the runs."""
RUNS_BEFORE_CHOICE = 128
"""Runs of every pair on each stream before the search drops a pair."""
_ROUNDS_ALONE = 3
"""Rounds of the first pair before all others, which give it the runs before a choice."""

_FINALISTS = ((8192, 2), (2048, 4), (0, 6))
"""Pairs (runs, kept): the runs of each pair so far, and the least number of pairs that are kept after them."""

_LEAST_CHUNK = 16
_PATIENCE = 4
_PURPOSE = 1
_KEPT_RUNS = 8192
_KEPT_AS_THEY_ARE = 4096
"""The first runs on each stream, whose numbers are also kept as they are."""


@dataclass
class Search:
    """The state of a search, and its result.

    Attributes
    ----------
    refutations
        Pairs whose bet reached its threshold, in the round that ended the search, and the pairs of runs that this took.
    tests
        The sequential test of each pair.
    thresholds
        The log-wealth at which each direction of each pair is refuted.
    samples, as_they_are
        The runs on each stream, with rounded numbers; and the first of them with all bits of their numbers.
    allowed
        Number of runs after which no further round begins, as set at the end.
    runs
        All runs that were made, on both sides.
    cut
        Whether pairs were dropped because few runs were left.
    unfinished
        Whether the search is to be made again, with the runs that are allowed now.
    """

    allowed: int

    refutations: dict[Pair, int] = field(default_factory=dict)
    tests: dict[Pair, PairTest] = field(default_factory=dict)
    thresholds: dict[Pair, float] = field(default_factory=dict)
    samples: dict[tuple[Family, int], list[Table]] = field(default_factory=dict)
    as_they_are: dict[tuple[Family, int], list[Table]] = field(default_factory=dict)
    runs: int = 0
    cut: bool = False
    unfinished: bool = False

    def tables(self, pair: Pair) -> tuple[Table, Table]:
        """All runs so far on the two streams of a pair."""
        left, right = (Table.concatenate(self.samples[(pair.family, place)]) for place in (pair.left, pair.right))
        return with_likelihood_ratio(left, pair.left, pair.right), with_likelihood_ratio(right, pair.left, pair.right)

    def forget(self, but: Iterable[Pair]) -> None:
        """Drop all runs except the last ones on the streams of some pairs."""
        kept = set(streams_of(but))
        self.samples = {
            side: [Table.concatenate(tables).last(_KEPT_RUNS)] for side, tables in self.samples.items() if side in kept
        }


def streams_of(pairs: Iterable[Pair]) -> list[tuple[Family, int]]:
    """The distinct streams of some pairs, each as a family and a place in it."""
    return list(dict.fromkeys((pair.family, place) for pair in pairs for place in (pair.left, pair.right)))


def search(
    sampler: Sampler,
    promise: Promise,
    catalogue: Catalogue,
    budget: ErrorBudget,
    *,
    entropy: int,
    most_runs: int,
    patience: int = 1,
    first: bool = True,
    opening: bool = False,
) -> Search:
    """Bet against the promise on every pair of the catalogue until one bet succeeds."""
    result = Search(allowed=most_runs)
    block = block_runs(sampler.runner)
    by_batches = block > RUNS_PER_BLOCK
    most_learned = _LEARNED_OF_BATCHES if by_batches else None
    for pair, weight in zip(catalogue.pairs, catalogue.weights, strict=True):
        result.tests[pair] = PairTest(
            promise.epsilon,
            promise.delta,
            first_lessons=FEW_LESSONS,
            lesson_growth=LESSON_GROWTH,
            most_learned=most_learned,
            scored=True,
        )
        result.thresholds[pair] = threshold(budget.error, weight / 2)
    active = list(catalogue.pairs[:1] if opening else catalogue.pairs)
    made: set[tuple[Family, int, int]] = set()
    round_number = 0
    chunks = _CHUNKS + _MORE_CHUNKS if by_batches else _CHUNKS
    while True:
        chunk = chunks[min(round_number, len(chunks) - 1)]
        sides = [side for side in streams_of(active) if (*side, round_number) not in made]
        last = result.runs + chunk * len(sides) > result.allowed
        if last and _within_reach(result, active, patience * most_runs - result.runs):
            result.allowed = patience * most_runs
            if result.cut or not first:
                result.unfinished = True
                return result
            last = result.runs + chunk * len(sides) > result.allowed
        if last:
            chunk = (result.allowed - result.runs) // len(sides)
            if chunk < _LEAST_CHUNK:
                return result
        # If the likelihood ratio is known, events are learned from it alone.
        drawn = sampler.draw_sides(
            sides,
            chunk,
            entropy=entropy,
            purpose=_PURPOSE,
            chunk=round_number,
            size=_BATCHES_OF_BLOCK * block if by_batches else block,
            features=False,
        )
        # A bet must not know the runs on which it is made. There are no bets on the first runs of a stream.
        known = [
            table if side in result.samples else table.rows(0, FEW_LESSONS[0])
            for side, table in zip(sides, drawn, strict=True)
        ]
        for side, table, as_it_is in zip(sides, sampler.read(drawn, known), drawn, strict=True):
            result.samples.setdefault(side, []).append(table)
            kept = result.as_they_are.setdefault(side, [])
            if (more := _KEPT_AS_THEY_ARE - sum(each.runs for each in kept)) > 0:
                kept.append(as_it_is.rows(0, more))
            made.add((*side, round_number))
        result.runs += chunk * len(sides)
        for pair in active:
            reached = result.tests[pair].extend(*result.tables(pair), stop_at=result.thresholds[pair])
            if reached is not None:
                result.refutations[pair] = result.tests[pair].bets[reached].runs_at_highest
        if last or _settled(result, active):
            return result
        round_number += 1
        if opening and not result.refutations:
            if round_number == _ROUNDS_ALONE:
                opening, round_number, active = False, 0, list(catalogue.pairs)
            continue
        following = chunks[min(round_number, len(chunks) - 1)]
        active = _survivors(result, active, following) if not result.refutations else _nested(result, active)


def _within_reach(result: Search, active: Sequence[Pair], more: int) -> bool:
    """Whether ``more`` runs on the last few pairs would bring a bet to its threshold at its present growth."""
    each = more // (2 * _FINALISTS[0][1])
    return any(result.tests[pair].prospect_after(each) >= result.thresholds[pair] for pair in active)


def _settled(result: Search, active: Sequence[Pair]) -> bool:
    """Whether the search has its refutation, on a nested pair if a few more runs can give one.

    A refutation on a nested pair also holds for the narrow reading of adjacency.
    """
    if not result.refutations:
        return False
    if any(pair.nested for pair in result.refutations):
        return True
    first = min(result.refutations.values())
    nested = [pair for pair in active if pair.nested]
    return not nested or result.tests[nested[0]].runs >= _PATIENCE * first


def _nested(result: Search, active: Sequence[Pair]) -> list[Pair]:
    ranked = sorted((pair for pair in active if pair.nested), key=lambda pair: -result.tests[pair].prospect)
    return ranked[: _FINALISTS[-1][1]]


def _survivors(result: Search, active: Sequence[Pair], chunk: int) -> list[Pair]:
    """The better half of the pairs, after a least number of runs on all of them; at the end only a few pairs.

    At the end, a few more runs on many pairs would decide nothing: the best pairs get them.
    """
    runs = min(result.tests[pair].runs for pair in active)
    if runs < RUNS_BEFORE_CHOICE:
        return list(active)
    fewest = next(count for least, count in _FINALISTS if runs >= least)
    ranked = sorted(active, key=lambda pair: result.tests[pair].prospect - result.thresholds[pair], reverse=True)
    kept = ranked[: max(fewest, len(active) // 2)]
    left = result.allowed - result.runs
    while len(kept) > 1 and 2 * chunk * len(streams_of(kept)) > left:
        kept, result.cut = kept[: (len(kept) + 1) // 2], True
    return [pair for pair in active if pair in kept]
