"""Without numba the loops are written with numpy, and everything comes out the same, bit for bit."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pan_estimators.samples.sample_index
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    HashedUniverse,
    InputError,
    NumpyRandomness,
    create_estimator,
    kernels,
)
from pan_estimators.common.many_samples import KeyedSamples
from pan_estimators.density.redrawing import mark_members
from pan_estimators.samples.sample_index import SampleIndex
from pan_estimators.samples.sorted_index import SortedIndex
from pan_estimators.universes import cmac_cells, hashed_cells
from pan_estimators.universes.columns import Strings
from tests.density.test_updates import forget_samples, run_in_a_new_process
from tests.universes.test_columns import TEXT

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


@pytest.mark.parametrize("size", [1, 2, 300, 70_000])
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
    repeated = np.random.default_rng(2).choice(asked[:-1], 5000)
    values = np.random.default_rng(3).integers(1, 3, 5000).astype(np.uint8)
    last = dict(zip(repeated.tolist(), values.tolist(), strict=True))
    for index in (fast, plain):
        marks = mark_members(repeated, 0, 2**64 - 1, index, values)
        assert marks.tolist() == [last.get(user, 0) for user in members.tolist()]


def test_places_are_found_by_the_plain_index_when_numba_is_missing():
    with without_numba():
        assert isinstance(pan_estimators.samples.sample_index.index_of(np.arange(3)), SortedIndex)
    assert isinstance(pan_estimators.samples.sample_index.index_of(np.arange(3)), SampleIndex)


@pytest.mark.parametrize("name", ESTIMATORS_OF_IDS)
@pytest.mark.parametrize("kind", ["integers", "strings", "characters"])
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
    estimator = create_estimator(name, **given, **universe)

    def fed():
        randomness = NumpyRandomness(4)
        return estimator.release(estimator.update(estimator.create(randomness), column, randomness), randomness)

    with_it, without_it = both_ways(fed)
    assert with_it == without_it


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40) | st.lists(st.integers(0, 2**64 - 1), max_size=40),
    st.integers(1, 2**62),
    st.binary(min_size=16, max_size=64),
)
def test_integers_fall_into_the_same_cells(ids, size, key):
    array = np.array(ids, dtype=np.uint64 if any(i >= 2**63 for i in ids) else np.int64)

    def cells():
        with mock.patch.object(cmac_cells, "MANY", 0), mock.patch.object(hashed_cells, "MANY", 0):
            return [f(array, size, key).tolist() for f in (cmac_cells.cmac_cells, hashed_cells.hashed_cells)]

    with_it, without_it = both_ways(cells)
    assert with_it == without_it
    assert without_it[0] == [cmac_cells.cmac_cell(i, size, key) for i in ids]


@given(st.lists(TEXT | st.text("aé\N{GRINNING FACE}", max_size=50), max_size=40), st.integers(1, 2**62))
@settings(max_examples=200)
def test_strings_fall_into_the_same_cells(ids, size):
    columns = (Strings.of(ids), np.array([i.replace("\0", "") for i in ids], dtype="U50"))

    def cells():
        with mock.patch.object(cmac_cells, "MANY", 0), mock.patch.object(hashed_cells, "MANY", 0):
            return [
                [f(column, size, KEY).tolist() for column in columns]
                for f in (cmac_cells.cmac_cells, hashed_cells.hashed_cells)
            ]

    with_it, without_it = both_ways(cells)
    assert with_it == without_it
    assert without_it[0][0] == [cmac_cells.cmac_cell(i, size, KEY) for i in ids]


@pytest.mark.parametrize("length", [*range(14, 19), 30, 31, 32, 33, 4000])
def test_strings_of_every_number_of_blocks_fall_into_the_same_cells(length):
    """One block more or less, and the subkey, hang on the length; a chunk has strings of several lengths."""
    ids = [*("x" * max(0, length - 2 + i % 5) for i in range(4100)), "", "é"]

    def cells():
        return cmac_cells.cmac_cells(Strings.of(ids), 10**9, KEY).tolist()

    with_it, without_it = both_ways(cells)
    assert with_it == without_it


def test_text_that_is_none_is_refused_alike():
    ids = np.array(["a"] * 5000 + ["\ud800"])

    def refused():
        with pytest.raises(InputError, match="must be Unicode text") as problem:
            cmac_cells.cmac_cells(ids, 100, KEY)
        return str(problem.value)

    with_it, without_it = both_ways(refused)
    assert with_it == without_it


@pytest.mark.parametrize("population", [1, 40, 41, 300])
def test_many_samples_are_ranked_alike(population):
    keys = np.random.default_rng(1).integers(0, 256, (5000, 16), dtype=np.uint8)

    def places():
        return KeyedSamples(population, max(1, population // 2), keys).places(np.arange(population)).tolist()

    with_it, without_it = both_ways(places)
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
    estimator, randomness = calibrated_bernoulli(universe=universe, epsilon=1, sample_size=m), NumpyRandomness(1)
    state = estimator.update(estimator.create(randomness), np.arange(80_000), randomness)
    print(estimator.release(state, randomness).hex())
"""
    with_it = run_in_a_new_process(code.replace("{missing}", "False"))
    without_it = run_in_a_new_process(code.replace("{missing}", "True"))
    assert (with_it[0], without_it[0]) == ("True", "False")
    assert with_it[1:] == without_it[1:]
    assert len(with_it) == 4
