"""The sequential test of one pair of streams: learn the event from earlier runs, bet on it with later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import log

import numpy as np

from pan_audits.events import Candidate, Event, Objective, Table, betting_objective, cautious, learn_events, with_scores
from pan_audits.statistics import CAREFUL, Stake, best_stake, betting_factors

FEW_LESSONS, LESSON_GROWTH = (8, 19, 48, 121), 1.6
"""Runs on each stream before the first times of learning, and the growth after them, where many pairs are tested:
learning from a few runs takes as long as learning from many."""
_FIRST_SCORE = 4096
"""Runs on each stream from which a score is fitted for the first time, and again after twice as many."""
_SCORED_RUNS = 65_536
_SCORE_CAUTION = 2.0
_WINNING = 3.0
"""A bet whose expected log-wealth is larger needs no score: its event is good enough."""
_SELDOM = 4
"""By which factor the runs grow until new events are learned, after as many as are learned from."""


class Direction(StrEnum):
    """The stream on which the event is likelier."""

    LEFT = "left"
    RIGHT = "right"


@dataclass
class Bet:
    """The wealth of one direction of one pair, and the next bet.

    Attributes
    ----------
    log_wealth
        Logarithm of the wealth, from 0.
    highest
        The largest log-wealth so far.
    runs_at_highest
        Pairs of runs when it was reached.
    event, stake
        The present bet; no event before the first learning.
    worth
        Cautious estimate of the growth per pair of runs, on the runs that the event was learned from.
    """

    log_wealth: float = 0.0
    highest: float = 0.0
    runs_at_highest: int = 0
    event: Event | None = None
    stake: Stake | None = None
    worth: float = 0.0


@dataclass
class PairTest:
    """Bets in both directions on one pair of adjacent streams.

    Each block of runs is used twice. First the test bets on it, with an event learned from the runs
    before it. Then the test learns from it.
    """

    epsilon: float
    delta: float = 0.0
    use_likelihood: bool = True
    first_lessons: Sequence[int] = (8,)
    lesson_growth: float = 1.25
    most_learned: int | None = None
    scored: bool = False
    bets: dict[Direction, Bet] = field(default_factory=lambda: {side: Bet() for side in Direction})
    runs: int = 0
    _next_lesson: int = 0
    _next_events: int = 0
    _next_score: int = _FIRST_SCORE

    def __post_init__(self) -> None:
        self._next_lesson = self.first_lessons[0]

    def extend(self, left: Table, right: Table, *, stop_at: float = float("inf")) -> Direction | None:
        """Bet on all new runs, and learn from them."""
        available = min(left.runs, right.runs)
        while self.runs < available:
            stop = min(available, self._next_lesson)
            for direction, bet in self.bets.items():
                ours, theirs = (left, right) if direction is Direction.LEFT else (right, left)
                if bet.event is not None and bet.stake is not None:
                    self._play(bet, ours.rows(self.runs, stop), theirs.rows(self.runs, stop))
                if bet.highest >= stop_at:
                    self.runs = stop
                    return direction
            self.runs = stop
            if self.runs >= self._next_lesson:
                self._learn(left.rows(0, self.runs), right.rows(0, self.runs))
                growing = max(self.runs + 2, int(self.runs * self.lesson_growth))
                self._next_lesson = next((each for each in self.first_lessons if each > self.runs), growing)
        return None

    @property
    def prospect(self) -> float:
        """The expected log-wealth of the pair: the log-wealth so far, and its growth over equally many further runs."""
        return self.prospect_after(self.runs)

    def prospect_after(self, runs: int) -> float:
        """The expected log-wealth after ``runs`` further pairs of runs."""
        return max(bet.log_wealth + runs * bet.worth for bet in self.bets.values())

    def _play(self, bet: Bet, ours: Table, theirs: Table) -> None:
        assert bet.event is not None
        assert bet.stake is not None
        factors = betting_factors(bet.event(ours), bet.event(theirs), bet.stake, epsilon=self.epsilon, delta=self.delta)
        with np.errstate(divide="ignore"):
            # In this order, the sum is the same for runs that arrive in other pieces.
            path = np.cumsum(np.append(bet.log_wealth, np.log(factors)))[1:]
        place = int(np.argmax(path))
        if path[place] > bet.highest:
            bet.highest, bet.runs_at_highest = float(path[place]), self.runs + place + 1
        bet.log_wealth = float(path[-1])

    def _learn(self, left: Table, right: Table) -> None:
        objective = betting_objective(self.epsilon, self.delta)
        if self.most_learned is None or self.runs <= self.most_learned:
            learned = learn_events(left, right, objective, use_likelihood=self.use_likelihood)
        else:
            learned = self._known(left, right, objective)
        for bet, candidate in zip(self.bets.values(), self._scored(left, right, learned), strict=True):
            bet.event, bet.worth = candidate.event, candidate.worth
            bet.stake = self._stake(candidate)

    def _scored(self, left: Table, right: Table, learned: tuple[Candidate, Candidate]) -> tuple[Candidate, Candidate]:
        """The candidates, or those of a score where no bet is winning."""
        if not self.scored or self.runs < self._next_score:
            return learned
        # Runs of batches take less time than a fit. A score that was fitted to the most runs changes little later.
        often = self.most_learned is None and self.runs < _SCORED_RUNS
        self._next_score = (2 if often else _SELDOM) * self.runs
        best = max(bet.log_wealth + self.runs * one.worth for bet, one in zip(self.bets.values(), learned, strict=True))
        if best > _WINNING:
            return learned
        worth = betting_objective(self.epsilon, self.delta, _SCORE_CAUTION)
        first = max(0, self.runs - _SCORED_RUNS)
        tables = left.rows(first, self.runs), right.rows(first, self.runs)
        scored = with_scores(*tables, learned, worth, use_likelihood=self.use_likelihood)
        return (
            max(learned[0], scored[0], key=lambda one: one.worth),
            max(learned[1], scored[1], key=lambda one: one.worth),
        )

    def _known(self, left: Table, right: Table, objective: Objective) -> tuple[Candidate, Candidate]:
        """The better of the known event and one learned from the last runs, for each direction, by all runs."""
        assert self.most_learned is not None
        fresh: tuple[Candidate, ...] = ()
        if self.runs >= self._next_events:
            self._next_events = _SELDOM * self.runs
            last = self.runs - self.most_learned
            fresh = learn_events(
                left.rows(last, self.runs), right.rows(last, self.runs), objective, use_likelihood=self.use_likelihood
            )

        best = []
        for place, (bet, tables) in enumerate(zip(self.bets.values(), ((left, right), (right, left)), strict=True)):
            events = [bet.event, *(each.event for each in fresh[place : place + 1])]
            tried = (Candidate.of(event, *tables, objective) for event in events if event is not None)
            best.append(max(tried, key=lambda one: one.worth))
        return best[0], best[1]

    def _stake(self, candidate: Candidate) -> Stake | None:
        if candidate.worth <= 0:
            return None
        p, q = cautious(np.array(candidate.left), np.array(candidate.right), candidate.runs, 0.5)
        best = best_stake(p, q, epsilon=self.epsilon, delta=self.delta)
        return best._replace(fraction=CAREFUL * best.fraction) if best.fraction > 0 else None


def threshold(error: float, share: float = 1.0) -> float:
    """The log-wealth at which a bet with a ``share`` of the initial wealth refutes at level ``error``."""
    return -log(error * share)
