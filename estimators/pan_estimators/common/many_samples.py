"""The samples of many runs: the sampled users of each run, and their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_estimators.common.many_runs import Stack
from pan_estimators.randomness.interface import Randomness
from pan_estimators.samples.keyed_sample import RANKED, KeyedSample, Sample, ranks_of_keys

Indices = NDArray[np.int64]
Where: TypeAlias = tuple[Any, ...]
"""An index into the cells of all runs, which have the shape ``(runs, m)``."""

_MARKED = 2**22
"""Largest universe that is marked in an array. Larger ones are searched."""
_FEW = 16
"""Each user is searched by itself if the users are fewer than the sample size divided by this number."""


class ManySamples(Protocol):
    """The sample of each of many runs."""

    def of_run(self, run: int) -> Any:
        """The sample of one run, in the form that a state made alone keeps."""
        ...

    def part(self) -> Any:
        """The samples of all runs in the form of :meth:`pan_estimators.StackedStates.parts`, or ``None``."""
        ...

    def places(self, users: Indices) -> Indices:
        """The place of every user in every run, or -1 for a user who is not sampled: shape ``(runs, users)``."""
        ...

    def cells_of(self, users: Indices) -> Where:
        """The index of the cells of those of the users who are sampled."""
        ...


@dataclass(frozen=True, eq=False)
class EveryoneSampled:
    """Every user is sampled in every run. The place of a user is its index.

    Attributes
    ----------
    runs
        The number of runs.
    kept
        The part of the state that stands for the sample.
    """

    runs: int
    kept: Any

    def of_run(self, run: int) -> Any:
        return self.kept.copy() if isinstance(self.kept, np.ndarray) else self.kept

    def part(self) -> Any:
        return self.kept

    def places(self, users: Indices) -> Indices:
        return np.tile(users, (self.runs, 1))

    def cells_of(self, users: Indices) -> Where:
        if users.size and users[-1] - users[0] + 1 == users.size:
            return slice(None), slice(int(users[0]), int(users[-1]) + 1)
        return slice(None), users


@dataclass(frozen=True, eq=False)
class ListedSamples:
    """Sorted lists of users. The place of a user is its rank.

    Attributes
    ----------
    population
        Number of users.
    listed
        Shape ``(runs, m)``, each row strictly increasing.
    """

    population: int
    listed: Indices

    def of_run(self, run: int) -> Indices:
        return np.array(self.listed[run])

    def part(self) -> Stack:
        return Stack(self.listed)

    def places(self, users: Indices) -> Indices:
        # One search in the lists of all runs, laid end to end.
        runs, size = self.listed.shape
        starts = np.arange(runs)[:, None]
        wanted = users + self.population * starts
        found = np.searchsorted(self._end_to_end, wanted.ravel()).reshape(wanted.shape)
        places = np.minimum(found - size * starts, size - 1)
        found = np.take_along_axis(self.listed, places, axis=1)
        return np.asarray(np.where(found == users, places, -1), dtype=np.int64)

    @cached_property
    def _end_to_end(self) -> Indices:
        return (self.listed + self.population * np.arange(self.listed.shape[0])[:, None]).ravel()

    def cells_of(self, users: Indices) -> Where:
        runs, size = self.listed.shape
        if _FEW * users.size <= size and runs * self.population < 2**62:
            return _known(self.places(users))
        if self.population <= _MARKED:
            marked = np.zeros(self.population, dtype=np.bool_)
            marked[users] = True
            return (marked[self.listed],)
        return (np.isin(self.listed, users),)


@dataclass(frozen=True, eq=False)
class EachSample:
    """One sample of any kind for each run."""

    samples: tuple[Sample, ...]

    def of_run(self, run: int) -> Sample:
        return self.samples[run]

    def part(self) -> None:
        return None

    def places(self, users: Indices) -> Indices:
        return np.stack([sample.positions(users) for sample in self.samples])

    def cells_of(self, users: Indices) -> Where:
        return _known(self.places(users))


@dataclass(frozen=True, eq=False)
class KeyedSamples:
    """One key for each run.

    Attributes
    ----------
    population, size
        Number of users, and of sampled users.
    keys
        Shape ``(runs, 16)``.
    """

    population: int
    size: int
    keys: NDArray[np.uint8]

    def of_run(self, run: int) -> KeyedSample:
        return KeyedSample(self.population, self.size, self.keys[run].tobytes())

    def part(self) -> Mapping[str, Any]:
        return {"population": self.population, "size": self.size, "key": Stack(self.keys, bytes_each=True)}

    def places(self, users: Indices) -> Indices:
        if self.population > RANKED:
            return np.stack([self.of_run(run).positions(users) for run in range(self.keys.shape[0])])
        ranks = np.take(self._ranks, users, axis=1)
        return np.where(ranks < self.size, ranks, -1).astype(np.int64)

    def cells_of(self, users: Indices) -> Where:
        return _known(self.places(users))

    @cached_property
    def _ranks(self) -> NDArray[Any]:
        """The rank of every user in every run, as :class:`KeyedSample` ranks them."""
        return ranks_of_keys(self.keys, self.population)


def draw_samples(randomness: Randomness, population: int, size: int, runs: int) -> ManySamples:
    """A sample for each run, kept as keys. A randomness with the method ``keys`` draws them at once."""
    at_once = getattr(randomness, "keys", None)
    if at_once is not None:
        return KeyedSamples(population, size, at_once(runs))
    return EachSample(tuple(randomness.keyed_sample(population, size) for _ in range(runs)))


def draw_lists(randomness: Randomness, population: int, size: int, runs: int) -> ListedSamples:
    """A sample for each run, kept as lists. A randomness with the method ``uniform_subsets`` draws them at once."""
    at_once = getattr(randomness, "uniform_subsets", None)
    if at_once is not None:
        return ListedSamples(population, at_once(population, size, runs))
    lists = [randomness.uniform_subset(population, size) for _ in range(runs)]
    return ListedSamples(population, np.asarray(lists, dtype=np.int64).reshape(runs, size))


def _known(places: Indices) -> Where:
    rows, columns = np.nonzero(places >= 0)
    return rows, places[rows, columns]
