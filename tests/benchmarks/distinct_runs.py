"""Runs of the distinct counter under many keys, for the page of its errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from joblib import Parallel, delayed

from pan_estimators import HashedUniverse, NumpyRandomness
from pan_estimators.density.distinct.counter import DistinctCounterState
from pan_estimators.density.distinct.geometry import touched_cells
from pan_estimators.density.distinct.presets import UNIVERSE, planned_counter
from pan_estimators.universes.cmac_cells import cmac_cells

LARGEST_HASHED = 10**7
PIECE = 2**20
REPEATED = 10
"""Of so many users, one appears a second time."""
CHUNK = 8
"""Keys that one task takes."""


@dataclass(frozen=True)
class Case:
    """A counter, and the goals of its error.

    Attributes
    ----------
    loss
        The promised loss, in nats.
    kib
        The largest memory.
    least, most
        The planned range.
    goal
        The largest relative error on the numbers of users from ``first`` to ``last``.
    first, last
        The numbers of users of the goal.
    """

    loss: float
    kib: int
    least: float
    most: float
    goal: float
    first: float
    last: float


CASES = (
    Case(1, 8, 1e4, 1e9, 0.034, 1e4, 1e9),
    Case(1, 8, 1e5, 1e8, 0.027, 1e5, 1e8),
    Case(1, 8, 1e6, 1e7, 0.018, 1e6, 1e7),
    Case(1, 8, 1e3, 1e9, 0.15, 1e3, 1e3),
    Case(1, 64, 1e5, 1e8, 0.011, 1e5, 1e8),
    Case(1, 64, 1e5, 1e9, 0.011, 1e5, 1e9),
    Case(2, 8, 1e4, 1e9, 0.020, 1e4, 1e9),
    Case(0.5, 8, 1e4, 1e9, 0.070, 1e4, 1e9),
)


@cache
def counter_of(case):
    """The counter, with a key that no hash here uses."""
    universe = HashedUniverse(UNIVERSE, bytes(16))
    return planned_counter(
        epsilon=case.loss / 2, bits=2**13 * case.kib, least=case.least, most=case.most, universe=universe
    )


def touched_by_hash(users, key):
    """The touched cells of each counter, by the real hash of ids of which some are repeated."""
    marks = [np.zeros(counter_of(case).geometry.cells, dtype=bool) for case in CASES]
    for start in range(0, users, PIECE):
        ids = np.arange(start, min(users, start + PIECE), dtype=np.int64)
        indices = cmac_cells(np.concatenate([ids, ids[::REPEATED]]), UNIVERSE, key)
        for case, found in zip(CASES, marks, strict=True):
            found[touched_cells(counter_of(case).geometry, indices)] = True
    return [np.flatnonzero(found) for found in marks]


def touched_by_shares(geometry, users, generator):
    """The touched cells of a counter, from the exact distribution: so many users, each in one cell or in none."""
    shares = np.repeat(geometry.rates, geometry.widths.astype(np.int64))
    numbers = generator.multinomial(users, np.append(shares, max(0.0, 1 - shares.sum())))
    return np.flatnonzero(numbers[:-1])


def touched_by_distribution(users, generator):
    """The touched cells of each counter, from the exact distribution."""
    return [touched_by_shares(counter_of(case).geometry, users, generator) for case in CASES]


def one_key(users, seed):
    """The estimate of each counter under one key."""
    randomness = NumpyRandomness([seed, users])
    generator = np.random.default_rng([seed, users, 1])
    if users <= LARGEST_HASHED:
        touched = touched_by_hash(users, generator.bytes(16))
    else:
        touched = touched_by_distribution(users, generator)
    rows = []
    for case, cells in zip(CASES, touched, strict=True):
        counter = counter_of(case)
        bits = counter.cells.draw_initial(randomness, counter.geometry.cells)
        bits[cells] = counter.cells.draw_updated(randomness, cells.size)
        rows.append(counter.estimate(counter.release(DistinctCounterState(bits), randomness)).count)
    return rows


def some_keys(users, seeds):
    return [one_key(users, seed) for seed in seeds]


def measured(jobs, keys, users):
    """The estimates by number of users: arrays of shape ``(keys, cases)``."""
    tasks = [(n, range(start, min(keys, start + CHUNK))) for n in sorted(users, reverse=True)
             for start in range(0, keys, CHUNK)]  # fmt: skip
    found = Parallel(n_jobs=jobs)(delayed(some_keys)(n, list(seeds)) for n, seeds in tasks)
    gathered = {n: [] for n in users}
    for (n, _), rows in zip(tasks, found, strict=True):
        gathered[n] += rows
    return {n: np.array(rows, dtype=np.float64) for n, rows in gathered.items()}
