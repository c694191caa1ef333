"""The loss of the doubles as they are, where numbers have no common grid; rounding to a coarse grid would hide it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pan_audits.audit.sequential import LESSON_GROWTH, PairTest, threshold
from pan_audits.audit.witness import Counts
from pan_audits.events import AllBits, Event, Table, bound_objective, learn_events
from pan_audits.judging.documents import document
from pan_audits.statistics import loss_lower_bound
from pan_promises.promise import Promise

_MOST_PAIRS = 4
_LESSONS = (16, 48, 121)
_DEVIATIONS = 4.0


@dataclass(frozen=True)
class LossOfDoubles:
    """The leak of the bits of the observed doubles, beyond real arithmetic.

    Attributes
    ----------
    columns
        The columns whose numbers have no common grid.
    loss
        Lower bound on the loss of the event, in nats; 0 if no event was found that breaks the promise.
    event
        That event.
    counts
        Its counts.
    inputs
        The two inputs, in words; empty without an event.
    """

    columns: tuple[str, ...]
    loss: float = 0.0
    event: Event | None = None
    counts: Counts | None = None
    inputs: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(self, "columns loss_at_least=loss event counts")


def loss_of_doubles(
    samples: Iterable[tuple[Any, Table, Table]], promise: Promise, error: float
) -> LossOfDoubles | None:
    """The loss of the doubles as they are, on the first few pairs whose numbers have no common grid."""
    columns: dict[str, None] = {}
    tested = 0
    for pair, left, right in samples:
        bits = AllBits()
        bits.learn([left, right])
        if not bits.without_grid:
            continue
        columns.update(dict.fromkeys(bits.without_grid))
        found = _broken(bits(left), bits(right), bits, promise, error / _MOST_PAIRS)
        if found is not None:
            loss, event, counts = found
            family = pair.family
            inputs = f"on one {family.noun} {family.describe(pair.left)}; on the other {family.describe(pair.right)}"
            return LossOfDoubles(tuple(columns), loss, event, counts, inputs)
        tested += 1
        if tested == _MOST_PAIRS:
            break
    return LossOfDoubles(tuple(columns)) if columns else None


def _broken(
    left: Table, right: Table, bits: AllBits, promise: Promise, error: float
) -> tuple[float, Event, Counts] | None:
    """The loss, an event and its counts, if a bet on the doubles breaks the promise."""
    test = PairTest(promise.epsilon, promise.delta, first_lessons=_LESSONS, lesson_growth=LESSON_GROWTH)
    if test.extend(left, right, stop_at=threshold(error, 1 / 4)) is None:
        return None
    # The event is chosen on one half of the runs and bounded on the other. A reader can check a readable one.
    half, runs = left.runs // 2, left.runs - left.runs // 2
    objective = bound_objective(runs, promise.delta, _DEVIATIONS)
    bounds: list[tuple[float, Event, Counts]] = []
    for readable in (True, False):
        ours, theirs = learn_events(left.rows(0, half), right.rows(0, half), objective, readable=readable)
        chosen, sides = max(((ours, (left, right)), (theirs, (right, left))), key=lambda one: one[0].worth)
        x, y = (int(chosen.event(table.rows(half, table.runs)).sum()) for table in sides)
        shown = loss_lower_bound(x, runs, y, runs, error=error / 4, delta=promise.delta)
        bounds.append((max(shown, promise.epsilon), chosen.event.on(bits), Counts(x, y, runs)))
        if shown > promise.epsilon:
            break
    return max(bounds, key=lambda one: one[0])
