"""A stream that stays the same for many runs, prepared once, and the data that the runs keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from experiments.density.simulation.truncated_gaussian import TruncatedGaussianCells
from pan_estimators.density.cells import BernoulliCells, LaplaceCells
from pan_promises.errors import InputError, require_count

_FLAT = 1.0
"""Up to this epsilon a truncated Gaussian cell is drawn from a uniform one, beyond it from a half-normal one."""
_CELLS = 10**7
"""Cells between two chances to interrupt."""


def counts(
    cells: BernoulliCells, appeared: NDArray[np.int64], sample_size: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """The number of ones among ``sample_size`` bits after ``appeared`` users have appeared; shape of ``appeared``."""
    present: NDArray[np.int64] = generator.binomial(appeared, cells.p_upd)
    return present + generator.binomial(sample_size - appeared, cells.p_init)


def laplace_totals(
    cells: LaplaceCells, appeared: NDArray[np.int64], sample_size: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """The sum of Laplace cells: a Laplace variable is the difference of two exponential ones.

    Real cells lie on a grid of steps below ``2**-32`` of their scale, which is left out here.
    """
    means = appeared * cells.mu_upd + (sample_size - appeared) * cells.mu_init
    gamma = generator.gamma(sample_size, cells.scale, (2, appeared.size))
    return np.asarray(means + gamma[0] - gamma[1])


def truncated_gaussian_totals(
    cells: TruncatedGaussianCells, appeared: NDArray[np.int64], sample_size: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """The sum of truncated Gaussian cells, cell by cell: their sum has no simpler distribution."""
    totals = np.empty(appeared.size)
    chunk = max(1, _CELLS // sample_size)
    for start in range(0, appeared.size, chunk):
        part = slice(start, start + chunk)
        totals[part] = _add_up(generator, appeared[part], sample_size, cells.epsilon, cells.epsilon <= _FLAT)
    return totals


@njit(nogil=True, cache=True)
def _add_up(generator: Any, appeared: Any, sample_size: int, epsilon: float, flat: bool) -> Any:
    totals = np.empty(appeared.size)
    deviation = np.sqrt(0.5 / epsilon)
    for run in range(appeared.size):
        total = 0.0
        for cell in range(sample_size):
            if flat:
                while True:
                    value = generator.random()
                    drop = epsilon * value * value
                    height = generator.random()
                    # exp(-x) >= 1 - x, which decides most draws.
                    if height < 1 - drop or height < np.exp(-drop):
                        break
            else:
                value = deviation * abs(generator.standard_normal())
                while value > 1:
                    value = deviation * abs(generator.standard_normal())
            # The distribution around 1 is the mirror image of the one around 0.
            total += 1 - value if cell < appeared[run] else value
        totals[run] = total
    return totals


Integers = NDArray[np.int32]

_LARGEST = 10**9
"""Numpy's hypergeometric distribution goes no further; an index of a user fits 32 bits."""


@dataclass(frozen=True, eq=False)
class ResidueClasses:
    """For every level L, the updates by ``user mod 2^L``, in time order within each class.

    Levels beyond ``log2 T`` are left out: their classes are found inside those of the last one.
    Takes about ``4 T log2 T`` bytes. All arrays are writable 32-bit integers, also after they have been sent to
    another process, so that the compiled code needs to be compiled for one signature only.

    Attributes
    ----------
    users
        The user of every update, shape ``(T,)``.
    last
        The time of every user's last update, -1 if there is none, shape ``(U,)``.
    times
        Row L has the times of all updates by class, shape ``(levels, T)``.
    starts
        Entry ``2^L + r`` is where class r begins in row L. The next entry is where it ends, but for the
        last class of a row, which ends with the row. Shape ``(2^levels,)``.
    """

    users: Integers
    last: Integers
    times: Integers
    starts: Integers

    @classmethod
    def of(cls, ids: NDArray[np.int64], universe: int) -> ResidueClasses:
        """Group a stream of users ``0, ..., universe - 1``."""
        users = ids.astype(np.int32)
        last = np.full(universe, -1, dtype=np.int32)
        np.maximum.at(last, users, np.arange(users.size, dtype=np.int32))
        levels = max(1, users.size.bit_length())
        times = np.empty((levels, users.size), dtype=np.int32)
        starts = np.zeros(2**levels, dtype=np.int32)
        for level in range(levels):
            residues = users & np.int32(2**level - 1)
            # Numpy sorts 16-bit keys in linear time.
            keys = residues.astype(np.uint16) if level <= 16 else residues
            times[level] = np.argsort(keys, kind="stable")
            sizes = np.bincount(residues, minlength=2**level)
            starts[2**level : 2 ** (level + 1)] = np.cumsum(sizes) - sizes
        return cls(users, last, times, starts)


@dataclass(frozen=True, eq=False)
class FixedStream:
    """A stream of user indices, with data for all estimators.

    Make it with :meth:`of`. Its pickle leaves out the data that can be computed again.

    Attributes
    ----------
    ids
        Indices of the users in time order, shape ``(T,)``; read-only.
    universe
        Number of users U.
    distinct
        Number of users that appear, D.
    """

    ids: NDArray[np.int64]
    universe: int
    distinct: int

    @classmethod
    def of(cls, ids: NDArray[np.int64], universe: int) -> FixedStream:
        """Prepare a stream."""
        require_count("the universe size", universe, most=_LARGEST, source="the simulation")
        given = np.asarray(ids)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise InputError(
                f"a stream to simulate is a one-dimensional array of user indices, got {given.dtype} {given.shape}"
            )
        require_count("the stream length", given.size, least=0, most=2**31 - 1, source="the simulation")
        if given.size and (given.min() < 0 or given.max() >= universe):
            outside = given[(given < 0) | (given >= universe)][0]
            raise InputError(f"user {outside} is outside the universe 0..{universe - 1}")
        kept = given.astype(np.int64)
        kept.setflags(write=False)
        return cls(kept, int(universe), int(np.unique(kept).size))

    @property
    def length(self) -> int:
        """Number of updates T."""
        return int(self.ids.size)

    @property
    def density(self) -> float:
        """The part of the universe that appears, D/U."""
        return self.distinct / self.universe

    @cached_property
    def classes(self) -> ResidueClasses:
        """The updates by the last binary digits of their user, for distinct sampling."""
        return ResidueClasses.of(self.ids, self.universe)

    def __reduce__(self) -> tuple[Callable[..., FixedStream], tuple[Any, ...]]:
        return FixedStream.of, (self.ids, self.universe)


@dataclass(frozen=True, eq=False)
class Outputs:
    """Independent runs of an estimator on one stream.

    Attributes
    ----------
    outputs
        The output of each run, shape ``(runs,)``.
    sampled_densities
        d(S_M) of each run, shape ``(runs,)``: the part of the sampled users that appear. For distinct sampling
        the users that qualify at the final level are the sample; if no user qualifies, it is not a number.
    """

    outputs: NDArray[np.float64]
    sampled_densities: NDArray[np.float64]
