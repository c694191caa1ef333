"""The two hashes of ids: each is what it is defined to be, in every layout, and a saved key means the same for ever."""

from __future__ import annotations

import hashlib
from unittest import mock

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.cmac import CMAC
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators import (
    HashedUniverse,
    InputError,
    NumpyRandomness,
    calibrated_bernoulli,
    estimator_from_dict,
    kernels,
    load_state,
    save_state,
)
from pan_estimators.universes import cmac_cells
from pan_estimators.universes.columns import Strings
from pan_estimators.universes.hashed_cells import hashed_cells
from pan_estimators.universes.universe import universe_from_dict

KEY = bytes(range(16))
SIZES = st.sampled_from([1, 2, 1000, 2**20, 2**32 + 15, 10**12, 2**62 - 57, 2**62]) | st.integers(1, 2**62)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6) | st.sampled_from(
    [letter * length for letter in "xé𝄞" for length in (7, 8, 14, 15, 16, 17, 30, 31, 32, 33, 47, 48, 200)]
)
LENIENT = 1e-6


def by_cmac(value, size, key):
    """The definition, with the library's AES-CMAC."""
    code = CMAC(algorithms.AES(hashlib.blake2b(digest_size=16, key=key, person=b"cells, AES-CMAC").digest()))
    code.update(value.to_bytes(9, "little", signed=True) + b"i" if isinstance(value, int) else value.encode() + b"s")
    return int.from_bytes(code.finalize()) * size >> 128


def by_blake2b(value, size, key):
    """The definition, with the standard library's BLAKE2b."""
    text = f"i{value}" if isinstance(value, int) else f"s{value}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16, key=key).digest(), "little") % size


HASHES = {"aes-cmac": by_cmac, "blake2b": by_blake2b}


def every_way(name, ids, size, key):
    """By the compiled loops and by those of numpy, in chunks so small that there are several, and one by one."""
    if name == "blake2b":
        return hashed_cells(ids, size, key).tolist()
    with mock.patch.object(cmac_cells, "MANY", 1), mock.patch.object(cmac_cells, "_CHUNK", 3):
        compiled = cmac_cells.cmac_cells(ids, size, key).tolist()
        with mock.patch.object(kernels, "compiling", return_value=False):
            assert cmac_cells.cmac_cells(ids, size, key).tolist() == compiled
    with mock.patch.object(cmac_cells, "MANY", 10**9):
        assert cmac_cells.cmac_cells(ids, size, key).tolist() == compiled
    return compiled


@pytest.mark.parametrize("name", HASHES)
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=9) | st.lists(st.integers(0, 2**64 - 1), max_size=9),
    SIZES,
    st.binary(min_size=16, max_size=64),
)
@settings(max_examples=25, deadline=None)
def test_integers_have_the_cells_of_the_definition(name, ids, size, key):
    array = np.array(ids, dtype=np.uint64 if any(i >= 2**63 for i in ids) else np.int64)
    assert every_way(name, array, size, key) == [HASHES[name](i, size, key) for i in ids]
    assert [HashedUniverse(size, key, name).encode_one(i) for i in ids] == every_way(name, array, size, key)


@given(st.lists(TEXT, min_size=1, max_size=9), SIZES, st.binary(min_size=16, max_size=64))
@settings(max_examples=50, deadline=None)
def test_strings_have_the_cells_of_the_definition_however_they_are_kept(ids, size, key):
    expected = [by_cmac(i, size, key) for i in ids]
    of_one_width = np.array(ids)
    objects = np.empty(len(ids), dtype=object)
    objects[:] = ids
    for column in (
        of_one_width,
        of_one_width.astype(of_one_width.dtype.newbyteorder("S")),
        np.repeat(of_one_width, 2)[::2],
        of_one_width[::-1].copy()[::-1],
        objects,
        Strings.of(ids),
    ):
        assert every_way("aes-cmac", column, size, key) == expected
    assert every_way("blake2b", Strings.of(ids), size, key) == [by_blake2b(i, size, key) for i in ids]
    for name, definition in HASHES.items():
        assert [HashedUniverse(size, key, name).encode_one(i) for i in ids] == [definition(i, size, key) for i in ids]


@pytest.mark.parametrize("dtype", ["int8", "int32", ">i8", ">u4", "uint64", "bool"])
def test_integers_of_every_type_and_layout_are_the_same_numbers(dtype):
    if dtype == "bool":
        with pytest.raises(InputError, match="integers or strings"):
            HashedUniverse(99, KEY).encode(np.ones(5000, dtype=bool))
        return
    numbers = np.arange(10_000) % 100
    universe = HashedUniverse(10**12, KEY)
    expected = [by_cmac(i, 10**12, KEY) for i in range(100)] * 50
    for ids in (numbers.astype(dtype)[:5000], np.repeat(numbers, 2).astype(dtype)[::2][:5000]):
        assert universe.encode(ids).tolist() == expected
    assert universe.encode(numbers.astype(dtype)[4999::-1]).tolist() == expected[::-1]


def test_text_that_is_none_is_refused_and_named():
    universe = HashedUniverse(99, KEY)
    for ids in ("\ud800", ["a", "\ud800"], np.array(["a"] * 6000 + ["\udfff"]), ["b"] * 20_000 + ["\ud800"]):
        for compiling in (True, False):
            with (
                mock.patch.object(kernels, "compiling", return_value=compiling),
                pytest.raises(InputError, match=r"ids must be Unicode text, got '\\ud"),
            ):
                universe.encode(ids)
        with pytest.raises(InputError, match="ids"):
            HashedUniverse(99, KEY, "blake2b").encode(ids)


def test_a_key_means_the_same_cells_in_all_versions():
    """Of states that were saved, which must be read with the hash that they were made with."""
    old = universe_from_dict({"kind": "hashed", "size": 10**6, "key": KEY.hex()})
    assert old == HashedUniverse(10**6, KEY, "blake2b")
    assert old.encode(["ann", "bob"]).tolist() == OLD
    assert [by_blake2b(name, 10**6, KEY) for name in ("ann", "bob")] == OLD
    new = HashedUniverse(10**6, KEY)
    assert new.encode(["ann", "bob"]).tolist() == NEW
    assert new.encode([7, -7]).tolist() == NUMBERS
    for universe in (old, new):
        assert universe_from_dict(universe.to_dict()) == universe
    assert "hash" not in old.to_dict()
    assert new.to_dict()["hash"] == "aes-cmac"


OLD, NEW, NUMBERS = [640600, 37587], [779489, 851092], [262029, 570035]


@pytest.mark.parametrize("wrong", ["md5", "", None, ["aes-cmac"], 3])
def test_another_hash_is_refused_by_name(wrong):
    with pytest.raises(InputError, match="aes-cmac or blake2b"):
        HashedUniverse(99, KEY, wrong)
    with pytest.raises(InputError, match="aes-cmac or blake2b"):
        universe_from_dict({"kind": "hashed", "size": 9, "key": KEY.hex(), "hash": wrong})


def test_a_state_saved_with_the_old_hash_goes_on_with_it(tmp_path):
    estimator = calibrated_bernoulli(universe=HashedUniverse(500, KEY, "blake2b"), promise_epsilon=2, sample_size=500)
    randomness = NumpyRandomness(1)
    state = estimator.update(estimator.create(randomness), ["ann"], randomness)
    save_state(tmp_path / "state", estimator, state)
    loaded, again = load_state(tmp_path / "state")
    assert loaded == estimator
    assert loaded.universe.encode(["ann"]).tolist() == [by_blake2b("ann", 500, KEY)]
    assert np.array_equal(again.cells, state.cells)
    assert estimator_from_dict(estimator.to_dict()).universe.hash == "blake2b"


def test_the_blocks_in_which_ids_were_hashed_are_cleared():
    rooms = []

    class Seen(cmac_cells._Room):
        def __init__(self, key):
            super().__init__(key)
            rooms.append(self)

    ids = np.random.default_rng(1).integers(0, 2**40, 5000)
    with mock.patch.object(cmac_cells, "_Room", Seen):
        HashedUniverse(99, KEY).encode(ids)
        HashedUniverse(99, KEY).encode(ids.astype("U30"))
    assert len(rooms) >= 2
    assert not any(room.blocks.any() or room._room.any() for room in rooms)
