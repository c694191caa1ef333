"""Every shipped estimator on real streams: exact losses, an audit, the error and the memory, side by side."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.certificate import certify
from pan_audits.discovery import Variant, find_variant
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.gate import GateReport, run_gate
from pan_audits.hygiene import Finding, Severity
from pan_audits.overview_chains import run_chains
from pan_audits.pairs.side import StreamSlice, Updates, materialise
from pan_audits.running.many_runs import releases_at_once
from pan_audits.running.releases import releases
from pan_audits.settings import Settings
from pan_audits.verdict import Verdict
from pan_estimators import (
    ESTIMATORS,
    Adjacency,
    EdgeUniverse,
    InputError,
    ManyRuns,
    NumpyRandomness,
    Observed,
    Promise,
    load_stream,
)

PARTS = (Observed.STATE_AND_OUTPUT, Observed.STATE, Observed.OUTPUT)
"""What is seen in the exact checks of an estimator: the promise itself, and the two parts of its proof."""

_EDGES = EdgeUniverse(110)
_SCOPE = CheckSettings(users=2, length=3, sample_size=2, appearances=3, seconds=20.0)
_NOBODY = -1
_SYNTHETIC = ("graph-density",)
_RUNS, _RUNS_AT_ONCE = 50, 1000
"""Runs from which the error is measured; they cost little where many are made at once."""


@dataclass(frozen=True)
class OverviewRow:
    """What is known of one estimator.

    Attributes
    ----------
    name
        As shipped.
    stream
        The real stream of the audit, or ``None`` for synthetic ones.
    exact
        The exact checks of small instances, by what is seen.
    audit
        The audit on the real stream.
    certified
        Whether a proof, the exact check and the audit agree that the promise is kept.
    rmse
        Root mean squared error of the density on the stream.
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
    def verdict(self) -> Verdict:
        """The verdict on the promise."""
        joint = self.exact[Observed.STATE_AND_OUTPUT].verdict
        if Verdict.REFUTED in (joint, self.audit.verdict):
            return Verdict.REFUTED
        return Verdict.CERTIFIED if self.certified else self.audit.verdict

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "stream": self.stream,
            "verdict": str(self.verdict),
            "exact": {str(part): check.to_dict() for part, check in self.exact.items()},
            "audit": self.audit.to_dict(),
            "rmse": self.rmse,
            "bits": self.bits,
        }


@dataclass(frozen=True)
class Known:
    """What is known of one estimator from another stream, and is the same on all of them.

    Attributes
    ----------
    exact
        Exact checks, with the instances that were checked.
    findings
        What was found about its conduct; ``None`` if it was not looked at.
    """

    exact: tuple[tuple[SmallInstances, CheckResult], ...] = ()
    findings: tuple[Finding, ...] | None = None


def overview(
    settings: Settings,
    *,
    epsilon: float,
    streams: Sequence[str] = (),
    only: Sequence[str] = (),
    progress: Callable[[str], Any] | None = None,
) -> Iterator[OverviewRow]:
    """Judge the shipped estimators on edits of real streams; each row comes as soon as it is there.

    Every user of the stream has a cell: at this size nobody needs to sample. Distinct sampling has
    room for a quarter of them. Graph density has edges for users and is audited on synthetic
    streams, once. An estimator without a promise of its own, the exact counter, is held against the
    promise of the others. An exact check that is the same for several streams is made for the first
    of them, and so are the checks of conduct.

    Parameters
    ----------
    settings
        Effort for the audit of one estimator on one stream; ``settings.error`` is shared by all of them,
        selected or not. So many estimators as there are ``settings.workers`` are judged at the same time,
        each in a process of its own.
    epsilon
        Budget of every estimator, in nats.
    streams
        Shipped real streams; by default that of the settings.
    only
        Names to judge; all by default. A selection does not change the shares.
    progress
        Told which estimators are being judged.
    """
    if unknown := sorted(set(only) - set(ESTIMATORS)):
        raise InputError(f"unknown estimator {unknown[0]!r}; shipped are {', '.join(ESTIMATORS)}")
    wanted = tuple(dict.fromkeys(streams)) or ((settings.stream,) if settings.stream else ())
    for stream in wanted:
        load_stream(stream, numbered=True)
    share = replace(settings, error=settings.error / (len(ESTIMATORS) * max(1, len(wanted))), exact=False, workers=0)
    chains = [
        [RowTask(name, stream, epsilon, share) for stream in (wanted if name not in _SYNTHETIC else (None,)) or (None,)]
        for name in sorted(ESTIMATORS, key=_at_once)
        if not only or name in only
    ]
    for row, _ in run_chains(chains, settings.workers, progress):
        yield row


def _at_once(name: str) -> bool:
    """Whether an estimator makes many runs at once; those that do not take longest, and are judged first."""
    return isinstance(_variant(name, None, 0.1)[0].estimator, ManyRuns)


@dataclass(frozen=True)
class RowTask:
    """Judges one estimator on one stream, given what is known of it from others."""

    name: str
    stream: str | None
    epsilon: float
    settings: Settings

    @property
    def label(self) -> str:
        """What is judged, in words."""
        return f"{self.name} on {self.stream}" if self.stream else self.name

    def __call__(self, known: Known | None) -> tuple[OverviewRow, Known]:
        known = known or Known()
        variant, _ = _variant(self.name, self.stream, self.epsilon)
        exact: dict[Observed, CheckResult] = {}
        checked = list(known.exact)
        for part in PARTS:
            small = replace(SmallInstances.of(variant), promise=part_promise(variant, part, self.epsilon))
            found = next((check for other, check in checked if other == small), None)
            if found is None:
                # A shipped estimator needs no limits.
                found = run_check(small, _SCOPE)
                checked.append((small, found))
            exact[part] = found
        audit = run_gate(variant, replace(self.settings, stream=self.stream, hygiene=known.findings is None))
        if known.findings is not None:
            audit = replace(audit, findings=(*known.findings, *audit.findings))
        certificate = certify(variant, exact[Observed.STATE_AND_OUTPUT])
        certified = certificate is not None and certificate.agrees and audit.verdict is Verdict.NOT_REFUTED
        rmse = _rmse(variant.estimator, self.stream, self.settings)
        row = OverviewRow(self.name, self.stream, exact, audit, certified, rmse, int(variant.estimator.state_bits))
        harmless = all(finding.severity is not Severity.DEFECT for finding in audit.findings)
        return row, Known(tuple(checked), audit.findings if harmless else None)


def _variant(name: str, stream: str | None, epsilon: float) -> tuple[Variant, str | None]:
    """The estimator at the size of the stream, and the stream that it can be audited on."""
    stream = None if name in _SYNTHETIC else stream
    universe: Any = _EDGES if name in _SYNTHETIC else None
    if stream:
        universe = load_stream(stream, numbered=True).universe
    parameters: dict[str, Any] = {"universe": universe, "epsilon": epsilon}
    if universe is not None:
        room = universe.size // 4 if name == "pan-private-distinct-sampling" else universe.size
        parameters["sample_size"] = room
    fallback = Promise(epsilon=2 * epsilon, adjacency=Adjacency.USER_LEVEL) if name == "exact-counter" else None
    return find_variant(name, parameters=parameters, promise=fallback), stream


def part_promise(variant: Variant, part: Observed, epsilon: float) -> Promise:
    """What the proof of the promise needs of the state alone, or of the output alone."""
    if part is Observed.STATE_AND_OUTPUT:
        return variant.promise
    return getattr(variant.estimator, f"promise_of_{part}", None) or variant.promise.about(part, epsilon=epsilon)


def _rmse(estimator: Any, stream: str | None, settings: Settings) -> float:
    """Of the density, by runs on the stream; for edges, on every second edge once."""
    entropy = settings.seed if settings.seed is not None else secrets.randbits(64)
    ids: NDArray[Any]
    deletions: NDArray[np.bool_] | None = None
    if stream is None:
        ids, _ = materialise((Updates(tuple(estimator.universe.example_ids(estimator.universe.size)[::2])),))
        density = len(ids) / estimator.universe.size
    else:
        # The updates of each user insert and delete in turn, where an estimator knows deletions.
        alternating = bool(getattr(estimator, "deletions", False))
        length = load_stream(stream, numbered=True).ids.size
        ids, deletions = materialise((StreamSlice(stream, 0, length, _NOBODY, alternating),))
        counts = np.unique(ids, return_counts=True)[1]
        density = float(np.count_nonzero(counts % 2 if alternating else counts)) / estimator.universe.size
    if isinstance(estimator, ManyRuns):
        randomness = NumpyRandomness(np.random.SeedSequence(entropy, spawn_key=(0,)))
        released = releases_at_once(estimator, ids, deletions, _RUNS_AT_ONCE, randomness)
    else:
        seeds = [np.random.SeedSequence(entropy, spawn_key=(run,)) for run in range(_RUNS)]
        released = releases(estimator, ids, seeds, deletions=deletions)
    return float(np.sqrt(np.mean((released - density) ** 2)))
