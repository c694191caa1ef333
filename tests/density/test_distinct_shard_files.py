"""Files of shards: their mode, their key, damage, forgery, and the end of their use."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators import (
    DividedCounter,
    HashedUniverse,
    InputError,
    NumpyRandomness,
    StateFileError,
    load_shard,
    save_shard,
    save_state,
)
from pan_estimators.density.distinct_counter import distinct_counter

KEY = b"0123456789abcdef"


@pytest.fixture(scope="module")
def divided():
    universe = HashedUniverse(2**62, KEY)
    counter = distinct_counter(
        universe=universe, epsilon=1, levels=[[600, 2**50], [425, 2**40]], p_init=0.25, p_upd=0.75
    )
    return DividedCounter(counter, 3)


def shards(divided, users=2_000):
    ids = np.arange(users)
    workers, found = divided.workers_of(ids), []
    for worker in range(divided.workers):
        randomness = NumpyRandomness(worker)
        state = divided.create(worker, randomness)
        found.append(divided.update(worker, state, ids[workers == worker], randomness))
    return found


@pytest.mark.parametrize("apart", [False, True])
def test_shards_in_files_are_joined_as_those_in_memory(divided, tmp_path, apart):
    states = shards(divided)
    keys = [tmp_path / f"key{worker}" if apart else None for worker in range(3)]
    files = [tmp_path / f"shard{worker}" for worker in range(3)]
    for worker, (file, state) in enumerate(zip(files, states, strict=True)):
        save_shard(file, divided, worker, state, key_file=keys[worker])
        assert file.stat().st_mode & 0o777 == 0o600
        assert (KEY.hex().encode() in file.read_bytes()) is not apart
    loaded = [load_shard(file, key_file=key) for file, key in zip(files, keys, strict=True)]
    assert [one.worker for one in loaded] == [0, 1, 2]
    assert all(one.divided == divided for one in loaded)
    expected = np.concatenate([state.cells for state in states])
    assert np.array_equal(np.concatenate([one.state.cells for one in loaded]), expected)
    # A worker goes on from its file.
    one = loaded[1]
    one.divided.update(1, one.state, np.array([], dtype=np.int64), NumpyRandomness(1))
    joined = divided.join([one.state for one in loaded])
    assert int(joined.cells.sum()) == int(expected.sum())
    for worker, (file, key) in enumerate(zip(files, keys, strict=True)):
        save_shard(file, divided, worker, loaded[worker].state, key_file=key)
        assert key is None or not key.exists()
        again = load_shard(file, key_file=key)
        assert again.state.joined
        assert not again.state.cells.any()
        assert again.divided.counter.universe.key == bytes(16)
    with pytest.raises(InputError, match="joined and erased"):
        divided.join([load_shard(file).state for file in files])


def test_the_file_of_another_worker_or_counter_is_not_saved(divided, tmp_path):
    states = shards(divided)
    other = DividedCounter(divided.counter, 2)
    with pytest.raises(InputError, match="worker 0 has"):
        save_shard(tmp_path / "s", other, 0, states[0])
    with pytest.raises(InputError, match="have the numbers 0 to 2"):
        save_shard(tmp_path / "s", divided, 3, states[0])
    plain = DividedCounter(distinct_counter(universe=9, epsilon=1, levels="3:2,2:1", p_init=0.25, p_upd=0.75), 1)
    state = plain.create(0, NumpyRandomness(1))
    with pytest.raises(InputError, match="no key to keep apart"):
        save_shard(tmp_path / "s", plain, 0, state, key_file=tmp_path / "k")
    assert not any(tmp_path.iterdir())


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_any_damage_is_refused_with_a_sentence(divided, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("shards")
    file = folder / "shard"
    save_shard(file, divided, 0, divided.create(0, NumpyRandomness(1)))
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    kind = data.draw(st.sampled_from(["flip", "cut", "longer"]))
    if kind == "flip":
        content[place] ^= data.draw(st.integers(1, 255))
    elif kind == "cut":
        del content[place:]
    else:
        content += b"x" * (1 + place % 9)
    file.write_bytes(bytes(content))
    with pytest.raises(StateFileError) as refused:
        load_shard(file)
    assert "\n" not in str(refused.value)


def test_wrong_keys_other_files_and_forged_parameters_are_refused(divided, tmp_path, monkeypatch):
    file, key = tmp_path / "shard", tmp_path / "key"
    state = divided.create(0, NumpyRandomness(1))
    save_shard(file, divided, 0, state, key_file=key)
    with pytest.raises(StateFileError, match="saved apart"):
        load_shard(file)
    save_shard(tmp_path / "whole", divided, 0, state)
    with pytest.raises(StateFileError, match="holds its key itself"):
        load_shard(tmp_path / "whole", key_file=key)
    save_state(tmp_path / "state", divided.counter, divided.counter.create(NumpyRandomness(1)))
    with pytest.raises(StateFileError, match="no shard"):
        load_shard(tmp_path / "state")
    with pytest.raises(InputError):
        load_shard(tmp_path / "nothing")
    of_dict = type(divided.counter).to_dict
    monkeypatch.setattr(type(divided.counter), "to_dict", lambda self: of_dict(self) | {"p_upd": 0.99})
    save_shard(file, divided, 0, state)
    monkeypatch.undo()
    with pytest.raises(StateFileError, match="the state alone loses"):
        load_shard(file)


def test_a_full_disk_keeps_the_last_shard(divided, tmp_path, monkeypatch):
    file = tmp_path / "shard"
    save_shard(file, divided, 0, divided.create(0, NumpyRandomness(1)))
    before = file.read_bytes()

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        save_shard(file, divided, 0, divided.create(0, NumpyRandomness(2)))
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["shard"]
