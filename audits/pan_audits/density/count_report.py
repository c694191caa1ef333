"""A count and its result, for a terminal and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pan_audits.cli.progress import byte_bar
from pan_estimators.counting.run import alone, tell
from pan_estimators.density.distinct.output import DistinctCount
from pan_estimators.density.distinct.panes import PaneCosts, PaneRun, PaneUse
from pan_estimators.density.distinct.run import LACKING, CountRun, CountUse, begun, may_lack
from pan_estimators.density.distinct.users import DistinctUserCounter
from pan_estimators.states.releasing import releases_covered
from pan_promises.errors import InputError


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
            "promise_epsilon": float(self.counter.estimator.promise_epsilon),
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


def shown(use: CountUse, parameters: Mapping[str, Any]) -> CountReport:
    """The outputs that a state has kept."""
    counter, stored = begun(use, parameters, None)
    if not counter.outputs:
        raise InputError(f"the state file {use.state} has kept no output: nothing was released")
    return CountReport(counter, counter.outputs, may_lack=may_lack(use, stored))


def counted(
    use: CountUse,
    panes: PaneUse | None,
    parameters: Mapping[str, Any],
    *,
    level: float,
    seed: int | None,
    keep: bool,
) -> CountReport:
    """Count an input, pane by pane if there are panes, and tell the costs of panes before anything is counted."""
    with alone(use.state):
        if panes is None:
            run = CountRun.begin(use, parameters, seed=seed)
            run.read(byte_bar)
            output = run.release(level)
            return CountReport(run.counter, () if output is None else (output,), may_lack=run.may_lack)
        paned = PaneRun.begin_panes(use, panes, parameters, level=level, seed=seed, keep=keep)
        paned.read(byte_bar, lambda: _tell(paned.costs))
        ends, outputs = [end for end, _ in paned.outputs], [one for _, one in paned.outputs]
        return CountReport(paned.counter, outputs, ends, paned.costs, paned.may_lack)


def _tell(costs: PaneCosts) -> None:
    for line in costs.lines():
        tell(line)
