"""The result of the long stage of an audit."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log
from typing import Any

from pan_audits.events import Event
from pan_audits.inputs.streams.family import Pair
from pan_audits.statistics import detectable_loss
from pan_audits.statistics.mixture import COST, GRID
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
        left, both, right, neither = self.counts
        return {
            "family": self.pair.family.to_dict(),
            "streams": [self.pair.family.describe(place) for place in (self.pair.left, self.pair.right)],
            "event": self.event.to_dict(),
            "counts": {"left_alone": left, "both": both, "right_alone": right, "neither": neither},
            "runs": self.runs,
            "loss_at_least": self.loss,
            "refuted": self.refuted,
            "error": self.error,
            "smallest_detectable_loss": self.detectable if isfinite(self.detectable) else None,
        }

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
