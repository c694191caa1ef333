"""Many independent runs of pan-private distinct sampling."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.common.many_runs import Stack
from pan_estimators.density.level_hash import hash_bits
from pan_estimators.randomness.interface import Randomness
from pan_estimators.states.releasing import wiped
from pan_estimators.universes.universe import Indices

_DRAWN = 2**22
"""Largest number of random bits that are drawn together."""


@dataclass(eq=False)
class ManyDistinctSamples:
    """The states of many runs.

    Attributes
    ----------
    multipliers, increments, levels
        The hash and the level of each run, shape ``(runs,)``.
    marks
        For each user of the universe whether it is in the sample: 0 or 1, shape ``(runs, U)``.
    releases
        The number of releases so far.
    erased
        Whether the last release that the promise covers has been made.
    """

    multipliers: NDArray[np.uint64]
    increments: NDArray[np.uint64]
    levels: NDArray[np.int64]
    marks: NDArray[np.uint8]
    releases: int = 0
    erased: bool = False

    @property
    def runs(self) -> int:
        """The number of runs."""
        return int(self.marks.shape[0])

    @property
    def members(self) -> NDArray[np.int64]:
        """The number of users in the sample of each run, shape ``(runs,)``."""
        return np.asarray(self.marks.sum(axis=1, dtype=np.int64))

    def groups(self) -> list[tuple[NDArray[np.intp], Mapping[str, Any]]]:
        """The runs with samples of one size; see :class:`pan_estimators.GroupedStates`."""
        sizes = self.members
        found: list[tuple[NDArray[np.intp], Mapping[str, Any]]] = []
        for size in np.unique(sizes).tolist():
            runs = np.flatnonzero(sizes == size)
            parts = {
                "multiplier": Stack(self.multipliers[runs].astype(np.int64)),
                "increment": Stack(self.increments[runs].astype(np.int64)),
                "level": Stack(self.levels[runs]),
                "members": Stack(np.nonzero(self.marks[runs])[1].reshape(runs.size, size)),
                "releases": self.releases,
            }
            found.append((runs, parts))
        return found

    def sampled_density(self, present: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The fraction of the qualifying users of each run that is present, and their number: shape ``(runs,)`` each.

        Parameters
        ----------
        present
            For each user of the universe whether it is present, shape ``(U,)``.
        """
        densities, sizes = np.full(self.runs, np.nan), np.zeros(self.runs)
        everyone, bits = np.arange(present.size, dtype=np.uint64), hash_bits(present.size)
        for run in np.flatnonzero(self.levels <= bits).tolist():
            hashed = everyone * self.multipliers[run] + self.increments[run]
            qualifying = present[hashed & np.uint64(2 ** int(self.levels[run]) - 1) == 0]
            sizes[run] = qualifying.size
            if qualifying.size:
                densities[run] = qualifying.mean()
        return densities, sizes

    def erase(self) -> None:
        """Overwrite the samples and hashes of all runs with zeros."""
        self.marks, self.levels = wiped(self.marks), wiped(self.levels)
        self.multipliers, self.increments = wiped(self.multipliers), wiped(self.increments)
        self.erased = True

    def __deepcopy__(self, memo: dict[int, Any]) -> ManyDistinctSamples:
        # The hashes do not change before the last release, which erases all.
        copied = (self.multipliers.copy(), self.increments.copy(), self.levels.copy(), self.marks.copy())
        return dataclasses.replace(self, multipliers=copied[0], increments=copied[1], levels=copied[2], marks=copied[3])


def drawn_samples(universe_size: int, runs: int, randomness: Randomness) -> ManyDistinctSamples:
    """Empty samples with a hash for each run.

    Parameters
    ----------
    universe_size
        The number U of users.
    runs
        The number of runs.
    randomness
        The source of the hashes.
    """
    bits = hash_bits(universe_size)
    halves = randomness.uniform_integers(0, max(1, 2 ** (bits - 1)), runs)
    increments = randomness.uniform_integers(0, 2**bits, runs)
    return ManyDistinctSamples(
        2 * np.asarray(halves).astype(np.uint64) + np.uint64(1),
        np.asarray(increments).astype(np.uint64),
        np.zeros(runs, dtype=np.int64),
        np.zeros((runs, universe_size), dtype=np.uint8),
    )


def take_turns(
    states: ManyDistinctSamples, users: Indices, probability: float, room: int, randomness: Randomness
) -> ManyDistinctSamples:
    """Put each user in turn in or out of the sample of each run, and evict members when it is full.

    Parameters
    ----------
    states
        The states so far, which are changed.
    users
        The users in the order of their turns.
    probability
        The probability that a member stays, or that a qualifying user enters.
    room
        The size m of a full sample.
    randomness
        The source of the choices.
    """
    # The import of numba is slow, so that it waits until the first use.
    if kernels.compiling():
        from pan_estimators.kernels.evicting import sample as loop
    else:
        from pan_estimators.kernels.plain_evicting import sample as loop
    mask = np.uint64(2 ** hash_bits(states.marks.shape[1]) - 1)
    together = max(1, _DRAWN // states.runs)
    for start in range(0, users.size, together):
        turns = np.ascontiguousarray(users[start : start + together], dtype=np.int64)
        inside = np.asarray(randomness.bernoulli(probability, states.runs * turns.size), dtype=np.uint8)
        inside = inside.reshape(states.runs, turns.size)
        loop(turns, inside, states.multipliers, states.increments, mask, room, states.levels, states.marks)
    return states
