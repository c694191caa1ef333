"""Many releases on one stream, shared among worker processes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.workers import all_done

_CHUNK = 25
"""Number of runs of a worker at a time."""


def releases(
    estimator: Any,
    ids: NDArray[Any],
    seeds: Sequence[np.random.SeedSequence],
    *,
    deletions: NDArray[np.bool_] | None = None,
    jobs: int = 1,
) -> NDArray[np.float64]:
    """The release after the whole stream, once for each seed; the result does not depend on ``jobs``."""
    chunks = [seeds[start : start + _CHUNK] for start in range(0, len(seeds), _CHUNK)]
    calls = [partial(_run, estimator, ids, deletions, chunk) for chunk in chunks]
    return np.concatenate(all_done(calls, jobs, cloudpickle.dumps))


def _run(
    estimator: Any, ids: NDArray[Any], deletions: NDArray[np.bool_] | None, seeds: Sequence[np.random.SeedSequence]
) -> NDArray[np.float64]:
    released = np.empty(len(seeds))
    for place, seed in enumerate(seeds):
        randomness = NumpyRandomness(seed)
        state = estimator.create(randomness)
        if deletions is None:
            state = estimator.update(state, ids, randomness)
        else:
            state = estimator.update(state, ids, randomness, deletions=deletions)
        released[place] = estimator.release(state, randomness)
    return released
