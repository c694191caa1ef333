"""Noise that is part of the state: a noisy output that the state determines."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from pan_audits.hygiene.finding import Finding, Severity
from pan_audits.inputs.streams.side import Id
from pan_audits.observing.values import fingerprint
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, VariantError
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

_RELEASES = 8


class _Releases:
    """The number of different outputs from one state, and from equally many fresh states."""

    def __init__(self, estimator: Any, ids: Sequence[Id], seed: int) -> None:
        self.estimator = estimator
        self.ids = ids
        self.seed = seed

    def __call__(self) -> tuple[int, int]:
        sources = [NumpyRandomness(np.random.SeedSequence([self.seed, number])) for number in range(_RELEASES)]
        fresh = [self.estimator.release(self._state(source), source) for source in sources]
        state = self._state(sources[0])
        same = [self.estimator.release(copy.deepcopy(state), source) for source in sources]
        return len(set(map(fingerprint, same))), len(set(map(fingerprint, fresh)))

    def _state(self, randomness: Any) -> Any:
        state = self.estimator.create(randomness)
        for identifier in self.ids:
            one = np.array([identifier]) if isinstance(identifier, tuple) else identifier
            state = self.estimator.update(state, one, randomness)
        return state


def findings_of_kept_noise(estimator: Any, ids: Sequence[Id], limits: Limits, seed: int) -> list[Finding]:
    """Release several times from one state, and from fresh ones on the same stream."""
    outcome = run_in_workers([_Releases(estimator, ids, seed)], 1, limits)[0].result
    if isinstance(outcome, Failure):
        raise VariantError(outcome.sentence)
    same, fresh = outcome
    if same > 1 or fresh == 1:
        return []
    return [
        Finding(
            "noise in the state",
            Severity.WARNING,
            f"{_RELEASES} releases from one state, each with its own randomness, give the same output, but outputs "
            f"differ between runs: the noise is part of the state, and an intruder who sees the state can subtract "
            f"it from later outputs",
        )
    ]
