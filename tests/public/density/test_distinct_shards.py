"""A distinct counter among workers: shards, their files, and the Dask cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

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
from pan_estimators.density.distinct.counter import distinct_counter
from pan_estimators.density.distinct.dask import count_in_dask

KEY = b"0123456789abcdef"
SIZE = 2**40


@pytest.fixture(scope="module")
def counter():
    """4,096 cells for 100 to 100,000 users."""
    return distinct_counter(universe=SIZE, promise_epsilon=1, bits=2**12, least=1e2, most=1e5)


def small(levels="3:2,2:1", size=9):
    return distinct_counter(universe=size, promise_epsilon=1, levels=levels, p_init=0.4, p_upd=0.6)


def counted(divided, ids, seed):
    """The joined state after the ids went to their workers in turn, in two batches."""
    workers = divided.workers_of(ids)
    states = []
    for worker in range(divided.workers):
        randomness = NumpyRandomness([seed, worker])
        state = divided.create(worker, randomness)
        mine = ids[workers == worker]
        for batch in (mine[: mine.size // 2], mine[mine.size // 3 :]):
            divided.update(worker, state, batch, randomness)
        states.append(state)
    return divided.join(states)


@given(
    st.lists(st.tuples(st.integers(1, 7), st.integers(1, 4)), min_size=1, max_size=4),
    st.integers(0, 5),
    st.integers(1, 6),
)
@settings(max_examples=30, deadline=None)
def test_each_cell_belongs_to_one_worker_and_joins_at_its_place(levels, rest, workers):
    """Each index touches the cell of the joined counter that the whole counter gives it."""
    size = sum(cells * span for cells, span in levels) + rest
    counter = small(levels, size)
    workers = min(workers, counter.geometry.cells)
    divided = DividedCounter(counter, workers)
    assert sum(divided.cells_of(one) for one in range(workers)) == counter.geometry.cells
    indices = np.arange(size)
    owners = divided.workers_of(indices)
    assert (owners[size - rest :] == -1).all()
    assert (owners[: size - rest] >= 0).all()
    for index in indices[: size - rest]:
        states = [divided.create(one, NumpyRandomness(1)) for one in range(workers)]
        for state in states:
            state.cells[:] = False
        (place,) = divided.routed([index])[owners[index]]
        states[owners[index]].cells[place] = True
        joined = divided.join(states)
        assert np.flatnonzero(joined.cells).tolist() == counter.geometry.cells_of(np.array([index])).tolist()


def test_joined_bits_have_exactly_the_distribution_of_one_counter():
    """The frequencies of all values of five bits on three workers, against the product of the proved distributions."""
    counter = small()
    divided, ids = DividedCounter(counter, 3), np.array([0, 1, 5, 7, 8, 8, 0])
    touched = set(counter.geometry.cells_of(ids).tolist())
    runs = 1_500
    found = np.zeros(32)
    for seed in range(runs):
        found[int(counted(divided, ids, seed).cells @ 2 ** np.arange(5))] += 1
    expected = [
        math.prod(
            p if bit else 1 - p
            for bit, p in zip(bits[::-1], [0.6 if c in touched else 0.4 for c in range(5)], strict=True)
        )
        for bits in product((0, 1), repeat=5)
    ]
    expected = np.array(expected) * runs
    # The 0.9999 quantile of chi-squared with 31 degrees of freedom is 68.
    assert ((found - expected) ** 2 / expected).sum() < 68


def test_wrong_uses_are_refused_with_a_sentence(counter):
    divided = DividedCounter(counter, 2)
    assert divided.promise.claim == "distinct.shards"
    assert divided.promise.epsilon == counter.promise.epsilon
    with pytest.raises(InputError, match="number of workers"):
        DividedCounter(small(), 6)
    states = [divided.create(one, NumpyRandomness(one)) for one in (0, 1)]
    ids = np.arange(0, SIZE, SIZE // 50)
    foreign = ids[divided.workers_of(ids) == 1]
    with pytest.raises(InputError, match="belong to other workers"):
        divided.update(0, states[0], foreign, NumpyRandomness(1))
    with pytest.raises(InputError, match="one state for each of 2 workers"):
        divided.join(states[:1])
    divided.join(states)
    assert not states[0].cells.any()
    with pytest.raises(InputError, match="joined and erased"):
        divided.join(states)
    with pytest.raises(InputError, match="joined and erased"):
        divided.update(1, states[1], foreign, NumpyRandomness(1))


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
        ) as machines,
        distributed.Client(machines) as client,
    ):
        yield client


@pytest.mark.more
def test_dask_counts_lists_bags_series_and_arrays(cluster):
    import dask.array
    import dask.bag
    import dask.dataframe
    import pandas

    counter = distinct_counter(universe=HashedUniverse(2**62, KEY), promise_epsilon=4, bits=2**12, least=1e2, most=1e4)
    names = [f"user {one}" for one in range(2_000)] * 2
    frame = dask.dataframe.from_pandas(pandas.DataFrame({"user": names, "other": 1}), npartitions=3)
    collections = [
        [np.arange(2_000), np.arange(1_500)],
        dask.bag.from_sequence(names, npartitions=4),
        frame["user"],
        dask.array.arange(2_000, chunks=300),
    ]
    errors = []
    for number, ids in enumerate(collections):
        state = count_in_dask(
            counter, ids, client=cluster, workers=3, randomness=lambda worker, n=number: NumpyRandomness([n, worker])
        )
        errors.append(counter.estimate(counter.release(state, NumpyRandomness(number))).count / 2_000 - 1)
    assert np.abs(errors).max() < 5 * counter.expected_error(2_000)
    with pytest.raises(InputError, match="one column"):
        count_in_dask(counter, frame, client=cluster)


@pytest.mark.more
def test_dask_with_the_secure_source_uses_all_workers_and_ends_with_a_wrong_id(cluster, counter):
    state = count_in_dask(counter, [np.arange(0, SIZE, SIZE // 1_000)], client=cluster)
    assert counter.estimate(counter.release(state, NumpyRandomness(1))).count == pytest.approx(1_000, rel=0.9)
    with pytest.raises(InputError, match="outside the universe"):
        count_in_dask(counter, [np.array([SIZE + 5])], client=cluster)


@dataclass(frozen=True)
class Failing:
    """A partition that fails on a worker, as a call of a shard does whose worker was lost."""

    told: str

    def __call__(self):
        yield np.arange(10)
        raise RuntimeError(self.told)


@pytest.mark.more
def test_partitions_are_called_on_workers_and_a_lost_worker_is_one_sentence(cluster, counter):
    with pytest.raises(InputError, match="lost, and its bits with it"):
        count_in_dask(counter, [Failing("Worker holding Actor was lost")], client=cluster)
    with pytest.raises(RuntimeError, match="of the partition"):
        count_in_dask(counter, [Failing("an error of the partition")], client=cluster)
    told = []
    count_in_dask(counter, [np.arange(5), np.arange(9)], client=cluster, tell=told.append)
    assert told == [None, None]


@pytest.fixture(scope="module")
def divided():
    universe = HashedUniverse(2**62, KEY)
    counter = distinct_counter(
        universe=universe, promise_epsilon=2, levels=[[600, 2**50], [425, 2**40]], p_init=0.25, p_upd=0.75
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
