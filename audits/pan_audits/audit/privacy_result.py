"""The result of the audit of one promise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pan_audits.audit.doubles import LossOfDoubles
from pan_audits.audit.long_audit import LongResult
from pan_audits.audit.witness import Witness
from pan_audits.judging.documents import as_document, document
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_promises.adjacency import OF_STREAMS
from pan_promises.promise import Promise


@dataclass(frozen=True)
class PrivacyResult:
    """The result of the audit of one promise.

    Attributes
    ----------
    promise
        The promise.
    verdict
        ``REFUTED``, ``NOT_REFUTED`` or ``INCONCLUSIVE``.
    witness
        For a refutation.
    pairs, runs
        Number of pairs of streams, and number of runs on all of them.
    detectable
        The smallest loss that a bet on the right event would have refuted with 95% power, by the
        event's probability on the stream where it is likelier: on *every* pair, and on the pairs
        that got most runs.
    search_runs, confirmation_runs
        Greatest number of runs of the search, and of the measurement on each stream, to repeat them. For two
        catalogues it is the larger number; a repeated first search may then be a little longer.
    printed
        Bytes that the estimator printed.
    reason
        Why it is inconclusive.
    long
        The result of the long stage, if there was one.
    singly
        The share of the blocks of the search that was made run by run; the others were made at once.
    unconfirmed
        Number of single runs that did not confirm a violation that batches of runs seemed to show; 0 without one.
    bound
        For a notion that no bet refutes: the lower bound on the promised number, if a pair was measured.
    detectable_bound
        For such a promise that was not refuted: the smallest number of two normal distributions that a known score
        would have shown to be above the promise with 95% power; ``None`` if there is none.
    doubles
        The leak of the bits of doubles beyond real arithmetic; ``None`` if the promise is refuted, if the doubles
        themselves were judged, or if all numbers have a common grid.
    timed
        For a number of runs that depends on time: why, and the options that repeat it.
    explored
        The pairs that were drawn from a space of data, in a sentence; empty for inputs of another kind.
    """

    promise: Promise
    verdict: Verdict
    witness: Witness | None
    pairs: int
    runs: int
    detectable: Mapping[float, tuple[float, float]]
    search_runs: int
    confirmation_runs: int = 0
    printed: int = 0
    reason: str = ""
    long: LongResult | None = None
    singly: float = 1.0
    unconfirmed: int = 0
    bound: float | None = None
    detectable_bound: float | None = None
    doubles: LossOfDoubles | None = None
    timed: str = ""
    explored: str = ""

    @property
    def loss(self) -> float | None:
        """The largest lower bound on the loss: the measured one, or the promise that a bet refuted.

        For a notion that no bet refutes it is the bound on the loss of the witness's event.
        """
        if self.witness is None:
            return None
        if not notion_of(self.promise).bets:
            return self.witness.loss
        return max(self.witness.loss, self.promise.epsilon, self.long.loss if self.long else 0.0)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        described = document(self, "promise verdict loss_at_least=loss witness pairs runs")
        described["smallest_detectable_loss"] = [
            as_document({"probability": mass, "every_pair": every, "best_pairs": best})
            for mass, (every, best) in self.detectable.items()
        ]
        described |= document(
            self,
            "search_runs confirmation_runs long share_made_singly=singly unconfirmed_runs=unconfirmed reason doubles",
        )
        return described | notion_of(self.promise).about_bound(self.bound, self.detectable_bound)

    def _about_singly(self) -> str:
        if not 0 < self.singly < 1:
            return ""
        return f". Single runs made {self.singly:.0%} of the search, and many runs at once the rest"

    def describe(self) -> str:
        """The result in a sentence or two."""
        if self.verdict is Verdict.REFUTED and self.witness is not None:
            return self.witness.describe()
        if self.verdict is Verdict.INCONCLUSIVE:
            return self.reason
        looked = f"No violation found in {self.pairs} pairs of {noun_of(self.promise)}s and {self.runs} runs"
        if shown := notion_of(self.promise).not_refuted(self.bound, self.detectable_bound):
            return ". ".join((looked, *shown)) + self._about_singly()
        reach = "; ".join(_reach(mass, *losses) for mass, losses in self.detectable.items() if isfinite(losses[1]))
        return (
            f"{looked}. With 95% power, the audit finds a known event of these losses (promised "
            f"{self.promise.epsilon:.3g}): {reach}"
        ) + self._about_singly()


def _reach(mass: float, every: float, best: float) -> str:
    rest = f"loss {every:.3g} on every pair" if isfinite(every) else "no loss on the other pairs"
    return f"probability {mass:g}, loss {best:.3g} on the most promising pairs, {rest}"


def noun_of(promise: Promise) -> str:
    """The word for an input of a promise."""
    return "stream" if promise.adjacency in OF_STREAMS else "input"
