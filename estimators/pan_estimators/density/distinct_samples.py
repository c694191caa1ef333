"""The samples of distinct sampling: the hash of a user (paper, Section 5.1), lists of members, and many runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import kernels
from pan_estimators.common.many_runs import Stack
from pan_estimators.randomness.interface import Randomness
from pan_estimators.states.releasing import wiped
from pan_estimators.universes.universe import Indices


@dataclass(frozen=True)
class LevelHash:
    """The hash ``h(u) = (multiplier u + increment) mod 2^Q`` of a user's index.

    Attributes
    ----------
    universe_size
        Number U of users.
    multiplier
        An odd number below ``2^Q``, so that the hash is a bijection modulo ``2^Q``.
    increment
        A number from 0 to ``2^Q - 1``.
    """

    universe_size: int
    multiplier: int
    increment: int

    @property
    def bits(self) -> int:
        """The number Q of bits of the hash."""
        return hash_bits(self.universe_size)

    def levels(self, users: Indices) -> Indices:
        """The level of each user: the number of zeros at the end of its hash, and Q for the hash 0."""
        hashed = self._hashed(users)
        lowest_bit = hashed & (~hashed + np.uint64(1))
        zeros = np.log2(np.where(hashed == 0, np.uint64(1), lowest_bit).astype(np.float64)).astype(np.int64)
        return np.where(hashed == 0, self.bits, zeros)

    def qualify(self, users: Indices, level: int) -> NDArray[np.bool_]:
        """Whether each user has at least this level."""
        if level > self.bits:
            return np.zeros(users.size, dtype=np.bool_)
        return np.asarray(self._hashed(users) & np.uint64(2**level - 1) == 0)

    def _hashed(self, users: Indices) -> NDArray[np.uint64]:
        mask = np.uint64(2**self.bits - 1)
        return (users.astype(np.uint64) * np.uint64(self.multiplier) + np.uint64(self.increment)) & mask


def hash_bits(universe_size: int) -> int:
    """The number Q of bits of the hash, the least with ``U <= 2^Q``."""
    return (universe_size - 1).bit_length()


def are_members_before(members: Indices, users: Indices, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each user is a member just before its turn."""
    order = np.argsort(users, kind="stable")
    ordered = users[order]
    again = np.zeros(users.size, dtype=np.bool_)
    again[1:] = ordered[1:] == ordered[:-1]
    before = np.empty(users.size, dtype=np.bool_)
    before[order] = np.where(again, np.roll(inside[order], 1), np.isin(ordered, members))
    return before


def settled(members: Indices, users: Indices, inside: NDArray[np.bool_]) -> Indices:
    """The members after each of these distinct users entered or left."""
    return np.sort(np.concatenate([np.setdiff1d(members, users, assume_unique=True), users[inside]]))


_FEW = 2048
"""Largest number of turns that are not divided."""


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
        """The fraction of each run's qualifying users that is present, and their number: shape ``(runs,)`` each."""
        densities, sizes = np.full(self.runs, np.nan), np.zeros(self.runs)
        everyone, bits = np.arange(present.size, dtype=np.uint64), hash_bits(present.size)
        for run in np.flatnonzero(self.levels <= bits).tolist():
            hashed = everyone * self.multipliers[run] + self.increments[run]
            qualifying = present[hashed & np.uint64(2 ** int(self.levels[run]) - 1) == 0]
            sizes[run] = qualifying.size
            if qualifying.size:
                densities[run] = qualifying.mean()
        return densities, sizes

    def part(self, runs: NDArray[np.intp]) -> ManyDistinctSamples:
        """The states of some of the runs, as copies."""
        return dataclasses.replace(
            self,
            multipliers=self.multipliers[runs],
            increments=self.increments[runs],
            levels=self.levels[runs],
            marks=self.marks[runs],
        )

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
    """Empty samples with a hash for each run."""
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
    """Put each user in turn in or out of the sample of each run, and evict members when it is full."""
    _turns_of(states, np.ascontiguousarray(users, dtype=np.int64), probability, room, randomness)
    return states


def _turns_of(
    states: ManyDistinctSamples, users: Indices, probability: float, room: int, randomness: Randomness
) -> None:
    """The turns, in halves: where a sample cannot fill up within a part, only the last choice for a user matters."""
    if users.size > _FEW:
        distinct = np.unique(users)
        qualify = _qualify(states, distinct)
        before = states.marks[:, distinct] != 0
        # A member qualifies: an eviction removes those who do not. So these users are all who can enter.
        entering = np.count_nonzero(qualify & ~before, axis=1)
        settled = states.members + entering < room
        if settled.any():
            _settle(states, settled, distinct, qualify[settled], probability, randomness)
        if settled.all():
            return
        rest = np.flatnonzero(~settled)
        part = states.part(rest)
        middle = users.size // 2
        _turns_of(part, users[:middle], probability, room, randomness)
        _turns_of(part, users[middle:], probability, room, randomness)
        states.levels[rest], states.marks[rest] = part.levels, part.marks
        return
    mask = np.uint64(2 ** hash_bits(states.marks.shape[1]) - 1)
    inside = np.asarray(randomness.bernoulli(probability, states.runs * users.size), dtype=np.uint8)
    inside = inside.reshape(states.runs, users.size)
    kernels.loops_of("loops").sample(
        users, inside, states.multipliers, states.increments, mask, room, states.levels, states.marks
    )


def _qualify(states: ManyDistinctSamples, users: Indices) -> NDArray[np.bool_]:
    """Whether each of ``users`` qualifies at the level of each run: shape ``(runs, users)``."""
    mask = np.uint64(2 ** hash_bits(states.marks.shape[1]) - 1)
    levels = np.minimum(states.levels, 63).astype(np.uint64)
    low = (np.uint64(1) << levels) - np.uint64(1)
    hashed = users.astype(np.uint64) * states.multipliers[:, None]
    hashed += states.increments[:, None]
    hashed &= (mask & low)[:, None]
    found: NDArray[np.bool_] = hashed == 0
    # A hash has no bits for a higher level, so that nobody qualifies there.
    found[low > mask] = False
    return found


def _settle(
    states: ManyDistinctSamples,
    runs: NDArray[np.bool_],
    users: Indices,
    qualify: NDArray[np.bool_],
    probability: float,
    randomness: Randomness,
) -> None:
    """The last choice for each user that qualifies, in the chosen runs."""
    places, columns = np.nonzero(qualify)
    states.marks[np.flatnonzero(runs)[places], users[columns]] = randomness.bernoulli(probability, places.size)
