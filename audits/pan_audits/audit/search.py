"""The search for a violated pair: a few runs on many pairs, then more runs on the most promising pairs.

An audit searches one catalogue after the other, with one number of runs for all of them. Batches of runs guide a
search, and single runs refute. A catalogue that can be mutated is followed by new pairs that are made of its best ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pan_audits.audit.sampler import RUNS_PER_BLOCK, Sampler, Samples, Side, block_runs, streams_of
from pan_audits.audit.sequential import FEW_LESSONS, LESSON_GROWTH, PairTest, threshold
from pan_audits.events import Table
from pan_audits.problems import judged
from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner
from pan_promises.problem import Problem
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
    samples
        The runs on each stream.
    allowed
        Number of runs after which no further round begins, as set at the end.
    cut
        Whether pairs were dropped because few runs were left.
    unfinished
        Whether the search is to be made again, with the runs that are allowed now.
    """

    allowed: int

    refutations: dict[Pair, int] = field(default_factory=dict)
    tests: dict[Pair, PairTest] = field(default_factory=dict)
    thresholds: dict[Pair, float] = field(default_factory=dict)
    samples: Samples = field(default_factory=Samples)
    cut: bool = False
    unfinished: bool = False

    @property
    def runs(self) -> int:
        """All runs that were made, on both sides."""
        return self.samples.runs

    def forget(self, but: Iterable[Pair]) -> None:
        """Drop all runs except the last ones on the streams of some pairs."""
        kept = set(streams_of(but))
        self.samples.tables = {
            side: [Table.concatenate(tables).last(_KEPT_RUNS)]
            for side, tables in self.samples.tables.items()
            if side in kept
        }


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
    made: set[tuple[Side, int]] = set()
    round_number = 0
    chunks = _CHUNKS + _MORE_CHUNKS if by_batches else _CHUNKS
    while True:
        chunk = chunks[min(round_number, len(chunks) - 1)]
        sides = [side for side in streams_of(active) if (side, round_number) not in made]
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
        # A bet must not know the runs on which it is made. There are no bets on the first runs of a stream.
        result.samples.draw(
            sampler,
            sides,
            chunk,
            known=FEW_LESSONS[0],
            entropy=entropy,
            purpose=_PURPOSE,
            chunk=round_number,
            size=_BATCHES_OF_BLOCK * block if by_batches else block,
        )
        made.update((side, round_number) for side in sides)
        for pair in active:
            reached = result.tests[pair].extend(*result.samples.of(pair), stop_at=result.thresholds[pair])
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


_FIRST, _AGAIN_SINGLY = 2**65, 2**66
"""Added to the entropy of the searches by single runs."""
_PART_SINGLY, _QUARTER, _ENOUGH_SINGLY = 128, 4, 8192
_GENEROUS = 4
"""Factor between the runs of the search by single runs and the runs with which batches seemed to break the promise."""


def makes_batches(sampler: Sampler) -> bool:
    """Whether the mechanism of a sampler makes batches of runs."""
    return isinstance(sampler.runner, EstimatorRunner) and sampler.runner.batch_runs > 0


def search_by_batches(
    sampler: Sampler, promise: Promise, catalogue: Catalogue, budget: ErrorBudget, *, entropy: int, runs: int
) -> Searches:
    """Search by a few single runs, then by batches, and, if these find something, by single runs once more.

    Afterwards the sampler makes single runs. A refutation is one of single runs.
    """
    batches = sampler.runner
    assert isinstance(batches, EstimatorRunner)
    share = budget.split({"single runs first": 1, "single runs again": 1})
    sampler.runner = replace(batches, batch_runs=0)
    singles = max(runs // _PART_SINGLY, min(runs // _QUARTER, _ENOUGH_SINGLY))
    first = search(sampler, promise, catalogue, share["single runs first"], entropy=entropy + _FIRST, most_runs=singles)
    if first.refutations:
        return Searches([first], runs)
    sampler.runner = batches
    # Nothing is refuted by batches: these bets cost none of the budget.
    led = search(sampler, promise, catalogue, budget, entropy=entropy, most_runs=runs - first.runs)
    sampler.runner = replace(batches, batch_runs=0)
    if not led.refutations:
        return Searches([led], runs, first.runs / max(1, first.runs + led.runs))
    again = search(
        sampler,
        promise,
        catalogue,
        share["single runs again"],
        entropy=entropy + _AGAIN_SINGLY,
        most_runs=min(max(_GENEROUS * led.runs, singles), runs),
    )
    return Searches([again], runs, unconfirmed=0 if again.refutations else again.runs)


GENERATIONS = 2
"""The number of generations. Each one has a share of the error budget, which is fixed before the first run."""

_PART_OF_A_GENERATION = 6
"""A generation has a sixth of the runs of the catalogue."""
_MOST_PAIRS = 16
_MOST_PARENTS = 8
_ANOTHER = 2**65
"""Added to the entropy. A pair is chosen by runs, so that its own runs must be new ones."""


def search_mutated(
    sampler: Sampler,
    promise: Promise,
    problem: Problem,
    searched: Sequence[Search],
    budget: ErrorBudget,
    *,
    entropy: int,
    runs: int,
    generation: int,
) -> Search | None:
    """Bet against the promise on mutated pairs."""
    allowed = runs // _PART_OF_A_GENERATION
    count = min(_MOST_PAIRS, allowed // (2 * RUNS_BEFORE_CHOICE))
    if count == 0:
        return None
    own = entropy + (generation + 1) * _ANOTHER
    tried = [pair for each in searched for pair in each.tests]
    catalogue = judged(problem).mutated(promise, _best(searched), count, own % 2**32 + generation, tried=tried)
    if catalogue is None:
        return None
    return search(sampler, promise, catalogue, budget, entropy=own, most_runs=allowed)


def _best(searched: Sequence[Search]) -> list[Pair]:
    """The pairs whose bets have grown most, by the growth that they need."""
    ranked = sorted(
        ((test.prospect - each.thresholds[pair], pair) for each in searched for pair, test in each.tests.items()),
        key=lambda one: -one[0],
    )
    return [pair for _, pair in ranked[:_MOST_PARENTS]]


_AGAIN = 2**64
"""Added to the entropy of a search that is made again by single runs."""


@dataclass
class Searches:
    """The searches of the catalogues.

    Attributes
    ----------
    searches
        The last one found a refutation, or none did.
    runs
        The number of runs that each search was allowed. With this number from the beginning, all of them are the same.
    singly
        The share of the blocks, or of the runs, that are made run by run.
    guided
        Whether many runs at once have led the searches so far.
    unconfirmed
        Single runs after batches seemed to break the promise, if these runs did not refute it; else 0.
    """

    searches: list[Search]
    runs: int
    singly: float = 1.0
    guided: bool = False
    unconfirmed: int = 0


def search_catalogues(
    sampler: Sampler,
    promise: Promise,
    stages: Sequence[Catalogue],
    budgets: Sequence[ErrorBudget],
    *,
    entropy: int,
    runs: int,
    patience: int,
    opening: bool = False,
) -> Searches:
    """Search the catalogues until a bet succeeds."""
    singly = share_made_singly(sampler)
    found = Searches([], runs, singly, guided=0 < singly < 1)
    kept = sampler.runner, sampler.runs, sampler.printed

    def searched(stage: Catalogue, budget: ErrorBudget, entropy: int, *, first: bool) -> Search | None:
        nonlocal patience
        made = search(
            *(sampler, promise, stage, budget),
            entropy=entropy,
            most_runs=found.runs,
            patience=patience,
            first=first,
            opening=opening,
        )
        if made.allowed > found.runs:
            found.runs, patience = made.allowed, 1
            if made.unfinished:
                return None
        return made

    for stage, budget in zip(stages, budgets, strict=True):
        if makes_batches(sampler):
            # A function has one catalogue: it has no real stream.
            return search_by_batches(sampler, promise, stage, budget, entropy=entropy, runs=runs)
        made = searched(stage, budget, entropy, first=not found.searches)
        if made is not None and made.refutations and found.guided:
            # Many runs at once of a third-party estimator refute no promise: the bets so far do not count.
            make_singly(sampler)
            found.guided = False
            made = searched(stage, budget, entropy + _AGAIN, first=False)
        if made is None:
            sampler.runner, sampler.runs, sampler.printed = kept
            return search_catalogues(
                *(sampler, promise, stages, budgets),
                entropy=entropy,
                runs=found.runs,
                patience=patience,
                opening=opening,
            )
        found.searches.append(made)
        if made.refutations:
            break
    return found


def share_made_singly(sampler: Sampler) -> float:
    """The share of the next runs, or blocks, that are made run by run."""
    if makes_batches(sampler):
        return 0.0
    return sampler.runner.share_made_singly if isinstance(sampler.runner, EstimatorRunner) else 1.0


def make_singly(sampler: Sampler) -> None:
    """Make single runs from here on."""
    assert isinstance(sampler.runner, EstimatorRunner)
    sampler.runner = replace(sampler.runner, singly=1.0)
