"""A state counts its releases: so many as the promise covers, and then it is erased."""

from __future__ import annotations

import numpy as np
import pytest

from pan_estimators import (
    ESTIMATORS_OF_IDS,
    Adder,
    InputError,
    NumpyRandomness,
    SecureRandomness,
    calibrated_announced_intrusions,
    calibrated_bernoulli,
    optimal_bernoulli,
    pan_private_distinct_sampling,
    releases_covered,
)
from pan_estimators.samples.keyed_sample import KEY_BYTES, KeyedSample, ListedSample
from tests.public.density.instances import small


def fed(estimator, seed=1):
    randomness = NumpyRandomness(seed)
    ids = estimator.universe.example_ids(3)
    return estimator.update(estimator.create(randomness), np.array(ids), randomness), randomness


@pytest.mark.parametrize("name", [name for name in ESTIMATORS_OF_IDS if name != "exact-counter"])
def test_a_release_beyond_the_promise_is_refused_and_so_is_an_update(name):
    estimator = small(name)
    state, randomness = fed(estimator)
    covered = releases_covered(estimator)
    assert covered == estimator.promise.outputs
    for number in range(covered):
        assert state.releases == number
        estimator.update(state, estimator.universe.example_ids(1), randomness)
        estimator.release(state, randomness)
    words = f"its promise covers {covered} release"
    for use in (
        lambda: estimator.release(state, randomness),
        lambda: estimator.update(state, estimator.universe.example_ids(1), randomness),
        lambda: estimator.update(state, np.empty(0, dtype=np.int64), randomness),
        lambda: estimator.sampled_users(state),
    ):
        with pytest.raises(InputError, match=words) as caught:
            use()
        assert "calibrated-continual-output" in str(caught.value)
        assert "\n" not in str(caught.value)
    assert state.releases == covered


def test_an_erased_state_is_not_announced():
    estimator = calibrated_announced_intrusions(universe=20, promise_epsilon=1.5, sample_size=5)
    state, randomness = fed(estimator)
    estimator.release(state, randomness)
    with pytest.raises(InputError, match="is erased"):
        estimator.announce(state, randomness)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS_OF_IDS if name != "exact-counter"])
def test_after_the_last_release_the_state_is_the_same_whatever_it_was(name):
    estimator = small(name)
    left = []
    for seed in (1, 2, 3):
        state, randomness = fed(estimator, seed)
        ids = estimator.universe.example_ids(seed + 1)
        estimator.update(state, np.array(ids), randomness)
        for _ in range(releases_covered(estimator)):
            estimator.release(state, randomness)
        left.append(repr(vars(state)))
    assert len(set(left)) == 1


def test_cells_and_samples_are_overwritten_where_they_lie():
    estimator = optimal_bernoulli(universe=100, epsilon=0.5, sample_size=40)
    state, randomness = fed(estimator)
    sample, cells = state.sample, state.cells
    estimator.release(state, randomness)
    assert not sample.any()
    assert not cells.any()
    assert state.cells is cells


def test_keys_and_lists_of_members_are_gone():
    estimator, randomness = calibrated_bernoulli(universe=10**6, promise_epsilon=1, sample_size=40), SecureRandomness()
    state = estimator.update(estimator.create(randomness), [1, 2], randomness)
    cells = state.cells
    estimator.release(state, randomness)
    assert state.sample == KeyedSample(10**6, 40, bytes(KEY_BYTES))
    assert not cells.any()
    listed = estimator.create(randomness)
    listed.sample = ListedSample(10**6, np.arange(7, 47))
    estimator.release(listed, randomness)
    assert listed.sample == state.sample
    distinct = pan_private_distinct_sampling(universe=100, epsilon=0.5, sample_size=30)
    state, randomness = fed(distinct)
    members = state.members
    assert members.any()
    distinct.release(state, randomness)
    assert not members.any()
    assert (state.multiplier, state.increment, state.level, state.members.size) == (0, 0, 0, 0)


def test_arrays_that_cannot_be_written_are_replaced():
    estimator = optimal_bernoulli(universe=100, epsilon=0.5, sample_size=40)
    state, randomness = fed(estimator)
    state.sample.setflags(write=False)
    state.cells.setflags(write=False)
    estimator.release(state, randomness)
    assert not state.sample.any()
    assert not state.cells.any()


@pytest.mark.parametrize("name", ["exact-counter", "optimal-bernoulli", "pan-private-distinct-sampling"])
def test_without_a_promise_there_is_no_limit(name):
    estimator = (
        small(name)
        if name == "exact-counter"
        else {"optimal-bernoulli": optimal_bernoulli}.get(name, pan_private_distinct_sampling)(
            universe=50, epsilon=1.0, sample_size=20
        )
    )
    assert estimator.promise is None
    assert releases_covered(estimator) is None
    state, randomness = fed(estimator)
    for number in range(5):
        assert state.releases == number
        estimator.release(state, randomness)
    estimator.update(state, [1], randomness)


def test_a_release_that_fails_is_not_counted():
    class NoNoise:
        def two_sided_geometric(self, up, down, size):
            raise OSError("no entropy")

    estimator = calibrated_bernoulli(universe=50, promise_epsilon=1, sample_size=20)
    state, randomness = fed(estimator)
    before = state.cells.copy()
    with pytest.raises(OSError, match="no entropy"):
        estimator.release(state, NoNoise())
    assert state.releases == 0
    assert (state.cells == before).all()
    estimator.release(state, randomness)


def test_what_adds_ids_one_by_one_refuses_an_erased_state():
    estimator, randomness = calibrated_bernoulli(universe=50, promise_epsilon=1, sample_size=50), NumpyRandomness(1)
    adder = Adder(estimator, estimator.create(randomness), randomness)
    for one in range(20):
        adder.add(one)
    estimator.release(adder.state, randomness)
    with pytest.raises(InputError, match="is erased"):
        adder.add(3)
    assert not adder.state.cells.any()
