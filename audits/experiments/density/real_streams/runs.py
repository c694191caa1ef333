"""Runs of the estimators' own code: the observations of one user, and the releases along the stream."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.density.real_streams.law import CellEstimator, Floats, NoisyCount, Seen, UserLaw, fresh_ones
from experiments.density.real_streams.story import Indices, Pattern, Story
from pan_estimators.density.pan_private_distinct_sampling import DistinctSamplingState
from pan_estimators.density.sampled_cells import CalibratedCells
from pan_estimators.randomness.numpy_randomness import NumpyRandomness


@dataclass(frozen=True, eq=False)
class Observations:
    """The observations of the target in many runs, each row a run.

    Attributes
    ----------
    bits
        The target's bit at the intrusion, shape ``(runs,)``.
    counts
        The noisy count of ones of a release at each moment, shape ``(runs, moments)``.
    kept
        The ones seen at the intrusion of users other than the target who do not appear again before each
        moment, shape ``(runs, moments)``.
    """

    bits: NDArray[np.bool_]
    counts: Floats
    kept: Floats


def observe(
    estimator: CellEstimator, story: Story, pattern: Pattern, runs: int, seed: np.random.SeedSequence
) -> Observations:
    """Run the estimator on the stream with the target's pattern, and record a release at each moment.

    The promise is about one release. Each column of the result, with the bits, is distributed as if that
    moment's release were the only one.
    """
    randomness = NumpyRandomness(seed)
    segments, moments = story.segments(pattern), len(story.moments)
    by, target = story.redrawn_by(), story.target
    bits, counts, kept = np.empty(runs, dtype=np.bool_), np.empty((runs, moments)), np.empty((runs, moments))
    for run in range(runs):
        state: Any = estimator.create(randomness)
        state = estimator.update(state, segments[0], randomness)
        bits[run] = state.cells[target]
        # The target is among those who appear by the first moment, and never among the kept.
        ones_by = np.bincount(by[state.cells], minlength=moments + 1)
        kept[run] = ones_by[::-1].cumsum()[::-1][1:]
        for moment, segment in enumerate(segments[1:]):
            state = estimator.update(state, segment, randomness)
            counts[run, moment] = _noisy_count(estimator, estimator.release(copy.deepcopy(state), randomness))
    return Observations(bits, counts, kept)


def _noisy_count(estimator: CellEstimator, released: float) -> float:
    """The noisy count. A release is a function of it."""
    cells, m = estimator.cells, estimator.sample_size
    scaled = released * m * (cells.updated_mean - cells.initial_mean)
    if isinstance(estimator, CalibratedCells):
        return float(round(scaled + estimator.centre()))
    return scaled + m * cells.initial_mean


def log_densities(law: UserLaw, story: Story, seen: Observations, moment: int) -> dict[Seen, dict[Pattern, Floats]]:
    """The log-density of each run's observation under each pattern, for a release at one moment."""
    redrawn, present = story.others_redrawn(moment), story.others_present(moment)
    p_init, p_upd = law.cells.p_init, law.cells.p_upd
    absent = story.universe.size - 1 - present
    fresh = NoisyCount.of(fresh_ones(redrawn, p_upd), law.up, law.down)
    everyone = NoisyCount.of(np.convolve(fresh_ones(present, p_upd), fresh_ones(absent, p_init)), law.up, law.down)
    counts, kept = seen.counts[:, moment], seen.kept[:, moment]
    values = {
        Seen.STATE: (counts - kept, fresh),
        Seen.OUTPUT: (counts, everyone),
        Seen.BOTH: (counts - kept, fresh),
    }
    return {
        what: {pattern: law.log_densities(pattern, what, seen.bits, *values[what]) for pattern in Pattern}
        for what in Seen
    }


def releases_along(
    estimator: Any, users: Indices, times: Indices, runs: int, seed: np.random.SeedSequence
) -> tuple[Floats, int]:
    """The release after a number of updates, shape ``(runs, times)``; and the number of nearly full samples.

    A distinct sample that lacks one member is nearly full. For other estimators the number is 0.

    A column is distributed as the one release of a run that stops at that time; only an estimator that
    promises as many outputs as there are times would publish a row.
    """
    randomness = NumpyRandomness(seed)
    parts = np.split(users, times)[: times.size]
    released, nearly_full = np.empty((runs, times.size)), 0
    for run in range(runs):
        state = estimator.create(randomness)
        for place, part in enumerate(parts):
            state = estimator.update(state, part, randomness)
            released[run, place] = estimator.release(copy.deepcopy(state), randomness)
            if isinstance(state, DistinctSamplingState):
                nearly_full += state.members.size == estimator.sample_size - 1
    return released, nearly_full
