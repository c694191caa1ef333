"""Runs of distinct sampling on a fixed stream, which visit only users who can still qualify.

A user u is of level L or higher where ``multiplier u + increment`` is 0 modulo ``2^L``. The multiplier is odd, so that
these users are one residue class modulo ``2^L``: that of ``r = -increment/multiplier mod 2^Q``. The hash
matters by r alone, and r is uniform because the increment is. After every rise of the level the run goes on with the
updates of the new class, which are grouped beforehand: a run takes about m steps for every level, and
then the updates of one class, instead of all U users and T updates. A sample that an eviction leaves full is rare. Then
the next user outside it evicts again, so that all users and updates are visited in turn until there is room.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from experiments.density.simulation.fixed_stream import FixedStream, Outputs
from pan_estimators.density.pan_private_distinct_sampling import PanPrivateDistinctSampling
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

_CHUNK = 256
"""Runs between two chances to interrupt."""


def simulate_distinct_sampling(
    estimator: PanPrivateDistinctSampling, stream: FixedStream, runs: int, generator: np.random.Generator
) -> Outputs:
    """Runs of Algorithm 3: see :func:`experiments.density.simulation.simulate`."""
    levels, members, qualifying, present = final_samples(estimator, stream, runs, generator)
    outputs = np.empty(runs)
    randomness = NumpyRandomness(generator)
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
