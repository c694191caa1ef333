"""Every shipped estimator on real streams: exact losses, an audit, the error and the memory, side by side."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from pan_audits.audit.settings import Settings
from pan_audits.conduct import Finding
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.gate.certificate import certify
from pan_audits.gate.gate import GateReport, run_gate
from pan_audits.judging.documents import document
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.subject.intake.discovery import Mechanism
from pan_estimators.common.many_runs import ManyRuns
from pan_estimators.common.registry import ESTIMATORS
from pan_estimators.streams.real import load_stream
from pan_promises.errors import CollectedInputError, shown, suggestion
from pan_promises.extras import require_extra
from pan_promises.families import family_parts
from pan_promises.promise import EVERY, Observed, Promise
from pan_promises.workers import Workers, pickled_call, result_of

PARTS = (Observed.STATE_AND_OUTPUT, Observed.STATE, Observed.OUTPUT)
"""The observed parts in the exact checks of an estimator: both jointly, and each alone."""

_PROBE = 0.1


@dataclass(frozen=True)
class OverviewRow:
    """The results for one estimator.

    Attributes
    ----------
    name
        As shipped.
    stream
        The real stream of the audit, or ``None`` for synthetic ones.
    exact
        The exact checks of small instances, by the observed parts: the promise itself, and other parts.
    audit
        The audit on the real stream.
    certified
        Whether a proof, the exact check and the audit agree that the promise is kept.
    rmse
        Root mean squared error of the output on the stream.
    bits
        Size of the state, ids and keys included.
    """

    name: str
    stream: str | None
    exact: dict[Observed, CheckResult]
    audit: GateReport
    certified: bool
    rmse: float
    bits: int

    @property
    def promised(self) -> CheckResult:
        """The exact check of the promise itself."""
        return next(iter(self.exact.values()))

    @property
    def verdict(self) -> Verdict:
        """The verdict on the promise."""
        if Verdict.REFUTED in (self.promised.verdict, self.audit.verdict):
            return Verdict.REFUTED
        return Verdict.CERTIFIED if self.certified else self.audit.verdict

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(self, "name stream verdict exact audit rmse bits")


@dataclass(frozen=True)
class Known:
    """The results for one estimator that are the same on all streams, from an earlier stream.

    Attributes
    ----------
    exact
        Exact checks, with the instances that were checked.
    findings
        The findings about its conduct; ``None`` without a check of conduct.
    """

    exact: tuple[tuple[SmallInstances, CheckResult], ...] = ()
    findings: tuple[Finding, ...] | None = None


class OverviewPlan(Protocol):
    """The plan for judging a family's estimators side by side. It is pickled for the workers."""

    @property
    def names(self) -> tuple[str, ...]:
        """The estimators, as shipped."""
        ...

    def scope_of(self, name: str) -> CheckSettings:
        """The scope of the exact checks of an estimator."""
        ...

    def effort(self, name: str, settings: Settings) -> Settings:
        """The effort for one audit of an estimator, given that of all estimators."""
        ...

    def streams_of(self, name: str, wanted: Sequence[str]) -> tuple[str, ...]:
        """The real streams, among the requested ones, on which an estimator can be judged."""
        ...

    def mechanism(self, name: str, stream: str | None, epsilon: float) -> Mechanism:
        """The estimator at the size of a stream, with a promise to judge."""
        ...

    def error(self, estimator: Any, stream: str | None, seed: int) -> float:
        """The root mean squared error of the output on a stream."""
        ...

    def bits(self, estimator: Any) -> int:
        """The size of the state in bits, ids and keys included."""
        ...


def overview(
    settings: Settings,
    *,
    promise_epsilon: float,
    streams: Sequence[str] = (),
    only: Sequence[str] = (),
    progress: Callable[[str], Any] | None = None,
) -> Iterator[OverviewRow]:
    """Judge the shipped estimators on edits of real streams; each row comes as soon as it is complete.

    Each family plans the sizes of its estimators, and which streams they can be judged on; the others are
    audited on synthetic streams, once. An exact check that is the same for several streams is made for the first
    of them, and so are the checks of conduct.
    """
    require_extra("an audit of all shipped estimators", "suite")
    if unknown := sorted(set(only) - set(ESTIMATORS)):
        raise CollectedInputError(
            *(f"unknown estimator {shown(one)}; {suggestion(one, ESTIMATORS)}" for one in unknown)
        )
    wanted = tuple(dict.fromkeys(streams)) or ((settings.stream,) if settings.stream else ())
    for stream in wanted:
        load_stream(stream, numbered=True)
    share = replace(settings, error=settings.error / (len(ESTIMATORS) * max(1, len(wanted))), exact=False, workers=0)
    chains = [
        [
            RowTask(plan, name, stream, promise_epsilon / _multiple(plan, name), share)
            for stream in plan.streams_of(name, wanted) or (None,)
        ]
        for plan, name in sorted(plans(), key=_order)
        if not only or name in only
    ]
    for row, _ in run_chains(chains, settings.workers, progress):
        yield row


def _multiple(plan: OverviewPlan, name: str) -> int:
    """The multiple of its parameter epsilon that an estimator promises; 1 for a promise of a rho."""
    promise = plan.mechanism(name, None, _PROBE).promise
    return round(float(promise.epsilon) / _PROBE) if notion_of(promise).bets else 1


def in_order(rows: Sequence[OverviewRow], streams: Sequence[str]) -> list[OverviewRow]:
    """The rows in an order that does not depend on which was complete first."""
    names = [name for _, name in plans()]
    return sorted(
        rows, key=lambda row: (names.index(row.name), streams.index(row.stream) if row.stream in streams else -1)
    )


def plans() -> list[tuple[OverviewPlan, str]]:
    """The estimators of all families, each with the plan of its family."""
    return [(plan, name) for plan in family_parts("pan_audits", "overview") for name in plan.names]


def _order(planned: tuple[OverviewPlan, str]) -> tuple[bool, int]:
    """The longest audits first, so that no worker waits for one of them at the end.

    Those are of estimators that make each run alone, and then of those that are observed most often.
    """
    plan, name = planned
    mechanism = plan.mechanism(name, None, _PROBE)
    promise = mechanism.promise
    often = 0 if promise.outputs == EVERY else promise.output_count + promise.announced
    return isinstance(mechanism.estimator, ManyRuns), -often


@dataclass(frozen=True)
class RowTask:
    """Judges one estimator on one stream, given the results from other streams."""

    plan: OverviewPlan
    name: str
    stream: str | None
    epsilon: float
    settings: Settings

    @property
    def label(self) -> str:
        """The judged estimator and stream, in words."""
        return f"{self.name} on {self.stream}" if self.stream else self.name

    def __call__(self, known: Known | None) -> tuple[OverviewRow, Known]:
        known = known or Known()
        mechanism = self.plan.mechanism(self.name, self.stream, self.epsilon)
        exact: dict[Observed, CheckResult] = {}
        checked = list(known.exact)
        for part in parts_of(mechanism.promise):
            small = replace(SmallInstances.of(mechanism), promise=part_promise(mechanism, part, self.epsilon))
            found = next((check for other, check in checked if other == small), None)
            if found is None:
                # A shipped estimator needs no limits.
                found = run_check(small, self.plan.scope_of(self.name))
                checked.append((small, found))
            exact[part] = found
        audited = mechanism
        if judged(mechanism.problem).why_not_judged(mechanism.promise):
            # The exact check looks at the state as well; the audit, at the part of the promise about the output.
            audited = replace(mechanism, promise=part_promise(mechanism, Observed.OUTPUT, self.epsilon))
        effort = self.plan.effort(self.name, self.settings)
        audit = run_gate(audited, replace(effort, stream=self.stream, hygiene=known.findings is None))
        if known.findings is not None:
            audit = replace(audit, findings=(*known.findings, *audit.findings))
        promised = exact[mechanism.promise.observed]
        certificate = certify(mechanism, promised)
        unrefuted = {promised.verdict, audit.verdict} == {Verdict.NOT_REFUTED}
        certified = certificate is not None and certificate.agrees and unrefuted
        seed = self.settings.seed if self.settings.seed is not None else secrets.randbits(64)
        rmse = self.plan.error(mechanism.estimator, self.stream, seed)
        row = OverviewRow(self.name, self.stream, exact, audit, certified, rmse, self.plan.bits(mechanism.estimator))
        harmless = not any(finding.is_defect for finding in audit.findings)
        # The time of the runs on one stream says nothing about another one.
        same = tuple(finding for finding in audit.findings if finding.check != "time")
        return row, Known(tuple(checked), same if harmless else None)


def parts_of(promise: Promise) -> tuple[Observed, ...]:
    """The observed parts that are checked: that of the promise first; for one about outputs alone, the state too."""
    return PARTS if promise.observed is Observed.STATE_AND_OUTPUT else (promise.observed, Observed.STATE)


def part_promise(mechanism: Mechanism, part: Observed, epsilon: float) -> Promise:
    """The promise that the proof needs of the state alone, or of the output alone; for a rho, the same of a part."""
    promise = mechanism.promise
    if part is promise.observed:
        return promise
    if judged(mechanism.problem).whole:
        return replace(promise, observed=part, intrusions=int(part is not Observed.OUTPUT), claim=None)
    return getattr(mechanism.estimator, f"promise_of_{part}", None) or promise.about(part, epsilon=epsilon)


RowT = TypeVar("RowT", covariant=True)


class Link(Protocol[RowT]):
    """A task of a chain, which can be sent to another process."""

    @property
    def label(self) -> str:
        """The task in words."""
        ...

    def __call__(self, known: Any) -> tuple[RowT, Any]:
        """The result, and the data for the next task of the chain; ``known`` is ``None`` for the first."""
        ...


def run_chains(
    chains: Sequence[Sequence[Link[RowT]]], workers: int, progress: Callable[[str], Any] | None = None
) -> Iterator[tuple[RowT, str]]:
    """The result of every task with its label, as soon as it is complete."""
    if workers == 0:
        yield from _here(chains, progress)
        return
    waiting = [list(chain) for chain in chains if chain]
    under_way: dict[int, tuple[Link[RowT], list[Link[RowT]]]] = {}
    group = Workers(workers)

    def begin(chain: list[Link[RowT]], known: Any) -> None:
        first, *rest = chain
        ticket = group.submit(pickled_call(partial(first, known)))
        under_way[ticket] = (first, rest)

    try:
        while waiting or under_way:
            while waiting and len(under_way) < workers:
                begin(waiting.pop(0), None)
            if progress:
                progress(", ".join(task.label for task, _ in under_way.values()))
            for ticket in group.finished(under_way):
                task, rest = under_way.pop(ticket)
                answer = group.answer(ticket)
                if answer is None:
                    raise RuntimeError(f"the process of {task.label} died, by a crash or for lack of memory")
                row, known = result_of(answer)
                if rest:
                    begin(rest, known)
                yield row, task.label
    finally:
        group.cancel(under_way)


def _here(chains: Sequence[Sequence[Link[RowT]]], progress: Callable[[str], Any] | None) -> Iterator[tuple[RowT, str]]:
    for chain in chains:
        known: Any = None
        for task in chain:
            if progress:
                progress(task.label)
            row, known = task(known)
            yield row, task.label
