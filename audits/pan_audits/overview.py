"""Every shipped estimator on one real stream: exact losses, an audit, the error and the memory, side by side."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.certificate import certify
from pan_audits.discovery import Variant, find_variant
from pan_audits.exact.instances import SmallInstances, check_in_worker
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.gate import GateReport, run_gate
from pan_audits.pairs.side import StreamSlice, Updates, materialise
from pan_audits.running.releases import releases
from pan_audits.settings import Settings
from pan_audits.verdict import Verdict
from pan_estimators import ESTIMATORS, Adjacency, EdgeUniverse, InputError, Observed, Promise, load_stream

PARTS = (Observed.STATE_AND_OUTPUT, Observed.STATE, Observed.OUTPUT)
"""What is seen in the exact checks of an estimator: the promise itself, and the two parts of its proof."""

_EDGES = EdgeUniverse(110)
_SCOPE = CheckSettings(users=2, length=3, sample_size=2, appearances=3, seconds=20.0)
_NOBODY = -1


@dataclass(frozen=True)
class OverviewRow:
    """What is known of one estimator.

    Attributes
    ----------
    name
        As shipped.
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
            "verdict": str(self.verdict),
            "exact": {str(part): check.to_dict() for part, check in self.exact.items()},
            "audit": self.audit.to_dict(),
            "rmse": self.rmse,
            "bits": self.bits,
        }


def overview(
    settings: Settings,
    *,
    epsilon: float,
    only: Sequence[str] = (),
    runs: int = 50,
    progress: Callable[[str], Any] | None = None,
) -> Iterator[OverviewRow]:
    """Judge the shipped estimators on edits of a real stream.

    Every user of the stream has a cell: at this size nobody needs to sample. Distinct sampling has
    room for a quarter of them. Graph density has edges for users and is audited on synthetic
    streams. An estimator without a promise of its own, the exact counter, is held against the
    promise of the others.

    Parameters
    ----------
    settings
        Effort for the audit of one estimator; ``settings.error`` is shared by all, selected or not.
    epsilon
        Budget of every estimator, in nats.
    only
        Names to judge; all by default. A selection does not change the shares.
    runs
        Runs from which the error is measured.
    progress
        Told the name and part before each piece of work.
    """
    if unknown := sorted(set(only) - set(ESTIMATORS)):
        raise InputError(f"unknown estimator {unknown[0]!r}; shipped are {', '.join(ESTIMATORS)}")
    share = replace(settings, error=settings.error / len(ESTIMATORS), exact=False)
    for name in ESTIMATORS:
        if only and name not in only:
            continue
        variant, stream = _variant(name, settings.stream, epsilon)
        exact: dict[Observed, CheckResult] = {}
        for part in PARTS:
            if progress:
                progress(f"{name}: exact check, {part}")
            small = SmallInstances.of(variant)
            promise = part_promise(variant, part, epsilon)
            exact[part] = check_in_worker(replace(small, promise=promise), _SCOPE, share.limits)
        if progress:
            progress(f"{name}: audit")
        audit = run_gate(variant, replace(share, stream=stream))
        certificate = certify(variant, exact[Observed.STATE_AND_OUTPUT])
        certified = certificate is not None and certificate.agrees and audit.verdict is Verdict.NOT_REFUTED
        if progress:
            progress(f"{name}: error")
        rmse = _rmse(variant.estimator, stream, runs, settings)
        yield OverviewRow(name, exact, audit, certified, rmse, int(variant.estimator.state_bits))


def _variant(name: str, stream: str | None, epsilon: float) -> tuple[Variant, str | None]:
    """The estimator at the size of the stream, and the stream that it can be audited on."""
    stream = None if name == "graph-density" else stream
    universe: Any = _EDGES if name == "graph-density" else None
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


def _rmse(estimator: Any, stream: str | None, runs: int, settings: Settings) -> float:
    """Of the density, by runs on the stream; for edges, on every second edge once."""
    entropy = settings.seed if settings.seed is not None else secrets.randbits(64)
    seeds = [np.random.SeedSequence(entropy, spawn_key=(run,)) for run in range(runs)]
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
    errors = releases(estimator, ids, seeds, deletions=deletions, jobs=settings.workers) - density
    return float(np.sqrt(np.mean(errors**2)))
