"""The audit of every shipped estimator: one row each, one error budget for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pan_audits.discovery import find_variant
from pan_audits.gate import GateReport, run_gate
from pan_audits.settings import Settings
from pan_audits.verdict import Verdict
from pan_estimators import ESTIMATORS, Adjacency, EdgeUniverse, InputError, Observed, Promise, load_stream

PARTS = (Observed.STATE_AND_OUTPUT, Observed.STATE, Observed.OUTPUT)
"""What is seen in the three audits of an estimator: the promise itself, and the two parts of its proof."""

_EDGES = EdgeUniverse(110)


@dataclass(frozen=True)
class OverviewRow:
    """The reports on one estimator, by what is seen."""

    name: str
    reports: dict[Observed, GateReport]

    @property
    def verdict(self) -> Verdict:
        """The verdict on the promise itself."""
        return self.reports[Observed.STATE_AND_OUTPUT].verdict

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"name": self.name, **{str(part): report.to_dict() for part, report in self.reports.items()}}


def cases() -> list[tuple[str, Observed]]:
    """All audits of an overview, in a fixed order: the error budget is shared equally among them."""
    return [(name, part) for name in ESTIMATORS for part in PARTS]


def overview(
    settings: Settings,
    *,
    epsilon: float,
    only: Sequence[str] = (),
    progress: Callable[[str], Any] | None = None,
) -> Iterator[OverviewRow]:
    """Audit the shipped estimators on edits of a real stream.

    Every user of the stream has a cell: at this size nobody needs to sample. Distinct sampling has
    room for a quarter of them. Graph density has edges for users and is audited on synthetic
    streams. An estimator without a promise of its own, the exact counter, is held against the
    promise of the others.

    Parameters
    ----------
    settings
        Effort for one estimator; ``settings.error`` is shared by all cases, selected or not.
    epsilon
        Budget of every estimator, in nats.
    only
        Names to audit; all by default. A selection does not change the shares.
    progress
        Told the name and part before each audit.
    """
    if unknown := sorted(set(only) - set(ESTIMATORS)):
        raise InputError(f"unknown estimator {unknown[0]!r}; shipped are {', '.join(ESTIMATORS)}")
    share = settings.error / len(cases())
    for name in ESTIMATORS:
        if only and name not in only:
            continue
        reports: dict[Observed, GateReport] = {}
        for part in PARTS:
            if progress:
                progress(f"{name}: {part}")
            reports[part] = _report(name, part, replace(settings, error=share), epsilon)
        yield OverviewRow(name, reports)


def _report(name: str, part: Observed, settings: Settings, epsilon: float) -> GateReport:
    stream = None if name == "graph-density" else settings.stream
    universe = _EDGES if name == "graph-density" else (load_stream(stream, numbered=True).universe if stream else None)
    whole = part is Observed.STATE_AND_OUTPUT
    fallback = None
    if name == "exact-counter":
        fallback = Promise(epsilon=2 * epsilon, adjacency=Adjacency.USER_LEVEL)
    parameters = {"universe": universe, "epsilon": epsilon}
    if universe is not None:
        room = universe.size // 4 if name == "pan-private-distinct-sampling" else universe.size
        parameters["sample_size"] = room
    variant = find_variant(name, parameters=parameters, promise=fallback)
    if not whole:
        promise = getattr(variant.estimator, f"promise_of_{part}", None) or variant.promise.about(part, epsilon=epsilon)
        variant = replace(variant, promise=promise)
    return run_gate(
        variant,
        replace(
            settings,
            stream=stream,
            seconds=settings.seconds if whole else settings.seconds / 2,
            hygiene=settings.hygiene and whole,
            accuracy_runs=settings.accuracy_runs if whole else 0,
        ),
    )
