"""The promise across panes and its price in accuracy, told before anything is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pan_audits.density.pane_use import Late, PaneUse
from pan_estimators.density.distinct_presets import planned_counter, worst_error
from pan_estimators.density.distinct_user_counter import DistinctUserCounter


@dataclass(frozen=True)
class PaneCosts:
    """The promise across panes, and the standard error.

    Attributes
    ----------
    panes
        The panes.
    loss
        The promised loss of one counter, in nats.
    releases
        The number of releases of one counter.
    claim
        The claim of its promise.
    error
        The greatest relative standard error of a release in the range.
    least, most
        The range of the number of users.
    relative
        The error divided by that of a counter with one release; ``None`` if that is not known.
    """

    panes: PaneUse
    loss: float
    releases: int
    claim: str
    error: float
    least: float
    most: float
    relative: float | None

    @classmethod
    def of(cls, counter: DistinctUserCounter, panes: PaneUse, memory: int | None) -> PaneCosts:
        """The costs of a counter."""
        made, least, most = counter.estimator, counter.least, counter.most
        relative = 1.0 if made.outputs == 1 else None
        if relative is None and memory is not None:
            one = planned_counter(epsilon=made.epsilon, bits=8 * memory, least=least, most=most)
            relative = counter.worst_error / worst_error(one, least, most)
        promise = made.promise
        claim = promise.claim or ""
        return cls(panes, promise.epsilon, made.outputs, claim, counter.worst_error, least, most, relative)

    def lines(self) -> Iterator[str]:
        """The costs for a terminal."""
        error = f"standard error up to {self.error:.1%} from {self.least:,.0f} to {self.most:,.0f} users"
        if self.panes.fresh:
            yield f"each pane of {self.panes.text} has a new counter and a new key: {error}"
            yield (
                f"promise {self.loss:g} for each pane ({self.claim}); a user who appears in k panes loses at most "
                f"k times {self.loss:g}"
            )
        else:
            more = "" if self.relative is None else f", {self.relative:.2f} times that of one release"
            yield f"one counter of all users so far, with {self.releases} releases: {error}{more}"
            yield f"promise {self.loss:g} for all {self.releases} releases together ({self.claim})"
        yield self._public

    @property
    def _public(self) -> str:
        if self.panes.every.entries:
            return "no promise covers the number of ids, which decides where a pane ends"
        told = "no promise covers the times of the ids, which decide their panes"
        return f"{told}; a late id is counted in the present pane" if self.panes.late is Late.COUNT else told

    def to_dict(self) -> Mapping[str, Any]:
        """JSON-ready."""
        return {
            "every": self.panes.text,
            "counter": "fresh" if self.panes.fresh else "one",
            "promise_for": "pane" if self.panes.fresh else "run",
            "epsilon_of_promise": self.loss,
            "worst_error": self.error,
            "relative_error": self.relative,
        }
