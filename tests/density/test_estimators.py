"""The estimators are what the sources print: cells, output, noise, state."""

from __future__ import annotations

import math
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pan_estimators import (
    ESTIMATORS_OF_IDS,
    EdgeUniverse,
    HashedUniverse,
    InputError,
    IntegerUniverse,
    LabelUniverse,
    NumpyRandomness,
    create_estimator,
    dwork,
    estimator_from_dict,
    exact_counter,
    laplace,
    lecture,
    optimal_bernoulli,
    pan_private_distinct_sampling,
    quantized_laplace,
)
from tests.density.instances import small

SAMPLED = [name for name in ESTIMATORS_OF_IDS if name not in ("exact-counter", "graph-density")]


class Scripted:
    """Randomness whose noise is zero and whose bits are all ones, to read formulas off the code."""

    def __init__(self):
        self.probabilities = []
        self.noises = []

    def bernoulli(self, probability, size):
        self.probabilities.append((probability, size))
        return np.ones(size, dtype=bool)

    def uniform_integers(self, low, high, size):
        return np.full(size, low)

    def uniform_subset(self, population, size):
        return np.arange(size)

    def laplace(self, location, scale, size=None):
        self.noises.append((location, scale))
        return location if size is None else np.full(size, location)


@pytest.mark.parametrize(
    ("factory", "p_init", "p_upd"),
    [
        (dwork, 0.5, 0.5 + 0.3 / 4),
        (lecture, 0.5, 0.5 + 0.3 / 4),
        (optimal_bernoulli, 1 / (1 + math.exp(0.3)), math.exp(0.3) / (1 + math.exp(0.3))),
        (quantized_laplace, math.exp(-0.15) / 2, 1 - math.exp(-0.15) / 2),
    ],
)
def test_bits_are_drawn_as_printed_and_drawn_again_at_every_appearance(factory, p_init, p_upd):
    estimator, script = factory(universe=10, epsilon=0.3, sample_size=4), Scripted()
    state = estimator.create(script)
    assert script.probabilities == [(pytest.approx(p_init), 4)]
    for _ in range(3):
        state = estimator.update(state, 2, script)
    estimator.update(state, 7, script)
    # Nothing is drawn for a user who is not sampled.
    assert script.probabilities[1:] == [(pytest.approx(p_upd), 1)] * 3


def test_dwork_output_is_the_printed_formula():
    estimator, script = dwork(universe=100, epsilon=0.4, sample_size=50), Scripted()
    state = estimator.create(script)
    state.cells[:20] = False
    estimator.release(state, script)
    assert script.noises == [(pytest.approx(4 / 0.4 * (30 / 50 - 0.5)), pytest.approx(1 / (0.4 * 50)))]


def test_optimal_bernoulli_output_is_the_printed_formula():
    estimator, script = optimal_bernoulli(universe=100, epsilon=0.4, sample_size=50), Scripted()
    state = estimator.create(script)
    state.cells[:20] = False
    t = math.tanh(0.2)
    estimator.release(state, script)
    assert script.noises == [(pytest.approx((30 / 50 - 0.5 + t / 2) / t), pytest.approx(1 / 20))]


def test_laplace_cells_and_output_are_as_printed():
    estimator, script = laplace(universe=9, epsilon=0.25, sample_size=9, mu_init=2, mu_upd=5), Scripted()
    state = estimator.create(script)
    state = estimator.update(state, [1, 2, 3], script)
    assert script.noises == [(2, pytest.approx(12)), (5, pytest.approx(12))]
    assert estimator.release(state, script) == pytest.approx(3 / 9)
    assert script.noises[-1][1] == pytest.approx(1 / (0.25 * 9))


def test_the_lectures_sample_size_is_its_own():
    estimator = lecture(universe=10**9, epsilon=0.5, alpha=0.1, beta=0.05)
    assert estimator.sample_size == math.ceil(200 * math.log(20) / (0.5 * 0.1) ** 2)


@pytest.mark.parametrize("name", [name for name in SAMPLED if not name.startswith("calibrated")])
def test_promise_is_two_epsilon_up_to_one_half_and_none_beyond(name):
    known = create_estimator(name, universe=20, epsilon=0.5, sample_size=5)
    assert known.promise.epsilon == pytest.approx(1.5 if name == "announced-intrusions" else 1.0)
    assert known.promise_of_state.epsilon == (1.0 if name == "announced-intrusions" else 0.5)
    assert known.promise_of_output.epsilon == 0.5
    more = {"centre": 0.5} if name == "bernoulli-family" else {}
    assert create_estimator(name, universe=20, epsilon=0.6, sample_size=5, **more).promise is None


@pytest.mark.parametrize("name", list(ESTIMATORS_OF_IDS))
def test_a_configuration_survives_its_dictionary_and_a_pickle(name):
    estimator = small(name)
    assert estimator_from_dict(estimator.to_dict()).to_dict() == estimator.to_dict()
    assert pickle.loads(pickle.dumps(estimator)).to_dict() == estimator.to_dict()
    with pytest.raises((AttributeError, TypeError)):
        estimator.universe = None


@pytest.mark.parametrize("name", list(ESTIMATORS_OF_IDS))
def test_every_estimator_is_close_to_the_density_on_average(name):
    estimator, randomness = small(name), NumpyRandomness(3)
    users = np.arange(estimator.universe.size)[::2]
    outputs = []
    for _ in range(4000):
        state = estimator.update(estimator.create(randomness), users, randomness)
        outputs.append(estimator.release(state, randomness))
    deviation = np.std(outputs) / math.sqrt(len(outputs)) + 1e-12
    assert abs(np.mean(outputs) - users.size / estimator.universe.size) < 5 * deviation


def test_ids_come_as_users_have_them():
    estimator = exact_counter(universe=LabelUniverse(["ann", "bob", "cid", "dee"]))
    columns = [
        ["ann", "cid", "ann"],
        np.array(["ann", "cid"]),
        np.array(["ann", "cid"], dtype=object),
        pd.Series(["ann", "cid"]),
        pl.Series(["ann", "cid"]),
        pa.array(["ann", "cid"]),
        pa.chunked_array([["ann"], ["cid"]]),
        pa.array(["ann", "cid"]).dictionary_encode(),
    ]
    for column in columns:
        state = estimator.update(estimator.create(None), column, None)
        assert estimator.release(state, None) == 0.5, type(column)
    state = estimator.update(estimator.create(None), "bob", None)
    assert state.seen.tolist() == [False, True, False, False]


def test_integer_ids_come_as_users_have_them():
    estimator = exact_counter(universe=IntegerUniverse(10, first=5))
    columns = [
        [5, 14],
        (5, 14),
        range(5, 15, 9),
        np.array([5, 14], dtype=np.uint8),
        np.array([5.0, 14.0]),
        pd.Series([5, 14]),
        pd.Series([5, 14], dtype="Int64"),
        pl.Series([5, 14]),
        pa.array([5, 14]),
        pa.chunked_array([[5], [14]]),
    ]
    for column in columns:
        state = estimator.update(estimator.create(None), column, None)
        assert state.seen.tolist() == [True] + 8 * [False] + [True], type(column)
    assert not estimator.update(estimator.create(None), [], None).seen.any()


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([1, 99], "id 99 is outside the universe 0..9"),
        ([-1], "id -1 is outside"),
        ([float("nan")], "missing, got NaN at position 0"),
        ([1.5], "integers or strings, got"),
        (["seven"], "integer ids 0..9, got the string 'seven'"),
        ([1, None], "missing, got None at position 1"),
        ([1, "a"], "all integers or all strings, got int and str"),
        ([True], "integers or strings, got values of type bool"),
        ({1, 2}, "a stream of ids has an order; got a set"),
        ([[1, 2], [3, 4]], "one-dimensional"),
        ([2**70], "64 bits"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "values of type datetime64"),
        (pl.Series([1, None]), "missing"),
        (pd.Series([1, None], dtype="Int64"), "missing"),
    ],
)
def test_bad_ids_get_one_clear_sentence(ids, words):
    estimator = exact_counter(universe=10)
    with pytest.raises(InputError, match=words) as caught:
        estimator.update(estimator.create(None), ids, None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": 0.0}, "epsilon must be positive and finite, got 0.0"),
        ({"epsilon": -1}, "epsilon must be positive"),
        ({"epsilon": math.inf}, "epsilon must be positive and finite, got inf"),
        ({"epsilon": math.nan}, "epsilon must be positive"),
        ({"epsilon": "1"}, "epsilon must be a number"),
        ({"sample_size": 11}, "between 1 and 10 .the size of the universe., got 11"),
        ({"sample_size": 0}, "between 1 and 10"),
        ({"sample_size": 2.5}, "whole number, got 2.5"),
        ({"universe": 0}, "the universe size must be"),
        ({"alpha": 0.1}, "either the sample size m or both alpha and beta, not both"),
        ({"sample_size": None}, "give either the sample size m or both"),
        (
            {"sample_size": None, "alpha": 0.1, "beta": 0.05},
            "need a sample of .* users by .*accuracy, more than the 10",
        ),
        ({"sample_size": None, "alpha": 2.0, "beta": 0.05}, "alpha must lie strictly between 0 and 1"),
    ],
)
def test_bad_configurations_get_one_clear_sentence(arguments, words):
    good = {"universe": 10, "epsilon": 0.3, "sample_size": 5}
    for factory in (dwork, optimal_bernoulli, laplace, pan_private_distinct_sampling):
        with pytest.raises(InputError, match=words):
            factory(**{**good, **arguments})


def test_the_bias_of_dwork_must_stay_below_one_half():
    with pytest.raises(InputError, match=r"below 2 .*Algorithm 1.*got 2"):
        dwork(universe=10, epsilon=2, sample_size=5)


def test_deletions_need_an_estimator_that_knows_them():
    estimator, randomness = optimal_bernoulli(universe=4, epsilon=0.4, sample_size=4), NumpyRandomness(1)
    with pytest.raises(InputError, match="has no deletions"):
        estimator.update(estimator.create(randomness), [1], randomness, deletions=[True])


def test_the_last_of_several_insertions_and_deletions_counts():
    estimator, script = create_estimator("dwork-insert-delete", universe=4, epsilon=0.4, sample_size=4), Scripted()
    state = estimator.create(script)
    estimator.update(state, [0, 1, 0, 2, 1, 0], script, deletions=[False, False, True, False, True, False])
    # 0 and 2 are inserted at the end, 1 is deleted: one draw from 1/2, two from 1/2 + epsilon/4.
    assert sorted(script.probabilities[1:]) == [(0.5, 1), (pytest.approx(0.6), 2)]


def test_graph_density_counts_edges():
    estimator = exact_counter(universe=EdgeUniverse(4))
    state = estimator.update(estimator.create(None), [(0, 1), (3, 2), (1, 0)], None)
    assert estimator.release(state, None) == pytest.approx(2 / 6)
    with pytest.raises(InputError, match=r"\(1, 1\) is not an edge"):
        estimator.update(state, [(1, 1)], None)
    with pytest.raises(InputError, match="is not an edge"):
        estimator.update(state, [(0, 4)], None)


def test_a_hashed_universe_takes_anything_and_keeps_numbers_and_digits_apart():
    universe = HashedUniverse(1000, key=b"0123456789abcdef")
    assert universe.encode(["a", "b", "a"]).tolist() == universe.encode(pl.Series(["a", "b", "a"])).tolist()
    assert universe.encode([7])[0] != universe.encode(["7"])[0]
    assert universe.encode(np.array([2**64 - 1], dtype=np.uint64))[0] < 1000
    assert HashedUniverse(1000).encode(["a"])[0] != HashedUniverse(10**9).encode(["a"])[0]


def test_announcing_draws_the_bits_through_randomised_response():
    estimator, randomness = create_estimator("announced-intrusions", universe=50, epsilon=0.5, sample_size=50), None
    randomness = NumpyRandomness(2)
    flips = []
    for _ in range(400):
        state = estimator.create(randomness)
        before = state.cells.copy()
        state = estimator.announce(state, randomness)
        flips.append(np.mean(state.cells != before))
        assert state.announced == 1
    assert np.mean(flips) == pytest.approx(1 / (1 + math.exp(0.5)), abs=0.02)
    continuous = laplace(universe=4, epsilon=0.4, sample_size=4)
    state = continuous.create(randomness)
    with pytest.raises(InputError, match="only bits are re-randomised"):
        continuous.announce(state, randomness)


def test_state_sizes_count_the_ids_of_the_sample():
    assert optimal_bernoulli(universe=1000, epsilon=0.3, sample_size=1000).state_bits == 1000
    assert optimal_bernoulli(universe=1000, epsilon=0.3, sample_size=100).state_bits == 100 * 11
    assert laplace(universe=1000, epsilon=0.3, sample_size=100).state_bits == 100 * (64 + 10)
    assert exact_counter(universe=1000).state_bits == 1000
    assert pan_private_distinct_sampling(universe=1000, epsilon=0.3, sample_size=100).state_bits == 102 * 10 + 4


def reference_distinct_sampling(universe, m, p_init, p_upd, stream, generator):
    """Algorithm 3 line by line, with sets and single coins."""
    bits = (universe - 1).bit_length()
    multiplier = 2 * int(generator.integers(0, max(1, 2 ** (bits - 1)))) + 1
    increment = int(generator.integers(0, 2**bits))

    def level_of(user):
        hashed = (multiplier * user + increment) % 2**bits
        return bits if hashed == 0 else (hashed & -hashed).bit_length() - 1

    members, level = set(), 0

    def evict_if_full():
        nonlocal members, level
        if len(members) >= m:
            members = {user for user in members if level_of(user) > level}
            level += 1

    for user in range(universe):
        if level_of(user) >= level:
            if generator.random() < p_init:
                members.add(user)
            evict_if_full()
    for user in stream:
        if user in members:
            if generator.random() < 1 - p_upd:
                members.discard(user)
        elif level_of(user) >= level:
            if generator.random() < p_upd:
                members.add(user)
            evict_if_full()
    return level, len(members)


@pytest.mark.more
@pytest.mark.parametrize("one_by_one", [False, True])
def test_distinct_sampling_has_the_distribution_of_the_listing(one_by_one):
    from scipy.stats import chi2_contingency

    stream = [1, 2, 3, 1, 1, 5, 7, 7, 2, 9, 1, 0, 11, 3, 3, 3]
    estimator = pan_private_distinct_sampling(universe=12, epsilon=1.0, sample_size=5)
    generator, randomness, runs = np.random.default_rng(0), NumpyRandomness(1), 6000
    expected = Counter(
        reference_distinct_sampling(12, 5, estimator.cells.p_init, estimator.cells.p_upd, stream, generator)
        for _ in range(runs)
    )
    found: Counter = Counter()
    for _ in range(runs):
        state = estimator.create(randomness)
        for ids in stream if one_by_one else [stream]:
            state = estimator.update(state, ids, randomness)
        found[(state.level, state.members.size)] += 1
    common = [key for key in expected if expected[key] + found[key] >= 20]
    assert sum(expected[key] for key in common) > 0.98 * runs
    table = np.array([[counts[key] for key in common] for counts in (expected, found)])
    assert chi2_contingency(table).pvalue > 1e-4


def test_the_hash_is_a_bijection_with_geometric_levels():
    estimator = pan_private_distinct_sampling(universe=64, epsilon=0.5, sample_size=64)
    randomness = NumpyRandomness(5)
    for _ in range(20):
        state = estimator.create(randomness)
        levels = estimator.hash_of(state).levels(np.arange(64))
        assert Counter(levels.tolist()) == {0: 32, 1: 16, 2: 8, 3: 4, 4: 2, 5: 1, 6: 1}


@pytest.mark.parametrize("universe", [1, 2, 7, 64, 1000])
def test_users_qualify_for_distinct_sampling_by_the_zeros_at_the_end_of_their_hash(universe):
    estimator = pan_private_distinct_sampling(universe=universe, epsilon=0.5, sample_size=1)
    state = estimator.create(NumpyRandomness(1))
    users, bits = np.arange(universe), estimator.hash_bits
    hashes = [(state.multiplier * user + state.increment) % 2**bits for user in range(universe)]
    zeros = [next((k for k in range(bits) if value >> k & 1), bits) for value in hashes]
    for state.level in range(bits + 3):
        expected = [level >= state.level for level in zeros]
        assert estimator.hash_of(state).qualify(users, state.level).tolist() == expected
        assert estimator.hash_of(state).qualify(np.tile(users, 2), state.level).tolist() == 2 * expected
