"""Batches, single ids and adders lead to the same state under one seed, by every way to look ids up."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from dataclasses import replace
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators import (
    Adder,
    EdgeUniverse,
    HashedUniverse,
    InputError,
    IntegerUniverse,
    KeyedSample,
    LabelUniverse,
    ListedSample,
    NumpyRandomness,
    SecureRandomness,
    WholePopulation,
    calibrated_bernoulli,
    calibrated_insert_delete,
    create_estimator,
    graph_density,
    kernels,
    laplace,
    optimal_bernoulli,
)
from pan_estimators.common.registry import with_budget
from pan_estimators.density import redrawing
from pan_estimators.density.redrawing import SortedMembers, touched_places
from pan_estimators.samples import sample_index
from pan_estimators.samples.sample_index import index_for, kept_index
from tests.public.density.instances import budgeted

KEY = bytes(range(16))
DELETING = calibrated_insert_delete(universe=2, promise_epsilon=1, sample_size=2)
TYPES = ["int64", "uint64", "int32", "uint32", "int16", "uint8", ">i8", ">u4"]
LAYOUTS = ["as it is", "strided", "reversed", "read-only", "unaligned", "column"]


def forget_samples():
    """No sample has been asked for, and none is indexed."""
    sample_index._kept.clear()
    sample_index._asked.clear()
    sample_index._latest = (lambda: None, lambda: None)


def large_from(size):
    """Batches of this size go through the loops."""
    return mock.patch.multiple(redrawing, LARGE=size, _CHUNK=1000)


def compiled(*arguments):
    """What the loops say, or ``None`` where they are not used."""
    forget_samples()
    with (
        large_from(1),
        mock.patch.object(sample_index, "LARGE", 1),
        mock.patch.object(redrawing, "_looked_up", return_value=None),
    ):
        places = touched_places(*arguments)
    return places and [part.tolist() for part in places]


def without_numba(*arguments):
    with mock.patch.object(kernels, "compiling", return_value=False):
        return compiled(*arguments)


def looked_up(*arguments):
    forget_samples()
    with large_from(10**9), mock.patch.object(sample_index, "LARGE", 10**9):
        return [part.tolist() for part in touched_places(*arguments)]


WAYS = (looked_up, compiled, without_numba)


def laid_out(ids, layout):
    """The same numbers in another place of the memory."""
    if layout == "unaligned":
        found = np.frombuffer(b"?" + ids.tobytes(), dtype=ids.dtype, offset=1)
        assert ids.itemsize == 1 or not found.flags.aligned
        return found
    if layout == "read-only":
        ids.setflags(write=False)
    return {"strided": np.repeat(ids, 3)[::3], "reversed": ids[::-1], "column": np.stack([ids] * 3, axis=1)[:, 1]}.get(
        layout, ids
    )


@st.composite
def batches(draw, everyone=False):
    """A universe of integers, a sample of it, a batch of ids with many repetitions, and perhaps deletions."""
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    limits = np.iinfo(dtype)
    sizes = st.integers(1, 300) if everyone else st.sampled_from([1, 2, 50, 10**4, 10**6, 2**40])
    size = draw(sizes.filter(lambda size: size <= int(limits.max)))
    least, most = max(int(limits.min), -(2**62)), min(int(limits.max), 2**62) - size + 1
    first = draw(st.sampled_from([least, max(least, 0), most]) | st.integers(least, most))
    m = min(size, draw(st.integers(1, 300) | st.sampled_from([1, 2, size if size <= 10**4 else 300])))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if everyone or draw(st.booleans()):
        sample = KeyedSample(size, m, rng.bytes(16)) if m < size and not everyone else WholePopulation(size)
    else:
        sample = SortedMembers(np.unique(rng.integers(0, size, m))) if m < size else SortedMembers(np.arange(size))
    length = draw(st.integers(1, 2 * size) if everyone else st.sampled_from([1, 7, 1023, 1024, 1025, 5000]))
    pool = np.arange(size) if everyone else rng.integers(0, size, 40)
    pool = np.concatenate([pool, [0, size - 1], rng.choice(sample.members().astype(np.int64), 10)])
    ids = laid_out((rng.choice(pool, length) + first).astype(dtype), draw(st.sampled_from(LAYOUTS)))
    deletions = draw(st.sampled_from([None, "some", True]))
    return IntegerUniverse(size, first), sample, ids, rng.random(length) < 0.3 if deletions == "some" else deletions


def plainly_touched(universe, sample, ids, deletions=None):
    """The definition: the last update of every user decides."""
    numbers = [int(i) - universe.first for i in ids]
    place_of = {int(user): place for place, user in enumerate(sample.members())}
    flags = [False] * len(numbers) if deletions is None else np.broadcast_to(deletions, len(numbers)).tolist()
    last = {place_of[user]: flag for user, flag in zip(numbers, flags, strict=True) if user in place_of}
    return [sorted(p for p, flag in last.items() if flag is value) for value in (False, True)]


@given(batches())
@settings(max_examples=80)
def test_every_way_finds_the_touched_cells(batch):
    expected = plainly_touched(*batch)
    assert looked_up(*batch) == expected
    assert compiled(*batch) in (None, expected)
    assert without_numba(*batch) in (None, expected)


@given(batches(), st.data())
@settings(max_examples=30, deadline=None)
def test_an_id_out_of_range_anywhere_is_refused_and_changes_nothing(batch, data):
    universe, sample, ids, deletions = batch
    limits = np.iinfo(ids.dtype)
    first, end = universe.first, universe.first + universe.size
    outside = [i for i in (first - 1, end, int(limits.min), int(limits.max)) if limits.min <= i <= limits.max]
    outside = [i for i in outside if not first <= i < end]
    if not outside:
        return
    ids = ids.copy()
    ids[data.draw(st.sampled_from([0, ids.size // 2, ids.size - 1]))] = wrong = data.draw(st.sampled_from(outside))
    words = f"id {wrong} is outside the universe"
    for way in WAYS:
        with pytest.raises(InputError, match=words):
            way(universe, sample, ids, deletions)
    make = optimal_bernoulli if isinstance(sample, SortedMembers) else calibrated_bernoulli
    estimator = budgeted(make, 0.5, universe=universe, sample_size=sample.size)
    state, randomness = estimator.create(NumpyRandomness(1)), NumpyRandomness(2)
    before = state.cells.copy()
    with large_from(data.draw(st.sampled_from([1, 10**9]))), pytest.raises(InputError, match=words):
        estimator.update(state, ids, randomness)
    assert np.array_equal(state.cells, before)
    assert randomness.generator.random() == NumpyRandomness(2).generator.random()


def test_the_loops_are_used_for_large_batches_of_every_kind_of_sample():
    """Else the tests above would compare nothing."""
    ids = np.random.default_rng(1).integers(0, 10**6, 4000)
    members = np.unique(ids[:50])
    for way in (compiled, without_numba):
        for sample in (KeyedSample(10**6, 50, KEY), ListedSample(10**6, members), SortedMembers(members)):
            found = way(IntegerUniverse(10**6), sample, ids)
            assert found == plainly_touched(IntegerUniverse(10**6), sample, ids)
        assert way(IntegerUniverse(5000), WholePopulation(5000), ids % 5000)[0] == np.unique(ids % 5000).tolist()


@given(batches(everyone=True), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_batch_of_everyone_draws_a_bit_for_every_id_or_for_every_touched_cell(
    batch, hashed, deleting, in_order, seed
):
    universe, sample, ids, _ = batch
    deletions = (np.random.default_rng(seed).random(ids.size) < 0.3) if deleting else None
    given = ids.copy()
    numbers, users = ids, universe
    if hashed:
        users = HashedUniverse(universe.size, KEY)
        numbers, universe = users.encode(ids), IntegerUniverse(universe.size)
    estimator = replace(DELETING, universe=users, sample_size=users.size)
    ways = [NumpyRandomness(seed) for _ in range(2)]
    expected, state = (estimator.create(way) for way in ways)
    with large_from(1 if in_order else 10**9):
        state = estimator.update(state, ids, ways[1], deletions=deletions)
    if in_order and ids.size <= 2 * universe.size:
        # A draw for each insertion, then one for each deletion; the last one decides.
        flags = np.zeros(ids.size, dtype=bool) if deletions is None else deletions
        bits = ways[0].bernoulli(estimator.cells.p_upd, ids.size)
        bits[flags] = ways[0].bernoulli(estimator.cells.p_init, int(flags.sum()))
        for one, bit in zip(numbers.tolist(), bits.tolist(), strict=True):
            expected.cells[one - universe.first] = bit
    else:
        # One draw for each touched cell: first for the deleted users, then for the inserted ones, in order of places.
        inserted, deleted = plainly_touched(universe, sample, numbers, deletions)
        if deletions is not None and deletions.any():
            expected.cells[deleted] = ways[0].bernoulli(estimator.cells.p_init, len(deleted))
        expected.cells[inserted] = ways[0].bernoulli(estimator.cells.p_upd, len(inserted))
    assert state.cells.tolist() == expected.cells.tolist()
    assert np.array_equal(ids, given)


@pytest.mark.parametrize("make", [optimal_bernoulli, calibrated_insert_delete])
@pytest.mark.parametrize(("users", "m"), [(5000, 300), (90_000, 90_000), (10**6, 2000)])
def test_a_seed_leads_to_the_same_state_by_every_way(make, users, m):
    """The draws are made in the same order."""
    estimator = budgeted(make, 0.5, universe=users, sample_size=m)
    ids = np.random.default_rng(3).integers(0, users, 140_000)
    more = {"deletions": ids % 7 == 0} if make is calibrated_insert_delete else {}
    found = []
    for compiling, size in ((True, 1), (False, 1), (True, 10**9)):
        forget_samples()
        randomness = NumpyRandomness(4)
        with mock.patch.object(kernels, "compiling", return_value=compiling), large_from(size):
            state = estimator.update(estimator.create(randomness), ids, randomness, **more)
            adder = Adder(estimator, state, randomness)
            for one in ids[:300].tolist():
                adder.add(one)
        cells = adder.state.cells.tolist()
        found.append((cells, estimator.release(adder.state, randomness), randomness.generator.random()))
    assert found[0] == found[1]
    # A batch of everyone that is put in order draws a bit for every id.
    assert found[0] == found[2] or m == users


def test_an_empty_batch_draws_nothing():
    for sample_size in (9, 20):
        estimator, randomness = (
            calibrated_bernoulli(universe=20, promise_epsilon=2, sample_size=sample_size),
            NumpyRandomness(1),
        )
        state = estimator.create(randomness)
        before, left = state.cells.copy(), randomness.generator.bit_generator.state
        estimator.update(state, [], randomness)
        estimator.update(state, np.empty(0, dtype=np.uint64), randomness)
        assert np.array_equal(state.cells, before)
        assert randomness.generator.bit_generator.state == left


UNIVERSES = {
    "integers": (IntegerUniverse(30, -7), [-7, 22, 3, 3]),
    "hashed": (HashedUniverse(30, KEY), [5, "5", "é", -1, 2**64 - 1, ""]),
    "hashed long ago": (HashedUniverse(30, KEY, "blake2b"), [5, "5", "é", -1, 2**64 - 1, ""]),
    "labels": (LabelUniverse(map(str, range(30))), ["3", "29"]),
    "edges": (EdgeUniverse(9), [0, 35, 7]),
    "large": (IntegerUniverse(10**5), [99_999, 0, 5]),
}
FACTORIES = {
    "calibrated": calibrated_bernoulli,
    "printed": optimal_bernoulli,
    "real numbers": laplace,
    "deletions": calibrated_insert_delete,
}


@pytest.mark.parametrize("universe", UNIVERSES)
@pytest.mark.parametrize("make", FACTORIES)
def test_one_id_is_drawn_as_in_an_array_and_by_an_adder(universe, make):
    users, ids = UNIVERSES[universe]
    for size in (users.size, users.size // 2):
        estimator = budgeted(FACTORIES[make], 0.4, universe=users, sample_size=size)
        ways = [NumpyRandomness(8) for _ in range(3)]
        states = [estimator.create(way) for way in ways]
        adder = Adder(estimator, states[2], ways[2])
        for one in ids * 20:
            estimator.update(states[0], np.array([one], dtype=np.uint64 if one == 2**64 - 1 else None), ways[0])
            estimator.update(states[1], one, ways[1])
            adder.add(one)
        assert states[0].cells.tolist() == states[1].cells.tolist() == adder.state.cells.tolist()
        assert len({way.generator.random() for way in ways}) == 1


def test_every_member_of_a_keyed_sample_is_found_by_every_way_to_look():
    for population, size in ((50, 20), (4096, 4000), (4097, 300), (10**6, 20), (2**62, 40), (2**64, 9)):
        sample = KeyedSample(population, size, KEY)
        members = sample.members()
        others = np.random.default_rng(1).integers(0, min(population, 2**62), 50).astype(np.uint64)
        asked = np.concatenate([members.astype(np.uint64), others])
        places = sample.positions(asked).tolist()
        assert places[:size] == list(range(size))
        assert [sample.position(int(i)) for i in asked] == places


def test_a_sample_is_indexed_when_as_many_ids_have_been_asked_for_and_as_long_as_it_lives():
    sample = KeyedSample(10**9, 70_000, KEY)
    kept = sample_index._kept
    assert index_for(sample, 69_999) is None
    index = index_for(sample, 1)
    assert index is not None
    assert index_for(KeyedSample(10**9, 70_000, KEY), 1) is index is kept_index(sample)
    held = len(kept)
    del sample, index
    gc.collect()
    assert len(kept) == held - 1
    assert index_for(KeyedSample(10**9, 2**22 + 1, KEY), 10**6) is None


def test_an_adder_deletes_where_the_estimator_does():
    estimator = calibrated_insert_delete(universe=40, promise_epsilon=0.8, sample_size=30)
    ways = [NumpyRandomness(2), NumpyRandomness(2)]
    states = [estimator.create(way) for way in ways]
    adder = Adder(estimator, states[1], ways[1])
    for one in [*range(40), *range(10)]:
        estimator.update(states[0], one, ways[0], deletions=one % 3 == 0)
        (adder.delete if one % 3 == 0 else adder.add)(one)
    assert states[0].cells.tolist() == adder.state.cells.tolist()
    with pytest.raises(InputError, match="has no deletions"):
        Adder(calibrated_bernoulli(universe=9, promise_epsilon=2, sample_size=9), states[0], ways[0]).delete(3)


@pytest.mark.parametrize("one", [-8, 23, "x", True, 2.5, None, [1, 2], ["a"], np.array([1, 2]), ()])
def test_an_adder_refuses_several_ids_and_those_that_an_update_refuses(one):
    users = IntegerUniverse(30, -7)
    for size in (30, 11):
        estimator, randomness = (
            calibrated_bernoulli(universe=users, promise_epsilon=2, sample_size=size),
            NumpyRandomness(1),
        )
        state = estimator.create(randomness)
        with pytest.raises(InputError):
            Adder(estimator, state, randomness).add(one)
        if not isinstance(one, (list, tuple, np.ndarray)):
            with pytest.raises(InputError):
                estimator.update(state, one, randomness)


def test_an_adder_of_a_graph_takes_edges():
    estimator = graph_density(vertices=6, epsilon=0.5, sample_size=15)
    randomness = NumpyRandomness(2)
    adder = Adder(estimator, estimator.create(randomness), randomness)
    before = NumpyRandomness(2)
    state = estimator.update(estimator.create(before), [(2, 5)], before)
    adder.add((2, 5))
    assert adder.state.cells.tolist() == state.cells.tolist()
    with pytest.raises(InputError, match="is not an edge"):
        adder.add((5, 5))


@pytest.mark.parametrize(
    ("name", "deletions", "length"), [("calibrated-insert-delete", True, 2000), ("dwork", False, 70_000)]
)
def test_the_places_that_a_batch_touched_are_not_left_in_memory(deletions, length, name):
    estimator, randomness = (
        create_estimator(name, **with_budget(name, 0.5, {"universe": 10**5, "sample_size": 900})),
        NumpyRandomness(1),
    )
    state, found = estimator.create(randomness), []

    def kept(*arguments):
        found.append(touched_places(*arguments))
        assert max(map(len, found[0])) > 0
        return found[0]

    ids = np.random.default_rng(2).integers(0, 10**5, length)
    more = {"deletions": ids % 2 == 0} if deletions else {}
    with mock.patch.object(redrawing, "touched_places", kept):
        estimator.update(state, ids, randomness, **more)
    assert not any(places.any() for places in found[0])


def test_the_ids_that_were_given_stay_as_they_are():
    for universe, ids in (
        (IntegerUniverse(10**6), np.arange(1000)),
        (IntegerUniverse(10**6, -5), np.arange(1000)),
        (IntegerUniverse(10**6), np.arange(1000, dtype=np.uint64)),
        (IntegerUniverse(10**6), pd.Series(np.arange(1000))),
        (HashedUniverse(10**6), np.arange(1000)),
        (HashedUniverse(10**6), np.arange(10**5)),
        (LabelUniverse(map(str, range(1000))), np.arange(1000).astype(str)),
        (EdgeUniverse(1000), np.arange(1000)),
    ):
        before = ids.copy()
        for size in (900, universe.size if universe.size < 10**6 else 500):
            estimator = calibrated_bernoulli(universe=universe, promise_epsilon=1, sample_size=size)
            estimator.update(estimator.create(SecureRandomness()), ids, SecureRandomness())
        assert (ids == before).all()


def test_a_universe_at_the_ends_of_the_integers_is_not_mistaken_modulo_a_power_of_two():
    low, high = IntegerUniverse(10, -3), IntegerUniverse(10, 2**63 - 4)
    sample = SortedMembers(np.arange(9))
    with pytest.raises(InputError, match="18446744073709551615 is outside"):
        compiled(low, sample, np.full(100, 2**64 - 1, dtype=np.uint64))
    with pytest.raises(InputError, match="-9223372036854775808 is outside"):
        compiled(high, sample, np.full(100, -(2**63)))


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
from pan_estimators.density.redrawing import mark_users
one = np.ones(1, dtype=np.uint8)
print(mark_users(np.arange(5), 2, 9, one), mark_users(np.arange(3), 0, 5, one).sum())
print(type(compiled.machine_code(types.boolean(types.int64), isleap)._cache).__name__)
"""


def test_without_a_place_for_the_compiled_code_everything_still_works():
    """No folder can be made under /proc, not even by the superuser; numba is told to look nowhere else."""
    nowhere = {"NUMBA_CACHE_DIR": "/proc/nowhere", "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    assert run_in_a_new_process(MARKING, **nowhere) == ["None", "3", "NullCache"]


def test_numba_is_imported_only_when_a_batch_is_large():
    code = """
import sys, numpy as np
from pan_estimators import NumpyRandomness, calibrated_bernoulli, create_estimator
estimator, randomness = calibrated_bernoulli(universe=10**6, promise_epsilon=2, sample_size=9), NumpyRandomness(1)
state = estimator.update(estimator.create(randomness), np.arange(1000), randomness)
print("numba" in sys.modules)
estimator.update(state, np.arange(10**5), randomness)
print("numba" in sys.modules)
"""
    assert run_in_a_new_process(code) == ["False", "True"]
