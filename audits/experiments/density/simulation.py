"""Outputs of density estimators on a fixed stream, drawn from their exact distribution many at a time.

The quantities that determine an output are drawn instead of the run. Of a fixed sample it is the number of sampled
users that appear, which is hypergeometric, and the sum of their cells.

Distinct sampling is followed, but visits only users who can still qualify. A user u is of level L or higher where
``multiplier u + increment`` is 0 modulo ``2^L``. The multiplier is odd, so that these users are one residue class
modulo ``2^L``: that of ``r = -increment/multiplier mod 2^Q``. The hash matters by r alone, and r is uniform because the
increment is. After every rise of the level the run goes on with the updates of the new class, which are grouped
beforehand: a run takes about m steps for every level, and then the updates of one class, instead of all U users and T
updates. A sample that an eviction leaves full is rare. Then the next user outside it evicts again, so that all users
and updates are visited in turn until there is room.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import erfinv

from pan_estimators.density.cells import BernoulliCells, CellValues, LaplaceCells
from pan_estimators.density.pan_private_distinct_sampling import PanPrivateDistinctSampling
from pan_estimators.density.sampled_cells import CalibratedCells, SampledCells
from pan_estimators.randomness.interface import Randomness
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.universes.universe import Universe, as_universe
from pan_promises.errors import InputError, require_count

_FLAT = 1.0
"""Up to this epsilon a truncated Gaussian cell is drawn from a uniform one, beyond it from a half-normal one."""
_CELLS = 10**7
"""Cells between two chances to interrupt."""
_CHUNK = 256
"""Runs of distinct sampling between two chances to interrupt."""
_STEPS = 2**53
_LARGEST = 10**9
"""Numpy's hypergeometric distribution goes no further; an index of a user fits 32 bits."""

Integers = NDArray[np.int32]


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


@dataclass(frozen=True)
class TruncatedGaussianCells:
    """One number in [0, 1] per user: a Gaussian around 0, or around 1 after the first appearance, truncated to it.

    Their common variance is ``1/(2 epsilon)``: the densities are proportional to ``exp(-epsilon x^2)`` and
    ``exp(-epsilon (1-x)^2)``, with equal normalisers, so that their ratio is ``exp(epsilon (2x-1))``. It takes
    both ``exp(epsilon)`` and ``exp(-epsilon)``: the whole budget is used.
    """

    epsilon: float
    bits_per_cell: ClassVar[int] = 64
    dtype: ClassVar[type] = np.float64

    @property
    def initial_mean(self) -> float:
        root = math.sqrt(self.epsilon)
        return -math.expm1(-self.epsilon) / (math.sqrt(math.pi) * root * math.erf(root))

    @property
    def updated_mean(self) -> float:
        return 1 - self.initial_mean

    @property
    def variance(self) -> float:
        """Variance of a cell, the same before and after the first appearance."""
        root = math.sqrt(self.epsilon)
        second = (1 - 2 * root * math.exp(-self.epsilon) / (math.sqrt(math.pi) * math.erf(root))) / (2 * self.epsilon)
        return second - self.initial_mean**2

    def total(self, values: CellValues) -> Any:
        return values.sum()

    def draw_initial(self, randomness: Randomness, size: int) -> CellValues:
        # By the inverse of the distribution function erf(sqrt(epsilon) x)/erf(sqrt(epsilon)).
        root = math.sqrt(self.epsilon)
        uniform = (randomness.uniform_integers(0, _STEPS, size) + 0.5) / _STEPS
        return np.asarray(erfinv(uniform * math.erf(root)) / root, dtype=np.float64)

    def draw_updated(self, randomness: Randomness, size: int) -> CellValues:
        return 1 - self.draw_initial(randomness, size)


def truncated_gaussian(*, universe: Universe | int, epsilon: float, sample_size: int) -> SampledCells:
    """The density estimator with truncated Gaussian cells, called Gauss in the figures of the thesis (4.4.4).

    The thesis says that Gaussian cells were made private by truncating them and by a choice of the means and of the
    common variance, and gives neither. This is our reading: the interval is [0, 1], which the same section
    proposes for the truncation of other cells; the means are its ends, around which the cells of users that have
    not appeared and that have lie closest; the variance is then the one that uses the whole budget. The result
    depends little on it. Means outside of the interval lower the variance that a user adds to the estimate by at
    most 0.7 % at epsilon = 0.1 and 3.4 % at 0.5. Means closer to each other raise it. Output and noise are those of
    the other estimators, made unbiased by the exact means of the truncated cells.
    """
    cells: Any = TruncatedGaussianCells(epsilon)
    return SampledCells(
        name="truncated-gaussian", universe=as_universe(universe), epsilon=epsilon, sample_size=sample_size, cells=cells
    )


def simulate(estimator: Any, stream: FixedStream, runs: int, generator: np.random.Generator) -> Outputs:
    """Independent runs of ``create``, ``update`` by the whole stream, and ``release``, from their exact distribution.

    The estimate and the scale of its noise are computed by the estimator's own methods.
    """
    known = (SampledCells, CalibratedCells, PanPrivateDistinctSampling)
    # A derived class may behave differently.
    if type(estimator) not in known:
        names = ", ".join(kind.__name__ for kind in known)
        raise InputError(f"only {names} can be simulated, got {type(estimator).__name__}")
    if estimator.universe.size != stream.universe:
        raise InputError(
            f"the stream is one of {stream.universe} users, and the estimator counts {estimator.universe.size}"
        )
    require_count("the number of runs", runs)
    randomness = NumpyRandomness(generator)
    if isinstance(estimator, PanPrivateDistinctSampling):
        return _distinct_sampling(estimator, stream, runs, randomness)
    m, cells = estimator.sample_size, estimator.cells
    # A keyed sample is taken for uniform.
    appeared = generator.hypergeometric(stream.distinct, stream.universe - stream.distinct, m, runs)
    totals: NDArray[Any]
    match cells:
        case BernoulliCells():
            totals = counts(cells, appeared, m, generator)
        case LaplaceCells():
            totals = _laplace_totals(cells, appeared, m, generator)
        case TruncatedGaussianCells():
            totals = _truncated_gaussian_totals(cells, appeared, m, generator)
        case _:
            raise InputError(f"cells of the kind {type(cells).__name__} cannot be simulated")
    if isinstance(estimator, CalibratedCells):
        noise = randomness.two_sided_geometric(estimator.up, estimator.down, runs)
        return Outputs(estimator.estimate(totals + noise), appeared / m)
    return Outputs(randomness.laplace_at(estimator.estimate(totals), estimator.noise_scale), appeared / m)


def counts(
    cells: BernoulliCells, appeared: NDArray[np.int64], sample_size: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """The number of ones among ``sample_size`` bits after ``appeared`` users have appeared; shape of ``appeared``."""
    present: NDArray[np.int64] = generator.binomial(appeared, cells.p_upd)
    return present + generator.binomial(sample_size - appeared, cells.p_init)


def _laplace_totals(
    cells: LaplaceCells, appeared: NDArray[np.int64], sample_size: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """The sum of Laplace cells: a Laplace variable is the difference of two exponential ones.

    Real cells lie on a grid of steps below ``2**-32`` of their scale, which is left out here.
    """
    means = appeared * cells.mu_upd + (sample_size - appeared) * cells.mu_init
    gamma = generator.gamma(sample_size, cells.scale, (2, appeared.size))
    return np.asarray(means + gamma[0] - gamma[1])


def _truncated_gaussian_totals(
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


def _distinct_sampling(
    estimator: PanPrivateDistinctSampling, stream: FixedStream, runs: int, randomness: NumpyRandomness
) -> Outputs:
    """Runs of Algorithm 3."""
    levels, members, qualifying, present = final_samples(estimator, stream, runs, randomness.generator)
    outputs = np.empty(runs)
    for level in np.unique(levels).tolist():
        here = levels == level
        outputs[here] = randomness.laplace_at(estimator.estimate(level, members[here]), estimator.noise_scale(level))
    densities = np.divide(present, qualifying, out=np.full(runs, np.nan), where=qualifying > 0)
    return Outputs(outputs, densities)


def final_samples(
    estimator: PanPrivateDistinctSampling, stream: FixedStream, runs: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """The ends of runs, shape ``(4, runs)``: level, members, users that qualify, and those of them that appear."""
    cells, classes = estimator.cells, stream.classes
    found = np.empty((4, runs), dtype=np.int64)
    for start in range(0, runs, _CHUNK):
        residues = generator.integers(0, 2**estimator.hash_bits, min(_CHUNK, runs - start))
        found[:, start : start + _CHUNK] = _follow(
            generator,
            residues,
            estimator.sample_size,
            estimator.hash_bits,
            cells.p_init,
            cells.p_upd,
            classes.users,
            classes.last,
            classes.times,
            classes.starts,
        )
    return found


@njit(nogil=True, cache=True)
def _follow(
    generator: Any,
    residues: Any,
    sample_size: int,
    hash_bits: int,
    p_init: float,
    p_upd: float,
    users: Any,
    last: Any,
    times: Any,
    starts: Any,
) -> Any:
    found = np.zeros((4, residues.size), dtype=np.int64)
    # Whether a user is in the sample. It is read only after the run's own initialisation has written it.
    inside = np.zeros(last.size, dtype=np.bool_)
    for run in range(residues.size):
        level = _initialise(generator, residues[run], sample_size, hash_bits, p_init, inside)
        time = -1
        members = 0
        while level <= hash_bits:
            step = 1 << level
            residue = residues[run] & (step - 1)
            members, kept, later, outsiders = _survey(residue, step, time, last, inside)
            if members >= sample_size:
                time += 1
                if time == users.size:
                    break
                user = users[time]
                qualifies = user & (step - 1) == residue
                member = qualifies and inside[user]
                if qualifies:
                    inside[user] = generator.random() < p_upd
                level += not member
                continue
            if members + outsiders < sample_size:
                # The sample cannot fill up again: of the draws for a user, only the last one matters.
                members = kept
                for _ in range(later):
                    members += generator.random() < p_upd
                break
            row = min(level, times.shape[0] - 1)
            place, end = _part_of_class(residues[run], row, time, times, starts)
            full = False
            while place < end and not full:
                time = times[row, place]
                user = users[time]
                place += 1
                if user & (step - 1) == residue:
                    before = inside[user]
                    inside[user] = generator.random() < p_upd
                    members += int(inside[user]) - int(before)
                    full = not before and members >= sample_size
            if not full:
                break
            level += 1
        found[0, run] = level
        if level <= hash_bits:
            found[1, run] = members
            step = 1 << level
            for user in range(residues[run] & (step - 1), last.size, step):
                found[2, run] += 1
                found[3, run] += last[user] >= 0
    return found


@njit(nogil=True, cache=True)
def _initialise(
    generator: Any, hash_residue: int, sample_size: int, hash_bits: int, probability: float, inside: Any
) -> int:
    """Visit every user who qualifies, and every user as long as the sample is full, in order; the level reached."""
    level, members, user = 0, 0, 0
    step, residue = 1, 0
    while user < inside.size:
        if user & (step - 1) == residue:
            inside[user] = generator.random() < probability
            members += int(inside[user])
        if members >= sample_size:
            level += 1
            if level > hash_bits:
                break
            step = 1 << level
            residue = hash_residue & (step - 1)
            members = 0
            for kept in range(residue, user + 1, step):
                members += int(inside[kept])
        user += 1
        if members < sample_size:
            user += (residue - user) & (step - 1)
    return level


@njit(nogil=True, cache=True)
def _survey(residue: int, step: int, time: int, last: Any, inside: Any) -> tuple[int, int, int, int]:
    """Counts of a class: members; those not appearing after ``time``; users appearing then; non-members of these."""
    members, kept, later, outsiders = 0, 0, 0, 0
    for user in range(residue, last.size, step):
        member, appears = int(inside[user]), int(last[user] > time)
        members += member
        kept += member * (1 - appears)
        later += appears
        outsiders += appears * (1 - member)
    return members, kept, later, outsiders


@njit(nogil=True, cache=True)
def _part_of_class(hash_residue: int, row: int, time: int, times: Any, starts: Any) -> tuple[int, int]:
    """The begin and the end of the updates of a class after ``time``, in its row."""
    number = (1 << row) + (hash_residue & ((1 << row) - 1))
    low, end = starts[number], times.shape[1]
    if number + 1 < 1 << (row + 1):
        end = starts[number + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if times[row, middle] > time:
            high = middle
        else:
            low = middle + 1
    return low, end
