"""The density estimators side by side: their sizes, their streams, and the error of the density.

Every user of the stream has a cell: at this size no estimator needs to sample. Distinct sampling has room for a quarter
of them. Graph density has edges for users and is audited on synthetic streams, once. The exact counter makes no
promise of its own, and is compared with the promise of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.audit.settings import Settings
from pan_audits.exact.result import CheckSettings
from pan_audits.problems.inputs.streams.family import StreamSlice, Updates, materialise
from pan_audits.subject.intake.discovery import Mechanism, find_mechanism
from pan_audits.subject.running.many_runs import releases, releases_at_once
from pan_estimators.common.many_runs import ManyRuns
from pan_estimators.common.registry import with_budget
from pan_estimators.density.members import MEMBERS
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.streams.real import load_stream
from pan_estimators.universes.universe import EdgeUniverse
from pan_promises.promise import Adjacency, Promise

_EDGES = EdgeUniverse(110)
_NOBODY = -1
_SYNTHETIC = ("graph-density",)
_MANY_PAIRS = (
    "graph-density",
    "announced-intrusions",
    "calibrated-announced-intrusions",
    "calibrated-continual-output",
)
"""They are observed in many ways, so that their audits have many pairs of streams."""
_RUNS_OF_AN_AUDIT, _RUNS_OF_MANY_PAIRS = 8_000, 15_000
_RUNS, _RUNS_AT_ONCE = 50, 1000
"""Runs for the measurement of the error. They cost little if the estimator makes many runs at once."""

_SCOPE = CheckSettings(users=2, length=3, sample_size=2, appearances=3)


@dataclass(frozen=True)
class DensityOverview:
    """The plan for judging the density estimators side by side."""

    names: tuple[str, ...] = tuple(MEMBERS)

    def scope_of(self, name: str) -> CheckSettings:
        """Two users and three updates."""
        return _SCOPE

    def effort(self, name: str, settings: Settings) -> Settings:
        """The effort that was asked for, or as many runs as the pairs of the audit need."""
        if settings.runs is not None or settings.seconds is not None:
            return settings
        return replace(settings, runs=_RUNS_OF_MANY_PAIRS if name in _MANY_PAIRS else _RUNS_OF_AN_AUDIT)

    def streams_of(self, name: str, wanted: Sequence[str]) -> tuple[str, ...]:
        """All streams. There is none for graph density, whose users are edges."""
        return () if name in _SYNTHETIC else tuple(wanted)

    def mechanism(self, name: str, stream: str | None, epsilon: float) -> Mechanism:
        """The estimator at the size of the stream."""
        universe: Any = _EDGES if name in _SYNTHETIC else None
        if stream:
            universe = load_stream(stream, numbered=True).universe
        parameters = with_budget(name, epsilon, {"universe": universe})
        if universe is not None:
            room = universe.size // 4 if name == "pan-private-distinct-sampling" else universe.size
            parameters["sample_size"] = room
        fallback = Promise(epsilon=2 * epsilon, adjacency=Adjacency.USER_LEVEL) if name == "exact-counter" else None
        return find_mechanism(name, parameters=parameters, promise=fallback)

    def error(self, estimator: Any, stream: str | None, seed: int) -> float:
        """The root mean squared error of the density, by runs on the stream; for edges, on every second edge once."""
        ids: NDArray[Any]
        deletions: NDArray[np.bool_] | None = None
        if stream is None:
            ids, _ = materialise((Updates(tuple(estimator.universe.example_ids(estimator.universe.size)[::2])),))
            density = len(ids) / estimator.universe.size
        else:
            # For an estimator with deletions, the updates of each user insert and delete in turn.
            alternating = bool(getattr(estimator, "deletions", False))
            length = load_stream(stream, numbered=True).ids.size
            ids, deletions = materialise((StreamSlice(stream, 0, length, _NOBODY, alternating),))
            counts = np.unique(ids, return_counts=True)[1]
            density = float(np.count_nonzero(counts % 2 if alternating else counts)) / estimator.universe.size
        if isinstance(estimator, ManyRuns):
            randomness = NumpyRandomness(np.random.SeedSequence(seed, spawn_key=(0,)))
            released = releases_at_once(estimator, ids, deletions, _RUNS_AT_ONCE, randomness)
        else:
            seeds = [np.random.SeedSequence(seed, spawn_key=(run,)) for run in range(_RUNS)]
            released = releases(estimator, ids, seeds, deletions=deletions)
        return float(np.sqrt(np.mean((released - density) ** 2)))

    def bits(self, estimator: Any) -> int:
        """The size of the state, ids and keys included."""
        return int(estimator.state_bits)


OVERVIEW = DensityOverview()
