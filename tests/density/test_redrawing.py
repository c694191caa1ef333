"""Batches, single ids and adders lead to the same state: under one seed, to the same bits."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pan_estimators.density.redrawing
import pan_estimators.density.touched
import pan_estimators.samples.sample_index
from pan_estimators import (
    Adder,
    EdgeUniverse,
    HashedUniverse,
    InputError,
    IntegerUniverse,
    KeyedSample,
    LabelUniverse,
    NumpyRandomness,
    SecureRandomness,
    calibrated_announced_intrusions,
    calibrated_bernoulli,
    calibrated_insert_delete,
    create_estimator,
    exact_counter,
    graph_density,
    laplace,
    optimal_bernoulli,
    pan_private_distinct_sampling,
)
from pan_estimators.density.touched import SortedMembers
from pan_estimators.samples.sample_index import SampleIndex, index_for, kept_index

KEY = bytes(range(16))
DELETING = calibrated_insert_delete(universe=2, epsilon=0.5, sample_size=2)
TYPES = ["int64", "uint64", "int32", "uint16", ">i8", ">u4"]


def from_now_on_large():
    """Batches of any size go through the compiled loops."""
    return (
        mock.patch.object(pan_estimators.density.redrawing, "LARGE", 1),
        mock.patch.object(pan_estimators.density.touched, "LARGE", 1),
    )


def fed_one_by_one(estimator, ids, seed, deletions=None):
    """The cells after single updates, in the reference order: one draw for each id."""
    randomness = NumpyRandomness(seed)
    state = estimator.create(randomness)
    for number, one in enumerate(ids):
        more = {} if deletions is None else {"deletions": bool(deletions[number])}
        state = estimator.update(state, int(one), randomness, **more)
    return state.cells.tolist()


def plainly(estimator, ids, seed, deletions):
    """The definition in plain Python: a draw for each insertion, then one for each deletion; the last one decides."""
    randomness = NumpyRandomness(seed)
    cells = estimator.create(randomness).cells.tolist()
    first = estimator.universe.first
    drawn = randomness.bernoulli(estimator.cells.p_upd, len(ids)).tolist()
    again = iter(randomness.bernoulli(estimator.cells.p_init, sum(deletions)).tolist())
    for one, bit, deletion in zip(ids.tolist(), drawn, deletions, strict=True):
        cells[one - first] = next(again) if deletion else bit
    return cells


@st.composite
def batches(draw):
    """A universe in which everyone is sampled, a batch of ids with repetitions, and flags of deletions."""
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    limits = np.iinfo(dtype)
    size = draw(st.integers(1, 300))
    least, most = max(int(limits.min), -(2**62)), min(int(limits.max), 2**62) - size + 1
    first = draw(st.sampled_from([least, max(least, 0), most]) | st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    length = draw(st.integers(1, 2 * size))
    ids = (rng.integers(0, size, length) + first).astype(dtype)
    layout = draw(st.sampled_from(["as it is", "strided", "reversed"]))
    ids = {"as it is": ids, "strided": np.repeat(ids, 3)[::3], "reversed": ids[::-1]}[layout]
    return IntegerUniverse(size, first), ids, rng.random(length) < 0.3


@given(batches(), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_a_large_batch_of_everyone_draws_what_its_ids_draw_one_by_one(batch, seed):
    universe, ids, _ = batch
    given = ids.copy()
    estimator = optimal_bernoulli(universe=universe, epsilon=0.5, sample_size=universe.size)
    randomness = NumpyRandomness(seed)
    first, second = from_now_on_large()
    with (
        first,
        second,
        mock.patch.object(pan_estimators.density.redrawing, "touched_places", side_effect=AssertionError),
    ):
        state = estimator.update(estimator.create(randomness), ids, randomness)
    assert state.cells.tolist() == fed_one_by_one(estimator, ids, seed)
    assert np.array_equal(ids, given)


@given(batches(), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_a_large_batch_with_deletions_is_the_plain_definition(batch, seed):
    universe, ids, deletions = batch
    estimator = replace(DELETING, universe=universe, sample_size=universe.size)
    randomness = NumpyRandomness(seed)
    first, second = from_now_on_large()
    deletions[0] = True
    with first, second:
        state = estimator.update(estimator.create(randomness), ids, randomness, deletions=deletions)
    assert state.cells.tolist() == plainly(estimator, ids, seed, deletions.tolist())


@given(batches(), st.data())
@settings(max_examples=50, deadline=None)
def test_an_id_out_of_range_anywhere_leaves_all_cells_as_they_were(batch, data):
    universe, ids, _ = batch
    limits = np.iinfo(ids.dtype)
    ends = (universe.first - 1, universe.first + universe.size, int(limits.min), int(limits.max))
    outside = [i for i in ends if limits.min <= i <= limits.max and not 0 <= i - universe.first < universe.size]
    if not outside:
        return
    ids = ids.copy()
    ids[data.draw(st.integers(0, ids.size - 1))] = wrong = data.draw(st.sampled_from(outside))
    estimator = optimal_bernoulli(universe=universe, epsilon=0.5, sample_size=universe.size)
    state = estimator.create(NumpyRandomness(1))
    before, randomness = state.cells.copy(), NumpyRandomness(2)
    first, second = from_now_on_large()
    with first, second, pytest.raises(InputError, match=f"id {wrong} is outside the universe"):
        estimator.update(state, ids, randomness)
    assert np.array_equal(state.cells, before)
    assert randomness.generator.random() == NumpyRandomness(2).generator.random()


def test_hashed_ids_of_everyone_go_the_same_way():
    universe = HashedUniverse(5000, KEY)
    ids = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, 400)
    estimator = calibrated_bernoulli(universe=universe, epsilon=0.5, sample_size=5000)
    randomness = NumpyRandomness(3)
    first, second = from_now_on_large()
    with (
        first,
        second,
        mock.patch.object(pan_estimators.density.redrawing, "touched_places", side_effect=AssertionError),
    ):
        state = estimator.update(estimator.create(randomness), ids, randomness)
    assert state.cells.tolist() == fed_one_by_one(estimator, ids, 3)


def test_an_empty_batch_draws_nothing():
    for sample_size in (9, 20):
        estimator, randomness = (
            calibrated_bernoulli(universe=20, epsilon=1, sample_size=sample_size),
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
@pytest.mark.parametrize("part", [1, 2])
def test_one_id_is_drawn_as_in_an_array_and_by_an_adder(universe, make, part):
    users, ids = UNIVERSES[universe]
    estimator = FACTORIES[make](universe=users, epsilon=0.4, sample_size=users.size // part)
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
        index = SampleIndex.of(members)
        assert [sample.position(int(i)) for i in asked] == places
        assert index.positions(asked).tolist() == places
        assert [index.position(int(i)) for i in asked] == places


def test_a_sample_is_indexed_when_as_many_ids_have_been_asked_for_and_as_long_as_it_lives():
    sample = KeyedSample(10**9, 70_000, KEY)
    kept = pan_estimators.samples.sample_index._kept
    assert index_for(sample, 69_999) is None
    index = index_for(sample, 1)
    assert index is not None
    assert index_for(KeyedSample(10**9, 70_000, KEY), 1) is index is kept_index(sample)
    held = len(kept)
    del sample, index
    gc.collect()
    assert len(kept) == held - 1
    assert index_for(KeyedSample(10**9, 2**22 + 1, KEY), 10**6) is None


def test_an_update_is_the_same_with_the_index_and_without():
    estimator = calibrated_bernoulli(universe=10**6, epsilon=0.5, sample_size=3000)
    cells, ids = [], np.random.default_rng(5).integers(0, 10**6, 50_000)
    for indexed in (False, True):
        randomness = NumpyRandomness(6)
        state = estimator.create(randomness)
        pan_estimators.samples.sample_index._kept.clear()
        pan_estimators.samples.sample_index._latest = (lambda: None, lambda: None)
        if indexed:
            kept_index(state.sample)
        for batch in (ids[:10_000], ids[10_000:30_000:7], int(ids[0]), ids[30_000:]):
            estimator.update(state, batch, randomness)
        assert (state.sample in pan_estimators.samples.sample_index._kept) == indexed
        cells.append(state.cells.tolist())
    assert cells[0] == cells[1]


def test_an_adder_goes_on_when_something_else_is_done_to_the_state():
    estimator = calibrated_announced_intrusions(universe=40, epsilon=0.4, sample_size=30)
    ways = [NumpyRandomness(2), NumpyRandomness(2)]
    states = [estimator.create(way) for way in ways]
    adder = Adder(estimator, states[1], ways[1])
    for one in range(40):
        if one == 20:
            for state, way in zip(states, ways, strict=True):
                estimator.announce(state, way)
        if one == 30:
            states[1].cells = states[1].cells.copy()
        estimator.update(states[0], one, ways[0])
        adder.add(one)
    assert states[0].cells.tolist() == adder.state.cells.tolist()


def test_an_adder_asks_the_estimator_after_a_release():
    """The last release that the promise covers erases a state, which takes no more updates."""
    estimator, randomness = calibrated_bernoulli(universe=40, epsilon=0.4, sample_size=40), NumpyRandomness(2)
    state = estimator.create(randomness)
    adder = Adder(estimator, state, randomness)
    state.releases = getattr(state, "releases", 0) + 1
    with mock.patch.object(type(estimator), "update", side_effect=InputError("erased")):
        for _ in range(2):
            with pytest.raises(InputError, match="erased"):
                adder.add(3)


def test_an_adder_deletes_where_the_estimator_does():
    estimator = calibrated_insert_delete(universe=40, epsilon=0.4, sample_size=30)
    ways = [NumpyRandomness(2), NumpyRandomness(2)]
    states = [estimator.create(way) for way in ways]
    adder = Adder(estimator, states[1], ways[1])
    for one in [*range(40), *range(10)]:
        estimator.update(states[0], one, ways[0], deletions=one % 3 == 0)
        (adder.delete if one % 3 == 0 else adder.add)(one)
    assert states[0].cells.tolist() == adder.state.cells.tolist()
    with pytest.raises(InputError, match="has no deletions"):
        Adder(calibrated_bernoulli(universe=9, epsilon=1, sample_size=9), states[0], ways[0]).delete(3)


@pytest.mark.parametrize("one", [-8, 23, "x", True, 2.5, None])
def test_an_adder_and_an_update_refuse_the_same_ids(one):
    users = IntegerUniverse(30, -7)
    for size in (30, 11):
        estimator, randomness = calibrated_bernoulli(universe=users, epsilon=1, sample_size=size), NumpyRandomness(1)
        state = estimator.create(randomness)
        for take in (Adder(estimator, state, randomness).add, partial(estimator.update, state, randomness=randomness)):
            with pytest.raises(InputError):
                take(one)


@pytest.mark.parametrize("users", [IntegerUniverse(30), HashedUniverse(30), LabelUniverse("ab")])
@pytest.mark.parametrize("several", [[1, 2], ["a", "b"], np.array([1, 2]), (), []])
def test_an_adder_takes_no_several_ids_for_one(users, several):
    estimator, randomness = calibrated_bernoulli(universe=users, epsilon=1, sample_size=2), NumpyRandomness(1)
    adder = Adder(estimator, estimator.create(randomness), randomness)
    with pytest.raises(InputError):
        adder.add(several)


def test_integers_beyond_64_bits_are_refused_by_a_hash_as_in_a_list():
    universe = HashedUniverse(99, KEY)
    for one in (2**64, -(2**63) - 1):
        with pytest.raises(InputError, match="64 bits"):
            universe.encode_one(one)


@pytest.mark.parametrize("make", [exact_counter, pan_private_distinct_sampling])
def test_an_adder_feeds_estimators_that_keep_no_cells(make):
    parameters = {} if make is exact_counter else {"epsilon": 0.5, "sample_size": 10}
    estimator = make(universe=50, **parameters)
    ways = [NumpyRandomness(2), NumpyRandomness(2)]
    states = [estimator.create(way) for way in ways]
    adder = Adder(estimator, states[1], ways[1])
    for one in range(0, 50, 3):
        states[0] = estimator.update(states[0], one, ways[0])
        adder.add(one)
    assert estimator.release(states[0], ways[0]) == estimator.release(adder.state, ways[1])


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


@pytest.mark.parametrize("length", [2000, 70_000])
@pytest.mark.parametrize(
    ("name", "deletions"), [("calibrated-insert-delete", True), ("calibrated-bernoulli", False), ("dwork", False)]
)
def test_the_places_that_a_batch_touched_are_not_left_in_memory(deletions, length, name):
    estimator, randomness = create_estimator(name, universe=10**5, epsilon=0.5, sample_size=900), NumpyRandomness(1)
    state, found = estimator.create(randomness), []

    def kept(*arguments):
        found.append(pan_estimators.density.touched.touched_places(*arguments))
        assert max(map(len, found[0])) > 0
        return found[0]

    ids = np.random.default_rng(2).integers(0, 10**5, length)
    more = {"deletions": ids % 2 == 0} if deletions else {}
    with mock.patch.object(pan_estimators.density.redrawing, "touched_places", kept):
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
            estimator = calibrated_bernoulli(universe=universe, epsilon=0.5, sample_size=size)
            estimator.update(estimator.create(SecureRandomness()), ids, SecureRandomness())
        assert (ids == before).all()


def test_members_of_a_list_are_found_one_by_one():
    listed = SortedMembers(np.array([0, 3, 4, 9]))
    assert [listed.position(i) for i in range(12)] == listed.positions(np.arange(12)).tolist()
