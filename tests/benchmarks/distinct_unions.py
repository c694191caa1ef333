"""Unions of two distinct counters under many keys, for the page of errors: the touched cells by their exact
distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from joblib import Parallel, delayed

from pan_estimators import CounterUnion, NumpyRandomness, counter_for_union
from pan_estimators.density.distinct.counter import DistinctCounterState
from pan_estimators.density.distinct.presets import UNIVERSE
from tests.benchmarks.distinct_runs import touched_by_shares

CHUNK = 10
SHARED = (0.0, 1 / 3, 0.9)
"""Parts of the users of the union whom both counters saw; the others are divided evenly."""


@dataclass(frozen=True)
class UnionCase:
    """Two counters of 8 KiB for unions of 10^4 to 10^9 users.

    Attributes
    ----------
    loss
        The promised loss, in nats.
    looks
        The number of counters whose state is seen.
    """

    loss: float
    looks: int


UNION_CASES = (UnionCase(1, 1), UnionCase(1, 2), UnionCase(2, 1), UnionCase(2, 2))


@cache
def union_of_case(case):
    return CounterUnion(counter_for_union(universe=UNIVERSE, epsilon=case.loss / 2, looks=case.looks), case.looks)


def numbers_of(users, shared):
    """The users of both counters, and those of each alone."""
    both = round(users * shared)
    first = (users - both) // 2
    return both, first, users - both - first


def one_union(case, users, shared, seed):
    """The union and the intersection of one key: both with the ends of the interval, and whether it is reliable."""
    union = union_of_case(case)
    generator = np.random.default_rng([seed, users, round(100 * shared), case.looks])
    randomness = NumpyRandomness([seed, users, 2])
    both, *alone = (
        touched_by_shares(union.counter.geometry, number, generator) for number in numbers_of(users, shared)
    )
    states = []
    for cells in alone:
        bits = union.counter.cells.draw_initial(randomness, union.counter.geometry.cells)
        cells = np.union1d(cells, both)
        bits[cells] = union.counter.cells.draw_updated(randomness, cells.size)
        states.append(DistinctCounterState(bits))
    found = union.estimate(union.release(*states, randomness))
    sizes = (found.union, found.intersection)
    return [*(value for one in sizes for value in (one.count, one.low, one.high)), found.reliable]


def some_unions(case, users, shared, seeds):
    return [one_union(case, users, shared, seed) for seed in seeds]


def measured_unions(jobs, keys, users):
    """The estimates by case, number of users and shared part: arrays of shape ``(keys, 7)``."""
    places = [(case, n, shared) for case in UNION_CASES for n in users for shared in SHARED]
    tasks = [(place, range(start, min(keys, start + CHUNK))) for place in places for start in range(0, keys, CHUNK)]
    rows = Parallel(n_jobs=jobs)(delayed(some_unions)(*place, list(seeds)) for place, seeds in tasks)
    gathered = {place: [] for place in places}
    for (place, _), found in zip(tasks, rows, strict=True):
        gathered[place] += found
    return {place: np.array(found, dtype=np.float64) for place, found in gathered.items()}
