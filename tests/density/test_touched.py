"""The compiled loops find the same cells as looking every id up, and refuse the same ids."""

from __future__ import annotations

import os
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pan_estimators.density.marks
import pan_estimators.density.touched
import pan_estimators.samples.sample_index
from pan_estimators import (
    HashedUniverse,
    InputError,
    IntegerUniverse,
    KeyedSample,
    LabelUniverse,
    ListedSample,
    NumpyRandomness,
    WholePopulation,
    calibrated_bernoulli,
    calibrated_insert_delete,
    optimal_bernoulli,
)
from pan_estimators.density.marks import mark_members
from pan_estimators.density.touched import SortedMembers, touched_places
from pan_estimators.samples.sample_index import SampleIndex

TYPES = ["int64", "uint64", "int32", "uint32", "int16", "uint8", ">i8", ">u4"]
KEY = bytes(range(16))


def plainly(universe, sample, ids, deletions=None):
    """The definition: the last update of every user decides."""
    numbers = [int(i) - universe.first for i in ids]
    place_of = {int(user): place for place, user in enumerate(sample.members())}
    flags = [False] * len(numbers) if deletions is None else np.broadcast_to(deletions, len(numbers)).tolist()
    last = {place_of[user]: flag for user, flag in zip(numbers, flags, strict=True) if user in place_of}
    return sorted(p for p, flag in last.items() if not flag), sorted(p for p, flag in last.items() if flag)


def forget_samples():
    """No sample has been asked for, and none is indexed."""
    pan_estimators.samples.sample_index._kept.clear()
    pan_estimators.samples.sample_index._asked.clear()
    pan_estimators.samples.sample_index._latest = (lambda: None, lambda: None)


def compiled(*arguments):
    """What the compiled loops say, or ``None`` where they are not used."""
    touched = pan_estimators.density.touched
    forget_samples()
    with (
        mock.patch.object(touched, "LARGE", 1),
        mock.patch.object(pan_estimators.samples.sample_index, "LARGE", 1),
        mock.patch.object(pan_estimators.density.marks, "_CHUNK", 1000),
        mock.patch.object(touched, "_looked_up", return_value=None),
    ):
        places = touched_places(*arguments)
    return places and [part.tolist() for part in places]


def looked_up(*arguments):
    forget_samples()
    with (
        mock.patch.object(pan_estimators.density.touched, "LARGE", 10**9),
        mock.patch.object(pan_estimators.samples.sample_index, "LARGE", 10**9),
    ):
        return [part.tolist() for part in touched_places(*arguments)]


@st.composite
def batches(draw):
    """A universe of integers, a sample of it, a batch of ids with many repetitions, and perhaps deletions."""
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    limits = np.iinfo(dtype)
    size = draw(st.sampled_from([1, 2, 50, 10**4, 10**6, 2**40]).filter(lambda size: size <= int(limits.max)))
    least, most = max(int(limits.min), -(2**62)), min(int(limits.max), 2**62) - size + 1
    first = draw(st.sampled_from([least, max(least, 0), most]) | st.integers(least, most))
    m = min(size, draw(st.integers(1, 300) | st.sampled_from([1, 2, size if size <= 10**4 else 300])))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if draw(st.booleans()):
        sample = KeyedSample(size, m, rng.bytes(16)) if m < size else WholePopulation(size)
    else:
        sample = SortedMembers(np.unique(rng.integers(0, size, m))) if m < size else SortedMembers(np.arange(size))
    length = draw(st.sampled_from([1, 7, 1023, 1024, 1025, 5000]))
    pool = np.concatenate([rng.integers(0, size, 40), [0, size - 1], rng.choice(sample.members().astype(np.int64), 10)])
    ids = (rng.choice(pool, length) + first).astype(dtype)
    deletions = draw(st.sampled_from([None, "some", True]))
    return IntegerUniverse(size, first), sample, ids, rng.random(length) < 0.3 if deletions == "some" else deletions


@given(batches())
@settings(max_examples=150)
def test_both_ways_find_the_touched_cells(batch):
    expected = [*map(list, plainly(*batch))]
    assert looked_up(*batch) == expected
    assert compiled(*batch) in (None, expected)


@given(batches(), st.data())
@settings(max_examples=60)
def test_an_id_out_of_range_anywhere_is_refused_as_before(batch, data):
    universe, sample, ids, deletions = batch
    limits = np.iinfo(ids.dtype)
    first, end = universe.first, universe.first + universe.size
    outside = [i for i in (first - 1, end, int(limits.min), int(limits.max)) if limits.min <= i <= limits.max]
    outside = [i for i in outside if not first <= i < end]
    if not outside:
        return
    ids = ids.copy()
    wrong = data.draw(st.sampled_from(outside))
    ids[data.draw(st.sampled_from([0, ids.size // 2, ids.size - 1]))] = wrong
    for way in (looked_up, compiled):
        with pytest.raises(InputError, match=f"id {wrong} is outside the universe"):
            way(universe, sample, ids, deletions)


def test_the_compiled_loops_are_used_for_large_batches_of_every_kind_of_sample():
    """Else the tests above would compare nothing."""
    ids = np.random.default_rng(1).integers(0, 10**6, 4000)
    members = np.unique(ids[:50])
    for sample in (KeyedSample(10**6, 50, KEY), ListedSample(10**6, members), SortedMembers(members)):
        places = compiled(IntegerUniverse(10**6), sample, ids)
        assert places == [*map(list, plainly(IntegerUniverse(10**6), sample, ids))]
    assert compiled(IntegerUniverse(5000), WholePopulation(5000), ids % 5000)[0] == np.unique(ids % 5000).tolist()


@pytest.mark.parametrize("change", ["strided", "reversed", "read-only", "unaligned", "column"])
def test_arrays_in_any_layout_are_read_as_they_are(change):
    base = np.random.default_rng(2).integers(0, 10**6, 3000)
    if change == "strided":
        ids = base[::3]
    elif change == "reversed":
        ids = base[::-1]
    elif change == "column":
        ids = base.reshape(-1, 3)[:, 1]
    elif change == "unaligned":
        ids = np.frombuffer(b"?" + base.tobytes(), dtype=np.int64, offset=1)
        assert not ids.flags.aligned
    else:
        ids = base
        ids.setflags(write=False)
    sample, universe = KeyedSample(10**6, 400, KEY), IntegerUniverse(10**6)
    assert compiled(universe, sample, ids) == looked_up(universe, sample, ids)
    deletions = (ids % 3 == 0)[::-1]
    assert compiled(universe, sample, ids, deletions) == looked_up(universe, sample, ids, deletions)


@pytest.mark.parametrize("single", [5, np.int32(5), np.array(5), [5]])
def test_a_single_id_of_any_kind_is_an_update(single):
    sample = SortedMembers(np.array([2, 5, 7]))
    assert looked_up(IntegerUniverse(9), sample, single) == [[1], []]
    assert touched_places(HashedUniverse(9, KEY), WholePopulation(9), np.array("ann"))[0].size == 1


def test_a_universe_at_the_ends_of_the_integers_is_not_mistaken_modulo_a_power_of_two():
    low, high = IntegerUniverse(10, -3), IntegerUniverse(10, 2**63 - 4)
    sample = SortedMembers(np.arange(9))
    with pytest.raises(InputError, match="18446744073709551615 is outside"):
        compiled(low, sample, np.full(100, 2**64 - 1, dtype=np.uint64))
    with pytest.raises(InputError, match="-9223372036854775808 is outside"):
        compiled(high, sample, np.full(100, -(2**63)))


def test_members_whose_addresses_collide_are_all_found():
    """Multiples of a power of two have products whose leading digits repeat."""
    members = (np.arange(400, dtype=np.uint64) << np.uint64(50)) + np.uint64(5)
    ids = np.concatenate([members, members + np.uint64(1), members - np.uint64(5)])
    index = SampleIndex.of(members)
    marks = mark_members(ids, 0, 2**60, index, np.array([1], dtype=np.uint8))
    assert marks.tolist() == [1] * 400
    assert mark_members(ids[400:], 0, 2**60, index, np.array([1], dtype=np.uint8)).sum() == 0
    assert index.positions(ids).tolist() == [*range(400), *[-1] * 800]
    assert [index.position(int(i)) for i in ids] == index.positions(ids).tolist()


@pytest.mark.parametrize("make", [optimal_bernoulli, calibrated_bernoulli, calibrated_insert_delete])
@pytest.mark.parametrize("m", [300, 5000])
def test_a_large_batch_leaves_the_state_that_looking_up_leaves(make, m):
    """The draws are made in the same order, so that a seed means the same."""
    estimator = make(universe=5000, epsilon=0.5, sample_size=m)
    ids = np.random.default_rng(3).integers(0, 5000, 70_000)
    more = {"deletions": ids % 7 == 0} if make is calibrated_insert_delete else {}
    cells = []
    for large in (1, 10**9):
        with mock.patch.object(pan_estimators.density.touched, "LARGE", large):
            randomness = NumpyRandomness(4)
            state = estimator.update(estimator.create(randomness), ids, randomness, **more)
            cells.append((state.cells.tolist(), randomness.generator.random()))
    assert cells[0] == cells[1]


def test_a_refused_batch_changes_nothing():
    estimator = calibrated_bernoulli(universe=10**6, epsilon=0.5, sample_size=500)
    state = estimator.create(NumpyRandomness(1))
    before = state.cells.copy()
    ids = np.random.default_rng(3).integers(0, 10**6, 70_000)
    ids[-1] = 10**6
    randomness = NumpyRandomness(5)
    with pytest.raises(InputError, match="id 1000000 is outside the universe"):
        estimator.update(state, ids, randomness)
    assert np.array_equal(state.cells, before)
    assert randomness.generator.random() == NumpyRandomness(5).generator.random()


def test_labels_go_through_the_same_loops():
    labels = [f"user {i}" for i in range(500)]
    universe = LabelUniverse(labels)
    sample, ids = SortedMembers(np.arange(0, 500, 7)), np.array(labels * 3)[::2]
    assert compiled(universe, sample, ids) == looked_up(universe, sample, ids)
    assert len(compiled(universe, sample, ids)[0]) > 30


def run_in_a_new_process(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


MARKING = """
import numpy as np
from calendar import isleap
from numba import types
from pan_estimators.kernels import compiled
from pan_estimators.density.marks import mark_everyone
one = np.ones(1, dtype=np.uint8)
print(mark_everyone(np.arange(5), 2, 9, one), mark_everyone(np.arange(3), 0, 5, one).sum())
print(type(compiled.machine_code(types.boolean(types.int64), isleap)._cache).__name__)
"""


def test_without_a_place_for_the_compiled_code_everything_still_works():
    """No folder can be made under /proc, not even by the superuser; numba is told to look nowhere else."""
    nowhere = {"NUMBA_CACHE_DIR": "/proc/nowhere", "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    assert run_in_a_new_process(MARKING, **nowhere) == ["None", "3", "NullCache"]


@pytest.mark.more
def test_compiled_code_that_is_damaged_is_compiled_again(tmp_path):
    assert run_in_a_new_process(MARKING, NUMBA_CACHE_DIR=str(tmp_path))[:2] == ["None", "3"]
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) >= 4
    for file in files:
        file.write_bytes(b"damaged")
    assert run_in_a_new_process(MARKING, NUMBA_CACHE_DIR=str(tmp_path))[:2] == ["None", "3"]


def test_numba_is_imported_only_when_a_batch_is_large():
    code = """
import sys, numpy as np
from pan_estimators import NumpyRandomness, calibrated_bernoulli, create_estimator
estimator, randomness = calibrated_bernoulli(universe=10**6, epsilon=1, sample_size=9), NumpyRandomness(1)
state = estimator.update(estimator.create(randomness), np.arange(1000), randomness)
print("numba" in sys.modules)
estimator.update(state, np.arange(10**5), randomness)
print("numba" in sys.modules)
"""
    assert run_in_a_new_process(code) == ["False", "True"]
