"""Whether the bytes that judged code prints break its promise, beside the states and outputs that it covers.

A reader of the log of a deployment sees these bytes. The runs on the two inputs of a pair are made in turn, in one
process and in a random order, so that the time of day, an address or the number of earlier runs has one effect on both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pan_audits.audit.sequential import Direction, PairTest, threshold
from pan_audits.conduct.finding import Finding, defect, note
from pan_audits.events import Grids, Table
from pan_audits.events.observing.features import observation_features, observation_parts
from pan_audits.events.observing.subject import Subject, subject_of
from pan_audits.notions import notion_of
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.subject.intake.discovery import Mechanism
from pan_audits.subject.isolation.printed import DIFFER, PRINTED, as_parts
from pan_audits.subject.running.course import Observation, course_of
from pan_audits.workers.limits import MechanismError
from pan_promises.promise import Promise

PRINTING = "printing"
_PURPOSE = 41
_MOST_PAIRS = 32
_AT_FIRST, _FEWEST = 64, 8
_CHOSEN, _MOST_OF_CHOSEN = 4, 1024
_MOST = 16_384
_AT_ONCE = 32
"""Pairs of runs for one question, so that a slow mechanism answers in time."""


@dataclass(eq=False)
class _Tested:
    """One pair of inputs, its runs, and the bet on them."""

    pair: Pair
    number: int
    test: PairTest
    left: list[dict[str, float]] = field(default_factory=list)
    right: list[dict[str, float]] = field(default_factory=list)
    grids: Grids = field(default_factory=lambda: Grids(0))

    def tables(self, runs: int) -> tuple[Table, Table]:
        """The first runs on both sides, rounded: an error of rounding is no property of what is printed."""
        left, right = (Table.from_rows(rows[:runs]) for rows in (self.left, self.right))
        # There are no bets on the first runs.
        self.grids.learn(table.rows(0, self.test.first_lessons[0]) for table in (left, right))
        self.grids.learn((left, right))
        return self.grids(left), self.grids(right)


def compared_printing(
    mechanism: Mechanism,
    pairs: Sequence[Pair],
    printed: int,
    *,
    runs: int,
    error: float,
    entropy: int,
) -> list[Finding]:
    """Look for an event of the printed bytes, the states and the outputs together that breaks the promise."""
    step = -(-len(pairs) // _MOST_PAIRS)
    implied, _ = notion_of(mechanism.promise).implied
    tested = [
        _Tested(pair, number, PairTest(float(implied.epsilon), implied.delta, use_likelihood=False))
        for number, pair in enumerate(pairs[::step])
    ]
    stop = threshold(error / max(1, 2 * len(tested)))
    size = f"{printed / 1e6:.1f} MB" if printed >= 1e6 else f"{printed} bytes"
    made = 0
    try:
        for one, most in _plan(tested, runs):
            while len(one.left) < most:
                more = min(_AT_ONCE, most - len(one.left))
                _run(mechanism, one, more, entropy)
                made += 2 * more
                direction = one.test.extend(*one.tables(len(one.left)), stop_at=stop)
                if direction is not None:
                    return [defect(PRINTING, f"{PRINTED} {DIFFER}: {_told(one, direction)}")]
    except MechanismError as problem:
        why = f"the estimator printed {size} during the audit, and {PRINTED} could not be compared: {problem}"
        return [defect(PRINTING, why)]
    return [
        note(
            PRINTING,
            f"the estimator printed {size} during the audit; in {made} runs, {PRINTED} broke the promise neither alone "
            "nor together with what it covers",
        )
    ]


def _plan(tested: Sequence[_Tested], runs: int) -> Iterator[tuple[_Tested, int]]:
    """The pairs in turn, each with the number of runs on each side up to which it is tested."""
    first = max(_FEWEST, min(_AT_FIRST, runs // (8 * max(1, len(tested)))))
    yield from ((one, first) for one in tested)
    left = runs - 2 * first * len(tested)
    best = sorted(tested, key=lambda one: -one.test.prospect_after(_MOST))[:_CHOSEN]
    for one in best:
        most = min(_MOST_OF_CHOSEN, first + left // (4 * _CHOSEN))
        yield one, most
    left -= sum(2 * (len(one.left) - first) for one in best)
    for one in best[:1]:
        yield one, min(_MOST, len(one.left) + max(0, left // 2))


def _run(mechanism: Mechanism, one: _Tested, runs: int, entropy: int) -> None:
    estimator, promise, family, pair = mechanism.estimator, mechanism.promise, one.pair.family, one.pair
    courses = course_of(family, pair.left), course_of(family, pair.right)
    seed = (entropy, _PURPOSE, one.number, len(one.left))
    subject = subject_of(estimator, family.user)
    for pair_of_runs in estimator.printed_runs(courses, runs, seed, states_seen=promise.sees_state):
        for rows, (observed, printed) in zip((one.left, one.right), pair_of_runs, strict=True):
            rows.append(_row(observed, printed, promise, subject))


def _row(observed: Observation, printed: bytes, promise: Promise, subject: Subject) -> dict[str, float]:
    """The features of one run."""
    text, numbers = as_parts(printed)
    row = observation_features(observed.states, observed.outputs if promise.sees_output else (), subject)
    row |= observation_parts(text, "printed text", 0, "", subject)
    return row | observation_parts(np.array(numbers), "printed numbers", 0, "", subject)


def _told(one: _Tested, direction: Direction) -> str:
    """The event on which the bet was won, and where."""
    event = one.test.bets[direction].event
    assert event is not None
    counts = [int(event(table).sum()) for table in one.tables(one.test.runs)]
    sides = ("left", "right") if direction is Direction.LEFT else ("right", "left")
    ordered = counts if direction is Direction.LEFT else counts[::-1]
    return (
        f"{event.describe()} in {ordered[0]} of {one.test.runs} runs on the {sides[0]} input and in {ordered[1]} on "
        f"the {sides[1]} one ({one.pair.describe()})"
    )
