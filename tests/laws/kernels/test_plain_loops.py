"""Without numba the loops are written with numpy, and everything comes out the same, bit for bit."""

from __future__ import annotations

import itertools
from unittest import mock

import numpy as np
import pytest

import pan_estimators.samples.sample_index
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    HashedUniverse,
    NumpyRandomness,
    create_estimator,
    kernels,
)
from pan_estimators.common.registry import with_budget
from pan_estimators.density.redrawing import mark_users
from pan_estimators.samples.sample_index import SampleIndex, SortedIndex
from tests.public.density.test_updates import forget_samples, run_in_a_new_process

KEY = bytes(range(16))


def without_numba():
    return mock.patch.object(kernels, "compiling", return_value=False)


def both_ways(work):
    """What comes of some work with numba, and without it."""
    found = []
    for compiling in (True, False):
        forget_samples()
        with mock.patch.object(kernels, "compiling", return_value=compiling):
            found.append(work())
    forget_samples()
    return found


@pytest.mark.parametrize("size", [1, 2, 70_000])
def test_the_two_indices_find_the_same_places(size):
    members = np.unique(np.random.default_rng(size).integers(0, 2**62, size).astype(np.uint64) << np.uint64(2))
    members = np.random.default_rng(1).permutation(members)
    others = np.concatenate([members[:500] + np.uint64(1), np.array([0, 2**64 - 1], dtype=np.uint64)])
    asked = np.concatenate([members, others])
    fast, plain = SampleIndex.of(members), SortedIndex.of(members)
    assert plain.positions(asked).tolist() == fast.positions(asked).tolist()
    assert plain.positions(members).tolist() == list(range(members.size))
    some = [int(i) for i in (*members[:20], *others[-20:])]
    assert [plain.position(i) for i in some] == [fast.position(i) for i in some]
    # Multiples of a power of two have products whose leading digits repeat: their addresses collide.
    colliding = (np.arange(min(size, 400), dtype=np.uint64) << np.uint64(50)) + np.uint64(5)
    near = np.concatenate([colliding, colliding + np.uint64(1)])
    expected = [*range(colliding.size), *[-1] * colliding.size]
    assert SampleIndex.of(colliding).positions(near).tolist() == expected
    assert mark_users(near[colliding.size :], 0, 2**60, np.ones(1, np.uint8), SampleIndex.of(colliding)).sum() == 0
    repeated = np.random.default_rng(2).choice(asked[:-1], 5000)
    values = np.random.default_rng(3).integers(1, 3, 5000).astype(np.uint8)
    last = dict(zip(repeated.tolist(), values.tolist(), strict=True))
    for index in (fast, plain):
        marks = mark_users(repeated, 0, 2**64 - 1, values, index)
        assert marks.tolist() == [last.get(user, 0) for user in members.tolist()]


def test_places_are_found_by_the_plain_index_when_numba_is_missing():
    with without_numba():
        assert isinstance(pan_estimators.samples.sample_index.index_of(np.arange(3)), SortedIndex)
    assert isinstance(pan_estimators.samples.sample_index.index_of(np.arange(3)), SampleIndex)


@pytest.mark.parametrize(
    ("name", "kind"), [*zip(ESTIMATORS_OF_IDS, itertools.cycle(["integers", "strings", "characters"]), strict=False)]
)
def test_every_shipped_estimator_counts_ids_of_every_kind_alike(name, kind):
    rng = np.random.default_rng(7)
    numbers = rng.integers(-(10**6), 10**6, 70_000)
    ids = {"integers": lambda: numbers, "characters": lambda: numbers.astype("U8")}
    ids["strings"] = lambda: np.array([f"user {i}" * (1 + i % 3) for i in numbers.tolist()], dtype=object)
    column = ids[kind]()
    given = {} if name == "exact-counter" else {"epsilon": 0.3, "sample_size": 2000}
    universe = {"vertices": 200} if name == "graph-density" else {"universe": HashedUniverse(5000, KEY)}
    if name == "graph-density":
        given["sample_size"] = 150
        column = np.abs(numbers) % 19_900
    given |= universe
    estimator = create_estimator(
        name, **(with_budget(name, given.pop("epsilon"), given) if "epsilon" in given else given)
    )

    def fed():
        randomness = NumpyRandomness(4)
        return estimator.release(estimator.update(estimator.create(randomness), column, randomness), randomness)

    with_it, without_it = both_ways(fed)
    assert with_it == without_it


def test_a_process_without_numba_counts_large_batches():
    code = """
import sys
if {missing}:
    sys.modules["numba"] = None
import numpy as np
from pan_estimators import HashedUniverse, NumpyRandomness, calibrated_bernoulli, kernels
print(kernels.compiling())
for universe, m in ((10**6, 900), (HashedUniverse(10**6, b"k" * 16), 900), (90_000, 90_000)):
    randomness = NumpyRandomness(1)
    estimator = calibrated_bernoulli(universe=universe, promise_epsilon=2, sample_size=m)
    state = estimator.update(estimator.create(randomness), np.arange(80_000), randomness)
    print(estimator.release(state, randomness).hex())
"""
    with_it = run_in_a_new_process(code.replace("{missing}", "False"))
    without_it = run_in_a_new_process(code.replace("{missing}", "True"))
    assert (with_it[0], without_it[0]) == ("True", "False")
    assert with_it[1:] == without_it[1:]
    assert len(with_it) == 4
