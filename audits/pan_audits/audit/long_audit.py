"""The long audit: all remaining runs on the most promising pairs and events of a search.

It counts a few learned events in any number of runs.

Memory and journal stay small: they keep only four counts for each block of runs. The bets are a fixed
mixture (:mod:`pan_audits.statistics.bets`), and their wealth depends on the sums of the
counts alone. The order in which blocks finish does not matter.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, isfinite, log
from typing import Any

import numpy as np

from pan_audits.audit.sampler import RUNS_PER_BLOCK, Sampler, successes
from pan_audits.audit.search import Search
from pan_audits.events import (
    LIKELIHOOD_RATIO,
    Candidate,
    Condition,
    Event,
    Objective,
    Reading,
    Table,
    bound_objective,
    cautious,
    learn_events,
)
from pan_audits.judging.documents import document
from pan_audits.judging.reading import LARGEST_NUMBER, Field
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.statistics import CAREFUL, ErrorBudget, MixtureBet, best_stake, detectable_loss
from pan_audits.statistics.bets import COST, GRID
from pan_audits.subject.running.runner import Runner, happened
from pan_audits.workers.limits import begin_anew
from pan_promises.errors import InputError
from pan_promises.promise import Promise


@dataclass(frozen=True, kw_only=True)
class LongResult:
    """Bets on events that were fixed beforehand, with very many runs.

    Attributes
    ----------
    promise
        The promise under test.
    pair, event
        The most promising pair of streams, and the event that was counted on it.
    counts
        Pairs of runs with the event on the left alone, on both, on the right alone, on neither.
    runs
        All runs of the stage, on both streams of all pairs.
    loss
        A lower bound on the loss, which holds at every time.
    refuted
        Whether the promise is refuted.
    error
        Probability, at most, that any bet on this pair is won although the promise holds.
    """

    promise: Promise
    pair: Pair
    event: Event
    counts: tuple[int, ...]
    runs: int
    loss: float
    refuted: bool
    error: float

    @property
    def pairs_of_runs(self) -> int:
        """The number of runs on each of the two streams."""
        return sum(self.counts)

    @property
    def frequencies(self) -> tuple[float, float]:
        """The frequencies of the event on the left and on the right stream."""
        left, both, right, _ = self.counts
        return (left + both) / self.pairs_of_runs, (right + both) / self.pairs_of_runs

    @property
    def detectable(self) -> float:
        """The smallest loss of an event as frequent as this one that would have been caught with 95% power."""
        return detectable_loss(
            self.pairs_of_runs,
            log_threshold=COST - log(self.error),
            epsilon=self.promise.epsilon,
            delta=self.promise.delta,
            mass=max(self.frequencies),
            least_fraction=GRID[-1],
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        family, names = self.pair.family, ("left_alone", "both", "right_alone", "neither")
        return {
            "family": family.to_dict(),
            "streams": [family.describe(place) for place in (self.pair.left, self.pair.right)],
            "event": self.event.to_dict(),
            "counts": dict(zip(names, self.counts, strict=True)),
        } | document(self, "runs loss_at_least=loss refuted error smallest_detectable_loss=detectable")

    def describe(self) -> str:
        """The result in a sentence or two."""
        left, right = self.frequencies
        family = self.pair.family
        found = (
            f"after {self.runs:.3g} runs: loss at least {self.loss:.4g}, promised {self.promise.epsilon:.4g}. "
            f"The event {self.event.describe()} occurred in {left:.4%} of the runs where "
            f"{family.describe(self.pair.left)}, and in {right:.4%} of the runs where "
            f"{family.describe(self.pair.right)}"
        )
        if self.refuted or not isfinite(self.detectable):
            return found + "."
        return f"{found}. With 95% power this audit detects the event from loss {self.detectable:.4g}."


_DEVIATIONS = 4.0
_MOST_PAIRS = 8
_CAUTION = 0.5
_THRESHOLDS = 512


def long_candidates(
    searched: Sequence[Search], promise: Promise, runs: int, reading: Reading | None = None
) -> list[PairBet]:
    """The pairs, directions and events whose bound could rise highest, learned from all runs of the search.

    Only the pairs that the search kept to its end have enough runs.
    """
    objective = bound_objective(runs, promise.delta, _DEVIATIONS)
    found: list[tuple[Pair, Candidate]] = []
    for search in searched:
        most = max(test.runs for test in search.tests.values())
        last = [pair for pair, test in search.tests.items() if 2 * test.runs > most]
        last.sort(key=lambda pair: search.tests[pair].prospect, reverse=True)
        for pair in last[:_MOST_PAIRS]:
            for turned in (pair, Pair(pair.family, pair.right, pair.left)):
                found.append((turned, _learned(*search.samples.of(turned), objective)))
    found.sort(key=lambda entry: entry[1].worth, reverse=True)
    return [
        PairBet(pair, learned.event.on(reading), _bet(learned, promise)) for pair, learned in found[:MOST_CANDIDATES]
    ]


def _learned(left: Table, right: Table, objective: Objective) -> Candidate:
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
    return Candidate(event, float(worth[best]), int(x[best]), int(y[best]), left.runs)


def _bet(learned: Candidate, promise: Promise) -> MixtureBet:
    p, q = cautious(np.array(learned.left), np.array(learned.right), learned.runs, _CAUTION)
    fraction = float(best_stake(p, q, epsilon=promise.epsilon, delta=promise.delta).fraction)
    return MixtureBet(CAREFUL * min(fraction, 1 / (exp(promise.epsilon) + promise.delta)))


LARGEST_BLOCK = 2**15
"""Most runs on each stream in one block. They take seconds, much longer than sending the block to a cluster."""

_SMALLEST_BLOCK = 2**10
_BLOCKS = 1024

LEAST_RUNS = 2**14
"""Least number of runs for a long audit. Fewer runs add nothing to the search before it."""

MOST_CANDIDATES = 4
"""The budget is divided by this number, also if there are fewer candidates."""

_PURPOSE = 5
_ROUNDS = ((16, 2), (128, 1))
"""Pairs (blocks, kept): the blocks of each candidate so far, and the number of candidates that go on after them.

The last candidate gets all further blocks.
"""
_PART_FOR_CHOICE = 4
"""Each of these rounds takes at most one block in this number."""
_ERROR_OF_CHOICE = 0.05
_FOLDED = 64
"""Number of blocks after which the journal replaces their counts by the sums."""
_LOOK = 16
_MOST_COUNTED = 2**62


@dataclass(frozen=True)
class PairBet:
    """A pair of streams, oriented so that the event is likelier on the left, and a bet on the event."""

    pair: Pair
    event: Event
    bet: MixtureBet


@dataclass(frozen=True)
class CountBlock:
    """A task: it counts the event in a block of pairs of runs."""

    runner: Runner
    candidate: PairBet
    runs: int
    entropy: int
    block: int

    def __call__(self) -> list[int]:
        """Pairs of runs with the event on the left alone, on both, on the right alone, on neither."""
        pair, event = self.candidate.pair, self.candidate.event
        prints = [side.fingerprint(pair.family.schedule) for side in pair.sides]
        counts = np.zeros(4, dtype=np.int64)
        most = runs_at_a_time(self.runner)
        for part, start in enumerate(range(0, self.runs, most)):
            begin_anew()
            size = min(most, self.runs - start)
            left, right = (
                happened(self.runner, pair, place, event, size, (self.entropy, _PURPOSE, mark, self.block, part))
                for place, mark in zip((pair.left, pair.right), prints, strict=True)
            )
            counts += [(left & ~right).sum(), (left & right).sum(), (~left & right).sum(), (~left & ~right).sum()]
        return [int(count) for count in counts]


def runs_at_a_time(runner: Runner) -> int:
    """Number of runs with one seed. A mechanism that makes many runs at once gets more, since each call has a cost."""
    return getattr(runner, "runs_at_once", 0) or RUNS_PER_BLOCK


@dataclass
class _State:
    """The state of the audit after a block of a round, JSON-ready."""

    counts: list[list[int]]
    bounds: list[float]
    active: list[int]
    round: int = 0
    slot: int = 0
    blocks: int = 0
    printed: int = 0
    refuted: int | None = None


@dataclass
class LongAudit:
    """Bets against a promise on a few events, over all runs."""

    sampler: Sampler
    promise: Promise
    candidates: Sequence[PairBet]
    budget: ErrorBudget
    entropy: int
    runs: int
    block_runs: int = 0
    _state: _State = field(init=False)

    def __post_init__(self) -> None:
        if not self.block_runs:
            size = 2 ** max(0, (self.runs // (2 * _BLOCKS)).bit_length() - 1)
            self.block_runs = min(max(size, _SMALLEST_BLOCK), LARGEST_BLOCK)
        places = range(len(self.candidates))
        self._state = _State([[0] * 4 for _ in places], [0.0 for _ in places], list(places))
        if self.sampler.journal is not None:
            recorded = self.sampler.journal.recorded("long audit")
            if recorded is not None:
                field = self.sampler.journal.field("long audit", recorded)
                self._state = _state_in(field, len(self.candidates), self.block_runs)
                self.sampler.journal.take_over(self._state.blocks)

    @property
    def error(self) -> float:
        """The share of each candidate."""
        return self.budget.error / MOST_CANDIDATES

    def run(self) -> LongResult:
        """Make runs until the promise is refuted or all runs are made."""
        state = self._state
        done = 2 * self.block_runs * state.blocks
        if self.sampler.progress and done:
            self.sampler.progress(done, self._note())
        plan = self._plan()
        while state.refuted is None and state.round < len(plan):
            slots, kept = plan[state.round]
            self._round(slots)
            if state.refuted is None:
                state.active = sorted(self._ranked()[:kept])
                state.round, state.slot = state.round + 1, 0
                self._save([])
        self.sampler.runs += 2 * self.block_runs * state.blocks
        self.sampler.printed += state.printed
        return self._result()

    def _plan(self) -> list[tuple[int, int]]:
        """For each round: the blocks of all candidates together, and the number of candidates that stay after it."""
        total = self.runs // (2 * self.block_runs)
        rounds, active, had, spent = [], len(self.candidates), 0, 0
        for most, kept in _ROUNDS:
            each = min(most - had, total // (_PART_FOR_CHOICE * active))
            if active > kept and each > 0:
                rounds.append((each * active, kept))
                spent, had, active = spent + each * active, had + each, kept
        return [*rounds, (total - spent, 1)] if total > spent else rounds

    def _round(self, slots: int) -> None:
        """Take blocks of the active candidates in turn, in a fixed order."""
        state, journal = self._state, self.sampler.journal
        prefix = f"long audit, round {state.round}, block "
        ready: dict[int, list[int]] = {}
        if journal is not None:
            for key, counts in journal.matching(prefix).items():
                if (one := _block_in(journal.field(prefix, counts), key, self.block_runs)) is not None:
                    ready[int(key)] = one
        known = frozenset(ready)
        missing = (slot for slot in range(state.slot, slots) if slot not in known)
        folded: list[str] = []
        outcomes = self._outcomes(missing)
        while True:
            while state.slot in ready and state.refuted is None:
                *counts, printed = ready.pop(state.slot)
                state.printed += printed
                folded.append(f"{prefix}{state.slot}")
                self._take(counts)
                if len(folded) >= _FOLDED or state.refuted is not None:
                    self._save(folded)
                    folded = []
            if state.refuted is not None or state.slot >= slots:
                outcomes.close()
                self._save(folded)
                return
            slot, counts = next(outcomes)
            ready[slot] = counts
            if journal is not None:
                journal.put(f"{prefix}{slot}", counts)

    def _outcomes(self, missing: Iterator[int]) -> Generator[tuple[int, list[int]], None, None]:
        """The four counts of each missing block, and the number of printed bytes, as blocks finish."""
        state, active, places = self._state, list(self._state.active), list[int]()
        assert self.sampler.engine is not None

        def tasks() -> Iterator[CountBlock]:
            for slot in missing:
                places.append(slot)
                candidate = self.candidates[active[slot % len(active)]]
                # No two blocks of one audit have the same number.
                number = (state.round << 40) + slot
                yield CountBlock(self.sampler.runner, candidate, self.block_runs, self.entropy, number)

        for number, outcome in successes(self.sampler.engine, tasks()):
            yield places[number], [*outcome.result, outcome.printed]

    def _take(self, counts: Sequence[int]) -> None:
        """Add the counts of the next block, and test the promise."""
        state = self._state
        place = state.active[state.slot % len(state.active)]
        state.counts[place] = [a + b for a, b in zip(state.counts[place], counts, strict=True)]
        state.slot += 1
        state.blocks += 1
        bet, delta = self.candidates[place].bet, self.promise.delta
        wealth = bet.log_wealth(state.counts[place], epsilon=self.promise.epsilon, delta=delta)
        if wealth >= -log(self.error):
            state.refuted = place
        if state.refuted is not None or state.slot % _LOOK == 0:
            bound = bet.loss_bound(state.counts[place], error=self.error, delta=delta)
            state.bounds[place] = max(state.bounds[place], bound)
        if self.sampler.progress:
            self.sampler.progress(2 * self.block_runs, self._note())

    def _ranked(self) -> list[int]:
        """The active candidates, ordered by a lower bound on the loss; the largest first."""
        state = self._state

        def seen(place: int) -> float:
            bet, counts = self.candidates[place].bet, state.counts[place]
            return bet.loss_bound(counts, error=_ERROR_OF_CHOICE, delta=self.promise.delta)

        return sorted(state.active, key=seen, reverse=True)

    def _note(self) -> str:
        return f"loss at least {max(self._state.bounds):.4g}, promised {self.promise.epsilon:.4g}"

    def _save(self, folded: list[str]) -> None:
        if self.sampler.journal is not None:
            self.sampler.journal.put("long audit", dict(vars(self._state)), instead_of=folded)

    def _result(self) -> LongResult:
        state = self._state
        best = state.refuted if state.refuted is not None else self._ranked()[0]
        candidate = self.candidates[best]
        for place, counts in enumerate(state.counts):
            bound = self.candidates[place].bet.loss_bound(counts, error=self.error, delta=self.promise.delta)
            state.bounds[place] = max(state.bounds[place], bound)
        return LongResult(
            promise=self.promise,
            pair=candidate.pair,
            event=candidate.event,
            counts=tuple(state.counts[best]),
            runs=2 * self.block_runs * state.blocks,
            loss=max(state.bounds),
            refuted=state.refuted is not None,
            error=self.error,
        )


def _state_in(field: Field, candidates: int, block_runs: int) -> _State:
    """Read a recorded state; :class:`InputError` if an audit of these candidates cannot reach it."""
    field.only(_State.__dataclass_fields__)
    counts = [_counts(one, 4) for one in field["counts"].items(least=candidates, most=candidates)]
    active = [place.whole(most=candidates - 1) for place in field["active"].items(least=1, most=candidates)]
    refuted = field.get("refuted")
    state = _State(
        counts=counts,
        bounds=[bound.number(0) for bound in field["bounds"].items(least=candidates, most=candidates)],
        active=active,
        round=field["round"].whole(most=len(_ROUNDS) + 1),
        slot=field["slot"].whole(most=_MOST_COUNTED),
        blocks=field["blocks"].whole(most=_MOST_COUNTED),
        printed=field["printed"].whole(most=_MOST_COUNTED),
        refuted=None if refuted is None else refuted.whole(most=candidates - 1),
    )
    if sorted(set(active)) != active or sum(map(sum, counts)) != state.blocks * block_runs:
        field.refuse("a state of this audit, whose counts are those of its blocks")
    return state


def _block_in(field: Field, slot: str, block_runs: int) -> list[int] | None:
    """The counts of one block and the number of printed bytes; ``None`` if the entry is not a block of this audit."""
    try:
        counts = _counts(field, 5)
    except InputError:
        return None
    return counts if slot.isascii() and slot.isdigit() and sum(counts[:4]) == block_runs else None


def _counts(field: Field, size: int) -> list[int]:
    return [count.whole(most=_MOST_COUNTED) for count in field.items(least=size, most=size)]
