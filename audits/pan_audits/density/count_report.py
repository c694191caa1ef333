"""The result of ``panproof count``, for a terminal and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pan_audits.density.pane_costs import PaneCosts
from pan_estimators.density.distinct_output import DistinctCount
from pan_estimators.density.distinct_user_counter import DistinctUserCounter
from pan_estimators.states.releasing import releases_covered

LACKING = (
    "a run was killed, and ids after its last checkpoint may not have been given again; if any are missing, the loss "
    "can exceed the promise by a few percent (distinct.joint_privacy)"
)


@dataclass(frozen=True)
class CountReport:
    """The result of a count.

    Attributes
    ----------
    counter
        The counter at the end.
    outputs
        The outputs that are shown.
    ends
        The ends of their panes, if the stream is divided.
    costs
        The costs of panes, if the stream is divided.
    may_lack
        Whether ids may be missing that an earlier run counted after its last checkpoint.
    """

    counter: DistinctUserCounter
    outputs: Sequence[DistinctCount]
    ends: Sequence[str] = ()
    costs: PaneCosts | None = None
    may_lack: bool = False

    @property
    def promise(self) -> str:
        """The promise of the use that was made, in words."""
        return self.counter.promise + (f"; {LACKING}" if self.may_lack else "")

    def lines(self) -> Iterator[str]:
        """The lines for a terminal. The outputs of panes are put out as they come, and not here."""
        if self.costs is not None:
            return
        for output in self.outputs:
            yield from output.lines()
        if not self.outputs:
            yield f"state           {self.counter.memory:,} bytes; saved, nothing released"
            yield f"promise         {self.promise}"
        elif self.may_lack:
            yield f"but             {LACKING}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        outputs = [one.to_dict() for one in self.outputs]
        about = {
            "counter": "distinct-counter",
            "epsilon": float(self.counter.estimator.epsilon),
            "memory_bytes": self.counter.memory,
            "range": [self.counter.least, self.counter.most],
            "promise": self.promise,
            "releases": self.counter.releases,
            "releases_covered": releases_covered(self.counter.estimator),
            "outputs": outputs,
        }
        if self.costs is None:
            return about
        ended = [{"end": end, **one} for end, one in zip(self.ends, outputs, strict=True)]
        return about | {"outputs": ended, "panes": self.costs.to_dict()}
